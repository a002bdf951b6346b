//! What every judging subcommand needs before the first call: policy, surroundings, sensitive list.
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use crate::analyse::Surroundings;
use crate::gate::Sensitive;
use crate::locate::{PermittedEntry, RelativeTo, SurroundingsOptions, resolve_one, surroundings};
use crate::policy::{Access, Platform, Policy};
use crate::session::Locked;

use super::options::Options;

/// What calls to one server are judged by.
#[derive(Debug, Clone)]
pub struct JudgeContext {
    /// The effective policy of this run, options included.
    pub policy: Policy,
    /// The sensitive list with the user's additions.
    pub sensitive: Arc<Sensitive>,
    /// Where calls are made from.
    pub surroundings: Arc<Surroundings>,
    /// What the lock file says of the upstream's tools.
    pub locked: Locked,
    /// The server's name in policy, questions, audit and lock file.
    pub server: String,
}

impl JudgeContext {
    /// Prepares everything from the command line, the environment and the policy files, for this machine or for the path rules of
    /// another platform.
    ///
    /// # Errors
    /// A policy that is not understood, a root that permits everything, a directory that cannot be resolved.
    pub fn prepare(options: &Options, server: &str, platform: Option<Platform>) -> anyhow::Result<Self> {
        let mut places = SurroundingsOptions::from_environment()?;
        places.platform = platform.unwrap_or(places.platform);
        places.root.clone_from(&options.root);
        // The project's policy lies at the root, and says more about what is permitted: so the root comes first.
        let bare = surroundings(places.clone())?;
        let mut policy = super::policy_files::policy(options.policy.as_deref(), &bare.root)?;
        if let Some(access) = options.access {
            policy.set_access(access, "--access");
        }
        places.allow_directories = permitted(policy.allow_directories(), &options.allow_dir);
        places.allow_files = permitted(&[], &options.allow_file);
        if options.root.is_none() && policy.root().value != "auto" {
            places.root = Some(policy.root().value.clone());
        }
        let surroundings = Arc::new(surroundings(places)?);
        let sensitive = Sensitive::new(policy.sensitive_extra(), policy.sensitive_except()).context("the sensitive list is not usable")?;
        let locked = super::lockfile::locked(options.locked.as_ref(), &surroundings.root, server)?;
        let mut context = Self { policy, sensitive: Arc::new(sensitive), surroundings, locked, server: server.to_owned() };
        options.policy.iter().chain(options.locked.iter().flatten()).for_each(|file| context.guard(file));
        Ok(context)
    }

    /// Makes writing to `file`, by which this run lives, a matter to ask about.
    pub fn guard(&mut self, file: &Path) {
        let base = std::env::current_dir().unwrap_or_default();
        let resolved = resolve_one(file, &base).map_or_else(|_| base.join(file), |resolved| resolved.path);
        Arc::make_mut(&mut self.sensitive).guard(resolved);
    }

    /// Whether the server is sent absolute paths for relative ones.
    pub fn rewrites_relative(&self) -> bool {
        let server = self.policy.servers().find(|(name, _)| *name == self.server).map(|(_, server)| server);
        server.and_then(|server| server.rewrite_relative.as_ref()).is_some_and(|set| set.value)
    }

    /// The access level that holds for the server.
    pub fn access(&self) -> Access {
        self.policy.access(&self.server)
    }
}

fn permitted(by_policy: &[String], by_hand: &[String]) -> Vec<PermittedEntry> {
    let entry = |base| move |text: &String| PermittedEntry { text: text.clone(), base };
    by_policy.iter().map(entry(RelativeTo::Root)).chain(by_hand.iter().map(entry(RelativeTo::WorkingDirectory))).collect()
}
