//! Channels that reach a person: the socket, the terminal, the helper program.
mod helper_program;
mod question_text;
mod socket;
mod terminal;
