//! Any bytes through the reader, with the checks that the mutation test makes.
#![no_main]

#[path = "../../tests/it/support/reader_checks.rs"]
mod reader;

libfuzzer_sys::fuzz_target!(|line: &[u8]| {
    reader::check(line);
});
