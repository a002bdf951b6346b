//! The tools of the built-in workspace server.
mod documents;
mod edit;
mod search;
mod server;
mod sqlite;
mod web;
