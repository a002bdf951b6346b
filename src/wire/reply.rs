//! Messages of the gate's own making: results, errors, refusals, requests and notifications, as bytes without a line end.
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::id::Id;

/// The reply to request `id` that carries `body` as its result.
pub fn result(id: &Id, body: &Value) -> Bytes {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{body}}}"#, id.raw()).into()
}

/// An error answer; without an id it is about a message whose id could not be read.
pub fn error(id: Option<&Id>, code: i64, message: &str, data: Option<Value>) -> Bytes {
    let mut body = json!({ "code": code, "message": message });
    if let (Some(data), Some(body)) = (data, body.as_object_mut()) {
        body.insert("data".to_owned(), data);
    }
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{body}}}"#, id.map_or("null", Id::raw)).into()
}

/// A refused tool call: a result the model can read. `meta` becomes `_meta`; a modern client (2026-07-28) also gets `resultType`.
pub fn refusal(id: &Id, text: &str, meta: Value, modern: bool) -> Bytes {
    let mut body = Map::new();
    if modern {
        body.insert("resultType".to_owned(), json!("complete"));
    }
    body.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
    body.insert("isError".to_owned(), json!(true));
    if !meta.is_null() {
        body.insert("_meta".to_owned(), meta);
    }
    result(id, &Value::Object(body))
}

/// A request with a string id of ours.
pub fn request(id: &str, method: &str, params: &Value) -> Bytes {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    message.to_string().into()
}

/// A notification; null parameters are left out.
pub fn notification(method: &str, params: &Value) -> Bytes {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let (false, Some(message)) = (params.is_null(), message.as_object_mut()) {
        message.insert("params".to_owned(), params.clone());
    }
    message.to_string().into()
}
