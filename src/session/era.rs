//! The revisions of the protocol, as far as the gate behaves differently in them.

/// The first revision without a handshake.
pub(super) const FIRST_MODERN: &str = "2026-07-28";
/// The first revision with elicitation.
pub(super) const FIRST_ELICITATION: &str = "2025-06-18";
/// The only revision with batches.
pub(super) const BATCHES: &str = "2025-03-26";

/// The revision of the specification that a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 2025-06-18: forms only, without a `mode`.
    Legacy2025_06,
    /// 2025-11-25: `mode` tells forms from links.
    Legacy2025_11,
    /// 2026-07-28: the same form within `inputRequests`.
    Modern,
}
