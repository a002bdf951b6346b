//! The grants file: what is kept, what it allows, and that a file others can change grants nothing.
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use callgate::gate::Key;
use callgate::store::grants::{Grant, Grants, GrantsError};

fn grant(key: &Key) -> Grant {
    Grant::new("npx files", "read_file", "d1", key).expect("a place")
}

fn directory(path: &str) -> Key {
    Key::Directory(path.into())
}

fn file(path: &str) -> Key {
    Key::File(path.into())
}

fn kept(keys: &[Key]) -> (tempfile::TempDir, Grants) {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut grants = Grants::load(&scratch.path().join("state/grants.toml")).expect("no file grants nothing");
    for key in keys {
        grants.add(grant(key)).expect("written");
    }
    (scratch, grants)
}

#[test]
fn what_is_kept_is_found_again() {
    let (scratch, grants) = kept(&[directory("/etc"), file("/p/.env")]);
    let path = scratch.path().join("state/grants.toml");
    let again = Grants::load(&path).expect("read back");
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
fn a_grant_is_for_its_server_tool_definition_and_place() {
    let (_scratch, grants) = kept(&[directory("/srv/data"), file("/p/.env")]);
    let table = [
        ("npx files", "read_file", "d1", directory("/srv/data"), true),
        ("npx files", "read_file", "d1", directory("/srv/data/deep"), true),
        ("npx files", "read_file", "d1", file("/p/.env"), true),
        ("npx files", "read_file", "d2", directory("/srv/data"), false),
        ("npx other", "read_file", "d1", directory("/srv/data"), false),
        ("npx files", "Read_file", "d1", directory("/srv/data"), false),
        ("npx files", "read_file", "d1", directory("/srv"), false),
        ("npx files", "read_file", "d1", directory("/srv/database"), false),
        ("npx files", "read_file", "d1", file("/srv/data/.env"), false),
        ("npx files", "read_file", "d1", directory("/p/.env"), false),
        ("npx files", "read_file", "d1", Key::Call("/srv/data".to_owned()), false),
    ];
    for (server, tool, definition, key, allowed) in table {
        assert_eq!(grants.allows(server, tool, definition, &key), allowed, "{server} {tool} {definition} {key:?}");
    }
}

#[test]
fn a_removed_grant_is_gone_and_others_stay() {
    let (scratch, mut grants) = kept(&[directory("/etc"), directory("/srv")]);
    assert!(grants.remove(&grant(&directory("/etc"))).expect("written"));
    assert!(!grants.remove(&grant(&directory("/etc"))).expect("written"));
    let again = Grants::load(&scratch.path().join("state/grants.toml")).expect("read back");
    assert_eq!(again.list(), [grant(&directory("/srv"))]);
}

#[test]
fn two_gates_do_not_lose_each_others_grants() {
    let (scratch, mut first) = kept(&[]);
    let mut second = Grants::load(&scratch.path().join("state/grants.toml")).expect("nothing yet");
    first.add(grant(&directory("/a"))).expect("written");
    second.add(grant(&directory("/b"))).expect("written");
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
        assert!(matches!(Grants::load(&path), Err(GrantsError::Form(..))), "`{text}`");
    }
    write(&path, "version = 1", 0o620);
    assert!(matches!(Grants::load(&path), Err(GrantsError::Open(_))));
    std::fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(scratch.path().join("elsewhere"), &path).expect("linked");
    write(&scratch.path().join("elsewhere"), "version = 1", 0o600);
    assert!(matches!(Grants::load(&path), Err(GrantsError::Unusable(..))));
}

#[test]
fn what_has_no_place_is_not_kept() {
    assert!(matches!(Grant::new("s", "t", "d", &Key::Call("rule".to_owned())), Err(GrantsError::NoPlace)));
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/a\xff");
    assert!(matches!(Grant::new("s", "t", "d", &Key::File(odd.into())), Err(GrantsError::NoPlace)));
}

#[test]
fn a_disk_that_takes_nothing_is_an_error_and_grants_nothing() {
    let mut grants = Grants::load(Path::new("/dev/full/grants.toml"))
        .unwrap_or_else(|_| Grants::load(Path::new("/proc/callgate/grants.toml")).expect("no file"));
    assert!(grants.add(grant(&directory("/etc"))).is_err());
    assert!(!grants.allows("npx files", "read_file", "d1", &directory("/etc")));
}

fn write(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("mode");
}
