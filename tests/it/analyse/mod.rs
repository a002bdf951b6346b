//! What is found in arguments and in command lines.
mod discover_cases;
mod shell_cases;
mod shell_differential;
mod shell_properties;
