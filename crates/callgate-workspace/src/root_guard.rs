//! The root guard: the tools do not run as the superuser unless the environment says so on purpose.

/// The variable that lifts the guard.
pub const VARIABLE: &str = "CALLGATE_ALLOW_ROOT_TOOLS";

/// Why the tools must not run in this process, or nothing.
pub fn refusal() -> Option<String> {
    judge(effective_user(), std::env::var(VARIABLE).ok().as_deref())
}

/// What is written to standard error at start when the tools run as the superuser on purpose.
pub fn warning() -> Option<String> {
    match (effective_user(), refusal()) {
        (Some(0), None) => Some(format!("warning: the tools run as the superuser because `{VARIABLE}` is set")),
        (_, Some(refusal)) => Some(format!("warning: {refusal}")),
        _ => None,
    }
}

fn judge(user: Option<u32>, value: Option<&str>) -> Option<String> {
    (user == Some(0) && !truthy(value.unwrap_or_default())).then(|| {
        format!("the tools refuse to run as the superuser: start the server as another user, or set `{VARIABLE}=1` if this is a throw-away machine")
    })
}

fn truthy(value: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&value.trim().to_lowercase().as_str())
}

#[cfg(unix)]
fn effective_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

/// Systems without numeric users have no superuser in this sense.
#[cfg(not(unix))]
fn effective_user() -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_superuser_without_the_variable_is_refused() {
        for value in ["1", "true", " YES ", "On"] {
            assert_eq!(judge(Some(0), Some(value)), None, "{value}");
        }
        for value in [None, Some(""), Some("0"), Some("no"), Some("2"), Some("truee")] {
            assert!(judge(Some(0), value).is_some_and(|text| text.contains(VARIABLE)), "{value:?}");
            assert_eq!(judge(Some(1000), value), None);
            assert_eq!(judge(None, value), None);
        }
    }
}
