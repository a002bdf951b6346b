//! The elicitation form: a question as the parameters of `elicitation/create`, and a client's result as an answer.
use serde_json::{Map, Value, json};

use crate::escape::visible_within;
use crate::gate::{Answer, Channel, Choice, Ending, Item, Question, remarks};

pub use crate::session::era::Version;

const DECISION: &str = "decision";
/// Clients draw about ten lines of a message, so not more findings than this are spelled out in it;
/// the others stand beside their own fields.
const SPELLED_OUT: usize = 4;
/// Characters of the arguments in the message.
const ARGUMENTS: usize = 1500;
/// Remarks that are shown, and characters of one.
const NOTES: usize = 12;
const NOTE: usize = 450;
/// Characters of one line.
const LINE: usize = 600;
/// A call's `_meta` above this many bytes is not copied.
const META: usize = 64 * 1024;

/// The parameters of `elicitation/create` for `question`: a flat object with one required property per key, a plain
/// `enum` of words, `deny` first and preselected. Neither titles nor `oneOf` nor an empty schema: some clients draw those
/// as free text, and one accepts an empty form by itself.
pub fn form(question: &Question, version: Version) -> Value {
    let names = names(question);
    let mut properties: Map<String, Value> =
        names.iter().zip(&question.items).map(|(name, item)| (name.clone(), property(question, item))).collect();
    if properties.is_empty() {
        properties.insert(DECISION.to_owned(), json!({ "type": "string", "enum": [Choice::Deny.words()] }));
    }
    let mut params = json!({
        "message": message(question),
        "requestedSchema": { "type": "object", "properties": properties, "required": names },
    });
    if let (false, Some(members)) = (version == Version::Legacy2025_06, params.as_object_mut()) {
        members.insert("mode".to_owned(), "form".into());
    }
    params
}

/// The answer in the result of an elicitation. Only `accept` with exactly the properties of the form, each with one of its
/// words, is a decision; everything else allows nothing.
pub fn parse(question: &Question, result: &Value) -> Answer {
    let nothing = |ending| Answer::nothing(Channel::Elicitation, ending);
    match result.get("action").and_then(Value::as_str) {
        Some("accept") => accepted(question, result.get("content")).unwrap_or_else(|why| nothing(Ending::Unusable(why))),
        Some("decline") => nothing(Ending::Declined),
        Some("cancel") => nothing(Ending::Dismissed),
        _ => nothing(Ending::Unusable("the client's answer has no known action")),
    }
}

/// The `_meta` of a call as it goes into the elicitation about it, without `progressToken`: one client finds the call
/// by it. Nothing if it is no object, empty, too large or too deep.
pub fn meta_for(call_meta_raw: &str) -> Option<Value> {
    if call_meta_raw.len() > META {
        return None;
    }
    let mut meta: Map<String, Value> = serde_json::from_str(call_meta_raw).ok()?;
    meta.remove("progressToken");
    (!meta.is_empty()).then_some(Value::Object(meta))
}

fn names(question: &Question) -> Vec<String> {
    match question.items.len() {
        0 | 1 => vec![DECISION.to_owned()],
        count => {
            // Numbers of one width, so that clients which sort the fields by name keep their order.
            let width = count.to_string().len();
            (1..=count).map(|number| format!("{DECISION}_{number:0width$}")).collect()
        }
    }
}

fn property(question: &Question, item: &Item) -> Value {
    let offered = offered(question, item);
    let words: Vec<&str> = offered.iter().map(|choice| choice.words()).collect();
    json!({ "type": "string", "description": description(question, item, &offered), "enum": words, "default": Choice::Deny.words() })
}

/// What a field is about. Some clients draw its first line alone, so a lone finding, which heads the message, is not said
/// again where there is something else to say.
fn description(question: &Question, item: &Item, offered: &[Choice]) -> String {
    let mut parts = Vec::new();
    if offered.contains(&Choice::Session) {
        parts.push(format!("`{}` covers {}", Choice::Session.words(), item.lasting_scope()));
    }
    if offered.contains(&Choice::Always) {
        parts.push(format!("`{}` means: {}", Choice::Always.words(), question.standing_rule(item)));
    }
    if question.items.len() > 1 || question.calls.len() > 1 || parts.is_empty() {
        parts.insert(0, question.headline(item));
    }
    parts.join("; ")
}

/// What the form offers: nothing that lasts, if the person cannot see the arguments whole.
fn offered(question: &Question, item: &Item) -> Vec<Choice> {
    let lasts = |choice: &Choice| matches!(choice, Choice::Session | Choice::Always);
    let is_whole = question.is_short(ARGUMENTS);
    item.offered.iter().copied().filter(|choice| is_whole || !lasts(choice)).collect()
}

/// What counts most comes first: one client draws three lines and cuts each at its own width (Claude Code 2.1.332).
fn message(question: &Question) -> String {
    let who = visible_within(&question.who(), LINE);
    let mut lines = match question.items.as_slice() {
        [only] => vec![visible_within(&format!("callgate asks: {}", question.headline(only)), LINE), who],
        _ => vec![format!("callgate asks: {who}")],
    };
    lines.extend(remarks(&question.notes, NOTES, NOTE));
    lines.extend(question.arguments_within(ARGUMENTS));
    lines.extend(findings(question).iter().map(|line| visible_within(line, LINE)));
    let within = question.timeout.map_or_else(String::new, |timeout| format!(" within {} s", timeout.as_secs()));
    lines.push(format!("question {}; no answer{within} is a no", visible_within(&question.id, LINE)));
    lines.join("\n")
}

/// The lines below: all that is known of a lone finding, or each of several on a line of its own with what there is room for.
fn findings(question: &Question) -> Vec<String> {
    if let [only] = question.items.as_slice() {
        return only.details();
    }
    let mut lines: Vec<String> =
        question.items.iter().take(SPELLED_OUT).enumerate().map(|(place, item)| numbered(question, place, item)).collect();
    let more = question.items.len().saturating_sub(SPELLED_OUT);
    lines.extend((more > 0).then(|| format!("and {more} more, each beside its own field")));
    lines
}

fn numbered(question: &Question, place: usize, item: &Item) -> String {
    let kept = if item.calls.len() > 1 { usize::MAX } else { 2 };
    let details: Vec<String> = item.details().into_iter().take(kept).collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join("; ")) };
    format!("{}. {}{details}", place + 1, question.headline(item))
}

fn accepted(question: &Question, content: Option<&Value>) -> Result<Answer, &'static str> {
    let content = content.and_then(Value::as_object).ok_or("the client accepted without filling in the form")?;
    let names = names(question);
    if content.len() != names.len() {
        return Err("the client's answer has other fields than the form");
    }
    let mut answer = Answer::nothing(Channel::Elicitation, Ending::Decided);
    for (name, item) in names.iter().zip(&question.items) {
        let words = content.get(name).and_then(Value::as_str).ok_or("a field of the form is missing or no text")?;
        let choice = Choice::from_words(words).filter(|choice| offered(question, item).contains(choice));
        answer.decisions.insert(item.key.clone(), choice.ok_or("a field holds none of the offered words")?);
    }
    Ok(answer)
}
