//! An object on its way into the store: one tree from decoding until its record is written, metadata included.

use kubemerge_kinds::tree::{Map, Value};
use kubemerge_value::Entry;

use crate::store::{Ownership, Record, RecordWriter, StoredForm, metadata_field::Field};

/// Room for the text of most objects.
const RECORD_BYTES: usize = 2048;
/// Room for what is added to metadata.
const METADATA_BYTES: usize = 128;

/// An object that is being written.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    /// The whole object, without managedFields.
    pub(crate) tree: Map<'a>,
    /// The managedFields of the request, as JSON text.
    pub(crate) given_owners: Option<String>,
    pub(crate) owners: Owners,
}

/// Who owns which fields.
#[derive(Clone, Debug)]
pub(crate) enum Owners {
    /// The step that tracks finds it out.
    Pending,
    /// Decoding found it out, because the object was applied or scaled; or it was tracked.
    Known(Ownership, StoredForm),
}

impl<'a> Draft<'a> {
    /// An object that was decoded. Its metadata keeps only what it has: a zero value that Go writes counts as absent.
    pub(crate) fn new(mut tree: Map<'a>) -> Draft<'a> {
        let metadata = tree.ensure_map("metadata");
        // Go leaves out an empty list, which here means to forget all owners.
        let is_reset = metadata.is_given_empty("managedFields");
        let given = metadata.remove("managedFields").filter(|given| !matches!(given, Value::Null));
        let given_owners = given.map(|given| given.to_text()).or_else(|| is_reset.then(|| "[]".to_owned()));
        metadata.retain(|name, value| {
            Field::of_bytes(name.as_bytes()).is_some_and(|field| !is_zero(field, value))
        });
        Draft { tree, given_owners, owners: Owners::Pending }
    }

    /// The same with owners that are known.
    pub(crate) fn owned(self, ownership: Ownership) -> Draft<'a> {
        Draft { owners: Owners::Known(ownership, StoredForm::Unchecked), ..self }
    }

    /// An independent copy in the same arena.
    pub(crate) fn copy(&self) -> Draft<'a> {
        let (tree, given_owners) = (self.tree.copy_in(self.tree.arena()), self.given_owners.clone());
        Draft { tree, given_owners, owners: self.owners.clone() }
    }

    pub(crate) fn metadata_mut(&mut self) -> &mut Map<'a> {
        self.tree.ensure_map("metadata")
    }

    /// A text in the metadata; empty if it is absent.
    pub(crate) fn text(&self, field: Field) -> &'a str {
        metadata_text(&self.tree, field)
    }

    pub(crate) fn name(&self) -> &'a str {
        self.text(Field::Name)
    }

    pub(crate) fn has(&self, field: Field) -> bool {
        has_metadata(&self.tree, field)
    }

    /// Sets a text in the metadata.
    pub(crate) fn set_text(&mut self, field: Field, text: &str) {
        self.metadata_mut().set_text(field.name(), text);
    }

    /// Removes a field of the metadata.
    pub(crate) fn remove(&mut self, field: Field) {
        self.metadata_mut().remove(field.name());
    }

    /// Removes repeated owner references; answers their uids.
    pub(crate) fn dedup_owners(&mut self) -> Vec<String> {
        let Some(list) = self.metadata_mut().list_mut(Field::OwnerReferences.name()) else {
            return Vec::new();
        };
        let (mut seen, mut repeated) = (std::collections::HashSet::new(), Vec::new());
        list.retain(|reference| {
            // References are compared as text: equal text means equal values.
            let is_first = seen.insert(reference.to_text());
            if !is_first {
                repeated.push(reference.as_map().map_or("", |reference| reference.str("uid")).to_owned());
            }
            is_first
        });
        repeated
    }

    /// What to store.
    pub(crate) fn record(self) -> Record {
        match self.owners {
            Owners::Pending => record(&self.tree, Ownership::default(), StoredForm::Unchecked),
            Owners::Known(ownership, form) => record(&self.tree, ownership, form),
        }
    }
}

/// A text in the metadata of an object; empty if it is absent.
pub(crate) fn metadata_text<'a>(object: &Map<'a>, field: Field) -> &'a str {
    object.map("metadata").map_or("", |metadata| metadata.str(field.name()))
}

/// Whether the metadata of an object has a field.
pub(crate) fn has_metadata(object: &Map<'_>, field: Field) -> bool {
    object.map("metadata").is_some_and(|metadata| metadata.has(field.name()))
}

/// What the typed encoder leaves out of metadata: nulls, empty strings, lists and maps, and generation 0.
fn is_zero(field: Field, value: &Value<'_>) -> bool {
    match value {
        Value::Int(number) => *number == 0 && field == Field::Generation,
        Value::Bool(_) | Value::Float(_) => false,
        other => other.is_empty(),
    }
}

/// The record of an object.
pub(crate) fn record(tree: &Map<'_>, ownership: Ownership, form: StoredForm) -> Record {
    let mut writer = RecordWriter::with_capacity(RECORD_BYTES);
    let mut owners = Vec::new();
    for (name, value) in tree.iter() {
        match (name, value) {
            ("apiVersion", _) => writer.api_version(tree.str(name)),
            ("kind", _) => writer.kind(tree.str(name)),
            ("metadata", Value::Map(metadata)) => {
                write_metadata(&mut writer, metadata);
                owners = owner_uids(metadata);
            }
            _ => writer.append(name, |out| value.append_to(out)),
        }
    }
    writer.finish(owners, ownership, form)
}

/// The record of a stored object with other metadata; its other fields are copied as they are.
pub(crate) fn record_with_metadata(stored: &Record, metadata: &Map<'_>) -> Record {
    let mut writer = RecordWriter::with_capacity(stored.canonical().as_bytes().len() + METADATA_BYTES);
    for Entry { key, value } in stored.node().sorted_entries() {
        match &*key.text() {
            "apiVersion" => writer.api_version(stored.api_version()),
            "kind" => writer.kind(stored.kind()),
            "metadata" => write_metadata(&mut writer, metadata),
            name => writer.copy(name, value),
        }
    }
    writer.finish(owner_uids(metadata), stored.ownership().clone(), stored.form())
}

fn write_metadata(writer: &mut RecordWriter, metadata: &Map<'_>) {
    writer.metadata(metadata_fields(metadata), |out, name, value| {
        out.append_plain(name, |out| value.append_to(out))
    });
}

/// The fields of ObjectMeta: a tree that was decoded has no others.
fn metadata_fields<'t, 'a>(metadata: &'t Map<'a>) -> impl Iterator<Item = (Field, &'t Value<'a>)> {
    metadata.iter().filter_map(|(name, value)| Some((Field::of_bytes(name.as_bytes())?, value)))
}

fn owner_uids(metadata: &Map<'_>) -> Vec<String> {
    let uids = metadata.maps("ownerReferences").map(|owner| owner.str("uid"));
    uids.filter(|uid| !uid.is_empty()).map(str::to_owned).collect()
}
