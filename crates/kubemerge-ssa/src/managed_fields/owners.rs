//! Who owns what: the entries of an object read the other way round, and moved from one manager to another.

use super::entry::{FieldsV1, ManagedFieldsEntry, ManagerId};
use super::find::Finder;
use super::{ManagedFields, ManagedFieldsError};
use crate::fieldpath::{Element, FieldOrder, FieldPath, FieldSet};
use crate::value::{Arena, ParsedValue};

/// A field and the managers that own it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedField {
    /// Its path, as messages print it: `.spec.containers[name="c"].image`.
    pub path: String,
    /// Who owns it, in the order of the entries.
    pub owners: Vec<ManagerId>,
    /// Where it is in the object, with positions in place of keys: `spec.containers[0].image`. `None` if the object does
    /// not have it.
    pub place: Option<String>,
}

impl ManagedFields {
    /// Every field that a manager owns, and where it is in the object: what is below a field follows it.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn owned_fields(&self, object: ParsedValue<'_>) -> Result<Vec<OwnedField>, ManagedFieldsError> {
        let arena = Arena::new();
        let mut sets = Vec::new();
        for entry in self.entries() {
            sets.push((entry.id(), read(&entry.fields, &arena)?));
        }
        // One pass over all paths in order, instead of one per manager.
        let all = sets.iter().fold(FieldSet::new(), |all, (_, set)| all.union(set, &arena));
        let finder = Finder::default();
        let owned = |path: &Vec<Element<'_>>| {
            let owners = sets.iter().filter(|(_, set)| set.has(path)).map(|(id, _)| id.clone()).collect();
            OwnedField { path: FieldPath(path).to_string(), owners, place: place(object, path, &finder) }
        };
        Ok(in_tree_order(&all).iter().map(owned).collect())
    }

    /// Who owns a path of field names, exactly.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn owners_of(&self, path: &[Element<'_>]) -> Result<Vec<&ManagedFieldsEntry>, ManagedFieldsError> {
        let arena = Arena::new();
        let mut owners = Vec::new();
        for entry in self.entries() {
            if read(&entry.fields, &arena)?.has(path) {
                owners.push(entry);
            }
        }
        Ok(owners)
    }

    /// The entries after one manager has given some paths, and what is below them, to another.
    ///
    /// The receiver must have an entry or take over the version of the giver's.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn transferred(
        &self,
        from: &ManagerId,
        to: &ManagerId,
        paths: &FieldSet<'_>,
        order: FieldOrder,
    ) -> Result<ManagedFields, ManagedFieldsError> {
        let arena = Arena::new();
        let Some(giver) = self.entry(from) else { return Ok(self.clone()) };
        let set = read(&giver.fields, &arena)?;
        let left = set.recursive_difference(paths, &arena);
        // Everything at and below the paths.
        let given = set.difference(&left, &arena);
        let mut entries: Vec<ManagedFieldsEntry> =
            self.entries().iter().filter(|entry| !entry.is_of(from) && !entry.is_of(to)).cloned().collect();
        if !left.is_empty() {
            entries.push(ManagedFieldsEntry { fields: FieldsV1::of(&left, order), ..giver.clone() });
        }
        let had = self.entry(to).map(|entry| read(&entry.fields, &arena)).transpose()?;
        let owned = given.union(&had.unwrap_or_default(), &arena);
        if !owned.is_empty() {
            // A new manager takes version and time from the one that gives.
            let known = self.entry(to).unwrap_or(giver).clone();
            entries.push(ManagedFieldsEntry {
                manager: to.manager.clone(),
                operation: to.operation,
                subresource: to.subresource.clone(),
                fields: FieldsV1::of(&owned, order),
                ..known
            });
        }
        Ok(ManagedFields::from_entries(entries))
    }
}

/// The paths of a set as a tree prints them: a field, what is below it, then the next field.
pub(super) fn in_tree_order<'a>(set: &FieldSet<'a>) -> Vec<Vec<Element<'a>>> {
    let mut paths = Vec::new();
    set.each_path(|path| paths.push(path.to_vec()));
    // Sets have the members of a map before what is below any of them.
    paths.sort_by(|one, two| {
        let differing = one.iter().zip(two).map(|(one, two)| one.order(*two)).find(|order| order.is_ne());
        differing.unwrap_or_else(|| one.len().cmp(&two.len()))
    });
    paths
}

fn read<'a>(fields: &FieldsV1, arena: &'a Arena) -> Result<FieldSet<'a>, ManagedFieldsError> {
    fields.set_in(arena).map_err(|error| ManagedFieldsError::new(error.to_string()))
}

/// Where a path leads in an object, with positions in place of keys.
fn place(object: ParsedValue<'_>, path: &[Element<'_>], finder: &Finder) -> Option<String> {
    let (mut at, mut place) = (object, String::new());
    for element in path {
        if let Element::Name(name) = *element {
            at = at.get(name)?;
            append_name(&mut place, name);
            continue;
        }
        let items = at.items()?;
        let index = finder.position(items, *element)?;
        at = items.get(index)?;
        place.push_str(&format!("[{index}]"));
    }
    Some(place)
}

/// Appends a field to a place, as [`OwnedField::place`] has it.
pub fn append_name(place: &mut String, name: &str) {
    let is_plain = !name.is_empty() && !name.contains(['.', '[', ']']);
    match (is_plain, place.is_empty()) {
        (true, true) => place.push_str(name),
        (true, false) => place.push_str(&format!(".{name}")),
        (false, _) => place.push_str(&format!("[{name}]")),
    }
}
