//! The policy parser on any bytes: read or refused with a place, never a panic; what it reads is shown and read back.
#![no_main]
use callgate::policy::{Trust, Text, load, show};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &str| {
    let text = |name: &str, text: &str, trust| Text { name: name.to_owned(), text: text.to_owned(), trust };
    match load(&[text("trusted.toml", body, Trust::Trusted)]) {
        Ok(policy) => {
            let shown = show(&policy);
            assert!(load(&[text("shown.toml", &shown, Trust::Trusted)]).is_ok(), "{shown}");
        }
        Err(error) => assert!(error.problems.iter().all(|problem| problem.line > 0 && !problem.hint.is_empty())),
    }
    let _ = load(&[text("untrusted.toml", body, Trust::Untrusted)]);
});
