//! The digest that binds an approval to one call: method and parameters in a canonical spelling.
use std::borrow::Cow;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::events::{Event, Events, Text};
use super::text::{Piece, pieces, plain_into};

/// Members of `params` that do not belong to what is being asked for: bookkeeping, and the parts that differ on a retry.
pub(super) const APART: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// SHA-256, in lower-case hexadecimal, over the method and the admitted `params` without `_meta`, `inputResponses` and `requestState`.
///
/// Canonical means: members sorted by name, no blanks, strings with the fewest escapes. The text of numbers is kept, so `1` and `1.0`
/// differ: two servers may read them differently.
pub fn digest(method: &str, params: &[u8]) -> String {
    let mut hash = Sha256::new();
    let mut head = Vec::new();
    plain_into(&mut head, method.as_bytes());
    head.push(b'\n');
    hash.update(&head);
    tree(params).write(&mut hash);
    hex(&hash.finalize())
}

enum Node<'a> {
    Token(Range<usize>),
    Text(Text),
    Array(Vec<usize>),
    Object(Vec<(Cow<'a, [u8]>, usize)>),
}

struct Tree<'a> {
    json: &'a [u8],
    nodes: Vec<Node<'a>>,
    root: Option<usize>,
}

fn tree(json: &[u8]) -> Tree<'_> {
    let mut tree = Tree { json, nodes: Vec::new(), root: None };
    let mut open: Vec<usize> = Vec::new();
    let mut key = None;
    let mut events = Events::new(json, usize::MAX);
    while let Ok(Some(event)) = events.next() {
        let node = match event {
            Event::Key(text) => {
                key = Some(text);
                continue;
            }
            Event::ObjectEnd | Event::ArrayEnd => {
                open.pop();
                continue;
            }
            Event::ObjectStart => Node::Object(Vec::new()),
            Event::ArrayStart => Node::Array(Vec::new()),
            Event::String(text) => Node::Text(text),
            _ => Node::Token(events.range()),
        };
        let index = tree.add(node, open.last().copied(), key.take());
        if matches!(event, Event::ObjectStart | Event::ArrayStart) {
            open.push(index);
        }
    }
    tree
}

enum Step<'a> {
    Node(usize),
    Text(&'a [u8]),
}

impl<'a> Tree<'a> {
    /// Adds a node to its parent, unless it is one of the members kept apart.
    fn add(&mut self, node: Node<'a>, parent: Option<usize>, key: Option<Text>) -> usize {
        let index = self.nodes.len();
        self.nodes.push(node);
        let name = key.map(|key| canonical(key.of(self.json)));
        let Some(parent) = parent else {
            self.root = Some(index);
            return index;
        };
        let apart =
            self.root == Some(parent) && name.as_ref().is_some_and(|name| APART.iter().any(|apart| name.as_ref() == apart.as_bytes()));
        match (self.nodes.get_mut(parent), name) {
            (Some(Node::Object(members)), Some(name)) if !apart => members.push((name, index)),
            (Some(Node::Array(elements)), _) => elements.push(index),
            _ => {}
        }
        index
    }

    fn write(&mut self, hash: &mut Sha256) {
        for node in &mut self.nodes {
            if let Node::Object(members) = node {
                members.sort();
            }
        }
        let mut steps: Vec<Step<'_>> = self.root.map(Step::Node).into_iter().collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(text) => hash.update(text),
                Step::Node(index) => self.write_node(index, hash, &mut steps),
            }
        }
    }

    fn write_node<'t>(&'t self, index: usize, hash: &mut Sha256, steps: &mut Vec<Step<'t>>) {
        match self.nodes.get(index) {
            Some(Node::Token(range)) => hash.update(self.json.get(range.clone()).unwrap_or_default()),
            Some(Node::Text(text)) => {
                hash.update(b"\"");
                hash.update(canonical(text.of(self.json)));
                hash.update(b"\"");
            }
            Some(Node::Array(elements)) => {
                hash.update(b"[");
                steps.push(Step::Text(b"]"));
                for (at, element) in elements.iter().enumerate().rev() {
                    let comma: &[u8] = if at + 1 == elements.len() { b"" } else { b"," };
                    steps.extend([Step::Text(comma), Step::Node(*element)]);
                }
            }
            Some(Node::Object(members)) => {
                hash.update(b"{");
                steps.push(Step::Text(b"}"));
                for (at, (name, value)) in members.iter().enumerate().rev() {
                    let comma: &[u8] = if at + 1 == members.len() { b"" } else { b"," };
                    steps.extend([Step::Text(comma), Step::Node(*value), Step::Text(b"\":"), Step::Text(name), Step::Text(b"\"")]);
                }
            }
            None => {}
        }
    }
}

/// The inside of a string literal with the fewest escapes; a lone surrogate keeps one, in lower case.
fn canonical(inside: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', inside).is_none() {
        return Cow::Borrowed(inside);
    }
    let mut out = Vec::with_capacity(inside.len());
    pieces(inside, |piece| match piece {
        Piece::Plain(plain) => out.extend_from_slice(plain),
        Piece::Char(char) => plain_into(&mut out, char.encode_utf8(&mut [0; 4]).as_bytes()),
        Piece::Surrogate(unit) => out.extend(format!("\\u{unit:04x}").bytes()),
    });
    Cow::Owned(out)
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble & 15)).copied().unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
