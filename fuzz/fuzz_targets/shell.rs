//! Any text as a command line of each shell: it must neither panic nor hang, and one argument more must not remove a mention.
#![no_main]
use callgate::analyse::shell::{CommandAt, command};
use callgate::analyse::{Confidence, Scripts, Surroundings};
use callgate::policy::{Platform, Shell};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let surroundings = Surroundings {
        root: "/w/proj".into(),
        spelled_root: "/w/proj".into(),
        home: Some("/home/user".into()),
        allowed_directories: vec!["/w/proj".into()],
        allowed_files: Vec::new(),
        variables: Default::default(),
        platform: Platform::Linux,
        folds_case: false,
    };
    let directories = ["/w/proj".to_owned()];
    for shell in [Shell::Posix, Shell::Cmd, Shell::PowerShell] {
        let confidence = Confidence::Declared;
        let at = CommandAt { argument: "/command", directories: &directories, surroundings: &surroundings, scripts: &Scripts::default(), confidence, shell, explain: true };
        command(text, &at);
    }
    // A command before the text keeps what it touches, as long as the text is a command line at all.
    let at = CommandAt {
        argument: "/command",
        directories: &directories,
        surroundings: &surroundings,
        scripts: &Scripts::default(),
        confidence: Confidence::Declared,
        shell: Shell::Posix,
        explain: false,
    };
    let found = command(&format!("cat ../k\n{text}"), &at);
    assert!(!found.mentions.is_empty() || !found.unparsed.is_empty());
});
