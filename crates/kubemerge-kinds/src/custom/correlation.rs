//! A value and the value that it replaces: found by names in maps and by keys in lists.

use std::{cell::OnceCell, collections::HashMap};

use kubemerge_schema::{ListType, ValueType};
use kubemerge_value::deep;

use crate::tree::{Value, ValueRef};

/// A value of an updated object with the value that was stored in its place.
#[derive(Debug)]
pub struct Correlated<'v> {
    new: ValueRef<'v>,
    old: ValueRef<'v>,
    schema: ValueType<'v>,
    old_items: OnceCell<OldItems<'v>>,
}

/// The old items of a list with keys, by their keys.
#[derive(Debug)]
pub(super) struct OldItems<'v> {
    keys: Vec<&'v str>,
    items: HashMap<Vec<u8>, &'v Value<'v>>,
}

impl<'v> OldItems<'v> {
    /// The items of a list; none if the schema does not tell them apart.
    pub(super) fn of(old: Option<ValueRef<'v>>, schema: ValueType<'v>) -> OldItems<'v> {
        let keys: Vec<&str> = schema.list_map_keys().collect();
        let mut items = HashMap::new();
        let old = old.filter(|_| schema.list_type() == ListType::Map).and_then(ValueRef::as_list);
        for item in old.into_iter().flatten() {
            // Of several items with one key the first counts.
            if let Some(key) = composite_key(item, &keys) {
                items.entry(key).or_insert(item);
            }
        }
        OldItems { keys, items }
    }

    /// The item with the same keys.
    pub(super) fn get(&self, item: &Value<'_>) -> Option<&'v Value<'v>> {
        self.items.get(&composite_key(item, &self.keys)?).copied()
    }
}

impl<'v> Correlated<'v> {
    /// An object and the one that it replaces.
    pub fn new(
        new: impl Into<ValueRef<'v>>,
        old: impl Into<ValueRef<'v>>,
        schema: ValueType<'v>,
    ) -> Correlated<'v> {
        Correlated { new: new.into(), old: old.into(), schema, old_items: OnceCell::new() }
    }

    /// The value of a field, if both have it and the schema declares it.
    pub(super) fn key(&self, name: &str) -> Option<Correlated<'v>> {
        let (old, new) = (self.old.as_map()?.get(name)?, self.new.as_map()?.get(name)?);
        Some(Correlated::new(new, old, self.schema.member(name)?))
    }

    /// An item of a list with keys, if the old list has one with the same keys.
    pub(super) fn index(&self, at: usize) -> Option<Correlated<'v>> {
        let (new, items) = (self.new.as_list()?.get(at)?, self.schema.items()?);
        let old = self.old_items.get_or_init(|| OldItems::of(Some(self.old), self.schema));
        Some(Correlated::new(new, old.get(new)?, items))
    }

    /// Whether both are the same; lists with keys may be in another order.
    pub(super) fn is_unchanged(&self) -> bool {
        deep(|| match (self.new, self.old) {
            (ValueRef::List(new), ValueRef::List(old)) if self.schema.list_type() == ListType::Map => {
                new.len() == old.len() && self.all_items_unchanged(new.len())
            }
            (ValueRef::Map(new), ValueRef::Map(old)) => {
                // Upstream: what the schema does not declare is never found to be the same.
                let same = |name: &str| self.key(name).is_some_and(|child| child.is_unchanged());
                new.len() == old.len() && new.iter().all(|(name, _)| same(name))
            }
            (new, old) => new.same_in_go(old),
        })
    }

    fn all_items_unchanged(&self, count: usize) -> bool {
        (0..count).all(|at| match self.index(at) {
            Some(child) => child.is_unchanged(),
            // Without items in the schema the list is compared as a whole.
            None => self.schema.items().is_none() && self.new.same_in_go(self.old),
        })
    }
}

/// The values of the keys of an item; none unless it has all of them, and scalars.
fn composite_key(item: &Value<'_>, keys: &[&str]) -> Option<Vec<u8>> {
    let item = item.as_map()?;
    let mut text = Vec::new();
    for key in keys {
        let value =
            item.get(key).filter(|value| !matches!(value, Value::Null | Value::List(_) | Value::Map(_)))?;
        // A separator that no JSON text has, so that two keys cannot be read as one.
        text.push(0);
        value.append_key(&mut text);
    }
    Some(text)
}
