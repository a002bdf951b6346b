//! Tests of the resolver on real trees; the table is `tests/cases/resolve.toml`.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::analyse::{Condition, Confidence, Form};
use crate::gate::Outcome;
use crate::policy::{Direction, Platform};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    tree: Vec<Node>,
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    dir: Option<String>,
    file: Option<String>,
    link: Option<String>,
    to: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    path: String,
    #[serde(default)]
    form: Option<String>,
    #[serde(default)]
    unless: Option<String>,
    #[serde(default)]
    condition: Option<String>,
    #[serde(default)]
    want: Option<Vec<String>>,
    /// Only that the wanted places are among those found.
    #[serde(default)]
    some: bool,
    #[serde(default)]
    unresolved: Option<String>,
    #[serde(default)]
    void: bool,
    #[serde(default)]
    exists: Option<bool>,
    #[serde(default)]
    directory: Option<bool>,
    #[serde(default)]
    link: Option<bool>,
}

struct Tree {
    base: tempfile::TempDir,
}

impl Tree {
    fn build(nodes: &[Node]) -> Self {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        for node in nodes {
            if let Some(name) = &node.dir {
                fs::create_dir_all(at(name)).unwrap();
            }
        }
        for node in nodes {
            if let Some(name) = &node.file {
                fs::write(at(name), "x\n").unwrap();
            }
            if let (Some(name), Some(target)) = (&node.link, &node.to) {
                symlink(target.replace("{}", &base.path().to_string_lossy()), at(name)).unwrap();
            }
        }
        Self { base }
    }

    fn fill(&self, text: &str) -> String {
        let text = text.replace("{}", &self.real().to_string_lossy());
        text.replace("{256}", &"a".repeat(256)).replace("{5000}", &vec!["a"; 2500].join("/"))
    }

    fn real(&self) -> PathBuf {
        self.base.path().canonicalize().unwrap()
    }

    fn surroundings(&self) -> Surroundings {
        let at = |name: &str| self.real().join(name);
        Surroundings {
            root: at("root"),
            spelled_root: at("root"),
            home: Some(at("home")),
            allowed_directories: vec![at("root"), at("extra")],
            allowed_files: Vec::new(),
            variables: BTreeMap::new(),
            platform: Platform::Linux,
            folds_case: false,
        }
    }
}

fn mention(form: Form, condition: Condition) -> Mention {
    Mention {
        argument: "/path".into(),
        raw: String::new(),
        form,
        direction: Direction::Read,
        confidence: Confidence::Declared,
        condition,
        runs: false,
        because: String::new(),
    }
}

fn mention_of(row: &Row, tree: &Tree) -> Mention {
    let path = tree.fill(&row.path);
    let condition = match row.condition.as_deref() {
        Some("exists") => Condition::Exists,
        Some("top") => Condition::FirstComponentExists,
        _ => Condition::Always,
    };
    let form = match row.form.as_deref() {
        Some("glob") => Form::Glob(path),
        Some("name") => Form::NameOnly(path),
        Some("unless") => Form::Unless { path, directory: tree.fill(row.unless.as_deref().unwrap()) },
        _ => Form::Path(path),
    };
    mention(form, condition)
}

fn fits(row: &Row, outcome: &Outcome, tree: &Tree) -> bool {
    match outcome {
        Outcome::Void => row.void,
        Outcome::Unresolved(why) => row.unresolved.as_ref().is_some_and(|part| why.contains(part)),
        Outcome::Places(places) => {
            let Some(want) = &row.want else { return false };
            let want: Vec<PathBuf> = want.iter().map(|path| PathBuf::from(tree.fill(path))).collect();
            let mut found: Vec<PathBuf> = places.iter().map(|place| place.path.clone()).collect();
            if row.form.as_deref() == Some("glob") && want.iter().all(|path| found.contains(path)) {
                found.clone_from(&want);
            }
            let first = places.first();
            let flag = |wanted: Option<bool>, got: Option<bool>| wanted.is_none_or(|wanted| got == Some(wanted));
            (found == want && (row.some || places.len() == want.len()))
                && flag(row.exists, first.map(|place| place.exists))
                && flag(row.directory, first.map(|place| place.is_directory))
                && (row.some || first.is_none_or(|place| place.through_link == row.link.unwrap_or(false)))
        }
    }
}

#[test]
fn follows_the_table() {
    let table: Table = toml::from_str(include_str!("../../tests/cases/resolve.toml")).unwrap();
    let tree = Tree::build(&table.tree);
    let mentions = table.row.iter().map(|row| mention_of(row, &tree)).collect();
    let located = locate(mentions, &tree.surroundings());
    let wrong: Vec<String> = (table.row.iter().zip(&located).filter(|(row, located)| !fits(row, &located.outcome, &tree)))
        .map(|(row, located)| format!("{}: {:?}", row.path, located.outcome))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn resolves_as_the_system_does() {
    let table: Table = toml::from_str(include_str!("../../tests/cases/resolve.toml")).unwrap();
    let tree = Tree::build(&table.tree);
    for row in table.row.iter().filter(|row| row.form.is_none() && row.path.starts_with("{}") && !row.path.contains('\0')) {
        let path = tree.fill(&row.path);
        if let Ok(real) = Path::new(&path).canonicalize() {
            assert_eq!(resolve_one(Path::new(&path), Path::new("/")).unwrap().path, real, "{path}");
        }
    }
}

fn options(tree: &Tree) -> SurroundingsOptions {
    let variables = BTreeMap::from([("HOME".to_owned(), tree.fill("{}/home")), ("TMPDIR".to_owned(), tree.fill("{}/extra"))]);
    SurroundingsOptions {
        root: Some(tree.fill("{}/root")),
        client_roots: Vec::new(),
        allow_directories: Vec::new(),
        allow_files: Vec::new(),
        working_directory: tree.real(),
        variables,
        platform: Platform::Linux,
    }
}

fn small_tree() -> Tree {
    let node = |name: &str| Node { dir: Some(name.to_owned()), file: None, link: None, to: None };
    let link = Node { dir: None, file: None, link: Some("root-link".to_owned()), to: Some("root".to_owned()) };
    Tree::build(&[node("root/sub"), node("home"), node("extra"), link])
}

#[test]
fn the_root_is_resolved_like_any_path() {
    let tree = small_tree();
    for (given, wanted) in [
        ("{}/root-link", "{}/root"),
        ("{}/root/sub/..", "{}/root"),
        ("root", "{}/root"),
        ("{}/gone", "{}/gone"),
        ("~", "{}/home"),
        ("/", "/"),
    ] {
        let found = surroundings(SurroundingsOptions { root: Some(tree.fill(given)), ..options(&tree) }).unwrap();
        assert_eq!(found.root, PathBuf::from(tree.fill(wanted)), "{given}");
        assert_eq!(found.allowed_directories, std::slice::from_ref(&found.root), "{given}");
    }
    let linked = surroundings(SurroundingsOptions { root: Some(tree.fill("{}/root-link")), ..options(&tree) }).unwrap();
    assert_eq!(linked.spelled_root, PathBuf::from(tree.fill("{}/root-link")));
    assert_eq!(linked.variables.get("PWD"), Some(&tree.fill("{}/root")));
}

#[test]
fn a_root_that_nobody_gave_is_never_the_home_directory_or_above() {
    let tree = small_tree();
    let auto = |directory: &str| {
        surroundings(SurroundingsOptions { root: None, working_directory: tree.fill(directory).into(), ..options(&tree) })
    };
    assert_eq!(auto("{}/root").unwrap().root, PathBuf::from(tree.fill("{}/root")));
    for directory in ["/", "{}", "{}/home"] {
        assert!(matches!(auto(directory), Err(SurroundingsError::TooWide { .. })), "{directory}");
    }
    let mut named = SurroundingsOptions { root: None, working_directory: tree.fill("{}/home").into(), ..options(&tree) };
    named.client_roots = vec![tree.fill("{}/extra")];
    assert_eq!(surroundings(named.clone()).unwrap().root, PathBuf::from(tree.fill("{}/extra")));
    named.variables.insert("CLAUDE_PROJECT_DIR".to_owned(), tree.fill("{}/root"));
    assert_eq!(surroundings(named).unwrap().root, PathBuf::from(tree.fill("{}/root")));
}

#[test]
fn permitted_paths_begin_where_they_were_written() {
    let tree = small_tree();
    let entry = |text: &str, base: RelativeTo| PermittedEntry { text: tree.fill(text), base };
    let allow = [
        entry("extra", RelativeTo::WorkingDirectory),
        entry("sub", RelativeTo::Root),
        entry("~/p", RelativeTo::Root),
        entry("$TMPDIR/x", RelativeTo::Root),
        entry("  ", RelativeTo::Root),
        entry("{}/extra/", RelativeTo::Root),
        entry("../root-link/sub", RelativeTo::Root),
    ];
    let found = surroundings(SurroundingsOptions { allow_directories: allow.to_vec(), ..options(&tree) }).unwrap();
    let wanted: Vec<PathBuf> =
        ["{}/root", "{}/extra", "{}/root/sub", "{}/home/p", "{}/extra/x"].iter().map(|path| PathBuf::from(tree.fill(path))).collect();
    assert_eq!(found.allowed_directories, wanted);
    let unknown =
        surroundings(SurroundingsOptions { allow_directories: vec![entry("$NOT_SET_XYZ/x", RelativeTo::Root)], ..options(&tree) });
    assert!(matches!(unknown, Err(SurroundingsError::Unknown { .. })));
}

#[test]
fn no_permission_to_look_is_never_silence() {
    if rustix::process::geteuid().is_root() {
        // The superuser may look everywhere, so there is nothing to see
        return;
    }
    use std::os::unix::fs::PermissionsExt as _;
    let tree = small_tree();
    let locked = tree.real().join("root/sub");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let inside = locate(vec![mention(Form::Path(tree.fill("{}/root/sub/x")), Condition::Always)], &tree.surroundings());
    assert!(matches!(inside.first().map(|located| &located.outcome), Some(Outcome::Unresolved(why)) if why.contains("permission")));
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_hard_link_to_a_dotfile_is_seen() {
    let tree = small_tree();
    let at = |name: &str| tree.real().join(name);
    fs::create_dir(at("home/.ssh")).unwrap();
    fs::write(at("home/.ssh/id_rsa"), "key").unwrap();
    fs::hard_link(at("home/.ssh/id_rsa"), at("root/notes.txt")).unwrap();
    fs::write(at("root/one"), "x").unwrap();
    fs::hard_link(at("root/one"), at("root/two")).unwrap();
    let paths =
        |name: &str| match locate(vec![mention(Form::Path(tree.fill(name)), Condition::Always)], &tree.surroundings()).remove(0).outcome {
            Outcome::Places(places) => places.into_iter().map(|place| place.path).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
    assert_eq!(paths("{}/root/notes.txt"), [at("root/notes.txt"), at("home/.ssh/id_rsa")]);
    assert_eq!(paths("{}/root/two"), [at("root/two"), at("root/one")]);
}

#[test]
fn a_hard_link_to_a_file_elsewhere_is_seen_but_not_in_a_package_store() {
    let tree = small_tree();
    let at = |name: &str| tree.real().join(name);
    fs::create_dir_all(at("elsewhere")).unwrap();
    fs::create_dir_all(at("root/node_modules/p")).unwrap();
    fs::write(at("elsewhere/x"), "x").unwrap();
    fs::hard_link(at("elsewhere/x"), at("root/linked")).unwrap();
    fs::hard_link(at("elsewhere/x"), at("root/node_modules/p/index.js")).unwrap();
    fs::write(at("root/one"), "x").unwrap();
    fs::hard_link(at("root/one"), at("root/two")).unwrap();
    let reaches = |name: &str, runs: bool| {
        let mention = Mention { runs, ..mention(Form::Path(tree.fill(name)), Condition::Always) };
        match locate(vec![mention], &tree.surroundings()).remove(0).outcome {
            Outcome::Places(places) => places.iter().any(|place| place.reaches_elsewhere),
            other => panic!("{other:?}"),
        }
    };
    assert!(reaches("{}/root/linked", false));
    for name in ["{}/root/node_modules/p/index.js", "{}/root/one", "{}/root/two"] {
        assert!(!reaches(name, false), "{name}");
    }
    assert!(!reaches("{}/root/linked", true), "a program that is only run");
}

#[test]
fn only_what_cannot_be_kept_waiting_is_looked_up_at_once() {
    let tree = small_tree();
    let root = tree.real().join("root");
    fs::create_dir(root.join("far")).unwrap();
    fs::write(root.join("file"), "x").unwrap();
    symlink("file", root.join("link")).unwrap();
    fs::hard_link(root.join("file"), root.join("second")).unwrap();
    fs::write(root.join("alone"), "x").unwrap();
    let table = format!("30 22 0:41 / {} rw - nfs4 server:/x rw\n", root.join("far").display());
    let mounts = std::sync::Arc::new(mounts::Mounts::from_table(&table).unwrap());
    let surroundings = tree.surroundings();
    let waits = |name: &str| {
        let mut finder = outcome::MentionLocator::new(&surroundings).at_once(std::sync::Arc::clone(&mounts));
        finder.outcome(&mention(Form::Path(format!("{}/{name}", root.display())), Condition::Always));
        finder.would_wait()
    };
    for plain in ["alone", "missing/below", "alone/below", "../root/alone", &"x".repeat(1_000)] {
        assert!(!waits(plain), "{plain}");
    }
    for slow in ["link", "far", "far/file", "far/../alone", "link/below", "second"] {
        assert!(waits(slow), "{slow}");
    }
    let one = |form: Form| outcomes_at_once(&[mention(form, Condition::Always)], &surroundings);
    let path = root.join("alone").to_str().unwrap().to_owned();
    let found = one(Form::Path(path.clone())).unwrap();
    assert_eq!(found, outcomes(&[mention(Form::Path(path), Condition::Always)], &surroundings));
    assert!(one(Form::Glob("*".into())).is_none() && one(Form::Path("~nobody/x".into())).is_none());
}

#[test]
fn windows_paths_are_read_by_their_own_rules_anywhere() {
    let surroundings =
        Surroundings { root: "C:\\vault".into(), platform: Platform::Windows, folds_case: true, ..small_tree().surroundings() };
    let outcome = |text: &str| locate(vec![mention(Form::Path(text.to_owned()), Condition::Always)], &surroundings).remove(0).outcome;
    let places = |text: &str| match outcome(text) {
        Outcome::Places(places) => places.into_iter().map(|place| place.path.to_string_lossy().into_owned()).collect::<Vec<_>>(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(places(".env::$DATA"), ["C:\\vault\\.env"]);
    assert_eq!(places("..\\x"), ["C:\\x"]);
    assert!(places("NUL").is_empty());
    for text in ["C:\\PROGRA~1\\x", "CON", "D:x", "\\\\.\\PhysicalDrive0"] {
        assert!(matches!(outcome(text), Outcome::Unresolved(_)), "{text}");
    }
}

proptest! {
    #[test]
    fn what_was_remembered_changes_nothing(paths in proptest::collection::vec("(/{1,3}(a|b|l|up|\\.\\.|\\.|x)){0,7}/?", 1..8)) {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir_all(base.path().join("a/a/b")).unwrap();
        fs::create_dir_all(base.path().join("b/a")).unwrap();
        symlink("../b", base.path().join("a/l")).unwrap();
        symlink("..", base.path().join("a/a/up")).unwrap();
        let mut walker = walk::Walker::new(PathBuf::from("/"), Vec::new());
        for path in paths {
            let path = format!("{}{path}", base.path().display());
            let alone = walk::Walker::new(PathBuf::from("/"), Vec::new()).resolve(&path);
            prop_assert_eq!(walker.resolve(&path), alone, "{}", path);
        }
    }

    #[test]
    fn never_panics(text in ".{0,60}", glob in "[a-z./*?\\[\\]{},~\\\\]{0,24}") {
        let tree = small_tree();
        let forms = [Form::Path(text.clone()), Form::Glob(format!("{}/root/{glob}", tree.real().display())), Form::Path(format!("/{text}"))];
        let mentions: Vec<Mention> = forms.into_iter().map(|form| mention(form, Condition::Always)).collect();
        prop_assert_eq!(locate(mentions, &tree.surroundings()).len(), 3);
    }

    #[test]
    fn a_walk_ends_where_the_system_ends(steps in proptest::collection::vec(prop::sample::select(vec!["a", "b", "l", "up", "..", ".", "new"]), 0..8)) {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        fs::create_dir_all(at("a/a/b")).unwrap();
        fs::create_dir_all(at("b/a")).unwrap();
        symlink("b/a", at("l")).unwrap();
        symlink("../b", at("a/l")).unwrap();
        symlink("..", at("a/a/up")).unwrap();
        let path = base.path().join(steps.join("/"));
        let resolved = resolve_one(&path, Path::new("/")).unwrap();
        prop_assert!(resolved.path.is_absolute());
        prop_assert!(!resolved.path.components().any(|part| part == std::path::Component::ParentDir));
        if let Ok(real) = path.canonicalize() {
            prop_assert_eq!(resolved.path, real);
        }
    }
}

#[test]
fn a_long_path_is_given_up_in_time() {
    let tree = small_tree();
    let tall = format!("{}/root/{}", tree.real().display(), "sub/../".repeat(50_000));
    let wide = format!("/{}", "a/../".repeat(50_000));
    let located = locate([tall, wide].map(|text| mention(Form::Path(text), Condition::Always)).to_vec(), &tree.surroundings());
    for found in located {
        assert!(matches!(&found.outcome, Outcome::Unresolved(why) if why.contains("more components")));
    }
}
