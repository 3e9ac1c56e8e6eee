//! `metadata.generation`: when it is set and when it grows.

use crate::tree::Map;

/// When `metadata.generation` grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationRule {
    /// It is never set.
    Untracked,
    /// It is 1 and stays so.
    Fixed,
    /// When this field changes.
    Field(&'static str),
    /// When the spec or the annotations change.
    SpecOrAnnotations,
    /// When the labels, or anything outside of metadata, change.
    LabelsOrContent,
    /// When anything outside of metadata changes.
    Content,
    /// Starts at 0; grows when the spec changes.
    SpecFromZero,
}

/// Which form of an update is compared with the stored object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The object as it will be stored.
    Prepared,
    /// The object before the kind drops fields from it: what is dropped counts.
    Sent,
}

impl GenerationRule {
    /// The generation of a new object.
    pub fn first(self) -> Option<i64> {
        match self {
            GenerationRule::Untracked | GenerationRule::SpecFromZero => None,
            _ => Some(1),
        }
    }

    /// Whether an update counts.
    pub(crate) fn counts(self, new: &Map<'_>, old: &Map<'_>) -> bool {
        match self {
            GenerationRule::Untracked | GenerationRule::Fixed => false,
            GenerationRule::Field(name) => new.get(name) != old.get(name),
            GenerationRule::SpecFromZero => new.get("spec") != old.get("spec"),
            GenerationRule::SpecOrAnnotations => {
                new.get("spec") != old.get("spec")
                    || metadata(new, "annotations") != metadata(old, "annotations")
            }
            GenerationRule::LabelsOrContent => {
                metadata(new, "labels") != metadata(old, "labels") || has_other_content(new, old)
            }
            GenerationRule::Content => has_other_content(new, old),
        }
    }
}

/// A map of metadata; an empty one is the same as none.
fn metadata<'m, 'a>(object: &'m Map<'a>, name: &str) -> Option<&'m Map<'a>> {
    object.map("metadata").and_then(|metadata| metadata.map(name)).filter(|map| !map.is_empty())
}

fn has_other_content(new: &Map<'_>, old: &Map<'_>) -> bool {
    let differs =
        |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata") && new.get(name) != old.get(name);
    new.iter().chain(old.iter()).any(|(name, _)| differs(name))
}
