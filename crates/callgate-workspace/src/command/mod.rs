//! The tool that runs a shell command.
pub mod capture;
pub mod process_group;
pub mod run;
mod tools;
