use super::*;
use std::collections::BTreeMap;

use crate::policy::Platform;
use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    row: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    path: String,
    #[serde(default)]
    direction: Option<String>,
    want: String,
    #[serde(default)]
    rule: Option<String>,
}

fn direction(row: &Row) -> Direction {
    match row.direction.as_deref() {
        Some("write") => Direction::Write,
        Some("unknown") => Direction::Unknown,
        _ => Direction::Read,
    }
}

fn surroundings() -> Surroundings {
    Surroundings {
        root: "/home/.kube/proj".into(),
        spelled_root: "/link/proj".into(),
        home: Some("/home/u".into()),
        allowed_directories: vec!["/home/.kube/proj".into(), "/home/u/.claude/worktrees/w".into()],
        allowed_files: vec!["/home/.kube/proj/.env.mine".into()],
        variables: BTreeMap::new(),
        platform: Platform::Linux,
        folds_case: false,
    }
}

fn place(path: &str, spelled: &str) -> Place {
    Place { path: path.into(), spelled: spelled.into(), exists: true, is_directory: false, through_link: false, reaches_elsewhere: false }
}

fn word(found: Option<&Match>) -> &'static str {
    match found.map(|found| found.class) {
        Some(Class::Credential) => "credential",
        Some(Class::Control) => "control",
        None => "free",
    }
}

#[test]
fn follows_the_table() {
    let table: Table = toml::from_str(include_str!("../../../tests/cases/sensitive.toml")).unwrap();
    let sensitive = Sensitive::new(&[], &[]).unwrap();
    let mut wrong = Vec::new();
    for row in table.row {
        let found = match row.direction.as_deref() {
            Some("name") => sensitive.matching_name(&row.path, Direction::Read),
            Some("glob") => sensitive.glob_may_match(&row.path),
            _ => sensitive.of_place(&place(&absolute(&row.path), &absolute(&row.path)), &surroundings(), direction(&row)),
        };
        let rule_fits = row.rule.as_ref().is_none_or(|rule| found.as_ref().is_some_and(|found| found.rule == *rule));
        if word(found.as_ref()) != row.want || !rule_fits {
            wrong.push(format!(
                "{} ({}): {found:?}, not {} {:?}",
                row.path,
                row.direction.as_deref().unwrap_or("read"),
                row.want,
                row.rule
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn absolute(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("/home/u/{rest}"),
        None if path.starts_with('/') => path.to_owned(),
        None => format!("/home/.kube/proj/{path}"),
    }
}

#[test]
fn takes_the_stricter_of_spelled_and_resolved() {
    let sensitive = Sensitive::new(&[], &[]).unwrap();
    let both = surroundings();
    let rows = [
        ("/home/.kube/proj/.env", "/home/.kube/proj/cfg.txt", true),
        ("/home/.kube/proj/a.txt", "/home/.kube/proj/.env.link", true),
        ("/home/.kube/proj/a.txt", "/link/proj/a.txt", false),
        ("/home/.kube/proj/.env.mine", "/home/.kube/proj/.env.mine", false),
        ("/srv/.ssh/x", "/srv/.ssh/x", true),
        ("/home/u/.ssh/x", "/home/u/.ssh/x", true),
    ];
    for (path, spelled, wanted) in rows {
        assert_eq!(sensitive.of_place(&place(path, spelled), &both, Direction::Read).is_some(), wanted, "{path}");
    }
}

#[test]
fn a_permitted_directory_below_an_agents_own_is_no_control_file() {
    let sensitive = Sensitive::new(&[], &[]).unwrap();
    let found = |path: &str| sensitive.of_place(&place(path, path), &surroundings(), Direction::Write).map(|found| found.class);
    assert_eq!(found("/home/u/.claude/worktrees/w/src/a.rs"), None);
    assert_eq!(found("/home/u/.claude/settings.json"), Some(Class::Control));
    assert_eq!(found("/home/u/.claude/worktrees/w/.claude/x"), Some(Class::Control));
}

#[test]
fn the_gates_own_files_are_control_files_wherever_they_lie() {
    let mut sensitive = Sensitive::new(&[], &[]).unwrap();
    sensitive.guard("/home/.kube/proj/strict.conf".into());
    let found = |path: &str, direction| sensitive.of_place(&place(path, path), &surroundings(), direction).map(|found| found.class);
    assert_eq!(found("/home/.kube/proj/strict.conf", Direction::Write), Some(Class::Control));
    assert_eq!(found("/home/.kube/proj/strict.conf", Direction::Read), None);
    assert_eq!(found("/home/.kube/proj/other.conf", Direction::Write), None);
}

#[test]
fn the_user_adds_and_excepts() {
    let extra = [
        "*.secret".to_owned(),
        " private-* ".to_owned(),
        "conf/*.ini".to_owned(),
        "vaulted/".to_owned(),
        String::new(),
        "*.MINE".to_owned(),
    ];
    let sensitive = Sensitive::new(&extra, &[".env.ci".to_owned(), "certs/*.pem".to_owned(), "*.mine".to_owned()]).unwrap();
    for (path, wanted) in [
        ("my.secret", true),
        ("Private-key.txt", true),
        ("conf/app.ini", true),
        ("deep/conf/app.ini", true),
        ("conf/sub/app.ini", false),
        ("vaulted/a/b", true),
        (".env.ci", false),
        (".env", true),
        ("certs/a.pem", false),
        ("a.pem", true),
        ("x.mine", true),
    ] {
        assert_eq!(sensitive.matching(Path::new(path), Direction::Read).is_some(), wanted, "{path}");
    }
    let error = Sensitive::new(&["a[".to_owned()], &[]).unwrap_err();
    assert!(error.to_string().contains("`a[`"), "{error}");
}

proptest::proptest! {
    #[test]
    fn never_panics(path in ".{0,80}", spelled in "[a-z./~:*{},\\[\\]]{0,40}") {
        let sensitive = Sensitive::new(&[], &[]).unwrap();
        let _ = sensitive.of_place(&place(&path, &spelled), &surroundings(), Direction::Write);
        let _ = sensitive.matching_name(&path, Direction::Unknown);
        let _ = sensitive.glob_may_match(&spelled);
    }

    #[test]
    fn depth_and_case_never_free_a_name(above in "[a-z]{1,5}(/[a-z]{1,5}){0,3}", upper in proptest::bool::ANY) {
        let sensitive = Sensitive::new(&[], &[]).unwrap();
        for name in [".env", "id_rsa", "server.key5.pem", ".netrc", ".ssh/config"] {
            let path = format!("{above}/{name}");
            let path = if upper { path.to_uppercase() } else { path };
            let in_fixtures = above.contains("fixture");
            proptest::prop_assert!(in_fixtures || sensitive.matching(Path::new(&path), Direction::Read).is_some(), "{}", path);
        }
    }
}
