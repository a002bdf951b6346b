//! One line of bytes and one message.
mod call;
mod differential;
mod fidelity;
mod properties;
mod server_lines;
mod smuggling;
