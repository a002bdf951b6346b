//! What outlives a call.
mod grants;
