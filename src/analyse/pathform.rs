//! The path forms of Windows and macOS as plain functions, so that each can be tested on any machine.
use unicode_normalization::UnicodeNormalization as _;

use crate::policy::Platform;

/// What a spelled path is under a platform's rules. Texts are cleaned lexically: one kind of separator, no `.` or `..`, and on
/// Windows without stream suffixes and without the dots and blanks at a component's end, which that system drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathForm {
    /// A whole path: `/…`, `C:\…` or `\\server\share\…`.
    Absolute(String),
    /// Begins at the current directory.
    Relative(String),
    /// `\x`: begins at the root of whichever drive is current.
    RootRelative(String),
    /// `C:x`: begins at the current directory of that drive, which only the process knows.
    DriveRelative {
        /// The drive letter, upper case.
        drive: char,
        /// What follows the colon.
        rest: String,
    },
    /// A device: `CON`, `NUL`, `\\.\PhysicalDrive0`, `\\.\pipe\x`.
    Device(String),
    /// It cannot be known what it names, and why.
    Unresolvable(&'static str),
}

/// Reads a spelled path under the rules of `platform`.
pub fn parse(text: &str, platform: Platform) -> PathForm {
    match platform {
        Platform::Windows => windows(text),
        Platform::Linux | Platform::MacOs if text.starts_with('/') => PathForm::Absolute(format!("/{}", clean(text.split('/')).join("/"))),
        Platform::Linux | Platform::MacOs => PathForm::Relative(clean(text.split('/')).join("/")),
    }
}

/// The components of a path in the form in which they are compared: case folded if the volume folds, Unicode composed on macOS,
/// prefixes such as `\\?\` removed on Windows.
pub fn components(text: &str, folds: bool, platform: Platform) -> Vec<String> {
    let fold = |component: &str| normalise_for_compare(component, folds, platform);
    match (platform, parse(text, platform)) {
        (Platform::Windows, PathForm::Absolute(path) | PathForm::Relative(path) | PathForm::RootRelative(path)) => {
            let (prefix, rest) = if let Some(share) = path.strip_prefix("\\\\") { ("\\\\", share) } else { ("", path.as_str()) };
            std::iter::once(prefix).chain(rest.split('\\')).map(fold).collect()
        }
        (Platform::Windows, PathForm::DriveRelative { drive, rest }) => vec![fold(&format!("{drive}:{rest}"))],
        (Platform::Windows, PathForm::Device(name)) => vec!["\\\\.".to_owned(), fold(&name)],
        (Platform::Windows, PathForm::Unresolvable(_)) => vec![text.to_owned()],
        _ => text.split('/').filter(|component| !component.is_empty()).map(fold).collect(),
    }
}

/// One component as it is compared.
pub fn normalise_for_compare(component: &str, folds: bool, platform: Platform) -> String {
    let composed = |text: &str| if text.is_ascii() { text.to_owned() } else { text.nfc().collect::<String>() };
    match (platform, folds) {
        (Platform::Linux, false) => component.to_owned(),
        (Platform::Linux, true) => composed(&component.to_lowercase()),
        (Platform::MacOs, false) => composed(component),
        // Composed, folded and composed again, because folding can decompose
        (Platform::MacOs, true) => composed(&composed(component).to_lowercase()),
        (Platform::Windows, _) => component.to_lowercase(),
    }
}

/// The directory above `text`, or nothing for a root.
pub fn parent(text: &str, platform: Platform) -> Option<String> {
    if platform != Platform::Windows {
        return match text.trim_end_matches('/').rsplit_once('/') {
            Some(("", "")) | None => None,
            Some(("", _)) => Some("/".to_owned()),
            Some((above, _)) => Some(above.to_owned()),
        };
    }
    let (above, name) = text.trim_end_matches('\\').rsplit_once('\\')?;
    let is_share = above.strip_prefix("\\\\").is_some_and(|server| !server.contains('\\'));
    if name.is_empty() || is_share || above == "\\" {
        return None;
    }
    Some(if above.ends_with(':') { format!("{above}\\") } else { above.to_owned() })
}

/// A Windows path made whole against the root's drive and directory.
pub fn absolute(text: &str, root: &str, platform: Platform) -> PathForm {
    match parse(text, platform) {
        PathForm::Relative(rest) if platform == Platform::Windows => parse(&format!("{root}\\{rest}"), platform),
        PathForm::Relative(rest) => parse(&format!("{root}/{rest}"), platform),
        PathForm::RootRelative(rest) => match root.get(..2).filter(|drive| drive.ends_with(':')) {
            Some(drive) => parse(&format!("{drive}{rest}"), platform),
            None => PathForm::Unresolvable("it begins at the root of a drive that is not known"),
        },
        PathForm::DriveRelative { drive, rest } if root.chars().next().is_some_and(|own| own.eq_ignore_ascii_case(&drive)) => {
            parse(&format!("{root}\\{rest}"), platform)
        }
        PathForm::DriveRelative { .. } => PathForm::Unresolvable("it begins at the current directory of another drive"),
        other => other,
    }
}

fn clean<'text>(components: impl Iterator<Item = &'text str>) -> Vec<&'text str> {
    let mut kept = Vec::new();
    for component in components {
        match component {
            "" | "." => {}
            ".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    kept
}

fn windows(text: &str) -> PathForm {
    let text = text.replace('/', "\\");
    for verbatim in ["\\\\?\\UNC\\", "\\??\\UNC\\", "\\\\.\\UNC\\"] {
        if let Some(share) = strip_prefix_folded(&text, verbatim) {
            return unc(share);
        }
    }
    if let Some(rest) = text.strip_prefix("\\\\?\\").or_else(|| text.strip_prefix("\\??\\")) {
        return if drive(rest).is_some() { windows_drive(rest) } else { PathForm::Device(rest.to_owned()) };
    }
    if let Some(device) = text.strip_prefix("\\\\.\\") {
        return if drive(device).is_some_and(|(_, rest)| rest.starts_with('\\')) {
            windows_drive(device)
        } else {
            PathForm::Device(device.to_owned())
        };
    }
    match text.strip_prefix("\\\\") {
        Some(share) => unc(share),
        None => windows_drive(&text),
    }
}

fn unc(share: &str) -> PathForm {
    let mut parts = share.splitn(3, '\\');
    let (Some(server), Some(name)) = (parts.next(), parts.next()) else { return PathForm::Absolute(format!("\\\\{share}")) };
    match windows_components(parts.next().unwrap_or_default()) {
        Ok(rest) if rest.is_empty() => PathForm::Absolute(format!("\\\\{server}\\{name}")),
        Ok(rest) => PathForm::Absolute(format!("\\\\{server}\\{name}\\{}", rest.join("\\"))),
        Err(form) => form,
    }
}

fn windows_drive(text: &str) -> PathForm {
    let (letter, rest) = drive(text).map_or((None, text), |(letter, rest)| (Some(letter), rest));
    let components = match windows_components(rest) {
        Ok(components) => components.join("\\"),
        Err(form) => return form,
    };
    match (letter, rest.starts_with('\\')) {
        (Some(letter), true) => PathForm::Absolute(format!("{letter}:\\{components}")),
        (Some(drive), false) => PathForm::DriveRelative { drive, rest: components },
        (None, true) => PathForm::RootRelative(format!("\\{components}")),
        (None, false) => PathForm::Relative(relative(rest)),
    }
}

/// A relative path keeps its leading `..`, since what it climbs from is not known yet.
fn relative(rest: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for component in rest.split('\\') {
        match component {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => drop(kept.pop()),
            ".." => kept.push(".."),
            name => kept.push(trimmed(name)),
        }
    }
    kept.join("\\")
}

fn drive(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    let letter = characters.next().filter(char::is_ascii_alphabetic)?;
    let rest = characters.as_str().strip_prefix(':')?;
    Some((letter.to_ascii_uppercase(), rest))
}

fn windows_components(rest: &str) -> Result<Vec<&str>, PathForm> {
    let components = clean(rest.split('\\').map(trimmed));
    for component in &components {
        if is_device(component) {
            return Err(PathForm::Device((*component).to_owned()));
        }
        if is_short_name(component) {
            return Err(PathForm::Unresolvable("it holds a short (8.3) name, which only the volume can expand"));
        }
    }
    Ok(components)
}

/// A component as Windows takes it: the stream suffix cut, dots and blanks at the end dropped.
fn trimmed(component: &str) -> &str {
    let bare = component.trim_end_matches(' ');
    if bare.chars().all(|character| character == '.') {
        return if bare.len() > 2 { "" } else { bare };
    }
    component.split(':').next().unwrap_or_default().trim_end_matches(['.', ' '])
}

/// Device names count with any extension and in any directory (Win32 "Naming Files, Paths, and Namespaces").
fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$") {
        return true;
    }
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    number.is_some_and(|digit| matches!(digit.chars().next(), Some('0'..='9' | '¹' | '²' | '³')) && digit.chars().count() == 1)
}

/// `PROGRA~1`, `SSHDI~12.TXT`: a few characters, a tilde and a number.
fn is_short_name(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default();
    let Some((name, number)) = stem.rsplit_once('~') else { return false };
    let digits = (1..=6).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    digits && (1..=6).contains(&name.chars().count())
}

fn strip_prefix_folded<'text>(text: &'text str, prefix: &str) -> Option<&'text str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) { text.get(prefix.len()..) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute_text(text: &str) -> PathForm {
        PathForm::Absolute(text.to_owned())
    }

    #[test]
    fn reads_windows_forms() {
        let rows = [
            ("c:\\Users\\..\\x", absolute_text("C:\\x")),
            ("C:/a/b/", absolute_text("C:\\a\\b")),
            ("C:\\vault\\.env::$DATA", absolute_text("C:\\vault\\.env")),
            ("C:\\vault\\.env. . ", absolute_text("C:\\vault\\.env")),
            ("C:\\vault\\x:stream", absolute_text("C:\\vault\\x")),
            ("\\\\?\\C:\\a", absolute_text("C:\\a")),
            ("\\\\?\\UNC\\srv\\share\\x", absolute_text("\\\\srv\\share\\x")),
            ("//srv/share/a/../..", absolute_text("\\\\srv\\share")),
            ("C:x\\y", PathForm::DriveRelative { drive: 'C', rest: "x\\y".to_owned() }),
            ("\\x", PathForm::RootRelative("\\x".to_owned())),
            ("..\\x", PathForm::Relative("..\\x".to_owned())),
            ("C:\\a\\nul.txt", PathForm::Device("nul.txt".to_owned())),
            ("\\\\.\\PhysicalDrive0", PathForm::Device("PhysicalDrive0".to_owned())),
            ("C:\\a\\COM1", PathForm::Device("COM1".to_owned())),
        ];
        for (text, wanted) in rows {
            assert_eq!(parse(text, Platform::Windows), wanted, "{text}");
        }
        for text in ["C:\\PROGRA~1\\App", "C:\\Users\\u\\SSHDIR~12\\x"] {
            assert!(matches!(parse(text, Platform::Windows), PathForm::Unresolvable(_)), "{text}");
        }
        for text in ["C:\\a\\console", "C:\\a\\file~", "C:\\a\\thesis~draft1", "C:\\a\\COM10"] {
            assert!(matches!(parse(text, Platform::Windows), PathForm::Absolute(_)), "{text}");
        }
    }

    #[test]
    fn makes_windows_paths_whole() {
        let root = "C:\\proj";
        assert_eq!(absolute("a\\..\\..\\x", root, Platform::Windows), absolute_text("C:\\x"));
        assert_eq!(absolute("\\x", root, Platform::Windows), absolute_text("C:\\x"));
        assert_eq!(absolute("c:x", root, Platform::Windows), absolute_text("C:\\proj\\x"));
        assert!(matches!(absolute("D:x", root, Platform::Windows), PathForm::Unresolvable(_)));
    }

    #[test]
    fn knows_the_directory_above() {
        let rows = [
            ("C:\\a\\b", Some("C:\\a"), Platform::Windows),
            ("C:\\a", Some("C:\\"), Platform::Windows),
            ("C:\\", None, Platform::Windows),
            ("\\\\srv\\share", None, Platform::Windows),
            ("\\\\srv\\share\\x", Some("\\\\srv\\share"), Platform::Windows),
            ("/a/b", Some("/a"), Platform::Linux),
            ("/a", Some("/"), Platform::Linux),
            ("/", None, Platform::Linux),
        ];
        for (text, wanted, platform) in rows {
            assert_eq!(parent(text, platform).as_deref(), wanted, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in ".{0,60}", root in ".{0,20}") {
            for platform in [Platform::Windows, Platform::MacOs, Platform::Linux] {
                let _ = (absolute(&text, &root, platform), components(&text, true, platform), parent(&text, platform));
            }
        }
    }
}
