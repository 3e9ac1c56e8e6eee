//! Upstream's walk over two maps: additions and changes in the order of modified, then removals, then the
//! names of the fields that survive.

use super::{scalars, unchanged::is_harmless_unless_changed};
use crate::{
    MergeError, MergeErrorKind,
    apply::elements::element_kind,
    depth::Depth,
    diff::DiffOptions,
    directive::{DELETE_FROM_PRIMITIVE_LIST, PATCH, SET_ELEMENT_ORDER, may_hold_directives},
    patch_map::{MemberIndex, PatchMap},
};
use kubemerge_schema::{ListRule, ListStrategy, LookupError, MapStrategy, Type};
use kubemerge_value::{
    Arena, Entry, Kind, Node, Path, Str, deep, deep_equal, list,
    walk::{MemberPair, pair_members},
};

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

/// Two versions of a map.
#[derive(Clone, Copy)]
pub(super) struct Maps<'m, 'a> {
    pub(super) original: Node<'a>,
    pub(super) modified: Node<'a>,
    pub(super) ty: Type<'m>,
    pub(super) retain: RetainKeys,
    pub(super) path: &'m Path<'m>,
}

/// A field that both sides have, in the type that holds it.
struct DiffField<'f, 'a> {
    /// The member of modified, and the value in original.
    pair: &'f MemberPair<'a>,
    holder: Type<'f>,
    path: &'f Path<'f>,
}

impl<'f> DiffField<'f, '_> {
    /// The rule of the field. What the schema does not know does no harm while it does not change.
    fn rule<R>(
        &self,
        look_up: impl FnOnce(Type<'f>, &str) -> Result<R, LookupError>,
    ) -> Result<Option<R>, MergeError> {
        let MemberPair { entry, other: original } = *self.pair;
        match look_up(self.holder, &entry.key.text()) {
            Ok(rule) => Ok(Some(rule)),
            // Upstream looks a field up only after it has found a difference.
            Err(error) if is_harmless_unless_changed(&error) && deep_equal(original, entry.value) => Ok(None),
            Err(error) => Err(MergeError::from_lookup(error, self.path)),
        }
    }
}

impl<'a> Generator<'a> {
    pub(super) fn new(options: DiffOptions, modified: Node<'a>, arena: &'a Arena) -> Self {
        let directives =
            if may_hold_directives(modified) { Directives::Possible } else { Directives::Absent };
        Generator { options, arena, directives, depth: Depth::default() }
    }

    pub(super) fn maps(&self, maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        // Equal text is not enough: some rules write something even for equal values.
        if self.same_text(maps.original, maps.modified)
            && self.emits_nothing_if_unchanged(maps.modified, maps.ty)
        {
            return Ok(PatchMap::new(self.arena));
        }
        self.changes(maps)
    }

    /// What is to be said about two maps whose texts differ.
    pub(super) fn changes(&self, maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        // Texts that differ at the bottom would be compared once per level; see `depth.rs`.
        let _level = self.depth.enter();
        let pairs = match maps.retain {
            RetainKeys::Unnamed if self.depth.compares_texts() => {
                let emits_nothing = |entry: &Entry<'a>| self.member_emits_nothing(entry, maps.ty);
                pair_members(maps.modified, maps.original, emits_nothing)
            }
            _ => None,
        };
        deep(|| match pairs {
            Some(pairs) => self.pairs(&pairs, maps),
            None => self.members(maps),
        })
    }

    /// Maps that have the same members in the same order.
    fn pairs(&self, pairs: &[MemberPair<'a>], maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        let mut patch = PatchMap::new(self.arena);
        for pair in pairs {
            self.meet(pair, maps, &mut patch)?;
        }
        Ok(patch)
    }

    /// Any other two maps.
    fn members(&self, maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        let mut before = MemberIndex::of(maps.original, self.arena);
        let mut after = MemberIndex::of(maps.modified, self.arena);
        let mut patch = PatchMap::new(self.arena);
        for entry in after.entries {
            match before.find(entry.key) {
                Some(other)
                    if self.same_text(other, entry.value) && self.member_emits_nothing(entry, maps.ty) => {}
                Some(other) => self.meet(&MemberPair { entry: *entry, other }, maps, &mut patch)?,
                None => self.add(entry, &mut patch),
            }
        }
        if self.options.deletions.is_on() {
            patch.remove_gone(&before, &mut after);
        }
        if maps.retain == RetainKeys::Named {
            patch.name_survivors(&before, &mut after);
        }
        Ok(patch)
    }

    /// A member that both maps have.
    fn meet(
        &self,
        pair: &MemberPair<'a>,
        maps: &Maps<'_, 'a>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        let MemberPair { entry, other: original } = *pair;
        if entry.key.is(PATCH) {
            return change_directive(original, &entry, maps.path, patch);
        }
        self.change(&DiffField { pair, holder: maps.ty, path: &maps.path.field(entry.key) }, patch)
    }

    /// Whether two values are surely equal, as far as it pays to look.
    pub(super) fn same_text(&self, original: Node<'a>, modified: Node<'a>) -> bool {
        self.depth.compares_texts() && original.has_same_text(modified)
    }

    /// A new or changed value, written as it is.
    fn add(&self, entry: &Entry<'a>, patch: &mut PatchMap<'a>) {
        if self.options.changes.is_on() {
            patch.set(entry.key, entry.value);
        }
    }

    /// A field that both sides have.
    fn change(&self, field: &DiffField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let MemberPair { entry, other: original } = *field.pair;
        match (original.kind(), entry.value.kind()) {
            (Kind::Map, Kind::Map) => return self.change_map(field, patch),
            (Kind::List, Kind::List) => return self.change_list(field, patch),
            (before, after) if before == after && original.scalar() == entry.value.scalar() => {}
            _ => self.add(&entry, patch),
        }
        Ok(())
    }

    fn change_map(&self, field: &DiffField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let MemberPair { entry, other: original } = *field.pair;
        let Some(rule) = field.rule(Type::map_field)? else { return Ok(()) };
        // Upstream: a map that is replaced as a whole is written even when nothing changed
        // (diff/maps.yaml, `equal replace map`).
        if rule.strategy == MapStrategy::Replace {
            self.add(&entry, patch);
            return Ok(());
        }
        let retain = RetainKeys::of_rule(rule.retain_keys);
        let (modified, ty, path) = (entry.value, rule.value, field.path);
        let changes = self.changes(&Maps { original, modified, ty, retain, path })?;
        if !changes.is_empty() {
            patch.set(entry.key, changes.finish());
        }
        Ok(())
    }

    fn change_list(&self, field: &DiffField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let MemberPair { entry, other: original } = *field.pair;
        let Some(rule) = field.rule(Type::list_field)? else { return Ok(()) };
        if rule.strategy == ListStrategy::Atomic {
            if self.options.changes.is_on() && !deep_equal(original, entry.value) {
                patch.set(entry.key, entry.value);
            }
            return Ok(());
        }
        let said = self.lists(original, entry.value, &rule, field.path)?;
        self.write_list(entry.key, said, patch);
        Ok(())
    }

    fn lists(
        &self,
        original: Node<'a>,
        modified: Node<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<ListPatch<'a>, MergeError> {
        let (before, after) = (original.elements(self.arena), modified.elements(self.arena));
        let Some(first) = before.first() else {
            // Upstream: an empty original list needs no order list.
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
) -> Result<(), MergeError> {
    let (Some(before), Some(after)) = (original.as_str(), modified.value.as_str()) else {
        let message = format!("invalid value for special key: {PATCH}");
        return Err(MergeError::new(MergeErrorKind::InvalidPatchValue, path, message)
            .with_hint("documents hold no directives; remove it from both"));
    };
    if before != after {
        patch.set(modified.key, modified.value);
    }
    Ok(())
}
