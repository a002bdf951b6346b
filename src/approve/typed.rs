//! What a person types to answer: one word per choice, with the code of the question where there is one.
use crate::gate::Choice;

/// A line read as an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// One of the choices that allow.
    Allow(Choice),
    /// No, with a reason for the model if one was typed.
    Deny(Option<String>),
    /// Show the arguments whole.
    View,
    /// Leave the question open.
    Later,
    /// Show the question at this place of the list.
    Turn(usize),
    /// Stop answering.
    Quit,
    /// None of these, and what to type instead.
    Unclear(String),
}

/// The word to type for `choice`.
pub const fn word(choice: Choice) -> &'static str {
    match choice {
        Choice::Deny => "deny",
        Choice::Once => "allow",
        Choice::Session => "session",
        Choice::Always => "always",
        Choice::NotAPath => "not-a-path",
    }
}

/// Reads `line`. An allowing word counts only if it is offered and `code`, where there is one, stands after it.
/// An empty line is a no: the default must be the safe answer.
pub fn command(line: &str, offered: &[Choice], code: Option<&str>) -> Command {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(first, rest)| (first, rest.trim()));
    match first {
        "" => Command::Deny(None),
        "deny" | "no" => Command::Deny((!rest.is_empty()).then(|| rest.to_owned())),
        "view" if rest.is_empty() => Command::View,
        "later" if rest.is_empty() => Command::Later,
        "quit" if rest.is_empty() => Command::Quit,
        "next" => rest.parse().map_or_else(|_| Command::Unclear("type `next` and a number of the list".to_owned()), Command::Turn),
        _ => allowing(line, offered, code),
    }
}

/// One line for each choice that is offered: what to type and what it does.
pub fn explained(offered: &[Choice], code: Option<&str>, scope: &str, rule: &str) -> Vec<String> {
    let code = code.map_or_else(String::new, |code| format!(" {code}"));
    offered
        .iter()
        .map(|choice| match choice {
            Choice::Deny => "deny REASON - refuse; the reason, if any, reaches the model".to_owned(),
            Choice::Once => format!("allow{code} - this call only"),
            Choice::Session => format!("session{code} - until this session ends: {scope}"),
            Choice::Always => format!("always{code} - writes the rule: {rule}"),
            Choice::NotAPath => format!("not-a-path{code} - the text is no path; this call goes on"),
        })
        .collect()
}

fn allowing(line: &str, offered: &[Choice], code: Option<&str>) -> Command {
    let wanted = |choice: &Choice| code.map_or_else(|| word(*choice).to_owned(), |code| format!("{} {code}", word(*choice)));
    if let Some(choice) = offered.iter().filter(|choice| **choice != Choice::Deny).find(|choice| wanted(choice) == line) {
        return Command::Allow(*choice);
    }
    let words: Vec<String> =
        offered.iter().map(|choice| if *choice == Choice::Deny { "deny".to_owned() } else { wanted(choice) }).collect();
    Command::Unclear(format!("type one of: {}", words.join(", ")))
}
