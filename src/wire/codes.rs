//! The codes of error replies: those of JSON-RPC 2.0 (<https://www.jsonrpc.org/specification#error_object>) and the gate's own.

/// The line is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// JSON that is no message, or one that cannot stand where it came.
pub const INVALID_REQUEST: i64 = -32600;
/// The method is not known here.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// It failed on this side.
pub const INTERNAL_ERROR: i64 = -32603;
/// The gate refuses something that is no tool call, and so has no result that could say it. Ours, after HTTP's 403, and outside the
/// ranges that JSON-RPC and MCP reserve.
pub const DENIED: i64 = -31403;
