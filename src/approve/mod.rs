//! Channels that reach a person outside the protocol: the terminal, a helper program, and `callgate approve` over a socket.
pub mod attend;
mod code;
mod draw;
pub mod gate_connection;
pub mod paths;
pub mod program;
pub mod prompt;
pub mod question_view;
mod round;
pub mod socket;
pub mod terminal;
mod typed;
