//! The built-in tables: facts about the API of every Kubernetes version in `releases.txt`, and of the
//! release that kustomize has built in.
//!
//! `cargo xtask schemas` writes the two files below from the documents of each release; equal types are
//! stored once for all versions. Nothing is read before a version is asked for.

mod decode;
#[cfg(feature = "generate")]
pub mod encode;
mod format;
#[cfg(feature = "generate")]
mod go_fields;
#[cfg(feature = "generate")]
mod numbering;

use serde_json::Value;

use crate::document::kubernetes_version;
use crate::error::{LoadError, LoadErrorKind};
use crate::model::Model;

pub use crate::releases::{NEWEST, NEWEST_MINOR, NEWEST_RELEASE, OLDEST};
pub use format::Release;

/// The strings of the tables, one a line.
const STRINGS: &str = include_str!("strings.txt");
/// Everything else; [`format`] describes it.
const TABLES: &[u8] = include_bytes!("tables.bin");

/// The releases with built-in tables, oldest first.
pub fn releases() -> Vec<Release> {
    let tables = decode::Tables::open(STRINGS, TABLES);
    tables.releases().filter(|release| release.version != KUSTOMIZE).collect()
}

/// The version of the built-in tables that go with documents: the one that is asked for, else that of the API server
/// which has written one of the documents (the last one, if there are tables for it), else the newest.
pub fn version_for<'d>(given: Option<&str>, documents: impl DoubleEndedIterator<Item = &'d Value>) -> String {
    if let Some(given) = given {
        return given.to_owned();
    }
    let written_by = documents.rev().find_map(kubernetes_version).map(|text| text.trim_start_matches('v'));
    let is_of = |release: &Release| {
        let rest = written_by.and_then(|text| text.strip_prefix(release.version));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    releases().into_iter().find(is_of).map_or(NEWEST, |release| release.version).to_owned()
}

/// The release whose types kustomize has built in. It is in the tables for that dialect alone.
const KUSTOMIZE: &str = "1.21";

/// The facts that kustomize has built in.
pub(crate) fn load_kustomize() -> Model {
    let tables = decode::Tables::open(STRINGS, TABLES);
    let place = tables.releases().position(|release| release.version == KUSTOMIZE);
    // A test loads the table, so it is there.
    place.map(|place| tables.load(place)).unwrap_or_default()
}

/// The facts of a version: `1.37`, `v1.37` or a patch release of it.
pub(crate) fn load(version: &str) -> Result<Model, LoadError> {
    let tables = decode::Tables::open(STRINGS, TABLES);
    // `kubectl version` prints a `v`.
    let wanted = version.strip_prefix('v').unwrap_or(version);
    let is_wanted = |release: &Release| {
        let rest = wanted.strip_prefix(release.version).filter(|_| release.version != KUSTOMIZE);
        // A patch release such as 1.37.2 has the rules of its minor version; 1.3 must not match 1.37.
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let place = tables.releases().enumerate().find(|(_, release)| is_wanted(release));
    if let Some((index, release)) = place {
        let minor = release.version.strip_prefix("1.").and_then(|minor| minor.parse().ok());
        let mut model = tables.load(index);
        model.minor = minor;
        Ok(model)
    } else {
        let message = format!("there are no built-in tables for Kubernetes {version:?}");
        Err(LoadError::new(LoadErrorKind::UnknownVersion, "", message))
    }
}
