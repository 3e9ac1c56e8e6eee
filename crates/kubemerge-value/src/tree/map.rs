//! Maps of a tree: fields by name, always sorted.

use bumpalo::collections::Vec;

use super::{
    Arena, List, Value,
    parts::{Parts, Share},
};
use crate::part::item_at;

/// A field of a map.
pub type TreeField<'a> = (&'a str, Value<'a>);

/// A map of a tree. It may share its fields with other trees: they are copied before they change.
#[derive(Debug)]
pub struct Map<'a> {
    entries: Parts<'a, TreeField<'a>>,
    /// One bit for each name, by [`name_bit`]: most names that rules ask for are absent, which this tells at once.
    /// A bit stays when its field is removed.
    names: u64,
}

/// The bit of a name; other names may have the same. Known at compile time where the name is.
#[inline(always)]
fn name_bit(name: &str) -> u64 {
    match name.as_bytes() {
        [] => 1,
        [first, .., last] => 1 << ((*first as usize * 7 + *last as usize * 3 + name.len()) % 64),
        [only] => 1 << (*only % 64),
    }
}

impl<'a> Map<'a> {
    /// An empty map.
    pub fn new_in(arena: &'a Arena) -> Map<'a> {
        Map::with_capacity_in(0, arena)
    }

    /// An empty map with room for some fields.
    pub fn with_capacity_in(capacity: usize, arena: &'a Arena) -> Map<'a> {
        Map { entries: Parts::with_capacity_in(capacity, arena), names: 0 }
    }

    /// The arena that the map lives in.
    pub fn arena(&self) -> &'a Arena {
        self.entries.arena()
    }

    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// How many fields it has.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// The fields, sorted by name.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&'a str, &Value<'a>)> {
        self.entries.iter().map(|(name, value)| (*name, value)).filter(|(_, value)| is_shown(value))
    }

    /// The fields, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'a str, &mut Value<'a>)> {
        self.entries.own().iter_mut().map(|(name, value)| (*name, value)).filter(|(_, value)| is_shown(value))
    }

    /// The place of a field, or where it would be.
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| (*known).cmp(name))
    }

    /// The place of a field.
    #[inline]
    fn place(&self, name: &str) -> Option<usize> {
        if self.names & name_bit(name) == 0 { None } else { self.search(name) }
    }

    /// The place of a field. Names of few fields differ in length mostly, which is quicker to see than their order.
    fn search(&self, name: &str) -> Option<usize> {
        const MAX_LINEAR_FIELDS: usize = 16;
        if self.entries.len() > MAX_LINEAR_FIELDS {
            return self.find(name).ok();
        }
        self.entries.iter().position(|(known, _)| known.len() == name.len() && *known == name)
    }

    #[inline]
    fn value_at(&self, place: usize) -> &Value<'a> {
        &item_at(&self.entries, place).1
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "A place was found or filled in the same entries just before."
    )]
    #[inline]
    fn value_at_mut(&mut self, place: usize) -> &mut Value<'a> {
        &mut self.entries.own()[place].1
    }

    /// The value of a field.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.get_raw(name).filter(|value| is_shown(value))
    }

    /// The value of a field, omitted ones too.
    #[inline]
    pub fn get_raw(&self, name: &str) -> Option<&Value<'a>> {
        self.place(name).map(|at| self.value_at(at))
    }

    /// The value of a field, to change it.
    #[inline]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value<'a>> {
        self.place(name).map(|at| self.value_at_mut(at)).filter(|value| is_shown(value))
    }

    /// Whether there is a field, null or not.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether a client gave a list or map without items, which Go does not write.
    pub fn is_given_empty(&self, name: &str) -> bool {
        matches!(self.get_raw(name), Some(Value::Omitted(_)))
    }

    /// Sets a field.
    pub fn set(&mut self, name: &'a str, value: impl Into<Value<'a>>) {
        match self.find(name) {
            Ok(at) => *self.value_at_mut(at) = value.into(),
            Err(at) => self.insert_at(at, name, value.into()),
        }
    }

    /// Sets a field to a text that is copied into the arena.
    pub fn set_text(&mut self, name: &'a str, text: &str) {
        let text: &'a str = self.arena().alloc_str(text);
        self.set(name, text);
    }

    /// Sets a field that is absent, null or empty: what Go's defaulting functions do to `""`, 0 and nil.
    pub fn set_default(&mut self, name: &'a str, value: impl Into<Value<'a>>) {
        match self.find(name) {
            Ok(at) if !self.value_at(at).is_empty() => {}
            Ok(at) => *self.value_at_mut(at) = value.into(),
            Err(at) => self.insert_at(at, name, value.into()),
        }
    }

    /// Sets a field that is absent or null: what Go's defaulting functions do to nil pointers.
    pub fn set_if_absent(&mut self, name: &'a str, value: impl Into<Value<'a>>) {
        match self.find(name) {
            Ok(at) if !matches!(self.value_at(at), Value::Null | Value::Omitted(_)) => {}
            Ok(at) => *self.value_at_mut(at) = value.into(),
            Err(at) => self.insert_at(at, name, value.into()),
        }
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        self.place(name).map(|at| self.entries.own().remove(at).1).filter(is_shown)
    }

    /// Takes a value out and leaves null in its place.
    pub fn take(&mut self, name: &str) -> Option<Value<'a>> {
        self.get_mut(name).map(|value| std::mem::replace(value, Value::Null))
    }

    /// Keeps the fields that a test accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value<'a>) -> bool) {
        self.entries.own().retain(|(name, value)| keep(name, value));
    }

    /// Keeps the fields that a test accepts, which may change their values.
    pub fn retain_mut(&mut self, mut keep: impl FnMut(&'a str, &mut Value<'a>) -> bool) {
        self.entries.own().retain_mut(|(name, value)| keep(name, value));
    }

    /// A string; empty if it is absent.
    pub fn str(&self, name: &str) -> &'a str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// An integer, if it is present.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Value::as_int)
    }

    /// A boolean; false if it is absent.
    pub fn bool(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A map, if it is present.
    pub fn map(&self, name: &str) -> Option<&Map<'a>> {
        self.get(name).and_then(Value::as_map)
    }

    /// A map, if it is present, to change it.
    pub fn map_mut(&mut self, name: &str) -> Option<&mut Map<'a>> {
        self.get_mut(name).and_then(Value::as_map_mut)
    }

    /// A map, created if it is absent.
    pub fn ensure_map(&mut self, name: &'a str) -> &mut Map<'a> {
        let at = match self.find(name) {
            Ok(at) => at,
            Err(at) => {
                self.insert_at(at, name, Value::Null);
                at
            }
        };
        if !matches!(self.value_at(at), Value::Map(_)) {
            // Only null can be here otherwise: the decoder refuses values of other types.
            let empty = Map::new_in(self.arena());
            *self.value_at_mut(at) = Value::Map(empty);
        }
        match self.value_at_mut(at) {
            Value::Map(map) => map,
            _ => unreachable!("the value was made a map above"),
        }
    }

    /// The items of a list; none if it is absent.
    pub fn list(&self, name: &str) -> &[Value<'a>] {
        self.get(name).and_then(Value::as_list).map_or(&[], |list| list)
    }

    /// A list, if it is present, to change it.
    pub fn list_mut(&mut self, name: &str) -> Option<&mut List<'a>> {
        match self.get_mut(name) {
            Some(Value::List(list)) => Some(list),
            _ => None,
        }
    }

    /// The items of a list that are maps; none if it is absent.
    pub fn maps(&self, name: &str) -> impl Iterator<Item = &Map<'a>> {
        self.list(name).iter().filter_map(Value::as_map)
    }

    /// The items of a list that are maps, to change them.
    pub fn maps_mut(&mut self, name: &str) -> impl Iterator<Item = &mut Map<'a>> {
        self.list_mut(name).into_iter().flat_map(List::maps_mut)
    }

    /// Puts a field at a place; the caller keeps the order.
    fn insert_at(&mut self, at: usize, name: &'a str, value: Value<'a>) {
        self.names |= name_bit(name);
        self.entries.own().insert(at, (name, value));
    }

    /// Adds a field while the map is read; its name is greater than all others.
    pub fn push_last(&mut self, name: &'a str, value: Value<'a>) {
        debug_assert!(self.entries.last().is_none_or(|last| last.0 < name));
        self.push_unsorted(name, value);
    }

    /// Adds a field while the map is read; names may come in any order.
    pub fn push_unsorted(&mut self, name: &'a str, value: Value<'a>) {
        self.names |= name_bit(name);
        self.entries.own().push((name, value));
    }

    /// Sorts the fields; of two with one name the later one counts.
    pub fn sort(&mut self) {
        // Clients that write Go's order or sorted JSON pay nothing.
        if self.entries.is_sorted_by(|one, other| one.0 < other.0) {
            return;
        }
        let entries = self.entries.own();
        entries.sort_by(|one, other| one.0.cmp(other.0));
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                // The first of the two is kept, so the later value moves into its place.
                std::mem::swap(later, earlier);
            }
            is_same
        });
    }

    /// A copy in an arena, which may be another one.
    pub fn copy_in<'b>(&self, arena: &'b Arena) -> Map<'b> {
        let mut copy = Vec::with_capacity_in(self.len(), arena);
        copy.extend(self.entries.iter().map(|(name, value)| (&*arena.alloc_str(name), value.copy_in(arena))));
        // Of a map of a slice they are not known.
        let names = self.entries.iter().fold(0, |names, (name, _)| names | name_bit(name));
        Map { entries: Parts::of(copy), names }
    }

    /// A map of fields that never change. They are sorted by name, each name once.
    #[inline]
    pub fn of_slice(fields: &'a [TreeField<'a>], arena: &'a Arena) -> Map<'a> {
        // Any name may be there.
        Map { entries: Parts::of_slice(fields, arena), names: u64::MAX }
    }

    /// The fields, sorted by name, with those that [are not shown](is_shown).
    #[inline]
    pub fn fields(&self) -> &[TreeField<'a>] {
        &self.entries
    }

    /// The same, to change their values.
    pub(super) fn fields_mut(&mut self) -> &mut [TreeField<'a>] {
        self.entries.own()
    }

    /// The same map for one tree more, without a copy.
    #[must_use]
    pub fn share(&'a self) -> Map<'a> {
        Map { entries: self.entries.share(), names: self.names }
    }

    pub(super) fn share_again(&self) -> Option<Map<'a>> {
        self.entries.share_again().map(|entries| Map { entries, names: self.names })
    }

    pub(super) fn freeze(self) -> Map<'a> {
        Map { entries: self.entries.freeze(), names: self.names }
    }

    /// Whether both are one part of memory, so that they are the same.
    #[inline]
    pub fn is_same_part(&self, other: &Map<'_>) -> bool {
        self.entries.is_same_part(&other.entries)
    }
}

impl<'a> Share<'a> for TreeField<'a> {
    fn share(&'a self) -> TreeField<'a> {
        (self.0, self.1.share())
    }
}

/// Whether readers see a value: what Go does not write is hidden.
#[inline]
pub fn is_shown(value: &Value<'_>) -> bool {
    !matches!(value, Value::Omitted(omitted) if !omitted.is_null)
}
