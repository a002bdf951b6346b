//! Whether what a text says of a key is as strict as what holds; equal always is.
use super::words::{Access, Channel, Effect};

pub(super) fn same<T: PartialEq>(said: &T, held: Option<&T>) -> bool {
    held == Some(said)
}

pub(super) fn at_least<T: PartialOrd>(said: &T, held: Option<&T>) -> bool {
    held.is_some_and(|held| said >= held)
}

pub(super) fn at_most(said: &u64, held: Option<&u64>) -> bool {
    held.is_some_and(|held| said <= held)
}

/// Within a limit whose 0 stands for none.
pub(super) fn within_or_none(said: &u64, held: Option<&u64>) -> bool {
    held.is_some_and(|held| *held == 0 || (*said > 0 && said <= held))
}

pub(super) fn no_wider(said: &Access, held: Option<&Access>) -> bool {
    *said == Access::ReadOnly || held == Some(&Access::Full)
}

pub(super) fn no_more_trust(said: &bool, held: Option<&bool>) -> bool {
    !said || held == Some(&true)
}

/// Whether every channel of `said` is one of `held`.
pub(super) fn no_other_channel(said: &[Channel], held: &[Channel]) -> bool {
    said.iter().all(|channel| held.contains(channel))
}

pub(super) fn not_allowed(said: &Effect, _held: Option<&Effect>) -> bool {
    *said != Effect::Allow
}

/// A method of which nothing is said is judged by the gate; only a refusal is surely as strict as that.
pub(super) fn as_strict_as_denied(said: &Effect, held: Option<&Effect>) -> bool {
    said >= held.unwrap_or(&Effect::Deny)
}
