//! The target of a patch in a kustomization: regular expressions of Go, each for a whole name, and selectors.

use kubemerge_kinds::label_selector::LabelSelector;
use kubemerge_schema::pattern;
use kubemerge_value::{Document, Node};
use regex::Regex;

use super::text;
use crate::load::Identity;

/// `target`.
pub(crate) struct PatchSelector {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Option<LabelSelector>,
    annotations: Option<LabelSelector>,
    /// What names a kind, if it has no wildcards.
    pub(crate) kinds: Identity,
}

/// Which values a field of a target allows.
enum Pattern {
    Any,
    Only(Regex),
    /// No regular expression, which kustomize refuses.
    None,
}

impl Pattern {
    fn read(target: Node<'_>, field: &str) -> Pattern {
        let Some(word) = text(target, field) else { return Pattern::Any };
        let whole = pattern::from_go(&format!("^(?:{word})$")).ok().and_then(|word| Regex::new(&word).ok());
        whole.map_or(Pattern::None, Pattern::Only)
    }

    fn allows(&self, value: &str) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Only(word) => word.is_match(value),
            Pattern::None => false,
        }
    }
}

impl PatchSelector {
    pub(super) fn read(target: Node<'_>) -> PatchSelector {
        let pattern = |field: &str| Pattern::read(target, field);
        let selector = |field: &str| LabelSelector::parse(&text(target, field)?).ok();
        let word = |field: &str| text(target, field).unwrap_or_default();
        let (group, version) = (word("group"), word("version"));
        let api_version = if group.is_empty() { version } else { format!("{group}/{version}") };
        PatchSelector {
            group: pattern("group"),
            version: pattern("version"),
            kind: pattern("kind"),
            name: pattern("name"),
            namespace: pattern("namespace"),
            labels: selector("labelSelector"),
            annotations: selector("annotationSelector"),
            kinds: Identity { api_version, kind: word("kind"), ..Identity::default() },
        }
    }

    /// Whether it selects an object.
    pub(crate) fn fits(&self, identity: &Identity, json: &[u8]) -> bool {
        let (group, version) = identity.group_and_version();
        self.group.allows(group)
            && self.version.allows(version)
            && self.kind.allows(&identity.kind)
            && self.name.allows(&identity.name)
            && self.namespace.allows(&identity.namespace)
            && self.selectors_fit(json)
    }

    fn selectors_fit(&self, json: &[u8]) -> bool {
        // Most targets have names only, and then the object need not be read.
        if self.labels.is_none() && self.annotations.is_none() {
            return true;
        }
        let Ok(object) = Document::check(json) else { return false };
        let metadata = object.node().get("metadata");
        let passes = |selector: &Option<LabelSelector>, field: &str| {
            let map = metadata.and_then(|metadata| metadata.get(field));
            let value = |key: &str| map?.get(key).and_then(Node::as_str).map(|text| text.text().into_owned());
            selector.as_ref().is_none_or(|selector| selector.matches(value))
        };
        passes(&self.labels, "labels") && passes(&self.annotations, "annotations")
    }
}
