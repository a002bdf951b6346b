//! The policy text: its errors, its layers, its commands.
mod argument_names;
mod commands;
mod errors;
mod properties;
mod untrusted;
