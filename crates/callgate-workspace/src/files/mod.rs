//! The tools for the files of the workspace: reading, finding and changing them.
pub mod anchors;
pub mod difference;
pub mod edit;
pub mod find;
pub mod hunks;
pub mod indentation;
pub mod lines;
pub mod list;
pub mod matchers;
pub mod pattern;
pub mod read;
pub mod replacing;
pub mod search;
pub mod text;
mod tools;
pub mod walk;
pub mod write;
