//! The grammar of a command line: text to tree. Knows no program and no state of a shell.
mod braces;
mod compound;
mod escapes;
mod parse;
mod redirection;
mod scan;
mod substitution;
mod syntax;

pub use braces::expand as expand_braces;
pub use escapes::{ansi as unescape_ansi, echo as unescape_echo};
pub use parse::{is_name, leading, parse};
pub use scan::{Fault, MOST_WORDS, document};
pub use syntax::{
    Assignment, Command, Item, Joint, Node, Operation, Parameter, Piece, Redirect, Redirection, Script, Simple, Span, Value, Word,
};
