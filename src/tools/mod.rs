//! The built-in workspace server: an ordinary upstream, gated like any other. The tools check no permissions; the gate does.
pub mod anchors;
pub mod atomic;
pub mod capture;
pub mod command;
pub mod difference;
pub mod edit;
pub mod find;
pub mod hunks;
pub mod lines;
pub mod list;
pub mod matchers;
pub mod outcome;
pub mod place;
pub mod process_group;
pub mod read;
pub mod replacing;
pub mod root_guard;
pub mod search;
pub mod server;
pub mod settings;
pub mod text;
pub mod toolset;
pub mod walk;
pub mod work;
pub mod write;

pub use server::{Workspace, serve};
pub use settings::{Settings, Tag};
