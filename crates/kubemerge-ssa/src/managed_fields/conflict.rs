//! Conflicts: who owns what an apply would change.

use std::fmt::{self, Display, Formatter};

use super::entry::{ManagedFieldsEntry, ManagerId, Operation};
use super::find::Finder;
use crate::fieldpath::{Element, FieldPath};
use crate::value::{ParsedValue, go_quoted};

/// A field that another manager owns and an apply would change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ManagerConflict {
    /// Who owns it.
    pub owner: ManagerId,
    /// Its path, as messages print it.
    pub path: String,
    /// Its value in the live object, as JSON.
    pub live: Option<String>,
    /// Its value in the configuration, as JSON.
    pub config: Option<String>,
}

impl ManagerConflict {
    /// The message of the cause: `conflict with "m" using v1`.
    #[must_use]
    pub fn cause(&self) -> String {
        format!("conflict with {}", printed(&self.owner))
    }
}

/// All conflicts of an apply, sorted by owner. Never empty as an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts(pub Vec<ManagerConflict>);

impl Display for Conflicts {
    /// The message of the API server.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // One conflict fits a line; more are listed by manager.
        if let [conflict] = &self.0[..] {
            return write!(f, "Apply failed with 1 conflict: {}: {}", conflict.cause(), conflict.path);
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        for (place, same) in self.0.chunk_by(|one, two| one.owner == two.owner).enumerate() {
            let line = if place > 0 { "\n" } else { "" };
            let Some(first) = same.first() else { continue };
            write!(f, "{line}conflicts with {}:", printed(&first.owner))?;
            same.iter().try_for_each(|conflict| write!(f, "\n- {}", conflict.path))?;
        }
        Ok(())
    }
}

impl std::error::Error for Conflicts {}

/// A manager in messages: its name, subresource, and for updaters the version.
fn printed(id: &ManagerId) -> String {
    let mut text = go_quoted(&id.manager);
    if !id.subresource.is_empty() {
        text = format!("{text} with subresource {}", go_quoted(&id.subresource));
    }
    match id.operation {
        Operation::Update => format!("{text} using {}", id.api_version),
        Operation::Apply => text,
    }
}

/// A conflict with the values on both sides.
pub(super) fn conflict<'a>(
    owner: &ManagedFieldsEntry,
    path: &[Element<'_>],
    live: ParsedValue<'a>,
    config: ParsedValue<'a>,
    finder: &Finder,
) -> ManagerConflict {
    let json = |value: ParsedValue<'a>| {
        finder.value_at(value, path).map(|value| String::from_utf8_lossy(&value.to_json()).into_owned())
    };
    ManagerConflict {
        owner: owner.id(),
        path: FieldPath(path).to_string(),
        live: json(live),
        config: json(config),
    }
}
