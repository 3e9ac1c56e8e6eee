//! Documents that stay in their text: a patch that gives other values to fields that are there.
//!
//! This is what most patches do: another image, another number of replicas. Nothing is added or removed, so the
//! result is the live text with other values at some places, and no map has to be taken apart. [`Unfit`] has the
//! reasons for which a document is merged map by map instead, which would give the same result.

use super::{
    Merger, Mode,
    map::Outcome,
    value::{list_rule, map_rule},
};
use crate::{directive::MapPatch, error::MergeError, identity::Keys, observe::MaybeObserver};
use kubemerge_schema::{ListStrategy, MapStrategy, Type};
use kubemerge_value::{
    Kind, Node, Path, Str, deep,
    walk::{MemberWalk, TextEdits},
};

/// A patch map beside the live map that it is merged into.
struct MapPair<'a, 'k> {
    live: MemberWalk<'a>,
    patch: MemberWalk<'a>,
    /// How many containers of the document the members are in.
    level: usize,
    /// A member that both have, with the same value.
    key: Option<&'k str>,
}

impl<'a> MapPair<'a, '_> {
    fn of(live: Node<'a>, patch: Node<'a>, level: usize) -> Option<Self> {
        Some(MapPair { live: MemberWalk::of(live)?, patch: MemberWalk::of(patch)?, level, key: None })
    }
}

/// A field of a map of this type, and what both sides hold there.
#[derive(Clone, Copy)]
struct SharedField<'a, 's, 'p> {
    ty: Type<'s>,
    name: Str<'a>,
    live: Node<'a>,
    patch: Node<'a>,
    path: &'p Path<'p>,
}

/// Why a map does not stay in its text.
enum Unfit {
    /// A field is added or removed, or there are directives. Nothing inside was looked at, so the map may still be
    /// merged as a whole.
    Map,
    /// The same, after something inside was looked at: the whole document is merged map by map.
    Document,
    /// The patch is at fault.
    Fault(MergeError),
}

impl From<MergeError> for Unfit {
    fn from(fault: MergeError) -> Self {
        Unfit::Fault(fault)
    }
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// The document with other values in it, if that is all that the patch asks for.
    pub(super) fn in_text(
        &mut self,
        ty: Type<'_>,
        live: Node<'a>,
        patch: Node<'a>,
    ) -> Option<Result<Node<'a>, MergeError>> {
        // Observers want every step, which text edits do not take.
        if O::WATCHES || self.mode != Mode::Apply || self.strategy.clears_unions(ty) {
            return None;
        }
        let mut edits = TextEdits::new(self.arena);
        match self.edit_map(ty, &mut MapPair::of(live, patch, 1)?, &mut edits, &Path::ROOT) {
            Ok(()) => Some(Ok(edits.finish(live))),
            Err(Unfit::Fault(fault)) => Some(Err(fault)),
            Err(Unfit::Map | Unfit::Document) => {
                // The map-by-map way counts from the start.
                self.repeats.reset();
                None
            }
        }
    }

    fn edit_map(
        &mut self,
        ty: Type<'_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut TextEdits<'a>,
        path: &Path<'_>,
    ) -> Result<(), Unfit> {
        let before = edits.len();
        let mut last = None;
        let mut unfit = Unfit::Map;
        while let Some((name, patch)) = maps.patch.next() {
            // Unsorted or repeated names need the whole map at once.
            let is_next = last.replace(name).is_none_or(|last| last < name);
            if is_next && maps.key.is_some_and(|key| name.is(key)) {
                continue;
            }
            let is_value = is_next && !name.starts_with("$") && !patch.is_null();
            let Some(live) = is_value.then(|| maps.live.seek(name)).flatten() else {
                edits.truncate(before);
                return Err(unfit);
            };
            let field = SharedField { ty, name, live, patch, path: &path.field(name) };
            match self.edit_field(field, maps, edits) {
                Ok(Visited::Children) => unfit = Unfit::Document,
                Ok(Visited::Value) => {}
                // A directive or an unsorted field further on may have a fault that is met before this one.
                Err(Unfit::Fault(_)) if !rest_is_plain(&mut maps.patch, name) => return Err(Unfit::Document),
                Err(unfit) => return Err(unfit),
            }
        }
        Ok(())
    }

    fn edit_field(
        &mut self,
        field: SharedField<'a, '_, '_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut TextEdits<'a>,
    ) -> Result<Visited, Unfit> {
        match (field.live.kind(), field.patch.kind()) {
            (Kind::Map, Kind::Map) => self.edit_inner_map(field, maps, edits)?,
            (Kind::List, Kind::List) if self.strategy.edits_items_in_text() => {
                self.edit_list(field, maps, edits)?;
            }
            _ => {
                self.edit_value(field, maps, edits)?;
                return Ok(Visited::Value);
            }
        }
        Ok(Visited::Children)
    }

    fn edit_inner_map(
        &mut self,
        field: SharedField<'a, '_, '_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut TextEdits<'a>,
    ) -> Result<(), Unfit> {
        let rule = map_rule(field.ty, field.name, field.path)?;
        let inner = MapPair::of(field.live, field.patch, maps.level + 1);
        // A patch of a union may remove fields that it does not name.
        let stays = rule.strategy == MapStrategy::Merge && !rule.has_unions;
        if let Some(mut inner) = inner.filter(|_| stays) {
            match deep(|| self.edit_map(rule.value, &mut inner, edits, field.path)) {
                Err(Unfit::Map) => {}
                Err(unfit) => return Err(unfit),
                Ok(()) => {
                    // The inner walk has read the value, so the outer one goes on after it and no byte is read twice.
                    maps.live.pass(inner.live.walked());
                    maps.patch.pass(inner.patch.walked());
                    return Ok(());
                }
            }
        }
        let outcome = self.maps_by(&rule, field.live, field.patch, field.path);
        edit_to(outcome, field.live, maps.level, edits)
    }

    /// A list that keeps its order is edited item by item.
    fn edit_list(
        &mut self,
        field: SharedField<'a, '_, '_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut TextEdits<'a>,
    ) -> Result<(), Unfit> {
        let rule = list_rule(field.ty, field.name, field.path)?;
        // Lists without keys have no items to edit one by one.
        let ListStrategy::Keyed(keys) = rule.strategy else {
            return self.edit_value(field, maps, edits);
        };
        let keys = Keys::new(keys, self.strategy, self.arena);
        let items = field.patch.elements(self.arena);
        let Some(list) = self.in_place(&keys, field.live, items) else {
            let merged = self.rearrange(&rule, field.live, items, field.path)?;
            edits.replace(field.live, merged, maps.level);
            return Ok(());
        };
        for (patch_at, pair) in list.pairs.iter().enumerate() {
            let live = list.live.node(&pair.live);
            let path = field.path.item(patch_at, pair.live.at);
            let Some(mut items) = MapPair::of(live, pair.patch, maps.level + 2) else {
                return Err(Unfit::Document);
            };
            // The key is the same on both sides, so it is not an edit.
            items.key = keys.single();
            match deep(|| self.edit_map(rule.item, &mut items, edits, &path)) {
                Err(Unfit::Map) => {
                    let patch = MapPatch::parse(pair.patch, self.arena);
                    let merged = deep(|| self.map(rule.item, Some(live), &patch, &path))?;
                    edits.replace(live, merged, maps.level + 1);
                }
                edited => edited?,
            }
        }
        if let Some(walked) = list.live.walked() {
            maps.live.pass(walked);
        }
        Ok(())
    }

    /// The value as a whole.
    fn edit_value(
        &mut self,
        field: SharedField<'a, '_, '_>,
        maps: &MapPair<'a, '_>,
        edits: &mut TextEdits<'a>,
    ) -> Result<(), Unfit> {
        let outcome = self.value(field.ty, Some(field.live), field.name, field.patch, field.path);
        edit_to(outcome, field.live, maps.level, edits)
    }
}

/// Gives a live value its outcome.
fn edit_to<'a>(
    outcome: Result<Outcome<'a>, MergeError>,
    live: Node<'a>,
    level: usize,
    edits: &mut TextEdits<'a>,
) -> Result<(), Unfit> {
    match outcome? {
        Outcome::Keep => {}
        Outcome::Put(node) => edits.replace(live, node, level),
        // An edit can change a value but not take its name away.
        Outcome::Remove => return Err(Unfit::Document),
    }
    Ok(())
}

/// What was visited to edit a field.
enum Visited {
    /// Values of the patch below the field, with the schema beside them.
    Children,
    /// The value as a whole.
    Value,
}

/// Whether the members after this one are no directives and in sorted order.
fn rest_is_plain<'a>(patch: &mut MemberWalk<'a>, last: Str<'a>) -> bool {
    let mut last = last;
    while let Some((name, _)) = patch.next() {
        if name.starts_with("$") || name <= last {
            return false;
        }
        last = name;
    }
    true
}
