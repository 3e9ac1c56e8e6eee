//! The rules of an overlay.

use std::collections::BTreeMap;

use serde_json::Value;

/// Rules that take the place of published ones.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Overlay {
    rules: Vec<OverlayRule>,
}

/// The field that a rule of an overlay is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverlayTarget {
    /// A field of a definition, which is named in full or by a unique last part.
    Definition {
        /// The definition.
        name: String,
        /// The field.
        field: String,
    },
    /// The field at a path of a kind such as `apps/v1/Deployment`.
    Kind {
        /// apiVersion and kind.
        kind: String,
        /// The path, e.g. `spec.strategy`.
        path: String,
    },
}

/// One rule of an overlay.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct OverlayRule {
    /// Which field.
    #[doc(hidden)]
    pub target: OverlayTarget,
    /// The key set; none keeps the published keys. An empty one is an error.
    pub keys: Option<Vec<String>>,
    /// The patch strategy; none keeps the published one, or means `merge` where there are keys.
    pub strategy: Option<String>,
    /// Values of keys that an item lacks, in place of the published defaults.
    pub defaults: BTreeMap<String, Value>,
    /// Whether a schema without the field is fine.
    #[doc(hidden)]
    pub presence: Presence,
}

/// Whether the field of an overlay's rule must exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Presence {
    /// Its absence is an error.
    #[default]
    Expected,
    /// Its absence is fine, as in a schema of another version.
    Optional,
}

impl OverlayRule {
    /// A rule for a field of a definition, without keys and strategy yet.
    pub fn definition(name: &str, field: &str) -> OverlayRule {
        OverlayRule::new(OverlayTarget::Definition { name: name.to_owned(), field: field.to_owned() })
    }

    /// A rule for the field at a path of a kind such as `apps/v1/Deployment`, without keys and strategy yet.
    pub fn kind(kind: &str, path: &str) -> OverlayRule {
        OverlayRule::new(OverlayTarget::Kind { kind: kind.to_owned(), path: path.to_owned() })
    }

    fn new(target: OverlayTarget) -> OverlayRule {
        OverlayRule {
            target,
            keys: None,
            strategy: None,
            defaults: BTreeMap::new(),
            presence: Presence::Expected,
        }
    }

    /// Sets the key set.
    pub fn keys<K: Into<String>>(self, keys: impl IntoIterator<Item = K>) -> OverlayRule {
        OverlayRule { keys: Some(keys.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the patch strategy.
    pub fn strategy(self, strategy: &str) -> OverlayRule {
        OverlayRule { strategy: Some(strategy.to_owned()), ..self }
    }

    /// Sets the value of a key that an item lacks.
    pub fn default(mut self, key: &str, value: Value) -> OverlayRule {
        self.defaults.insert(key.to_owned(), value);
        self
    }
}

impl Overlay {
    /// An overlay without rules.
    pub fn new() -> Overlay {
        Overlay::default()
    }

    /// Adds a rule.
    pub fn rule(mut self, rule: OverlayRule) -> Overlay {
        self.rules.push(rule);
        self
    }

    /// The rules that a condition holds for, and the others.
    #[doc(hidden)]
    pub fn split(&self, holds: impl Fn(&OverlayRule) -> bool) -> [Overlay; 2] {
        let (these, others) = self.rules.iter().cloned().partition(holds);
        [Overlay { rules: these }, Overlay { rules: others }]
    }

    /// Its rules, in the order in which they apply.
    #[doc(hidden)]
    pub fn rules(&self) -> &[OverlayRule] {
        &self.rules
    }
}

impl std::fmt::Display for OverlayTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OverlayTarget::Definition { name, field } => write!(f, "{name}.{field}"),
            OverlayTarget::Kind { kind, path } => write!(f, "{kind} {path}"),
        }
    }
}
