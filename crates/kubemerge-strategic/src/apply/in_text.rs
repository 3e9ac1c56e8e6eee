//! Documents that stay in their text: a patch that gives other values to fields that are there.
//!
//! This is what most patches do: another image, another number of replicas. Nothing is added or removed, so the
//! result is the live text with other values at some places, and no map has to be taken apart. Whatever does not
//! fit here goes the long way, which would give the same result and has the words for every fault.

use super::{Merger, Mode, map::Outcome};
use crate::{directive::MapPatch, error::MergeError, identity::Keys, observe::Observer};
use kubemerge_schema::{Dialect, ListStrategy, MapStrategy, Type};
use kubemerge_value::{Edits, Kind, MemberWalk, Node, Path, Str, deep};

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
struct Field<'a, 's, 'p> {
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
    /// The document should go the long way.
    Document,
}

impl<'a, O: Observer> Merger<'a, '_, O> {
    /// The document with other values in it, if that is all that the patch asks for.
    pub(super) fn in_text(&mut self, ty: Type<'_>, live: Node<'a>, patch: Node<'a>) -> Option<Node<'a>> {
        if O::WATCHES || self.mode != Mode::Apply {
            return None;
        }
        let mut edits = Edits::new(self.arena);
        let edited = self.edit_map(ty, &mut MapPair::of(live, patch, 1)?, &mut edits, &Path::ROOT);
        self.repeats.reset();
        edited.ok().map(|()| edits.finish(live))
    }

    fn edit_map(
        &mut self,
        ty: Type<'_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut Edits<'a>,
        path: &Path<'_>,
    ) -> Result<(), Unfit> {
        let before = edits.len();
        let mut last = None;
        let mut unfit = Unfit::Map;
        while let Some((name, patch)) = maps.patch.next() {
            let is_next = last.replace(name).is_none_or(|last| last < name);
            if is_next && maps.key.is_some_and(|key| name.is(key)) {
                continue;
            }
            let is_value = is_next && !name.starts_with("$") && !patch.is_null();
            let Some(live) = is_value.then(|| maps.live.seek(name)).flatten() else {
                edits.truncate(before);
                return Err(unfit);
            };
            let field = Field { ty, name, live, patch, path: &path.field(name) };
            match (live.kind(), patch.kind()) {
                (Kind::Map, Kind::Map) => self.edit_inner_map(field, maps, edits)?,
                (Kind::List, Kind::List) if self.dialect == Dialect::Upstream => {
                    self.edit_list(field, maps, edits)?;
                }
                _ => {
                    self.edit_value(field, maps, edits)?;
                    continue;
                }
            }
            unfit = Unfit::Document;
        }
        Ok(())
    }

    fn edit_inner_map(
        &mut self,
        field: Field<'a, '_, '_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut Edits<'a>,
    ) -> Result<(), Unfit> {
        let rule = field.ty.map_field(&field.name.text()).map_err(|_| Unfit::Document)?;
        let inner = MapPair::of(field.live, field.patch, maps.level + 1);
        if let Some(mut inner) = inner.filter(|_| rule.strategy == MapStrategy::Merge) {
            match deep(|| self.edit_map(rule.value, &mut inner, edits, field.path)) {
                Err(Unfit::Map) => {}
                Err(Unfit::Document) => return Err(Unfit::Document),
                Ok(()) => {
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
        field: Field<'a, '_, '_>,
        maps: &mut MapPair<'a, '_>,
        edits: &mut Edits<'a>,
    ) -> Result<(), Unfit> {
        let rule = field.ty.list_field(&field.name.text()).map_err(|_| Unfit::Document)?;
        let ListStrategy::Keyed(keys) = rule.strategy else {
            return self.edit_value(field, maps, edits);
        };
        let keys = Keys::new(keys, self.dialect, self.arena);
        let items = field.patch.elements(self.arena);
        let Some(list) = self.in_place(&keys, field.live, items) else {
            let merged = self.rearrange(&rule, field.live, items, field.path);
            edits.replace(field.live, merged.map_err(|_| Unfit::Document)?, maps.level);
            return Ok(());
        };
        for (patch_at, pair) in list.pairs.iter().enumerate() {
            let live = list.live.node(&pair.live);
            let path = field.path.item(patch_at, pair.live.at);
            let Some(mut items) = MapPair::of(live, pair.patch, maps.level + 2) else {
                return Err(Unfit::Document);
            };
            items.key = keys.single();
            match deep(|| self.edit_map(rule.item, &mut items, edits, &path)) {
                Err(Unfit::Map) => {
                    let patch = MapPatch::parse(pair.patch, self.arena);
                    let merged = deep(|| self.map(rule.item, Some(live), &patch, &path));
                    edits.replace(live, merged.map_err(|_| Unfit::Document)?, maps.level + 1);
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
        field: Field<'a, '_, '_>,
        maps: &MapPair<'a, '_>,
        edits: &mut Edits<'a>,
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
    edits: &mut Edits<'a>,
) -> Result<(), Unfit> {
    match outcome.map_err(|_| Unfit::Document)? {
        Outcome::Keep => {}
        Outcome::Put(node) => edits.replace(live, node, level),
        Outcome::Remove => return Err(Unfit::Document),
    }
    Ok(())
}
