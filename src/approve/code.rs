//! Codes that a person types back, so that an answer is meant for the question it is given to.
use std::fs::File;
use std::io::{self, Read};

/// Letters and digits that are not mistaken for one another.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// Characters of a code.
const LENGTH: usize = 4;

/// A new code from the system's random numbers.
///
/// # Errors
/// When there are none.
pub fn fresh() -> io::Result<String> {
    let mut bytes = [0; LENGTH];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    // INVARIANT: 256 is a multiple of the alphabet's 32, so every code is equally likely.
    Ok(bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32))).copied().map(char::from).collect())
}
