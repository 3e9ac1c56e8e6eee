//! What differs between two versions of an object, as the values that field managers compare.
//!
//! Fields and metadata with the same text in both are in neither: they have the same owners before and after. Only the
//! type stays, which tells the version, and the uid, which tells that the object was stored before.

use kubemerge_ssa::value::{Arena, Member, ParsedValue, ValuePair};
use smallvec::SmallVec;

use crate::{
    catalog::Resource,
    object::{Object, Versions},
    store::metadata_field::Field,
};

/// What differs between two versions of an object of the resource.
pub(crate) fn values<'a>(
    resource: &'a Resource,
    old: &'a Object,
    new: &'a Object,
    arena: &'a Arena,
) -> ValuePair<'a> {
    let mut differing = Differing::new(arena);
    for (name, text) in [("apiVersion", &resource.api_version), ("kind", &resource.kind)] {
        differing.add(name, ValuePair { old: ParsedValue::String(text), new: ParsedValue::String(text) });
    }
    let mut metadata = Differing::new(arena);
    // Stored text has neither; the first is tracked beside it, and no manager owns the second.
    let is_stored = |field: &Field| !matches!(field, Field::ManagedFields | Field::ResourceVersion);
    for field in Field::all().filter(is_stored) {
        metadata.add_texts(field.name(), [old.metadata.shared(field), new.metadata.shared(field)]);
    }
    if old.metadata.same(&new.metadata, Field::Uid)
        && let Some(uid) = old.metadata.shared(Field::Uid)
    {
        let uid = ParsedValue::from_shared(uid, arena);
        metadata.add(Field::Uid.name(), ValuePair { old: uid, new: uid });
    }
    differing.add("metadata", metadata.finish());
    old.beside(new).for_each(|(name, versions)| differing.add_texts(name, versions));
    differing.finish()
}

/// The members of two maps.
struct Differing<'a> {
    old: SmallVec<[Member<'a>; 4]>,
    new: SmallVec<[Member<'a>; 4]>,
    arena: &'a Arena,
}

impl<'a> Differing<'a> {
    fn new(arena: &'a Arena) -> Self {
        Differing { old: SmallVec::new(), new: SmallVec::new(), arena }
    }

    fn add(&mut self, name: &'a str, values: ValuePair<'a>) {
        self.old.push(Member { name, value: values.old });
        self.new.push(Member { name, value: values.new });
    }

    fn add_texts(&mut self, name: &'a str, versions: Versions<'a>) {
        match versions {
            [old, new] if old == new => {}
            // Parts of them that are the same are read once.
            [Some(old), Some(new)] => self.add(name, ValuePair::from_shared(old, new, self.arena)),
            [old, new] => {
                let member = |text| Member { name, value: ParsedValue::from_shared(text, self.arena) };
                self.old.extend(old.map(member));
                self.new.extend(new.map(member));
            }
        }
    }

    fn finish(mut self) -> ValuePair<'a> {
        let map = |members: &mut SmallVec<[Member<'a>; 4]>| {
            // Maps are sorted; fields come in the order of one of the objects.
            members.sort_unstable_by_key(|member| member.name);
            ParsedValue::Map(self.arena.alloc_slice_copy(members))
        };
        ValuePair { old: map(&mut self.old), new: map(&mut self.new) }
    }
}
