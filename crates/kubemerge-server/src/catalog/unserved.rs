//! What to say of a kind that is not served: the one that was probably meant, or what is missing.

use crate::{
    catalog::{Index, Resource},
    protocol::group_version::{api_version, split_api_version},
};

impl Index {
    /// Why a kind cannot be used, with the cure where one is known.
    pub(crate) fn unserved(&self, wanted_version: &str, kind: &str) -> String {
        let why = format!("no kind {kind:?} is served in {wanted_version:?}");
        if let Some(meant) = self.meant_kind(wanted_version, kind) {
            return format!("{why}; did you mean {meant:?}?");
        }
        let elsewhere: Vec<String> = self.versions_of(kind).map(|version| format!("{version:?}")).collect();
        if !elsewhere.is_empty() {
            return format!("{why}, but in {}", elsewhere.join(", "));
        }
        if self.may_grow(split_api_version(wanted_version).0) {
            return format!("{why}; a custom resource needs its definition");
        }
        why
    }

    /// Whether definitions can add kinds to a group: its name has a dot, and nothing in it is built in.
    pub(crate) fn may_grow(&self, group: &str) -> bool {
        let is_built_in = |resource: &Resource| resource.group == group && resource.custom().is_none();
        group.contains('.') && !self.each_preferred().any(|resource| is_built_in(resource))
    }

    /// The kind of the version that is called like this otherwise: `Configmap`, `configmaps`, `ConfigMpa`.
    fn meant_kind(&self, wanted_version: &str, kind: &str) -> Option<&str> {
        let (group, version) = split_api_version(wanted_version);
        let resources = || self.version(group, version).into_iter().flat_map(|resources| resources.values());
        let is_other_name = |one: &str| one.eq_ignore_ascii_case(kind);
        let by_name = resources().find(|one| is_other_name(&one.kind) || is_other_name(&one.plural));
        by_name.or_else(|| resources().find(|one| is_misspelt(kind, &one.kind))).map(|one| one.kind.as_str())
    }

    /// The versions that have a kind of this name.
    fn versions_of(&self, kind: &str) -> impl Iterator<Item = String> {
        self.groups().flat_map(move |group| {
            let having = group.versions.iter().filter(move |(_, resources)| {
                resources.values().any(|resource| resource.kind.eq_ignore_ascii_case(kind))
            });
            having.map(|(version, _)| api_version(&group.name, version))
        })
    }
}

/// Whether one letter is missing, added or another one, or two neighbours have changed places.
fn is_misspelt(word: &str, name: &str) -> bool {
    let (word, name) = (word.as_bytes(), name.as_bytes());
    let same_start = word.iter().zip(name).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let (word, name) =
        (word.get(same_start..).unwrap_or_default(), name.get(same_start..).unwrap_or_default());
    match (word, name) {
        ([a, b, word @ ..], [c, d, name @ ..]) if a == d && b == c => word.eq_ignore_ascii_case(name),
        _ => {
            let one_less = |rest: &[u8]| rest.get(1..).unwrap_or_default().to_vec();
            let (shorter_word, shorter_name) = (one_less(word), one_less(name));
            shorter_word.eq_ignore_ascii_case(&shorter_name)
                || shorter_word.eq_ignore_ascii_case(name)
                || word.eq_ignore_ascii_case(&shorter_name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_misspelt;

    #[test]
    fn one_slip_is_recognised() {
        for word in
            ["ConfigMpa", "ConfigMa", "ConfgMap", "ConfigMapp", "ConfigMop", "xConfigMap", "configmep"]
        {
            assert!(is_misspelt(word, "ConfigMap"), "{word}");
        }
        for word in ["", "Secret", "ConfigPam", "ConfiMa", "ConfigMapList"] {
            assert!(!is_misspelt(word, "ConfigMap"), "{word}");
        }
    }
}
