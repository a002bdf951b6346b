//! Expansion of a word to the fields a program receives: braces, tildes, parameters, substitutions, splitting.
use super::frames::Directory;
use super::interpreter::Interpreter;
use super::variables::Values;
use crate::analyse::shell::grammar::{Piece, Word, expand_braces, is_name};
use crate::analyse::shell::values::{Field, MARK, Stream, Unknown, is_glob};

/// Most values of one word that are kept side by side.
const MOST_VALUES: usize = 16;
/// Longest text of one field and most fields of one word; past either the word counts as computed.
const MOST_BYTES: usize = 256 * 1024;
const MOST_FIELDS: usize = 16 * 1024;

/// A word that is being put together: fields that are closed by splitting, and the one that is still open.
#[derive(Debug, Clone, Default)]
struct Builder {
    done: Vec<Field>,
    open: Option<Field>,
}

impl Builder {
    fn open(&mut self) -> &mut Field {
        self.open.get_or_insert_default()
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
    }

    fn append(&mut self, value: &[Field], quoted: bool, separators: &str) {
        let bytes: usize = value.iter().map(|field| field.text.len()).sum();
        let open = self.open.as_ref().map_or(0, |field| field.text.len());
        if open + bytes > MOST_BYTES || self.done.len() + value.len() > MOST_FIELDS {
            return self.open().push_unknown(Unknown::Computed);
        }
        for (at, field) in value.iter().enumerate() {
            if at > 0 {
                self.close();
            }
            if quoted || field.pattern.is_some() {
                self.open().push_field(field);
            } else {
                self.split(field, separators);
            }
        }
    }

    /// Appends an unquoted value: it is split and its metacharacters are active.
    fn split(&mut self, field: &Field, separators: &str) {
        let mut unknowns = field.unknowns.iter();
        for part in field.text.split_inclusive(|character| separators.contains(character)) {
            let text = part.trim_end_matches(|character| separators.contains(character));
            for (at, run) in text.split(MARK).enumerate() {
                if at > 0 {
                    let unknown = unknowns.next().cloned().unwrap_or(Unknown::Computed);
                    self.open().push_unknown(unknown);
                }
                if !run.is_empty() {
                    self.open().push_active(run);
                }
            }
            if text.len() < part.len() {
                self.close();
            }
        }
    }
}

impl Interpreter<'_> {
    /// The fields of a word, split.
    pub(super) fn word(&mut self, word: &Word) -> Vec<Field> {
        if self.sink.spend(1) {
            return Vec::new();
        }
        let Some(words) = expand_braces(word) else {
            let mut field = Field::unknown(Unknown::Computed);
            field.span = Some(word.span);
            self.sink.unparsed(&field, "a brace expansion makes too many words");
            return vec![field];
        };
        let single = words.len() == 1;
        let mut fields = Vec::new();
        for word in &words {
            if !single && self.sink.spend(1) {
                break;
            }
            fields.extend(self.pieces(word, true));
        }
        fields
    }

    /// The value of a word that is not split: of an assignment, a redirection, a `case`. Other possible values follow the first.
    pub(super) fn word_unsplit(&mut self, word: &Word) -> Vec<Field> {
        let mut fields = self.pieces(word, false);
        if fields.is_empty() {
            fields.push(Field { span: Some(word.span), ..Field::default() });
        }
        fields
    }

    fn pieces(&mut self, word: &Word, split: bool) -> Vec<Field> {
        let mut builders = vec![Builder::default()];
        let separators = self.state.variables.separators();
        for (at, piece) in word.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => self.active_text(text, at == 0, split, &mut builders),
                Piece::Quoted(text) => builders.iter_mut().for_each(|builder| builder.open().push_quoted(text)),
                Piece::ExtendedGlob => builders.iter_mut().for_each(|builder| builder.open().push_active("*")),
                Piece::Arithmetic(inner) => {
                    self.word_unsplit(inner);
                    builders.iter_mut().for_each(|builder| builder.open().push_unknown(Unknown::Token));
                }
                Piece::Process(script) => {
                    self.subshell(script, &Stream::None);
                    builders.iter_mut().for_each(|builder| builder.open().push_quoted("/dev/fd/63"));
                }
                Piece::Command(script, quoted) => {
                    let outer = std::mem::replace(&mut self.consumed, true);
                    let value = vec![vec![self.subshell(script, &Stream::None).field()]];
                    self.consumed = outer;
                    combine(&mut builders, &value, *quoted || !split, &separators);
                }
                Piece::Parameter(parameter, quoted) => {
                    let mut value = self.parameter(parameter);
                    if self.sink.in_script() && word.pieces.len() > 1 {
                        uncertain_if_empty(&mut value, &parameter.name);
                    }
                    self.sink.spend(value.iter().flatten().map(|field| 1 + field.text.len() / 64).sum());
                    combine(&mut builders, &value, *quoted || !split, &separators);
                }
            }
        }
        collect(builders, word)
    }

    fn active_text(&mut self, text: &str, first: bool, split: bool, builders: &mut [Builder]) {
        let mut rest = text;
        if first
            && split
            && let Some((name, value)) = text.split_once("=~").filter(|(name, _)| is_name(name))
        {
            // A word that looks like an assignment: bash expands the tilde behind its `=` too.
            builders.iter_mut().for_each(|builder| builder.open().push_quoted(&format!("{name}=")));
            let user = value.split(['/', ':']).next().unwrap_or_default();
            self.tilde(user, builders);
            let tail = value.get(user.len()..).unwrap_or_default();
            return builders.iter_mut().for_each(|builder| builder.open().push_active(tail));
        }
        if first && text.starts_with('~') {
            let name = text.get(1..).and_then(|rest| rest.split(['/', ':']).next()).unwrap_or_default();
            rest = text.get(1 + name.len()..).unwrap_or_default();
            self.tilde(name, builders);
        }
        // In an assignment a tilde counts after a colon too.
        let mut parts = rest.split(":~");
        builders
            .iter_mut()
            .for_each(|builder| builder.open().push_active(if split { rest } else { parts.clone().next().unwrap_or_default() }));
        if split {
            return;
        }
        parts.next();
        for part in parts {
            let name = part.split(['/', ':']).next().unwrap_or_default();
            builders.iter_mut().for_each(|builder| builder.open().push_quoted(":"));
            self.tilde(name, builders);
            let tail = part.get(name.len()..).unwrap_or_default();
            builders.iter_mut().for_each(|builder| builder.open().push_active(tail));
        }
    }

    /// What `~name` at the beginning of a word stands for.
    fn tilde(&mut self, name: &str, builders: &mut [Builder]) {
        let value = match name {
            "" => self.home(),
            "+" => self.here(),
            "-" => self.before(),
            user if is_user(user) => Field { of_user: true, ..Field::known(format!("~{user}")) },
            other => Field::known(format!("~{other}")),
        };
        for builder in builders {
            let open = builder.open();
            open.of_user |= value.of_user && open.text.is_empty();
            open.push_field(&value);
        }
    }

    fn home(&self) -> Field {
        self.first_value("HOME").unwrap_or_else(|| Field::unknown(Unknown::Environment("HOME".to_owned())))
    }

    fn here(&self) -> Field {
        self.state.frames.directories().first().map_or_else(|| Field::unknown(Unknown::Computed), Directory::field)
    }

    fn before(&self) -> Field {
        match self.state.frames.previous().first() {
            Some(directory) => directory.field(),
            None => Field::unknown(Unknown::Environment("OLDPWD".to_owned())),
        }
    }
}

/// In a script a variable that seems to be empty mostly is set by something that cannot be followed: what stands behind it is no path
/// of its own.
fn uncertain_if_empty(values: &mut Values, name: &str) {
    for value in values.iter_mut().filter(|value| value.iter().all(|field| field.text.is_empty())) {
        *value = vec![Field::unknown(Unknown::Environment(name.to_owned()))];
    }
}

/// Appends every value to every builder.
fn combine(builders: &mut Vec<Builder>, values: &Values, quoted: bool, separators: &str) {
    match values.as_slice() {
        [only] => builders.iter_mut().for_each(|builder| builder.append(only, quoted, separators)),
        several if builders.len() * several.len() <= MOST_VALUES => {
            let mut all = Vec::with_capacity(builders.len() * several.len());
            for value in several {
                for builder in builders.iter() {
                    let mut next = builder.clone();
                    next.append(value, quoted, separators);
                    all.push(next);
                }
            }
            *builders = all;
        }
        _ => builders.iter_mut().for_each(|builder| builder.open().push_unknown(Unknown::Computed)),
    }
}

fn collect(builders: Vec<Builder>, word: &Word) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut first_made_words = false;
    for (at, mut builder) in builders.into_iter().enumerate() {
        builder.close();
        first_made_words |= at == 0 && !builder.done.is_empty();
        for mut field in builder.done {
            field.span = Some(word.span);
            // Where the first value makes no word at all, the next is a word of its own, not another value of the word before.
            field.alternative = at > 0 && first_made_words;
            if field.pattern.as_deref().is_some_and(|pattern| !is_glob(pattern)) {
                field.pattern = None;
            }
            fields.push(field);
        }
    }
    fields
}

/// Whether `~name` names a user: `~5` and `~10%` do not.
fn is_user(name: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && name.bytes().all(valid)
}
