//! Channels that reach a person outside the protocol: the terminal, a helper program, and `callgate approve` over a socket.
mod draw;
pub mod page;
pub mod program;
mod prompt;
pub mod terminal;
mod typed;
