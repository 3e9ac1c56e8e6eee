//! Upstream's walk over two maps: additions and changes in the order of modified, then removals, then the
//! names of the fields that survive.

use super::{DiffOptions, quiet::is_forgiven, scalars};
use crate::{
    Error, ErrorKind,
    apply::elements::element_kind,
    depth::Depth,
    directive::{DELETE_FROM_PRIMITIVE_LIST, PATCH, SET_ELEMENT_ORDER, may_hold_directives},
    patch_map::{Members, PatchMap},
};
use kubemerge_schema::{ListRule, ListStrategy, LookupError, MapStrategy, Type};
use kubemerge_value::{Arena, Entry, Kind, Node, Path, Str, deep, deep_equal, list, same_text};

/// Upstream's generator.
pub(crate) struct Generator<'a> {
    pub(super) options: DiffOptions,
    pub(super) arena: &'a Arena,
    /// Whether the modified document may hold directives.
    pub(super) directives: Directives,
    depth: Depth,
}

/// Whether a document may hold directives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Directives {
    Possible,
    Absent,
}

/// Whether the patch of a map names the fields that survive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetainKeys {
    Named,
    Unnamed,
}

impl RetainKeys {
    pub(crate) fn of_rule(retain_keys: bool) -> Self {
        if retain_keys { RetainKeys::Named } else { RetainKeys::Unnamed }
    }
}

/// What is to be said about a list: its items, the values to delete and the order. Empty parts are left out.
#[derive(Default)]
pub(super) struct ListPatch<'a> {
    pub(super) items: Vec<Node<'a>>,
    pub(super) deletions: Vec<Node<'a>>,
    pub(super) order: Vec<Node<'a>>,
}

/// A field that both sides have, in the type that holds it.
struct Field<'f, 'a> {
    original: Node<'a>,
    modified: &'f Entry<'a>,
    holder: Type<'f>,
    path: &'f Path<'f>,
}

impl<'f> Field<'f, '_> {
    /// The rule of the field. What the schema does not know does no harm while it does not change.
    fn rule<R>(
        &self,
        look_up: impl FnOnce(Type<'f>, &str) -> Result<R, LookupError>,
    ) -> Result<Option<R>, Error> {
        match look_up(self.holder, &self.modified.key.text()) {
            Ok(rule) => Ok(Some(rule)),
            Err(error) if is_forgiven(&error) && deep_equal(self.original, self.modified.value) => Ok(None),
            Err(error) => Err(Error::from_lookup(error, self.path)),
        }
    }
}

impl<'a> Generator<'a> {
    pub(super) fn new(options: DiffOptions, modified: Node<'a>, arena: &'a Arena) -> Self {
        let directives =
            if may_hold_directives(modified) { Directives::Possible } else { Directives::Absent };
        Generator { options, arena, directives, depth: Depth::default() }
    }

    pub(super) fn maps(
        &self,
        original: Node<'a>,
        modified: Node<'a>,
        ty: Type<'_>,
        retain: RetainKeys,
        path: &Path<'_>,
    ) -> Result<PatchMap<'a>, Error> {
        let _level = self.depth.enter();
        if self.same_text(original, modified) && self.is_quiet(modified, ty) {
            return Ok(PatchMap::new(self.arena));
        }
        deep(|| {
            let mut before = Members::of(original, self.arena);
            let mut after = Members::of(modified, self.arena);
            let mut patch = PatchMap::new(self.arena);
            for entry in after.entries {
                match before.find(entry.key) {
                    Some(original) if entry.key.is(PATCH) => {
                        change_directive(original, entry, path, &mut patch)?;
                    }
                    Some(original) => {
                        let path = &path.field(entry.key);
                        self.change(&Field { original, modified: entry, holder: ty, path }, &mut patch)?;
                    }
                    None => self.add(entry, &mut patch),
                }
            }
            if self.options.deletions.is_on() {
                patch.remove_gone(&before, &mut after);
            }
            if retain == RetainKeys::Named {
                patch.name_survivors(&before, &mut after);
            }
            Ok(patch)
        })
    }

    /// Whether two values are surely equal, as far as it pays to look.
    fn same_text(&self, original: Node<'a>, modified: Node<'a>) -> bool {
        self.depth.compares_texts() && same_text(original, modified)
    }

    /// A new or changed value, written as it stands.
    fn add(&self, entry: &Entry<'a>, patch: &mut PatchMap<'a>) {
        if self.options.changes.is_on() {
            patch.set(entry.key, entry.value);
        }
    }

    /// A field that both sides have.
    fn change(&self, field: &Field<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), Error> {
        let (original, modified) = (field.original, field.modified.value);
        match (original.kind(), modified.kind()) {
            (Kind::Map, Kind::Map) => return self.change_map(field, patch),
            (Kind::List, Kind::List) => return self.change_list(field, patch),
            (before, after) if before == after && original.scalar() == modified.scalar() => {}
            _ => self.add(field.modified, patch),
        }
        Ok(())
    }

    fn change_map(&self, field: &Field<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), Error> {
        let Some(rule) = field.rule(Type::map_field)? else { return Ok(()) };
        // Upstream: a map that is replaced as a whole is written even when nothing changed
        // (diff/maps.yaml, `equal replace map`).
        if rule.strategy == MapStrategy::Replace {
            self.add(field.modified, patch);
            return Ok(());
        }
        let retain = RetainKeys::of_rule(rule.retain_keys);
        let changes = self.maps(field.original, field.modified.value, rule.value, retain, field.path)?;
        if !changes.is_empty() {
            patch.set(field.modified.key, changes.finish());
        }
        Ok(())
    }

    fn change_list(&self, field: &Field<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), Error> {
        let (original, Entry { key, value: modified }) = (field.original, *field.modified);
        if self.same_text(original, modified) && self.is_quiet_list(key, modified, field.holder) {
            return Ok(());
        }
        let Some(rule) = field.rule(Type::list_field)? else { return Ok(()) };
        if rule.strategy == ListStrategy::Atomic {
            if self.options.changes.is_on() && !deep_equal(original, modified) {
                patch.set(key, modified);
            }
            return Ok(());
        }
        let said = self.lists(original, modified, &rule, field.path)?;
        self.write_list(key, said, patch);
        Ok(())
    }

    fn lists(
        &self,
        original: Node<'a>,
        modified: Node<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<ListPatch<'a>, Error> {
        let (before, after) = (original.elements(self.arena), modified.elements(self.arena));
        let Some(first) = before.first() else {
            let items = if self.options.changes.is_on() { after.to_vec() } else { Vec::new() };
            return Ok(ListPatch { items, ..ListPatch::default() });
        };
        element_kind(before, after, path)?;
        match first.kind() {
            Kind::Map => self.keyed_lists(before, after, rule, path),
            _ => Ok(scalars::diff(before, after, &self.options)),
        }
    }

    fn write_list(&self, field: Str<'a>, said: ListPatch<'a>, patch: &mut PatchMap<'a>) {
        if !said.items.is_empty() {
            patch.set(field, list(said.items, self.arena));
        }
        if !said.deletions.is_empty() {
            patch.set_beside(DELETE_FROM_PRIMITIVE_LIST, field, list(said.deletions, self.arena));
        }
        if !said.order.is_empty() {
            patch.set_beside(SET_ELEMENT_ORDER, field, list(said.order, self.arena));
        }
    }
}

/// `$patch` on both sides: not a value to compare, but a word.
fn change_directive<'a>(
    original: Node<'a>,
    modified: &Entry<'a>,
    path: &Path<'_>,
    patch: &mut PatchMap<'a>,
) -> Result<(), Error> {
    let (Some(before), Some(after)) = (original.as_str(), modified.value.as_str()) else {
        let message = format!("invalid value for special key: {PATCH}");
        return Err(Error::new(ErrorKind::InvalidPatchValue, path, message)
            .with_hint("documents hold no directives; remove it from both"));
    };
    if before != after {
        patch.set(modified.key, modified.value);
    }
    Ok(())
}
