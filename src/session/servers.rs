//! What calls are judged by of the servers behind the gate.
use std::path::PathBuf;

use crate::analyse::Definition;
use crate::gate::PinStatus;

use super::ids::UpstreamId;

/// The servers, to be read.
pub(super) trait Servers {
    /// What policy, questions and audit call the server.
    fn name(&self, of: UpstreamId) -> &str;
    /// The tool as last listed.
    fn definition(&self, of: UpstreamId, tool: &str) -> Option<&Definition>;
    /// The tool as it was accepted.
    fn accepted(&self, of: UpstreamId, tool: &str) -> Option<&Definition>;
    /// Whether the tool is listed, and as it was accepted.
    fn pin_status(&self, of: UpstreamId, tool: &str) -> PinStatus;
    /// Whether the tools have to be listed before a call of this one can be judged.
    fn wants_listing(&self, of: UpstreamId, tool: &str) -> bool;
    /// Whether a call that was sent and is not over touches one of these files.
    fn are_touched(&self, files: &[PathBuf]) -> bool;
}
