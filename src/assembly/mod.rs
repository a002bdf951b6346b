//! Putting the parts together: policy files, the context calls are judged in, the audit log, the lock file, our own client.
pub mod client;
pub mod judge_context;
pub mod listing;
pub mod load;
pub mod lockfile;
pub mod options;
pub mod recorder;
