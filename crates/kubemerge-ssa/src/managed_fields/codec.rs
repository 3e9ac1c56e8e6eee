//! `metadata.managedFields`: from values to entries and back.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use super::entry::{FieldsV1, ManagedFieldsEntry, ManagerId, Operation};
use super::time::Time;
use crate::fieldpath::{FieldOrder, FieldSet};
use crate::value::{Arena, Items, Members, ParsedValue, go_quoted};

/// The entries of an object, sorted, each manager once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManagedFields {
    entries: Vec<ManagedFieldsEntry>,
}

/// Why `managedFields` cannot be read, in the words of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedFieldsError {
    message: String,
}

impl ManagedFieldsError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        ManagedFieldsError { message: message.into() }
    }
}

impl Display for ManagedFieldsError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ManagedFieldsError {}

fn refused<T>(message: impl Into<String>) -> Result<T, ManagedFieldsError> {
    Err(ManagedFieldsError { message: message.into() })
}

/// What a request says about `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requested {
    /// Nothing, or something that cannot be read: the entries of the live object count.
    Nothing,
    /// `[]`, or one entry without content: start without entries.
    Reset,
    /// These entries.
    Entries(ManagedFields),
}

impl Requested {
    /// Reads the `managedFields` of a request. What cannot be read is ignored, as upstream does.
    pub fn read(value: Option<ParsedValue<'_>>, order: FieldOrder) -> Requested {
        match value {
            // A list with one empty entry is the documented way to reset.
            Some(ParsedValue::List(items)) if items.iter().all(is_empty) && items.len() <= 1 => {
                Requested::Reset
            }
            Some(list @ ParsedValue::List(_)) => match ManagedFields::read(Some(list), order) {
                Ok(entries) if !entries.is_empty() => Requested::Entries(entries),
                // Unreadable entries are ignored, as if the client had sent none.
                _ => Requested::Nothing,
            },
            _ => Requested::Nothing,
        }
    }
}

impl ManagedFields {
    /// No entries.
    #[must_use]
    pub fn new() -> Self {
        ManagedFields::default()
    }

    /// Sorts entries. Of two of one manager the later one counts.
    pub fn from_entries(entries: impl IntoIterator<Item = ManagedFieldsEntry>) -> Self {
        ManagedFields { entries: entries.into_iter().collect() }.decoded().into_owned()
    }

    /// The entries as they count for an operation. Of two of one manager, which a scale leaves, the
    /// later one counts.
    pub(super) fn decoded(&self) -> Cow<'_, ManagedFields> {
        let is_sorted = self.entries.is_sorted_by(|one, two| one.order(two).is_le());
        // Nearly always; saves copying every entry.
        if is_sorted && self.has_few_managers() {
            return Cow::Borrowed(self);
        }
        let mut seen = HashSet::with_capacity(self.entries.len());
        let is_first: Vec<bool> =
            self.entries.iter().rev().map(|entry| seen.insert(entry.identity())).collect();
        if is_sorted && is_first.iter().all(|is_first| *is_first) {
            return Cow::Borrowed(self);
        }
        let counting = self.entries.iter().zip(is_first.iter().rev()).filter(|(_, is_first)| **is_first);
        Cow::Owned(ManagedFields::sorted(counting.map(|(entry, _)| entry.clone()).collect()))
    }

    /// Whether there are few entries, each of another manager.
    fn has_few_managers(&self) -> bool {
        /// Up to this number comparing all pairs costs less than hashing.
        const MAX_PAIRWISE: usize = 6;
        let is_new = |(place, entry): (usize, &ManagedFieldsEntry)| {
            let identity = entry.identity();
            self.entries.iter().take(place).all(|before| before.identity() != identity)
        };
        self.entries.len() <= MAX_PAIRWISE && self.entries.iter().enumerate().all(is_new)
    }

    /// Entries in the order they are given: those of a `ManagedFields` that was written by other means.
    #[must_use]
    pub fn as_listed(entries: Vec<ManagedFieldsEntry>) -> Self {
        ManagedFields { entries }
    }

    /// Sorts entries without a look at who they belong to.
    pub(super) fn sorted(entries: Vec<ManagedFieldsEntry>) -> Self {
        let mut this = ManagedFields { entries };
        this.sort();
        this
    }

    /// Reads the list of an object; null and absent are no entries.
    ///
    /// # Errors
    /// In the words of Kubernetes, if an entry is malformed.
    pub fn read(
        value: Option<ParsedValue<'_>>,
        order: FieldOrder,
    ) -> Result<ManagedFields, ManagedFieldsError> {
        let items = match value {
            // Objects of old servers have none.
            None | Some(ParsedValue::Null) => Items::default(),
            Some(ParsedValue::List(items)) => items,
            Some(_) => return refused("managedFields must be a list"),
        };
        let entries: Result<Vec<ManagedFieldsEntry>, ManagedFieldsError> =
            items.iter().enumerate().map(|(place, item)| read_entry(place, item, order)).collect();
        Ok(ManagedFields::from_entries(entries?))
    }

    /// Appends the list as JSON, members sorted by name.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, entry) in self.entries.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_entry(entry, out);
        }
        out.push(b']');
    }

    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[ManagedFieldsEntry] {
        &self.entries
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of a manager.
    #[must_use]
    pub fn entry(&self, id: &ManagerId) -> Option<&ManagedFieldsEntry> {
        self.entries.iter().find(|entry| entry.is_of(id))
    }

    /// Whether two entries are of one manager, which counts once wherever entries are read.
    #[must_use]
    pub fn has_repeated_identity(&self) -> bool {
        let mut seen = HashSet::new();
        self.entries.iter().any(|entry| {
            // The version is part of an updater's identity only.
            let version = if entry.operation == Operation::Apply { "" } else { &*entry.api_version };
            !seen.insert((entry.operation, &*entry.manager, &*entry.subresource, version))
        })
    }

    pub(super) fn entries_mut(&mut self) -> &mut Vec<ManagedFieldsEntry> {
        &mut self.entries
    }

    /// Adds an entry, or replaces the one of its manager. The order is restored by [`Self::sort`].
    pub(super) fn put(&mut self, entry: ManagedFieldsEntry) {
        let id = entry.id();
        match self.entries.iter_mut().find(|known| known.is_of(&id)) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    pub(super) fn sort(&mut self) {
        self.entries.sort_by(ManagedFieldsEntry::order);
    }

    /// The entries without some paths and what is below them, for fields that the server removes itself.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn without_paths(
        &self,
        paths: &FieldSet<'_>,
        order: FieldOrder,
    ) -> Result<ManagedFields, ManagedFieldsError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let arena = Arena::new();
            let set = entry.fields.set(&arena).map_err(|error| ManagedFieldsError::new(error.to_string()))?;
            let left = set.recursive_difference(paths, &arena);
            match left == set {
                true => entries.push(entry.clone()),
                // A manager without fields has no entry.
                false if left.is_empty() => {}
                false => {
                    entries.push(ManagedFieldsEntry { fields: FieldsV1::of(&left, order), ..entry.clone() });
                }
            }
        }
        Ok(ManagedFields { entries })
    }

    /// Whether two lists are the same apart from times, which decides whether a write changes anything.
    #[must_use]
    pub fn is_same_without_times(&self, other: &ManagedFields) -> bool {
        let is_same = |(one, two): (&ManagedFieldsEntry, &ManagedFieldsEntry)| {
            ManagedFieldsEntry { time: two.time, ..one.clone() } == *two
        };
        self.entries.len() == other.entries.len() && self.entries.iter().zip(&other.entries).all(is_same)
    }
}

/// Whether an entry has nothing in it.
fn is_empty(entry: ParsedValue<'_>) -> bool {
    entry.members().is_some_and(Members::is_empty)
}

fn read_entry(
    place: usize,
    item: ParsedValue<'_>,
    order: FieldOrder,
) -> Result<ManagedFieldsEntry, ManagedFieldsError> {
    let text = |name: &str| match item.get(name) {
        None | Some(ParsedValue::Null) => Ok(""),
        Some(ParsedValue::String(text)) => Ok(text),
        Some(_) => refused(format!("managedFields[{place}].{name} must be a string")),
    };
    if item.members().is_none() {
        return refused(format!("managedFields[{place}] must be a map"));
    }
    let operation = match text("operation")? {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return refused("operation must be `Apply` or `Update`"),
    };
    let api_version = text("apiVersion")?;
    if api_version.is_empty() {
        return refused("apiVersion must not be empty");
    }
    match text("fieldsType")? {
        "FieldsV1" => {}
        // Texts as the API server has them.
        "" => return refused(format!("missing fieldsType in managed fields entry {place}")),
        other => {
            let other = go_quoted(other);
            return refused(format!("invalid fieldsType {other} in managed fields entry {place}"));
        }
    }
    Ok(ManagedFieldsEntry {
        manager: Arc::from(text("manager")?),
        operation,
        api_version: Arc::from(api_version),
        subresource: Arc::from(text("subresource")?),
        time: read_time(item.get("time"), place)?,
        fields: read_fields(item.get("fieldsV1"), order)?,
    })
}

fn read_time(value: Option<ParsedValue<'_>>, place: usize) -> Result<Option<Time>, ManagedFieldsError> {
    match value {
        None | Some(ParsedValue::Null) => Ok(None),
        Some(ParsedValue::String(text)) if Time::parse(text).is_some() => Ok(Time::parse(text)),
        Some(_) => refused(format!("managedFields[{place}].time must be a time")),
    }
}

/// A missing set is the empty one.
fn read_fields(value: Option<ParsedValue<'_>>, order: FieldOrder) -> Result<FieldsV1, ManagedFieldsError> {
    let json = value.unwrap_or(ParsedValue::EMPTY_MAP).to_json();
    // Values are written as ASCII and pieces of strings, so this is UTF-8.
    let text = String::from_utf8(json).unwrap_or_default();
    FieldsV1::parse(&text, order).map_err(|error| ManagedFieldsError {
        message: format!("error decoding versioned set: error decoding set: {error}"),
    })
}

fn write_entry(entry: &ManagedFieldsEntry, out: &mut Vec<u8>) {
    let mut text = |name: &str, value: &str| {
        out.extend_from_slice(name.as_bytes());
        ParsedValue::String(value).write_json(out);
    };
    // Members in the order in which Go writes them: sorted by name.
    text("{\"apiVersion\":", &entry.api_version);
    text(",\"fieldsType\":", "FieldsV1");
    out.extend_from_slice(b",\"fieldsV1\":");
    out.extend_from_slice(entry.fields.as_str().as_bytes());
    let mut text = |name: &str, value: &str| {
        if !value.is_empty() {
            out.extend_from_slice(name.as_bytes());
            ParsedValue::String(value).write_json(out);
        }
    };
    text(",\"manager\":", &entry.manager);
    text(",\"operation\":", entry.operation.word());
    text(",\"subresource\":", &entry.subresource);
    text(",\"time\":", &entry.time.map(|time| time.to_string()).unwrap_or_default());
    out.push(b'}');
}
