//! The pattern of a search, and what is said of one that cannot be searched for.
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::files::search::Arguments;

/// Size of a compiled expression.
const EXPRESSION: usize = 16 << 20;

/// What finds the lines that are wanted.
pub fn matcher(arguments: &Arguments) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(!arguments.case_sensitive).fixed_strings(arguments.literal).line_terminator(Some(b'\n'));
    builder.crlf(true).size_limit(EXPRESSION).dfa_size_limit(EXPRESSION);
    builder.build(&arguments.pattern).map_err(|error| explain(&error))
}

/// Why a pattern is not searched for, and what to do instead.
fn explain(error: &grep_regex::Error) -> String {
    let words = error.to_string();
    let words = words.trim();
    match error.kind() {
        ErrorKind::NotAllowed(_) | ErrorKind::Banned(_) => {
            "the pattern asks for a line end, and each line is matched by itself; search for what stands in one of the lines".to_owned()
        }
        _ if ["look-around", "backreferences"].iter().any(|syntax| words.contains(syntax)) => {
            format!("the pattern uses what this syntax does not have: {words}; leave it out, or use `grep -P` with run_command")
        }
        _ => format!("the pattern is no regular expression: {words}; escape it, or set `literal` to search for plain text"),
    }
}
