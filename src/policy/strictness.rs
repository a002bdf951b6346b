//! Whether what a text says of a key is as strict as what holds; equal always is.
use super::clients;
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

/// Whether `said` reaches a person by ways of `held` alone, in the same order, and nobody is passed over for the client's own form,
/// which a client may answer by itself.
pub(super) fn asks_as_well(said: &[Channel], held: &[Channel]) -> bool {
    let mut left = held.iter();
    let in_order = said.iter().all(|channel| left.any(|held| held == channel));
    let before_the_form = |channels: &[Channel]| channels.iter().position(|channel| *channel == Channel::Elicitation);
    in_order && before_the_form(said).is_none_or(|first| before_the_form(held) == Some(first))
}

/// Whether a question ends no later than it does now; without a time of its own, no later than for a client that nobody has met.
pub(super) fn closes_as_soon(said: &u64, held: Option<&u64>) -> bool {
    *said <= held.copied().unwrap_or_else(|| clients::question_time(None, false).as_secs())
}

pub(super) fn not_allowed(said: &Effect, _held: Option<&Effect>) -> bool {
    *said != Effect::Allow
}

/// A method of which nothing is said is judged by the gate; only a refusal is surely as strict as that.
pub(super) fn as_strict_as_denied(said: &Effect, held: Option<&Effect>) -> bool {
    said >= held.unwrap_or(&Effect::Deny)
}
