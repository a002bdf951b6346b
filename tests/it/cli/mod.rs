//! Subcommands, and the documents whose commands a reader runs.
mod examples;
mod explain;
mod lock;
mod readme;
mod refusal_text;
