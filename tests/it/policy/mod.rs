//! The policy text: its errors, its layers, its commands.
mod commands;
mod errors;
mod properties;
mod untrusted;
