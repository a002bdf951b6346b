//! The grants file: what is kept, what it allows, and that a file others can change grants nothing.
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use callgate::gate::{Grant, Key, Kind, Scope, ToolVersion};
use callgate::store::grants::{GrantFile, GrantFileError};

fn grant(key: &Key) -> Grant {
    let (server, tool, definition) = ("npx files".to_owned(), "read_file".to_owned(), "d1".to_owned());
    Grant::always(ToolVersion { server, tool, definition }, key.clone())
}

fn directory(path: &str) -> Key {
    Key::Directory(path.into())
}

fn file(path: &str) -> Key {
    Key::File(path.into())
}

fn kept(keys: &[Key]) -> (tempfile::TempDir, GrantFile) {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut grants = GrantFile::load(&scratch.path().join("state/grants.toml")).expect("no file grants nothing");
    for key in keys {
        grants.add(&grant(key)).expect("written");
    }
    (scratch, grants)
}

#[test]
fn what_is_kept_is_found_again() {
    let (scratch, grants) = kept(&[directory("/etc"), file("/p/.env")]);
    let path = scratch.path().join("state/grants.toml");
    let again = GrantFile::load(&path).expect("read back");
    assert_eq!(again, grants);
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).expect("text");
    insta::assert_snapshot!("grants_file", text);
    assert_eq!(
        again.list()[0].rule(),
        "allow tool `read_file` of server `npx files` to reach `/etc` and all below it, as long as the tool's definition stays `d1`"
    );
}

#[test]
fn a_removed_grant_is_gone_and_others_stay() {
    let (scratch, mut grants) = kept(&[directory("/etc"), directory("/srv")]);
    assert!(grants.remove(&grant(&directory("/etc"))).expect("written"));
    assert!(!grants.remove(&grant(&directory("/etc"))).expect("written"));
    let again = GrantFile::load(&scratch.path().join("state/grants.toml")).expect("read back");
    assert_eq!(again.list(), [grant(&directory("/srv"))]);
}

#[test]
fn two_gates_do_not_lose_each_others_grants() {
    let (scratch, mut first) = kept(&[]);
    let mut second = GrantFile::load(&scratch.path().join("state/grants.toml")).expect("nothing yet");
    first.add(&grant(&directory("/a"))).expect("written");
    second.add(&grant(&directory("/b"))).expect("written");
    assert_eq!(second.list(), [grant(&directory("/a")), grant(&directory("/b"))]);
}

#[test]
fn a_file_that_is_not_understood_or_open_to_others_grants_nothing() {
    let scratch = tempfile::tempdir().expect("a directory");
    let path = scratch.path().join("grants.toml");
    let bad = [
        "version = 2",
        "version = 1\nextra = 1",
        "version = 1\n[[grant]]\nserver = 's'\ntool = 't'\ndefinition = 'd'",
        "version = 1\n[[grant]]\nserver = 's'\ntool = 't'\ndefinition = 'd'\ndirectory = 'etc'",
        "version = 1\n[[grant]]\nserver = 's'\ntool = 't'\ndefinition = 'd'\ndirectory = '/a'\nfile = '/b'",
        "version = 1\n[[grant]]\nserver = 's'\ntool = '*'\ndefinition = 'd'\ndirectory = '/a'\nany = true",
        "not toml",
    ];
    for text in bad {
        write(&path, text, 0o600);
        assert!(matches!(GrantFile::load(&path), Err(GrantFileError::Form(..))), "`{text}`");
    }
    write(&path, "version = 1", 0o620);
    assert!(matches!(GrantFile::load(&path), Err(GrantFileError::Open(_))));
    std::fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(scratch.path().join("elsewhere"), &path).expect("linked");
    write(&scratch.path().join("elsewhere"), "version = 1", 0o600);
    assert!(matches!(GrantFile::load(&path), Err(GrantFileError::Unusable(..))));
}

#[test]
fn what_has_no_place_or_does_not_hold_for_good_is_not_kept() {
    let (_scratch, mut grants) = kept(&[]);
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/a\xff");
    for key in [Key::Call("rule".to_owned()), Key::File(odd.into())] {
        assert!(matches!(grants.add(&grant(&key)), Err(GrantFileError::NoPlace)));
    }
    for scope in [Scope::Once, Scope::Session] {
        let grant = Grant::new(directory("/etc"), vec![Kind::Outside], scope);
        assert!(matches!(grants.add(&grant), Err(GrantFileError::NoPlace)));
    }
    assert!(grants.list().is_empty());
}

#[test]
fn a_disk_that_takes_nothing_is_an_error_and_grants_nothing() {
    let mut grants = GrantFile::load(Path::new("/dev/full/grants.toml"))
        .unwrap_or_else(|_| GrantFile::load(Path::new("/proc/callgate/grants.toml")).expect("no file"));
    assert!(grants.add(&grant(&directory("/etc"))).is_err());
    assert!(grants.list().is_empty());
}

fn write(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("mode");
}
