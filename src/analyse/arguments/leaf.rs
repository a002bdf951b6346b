//! Walks the arguments iteratively and hands out every string and object key with its place and its names.
use serde_json::Value;

/// Most strings and keys that one call may hold before it counts as unparsed.
pub const MOST_LEAVES: usize = 200_000;
/// Most bytes of text that one call may hold before it counts as unparsed.
pub const MOST_BYTES: usize = 32 << 20;

/// One step from a container to what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'v> {
    /// The arguments as a whole.
    Top,
    /// A member of an object.
    Key(&'v str),
    /// An element of an array.
    Index(usize),
}

/// One value with the way to it.
#[derive(Debug, Clone, Copy)]
pub struct ValueNode<'v> {
    pub value: &'v Value,
    /// The container's position in [`Tree::nodes`]; the top is its own parent.
    pub parent: usize,
    pub step: Step<'v>,
}

/// All values of one call, parents before children. Index order is document order per level.
#[derive(Debug, Default)]
pub struct Tree<'v> {
    pub nodes: Vec<ValueNode<'v>>,
    /// Whether the call is larger than the budget, so that not all of it is here.
    pub overflow: bool,
}

impl<'v> Tree<'v> {
    /// Lays out `top` and everything below it, breadth first and without recursion.
    pub fn of(top: &'v Value) -> Self {
        let mut tree = Self { nodes: vec![ValueNode { value: top, parent: 0, step: Step::Top }], overflow: false };
        let (mut next, mut bytes) = (0, 0);
        while let Some(node) = tree.nodes.get(next).copied() {
            bytes += tree.spread(next, node.value);
            next += 1;
            if tree.nodes.len() > MOST_LEAVES || bytes > MOST_BYTES {
                tree.overflow = true;
                break;
            }
        }
        tree
    }

    fn spread(&mut self, parent: usize, value: &'v Value) -> usize {
        match value {
            Value::Array(items) => {
                let room = MOST_LEAVES.saturating_sub(self.nodes.len()) + 1;
                let nodes = items.iter().take(room).enumerate();
                self.nodes.extend(nodes.map(|(index, value)| ValueNode { value, parent, step: Step::Index(index) }));
                0
            }
            Value::Object(members) => {
                let nodes = members.iter().map(|(key, value)| ValueNode { value, parent, step: Step::Key(key) });
                self.nodes.extend(nodes);
                members.keys().map(String::len).sum()
            }
            Value::String(text) => text.len(),
            _ => 0,
        }
    }

    /// The node at `index`, the top if there is none.
    pub fn node(&self, index: usize) -> ValueNode<'v> {
        const NULL: &Value = &Value::Null;
        self.nodes.get(index).copied().unwrap_or(ValueNode { value: NULL, parent: 0, step: Step::Top })
    }

    /// The steps from the top to the node.
    pub fn steps(&self, mut index: usize) -> Vec<Step<'v>> {
        let mut steps = Vec::new();
        loop {
            let node = self.node(index);
            if node.step == Step::Top {
                break;
            }
            steps.push(node.step);
            index = node.parent;
        }
        steps.reverse();
        steps
    }

    /// The nearest member name at or above the node, and the node that bears it.
    pub fn name(&self, mut index: usize) -> Option<(&'v str, usize)> {
        loop {
            let node = self.node(index);
            match node.step {
                Step::Top => return None,
                Step::Key(key) => return Some((key, index)),
                Step::Index(_) => index = node.parent,
            }
        }
    }

    /// The node's JSON pointer (RFC 6901).
    pub fn pointer(&self, index: usize) -> String {
        let mut text = String::new();
        for step in self.steps(index) {
            text.push('/');
            match step {
                Step::Top => {}
                Step::Key(key) => escape(key, &mut text),
                Step::Index(at) => text.push_str(&at.to_string()),
            }
        }
        text
    }
}

fn escape(key: &str, text: &mut String) {
    for letter in key.chars() {
        match letter {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            other => text.push(other),
        }
    }
}
