//! The generator of the `spec` dialect: a patch that turns `current` into the wanted state and says no more
//! than that.
//!
//! There is one walk, over three versions; a two-way diff is the walk whose current state is the original.
//! `keyed` and `values` make the patches of merge lists, `whole` prepares values that are sent as they are.

mod keyed;
mod values;
mod whole;

use crate::{
    MergeError, MergeErrorKind,
    depth::Depth,
    diff::upstream::RetainKeys,
    directive::{SET_ELEMENT_ORDER, is_directive, may_hold_directives},
    patch_map::{MemberIndex, PatchMap},
    unions::refuse_excluded,
    versions::VersionNodes,
};
use kubemerge_schema::{ListStrategy, LookupError, MapStrategy, Type, Unions};
use kubemerge_value::{
    Arena, Kind, Node, Path, Str, deep, deep_equal, list,
    walk::{MemberPair, pair_members},
};

/// Whether a patch may hold order lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderLists {
    WhereNeeded,
    Never,
}

/// The patch from one document to another.
pub(crate) fn two_way<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let sides = Sides { original: Original::Current, modified, current: original };
    patch_of(ty, &sides, OrderLists::WhereNeeded, arena)
}

/// The patch that brings the current state to the wanted one.
pub(crate) fn patch<'a>(
    ty: Type<'_>,
    versions: &VersionNodes<'a>,
    order_lists: OrderLists,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let VersionNodes { original, modified, current } = *versions;
    patch_of(ty, &Sides { original: Original::Was(original), modified, current }, order_lists, arena)
}

fn patch_of<'a>(
    ty: Type<'_>,
    sides: &Sides<'a>,
    order_lists: OrderLists,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    // The quick look at the text spares most documents the walk.
    if may_hold_directives(sides.modified) {
        refuse_directives(sides.modified, &Path::ROOT, arena)?;
    }
    let maps =
        Maps { sides: *sides, ty, unions: ty.unions(), retain: RetainKeys::Unnamed, path: &Path::ROOT };
    Ok(Generator::new(order_lists, arena).maps(&maps)?.finish())
}

/// The value of a field in the form that a patch sends whole.
pub(crate) fn whole_value<'a>(
    key: Str<'a>,
    value: Node<'a>,
    ty: Type<'_>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    Generator::new(OrderLists::Never, arena).whole_field(&DiffField { key, holder: ty, path }, value)
}

/// A document in the form that a patch sends whole.
pub(crate) fn whole_document<'a>(
    value: Node<'a>,
    ty: Type<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    Generator::new(OrderLists::Never, arena).whole_map(value, ty, &Path::ROOT)
}

/// A directive would be carried out, not stored.
fn refuse_directives<'a>(value: Node<'a>, path: &Path<'_>, arena: &'a Arena) -> Result<(), MergeError> {
    for entry in value.entries(arena) {
        let path = path.field(entry.key);
        if is_directive(entry.key) {
            let message = format!("the document holds the directive {}", entry.key);
            return Err(MergeError::new(MergeErrorKind::DirectiveInDocument, &path, message)
                .with_hint("directives belong into patches; remove it"));
        }
        deep(|| refuse_directives(entry.value, &path, arena))?;
    }
    for (at, item) in value.elements(arena).iter().enumerate() {
        deep(|| refuse_directives(*item, &path.index(at), arena))?;
    }
    Ok(())
}

struct Generator<'a> {
    order_lists: OrderLists,
    arena: &'a Arena,
    depth: Depth,
}

/// A value in three versions.
#[derive(Clone, Copy)]
struct Sides<'a> {
    original: Original<'a>,
    modified: Node<'a>,
    current: Node<'a>,
}

/// What the original has where the other versions have a value.
#[derive(Clone, Copy)]
enum Original<'a> {
    /// The current value: no other client changed it.
    Current,
    /// This value.
    Was(Node<'a>),
    /// Nothing.
    Absent,
}

impl<'a> Original<'a> {
    /// What a look into the original found; `None` if no look was needed.
    fn of(found: Option<Option<Node<'a>>>) -> Self {
        match found {
            None => Original::Current,
            Some(None) => Original::Absent,
            Some(Some(value)) => Original::Was(value),
        }
    }
}

impl<'a> Sides<'a> {
    /// The original, if it is of the same kind as the wanted value; `None` if it is the current value.
    fn own_original(&self) -> Option<Node<'a>> {
        match self.original {
            Original::Current => None,
            // A value that changed its type has nothing in common with the new one.
            Original::Was(original) if original.kind() == self.modified.kind() => Some(original),
            Original::Was(_) | Original::Absent => Some(Node::NULL),
        }
    }

    /// Whether nothing was changed, as far as the texts tell.
    fn same_texts(&self) -> bool {
        self.agree(Node::has_same_text)
    }

    /// Whether nothing was changed.
    fn unchanged(&self) -> bool {
        self.agree(deep_equal)
    }

    fn agree(&self, equal: impl Fn(Node<'a>, Node<'a>) -> bool) -> bool {
        let agrees_with_original = match self.original {
            Original::Was(original) => equal(original, self.modified),
            // Two-way diffs have no third side to agree with.
            Original::Current | Original::Absent => true,
        };
        agrees_with_original && equal(self.modified, self.current)
    }
}

/// A field: its name, the type that holds it, and its path.
#[derive(Clone, Copy)]
struct DiffField<'f, 'a> {
    key: Str<'a>,
    holder: Type<'f>,
    path: &'f Path<'f>,
}

/// A field that the wanted state and the current one have.
struct ChangedField<'f, 'a> {
    field: DiffField<'f, 'a>,
    sides: Sides<'a>,
}

impl<'f> ChangedField<'f, '_> {
    /// The rule of the field. What the schema does not know does no harm while it does not change.
    fn rule<R>(
        &self,
        look_up: impl FnOnce(Type<'f>, &str) -> Result<R, LookupError>,
    ) -> Result<Option<R>, MergeError> {
        match look_up(self.field.holder, &self.field.key.text()) {
            Ok(rule) => Ok(Some(rule)),
            // An unknown field is a fault only where something has to be said about it.
            Err(_) if self.sides.unchanged() => Ok(None),
            Err(error) => Err(MergeError::from_lookup(error, self.field.path)),
        }
    }
}

/// A map in three versions.
struct Maps<'m, 'a> {
    sides: Sides<'a>,
    ty: Type<'m>,
    unions: Unions<'m>,
    retain: RetainKeys,
    path: &'m Path<'m>,
}

impl<'a> Generator<'a> {
    fn new(order_lists: OrderLists, arena: &'a Arena) -> Self {
        Generator { order_lists, arena, depth: Depth::default() }
    }

    fn maps(&self, maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        let _level = self.depth.enter();
        // Not at every level: comparing texts reads them, which would be quadratic in the depth.
        if self.depth.compares_texts() && maps.sides.same_texts() {
            return Ok(PatchMap::new(self.arena));
        }
        let patch = deep(|| match self.pair_members(maps) {
            Some(pairs) => self.pairs(&pairs, maps),
            None => self.members(maps),
        })?;
        if patch.is_empty() {
            return Ok(patch);
        }
        refuse_excluded(&patch, maps.unions, maps.sides.modified, maps.path)?;
        Ok(patch)
    }

    /// The members that changed, if two versions have the same ones in the same order.
    fn pair_members(&self, maps: &Maps<'_, 'a>) -> Option<Vec<MemberPair<'a>>> {
        let Sides { original, modified, current } = maps.sides;
        match (original, maps.retain) {
            // Pairs leave out equal members, which a third side or $retainKeys would need.
            (Original::Current, RetainKeys::Unnamed) if self.depth.compares_texts() => {
                pair_members(modified, current, |_| true)
            }
            _ => None,
        }
    }

    fn pairs(&self, pairs: &[MemberPair<'a>], maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        let mut patch = PatchMap::new(self.arena);
        for MemberPair { entry, other: current } in pairs {
            let field = DiffField { key: entry.key, holder: maps.ty, path: &maps.path.field(entry.key) };
            self.member(&field, entry.value, Some(*current), Original::Current, &mut patch)?;
        }
        Ok(patch)
    }

    fn members(&self, maps: &Maps<'_, 'a>) -> Result<PatchMap<'a>, MergeError> {
        let sides = &maps.sides;
        let mut original = sides.own_original().map(|original| MemberIndex::of(original, self.arena));
        let mut modified = MemberIndex::of(sides.modified, self.arena);
        let mut current = MemberIndex::of(sides.current, self.arena);
        let mut patch = PatchMap::new(self.arena);
        for entry in modified.entries {
            let field = DiffField { key: entry.key, holder: maps.ty, path: &maps.path.field(entry.key) };
            let current = current.find(entry.key);
            let original = original.as_mut().map(|original| original.find(entry.key));
            self.member(&field, entry.value, current, Original::of(original), &mut patch)?;
        }
        // Removed by the new configuration.
        // Without an original of its own, the current state is what was applied last.
        patch.remove_gone(original.as_ref().unwrap_or(&current), &mut modified);
        if maps.retain == RetainKeys::Named {
            patch.name_survivors(&current, &mut modified);
        }
        Ok(patch)
    }

    /// A member of the wanted map.
    fn member(
        &self,
        field: &DiffField<'_, 'a>,
        wanted: Node<'a>,
        current: Option<Node<'a>>,
        original: Original<'a>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        match current {
            Some(current) if current.kind() == wanted.kind() => {
                let sides = Sides { original, modified: wanted, current };
                self.change(&ChangedField { field: *field, sides }, patch)?;
            }
            // A null asks for removal; there may be nothing to remove.
            None if wanted.is_null() => {}
            Some(_) if wanted.is_null() => patch.set(field.key, Node::NULL),
            // The current state lacks the value, or has one of another type.
            _ => patch.set(field.key, self.whole_field(field, wanted)?),
        }
        Ok(())
    }

    /// A field of one kind on both sides.
    fn change(&self, change: &ChangedField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let ChangedField { field, sides } = change;
        match sides.modified.kind() {
            Kind::Map => self.change_map(change, patch),
            Kind::List if self.depth.compares_texts() && sides.same_texts() => Ok(()),
            Kind::List => self.change_list(change, patch),
            _ => {
                // By value: 1.0 and 1 do not differ.
                if sides.modified.scalar() != sides.current.scalar() {
                    patch.set(field.key, sides.modified);
                }
                Ok(())
            }
        }
    }

    fn change_map(&self, change: &ChangedField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let Some(rule) = change.rule(Type::map_field)? else { return Ok(()) };
        if rule.strategy == MapStrategy::Replace {
            return self.replace(change, patch);
        }
        let (retain, path) = (RetainKeys::of_rule(rule.retain_keys), change.field.path);
        let changes =
            self.maps(&Maps { sides: change.sides, ty: rule.value, unions: rule.unions(), retain, path })?;
        if !changes.is_empty() {
            patch.set(change.field.key, changes.finish());
        }
        Ok(())
    }

    fn change_list(&self, change: &ChangedField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let Some(rule) = change.rule(Type::list_field)? else { return Ok(()) };
        match rule.strategy {
            ListStrategy::Atomic => self.replace(change, patch),
            ListStrategy::Keyed(keys) => self.keyed_list(change, &rule, keys, patch),
            ListStrategy::Scalars | ListStrategy::Set => self.value_list(change, &rule, patch),
        }
    }

    /// A value that is replaced as a whole, if it differs.
    fn replace(&self, change: &ChangedField<'_, 'a>, patch: &mut PatchMap<'a>) -> Result<(), MergeError> {
        let ChangedField { field, sides } = change;
        if !deep_equal(sides.modified, sides.current) {
            patch.set(field.key, self.whole_field(field, sides.modified)?);
        }
        Ok(())
    }

    fn set_order(&self, field: Str<'a>, order: Vec<Node<'a>>, patch: &mut PatchMap<'a>) {
        patch.set_beside(SET_ELEMENT_ORDER, field, list(order, self.arena));
    }
}
