//! The built-in workspace server: an ordinary upstream, gated like any other. The tools check no permissions; the gate does.
pub mod address_guard;
pub mod anchors;
pub mod atomic;
pub mod capture;
pub mod command;
pub mod conversion;
pub mod database;
pub mod difference;
pub mod documents;
pub mod download;
pub mod ebook;
pub mod edit;
pub mod encoding;
pub mod fetch;
pub mod find;
pub mod hunks;
pub mod lines;
pub mod list;
pub mod matchers;
pub mod office;
pub mod outcome;
pub mod place;
pub mod process_group;
pub mod read;
pub mod replacing;
pub mod root_guard;
pub mod search;
pub mod server;
pub mod settings;
pub mod sheet;
pub mod sqlite;
pub mod text;
pub mod toolset;
pub mod walk;
pub mod web;
pub mod work;
pub mod write;

/// What the server calls itself, and what a gate calls it.
pub const NAME: &str = "callgate-workspace";

pub use server::{Workspace, serve};
pub use settings::{Settings, Tag};
