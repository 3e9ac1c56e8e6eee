//! ObjectMeta: typed access to the metadata every object has, and the rules it obeys.

pub(crate) mod check;

use std::cell::OnceCell;

use check::Nulls;
use kubemerge_value::{
    Kind, Node, Scalar, SharedValue, Str, shared::ByteSpan, to_canonical, write::MapWriter,
};
use serde_json::{Map, Value};

use crate::{
    protocol::{
        json::tree,
        status::{Outcome, bad_request},
    },
    store::metadata_field::Field,
};

/// The metadata of one object: the texts of its fields. Copies share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metadata {
    /// By field.
    texts: [Option<SharedValue>; Field::COUNT],
    /// What ObjectMeta does not have, sorted by name.
    unknown: Vec<(String, SharedValue)>,
    /// The decoded strings, filled in when a string with escapes is read.
    decoded: OnceCell<Box<[String; Field::COUNT]>>,
}

impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        (&self.texts, &self.unknown) == (&other.texts, &other.unknown)
    }
}

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) block_owner_deletion: bool,
}

impl Metadata {
    /// Reads metadata as the typed decoder does: nulls are absent, unknown fields stay for the caller to judge,
    /// whatever their value.
    pub(crate) fn read(text: &SharedValue) -> Outcome<Metadata> {
        match text.node().kind() {
            Kind::Null => return Ok(Metadata::default()),
            Kind::Map => {}
            other => {
                let found = other.go_name();
                return Err(bad_request(format!(
                    "json: cannot unmarshal {found} into Go value of type v1.ObjectMeta"
                )));
            }
        }
        let mut metadata = Metadata::default();
        for (name, value) in text.members() {
            match Field::named(name) {
                Some(field) => {
                    // Types are checked while decoding, values only when the object is written: Kubernetes
                    // does both too.
                    let nulls = check::shape(field, &value)?;
                    metadata
                        .place(field, if nulls == Nulls::Some { with_empty_texts(&value) } else { value });
                }
                None => metadata.unknown.push((name.text().into_owned(), value)),
            }
        }
        Ok(metadata)
    }

    /// Metadata in a document, by the places of its fields.
    pub(crate) fn at(document: &SharedValue, spans: &[ByteSpan; Field::COUNT]) -> Metadata {
        let mut metadata = Metadata::default();
        for (field, span) in Field::all().zip(spans).filter(|(_, span)| !span.is_nowhere()) {
            metadata.place(field, document.at(*span));
        }
        metadata
    }

    /// Puts the text of a field in its place, unless the typed encoder would leave it out.
    fn place(&mut self, field: Field, text: SharedValue) {
        self.texts[field as usize] = Some(text).filter(|text| !is_zero(field, text.as_bytes()));
    }

    /// How many bytes the fields take when they are written one after another.
    pub(crate) fn size(&self) -> usize {
        self.fields().map(|(field, text)| field.name().len() + text.as_bytes().len() + "\"\":,".len()).sum()
    }

    /// The fields that are there, in order, with their texts.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (Field, &SharedValue)> {
        Field::all().zip(&self.texts).filter_map(|(field, text)| Some((field, text.as_ref()?)))
    }

    pub(crate) fn to_map(&self) -> Map<String, Value> {
        let known = self.fields().map(|(field, text)| (field.name().to_string(), tree(text)));
        let unknown = self.unknown.iter().map(|(name, text)| (name.clone(), tree(text)));
        known.chain(unknown).collect()
    }

    fn text(&self, field: Field) -> &str {
        let text = self.shared(field).map_or("", SharedValue::as_str);
        match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            // Most strings have no escapes and are borrowed; the others are decoded together, once.
            Some(inner) if !inner.contains('\\') => inner,
            Some(_) => &self.decoded()[field as usize],
            None => "",
        }
    }

    /// What all strings say.
    fn decoded(&self) -> &[String; Field::COUNT] {
        let decode = |text: &Option<SharedValue>| {
            let string = text.as_ref().and_then(|text| text.node().as_str());
            string.map(|string| string.text().into_owned()).unwrap_or_default()
        };
        self.decoded.get_or_init(|| Box::new(self.texts.each_ref().map(decode)))
    }

    fn number(&self, field: Field) -> Option<i64> {
        match self.shared(field)?.node().scalar() {
            Some(Scalar::Int(number)) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.text(Field::Name)
    }

    pub(crate) fn namespace(&self) -> &str {
        self.text(Field::Namespace)
    }

    pub(crate) fn uid(&self) -> &str {
        self.text(Field::Uid)
    }

    pub(crate) fn resource_version(&self) -> &str {
        self.text(Field::ResourceVersion)
    }

    pub(crate) fn generation(&self) -> i64 {
        self.number(Field::Generation).unwrap_or(0)
    }

    pub(crate) fn grace_period(&self) -> Option<i64> {
        self.number(Field::DeletionGracePeriodSeconds)
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.has(Field::DeletionTimestamp)
    }

    pub(crate) fn has(&self, field: Field) -> bool {
        self.shared(field).is_some()
    }

    /// The tree of a field.
    pub(crate) fn get(&self, field: Field) -> Option<Value> {
        self.shared(field).map(tree)
    }

    /// The text of a member, whether ObjectMeta has it or not.
    pub(crate) fn member(&self, name: &str) -> Option<&SharedValue> {
        match Field::named(Str::plain(name)) {
            Some(field) => self.shared(field),
            None => self.unknown.iter().find(|(unknown, _)| unknown == name).map(|(_, text)| text),
        }
    }

    /// The text of a field.
    pub(crate) fn shared(&self, field: Field) -> Option<&SharedValue> {
        self.texts[field as usize].as_ref()
    }

    /// Whether both have the same value in a field, or both none.
    pub(crate) fn same(&self, other: &Metadata, field: Field) -> bool {
        self.shared(field) == other.shared(field)
    }

    pub(crate) fn set(&mut self, field: Field, value: impl Into<Value>) {
        let value = value.into();
        self.put(field, Node::from_value(&value).unwrap_or(Node::NULL));
    }

    /// Sets a field to a string.
    pub(crate) fn set_text(&mut self, field: Field, text: &str) {
        // An equal text is kept, so that the object still shares the text it was read from.
        if self.text(field) != text || !self.has(field) {
            self.put(field, Node::string(text));
        }
    }

    /// Sets what makes a new object one of its own; the texts share one document.
    pub(crate) fn set_identity(&mut self, created: &str, generation: Option<i64>, uid: &str) {
        // One document for the three fields: one allocation instead of three.
        let mut writer = MapWriter::with_capacity(128);
        let created = writer.text(Field::CreationTimestamp.plain_name(), created);
        let generation = generation
            .map(|number| writer.member(Field::Generation.name(), Node::scalar_node(Scalar::Int(number))));
        let uid = writer.text(Field::Uid.plain_name(), uid);
        let document = SharedValue::from(writer.finish());
        self.replace(Field::CreationTimestamp, Some(document.at(created)));
        // Kinds without a generation keep what a client gives.
        if let Some(span) = generation {
            self.replace(Field::Generation, Some(document.at(span)));
        }
        self.replace(Field::Uid, Some(document.at(uid)));
    }

    fn put(&mut self, field: Field, value: Node<'_>) {
        self.replace(field, Some(to_canonical(value).into()));
    }

    fn replace(&mut self, field: Field, text: Option<SharedValue>) {
        self.texts[field as usize] = text;
        // The decoded strings are those of all fields, so that any change drops them.
        self.decoded.take();
    }

    /// Removes a field; answers its text.
    pub(crate) fn remove(&mut self, field: Field) -> Option<SharedValue> {
        let text = self.texts[field as usize].take();
        self.decoded.take();
        text
    }

    /// Takes a field from other metadata, or loses it if the other has none.
    pub(crate) fn take(&mut self, field: Field, from: &Metadata) {
        if !self.same(from, field) {
            self.replace(field, from.shared(field).cloned());
        }
    }

    pub(crate) fn merge_strings(&mut self, field: Field, pairs: &Map<String, Value>) {
        if pairs.is_empty() {
            return;
        }
        let mut merged = match self.get(field) {
            Some(Value::Object(map)) => map,
            _ => Map::new(),
        };
        merged.extend(pairs.clone());
        self.set(field, merged);
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        self.list(Field::Finalizers).iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().iter().any(|one| one == name)
    }

    pub(crate) fn set_finalizers(&mut self, finalizers: Vec<String>) {
        // The typed encoder leaves empty lists out.
        if finalizers.is_empty() {
            self.remove(Field::Finalizers);
        } else {
            self.set(Field::Finalizers, finalizers);
        }
    }

    pub(crate) fn owner_references(&self) -> Vec<OwnerReference> {
        self.list(Field::OwnerReferences).iter().map(OwnerReference::from_value).collect()
    }

    pub(crate) fn owner_uids(&self) -> Vec<String> {
        self.owner_references().into_iter().map(|owner| owner.uid).filter(|uid| !uid.is_empty()).collect()
    }

    /// Keeps only the owner references that are wanted; answers whether any was removed.
    pub(crate) fn retain_owners(&mut self, mut wanted: impl FnMut(&OwnerReference) -> bool) -> bool {
        let list = self.list(Field::OwnerReferences);
        let kept: Vec<Value> =
            list.iter().filter(|one| wanted(&OwnerReference::from_value(one))).cloned().collect();
        self.set_owner_list(&list, kept)
    }

    /// The items of a list; none if it is no list.
    fn list(&self, field: Field) -> Vec<Value> {
        match self.get(field) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        }
    }

    /// Replaces the list by what was kept of it; answers whether any was removed.
    fn set_owner_list(&mut self, list: &[Value], kept: Vec<Value>) -> bool {
        let changed = kept.len() < list.len();
        if kept.is_empty() {
            self.remove(Field::OwnerReferences);
        } else if changed {
            self.set(Field::OwnerReferences, kept);
        }
        changed
    }
}

impl OwnerReference {
    fn from_value(value: &Value) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
        OwnerReference {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            block_owner_deletion: value.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}

/// A map of strings with empty strings in place of nulls, as the typed decoder reads them.
fn with_empty_texts(map: &SharedValue) -> SharedValue {
    let mut map = tree(map);
    map.as_object_mut().into_iter().flat_map(Map::values_mut).filter(|value| value.is_null()).for_each(
        |null| {
            *null = "".into();
        },
    );
    Node::from_value(&map)
        .map_or_else(|_| SharedValue::from(to_canonical(Node::NULL)), |node| to_canonical(node).into())
}

/// What the typed encoder leaves out: nulls, empty strings, lists and maps, and generation 0.
fn is_zero(field: Field, text: &[u8]) -> bool {
    // An empty list of managers is a request to forget them; the text is never stored.
    if field == Field::ManagedFields {
        return text == b"null";
    }
    matches!(text, b"null" | b"\"\"" | b"[]" | b"{}") || text == b"0" && field == Field::Generation
}
