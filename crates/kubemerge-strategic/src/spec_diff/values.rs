//! Patches of lists that merge by value: scalars and sets.

use super::{Field, Generator, OrderLists, Sides, whole::refuse_repeated};
use crate::{
    Error,
    apply::elements::{element_kind, set_kind},
    directive::DELETE_FROM_PRIMITIVE_LIST,
    element::Element,
    patch_map::PatchMap,
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy};
use kubemerge_value::{Node, Path, list};

/// The elements of three versions.
struct Lists<'a> {
    original: &'a [Node<'a>],
    modified: &'a [Node<'a>],
    current: &'a [Node<'a>],
}

impl<'a> Generator<'a> {
    pub(super) fn value_list(
        &self,
        field: &Field<'_, 'a>,
        sides: &Sides<'a>,
        rule: &ListRule<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), Error> {
        let current = sides.current.elements(self.arena);
        let lists = Lists {
            original: sides.own_original().map_or(current, |original| original.elements(self.arena)),
            modified: sides.modified.elements(self.arena),
            current,
        };
        match lists.check(rule, field.path) {
            Err(_) if sides.unchanged() => return Ok(()),
            checked => checked?,
        }
        let added = without(lists.modified, lists.current);
        let deleted = without(lists.original, lists.modified);
        if self.order_lists == OrderLists::WhereNeeded && !lists.keeps_order(&added, &deleted) {
            self.set_order(field.key, lists.modified.to_vec(), patch);
        }
        if !added.is_empty() {
            patch.set(field.key, list(added, self.arena));
        }
        if !deleted.is_empty() {
            patch.set_beside(DELETE_FROM_PRIMITIVE_LIST, field.key, list(deleted, self.arena));
        }
        Ok(())
    }
}

impl<'a> Lists<'a> {
    fn check(&self, rule: &ListRule<'_>, path: &Path<'_>) -> Result<(), Error> {
        for list in [self.original, self.current] {
            match rule.strategy {
                ListStrategy::Set => set_kind(list, self.modified, path)?,
                _ => _ = element_kind(list, self.modified, path)?,
            }
        }
        refuse_repeated(self.modified, path)?;
        refuse_repeated(self.current, path)
    }

    /// Whether the wanted elements stand in the wanted order once they are deleted and added: new ones follow
    /// those that are there.
    fn keeps_order(&self, added: &[Node<'a>], deleted: &[Node<'a>]) -> bool {
        let deleted: HashSet<Element<'_>> = deleted.iter().map(|value| Element::of(*value)).collect();
        let place: HashMap<Element<'_>, usize> =
            self.modified.iter().enumerate().map(|(at, value)| (Element::of(*value), at)).collect();
        let kept = self.current.iter().filter(|value| !deleted.contains(&Element::of(**value)));
        kept.chain(added).filter_map(|value| place.get(&Element::of(*value))).is_sorted()
    }
}

/// The elements that the other list lacks, each once, in their order.
fn without<'a>(elements: &[Node<'a>], other: &[Node<'a>]) -> Vec<Node<'a>> {
    let mut known: HashSet<Element<'a>> = other.iter().map(|value| Element::of(*value)).collect();
    elements.iter().copied().filter(|value| known.insert(Element::of(*value))).collect()
}
