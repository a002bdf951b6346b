//! The tree of a parsed command line: what the parser makes and the interpreter reads.
use std::cell::OnceCell;
use std::rc::Rc;

/// Byte range within the text that was parsed.
pub type Span = (usize, usize);

#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The commands, each with what joins it to the one before.
    pub items: Vec<Item>,
}

/// One pipeline and how it depends on the one before it.
#[derive(Debug, Clone)]
pub struct Item {
    /// What stands between it and its predecessor.
    pub joint: Joint,
    pub stages: Vec<Command>,
    /// Whether it runs beside what follows (`&`), so that it changes no state of the shell.
    pub background: bool,
}

/// The operator before a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// `;`, `&`, a new line or the beginning.
    Next,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// One stage of a pipeline.
#[derive(Debug, Clone)]
pub struct Command {
    pub node: Node,
    /// Its redirections, in order.
    pub redirections: Vec<Redirection>,
}

/// The kinds of command.
#[derive(Debug, Clone)]
pub enum Node {
    /// Assignments and words.
    Simple(Simple),
    /// `{ …; }`.
    Group(Script),
    /// `( … )`.
    Subshell(Script),
    /// `if`, with conditions and bodies in turn; the last may be an `else`.
    If(Vec<(Option<Script>, Script)>),
    /// `while` and `until`.
    While(Script, Script),
    /// `for` and `select`; no words means the positional parameters.
    For(String, Option<Vec<Word>>, Script),
    Case(Word, Vec<(Vec<Word>, Script)>),
    Function(String, Rc<Command>),
    /// `[[ … ]]`, its words without the operators.
    Test(Vec<Word>),
    /// `(( … ))` or the head of an arithmetic `for`; the word holds its substitutions.
    Arithmetic(Word, Option<Script>),
}

/// A command of words.
#[derive(Debug, Clone, Default)]
pub struct Simple {
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
}

/// `name=value`, `name+=value`, `name=(…)`.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable, without an index.
    pub name: String,
    /// Whether the value is appended.
    pub append: bool,
    /// The value, or the elements of an array.
    pub value: Value,
}

#[derive(Debug, Clone)]
pub enum Value {
    Word(Word),
    Array(Vec<Word>),
}

#[derive(Debug, Clone)]
pub struct Redirection {
    /// The descriptor that is redirected, if it is spelled.
    pub descriptor: Option<u32>,
    pub kind: Redirect,
}

/// The kinds of redirection.
#[derive(Debug, Clone)]
pub enum Redirect {
    /// `<`.
    Read(Word),
    /// `>`, `>>`, `>|`, `&>`, `&>>`.
    Write(Word),
    /// `<>`.
    Both(Word),
    /// `>&` and `<&`: a descriptor, or a file if the word is none.
    Duplicate(Word, bool),
    /// `<<<`.
    Text(Word),
    /// `<<`: the body, with its substitutions if they are expanded.
    Document(Rc<OnceCell<Word>>),
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub struct Word {
    pub pieces: Vec<Piece>,
    pub span: Span,
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Unquoted text: braces, tildes and globs in it are active.
    Text(String),
    /// Quoted or escaped text.
    Quoted(String),
    /// `$name`, `${…}`.
    Parameter(Box<Parameter>, bool),
    /// `$(…)` or backquotes; the flag says whether it stands in double quotes.
    Command(Rc<Script>, bool),
    /// `<(…)` or `>(…)`.
    Process(Rc<Script>),
    /// `$((…))`: the word holds its substitutions.
    Arithmetic(Word),
    /// `@(…)` and its like.
    ExtendedGlob,
}

#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name: a variable, a digit or a special character.
    pub name: String,
    /// Whether the name is that of a variable which holds the name (`${!x}`).
    pub indirect: bool,
    /// The operation on its value.
    pub operation: Operation,
}

/// What `${…}` does with the value.
#[derive(Debug, Clone)]
pub enum Operation {
    Plain,
    /// `#name`: the length.
    Length,
    /// `-`, `:-`, `=`, `:=`: a default; the flag says whether it is assigned.
    Default(Word, bool),
    /// `+`, `:+`.
    Alternative(Word),
    /// `?`, `:?`.
    Required(Word),
    /// `#`, `##`, `%`, `%%`: cuts a pattern; flags: from the end, longest.
    Cut(Word, bool, bool),
    /// `/a/b`, `:n:m`, `^`, `,`, `@Q`: computed in a way that is not followed; the words hold the substitutions, and the
    /// flag says whether the value may get characters that it did not have.
    Computed(Vec<Word>, bool),
    /// `@P`: the value is expanded like a prompt, so it runs what stands in it.
    Prompt,
}

impl Word {
    /// The text, if no part is computed.
    pub fn literal(&self) -> Option<String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) | Piece::Quoted(text) => out.push_str(text),
                _ => return None,
            }
        }
        Some(out)
    }
}
