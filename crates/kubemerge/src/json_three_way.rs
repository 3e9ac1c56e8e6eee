//! [`json_three_way`]: three-way merge patches for objects without a schema: what `kubectl apply` sends for custom resources.
//!
//! As Kubernetes does it: lists are replaced, and a number is what a 64-bit float makes of it.

use crate::{
    error::Error,
    merge_patch,
    object::Object,
    patch::{Patch, PatchType},
    three_way::Versions,
};
use kubemerge_strategic::{MergeErrorKind, Precondition, check_preconditions};
use kubemerge_value::{Arena, Kind, Node, Path, Scalar, Side, Str, deep, list, map};
use kubemerge_yaml::{self as yaml, KeyOrder, WriteOptions};

/// The merge patch that brings `current` to the wanted state, and removes what `original` had and `modified` has
/// no more.
///
/// ```
/// use kubemerge::{Precondition, Versions, json_three_way};
///
/// let versions = Versions {
///     original: r#"{"kind": "Tree", "height": 1, "old": true}"#,
///     modified: r#"{"kind": "Tree", "height": 2}"#,
///     current: r#"{"kind": "Tree", "height": 1, "old": true, "birds": 3}"#,
/// };
/// let patch = json_three_way(&versions, &[Precondition::Field("kind")])?;
/// assert_eq!(patch.to_string(), r#"{"height":2,"old":null}"#);
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// `conflict` if one side sets what the other removes, `precondition-failed` if the patch has a field that it
/// must not touch.
pub fn json_three_way<O: Object + ?Sized, M: Object + ?Sized, C: Object + ?Sized>(
    versions: &Versions<'_, O, M, C>,
    preconditions: &[Precondition<'_>],
) -> Result<Patch<'static>, Error> {
    let (sources, arena) = (versions.read()?, Arena::new());
    Patch::owned(PatchType::Merge, patch(&sources.nodes(), preconditions, &arena)?)
}

/// As [`json_three_way`], on nodes.
pub(crate) fn patch<'a>(
    versions: &kubemerge_strategic::VersionNodes<'a>,
    preconditions: &[Precondition<'_>],
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let walk = JsonWalk { arena };
    let nothing = || map([], arena);
    // Changes come from the live object, deletions from the last configuration: kubectl removes only what it
    // once set.
    let changes = walk.diff(versions.current, versions.modified);
    let changes = walk.filtered(changes, Keep::Values).unwrap_or_else(nothing);
    let deletions = walk.diff(versions.original, versions.modified);
    let deletions = walk.filtered(deletions, Keep::Nulls).unwrap_or_else(nothing);
    // A value to set where a deletion is due.
    if let Some(path) = walk.conflict(changes, deletions, &Path::ROOT) {
        return Err(conflict(path, changes, deletions).into());
    }
    let patch = merge_patch::apply(deletions, changes, arena);
    check_preconditions(patch, preconditions)?;
    Ok(patch)
}

fn conflict(path: String, changes: Node<'_>, deletions: Node<'_>) -> kubemerge_strategic::MergeError {
    let options = WriteOptions { key_order: KeyOrder::Sorted };
    let message = format!(
        "patch:\n{}\nconflicts with changes made from original to current:\n{}\n",
        yaml::write(changes, &options),
        yaml::write(deletions, &options),
    );
    kubemerge_strategic::MergeError::at(MergeErrorKind::Conflict, Side::Patch, path, message)
}

/// What is kept of a patch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Values,
    Nulls,
}

struct JsonWalk<'a> {
    arena: &'a Arena,
}

impl<'a> JsonWalk<'a> {
    /// The merge patch between two maps, nulls of the second one included.
    fn diff(&self, original: Node<'a>, modified: Node<'a>) -> Node<'a> {
        let (before, after) = (original.sorted_entries(), modified.sorted_entries());
        let mut before = before.into_iter().peekable();
        let mut members: Vec<(Str<'a>, Node<'a>)> = Vec::new();
        for entry in after {
            while let Some(gone) = before.next_if(|known| known.key < entry.key) {
                members.push((gone.key, Node::NULL));
            }
            let change = match before.next_if(|known| known.key == entry.key) {
                Some(known) => self.change(known.value, entry.value),
                None => Some(self.as_floats(entry.value)),
            };
            members.extend(change.map(|value| (entry.key, value)));
        }
        members.extend(before.map(|gone| (gone.key, Node::NULL)));
        map(members, self.arena)
    }

    fn change(&self, original: Node<'a>, modified: Node<'a>) -> Option<Node<'a>> {
        if (original.kind(), modified.kind()) == (Kind::Map, Kind::Map) {
            let patch = deep(|| self.diff(original, modified));
            return (!patch.is_empty()).then_some(patch);
        }
        // Lists are replaced as a whole: there are no keys without a schema.
        (!self.equal(original, modified)).then(|| self.as_floats(modified))
    }

    /// Whether two values are equal once their numbers are floats.
    fn equal(&self, one: Node<'a>, other: Node<'a>) -> bool {
        match (one.kind(), other.kind()) {
            _ if one.has_same_text(other) => true,
            (Kind::Map, Kind::Map) => {
                let (one, other) = (one.sorted_entries(), other.sorted_entries());
                one.len() == other.len()
                    && one.iter().zip(&other).all(|(one, other)| {
                        one.key == other.key && deep(|| self.equal(one.value, other.value))
                    })
            }
            (Kind::List, Kind::List) => {
                let (one, other) = (one.elements(self.arena), other.elements(self.arena));
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| deep(|| self.equal(*one, *other)))
            }
            _ => match (float(one), float(other)) {
                (Some(one), Some(other)) => one == other,
                _ => one.kind() == other.kind() && one.scalar() == other.scalar(),
            },
        }
    }

    // Upstream: numbers pass through 64-bit floats, so large integers lose digits.
    fn as_floats(&self, value: Node<'a>) -> Node<'a> {
        match value.kind() {
            Kind::Map => {
                let entries = value.entries(self.arena).iter();
                map(entries.map(|entry| (entry.key, deep(|| self.as_floats(entry.value)))), self.arena)
            }
            Kind::List => {
                let items = value.elements(self.arena).iter();
                list(items.map(|item| deep(|| self.as_floats(*item))), self.arena)
            }
            _ => float(value).map_or(value, number),
        }
    }

    /// The values or the nulls of a patch; `None` if nothing is left.
    fn filtered(&self, patch: Node<'a>, keep: Keep) -> Option<Node<'a>> {
        let mut members = Vec::new();
        for entry in patch.entries(self.arena) {
            let kept = match (entry.value.kind(), keep) {
                (Kind::Null, Keep::Nulls) => Some(entry.value),
                (Kind::Null, Keep::Values) => None,
                // A map that is empty in the diff itself is a value.
                (Kind::Map, _) if !entry.value.is_empty() => deep(|| self.filtered(entry.value, keep)),
                (_, Keep::Values) => Some(entry.value),
                (_, Keep::Nulls) => None,
            };
            members.extend(kept.map(|value| (entry.key, value)));
        }
        (!members.is_empty()).then(|| map(members, self.arena))
    }

    /// Where the two patches say different things.
    fn conflict(&self, one: Node<'a>, other: Node<'a>, path: &Path<'_>) -> Option<String> {
        match (one.kind(), other.kind()) {
            (Kind::Map, Kind::Map) => {
                let mut others = other.sorted_entries().into_iter().peekable();
                one.sorted_entries().iter().find_map(|entry| {
                    while others.next_if(|other| other.key < entry.key).is_some() {}
                    let other = others.next_if(|other| other.key == entry.key)?;
                    deep(|| self.conflict(entry.value, other.value, &path.field(entry.key)))
                })
            }
            _ => (!self.equal(one, other)).then(|| path.to_string()),
        }
    }
}

fn float(value: Node<'_>) -> Option<f64> {
    match value.scalar()? {
        Scalar::Int(int) => Some(int as f64),
        Scalar::Float(float) => Some(float),
        _ => None,
    }
}

/// A float as it reads once it was written: as an integer where it has no fraction.
fn number<'a>(float: f64) -> Node<'a> {
    let int = float as i64;
    // 2^63 itself is no 64-bit integer, though the cast saturates there.
    let fits = float.fract() == 0.0 && float >= i64::MIN as f64 && float < i64::MAX as f64;
    Node::scalar_node(if fits { Scalar::Int(int) } else { Scalar::Float(float) })
}
