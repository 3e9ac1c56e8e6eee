//! Lists of the `spec` dialect: values, order list and delete list together, under each rule.

use super::order::Order;
use crate::apply::{
    Merger,
    elements::{element_kind, expected_list, no_merge_key, on_its_side, set_kind},
    map::{Outcome, malformed_delete, malformed_order},
    unknown_patch,
};
use crate::{
    directive::{FieldPatch, PatchWord},
    element::Element,
    error::{MergeError, MergeErrorKind},
    observe::{MaybeObserver, MergeEvent, Ordering, Removal, Replacement},
    order::{live_items, without_directive},
    unions::patch_with_unions,
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy, Type, Unions};
use kubemerge_value::part::item_at;
use kubemerge_value::{Entry, Kind, ListView, Node, Path, Pick, Scalar, deep, list};

/// What a patch says about a list.
#[derive(Clone, Copy, Default)]
pub(in crate::apply) struct ListPatch<'a> {
    pub(in crate::apply) items: Option<Node<'a>>,
    pub(in crate::apply) order: Option<Entry<'a>>,
    pub(in crate::apply) delete: Option<Entry<'a>>,
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// A field with an order list or a delete list, in the live map around it.
    pub(in crate::apply) fn spec_list_field(
        &mut self,
        ty: Type<'_>,
        around: Option<Node<'a>>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        // All three parts must be lists before any is used.
        for directive in [field.order, field.delete].into_iter().flatten() {
            if directive.value.kind() != Kind::List {
                return Err(expected_list(directive.value, &beside(path, *directive)));
            }
        }
        if let Some(value) = field.value.filter(|value| value.kind() != Kind::List) {
            return Err(expected_list(value, path));
        }
        // A live null counts as absent; another type can only be replaced by a list, not ordered.
        let live = live.filter(|live| !live.is_null());
        let base = live.filter(|live| live.kind() == Kind::List);
        if let (Some(live), None, None) = (live, base, field.value) {
            return Err(expected_list(live, &path.in_live()));
        }
        // An order list asks for the rule, but below a field that live lacks any field may be unknown.
        let named = around.and(field.order).map(|order| order.value);
        let rule = self.rule_of_list(ty, base.or(named), field.field, path)?;
        let patch =
            ListPatch { items: field.value, order: field.order.copied(), delete: field.delete.copied() };
        let merged = self.spec_merge(&rule, base, &patch, path)?;
        let is_there = base.is_some() || field.value.is_some();
        Ok(if is_there { Outcome::Put(merged) } else { Outcome::Keep })
    }

    /// A list without directives beside it.
    pub(in crate::apply) fn spec_list(
        &mut self,
        rule: &ListRule<'_>,
        live: Option<Node<'a>>,
        items: Option<Node<'a>>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        self.spec_merge(rule, live, &ListPatch { items, ..ListPatch::default() }, path)
    }

    fn spec_merge(
        &mut self,
        rule: &ListRule<'_>,
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        match rule.strategy {
            ListStrategy::Keyed(keys) => {
                if let Some(delete) = patch.delete {
                    return Err(
                        malformed_delete(&beside(path, delete)).with_hint("delete items of maps by key")
                    );
                }
                self.spec_keyed(rule, keys, live, patch, path)
            }
            ListStrategy::Scalars => {
                let merged = self.spec_scalars(rule, live, patch, path)?;
                self.delete_values(rule, merged, patch, path)
            }
            ListStrategy::Set => {
                let merged = self.spec_set(rule, live, patch, path)?;
                self.delete_values(rule, merged, patch, path)
            }
            ListStrategy::Atomic => {
                let merged = self.spec_atomic(rule, live, patch, path)?;
                self.delete_values(rule, merged, patch, path)
            }
        }
    }

    fn spec_atomic(
        &mut self,
        rule: &ListRule<'_>,
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        if patch.items.is_some() && live.is_some() {
            self.observer.note(path, MergeEvent::ListReplaced { from: live, cause: Replacement::Rule });
        }
        let items = self.cleaned_items(rule, patch, path)?;
        let merged = match patch.items {
            Some(_) => list(items.iter().map(|(_, item)| *item), self.arena),
            None => live.unwrap_or(Node::NULL),
        };
        let Some(directive) = patch.order else { return Ok(merged) };
        // Maps without keys cannot be named in an order.
        if merged.elements(self.arena).iter().any(|item| item.scalar().is_none()) {
            let hint = "an order list needs a merge list or a list of scalars";
            return Err(malformed_order(&beside(path, directive)).with_hint(hint));
        }
        let order = Order::of_scalars(directive.value.elements(self.arena), &beside(path, directive))?;
        self.sorted(merged, &items, &order, path)
    }

    /// The items of the patch with their positions, as they go into a list that does not merge them.
    fn cleaned_items(
        &mut self,
        rule: &ListRule<'_>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Vec<(usize, Node<'a>)>, MergeError> {
        patch.items.map_or(Ok(Vec::new()), |items| self.clean_items(rule.item, rule.unions(), items, path))
    }

    /// Every map in the list merged into an empty one; items that only carry a directive are dropped.
    fn clean_items(
        &mut self,
        item: Type<'_>,
        unions: Unions<'_>,
        items: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Vec<(usize, Node<'a>)>, MergeError> {
        // Positions are kept, because dropped items would shift the paths of faults.
        let mut cleaned = Vec::new();
        for (at, node) in items.elements(self.arena).iter().enumerate() {
            let path = path.index(at);
            match node.kind() {
                Kind::Map => match PatchWord::in_map(*node) {
                    Some(PatchWord::Delete | PatchWord::Replace) => {}
                    Some(PatchWord::Unknown) => return Err(unknown_patch(*node, &path)),
                    Some(PatchWord::Merge) | None => {
                        let patch = patch_with_unions(*node, unions, &path, self.arena)?;
                        cleaned.push((at, deep(|| self.map(item, None, &patch, &path))?));
                    }
                },
                Kind::List => {
                    let untyped = item.schema().untyped();
                    let inner = deep(|| self.clean_items(untyped, Unions::NONE, *node, &path))?;
                    cleaned.push((at, list(inner.into_iter().map(|(_, item)| item), self.arena)));
                }
                _ => cleaned.push((at, *node)),
            }
        }
        Ok(cleaned)
    }

    fn spec_scalars(
        &mut self,
        rule: &ListRule<'_>,
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let view = ListView::new(live.unwrap_or(Node::NULL), self.arena);
        let items = patch.items.map_or(&[][..], |items| items.elements(self.arena));
        if let Some(Kind::Map) = on_its_side(element_kind, view.items(), items, path)? {
            return Err(no_merge_key(&rule.item.name(), path));
        }
        self.observer.note(path, MergeEvent::ListMerged { keys: &[] });
        let names = distinct(items);
        let index: HashMap<Scalar<'a>, u32> =
            names.iter().enumerate().map(|(at, (_, value))| (*value, at as u32)).collect();
        let values = view.items().iter().map(|item| item.scalar().unwrap_or(Scalar::Null));
        let picks: Vec<Pick<'a>> = without_directive(&live_items(values, &index), names.len())
            .into_iter()
            .map(|at| at.map_or_else(|name| Pick::Put(*item_at(items, item_at(&names, name).0)), Pick::Keep))
            .collect();
        self.note_new(&picks, path);
        let merged = view.pick(&picks, self.arena);
        let Some(directive) = patch.order else { return Ok(merged) };
        let order = Order::of_scalars(directive.value.elements(self.arena), &beside(path, directive))?;
        let items: Vec<(usize, Node<'a>)> = items.iter().copied().enumerate().collect();
        self.sorted(merged, &items, &order, path)
    }

    fn spec_set(
        &mut self,
        rule: &ListRule<'_>,
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let view = ListView::new(live.unwrap_or(Node::NULL), self.arena);
        let items = self.cleaned_items(rule, patch, path)?;
        let nodes: Vec<Node<'a>> = items.iter().map(|(_, node)| *node).collect();
        on_its_side(set_kind, view.items(), &nodes, path)?;
        self.observer.note(path, MergeEvent::ListMerged { keys: &[] });
        // By value, as a set has no other identity.
        let known: HashSet<Element<'a>> = view.items().iter().map(|item| Element::of(*item)).collect();
        let mut added = HashSet::new();
        let mut picks: Vec<Pick<'a>> = (0..view.items().len()).map(Pick::Keep).collect();
        for (at, node) in &items {
            let value = Element::of(*node);
            let is_known = known.contains(&value);
            // A repeated element is a mistake of the patch; one that live has already is not.
            if !added.insert(value) {
                return Err(duplicate(&path.index(*at)));
            }
            if !is_known {
                picks.push(Pick::Put(*node));
            }
        }
        self.note_new(&picks, path);
        let merged = view.pick(&picks, self.arena);
        let Some(directive) = patch.order else { return Ok(merged) };
        let order = Order::of_elements(directive.value.elements(self.arena));
        self.sorted(merged, &items, &order, path)
    }

    fn note_new(&mut self, picks: &[Pick<'a>], path: &Path<'_>) {
        for pick in picks {
            if let Pick::Put(value) = pick {
                self.observer.note(path, MergeEvent::ItemAdded { keys: &[], value: *value });
            }
        }
    }

    /// The merged list in the order of its order list, which the items of the patch must fit.
    fn sorted(
        &mut self,
        merged: Node<'a>,
        items: &[(usize, Node<'a>)],
        order: &Order<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        order.check(items, path)?;
        let view = ListView::new(merged, self.arena);
        let sorted = order.sort(view.items());
        if !sorted.is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::Directive });
        }
        let picks: Vec<Pick<'a>> = sorted.into_iter().map(Pick::Keep).collect();
        Ok(view.pick(&picks, self.arena))
    }

    /// Removes the values of the delete list, if there is one.
    fn delete_values(
        &mut self,
        rule: &ListRule<'_>,
        merged: Node<'a>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let Some(delete) = patch.delete else { return Ok(merged) };
        let view = ListView::new(merged, self.arena);
        let values = delete.value.elements(self.arena);
        check_deletable(rule, view.items(), values, path, &beside(path, delete))?;
        let unwanted: HashSet<Element<'a>> = values.iter().map(|value| Element::of(*value)).collect();
        let mut picks = Vec::with_capacity(view.items().len());
        for (at, item) in view.items().iter().enumerate() {
            if unwanted.contains(&Element::of(*item)) {
                let event = MergeEvent::Removed { value: *item, cause: Removal::DeleteList };
                self.observer.note(&path.index(at), event);
            } else {
                picks.push(Pick::Keep(at));
            }
        }
        Ok(view.pick(&picks, self.arena))
    }
}

/// The values of a delete list and of its list are of one type; maps and lists are compared in sets only.
fn check_deletable(
    rule: &ListRule<'_>,
    merged: &[Node<'_>],
    values: &[Node<'_>],
    path: &Path<'_>,
    delete_path: &Path<'_>,
) -> Result<(), MergeError> {
    if rule.strategy == ListStrategy::Set {
        return set_kind(merged, values, delete_path);
    }
    // A fault of the list itself is reported at the list, not at the directive.
    element_kind(merged, &[], path)?;
    match element_kind(merged, values, delete_path)? {
        Some(Kind::Map) => Err(no_merge_key(&rule.item.name(), delete_path)),
        _ => Ok(()),
    }
}

/// The path of a directive for the field at `path`.
pub(in crate::apply) fn beside<'p>(path: &'p Path<'p>, directive: Entry<'p>) -> Path<'p> {
    path.split().0.unwrap_or(&Path::ROOT).field(directive.key)
}

/// The first positions of the distinct scalars, and their values.
fn distinct<'a>(items: &[Node<'a>]) -> Vec<(usize, Scalar<'a>)> {
    let mut seen = HashSet::with_capacity(items.len());
    let scalars = items.iter().enumerate().filter_map(|(at, item)| item.scalar().map(|value| (at, value)));
    scalars.filter(|(_, value)| seen.insert(*value)).collect()
}

fn duplicate(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::DuplicateElement, path, "the set has this element already")
        .with_hint("name every element of a set once")
}
