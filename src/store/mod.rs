//! What outlives a call: the user's grants, in files of the user's state directory.
pub mod grants;
pub mod state;
