//! Whether a resolved path lies inside a permitted directory, and which directory an answer about an outside one is given for.
use std::path::{Path, PathBuf};

use crate::policy::Platform;

use super::key::Key;
use super::located::Place;
use crate::analyse::Surroundings;
use crate::analyse::pathform;

/// The permitted directory that holds `path` (or is it), compared by whole components; case and Unicode form are folded where
/// the volume folds them. Both sides must be resolved by the same function: gates were left through a root
/// that was spelled through a link.
pub fn inside<'permitted>(path: &Path, permitted: &'permitted [PathBuf], folds: bool, platform: Platform) -> Option<&'permitted Path> {
    if platform == Platform::Linux && !folds {
        return permitted.iter().map(PathBuf::as_path).find(|directory| path.starts_with(directory));
    }
    let path = pathform::components(&path.to_string_lossy(), folds, platform);
    let holds = |directory: &&Path| path.starts_with(&pathform::components(&directory.to_string_lossy(), folds, platform));
    permitted.iter().map(PathBuf::as_path).find(holds)
}

/// Whether `path` is one of the permitted single files.
pub fn is_listed_file(path: &Path, files: &[PathBuf], folds: bool, platform: Platform) -> bool {
    if platform == Platform::Linux && !folds {
        return files.iter().any(|file| file == path);
    }
    let path = pathform::components(&path.to_string_lossy(), folds, platform);
    files.iter().any(|file| pathform::components(&file.to_string_lossy(), folds, platform) == path)
}

/// Whether the place lies inside a permitted directory or is a permitted file.
pub fn is_permitted(path: &Path, surroundings: &Surroundings) -> bool {
    let Surroundings { folds_case, platform, .. } = *surroundings;
    inside(path, &surroundings.allowed_directories, folds_case, platform).is_some()
        || is_listed_file(path, &surroundings.allowed_files, folds_case, platform)
}

/// What an answer about an outside place is given for: the directory (the place itself if it is one, else its parent). `/`, the
/// home directory and what holds it are too wide for one answer, so those narrow to the exact path.
pub fn key(place: &Place, surroundings: &Surroundings) -> Key {
    if place.is_directory {
        return if too_wide(&place.path, surroundings) { Key::File(place.path.clone()) } else { Key::Directory(place.path.clone()) };
    }
    match parent(&place.path, surroundings.platform) {
        Some(parent) if !too_wide(&parent, surroundings) => Key::Directory(parent),
        _ => Key::File(place.path.clone()),
    }
}

/// Whether an answer of `key` covers `path`.
pub fn covers(key: &Key, path: &Path, surroundings: &Surroundings) -> bool {
    let Surroundings { folds_case, platform, .. } = *surroundings;
    match key {
        Key::Directory(directory) => inside(path, std::slice::from_ref(directory), folds_case, platform).is_some(),
        Key::File(file) => is_listed_file(path, std::slice::from_ref(file), folds_case, platform),
        Key::Call(_) => false,
    }
}

/// The devices that hold nothing of the user's: the null, zero and random devices and the process's own streams.
/// `spelled` is the path as spelled, because the streams are links into `/proc`.
pub fn is_free_device(spelled: &Path) -> bool {
    let Some(name) = spelled.to_str().and_then(|text| text.strip_prefix("/dev/")) else { return false };
    let stream = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    matches!(name, "null" | "zero" | "random" | "urandom" | "full" | "tty" | "stdin" | "stdout" | "stderr")
        || name.strip_prefix("fd/").is_some_and(stream)
}

fn too_wide(directory: &Path, surroundings: &Surroundings) -> bool {
    let Surroundings { folds_case, platform, .. } = *surroundings;
    let directory = directory.to_path_buf();
    let holds_home = |home: &PathBuf| inside(home, std::slice::from_ref(&directory), folds_case, platform).is_some();
    parent(&directory, platform).is_none() || surroundings.home.as_ref().is_some_and(holds_home)
}

fn parent(path: &Path, platform: Platform) -> Option<PathBuf> {
    match platform {
        Platform::Windows => pathform::parent(&path.to_string_lossy(), platform).map(PathBuf::from),
        Platform::Linux | Platform::MacOs => path.parent().map(Path::to_path_buf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn surroundings() -> Surroundings {
        Surroundings {
            root: "/home/u/proj".into(),
            spelled_root: "/home/u/proj".into(),
            home: Some("/home/u".into()),
            allowed_directories: vec!["/home/u/proj".into(), "/data".into()],
            allowed_files: vec!["/etc/hosts".into()],
            variables: BTreeMap::new(),
            platform: Platform::Linux,
            folds_case: false,
        }
    }

    fn place(path: &str, is_directory: bool) -> Place {
        Place { path: path.into(), spelled: path.into(), exists: true, is_directory, through_link: false, reaches_elsewhere: false }
    }

    #[test]
    fn compares_whole_components() {
        let rows = [
            ("/home/u/proj", true),
            ("/home/u/proj/a", true),
            ("/home/u/proj-secrets/a", false),
            ("/home/u/projx", false),
            ("/home/u", false),
            ("/", false),
            ("/data/x", true),
            ("/DATA/x", false),
            ("/etc/hosts", true),
            ("/etc/hosts/x", false),
        ];
        for (path, wanted) in rows {
            assert_eq!(is_permitted(Path::new(path), &surroundings()), wanted, "{path}");
        }
    }

    #[test]
    fn folds_where_the_volume_folds() {
        let permitted = [PathBuf::from("/Users/Ann/Übung")];
        let decomposed = Path::new("/users/ann/U\u{308}BUNG/x");
        assert!(inside(decomposed, &permitted, true, Platform::MacOs).is_some());
        let windows = [PathBuf::from("C:\\Users\\Ann\\proj")];
        for path in ["c:\\users\\ann\\PROJ\\a.txt", "C:/Users/Ann/proj", "\\\\?\\C:\\Users\\Ann\\proj\\x"] {
            assert!(inside(Path::new(path), &windows, true, Platform::Windows).is_some(), "{path}");
        }
        for path in ["C:\\Users\\Ann\\proj2", "D:\\Users\\Ann\\proj\\x", "\\\\srv\\Users\\Ann\\proj"] {
            assert!(inside(Path::new(path), &windows, true, Platform::Windows).is_none(), "{path}");
        }
    }

    #[test]
    fn keys_are_never_too_wide() {
        let rows = [
            ("/etc/passwd", false, Key::Directory("/etc".into())),
            ("/etc", true, Key::Directory("/etc".into())),
            ("/vmlinuz.missing", false, Key::File("/vmlinuz.missing".into())),
            ("/", true, Key::File("/".into())),
            ("/home/u", true, Key::File("/home/u".into())),
            ("/home/u/notes.txt", false, Key::File("/home/u/notes.txt".into())),
            ("/home/x", false, Key::File("/home/x".into())),
            ("/home/u/docs/a", false, Key::Directory("/home/u/docs".into())),
        ];
        for (path, is_directory, wanted) in rows {
            assert_eq!(key(&place(path, is_directory), &surroundings()), wanted, "{path}");
        }
    }

    #[test]
    fn only_harmless_devices_are_free() {
        for path in ["/dev/null", "/dev/stdin", "/dev/fd/3", "/dev/urandom"] {
            assert!(is_free_device(Path::new(path)), "{path}");
        }
        for path in ["/dev/sda", "/dev/fd/", "/dev/fd/x", "/dev/fd/3/../x", "/dev/nullx", "null"] {
            assert!(!is_free_device(Path::new(path)), "{path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn containment_is_the_component_prefix(parts in proptest::collection::vec("[a-c]{1,2}", 0..6), cut in 0usize..6, other in "[a-c]{1,2}") {
            let path: PathBuf = std::iter::once("/").chain(parts.iter().map(String::as_str)).collect();
            let directory: PathBuf = std::iter::once("/").chain(parts.iter().take(cut).map(String::as_str)).collect();
            proptest::prop_assert!(inside(&path, std::slice::from_ref(&directory), false, Platform::Linux).is_some());
            let aside = directory.join(&other);
            let wanted = parts.get(cut).is_some_and(|part| *part == other);
            for folds in [false, true] {
                proptest::prop_assert_eq!(inside(&path, std::slice::from_ref(&aside), folds, Platform::Linux).is_some(), wanted);
            }
        }
    }
}
