//! Putting the parts together: from options and the environment to a context that calls are judged in, a gate that runs, or our own client.
pub mod client;
pub mod executor;
pub mod gate;
pub mod judge_context;
pub mod lockfile;
pub mod options;
pub mod policy_files;
pub mod recorder;
pub mod server_command;
pub mod session_config;
pub mod text_file;
pub mod trusted_files;
