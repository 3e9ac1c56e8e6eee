//! What the API server would store of an object, or why it would refuse it.
//!
//! [`admit`] and [`admit_update`] run the whole way: typed form, defaults, preparation, validation. A server runs
//! the steps one by one ([`BuiltinKind`], [`DeclaredRules`]) and puts in between what needs a store: names, uids, times,
//! allocations.

use std::fmt;
use std::sync::Arc;

use kubemerge_schema::{Schema, StructId, Type, builtin::NEWEST_MINOR};
use kubemerge_value::{Document, Node};

use crate::columns::TableColumn;
use crate::custom::{
    self,
    default::{DefaultsTooLarge, MAX_DEFAULT_BYTES},
    rules::CelRules,
};
use crate::declared::{self, DeclaredRules, Form, Undecodable};
use crate::field::{Field, FieldError, Report};
use crate::groups;
use crate::meta::{
    NameRule, generic_metadata, generic_metadata_update, validate_metadata, validate_metadata_update,
};
use crate::object::user::User;
use crate::ordered_json::OrderedJson;
use crate::registry::reset_fields::{STATUS, reset};
use crate::registry::{Context, Counted, Coverage, KindEntry, MetadataRule, OnUpdate, Scope, StatusOnCreate};
use crate::tree::{Arena, KnownParts, Map};
use crate::typed::{DecodeError, Decoded, convert, decode, decode_node, read_typed_form, zero};

/// The uid of an object that no server has stored yet: selectors and labels of Jobs hold it.
const PLACEHOLDER_UID: &str = "00000000-0000-0000-0000-000000000001";

/// What a tree takes of memory for each byte of its text, roughly: one allocation is enough for most objects.
const TREE_BYTES_PER_TEXT_BYTE: usize = 6;

/// Why an object is refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is not JSON.
    Malformed(String),
    /// The schema has no kind of this name.
    UnknownKind {
        /// Group and version as the object has them.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// The text does not fit the type of its kind: the API server answers 400.
    Decode(DecodeError),
    /// Fields are invalid: the API server answers 422.
    Invalid(Vec<FieldError>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed(message) => f.write_str(message),
            Refusal::UnknownKind { api_version, kind } => {
                write!(f, "no kind \"{kind}\" is known in version \"{api_version}\"")
            }
            Refusal::Decode(error) => error.fmt(f),
            Refusal::Invalid(errors) => {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// The field errors, if the object was decoded.
    pub fn field_errors(&self) -> &[FieldError] {
        match self {
            Refusal::Invalid(errors) => errors,
            _ => &[],
        }
    }
}

/// What the API server would store of a new object: canonical JSON, without uid, times and allocations.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let object = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"b/c":""}}"#;
/// let refusal = kubemerge_kinds::admit(&schema, object).unwrap_err();
/// assert_eq!(refusal.field_errors()[0].field, "data[b/c]");
/// # Ok::<(), kubemerge_schema::LoadError>(())
/// ```
pub fn admit(schema: &Schema, object: &str) -> Result<String, Refusal> {
    Ok(admit_with_warnings(schema, object)?.object)
}

/// A new object as the API server would store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// As [`admit`] returns it.
    pub object: String,
    /// What the API server accepts and advises against: the warnings that it sends, most with the path of a field.
    pub warnings: Vec<String>,
}

/// As [`admit`], and the warnings that the API server sends with its answer.
pub fn admit_with_warnings(schema: &Schema, object: &str) -> Result<Admitted, Refusal> {
    let arena = Arena::with_capacity(object.len().saturating_mul(TREE_BYTES_PER_TEXT_BYTE));
    let (kind, mut new) = read(schema, &arena, object)?;
    kind.default_new(&mut new)?;
    // A server has given it a uid by now, and some rules ask for one.
    new.ensure_map("metadata").set("uid", PLACEHOLDER_UID);
    refuse_invalid(kind.create(&mut new))?;
    let warnings = match &kind {
        KnownKind::BuiltIn(kind) => kind.warnings(&new, None),
        KnownKind::Declared(..) => Vec::new(),
    };
    new.ensure_map("metadata").remove("uid");
    Ok(Admitted { object: new.to_text(), warnings })
}

/// What the API server would store of an object that replaces another one.
pub fn admit_update(schema: &Schema, old: &str, new: &str) -> Result<String, Refusal> {
    let arena = Arena::new();
    let (kind, mut new) = read(schema, &arena, new)?;
    let (_, mut old) = read(schema, &arena, old)?;
    kind.default_stored(&mut old)?;
    kind.default(&mut new)?;
    refuse_invalid(kind.update(&mut new, &old))?;
    Ok(new.to_text())
}

fn refuse_invalid(errors: Vec<FieldError>) -> Result<(), Refusal> {
    if errors.is_empty() { Ok(()) } else { Err(Refusal::Invalid(errors)) }
}

/// A kind of a schema, whatever describes it.
enum KnownKind<'s> {
    BuiltIn(BuiltinKind<'s>),
    Declared(Arc<DeclaredRules>, Option<Type<'s>>),
}

impl<'s> KnownKind<'s> {
    fn find(schema: &'s Schema, api_version: &str, kind: &str) -> Option<KnownKind<'s>> {
        if let Some(found) = BuiltinKind::find(schema, api_version, kind) {
            return Some(KnownKind::BuiltIn(found));
        }
        let rules = declared::rules_of(schema, api_version, kind)?;
        Some(KnownKind::Declared(rules, schema.type_of(api_version, kind)))
    }

    fn decode<'a>(&self, arena: &'a Arena, text: &'a str) -> Result<Map<'a>, DecodeError>
    where
        's: 'a,
    {
        match self {
            KnownKind::BuiltIn(kind) => kind.decode(arena, text).map(|decoded| decoded.object),
            KnownKind::Declared(rules, ty) => {
                let (mut object, _) = declared::read_object(read_typed_form(arena, text))?;
                let decoded = rules.decode(&mut object, *ty, Form::Sent);
                decoded.map_err(|error| match error {
                    Undecodable::Value(error) => error,
                    Undecodable::Embedded(error) => DecodeError::new(error.to_string()),
                })?;
                Ok(object)
            }
        }
    }

    /// Fills in the defaults of a new object.
    fn default_new(&self, object: &mut Map<'_>) -> Result<(), Refusal> {
        if let KnownKind::Declared(rules, _) = self {
            rules.reset_new(object);
        }
        self.default(object)
    }

    /// Fills in what a stored object has.
    fn default_stored(&self, object: &mut Map<'_>) -> Result<(), Refusal> {
        if let KnownKind::Declared(rules, _) = self {
            set_namespace(object.ensure_map("metadata"), rules.scope());
        }
        self.default(object)
    }

    fn default(&self, object: &mut Map<'_>) -> Result<(), Refusal> {
        match self {
            KnownKind::BuiltIn(kind) => kind.default(object),
            KnownKind::Declared(rules, _) => {
                rules.default(object).map_err(|DefaultsTooLarge| {
                    Refusal::Decode(DecodeError::new(format!(
                        "defaults would add more than {MAX_DEFAULT_BYTES} bytes to the object"
                    )))
                })?;
            }
        }
        Ok(())
    }

    fn create(&self, object: &mut Map<'_>) -> Vec<FieldError> {
        match self {
            KnownKind::BuiltIn(kind) => kind.create(object),
            KnownKind::Declared(rules, _) => {
                begin_metadata(object, rules.scope());
                if let Some(first) = rules.strategy().generation.first() {
                    object.ensure_map("metadata").set("generation", first);
                }
                CelRules::that_were_evaluated(rules.validate(object, None, None))
            }
        }
    }

    fn update<'a>(&self, object: &mut Map<'a>, old: &Map<'a>) -> Vec<FieldError> {
        match self {
            KnownKind::BuiltIn(kind) => kind.update(object, old),
            KnownKind::Declared(rules, _) => {
                keep_system_metadata(object, old);
                rules.prepare(object, Some(old), None);
                CelRules::that_were_evaluated(rules.validate(object, Some(old), None))
            }
        }
    }
}

/// Drops what a client cannot set on a new object, and gives it the namespace that a client would send it to.
fn begin_metadata(object: &mut Map<'_>, scope: Option<Scope>) {
    let Some(metadata) = object.map_mut("metadata") else { return };
    // A new object is not being deleted, whatever a client copied from elsewhere.
    metadata.remove("deletionTimestamp");
    metadata.remove("deletionGracePeriodSeconds");
    metadata.remove("selfLink");
    set_namespace(metadata, scope);
}

fn set_namespace(metadata: &mut Map<'_>, scope: Option<Scope>) {
    match scope {
        Some(Scope::Namespaced) => metadata.set_default("namespace", "default"),
        // The API server drops the namespace of an object that is in none.
        Some(Scope::Cluster) => drop(metadata.remove("namespace")),
        None => {}
    }
}

fn read<'a>(
    schema: &'a Schema,
    arena: &'a Arena,
    text: &'a str,
) -> Result<(KnownKind<'a>, Map<'a>), Refusal> {
    let document = Document::check(text.as_bytes()).map_err(|error| Refusal::Malformed(error.to_string()))?;
    let name = |name: &str| {
        let node = document.node().get(name).and_then(|node| node.as_str());
        node.map(|text| text.text().into_owned()).unwrap_or_default()
    };
    let (api_version, kind) = (name("apiVersion"), name("kind"));
    let Some(found) = KnownKind::find(schema, &api_version, &kind) else {
        return Err(Refusal::UnknownKind { api_version, kind });
    };
    let object = found.decode(arena, text).map_err(Refusal::Decode)?;
    Ok((found, object))
}

/// A built-in kind of a schema, and its entry.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinKind<'s> {
    schema: &'s Schema,
    found: FoundKind,
}

/// What was found of a kind, to be kept beside its schema: finding it again takes several searches.
#[derive(Clone, Copy, Debug)]
pub struct FoundKind {
    root: StructId,
    entry: &'static KindEntry,
    context: Context,
}

impl FoundKind {
    /// The kind in the schema in which it was found.
    pub fn within(self, schema: &Schema) -> BuiltinKind<'_> {
        BuiltinKind { schema, found: self }
    }
}

impl<'s> BuiltinKind<'s> {
    /// What was found, without the schema.
    pub fn found(self) -> FoundKind {
        self.found
    }

    /// Finds a kind; custom resources are none.
    pub fn find(schema: &'s Schema, api_version: &str, kind: &str) -> Option<BuiltinKind<'s>> {
        let root = schema.go_struct(api_version, kind)?;
        // Events of a watch are no objects: they do not tell their kind.
        schema.go_types().of(root).named("kind")?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let context = Context { minor: schema.minor().unwrap_or(NEWEST_MINOR) };
        let found = FoundKind { root, entry: groups::entry(group, version, kind), context };
        Some(BuiltinKind { schema, found })
    }

    /// Whether the kind has rules; without, only its typed form is known.
    pub fn has_rules(self) -> bool {
        self.rules().is_some()
    }

    /// The entry of a kind that has rules.
    fn rules(self) -> Option<&'static KindEntry> {
        Some(self.found.entry).filter(|entry| entry.coverage == Coverage::Rules)
    }

    /// Reads a text into its typed form. The text must be well-formed JSON.
    pub fn decode<'a>(self, arena: &'a Arena, text: &'a str) -> Result<Decoded<'a>, DecodeError>
    where
        's: 'a,
    {
        self.refuse_conversion(decode(arena, self.schema, self.found.root, text)?)
    }

    /// Reads a node into its typed form, as [`BuiltinKind::decode`] would read its text. Pieces of a text that has the
    /// typed form and was read before are not read again.
    ///
    /// # Errors
    /// If it does not fit its kind, or is nested too deep.
    pub fn decode_node<'a>(
        self,
        arena: &'a Arena,
        node: Node<'a>,
        known: Option<&'a KnownParts<'a>>,
    ) -> Result<Decoded<'a>, DecodeError>
    where
        's: 'a,
    {
        self.refuse_conversion(decode_node(arena, self.schema, self.found.root, node, known)?)
    }

    fn refuse_conversion(self, decoded: Decoded<'_>) -> Result<Decoded<'_>, DecodeError> {
        match self.rules().and_then(|rules| (rules.decode.refuse_conversion)(&decoded.object)) {
            Some(message) => Err(DecodeError::new(message)),
            None => Ok(decoded),
        }
    }

    /// What [`BuiltinKind::decode`] has to read so that it reads a text as Kubernetes converts a map: the result of a
    /// strategic merge patch or of an apply. The text must be well-formed JSON.
    ///
    /// # Errors
    /// If the converter refuses the object, with its message.
    pub fn convert(self, text: &str) -> Result<String, DecodeError> {
        let mut object = serde_json::from_str(text).map_err(|error| DecodeError::new(error.to_string()))?;
        convert(self.schema, self.found.root, &mut object)?;
        Ok(object.to_string())
    }

    /// An object with its fields in the order in which Go writes them.
    pub fn in_go_order(self, object: OrderedJson) -> OrderedJson {
        object.in_go_order(self.schema, self.found.root)
    }

    /// Reads the text of a stored object, which is in its typed form already: no types have to be looked up.
    pub fn read_stored<'a>(self, arena: &'a Arena, text: &'a str) -> Map<'a> {
        custom::decode(arena, text)
    }

    /// The columns of tables with objects of the kind.
    pub fn columns(self) -> Vec<TableColumn> {
        self.found.entry.presentation.columns.iter().map(TableColumn::from).collect()
    }

    /// Fills in defaults.
    pub fn default(self, object: &mut Map<'_>) {
        if let Some(rules) = self.rules() {
            (rules.decode.defaults)(object, self.found.context);
        }
    }

    /// Adds what has an owner although only the server sets it. Called before owners are tracked; what is added to the
    /// metadata need not stay. Returns whether the kind has such fields.
    pub fn complete_for_tracking(self, object: &mut Map<'_>) -> bool {
        let Some(complete) = self.rules().and_then(|rules| rules.decode.track) else { return false };
        complete(object);
        true
    }

    /// Prepares a new object and validates it; answers what is wrong.
    pub fn create(self, object: &mut Map<'_>) -> Vec<FieldError> {
        let errors = self.begin(object, None);
        if !errors.is_empty() {
            return errors;
        }
        self.prepare_create(object);
        self.record_user(object, User::administrator());
        self.validate(object)
    }

    /// What comes before an allocation, and what makes it impossible. A server allocates after this step.
    pub fn begin(self, object: &mut Map<'_>, old: Option<&Map<'_>>) -> Vec<FieldError> {
        self.rules().map_or_else(Vec::new, |rules| (rules.strategy.begin)(object, old, self.found.context))
    }

    /// Prepares a new object.
    pub fn prepare_create(self, object: &mut Map<'_>) {
        if !object.has("metadata") {
            return;
        }
        begin_metadata(object, self.rules().map(|rules| rules.scope));
        let Some(rules) = self.rules() else { return };
        let strategy = &rules.strategy;
        // Only a status is emptied: a certificate request keeps its spec on updates, but a new one needs it.
        if strategy.status_on_create == StatusOnCreate::Emptied && strategy.resets.contains(&STATUS) {
            self.empty_field(object, "status");
        }
        (strategy.prepare_create)(object, self.found.context);
        let metadata = object.ensure_map("metadata");
        if let Some(first) = strategy.generation.first() {
            metadata.set("generation", first);
        }
    }

    /// Writes down who creates a prepared new object, if the kind keeps that.
    pub fn record_user(self, object: &mut Map<'_>, user: &User) {
        if let Some(record) = self.rules().and_then(|rules| rules.strategy.record_user) {
            record(object, user);
        }
    }

    /// Validates a prepared new object.
    pub fn validate(self, object: &Map<'_>) -> Vec<FieldError> {
        let Some(rules) = self.rules() else { return Vec::new() };
        let report = Report::new(self.found.context.minor);
        let root = Field::root(object, &report);
        match rules.validation.metadata {
            // Their kinds call the generic check themselves, at their own place in the order of errors.
            MetadataRule::Generic | MetadataRule::Unchecked => {}
            _ => metadata_of_kind(root, rules),
        }
        (rules.validation.object)(root);
        (rules.validation.new_only)(root);
        generic_at_the_end(root, rules);
        report.into_errors()
    }

    /// Prepares an object that replaces another one and validates it; answers what is wrong.
    pub fn update(self, object: &mut Map<'_>, old: &Map<'_>) -> Vec<FieldError> {
        let errors = self.begin(object, Some(old));
        if !errors.is_empty() {
            return errors;
        }
        self.prepare_update(object, old);
        self.validate_update(object, old)
    }

    /// Prepares an object that replaces another one.
    pub fn prepare_update(self, object: &mut Map<'_>, old: &Map<'_>) {
        keep_system_metadata(object, old);
        let Some(rules) = self.rules() else { return };
        let strategy = &rules.strategy;
        reset(object, old, strategy.resets);
        if strategy.counted == Counted::Sent {
            strategy.generation.count(object, old);
        }
        (strategy.prepare_update)(object, old, self.found.context);
        if strategy.counted == Counted::Prepared {
            strategy.generation.count(object, old);
        }
    }

    /// Validates a prepared object that replaces another one.
    pub fn validate_update(self, object: &Map<'_>, old: &Map<'_>) -> Vec<FieldError> {
        let Some(rules) = self.rules() else { return Vec::new() };
        self.validate_update_with(object, old, |new, old| {
            let validation = &rules.validation;
            if matches!(validation.on_update, OnUpdate::ValidateWhole | OnUpdate::ValidateMetadata) {
                metadata_of_kind(new, rules);
            }
            if matches!(validation.on_update, OnUpdate::ValidateWhole | OnUpdate::ValidateObject) {
                (validation.object)(new);
            }
            (validation.update)(new, old);
        })
    }

    /// Gives a field the value that Go writes of an empty one, such as `{"loadBalancer":{}}` for a status.
    fn empty_field(self, object: &mut Map<'_>, name: &'static str) {
        let types = self.schema.go_types();
        let Some(field) = types.of(self.found.root).named(name) else { return };
        let scratch = Arena::new();
        let empty = zero(&scratch, types, field.value);
        let copy = empty.copy_in(object.arena());
        object.set(name, copy);
    }

    /// Prepares an object that was written to a subresource such as `status`.
    pub fn prepare_subresource(self, name: &str, object: &mut Map<'_>, old: &Map<'_>) {
        keep_system_metadata(object, old);
        let Some(endpoint) = self.rules().and_then(|rules| rules.subresource(name)) else {
            return keep_all_but_status(object, old);
        };
        (endpoint.before_reset)(object, self.found.context);
        reset(object, old, endpoint.resets);
        (endpoint.prepare_update)(object, old, self.found.context);
        endpoint.generation.count(object, old);
    }

    /// Validates a prepared object that was written to a subresource.
    pub fn validate_subresource(self, name: &str, object: &Map<'_>, old: &Map<'_>) -> Vec<FieldError> {
        let Some(endpoint) = self.rules().and_then(|rules| rules.subresource(name)) else {
            return Vec::new();
        };
        self.validate_update_with(object, old, endpoint.validate_update)
    }

    /// The warnings about a valid object: what the API server accepts and advises against.
    pub fn warnings(self, object: &Map<'_>, old: Option<&Map<'_>>) -> Vec<String> {
        let Some(rules) = self.rules() else { return Vec::new() };
        let report = Report::new(self.found.context.minor);
        let root = Field::root(object, &report);
        (rules.validation.warnings)(root, old.map(|old| Field::root(old, &report)))
    }

    fn validate_update_with(
        self,
        object: &Map<'_>,
        old: &Map<'_>,
        validate: impl for<'t> FnOnce(Field<'t>, Field<'t>),
    ) -> Vec<FieldError> {
        let report = Report::new(self.found.context.minor);
        let (root, old_root) = (Field::root(object, &report), Field::root(old, &report));
        let scope = self.rules().map_or(Scope::Namespaced, |rules| rules.scope);
        let (metadata, old_metadata) = (root.field("metadata"), old_root.field("metadata"));
        generic_metadata(metadata, scope, NameRule::PathSegment);
        match self.rules().map(|rules| rules.validation.metadata) {
            Some(MetadataRule::Generic | MetadataRule::AnyFinalizers) => {
                generic_metadata_update(metadata, old_metadata);
            }
            _ => validate_metadata_update(metadata, old_metadata),
        }
        validate(root, old_root);
        report.into_errors()
    }
}

/// Validates metadata as a kind does that names its rule for names.
fn metadata_of_kind(object: Field<'_>, rules: &KindEntry) {
    let metadata = object.field("metadata");
    match rules.validation.metadata {
        MetadataRule::AnyFinalizers => generic_metadata(metadata, rules.scope, rules.strategy.name),
        _ => validate_metadata(metadata, rules.scope, rules.strategy.name),
    }
}

/// Upstream checks metadata generically at the end, and only what nothing else was wrong with.
fn generic_at_the_end(object: Field<'_>, rules: &KindEntry) {
    let metadata = object.field("metadata");
    let rule = rules.validation.metadata;
    let is_of_kind = matches!(rule, MetadataRule::OfKind | MetadataRule::AnyFinalizers);
    // A name that its kind allows is a segment of a path; the end of a prefix is not looked at by all kinds.
    let is_checked = is_of_kind
        && !matches!(rules.strategy.name, NameRule::Custom(_))
        && metadata.field("generateName").is_empty();
    if object.errors_so_far() == 0 && !is_checked && rule != MetadataRule::Unchecked {
        generic_metadata(metadata, rules.scope, NameRule::PathSegment);
    }
}

/// Parts of metadata that a client may leave out, or may not change without an error.
fn keep_system_metadata(object: &mut Map<'_>, old: &Map<'_>) {
    let metadata = object.ensure_map("metadata");
    let Some(old) = old.map("metadata") else { return };
    let arena = metadata.arena();
    // The server counts it; what a client sends is ignored.
    metadata.remove("generation");
    for name in ["creationTimestamp", "generation"] {
        if let Some(value) = old.get(name) {
            metadata.set(name, value.copy_in(arena));
        }
    }
    let kept = ["uid", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "namespace"];
    for name in kept {
        if let Some(value) = old.get(name) {
            metadata.set_default(name, value.copy_in(arena));
        }
    }
}

/// A subresource without rules of its own writes the status only; everything else is as it is stored.
fn keep_all_but_status(object: &mut Map<'_>, old: &Map<'_>) {
    let arena = object.arena();
    object.retain(|name, _| matches!(name, "metadata" | "apiVersion" | "kind" | "status"));
    for (name, value) in old.iter().filter(|(name, _)| *name != "status") {
        if !object.has(name) {
            object.set(arena.alloc_str(name), value.copy_in(arena));
        }
    }
}
