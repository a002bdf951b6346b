//! The protocol state machine: without edges, and as a process between two ends of the test.
mod definitions;
mod forms;
mod hostile_client;
mod hostile_server;
mod modern_era;
mod order;
mod passing;
mod process;
mod properties;
mod question_batches;
mod questions_by_form;
mod scripts;
mod server_requests;
mod time_and_lateness;
