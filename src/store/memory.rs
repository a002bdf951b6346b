//! A store that lives as long as the process.
use std::collections::HashMap;
use std::time::Duration;

use crate::gate::{GrantStore, Key};
use crate::session::{Repeat, StoreRequest, Stored};

use super::Store;

/// All that is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    grants: GrantStore,
    denials: HashMap<Key, u8>,
    repeats: HashMap<Repeat, Lasting<GrantStore>>,
    used: HashMap<String, Lasting<()>>,
}

/// Something until a moment.
#[derive(Debug)]
struct Lasting<T> {
    what: T,
    until: Duration,
}

impl Memory {
    /// A store that holds what was kept by earlier processes.
    pub(super) fn of(grants: GrantStore) -> Self {
        Self { grants, ..Self::default() }
    }

    /// What was granted, for a session that begins: for the session, and for good.
    pub fn granted(&self) -> GrantStore {
        self.grants.clone()
    }

    fn forget_what_is_over(&mut self, now: Duration) {
        self.repeats.retain(|_, repeat| repeat.until > now);
        self.used.retain(|_, mark| mark.until > now);
    }
}

impl Store for Memory {
    fn carry_out(&mut self, request: StoreRequest, now: Duration) -> Option<Stored> {
        self.forget_what_is_over(now);
        match request {
            StoreRequest::Grant(grant) => self.grants.add(*grant),
            StoreRequest::TakeBack(place) => self.grants.take_back(&place),
            StoreRequest::Deny(key) => {
                let times = self.denials.entry(key.clone()).or_default();
                *times = times.saturating_add(1);
                return Some(Stored::Denied(key, *times));
            }
            StoreRequest::AllowRepeat { of, grants, lifetime } => {
                self.repeats.insert(of, Lasting { what: grants, until: now + lifetime });
            }
            StoreRequest::TakeRepeat(call, of) => {
                return Some(Stored::Repeat(call, self.repeats.remove(&of).map(|repeat| repeat.what)));
            }
            StoreRequest::Use(call, mark, lifetime) => {
                let before = self.used.insert(mark, Lasting { what: (), until: now + lifetime });
                return Some(Stored::Used(call, before.is_none()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Grant, Kind, Scope};
    use crate::session::CallId;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_mark_is_used_once_until_it_is_over() {
        let mut memory = Memory::default();
        let mut first = |mark: &str, now| match memory.carry_out(StoreRequest::Use(CallId::default(), mark.to_owned(), MINUTE), now) {
            Some(Stored::Used(_, first)) => first,
            other => panic!("{other:?}"),
        };
        assert!(first("a", Duration::ZERO));
        assert!(!first("a", Duration::from_secs(59)));
        assert!(first("b", Duration::from_secs(59)));
        assert!(first("a", Duration::from_secs(200)), "whoever seals sees to it that nothing outlives its mark");
    }

    #[test]
    fn what_was_allowed_late_is_taken_once_by_the_same_call_and_in_time() {
        let repeat = |digest: &str| Repeat { server: "s".to_owned(), tool: "t".to_owned(), digest: digest.to_owned(), scripts: None };
        let grants = GrantStore::from_iter([Grant::new(Key::Directory("/out".into()), vec![Kind::Outside], Scope::Once)]);
        let mut memory = Memory::default();
        let take = |memory: &mut Memory, digest: &str, now| match memory
            .carry_out(StoreRequest::TakeRepeat(CallId::default(), repeat(digest)), now)
        {
            Some(Stored::Repeat(_, grants)) => grants,
            other => panic!("{other:?}"),
        };
        let allow = |memory: &mut Memory, now| {
            memory.carry_out(StoreRequest::AllowRepeat { of: repeat("a"), grants: grants.clone(), lifetime: MINUTE }, now)
        };
        assert_eq!(allow(&mut memory, Duration::ZERO), None);
        assert_eq!(take(&mut memory, "b", Duration::ZERO), None);
        assert_eq!(take(&mut memory, "a", Duration::ZERO), Some(grants.clone()));
        assert_eq!(take(&mut memory, "a", Duration::ZERO), None);
        allow(&mut memory, Duration::ZERO);
        assert_eq!(take(&mut memory, "a", MINUTE), None);
    }

    #[test]
    fn denials_are_counted_by_key_and_a_grant_can_be_taken_back() {
        let mut memory = Memory::default();
        let (file, directory) = (Key::File("/x".into()), Key::Directory("/x".into()));
        for times in 1..3 {
            let counted = memory.carry_out(StoreRequest::Deny(file.clone()), Duration::ZERO);
            assert_eq!(counted, Some(Stored::Denied(file.clone(), times)));
        }
        assert_eq!(memory.carry_out(StoreRequest::Deny(directory.clone()), Duration::ZERO), Some(Stored::Denied(directory.clone(), 1)));
        let grant = Grant::new(directory, vec![Kind::Outside], Scope::Session);
        memory.carry_out(StoreRequest::Grant(Box::new(grant)), Duration::ZERO);
        assert!(!memory.granted().is_empty());
        memory.carry_out(StoreRequest::TakeBack("/x".into()), Duration::ZERO);
        assert!(memory.granted().is_empty());
    }
}
