//! What a tool answers: one payload, sent as structure and as text, marked as an error when it carries one.
use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::{Value, json};

/// The result of one tool. A failure is the same payload with `error` set, so that what was learned before it is kept.
pub trait Payload: Serialize + Default {
    /// Where the failure is written: lower case, one line, says what to do next.
    fn error(&mut self) -> &mut Option<String>;

    /// A payload that holds nothing but a failure.
    fn failed(message: impl Into<String>) -> Self {
        let mut payload = Self::default();
        *payload.error() = Some(message.into());
        payload
    }
}

/// Gives result types their `error` member as [`Payload`].
macro_rules! payloads {
    ($($name:ty),+) => { $(impl $crate::outcome::Payload for $name {
        fn error(&mut self) -> &mut Option<String> {
            &mut self.error
        }
    })+ };
}
pub(crate) use payloads;

/// The reply for a payload.
pub fn reply<T: Payload>(mut payload: T) -> CallToolResult {
    let failed = payload.error().is_some();
    match serde_json::to_value(&payload) {
        Ok(value) if failed => CallToolResult::structured_error(value),
        Ok(value) => CallToolResult::structured(value),
        Err(error) => refusal(&format!("the result could not be written as JSON: {error}")),
    }
}

/// A failure before any tool ran.
pub fn refusal(message: &str) -> CallToolResult {
    CallToolResult::structured_error(json!({ "error": message }))
}

/// What is wanted where a negative number makes no sense.
const COUNT: &str = "a whole number of at least 0";

/// Rewrites rmcp's complaint about arguments into words for a model: no type names of ours.
pub fn bad_arguments(tool: &str, complaint: &str) -> CallToolResult {
    let complaint = complaint.strip_prefix("failed to deserialize parameters: ").unwrap_or(complaint);
    let words = [("u64", COUNT), ("i64", "a whole number"), ("u32", COUNT), ("f64", "a number"), ("a map", "an object")];
    let plain =
        words.iter().fold(complaint.to_owned(), |text, (from, to)| text.replace(&format!("expected {from}"), &format!("expected {to}")));
    refusal(&format!("the arguments of `{tool}` do not fit its schema: {}", plain.trim_start_matches("struct ")))
}

/// The text of a reply's `error` member, if it has one.
pub fn error_of(result: &CallToolResult) -> Option<&str> {
    result.structured_content.as_ref()?.get("error").and_then(Value::as_str)
}
