//! Patches of lists that merge by value: scalars and sets.

use super::{ChangedField, Generator, OrderLists, Sides};
use crate::{
    MergeError, MergeErrorKind,
    apply::elements::{element_kind, set_kind},
    directive::DELETE_FROM_PRIMITIVE_LIST,
    element::Element,
    patch_map::PatchMap,
    register::{ElementRegister, ItemId, Positions},
};
use kubemerge_schema::{ListRule, ListStrategy};
use kubemerge_value::part::item_at;
use kubemerge_value::{Arena, Node, Path, list};

impl<'a> Generator<'a> {
    pub(super) fn value_list(
        &self,
        change: &ChangedField<'_, 'a>,
        rule: &ListRule<'_>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        let ChangedField { field, sides } = change;
        let lists = match Lists::of(sides, rule, field.path, self.arena) {
            Err(_) if sides.unchanged() => return Ok(()),
            lists => lists?,
        };
        // New values come last in a merge; only another order needs saying.
        if self.order_lists == OrderLists::WhereNeeded && !lists.keep_order() {
            self.set_order(field.key, lists.modified.elements.to_vec(), patch);
        }
        let added = lists.modified.without(&lists.current);
        if !added.is_empty() {
            patch.set(field.key, list(added, self.arena));
        }
        // Only what the last configuration had is deleted; other values belong to other clients.
        let deleted = lists.original.as_ref().unwrap_or(&lists.current).without(&lists.modified);
        if !deleted.is_empty() {
            patch.set_beside(DELETE_FROM_PRIMITIVE_LIST, field.key, list(deleted, self.arena));
        }
        Ok(())
    }
}

/// A list in three versions. There is no original if it is the current list.
struct Lists<'a> {
    original: Option<List<'a>>,
    modified: List<'a>,
    current: List<'a>,
}

impl<'a> Lists<'a> {
    fn of(
        sides: &Sides<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
        arena: &'a Arena,
    ) -> Result<Self, MergeError> {
        let original = sides.own_original().map(|original| original.elements(arena));
        let (modified, current) = (sides.modified.elements(arena), sides.current.elements(arena));
        // The same checks as in the merge, so that no patch is generated which it refuses.
        for list in original.into_iter().chain([current]) {
            match rule.strategy {
                ListStrategy::Set => set_kind(list, modified, path)?,
                _ => _ = element_kind(list, modified, path)?,
            }
        }
        let mut register = ElementRegister::with_capacity(modified.len() + current.len());
        let mut numbered = |elements| List::of(elements, &mut register);
        let lists = Lists {
            modified: numbered(modified),
            current: numbered(current),
            original: original.map(numbered),
        };
        lists.modified.refuse_repeated(path)?;
        lists.current.refuse_repeated(path)?;
        Ok(lists)
    }

    /// Whether the wanted elements are in the wanted order once others are deleted and new ones are added,
    /// which follow those that are there.
    fn keep_order(&self) -> bool {
        let is_new = |id: &&ItemId| self.current.positions.get(**id).is_none();
        let added = self.modified.numbers.iter().filter(is_new);
        let places = self.current.numbers.iter().chain(added);
        places.filter_map(|id| self.modified.positions.get(*id)).is_sorted()
    }
}

/// The elements of a list, and their numbers: equal elements have one.
struct List<'a> {
    elements: &'a [Node<'a>],
    numbers: Vec<ItemId>,
    positions: Positions,
}

impl<'a> List<'a> {
    fn of(elements: &'a [Node<'a>], register: &mut ElementRegister<'a>) -> Self {
        let numbers: Vec<ItemId> = elements.iter().map(|node| register.number(Element::of(*node))).collect();
        let positions = Positions::of(numbers.iter().copied());
        List { elements, numbers, positions }
    }

    /// The elements that the other list lacks, each once, in their order.
    fn without(&self, other: &List<'a>) -> Vec<Node<'a>> {
        let is_lacking = |(at, _): &(usize, &Node<'a>)| {
            !self.is_repeated(*at) && other.positions.get(*item_at(&self.numbers, *at)).is_none()
        };
        self.elements.iter().enumerate().filter(is_lacking).map(|(_, element)| *element).collect()
    }

    /// Whether an element is farther ahead, too.
    fn is_repeated(&self, at: usize) -> bool {
        self.positions.get(*item_at(&self.numbers, at)) != Some(at as u32)
    }

    /// No patch can put an element twice into a list that merges by value.
    fn refuse_repeated(&self, path: &Path<'_>) -> Result<(), MergeError> {
        match (0..self.elements.len()).find(|at| self.is_repeated(*at)) {
            None => Ok(()),
            Some(at) => {
                let message = "the list has this element twice; no patch can say that";
                Err(MergeError::new(MergeErrorKind::DuplicateElement, &path.index(at), message)
                    .with_hint("name every element once"))
            }
        }
    }
}

/// Refuses a list that no patch can make.
pub(super) fn refuse_repeated<'a>(elements: &'a [Node<'a>], path: &Path<'_>) -> Result<(), MergeError> {
    List::of(elements, &mut ElementRegister::with_capacity(elements.len())).refuse_repeated(path)
}
