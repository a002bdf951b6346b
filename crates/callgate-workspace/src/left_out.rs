//! What this build is without: tools and formats whose cargo feature was not asked for.

/// The features, and whether this build has them.
const FEATURES: &[(&str, bool)] =
    &[("documents", cfg!(feature = "documents")), ("sqlite", cfg!(feature = "sqlite")), ("web", cfg!(feature = "web"))];
/// The tools that a feature brings.
const TOOLS: &[(&str, &[&str])] = &[("sqlite", &["sqlite_query", "sqlite_schema"]), ("web", &["download_file", "web_fetch"])];

/// Whether this build has a feature.
pub fn has(feature: &str) -> bool {
    FEATURES.iter().any(|(name, here)| *name == feature && *here)
}

/// The tools that this build is without, each with the feature that brings it.
pub fn tools() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.iter().filter(|(feature, _)| !has(feature)).flat_map(|(feature, tools)| tools.iter().map(|tool| (*tool, *feature)))
}

/// Why a call of this tool cannot be answered, if the build is without it.
pub fn refusal(tool: &str) -> Option<String> {
    let (name, feature) = tools().find(|(name, _)| *name == tool)?;
    Some(explain(&format!("`{name}` is"), feature))
}

/// One line on what is left out (`PDF is`) and how it is had.
pub fn explain(what: &str, feature: &str) -> String {
    format!("{what} left out of this build of callgate; the feature `{feature}` brings it: `cargo install --path . --features {feature}`")
}
