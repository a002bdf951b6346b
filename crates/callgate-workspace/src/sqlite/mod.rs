//! The tools that read SQLite databases.
pub mod database;
pub mod tables;
mod tools;

pub use rusqlite;
