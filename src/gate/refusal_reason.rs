//! Why a call is refused: the vocabulary of refusals.
use serde::{Serialize, Serializer};

/// Why a call is refused. Text and `_meta` keep them apart: users complain about gates that call silence a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// A person said no.
    DeniedByUser,
    /// The question was put away without an answer.
    Dismissed,
    /// What came back was not one of the offered answers.
    BadAnswer,
    /// The policy or the access level says no.
    DeniedByPolicy,
    /// Nobody answered in time.
    TimedOut,
    /// There is nobody to ask.
    NoApprover,
    /// The same was denied three times in this session.
    Silenced,
    /// Too much was asked or refused lately.
    RateLimited,
    /// The server ended while the call was held.
    ServerGone,
    /// The call was taken back.
    Cancelled,
    /// The call could not be analysed and nobody could be asked.
    Unparsed,
    /// The server has no such tool.
    UnknownTool,
    /// The tool's definition is not the accepted one and nobody could be asked.
    ChangedDefinition,
    /// The verdict could not be written down.
    Unrecorded,
    /// The sealed state of a retry is not valid.
    BadState,
}

impl RefusalReason {
    /// The word in `_meta["callgate/refusal"].kind` and in the audit.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DeniedByUser => "denied_by_user",
            Self::Dismissed => "dismissed",
            Self::BadAnswer => "bad_answer",
            Self::DeniedByPolicy => "denied_by_policy",
            Self::TimedOut => "timed_out",
            Self::NoApprover => "no_approver",
            Self::Silenced => "silenced",
            Self::RateLimited => "paused",
            Self::ServerGone => "server_gone",
            Self::Cancelled => "cancelled",
            Self::Unparsed => "unparsed",
            Self::UnknownTool => "unknown_tool",
            Self::ChangedDefinition => "changed_definition",
            Self::Unrecorded => "unrecorded",
            Self::BadState => "bad_state",
        }
    }
}

impl Serialize for RefusalReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}
