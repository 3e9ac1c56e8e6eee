//! One finding, as data.

use std::ops::Range;

use kubemerge_yaml::YamlDocument;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingSeverity {
    /// Probably not meant, but the API server accepts it.
    Warning,
    /// The API server refuses it, or does something else than it says.
    Error,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The bytes of the key, or of the value where there is no key.
    pub range: Range<usize>,
    /// The field path, or what the place has to do with the finding.
    pub label: String,
}

impl Location {
    /// The key or value at a field path, or the nearest one on the way to it.
    #[must_use]
    pub fn of(document: &YamlDocument<'_>, path: &str) -> Location {
        let location = document.locate_nearest(path);
        // The key is shorter, and users search for it.
        let place = location.key.unwrap_or(location.value);
        Location { range: place.range(), label: path.to_owned() }
    }
}

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of the rule; that of the error where Kubernetes refuses a patch.
    pub rule: &'static str,
    /// How serious it is.
    pub severity: FindingSeverity,
    /// What is wrong.
    pub message: String,
    /// Why it matters.
    pub reason: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it is.
    pub location: Location,
    /// Other places that have to do with it.
    pub related: Vec<Location>,
}
