//! The user's own patterns: `[sensitive] extra` and `except`, `CALLGATE_SENSITIVE_PATTERNS`.
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::view::View;
use super::{Class, Error, Match};

/// A set of the user's patterns; those without a slash look at the name, the others at the path.
#[derive(Debug, Clone)]
pub struct Own {
    names: GlobSet,
    name_rules: Vec<String>,
    paths: GlobSet,
    path_rules: Vec<String>,
}

impl Own {
    /// Compiles the patterns; blank ones are left out.
    ///
    /// # Errors
    /// When one is not a glob.
    pub fn new(patterns: &[String]) -> Result<Self, Error> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (mut name_rules, mut path_rules) = (Vec::new(), Vec::new());
        for pattern in patterns.iter().map(|pattern| pattern.trim()).filter(|pattern| !pattern.is_empty()) {
            let lower = pattern.to_lowercase();
            if !lower.contains('/') {
                names.add(glob(pattern, &lower)?);
                name_rules.push(pattern.to_owned());
                continue;
            }
            let bare = lower.trim_end_matches('/');
            let anywhere = if bare.starts_with(['/', '~']) || bare.starts_with("**/") { bare.to_owned() } else { format!("**/{bare}") };
            for variant in [anywhere.clone(), format!("{anywhere}/**")] {
                paths.add(glob(pattern, &variant)?);
                path_rules.push(pattern.to_owned());
            }
        }
        let built =
            |set: GlobSetBuilder| set.build().map_err(|error| Error::Pattern { pattern: patterns.join(", "), why: error.to_string() });
        Ok(Self { names: built(names)?, name_rules, paths: built(paths)?, path_rules })
    }

    /// The pattern that a path meets.
    pub fn matching(&self, view: &View) -> Option<Match> {
        let first = |set: &GlobSet, rules: &[String], text: &str| set.matches(text).first().and_then(|at| rules.get(*at)).cloned();
        let name = || first(&self.names, &self.name_rules, view.name().trim());
        let path = |text: &str| first(&self.paths, &self.path_rules, text);
        let in_home = || view.home().and_then(|text| path(&format!("~/{text}")));
        let in_whole = || view.rooted().and_then(|text| path(&format!("/{text}")));
        let rule = name().or_else(|| path(view.relative())).or_else(in_home).or_else(in_whole)?;
        Some(Match { class: Class::Credential, rule })
    }
}

fn glob(pattern: &str, variant: &str) -> Result<Glob, Error> {
    let built = GlobBuilder::new(variant).literal_separator(true).backslash_escape(true).build();
    built.map_err(|error| Error::Pattern { pattern: pattern.to_owned(), why: error.kind().to_string() })
}
