//! Finds a type by any of the names that people use for it.

use super::{KindOf, Schema, Type};

/// Why a name leads to no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Nothing has the name.
    Unknown {
        /// The name.
        name: String,
    },
    /// Several kinds have the name.
    Ambiguous {
        /// The name.
        name: String,
        /// The kinds, each as `apiVersion/Kind`.
        candidates: Vec<String>,
    },
}

impl std::fmt::Display for NameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NameError::Unknown { name } => {
                write!(
                    f,
                    "no kind, resource or definition is called {name:?} (`schema kinds` lists the kinds)"
                )
            }
            NameError::Ambiguous { name, candidates } => {
                write!(f, "{name:?} may be {} (name one of them)", candidates.join(" or "))
            }
        }
    }
}

impl std::error::Error for NameError {}

impl Schema {
    /// Finds a type by `apps/v1/Deployment`, `Deployment`, `deployments`, `deploy` or a definition's name.
    ///
    /// A kind that one group has in several versions means the most stable, newest one.
    #[doc(hidden)]
    pub fn find(&self, name: &str) -> Result<Type<'_>, NameError> {
        if let Some((api_version, kind)) = name.rsplit_once('/')
            && let Some(ty) = self.type_of(api_version, kind)
        {
            return Ok(ty);
        }
        let candidates = self.kinds_called(name);
        match preferred(&candidates) {
            Some(one) => Ok(one.definition.ty()),
            None if candidates.is_empty() => self.definition(name).ok_or_else(|| unknown(name)),
            None => Err(ambiguous(name, &candidates)),
        }
    }

    fn kinds_called(&self, name: &str) -> Vec<KindOf<'_>> {
        let kinds = self.kinds();
        let exact: Vec<KindOf<'_>> = kinds.iter().filter(|kind| kind.kind == name).copied().collect();
        // Kinds before resources: `Event` is a kind, `events` a resource of two groups.
        if !exact.is_empty() {
            return exact;
        }
        let wanted = name.to_lowercase();
        let by_resource: Vec<[&str; 3]> = self
            .resources()
            .filter(|one| {
                one.plural() == wanted
                    || one.singular() == wanted
                    || one.short_names().any(|short| short == wanted)
            })
            .map(|one| [one.group(), one.version(), one.kind()])
            .collect();
        let mut found = kinds;
        found.retain(|kind| by_resource.contains(&[kind.group, kind.version, kind.kind]));
        found
    }
}

fn unknown(name: &str) -> NameError {
    NameError::Unknown { name: name.to_owned() }
}

fn ambiguous(name: &str, candidates: &[KindOf<'_>]) -> NameError {
    let candidates = candidates.iter().map(|kind| format!("{}/{}", kind.api_version(), kind.kind)).collect();
    NameError::Ambiguous { name: name.to_owned(), candidates }
}

/// The kind in the most stable, newest version, if all are of one group.
fn preferred<'s>(candidates: &[KindOf<'s>]) -> Option<KindOf<'s>> {
    let first = candidates.first()?;
    // Which group is meant cannot be guessed; versions of one group can.
    if candidates.iter().any(|kind| kind.group != first.group) {
        return None;
    }
    candidates.iter().copied().max_by_key(|kind| stability(kind.version))
}

/// Orders versions as Kubernetes does: `v2`, `v1`, `v2beta1`, `v1alpha1`, then anything else.
fn stability(version: &str) -> (u8, u32, u32) {
    let parse = |text: &str| text.parse().unwrap_or(0);
    // Names that follow no convention come last, as in kubectl.
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    if let Some((major, minor)) = rest.split_once("beta") {
        (2, parse(major), parse(minor))
    } else if let Some((major, minor)) = rest.split_once("alpha") {
        (1, parse(major), parse(minor))
    } else {
        (3, parse(rest), 0)
    }
}
