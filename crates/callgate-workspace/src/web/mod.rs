//! The tools that fetch from the web, behind the address guard.
pub mod address_guard;
pub mod download;
pub mod encoding;
pub mod fetch;
pub mod page;
mod tools;
