//! Arrays of requests (2025-03-26 only): split into single messages, their replies collected into one array.
use std::collections::{HashMap, HashSet};

use bytes::{BufMut, Bytes, BytesMut};

use crate::wire::Id;

/// Batches whose replies are still coming in.
#[derive(Debug, Default)]
pub(super) struct Batches {
    open: HashMap<u64, Open>,
    of: HashMap<Id, u64>,
    next: u64,
}

#[derive(Debug, Default)]
struct Open {
    waiting: HashSet<Id>,
    replies: Vec<Bytes>,
}

impl Batches {
    /// Opens a batch of requests with these ids.
    pub fn open(&mut self, ids: Vec<Id>) {
        if ids.is_empty() {
            return;
        }
        self.next += 1;
        self.of.extend(ids.iter().map(|id| (id.clone(), self.next)));
        self.open.insert(self.next, Open { waiting: ids.into_iter().collect(), replies: Vec::new() });
    }

    /// Takes a reply. `None`: it belongs to no batch. `Some(None)`: kept. `Some(Some(array))`: the batch is complete.
    #[expect(clippy::option_option, reason = "the three outcomes are said in the line above")]
    pub fn collect(&mut self, id: &Id, reply: Bytes) -> Option<Option<Bytes>> {
        let number = self.of.remove(id)?;
        let open = self.open.get_mut(&number)?;
        open.waiting.remove(id);
        open.replies.push(reply);
        Some(self.close(number))
    }

    /// No reply will come for `id` (its call was cancelled). Returns the array if that completes the batch.
    pub fn forget(&mut self, id: &Id) -> Option<Bytes> {
        let number = self.of.remove(id)?;
        self.open.get_mut(&number)?.waiting.remove(id);
        self.close(number)
    }

    fn close(&mut self, number: u64) -> Option<Bytes> {
        if !self.open.get(&number)?.waiting.is_empty() {
            return None;
        }
        let done = self.open.remove(&number)?;
        (!done.replies.is_empty()).then(|| array(&done.replies))
    }
}

fn array(replies: &[Bytes]) -> Bytes {
    let mut line = BytesMut::with_capacity(replies.iter().map(|reply| reply.len() + 1).sum::<usize>() + 1);
    for (index, reply) in replies.iter().enumerate() {
        line.put_u8(if index == 0 { b'[' } else { b',' });
        line.put_slice(reply);
    }
    line.put_u8(b']');
    line.freeze()
}
