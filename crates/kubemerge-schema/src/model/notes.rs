//! What is worth knowing about given documents: what they replace, and what of them has no effect.

use std::collections::BTreeSet;

use super::{KindEntry, Model, Origin};

impl Model {
    /// What documents about built-in kinds change, and what they do not.
    pub(crate) fn replaced(&self) -> Option<String> {
        let built_in = self.built_in_kinds();
        let (first, others) = named(&self.described(|kind| built_in.contains(&kind)))?;
        let (who, merge, keep) = match others {
            0 => (first, "merges", "keeps"),
            1 => (format!("{first} and another built-in kind"), "merge", "keep"),
            more => (format!("{first} and {more} other built-in kinds"), "merge", "keep"),
        };
        // There are built-in kinds, so there is a version.
        let minor = self.minor.unwrap_or_default();
        let what = format!("the defaults and validation of Kubernetes 1.{minor}");
        Some(format!("{who} {merge} as the given document says, and {keep} {what}"))
    }

    /// Kinds of documents that no server can serve, and why.
    pub(crate) fn unserved(&self) -> Option<String> {
        let served: BTreeSet<[&str; 3]> = self
            .resources
            .iter()
            .map(|entry| [entry.kind, entry.group, entry.version].map(|part| self.text(part)))
            .collect();
        let built_in = self.built_in_kinds();
        let is_unserved = |kind: [&str; 3]| {
            !built_in.contains(&kind) && !served.contains(&kind) && !served.contains(&without_list(kind))
        };
        let (first, others) = named(&self.described(is_unserved))?;
        let who = match others {
            0 => format!("{first} is not served: no path"),
            more => format!("{first} and {more} more are not served: no paths"),
        };
        Some(format!(
            "{who} of the given document with x-kubernetes-action and x-kubernetes-group-version-kind"
        ))
    }

    /// The kinds of OpenAPI documents that a condition holds for, as `g.io/v1 Shape`.
    fn described(&self, holds: impl Fn([&str; 3]) -> bool) -> BTreeSet<String> {
        let is_given = |entry: &&KindEntry| self.definition(entry.definition).origin == Origin::OpenApi;
        let names = self.kinds.iter().filter(is_given).map(|entry| [entry.kind, entry.group, entry.version]);
        let names = names.map(|parts| parts.map(|part| self.text(part)));
        names.filter(|kind| holds(*kind)).map(word).collect()
    }
}

fn word([kind, group, version]: [&str; 3]) -> String {
    if group.is_empty() { format!("{version} {kind}") } else { format!("{group}/{version} {kind}") }
}

/// The kind whose objects a list has.
fn without_list([kind, group, version]: [&str; 3]) -> [&str; 3] {
    [kind.strip_suffix("List").unwrap_or(kind), group, version]
}

/// The first of some names, and how many others there are.
fn named(names: &BTreeSet<String>) -> Option<(String, usize)> {
    Some((names.first()?.clone(), names.len() - 1))
}
