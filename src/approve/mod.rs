//! Channels that reach a person outside the protocol: the terminal, a helper program, and `callgate approve` over a socket.
pub mod attend;
mod code;
mod draw;
pub mod grants;
pub mod page;
pub mod paths;
pub mod program;
pub mod prompt;
mod round;
pub mod socket;
pub mod state;
pub mod terminal;
mod typed;
pub mod visit;
