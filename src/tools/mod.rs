//! The built-in workspace server: an ordinary upstream, gated like any other. The tools check no permissions; the gate does.
pub mod atomic;
pub mod capture;
pub mod command;
pub mod difference;
pub mod lines;
pub mod list;
pub mod outcome;
pub mod place;
pub mod process_group;
pub mod read;
pub mod root_guard;
pub mod server;
pub mod settings;
pub mod text;
pub mod toolset;
pub mod walk;
pub mod work;
pub mod write;

pub use server::{Workspace, serve};
pub use settings::{Settings, Tag};
