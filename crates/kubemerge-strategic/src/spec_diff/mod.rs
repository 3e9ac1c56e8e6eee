//! The generator of the `spec` dialect: a patch that turns `current` into the wanted state and says no more
//! than that.
//!
//! There is one walk, over three versions; a two-way diff is the walk whose current state is the original.
//! `keyed` and `values` make the patches of merge lists, `whole` prepares values that are sent as they are.

mod keyed;
mod values;
mod whole;

use crate::{
    Error, ErrorKind, Versions,
    depth::Depth,
    diff::RetainKeys,
    directive::{RETAIN_KEYS, SET_ELEMENT_ORDER, is_directive},
    patch_map::{Members, PatchMap},
};
use kubemerge_schema::{ListStrategy, MapStrategy, Type};
use kubemerge_value::{Arena, Entry, Kind, Node, Path, Scalar, Str, deep, deep_equal, list, same_text};

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
) -> Result<Node<'a>, Error> {
    let versions = Versions { original, modified, current: original };
    patch(ty, &versions, OrderLists::WhereNeeded, arena)
}

/// The patch that brings the current state to the wanted one.
pub(crate) fn patch<'a>(
    ty: Type<'_>,
    versions: &Versions<'a>,
    order_lists: OrderLists,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    if versions.modified.may_mention("$") {
        refuse_directives(versions.modified, &Path::ROOT, arena)?;
    }
    let sides =
        Sides { original: Some(versions.original), modified: versions.modified, current: versions.current };
    Ok(Generator::new(order_lists, arena).maps(&sides, ty, RetainKeys::Unnamed, &Path::ROOT)?.finish())
}

/// The value of a field in the form that a patch sends whole.
pub(crate) fn whole_value<'a>(
    key: Str<'a>,
    value: Node<'a>,
    ty: Type<'_>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    Generator::new(OrderLists::Never, arena).whole_field(key, value, ty, path)
}

/// A document in the form that a patch sends whole.
pub(crate) fn whole_document<'a>(value: Node<'a>, ty: Type<'_>, arena: &'a Arena) -> Result<Node<'a>, Error> {
    Generator::new(OrderLists::Never, arena).whole_map(value, ty, &Path::ROOT)
}

/// A directive would be carried out, not stored.
fn refuse_directives<'a>(value: Node<'a>, path: &Path<'_>, arena: &'a Arena) -> Result<(), Error> {
    for entry in value.entries(arena) {
        let path = path.field(entry.key);
        if is_directive(entry.key) {
            let message = format!("the document holds the directive {}", entry.key);
            return Err(Error::new(ErrorKind::DirectiveInDocument, &path, message)
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

/// A value in three versions; the original may never have had it.
#[derive(Clone, Copy)]
struct Sides<'a> {
    original: Option<Node<'a>>,
    modified: Node<'a>,
    current: Node<'a>,
}

impl<'a> Sides<'a> {
    /// The original, if it is of the same kind as the wanted value.
    fn original(&self) -> Node<'a> {
        let kind = self.modified.kind();
        self.original.filter(|original| original.kind() == kind).unwrap_or(Node::NULL)
    }

    /// Whether nobody changed anything, as far as the texts tell.
    fn same_texts(&self) -> bool {
        same_text(self.modified, self.current)
            && self.original.is_none_or(|original| same_text(original, self.modified))
    }

    /// Whether nobody changed anything.
    fn unchanged(&self) -> bool {
        deep_equal(self.modified, self.current)
            && self.original.is_none_or(|original| deep_equal(original, self.modified))
    }
}

impl<'a> Generator<'a> {
    fn new(order_lists: OrderLists, arena: &'a Arena) -> Self {
        Generator { order_lists, arena, depth: Depth::default() }
    }

    fn maps(
        &self,
        sides: &Sides<'a>,
        ty: Type<'_>,
        retain: RetainKeys,
        path: &Path<'_>,
    ) -> Result<PatchMap<'a>, Error> {
        let _level = self.depth.enter();
        if self.depth.compares_texts() && sides.same_texts() {
            return Ok(PatchMap::new(self.arena));
        }
        deep(|| {
            let mut original = Members::of(sides.original(), self.arena);
            let mut modified = Members::of(sides.modified, self.arena);
            let mut current = Members::of(sides.current, self.arena);
            let mut patch = PatchMap::new(self.arena);
            for entry in modified.entries {
                let before = original.find(entry.key);
                match current.find(entry.key).filter(|value| value.kind() == entry.value.kind()) {
                    Some(current) => {
                        let sides = Sides { original: before, modified: entry.value, current };
                        self.field(entry.key, &sides, ty, &path.field(entry.key), &mut patch)?;
                    }
                    None => self.new_value(entry, &mut current, ty, path, &mut patch)?,
                }
            }
            // Removed by the new configuration.
            for gone in original.entries.iter().filter(|entry| modified.find(entry.key).is_none()) {
                patch.set(gone.key, Node::NULL);
            }
            if retain == RetainKeys::Named {
                self.name_survivors(&mut modified, &current, &mut patch);
            }
            Ok(patch)
        })
    }

    /// A value that the current state lacks, or has with another type.
    fn new_value(
        &self,
        wanted: &Entry<'a>,
        current: &mut Members<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        // A null asks for removal; there may be nothing to remove.
        if !wanted.value.is_null() {
            let path = path.field(wanted.key);
            patch.set(wanted.key, self.whole_field(wanted.key, wanted.value, ty, &path)?);
        } else if current.find(wanted.key).is_some() {
            patch.set(wanted.key, Node::NULL);
        }
        Ok(())
    }

    /// A field of one kind on both sides.
    fn field(
        &self,
        key: Str<'a>,
        sides: &Sides<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        match sides.modified.kind() {
            Kind::Map => self.map_field(key, sides, ty, path, patch),
            Kind::List if self.depth.compares_texts() && sides.same_texts() => Ok(()),
            Kind::List => self.list_field(key, sides, ty, path, patch),
            _ => {
                if sides.modified.scalar() != sides.current.scalar() {
                    patch.set(key, sides.modified);
                }
                Ok(())
            }
        }
    }

    fn map_field(
        &self,
        key: Str<'a>,
        sides: &Sides<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        let rule = match ty.map_field(&key.text()) {
            Ok(rule) => rule,
            Err(_) if sides.unchanged() => return Ok(()),
            Err(error) => return Err(Error::from_lookup(error, path)),
        };
        if rule.strategy == MapStrategy::Replace {
            return self.replaced(key, sides, ty, path, patch);
        }
        let changes = self.maps(sides, rule.value, RetainKeys::of_rule(rule.retain_keys), path)?;
        if !changes.is_empty() {
            patch.set(key, changes.finish());
        }
        Ok(())
    }

    fn list_field(
        &self,
        key: Str<'a>,
        sides: &Sides<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        let rule = match ty.list_field(&key.text()) {
            Ok(rule) => rule,
            Err(_) if sides.unchanged() => return Ok(()),
            Err(error) => return Err(Error::from_lookup(error, path)),
        };
        match rule.strategy {
            ListStrategy::Atomic => self.replaced(key, sides, ty, path, patch),
            ListStrategy::Keyed(keys) => self.keyed_list(key, sides, (&rule, keys), path, patch),
            ListStrategy::Scalars | ListStrategy::Set => self.value_list(key, sides, &rule, path, patch),
        }
    }

    /// A value that is replaced as a whole, if it differs.
    fn replaced(
        &self,
        key: Str<'a>,
        sides: &Sides<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        if !deep_equal(sides.modified, sides.current) {
            patch.set(key, self.whole_field(key, sides.modified, ty, path)?);
        }
        Ok(())
    }

    fn set_order(&self, field: Str<'a>, order: Vec<Node<'a>>, patch: &mut PatchMap<'a>) {
        patch.set_beside(SET_ELEMENT_ORDER, field, list(order, self.arena));
    }

    /// The fields of the wanted map, where something changes or the current map has one more.
    fn name_survivors(&self, modified: &mut Members<'a>, current: &Members<'a>, patch: &mut PatchMap<'a>) {
        let mut names: Vec<Str<'a>> =
            modified.entries.iter().filter(|entry| !entry.value.is_null()).map(|entry| entry.key).collect();
        let more = |entry: &Entry<'a>| !entry.value.is_null() && modified.find(entry.key).is_none();
        if names.is_empty() || (patch.is_empty() && !current.entries.iter().any(more)) {
            return;
        }
        names.sort();
        let names = names.into_iter().map(|name| Node::scalar_node(Scalar::String(name)));
        patch.set(Str::plain(RETAIN_KEYS), list(names, self.arena));
    }
}
