//! What is known of words after expansion and of the text in pipes, where not all of it is known.
mod field;
mod stream;

pub use field::{Field, MARK, Unknown, escaped, is_glob};
pub use stream::{Stream, unknown_of_field};
