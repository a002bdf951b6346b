//! What a person types to answer: one word per choice, with the code of the question where there is one.
use crate::gate::Choice;

/// A line read as an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedCommand {
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
    /// Stop answering questions; those that are open stay open.
    Quit,
    /// None of these, and what to type instead.
    Unclear(String),
}

/// What a person has to type for an answer that allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Challenge<'a> {
    /// The code of the question, where there is one.
    pub code: Option<&'a str>,
    /// What takes the place of the plain word: the name of a tool that destroys.
    pub confirm: Option<&'a str>,
}

/// What a person is told who allows what was not shown whole: nobody can agree to what they could not see.
pub const VIEW_FIRST: &str = "the arguments are not shown whole here: type `view` first";

/// The words that mean something by themselves.
const WORDS: [&str; 10] = ["allow", "always", "deny", "later", "next", "no", "not-a-path", "quit", "session", "view"];
/// A longer name is not asked to be typed.
const LONGEST_NAME: usize = 64;
/// Typed where a tool's name cannot be.
const DESTROY: &str = "destroy";

/// What is typed to let `tool` destroy something: its name, which no habit types; unless that is hard to type or says something else.
pub fn confirming(tool: &str) -> &str {
    let typeable = !tool.is_empty() && tool.len() <= LONGEST_NAME && tool.bytes().all(|byte| byte.is_ascii_graphic());
    if typeable && !WORDS.contains(&tool) { tool } else { DESTROY }
}

/// Reads `line`. An allowing word counts only if it is offered and meets the challenge. An empty line is a no: the default must be the
/// safe answer.
pub fn command(line: &str, offered: &[Choice], challenge: Challenge<'_>) -> TypedCommand {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(first, rest)| (first, rest.trim()));
    match first {
        "" => TypedCommand::Deny(None),
        "deny" | "no" => TypedCommand::Deny((!rest.is_empty()).then(|| rest.to_owned())),
        "view" if rest.is_empty() => TypedCommand::View,
        "later" if rest.is_empty() => TypedCommand::Later,
        "quit" if rest.is_empty() => TypedCommand::Quit,
        "next" => {
            rest.parse().map_or_else(|_| TypedCommand::Unclear("type `next` and a number of the list".to_owned()), TypedCommand::Turn)
        }
        _ => allowing(line, offered, challenge),
    }
}

/// One line for each choice that is offered about so many calls: what to type and what it does.
pub fn explained(offered: &[Choice], calls: usize, challenge: Challenge<'_>, (scope, rule): (&str, &str)) -> Vec<String> {
    let line = |choice: &Choice| {
        let what = match choice {
            Choice::Deny => "refuse; the reason, if any, reaches the model",
            Choice::Once if calls > 1 => "these calls only",
            Choice::Once => "this call only",
            Choice::Session => "until this session ends: ",
            Choice::Always => "writes the rule: ",
            Choice::NotAPath => "the text is no path; this call goes on",
        };
        let more = match choice {
            Choice::Session => scope,
            Choice::Always => rule,
            Choice::Once if challenge.confirm.is_some() => "; the tool may destroy, so its name is typed",
            _ => "",
        };
        let argument = if *choice == Choice::Deny { " REASON" } else { "" };
        format!("{}{argument} - {what}{more}", challenge.wanted(*choice))
    };
    offered.iter().map(line).collect()
}

fn allowing(line: &str, offered: &[Choice], challenge: Challenge<'_>) -> TypedCommand {
    let allows = |choice: &&Choice| **choice != Choice::Deny;
    if let Some(choice) = offered.iter().filter(allows).find(|choice| challenge.wanted(**choice) == line) {
        return TypedCommand::Allow(*choice);
    }
    let words: Vec<String> = offered.iter().map(|choice| challenge.wanted(*choice)).collect();
    TypedCommand::Unclear(format!("type one of: {}", words.join(", ")))
}

impl Challenge<'_> {
    /// The line that stands for `choice`.
    fn wanted(&self, choice: Choice) -> String {
        let word = match choice {
            Choice::Deny => return "deny".to_owned(),
            Choice::Once => None,
            Choice::Session => Some("session"),
            Choice::Always => Some("always"),
            Choice::NotAPath => Some("not-a-path"),
        };
        let allow = Some("allow").filter(|_| word.is_none() && self.confirm.is_none());
        [allow, word, self.confirm, self.code].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_destroys_is_allowed_by_its_name_only() {
        let challenge = Challenge { code: Some("AB23"), confirm: Some(confirming("drop_table")) };
        let offered = [Choice::Deny, Choice::Once, Choice::Session];
        for (line, choice) in [("drop_table AB23", Choice::Once), ("session drop_table AB23", Choice::Session)] {
            assert_eq!(command(line, &offered, challenge), TypedCommand::Allow(choice));
        }
        for line in ["allow", "allow AB23", "session AB23", "drop_table", "drop_tables AB23", "Drop_table AB23", "always drop_table AB23"] {
            assert!(matches!(command(line, &offered, challenge), TypedCommand::Unclear(_)), "`{line}`");
        }
    }

    #[test]
    fn a_name_that_says_something_else_or_cannot_be_typed_is_not_asked_for() {
        let long = "x".repeat(65);
        for name in ["view", "no", "deny", "allow", "", "två", "two words", "a\u{202e}b", &long] {
            assert_eq!(confirming(name), DESTROY, "`{name}`");
        }
    }
}
