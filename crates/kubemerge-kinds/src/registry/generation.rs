//! `metadata.generation`: when it is set and when it grows.

use crate::tree::{Map, Value, both_or_neither};

/// When `metadata.generation` grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationRule {
    /// It is never set.
    Untracked,
    /// It is 1 and stays so.
    Fixed,
    /// When this field changes.
    Field(&'static str),
    /// When this field changes; a list or map that is given without items is a change. Upstream: such kinds compare with
    /// `reflect.DeepEqual`, which tells an empty list from none.
    FieldAsGiven(&'static str),
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

    /// Counts an update if the rule says so. This is the only place that does.
    pub fn count(self, object: &mut Map<'_>, old: &Map<'_>) {
        if self.counts(object, old) {
            let metadata = old.map("metadata");
            let generation = metadata.and_then(|metadata| metadata.int("generation")).unwrap_or_default();
            object.ensure_map("metadata").set("generation", generation.saturating_add(1));
        }
    }

    /// Whether an update counts.
    fn counts(self, new: &Map<'_>, old: &Map<'_>) -> bool {
        match self {
            GenerationRule::Untracked | GenerationRule::Fixed => false,
            GenerationRule::Field(name) => !new.same_field_in_go(old, name),
            GenerationRule::FieldAsGiven(name) => {
                !new.same_field_in_go(old, name) || new.get_raw(name).is_some_and(Value::has_given_empty)
            }
            GenerationRule::SpecFromZero => !new.same_field_in_go(old, "spec"),
            GenerationRule::SpecOrAnnotations => {
                !new.same_field_in_go(old, "spec") || has_other_metadata(new, old, "annotations")
            }
            GenerationRule::LabelsOrContent => {
                has_other_metadata(new, old, "labels")
                    || has_other_content(new, old, |new, old, name| new.same_field_in_go(old, name))
            }
            GenerationRule::Content => {
                has_other_content(new, old, |new, old, name| new.same_field_json(old, name))
            }
        }
    }
}

/// A map of metadata; an empty one is the same as none.
fn metadata<'m, 'a>(object: &'m Map<'a>, name: &str) -> Option<&'m Map<'a>> {
    object.map("metadata").and_then(|metadata| metadata.map(name)).filter(|map| !map.is_empty())
}

fn has_other_metadata(new: &Map<'_>, old: &Map<'_>, name: &str) -> bool {
    !both_or_neither(metadata(new, name), metadata(old, name), Map::same_in_go)
}

/// Whether anything outside of metadata differs. What Go leaves out makes no difference for its own kinds only.
fn has_other_content(new: &Map<'_>, old: &Map<'_>, is_same: fn(&Map<'_>, &Map<'_>, &str) -> bool) -> bool {
    let is_content = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
    new.iter().chain(old.iter()).any(|(name, _)| is_content(name) && !is_same(new, old, name))
}
