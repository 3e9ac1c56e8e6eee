//! The steps of a write in which the rules of a built-in kind take part: decode and default, prepare and validate.
//!
//! The rules work on a tree ([`kubemerge_kinds::tree`]), which lives from decoding until the record is written: an object
//! is read once and written once. Its metadata is that of an [`Object`] in between, see [`crate::object::typed`].

use kubemerge_kinds::{
    BuiltinKind, autoscaler_to_v2,
    field_error::FieldError,
    tree::{Arena, Map},
    typed::member_span,
};
use kubemerge_value::SharedValue;

use crate::{
    catalog::{
        Resource,
        cluster::{Cluster, Validation},
        definition::is_definition,
    },
    object::{Object, meta::Metadata, typed, view},
    protocol::status::{Outcome, invalid, unclassified},
    store::{Ownership, Record, metadata_field::Field},
    write::{admission, allocation, part::Part, request::Write, times},
};

/// The rules of a resource's kind, unless the object is checked by its OpenAPI document alone.
pub(crate) fn of<'c>(cluster: &'c Cluster, resource: &Resource) -> Option<BuiltinKind<'c>> {
    // What a definition serves depends on its rules, so they always hold.
    if cluster.validation == Validation::Off && !is_definition(resource) {
        return None;
    }
    resource.built_in(&cluster.schema).filter(|kind| kind.has_rules())
}

/// The rules of definitions.
pub(crate) fn definition(cluster: &Cluster) -> Option<BuiltinKind<'_>> {
    BuiltinKind::find(&cluster.schema, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
}

/// A new object that is loaded past the API, prepared by the rules of its kind; the inner error is what they refuse.
pub(crate) fn create(
    kind: Option<BuiltinKind<'_>>,
    object: &Object,
) -> Outcome<Result<Object, Vec<FieldError>>> {
    let Some(kind) = kind else { return Ok(Ok(object.clone())) };
    let (arena, record) = (Arena::new(), object.record());
    let (mut typed, _) = Typed::decode(kind, &arena, record.canonical().as_str()).map_err(unclassified)?;
    let errors = kind.create(&mut typed.tree);
    if !errors.is_empty() {
        return Ok(Err(errors));
    }
    Ok(Ok(Object::of_record(&typed::record(&typed.tree, Ownership::default()))))
}

/// The content of an object that did not come in a body.
const NO_CONTENT: [&[u8]; 2] = [&[], &[]];

/// An object in its typed form, with defaults.
#[derive(Debug)]
pub(crate) struct Typed<'a> {
    pub(crate) kind: BuiltinKind<'a>,
    pub(crate) tree: Map<'a>,
    /// The metadata in the tree, once it is known.
    metadata: Option<Metadata>,
    /// The text around the metadata, for objects in the body of a request.
    pub(crate) content: [&'a [u8]; 2],
    /// What strict field validation says.
    pub(crate) complaints: Complaints,
    pub(crate) extent: Extent,
}

/// Whether strict field validation has something to say about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Complaints {
    None,
    Some,
}

/// Which fields of an object were decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// Only its metadata: the rest is that of the object before.
    Metadata,
}

impl<'a> Typed<'a> {
    /// Reads a text into the typed form of its kind and fills in defaults. Answers unknown and duplicate fields, as
    /// strict field validation words them; an error is the message of the decoder.
    pub(crate) fn decode(
        kind: BuiltinKind<'a>,
        arena: &'a Arena,
        text: &'a str,
    ) -> Result<(Typed<'a>, Vec<String>), String> {
        let decoded = kind.decode(arena, text).map_err(|error| error.message().to_owned())?;
        let mut tree = decoded.object;
        kind.default(&mut tree);
        let strict: Vec<String> = decoded.strict.iter().map(ToString::to_string).collect();
        let complaints = if strict.is_empty() { Complaints::None } else { Complaints::Some };
        let (content, extent) = (NO_CONTENT, Extent::Whole);
        Ok((Typed { kind, tree, metadata: None, content, complaints, extent }, strict))
    }

    /// The typed form of an object that the server has put together.
    pub(crate) fn of_object(write: Write<'a>, kind: BuiltinKind<'a>, object: &Object) -> Outcome<Typed<'a>> {
        let text = write.arena.alloc_str(object.record().canonical().as_str());
        let decoded = Typed::decode(kind, write.arena, text);
        decoded.map(|(typed, _)| typed).map_err(unclassified)
    }

    /// Notes the text of the body that the object was decoded from.
    pub(crate) fn with_content(self, body: &'a str) -> Typed<'a> {
        let content = around_metadata(body).unwrap_or([&[], body.as_bytes()]);
        Typed { content, ..self }
    }

    /// The object as a tree of its own, for messages.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        // What was written is JSON, and bodies that are nested too deep are refused before.
        serde_json::from_str(&self.tree.to_text()).unwrap_or_default()
    }

    /// Writes the type and the metadata of an object into the tree.
    pub(crate) fn set_head(&mut self, resource: &'a Resource, object: &Object) {
        self.put_head(resource, object.metadata.clone());
    }

    /// The same without what stored text does not have.
    pub(crate) fn set_tracked_head(&mut self, resource: &'a Resource, object: &Object) {
        let mut metadata = object.metadata.clone();
        metadata.remove(Field::ManagedFields);
        metadata.remove(Field::ResourceVersion);
        self.put_head(resource, metadata);
    }

    fn put_head(&mut self, resource: &'a Resource, metadata: Metadata) {
        self.tree.set("apiVersion", resource.api_version.as_str());
        self.tree.set("kind", resource.kind.as_str());
        match &self.metadata {
            Some(before) => typed::change_metadata(&mut self.tree, before, &metadata),
            None => typed::set_metadata(&mut self.tree, &metadata),
        }
        self.metadata = Some(metadata);
    }

    /// Adds what has an owner although only the server sets it.
    pub(crate) fn complete_for_tracking(&mut self) {
        if self.kind.complete_for_tracking(&mut self.tree) {
            // What was added to the metadata does not stay: the next head replaces all of it.
            self.metadata = None;
        }
    }

    /// Copies the metadata out of the tree for the steps that all kinds share; [`Self::set_head`] writes it back.
    pub(crate) fn metadata(&mut self) -> Metadata {
        let metadata = typed::metadata(&mut self.tree);
        self.metadata = Some(metadata.clone());
        metadata
    }

    /// An autoscaler of version v1 in the version that is stored.
    fn in_newest_version(self, write: Write<'a>) -> Outcome<Typed<'a>> {
        let cluster = write.call.cluster;
        let Some(kind) = BuiltinKind::find(&cluster.schema, "autoscaling/v2", &write.call.resource.kind)
        else {
            return Ok(self);
        };
        let text = write.arena.alloc_str(&autoscaler_to_v2(&self.to_value()).to_string());
        Typed::decode(kind, write.arena, text).map(|(typed, _)| typed).map_err(unclassified)
    }

    /// An independent copy in the same arena.
    pub(crate) fn copy(&self) -> Typed<'a> {
        let (tree, metadata) = (self.tree.copy_in(self.tree.arena()), self.metadata.clone());
        Typed { tree, metadata, ..*self }
    }
}

/// The text around the metadata of an object, if it has any.
pub(crate) fn around_metadata(body: &str) -> Option<[&[u8]; 2]> {
    let span = member_span(body, "metadata")?;
    Some([&body.as_bytes()[..span.start], &body.as_bytes()[span.end..]])
}

/// The typed form of a text, without defaults; none if the text does not fit its kind.
pub(crate) fn typed_form(kind: BuiltinKind<'_>, document: &SharedValue) -> Option<SharedValue> {
    let arena = Arena::new();
    let decoded = kind.decode(&arena, document.as_str()).ok()?;
    Some(typed::record(&decoded.object, Ownership::default()).shared())
}

/// The tree of a stored object as rules know it; `None` if it does not fit its kind.
pub(crate) fn stored_object<'a>(write: Write<'a>, kind: BuiltinKind<'a>, stored: &Record) -> Option<Map<'a>> {
    let (resource, arena) = (write.call.resource, write.arena);
    // The rules of the newest version are applied to what is stored.
    let shown = if view::is_converted(resource) { None } else { view::shown(resource, stored) };
    let text = arena.alloc_str(shown.as_ref().unwrap_or(stored).canonical().as_str());
    match shown {
        // Stored with the names of another group, so not in the typed form of the kind.
        Some(_) => kind.decode(arena, text).ok().map(|decoded| decoded.object),
        None => Some(kind.read_stored(arena, text)),
    }
}

/// Runs the admission plugins, prepares an object for the store and refuses it if it breaks a rule.
pub(crate) fn admit<'a>(
    write: Write<'a>,
    mut typed: Typed<'a>,
    object: &Object,
    old: Option<&Map<'_>>,
) -> Outcome<Record> {
    let resource = write.call.resource;
    typed.set_head(resource, object);
    let is_converted = view::is_converted(resource);
    if is_converted {
        typed = typed.in_newest_version(write)?;
    }
    let Typed { kind, mut tree, content, complaints, .. } = typed;
    let errors = match (old, subresource(write)) {
        (Some(old), Some(name)) => kind.update_subresource(name, &mut tree, old),
        (old, _) => admit_whole(write, kind, &mut tree, old)?,
    };
    if !errors.is_empty() {
        return Err(invalid(resource.qualified_kind(), object.metadata.name(), &errors));
    }
    times::set_transitions(write, &mut tree, old);
    // A converted object is in the stored version already.
    if !is_converted {
        view::store_tree(resource, &mut tree);
    }
    let record = typed::record(&tree, object.ownership.clone());
    if old.is_none() && complaints == Complaints::None && kind.shares_content(&tree) {
        remember(write, content, object, &record);
    }
    Ok(record)
}

/// Notes what was stored of a new object, for the next one of its template.
fn remember(write: Write<'_>, content: [&[u8]; 2], object: &Object, record: &Record) {
    let call = write.call;
    // Warnings would be missing in the answers to other objects; what plugins add depends on other objects.
    let is_alone = call.warnings.borrow().is_empty() && write.transaction.settings.plugins.is_empty();
    if is_alone && !object.metadata.has(Field::Annotations) && content.iter().all(|text| !text.is_empty()) {
        call.cluster.shared_owners.set_stored(call.resource, content, record);
    }
}

/// The steps of a whole object: plugins come before the rules, and what is allocated before it is validated.
fn admit_whole(
    write: Write<'_>,
    kind: BuiltinKind<'_>,
    new: &mut Map<'_>,
    old: Option<&Map<'_>>,
) -> Outcome<Vec<FieldError>> {
    admission::mutate(write, new, old)?;
    let errors = kind.begin(new, old);
    if !errors.is_empty() {
        return Ok(errors);
    }
    allocation::allocate(write, new, old)?;
    let errors = match old {
        None => {
            kind.prepare_create(new);
            kind.validate(new)
        }
        Some(old) => {
            kind.prepare_update(new, old);
            kind.validate_update(new, old)
        }
    };
    if errors.is_empty() {
        admission::validate(write, new, old)?;
        kind.warnings(new, old).into_iter().for_each(|warning| write.call.warn(warning));
    }
    Ok(errors)
}

/// Completes an object that is loaded past the API: typed form and defaults. What cannot be decoded stays as it is.
pub(crate) fn complete(resource: &Resource, kind: BuiltinKind<'_>, object: &mut Object) {
    let (arena, record) = (Arena::new(), object.record());
    // Rules know an object in the words that clients see.
    let shown = view::shown(resource, &record).unwrap_or(record);
    if let Ok((mut typed, _)) = Typed::decode(kind, &arena, shown.canonical().as_str()) {
        view::store_tree(resource, &mut typed.tree);
        let ownership = std::mem::take(&mut object.ownership);
        *object = Object::of_record(&typed::record(&typed.tree, ownership));
    }
}

/// The subresource whose rules apply, if it is one.
fn subresource<'w>(write: Write<'w>) -> Option<&'w str> {
    if write.part == Part::Main { None } else { write.call.subresource() }
}
