//! The conflict test of the `spec` dialect: directives count for what they do, and nothing changes in place.

use super::{PatchConflict, Sides};
use crate::{
    MergeError,
    directive::{PatchWord, is_directive},
    identity::{Identity, Keys},
    partial::Partial,
    patch_map::MemberIndex,
    strategy::Strategy,
    unions::excluded_fields,
};
use hashbrown::HashMap;
use kubemerge_schema::{
    FieldUnion, ItemStrategy, ListRule, ListStrategy, LookupError, LookupErrorKind, MapRule, MapStrategy,
    Type, Unions,
};
use kubemerge_value::part::item_at;
use kubemerge_value::{Arena, Entry, Kind, Node, Path, deep, deep_equal};

pub(crate) fn test<'a>(
    ty: Type<'_>,
    one: Node<'a>,
    other: Node<'a>,
    arena: &'a Arena,
) -> Result<Vec<PatchConflict<'a>>, MergeError> {
    let mut walk = ConflictWalk { arena, conflicts: Vec::new() };
    walk.maps(Sides { one, other }, ty, ty.unions(), &Path::ROOT)?;
    Ok(walk.conflicts)
}

struct ConflictWalk<'a> {
    arena: &'a Arena,
    conflicts: Vec<PatchConflict<'a>>,
}

impl<'a> ConflictWalk<'a> {
    fn unless_equal(&mut self, Sides { one, other }: Sides<'a>, path: &Path<'_>) {
        if !deep_equal(one, other) {
            self.conflicts.push(PatchConflict::at(path, one, other));
        }
    }

    fn maps(
        &mut self,
        sides: Sides<'a>,
        ty: Type<'_>,
        unions: Unions<'_>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        // One patch replaces or deletes what the other one changes.
        if word(sides.one) != word(sides.other) {
            self.conflicts.push(PatchConflict::at(path, sides.one, sides.other));
            return Ok(());
        }
        let (one, mut other) =
            (MemberIndex::of(sides.one, self.arena), MemberIndex::of(sides.other, self.arena));
        for entry in one.entries.iter().filter(|entry| !is_directive(entry.key)) {
            // Fields that only one patch names cannot conflict.
            if let Some(value) = other.find(entry.key) {
                deep(|| self.field(entry, value, ty, &path.field(entry.key)))?;
            }
        }
        for union in unions.iter() {
            self.excluded(sides, union, path);
        }
        Ok(())
    }

    /// Members of a union that one patch clears, because it sets another one, and the other patch sets.
    fn excluded(&mut self, sides: Sides<'a>, union: FieldUnion<'_>, path: &Path<'_>) {
        for field in excluded_fields(sides.one, union, self.arena) {
            if let Some(value) = sides.other.get(field).filter(|value| !value.is_null()) {
                self.conflicts.push(PatchConflict::at(&path.field(field.into()), Node::NULL, value));
            }
        }
        for field in excluded_fields(sides.other, union, self.arena) {
            if let Some(value) = sides.one.get(field).filter(|value| !value.is_null()) {
                self.conflicts.push(PatchConflict::at(&path.field(field.into()), value, Node::NULL));
            }
        }
    }

    fn field(
        &mut self,
        one: &Entry<'a>,
        other: Node<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        let sides = Sides { one: one.value, other };
        match (one.value.kind(), other.kind()) {
            (Kind::Map, Kind::Map) => {
                let rule =
                    map_rule(ty, &one.key.text()).map_err(|error| MergeError::from_lookup(error, path))?;
                if rule.strategy == MapStrategy::Merge {
                    return self.maps(sides, rule.value, rule.unions(), path);
                }
            }
            (Kind::List, Kind::List) => {
                let rule =
                    list_rule(ty, &one.key.text()).map_err(|error| MergeError::from_lookup(error, path))?;
                match rule.strategy {
                    ListStrategy::Keyed(keys) => {
                        let keys = Keys::new(keys, Strategy::Spec, self.arena);
                        return self.keyed_lists(sides, &keys, &rule, path);
                    }
                    // Values that are added or deleted one by one never conflict.
                    ListStrategy::Scalars | ListStrategy::Set => return Ok(()),
                    ListStrategy::Atomic => {}
                }
            }
            _ => {}
        }
        self.unless_equal(sides, path);
        Ok(())
    }

    fn keyed_lists(
        &mut self,
        sides: Sides<'a>,
        keys: &Keys<'_, 'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        // Equal lists agree even where items have no keys.
        if deep_equal(sides.one, sides.other) {
            return Ok(());
        }
        let one = Items::read(sides.one, keys, path, self.arena)?;
        let other = Items::read(sides.other, keys, path, self.arena)?;
        // A replace marker touches every item.
        if one.replaces || other.replaces {
            self.unless_equal(sides, path);
            return Ok(());
        }
        self.plain_items(&one, &other, rule, path)?;
        for delete in &one.deletes {
            if let Some(hit) = other.hit_by(delete) {
                self.conflicts.push(PatchConflict::at(&path.index(delete.at), delete.node, hit.node));
            }
        }
        for delete in &other.deletes {
            if let Some(hit) = one.hit_by(delete) {
                self.conflicts.push(PatchConflict::at(&path.index(hit.at), hit.node, delete.node));
            }
        }
        Ok(())
    }

    fn plain_items(
        &mut self,
        one: &Items<'a>,
        other: &Items<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        for item in &one.plain {
            let Some(partner) = other.same(item.identity) else { continue };
            let (sides, path) = (Sides { one: item.node, other: partner.node }, path.index(item.at));
            match rule.items {
                ItemStrategy::Merge => deep(|| self.maps(sides, rule.item, rule.unions(), &path))?,
                ItemStrategy::Replace => self.unless_equal(sides, &path),
            }
        }
        Ok(())
    }
}

/// The `$patch` word of a map; `merge` is what happens without one.
fn word(map: Node<'_>) -> Option<PatchWord> {
    PatchWord::in_map(map).filter(|word| *word != PatchWord::Merge)
}

struct Item<'a> {
    at: usize,
    node: Node<'a>,
    identity: Identity<'a>,
    written: u32,
}

/// The items of a keyed patch list.
struct Items<'a> {
    plain: Vec<Item<'a>>,
    deletes: Vec<Item<'a>>,
    replaces: bool,
    /// The first plain item of each identity.
    first: HashMap<Identity<'a>, usize>,
    /// The first plain item that has these values for these keys, for each set of keys that a delete item writes.
    partial: std::cell::RefCell<Partial<'a, usize>>,
}

impl<'a> Items<'a> {
    fn read(
        list: Node<'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
        arena: &'a Arena,
    ) -> Result<Self, MergeError> {
        let mut items = Items {
            plain: Vec::new(),
            deletes: Vec::new(),
            replaces: false,
            first: HashMap::new(),
            partial: Default::default(),
        };
        for (at, node) in list.elements(arena).iter().copied().enumerate() {
            let word = PatchWord::in_map(node);
            // A marker is no item and needs no key.
            if word == Some(PatchWord::Replace) {
                items.replaces = true;
                continue;
            }
            let (identity, written) = keys.require(node, &path.index(at), arena)?;
            let item = Item { at, node, identity, written };
            if word == Some(PatchWord::Delete) {
                items.deletes.push(item);
            } else {
                items.first.entry(identity).or_insert(items.plain.len());
                items.plain.push(item);
            }
        }
        Ok(items)
    }

    fn same(&self, identity: Identity<'a>) -> Option<&Item<'a>> {
        self.first.get(&identity).map(|at| item_at(&self.plain, *at))
    }

    /// A plain item that the delete item would remove.
    fn hit_by(&self, delete: &Item<'a>) -> Option<&Item<'a>> {
        let (mut partial, mask) = (self.partial.borrow_mut(), delete.written);
        // One index per set of keys, built when the first delete item needs it.
        if partial.open(mask) {
            let has_keys = |(_, item): &(usize, &Item<'a>)| item.identity.mask() & mask == mask;
            for (at, item) in self.plain.iter().enumerate().filter(has_keys) {
                partial.insert(item.identity, mask, at);
            }
        }
        partial.find(delete.identity, mask).map(|at| item_at(&self.plain, *at))
    }
}

/// What the schema does not know is untyped here.
fn is_unknown(error: &LookupError) -> bool {
    matches!(error.kind, LookupErrorKind::UnknownField | LookupErrorKind::SchemaMismatch)
}

pub(crate) fn map_rule<'s>(ty: Type<'s>, field: &str) -> Result<MapRule<'s>, LookupError> {
    match ty.map_field(field) {
        // A field that the schema does not know merges without rules, so it is tested like that.
        Err(error) if is_unknown(&error) => ty.schema().untyped().map_field(field),
        rule => rule,
    }
}

pub(crate) fn list_rule<'s>(ty: Type<'s>, field: &str) -> Result<ListRule<'s>, LookupError> {
    match ty.list_field(field) {
        Err(error) if is_unknown(&error) => ty.schema().untyped().list_field(field),
        rule => rule,
    }
}
