//! The search of one call: what it knows, and the mentions it has found so far.
use std::rc::Rc;

use serde_json::Value;

use crate::analyse::{Condition, Confidence, Discovered, Form, Mention, RoleNote, Unparsed};
use crate::policy::{Direction, Selector};

use super::DiscoveryInput;
use super::tool::Tool;

/// A JSON text found inside a string, still to be searched.
#[derive(Debug, Default)]
pub struct Opened {
    pub value: Value,
    /// The site of the string it stood in.
    pub pointer: String,
    /// The name of the argument it stood in.
    pub name: Rc<str>,
    /// How many texts deep it lies.
    pub nest: usize,
}

/// The search of one call.
#[derive(Debug)]
pub struct Search<'s> {
    pub input: &'s DiscoveryInput<'s>,
    pub tool: Tool,
    /// The project root as text.
    pub root: String,
    pub found: Discovered,
    /// JSON texts still to be searched.
    pub opened: Vec<Opened>,
    /// Whether no declaration tells the elements of one array apart.
    pub shares_roles: bool,
}

/// Where one string stands and what is known of it.
#[derive(Debug, Clone)]
pub struct ArgumentSite {
    /// JSON pointer into the arguments.
    pub argument: String,
    /// The nearest argument name.
    pub name: Rc<str>,
    /// Where its role comes from, in words.
    pub source: Rc<str>,
    /// How sure that role is.
    pub confidence: Confidence,
    /// Read or written.
    pub direction: Direction,
    /// Absolute directories that relative spellings start from: the root, then the call's own.
    pub bases: Rc<[String]>,
    /// Whether the value only names programs to run.
    pub runs: bool,
    /// How many JSON texts deep it lies.
    pub nest: usize,
}

impl<'s> Search<'s> {
    /// Begins the search of `input`.
    pub fn new(input: &'s DiscoveryInput<'s>) -> Self {
        Self {
            input,
            tool: Tool::of(input),
            root: input.surroundings.root.to_string_lossy().into_owned(),
            found: Discovered::default(),
            opened: Vec::new(),
            shares_roles: !tells_elements_apart(input),
        }
    }

    /// The home directory as text, `~` where it is not known.
    pub fn home(&self) -> String {
        self.input.surroundings.home.as_ref().map_or_else(|| "~".into(), |home| home.to_string_lossy().into_owned())
    }

    /// Adds a mention of `form`, spelled `raw` at `site`.
    pub fn mention(&mut self, site: &ArgumentSite, raw: &str, form: Form, condition: Condition) {
        let because = match site.confidence {
            Confidence::Expected => "declared by the caller for this call".to_owned(),
            _ if site.name.is_empty() => format!("a value that looks like a path ({})", site.source),
            _ => format!("argument `{}` ({})", site.name.escape_debug(), site.source),
        };
        self.found.mentions.push(Mention {
            argument: site.argument.clone(),
            raw: raw.to_owned(),
            form,
            direction: site.direction,
            confidence: site.confidence,
            condition,
            runs: site.runs,
            because,
        });
    }

    /// Notes that `raw` at `site` cannot be followed.
    pub fn unparsed(&mut self, site: &ArgumentSite, raw: &str, why: &str) {
        self.found.unparsed.push(Unparsed { argument: site.argument.clone(), raw: raw.to_owned(), why: why.to_owned() });
    }

    /// Notes the role of a string, when the caller wants to explain.
    pub fn note(&mut self, site: &ArgumentSite, text: &str, role: &str) {
        if self.input.explain {
            self.found.notes.push(RoleNote {
                argument: site.argument.clone(),
                text: text.to_owned(),
                role: role.to_owned(),
                source: site.source.to_string(),
                span: None,
            });
        }
    }
}

fn tells_elements_apart(input: &DiscoveryInput<'_>) -> bool {
    let is_index = |token: &str| token.parse::<usize>().is_ok();
    let by_rule = input.settings.roles.iter().any(|rule| match &rule.selector {
        Selector::Pointer(tokens) => tokens.iter().any(|token| is_index(token)),
        Selector::Name(_) => false,
    });
    let listed = input.definition.into_iter().flat_map(|definition| &definition.checkpaths);
    by_rule || listed.flat_map(|item| item.split('/')).any(is_index)
}
