//! Upstream's conflict test. It sorts atomic lists of scalars in place, so that the test changes the
//! patch; the walk answers with the changed value.

use super::{PatchConflict, Sides, Tested};
use crate::{
    MergeError, MergeErrorKind,
    apply::{
        elements::{element_kind, empty_lists},
        error_order::ConflictTestFault,
    },
    directive::{PATCH, RETAIN_KEYS},
    go_text::{go_key, go_text},
    patch_map::MemberIndex,
    string_form::{deduplicate, sort_scalars},
};
use hashbrown::HashMap;
use kubemerge_schema::{ListStrategy, MapStrategy, Type};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Arena, Entry, Kind, Node, Path, deep, deep_equal, list, map};

pub(crate) fn test<'a>(
    ty: Type<'_>,
    one: Node<'a>,
    other: Node<'a>,
    arena: &'a Arena,
) -> Result<Tested<'a>, MergeError> {
    let mut walk =
        ConflictWalk { arena, conflicts: Vec::new(), faults: 0, fault: ConflictTestFault::default() };
    let changed = walk.maps(Sides { one, other }, Some(ty), MapStrategy::Merge, &Path::ROOT);
    walk.fault.into_result()?;
    Ok(Tested { conflicts: walk.conflicts, patch: changed.unwrap_or(one) })
}

struct ConflictWalk<'a> {
    arena: &'a Arena,
    conflicts: Vec<PatchConflict<'a>>,
    /// How many places could not be compared.
    faults: usize,
    fault: ConflictTestFault,
}

/// The elements of two lists at one place.
#[derive(Clone, Copy)]
struct Elements<'a> {
    one: &'a [Node<'a>],
    other: &'a [Node<'a>],
}

/// How a list merges, and the type of its items.
#[derive(Clone, Copy)]
struct ItemRule<'s> {
    strategy: ListStrategy<'s>,
    item: KnownType<'s>,
}

/// The first side as the test leaves it, if it touches it.
type Touched<'a> = Option<Node<'a>>;

/// The type of a map, if there is any to ask.
// Upstream: a list in an untyped map has items of no known type
// (three-way/conflict-bugs.yaml, `a map in a list of an untyped map`).
type KnownType<'s> = Option<Type<'s>>;

impl<'a> ConflictWalk<'a> {
    fn conflict(&mut self, Sides { one, other }: Sides<'a>, path: &Path<'_>) -> Touched<'a> {
        self.conflicts.push(PatchConflict::at(path, one, other));
        None
    }

    fn fail(&mut self, fault: MergeError) -> Touched<'a> {
        self.faults += 1;
        self.fault.meet(fault, self.conflicts.len());
        None
    }

    /// How much has been met that ends the comparison of a list.
    fn met(&self) -> usize {
        self.conflicts.len() + self.faults
    }

    fn maps(
        &mut self,
        sides: Sides<'a>,
        ty: KnownType<'_>,
        strategy: MapStrategy,
        path: &Path<'_>,
    ) -> Touched<'a> {
        match differ_in_directive(sides, path) {
            Err(fault) => return self.fail(fault),
            Ok(true) => return self.conflict(sides, path),
            Ok(false) if strategy == MapStrategy::Replace => return None,
            Ok(false) => {}
        }
        let (one, mut other) =
            (MemberIndex::of(sides.one, self.arena), MemberIndex::of(sides.other, self.arena));
        let mut touched = Vec::new();
        for (at, entry) in one.entries.iter().enumerate() {
            // `$patch` was compared above, and names to retain never conflict.
            if entry.key.is(PATCH) || entry.key.is(RETAIN_KEYS) {
                continue;
            }
            let Some(value) = other.find(entry.key) else { continue };
            let path = path.field(entry.key);
            if let Some(value) = deep(|| self.field(entry, value, ty, &path)) {
                touched.push((at, value));
            }
        }
        self.rebuild_map(one.entries, touched)
    }

    /// A field that both patches name. Only maps and lists of the first one are looked up.
    fn field(&mut self, one: &Entry<'a>, other: Node<'a>, ty: KnownType<'_>, path: &Path<'_>) -> Touched<'a> {
        let sides = Sides { one: one.value, other };
        let alike = one.value.kind() == other.kind();
        match (one.value.kind(), ty) {
            (Kind::Map | Kind::List, None) => return self.fail(unknown_item_type(path)),
            (Kind::Map, Some(ty)) => match ty.map_field(&one.key.text()) {
                Err(error) => return self.fail(MergeError::from_lookup(error, path)),
                Ok(rule) if alike => return self.maps(sides, Some(rule.value), rule.strategy, path),
                Ok(_) => {}
            },
            (Kind::List, Some(ty)) => match ty.list_field(&one.key.text()) {
                Err(error) => return self.fail(MergeError::from_lookup(error, path)),
                Ok(rule) if alike => {
                    let item = (!ty.is_untyped()).then_some(rule.item);
                    return self.lists(sides, ItemRule { strategy: rule.strategy, item }, path);
                }
                Ok(_) => {}
            },
            _ if deep_equal(one.value, other) => return None,
            _ => {}
        }
        self.conflict(sides, path)
    }

    fn lists(&mut self, sides: Sides<'a>, rule: ItemRule<'_>, path: &Path<'_>) -> Touched<'a> {
        let (one, other) = (sides.one.elements(self.arena), sides.other.elements(self.arena));
        let kind = match element_kind(one, other, path) {
            Ok(Some(kind)) => kind,
            Ok(None) => return self.fail(empty_lists(path)),
            Err(fault) => return self.fail(fault),
        };
        let elements = Elements { one, other };
        match rule.strategy {
            ListStrategy::Atomic if one.len() != other.len() => self.conflict(sides, path),
            ListStrategy::Atomic if kind == Kind::Map => self.atomic_maps(elements, rule.item, path),
            ListStrategy::Atomic => self.atomic_scalars(sides, elements, path),
            ListStrategy::Keyed([key, ..]) if kind == Kind::Map => {
                self.keyed_lists(elements, &key.name, rule.item, path)
            }
            _ if kind == Kind::Map => self.keyed_lists(elements, "", rule.item, path),
            // By definition scalars that merge never conflict.
            _ => None,
        }
    }

    /// Items pair up by key; of items with one key the last counts.
    fn keyed_lists(
        &mut self,
        Elements { one, other }: Elements<'a>,
        key: &str,
        ty: KnownType<'_>,
        path: &Path<'_>,
    ) -> Touched<'a> {
        let (ones, others) = match (by_key(one, key, path), by_key(other, key, path)) {
            (Ok(ones), Ok(others)) => (ones, others),
            (Err(fault), _) | (_, Err(fault)) => return self.fail(fault),
        };
        let mut touched = Vec::new();
        for (at, item) in one.iter().enumerate() {
            let form = go_key(item.get(key).unwrap_or(Node::NULL));
            let Some(partner) = others.get(&form).filter(|_| ones.get(&form) == Some(&at)) else { continue };
            let sides = Sides { one: *item, other: *item_at(other, *partner) };
            let path = path.index(at);
            if let Some(item) = deep(|| self.maps(sides, ty, MapStrategy::Merge, &path)) {
                touched.push((at, item));
            }
        }
        self.rebuild_list(one, touched)
    }

    /// Maps of an atomic list are compared place by place, up to the first conflict.
    fn atomic_maps(
        &mut self,
        Elements { one, other }: Elements<'a>,
        ty: KnownType<'_>,
        path: &Path<'_>,
    ) -> Touched<'a> {
        let met = self.met();
        let mut touched = Vec::new();
        for (at, (one, other)) in one.iter().copied().zip(other.iter().copied()).enumerate() {
            let sides = Sides { one, other };
            let path = path.index(at);
            if let Some(item) = deep(|| self.maps(sides, ty, MapStrategy::Merge, &path)) {
                touched.push((at, item));
            }
            // Upstream stops at the first conflict of a list.
            if self.met() != met {
                break;
            }
        }
        self.rebuild_list(one, touched)
    }

    // Upstream: both lists are deduplicated and sorted in place, so the patch changes
    // (three-way/conflict-bugs.yaml, `atomic arguments come out sorted`).
    fn atomic_scalars(
        &mut self,
        sides: Sides<'a>,
        Elements { one, other }: Elements<'a>,
        path: &Path<'_>,
    ) -> Touched<'a> {
        let (mut one, mut other) = (one.to_vec(), other.to_vec());
        let (ones, others) = (normalise(&mut one), normalise(&mut other));
        for at in 0..ones {
            // Upstream reads past the end of the shorter list and crashes; an error takes its place.
            if at >= others {
                return self.fail(different_counts(path));
            }
            if !deep_equal(*item_at(&one, at), *item_at(&other, at)) {
                return self.conflict(sides, path);
            }
        }
        Some(list(one, self.arena))
    }

    fn rebuild_map(&self, entries: &[Entry<'a>], touched: Vec<(usize, Node<'a>)>) -> Touched<'a> {
        if touched.is_empty() {
            return None;
        }
        let mut members: Vec<_> = entries.iter().map(|entry| (entry.key, entry.value)).collect();
        touched.into_iter().for_each(|(at, value)| item_at_mut(&mut members, at).1 = value);
        Some(map(members, self.arena))
    }

    fn rebuild_list(&self, items: &[Node<'a>], touched: Vec<(usize, Node<'a>)>) -> Touched<'a> {
        if touched.is_empty() {
            return None;
        }
        let mut items = items.to_vec();
        touched.into_iter().for_each(|(at, item)| *item_at_mut(&mut items, at) = item);
        Some(list(items, self.arena))
    }
}

/// Whether a directive acts on the map of one side, and not in the same way on the other's.
fn differ_in_directive(Sides { one, other }: Sides<'_>, path: &Path<'_>) -> Result<bool, MergeError> {
    let (Some(one), Some(other)) = (one.get(PATCH), other.get(PATCH)) else {
        return Ok(one.get(PATCH).is_some() != other.get(PATCH).is_some());
    };
    if one.kind() == other.kind() && matches!(one.kind(), Kind::Map | Kind::List) {
        let message = "a directive that is a map or list cannot be compared";
        return Err(MergeError::new(MergeErrorKind::InvalidMergeKeyValue, path, message));
    }
    Ok(!deep_equal(one, other))
}

fn unknown_item_type(path: &Path<'_>) -> MergeError {
    let message = "nothing is known of the items of a list in an untyped map";
    MergeError::new(MergeErrorKind::UnsupportedType, path, message)
        .with_hint("overwrite conflicts; Kubernetes crashes on this test")
}

fn different_counts(path: &Path<'_>) -> MergeError {
    let message = "the lists have different lengths once repeated elements are removed";
    MergeError::new(MergeErrorKind::ConflictCheckFailed, path, message)
        .with_hint("overwrite conflicts; Kubernetes crashes on this test")
}

/// The last item of each key.
fn by_key(items: &[Node<'_>], key: &str, path: &Path<'_>) -> Result<HashMap<String, usize>, MergeError> {
    let mut index = HashMap::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let Some(value) = item.get(key) else {
            let message = format!("cannot find merge key `{key}` in merging list element:{}", go_text(*item));
            return Err(MergeError::new(MergeErrorKind::MissingMergeKey, &path.index(at), message)
                .about_keys([key])
                .with_hint(format!("add `{key}`")));
        };
        index.insert(go_key(value), at);
    }
    Ok(index)
}

/// Removes repeated scalars and sorts the rest; after them stays what was shifted there.
fn normalise(scalars: &mut [Node<'_>]) -> usize {
    let length = deduplicate(scalars);
    sort_scalars(scalars.split_at_mut(length).0);
    length
}
