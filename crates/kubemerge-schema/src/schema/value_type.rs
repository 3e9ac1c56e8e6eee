//! [`ValueType`]: the cursor that judges values, on the nodes that merge rules are about, too.

use std::fmt;
use std::sync::Arc;

use kubemerge_value::part::part_of;
use serde_json::Value;

use crate::document::MAX_REFERENCE_CHAIN;
use crate::error::LoadError;
use crate::load::crd;
use crate::model::{
    FieldEntry, Flags, ListType, Model, Node, NodeId, Origin, Shape, Span, UNTYPED, ValueChecks, ValueFacts,
};

/// The type of a kind that a document declares, with the graph that it is in: cheap to clone.
#[derive(Clone)]
#[must_use]
pub struct DeclaredType {
    model: Arc<Model>,
    place: Place,
}

/// A place in the schema of a kind that is not built in: what values there must be, and what they are if they are absent.
#[derive(Clone, Copy)]
#[must_use]
pub struct ValueType<'s> {
    model: &'s Model,
    place: Place,
}

/// A [`ValueType`] without its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTypeId(Place);

/// What is said about properties that are not declared.
#[derive(Clone, Copy, Debug)]
pub enum Additional<'s> {
    /// Nothing.
    Unset,
    /// They may have any value.
    Allowed,
    /// There are none; pruning treats this as [`Additional::Allowed`].
    Refused,
    /// They have this type.
    Schema(ValueType<'s>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// The node as a property gives it.
    given: NodeId,
    /// The node that describes the value, after references.
    node: NodeId,
    root: Root,
}

/// What is particular about the root of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// Nothing, or it is no root.
    No,
    /// `spec.preserveUnknownFields` of its definition.
    KeepsUnknown,
    /// The type and the metadata of an object have rules of their own, whatever a document says about them.
    Document,
}

/// What every object has, whatever its schema declares.
const OWN: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl DeclaredType {
    /// Reads the schema of a version of a definition, without the definition.
    ///
    /// # Errors
    /// If it is not formed as schemas are, is nested too deeply, or has a pattern that is no regular expression.
    pub fn of_schema(schema: &Value) -> Result<DeclaredType, LoadError> {
        let mut model = Model::default();
        let node = crd::load_schema(&mut model, schema)?;
        Ok(DeclaredType::at_root(Arc::new(model), node, Root::No))
    }

    pub(crate) fn of_definition(model: &Arc<Model>, node: NodeId) -> DeclaredType {
        DeclaredType::at_root(Arc::clone(model), node, Root::No)
    }

    pub(crate) fn of_document(model: &Arc<Model>, node: NodeId) -> DeclaredType {
        DeclaredType::at_root(Arc::clone(model), node, Root::Document)
    }

    fn at_root(model: Arc<Model>, node: NodeId, root: Root) -> DeclaredType {
        let place = Place { root, ..place_of(&model, node) };
        DeclaredType { model, place }
    }

    /// The same type with all unknown fields of the object kept.
    pub fn preserve_unknown_fields(mut self) -> DeclaredType {
        self.place.root = Root::KeepsUnknown;
        self
    }

    /// The cursor at the root.
    pub fn values(&self) -> ValueType<'_> {
        ValueType { model: &self.model, place: self.place }
    }
}

impl fmt::Debug for DeclaredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values().fmt(f)
    }
}

/// Follows references to the node that describes the value.
fn place_of(model: &Model, given: NodeId) -> Place {
    let mut node = model.resolve(given);
    // Bounded: such references may lead to each other.
    for _ in 0..MAX_REFERENCE_CHAIN {
        let stands_for = model.value_facts(model.node(node)).map_or(UNTYPED, |facts| facts.stands_for);
        if stands_for == UNTYPED {
            break;
        }
        node = model.resolve(stands_for);
    }
    Place { given, node, root: Root::No }
}

impl<'s> ValueType<'s> {
    /// Its number, which [`ValueType::at`] takes.
    pub fn id(self) -> ValueTypeId {
        ValueTypeId(self.place)
    }

    /// Another place of the same graph.
    pub fn at(self, id: ValueTypeId) -> ValueType<'s> {
        ValueType { place: id.0, ..self }
    }

    /// The types that values may have, by the words of OpenAPI; any if there are none.
    pub fn types(self) -> &'static [&'static str] {
        if self.is_int_or_string() {
            // Whatever `type` says: structural schemas with this mark have none.
            return &["integer", "string"];
        }
        match self.node().shape {
            Shape::Any => &[],
            Shape::Object => &["object"],
            Shape::List => &["array"],
            Shape::String => &["string"],
            Shape::Integer => &["integer"],
            Shape::Number => &["number"],
            Shape::Boolean => &["boolean"],
        }
    }

    /// A word for the type that names none, so that no value is of it.
    #[must_use]
    pub fn unknown_type(self) -> Option<&'s str> {
        self.checks().unknown_type.as_deref().filter(|_| self.types().is_empty())
    }

    /// The type of values, if there is one and only one.
    pub fn only_type(self) -> Option<&'static str> {
        match self.types() {
            [only] => Some(only),
            _ => None,
        }
    }

    fn is_int_or_string(self) -> bool {
        let node = self.node();
        node.flags.has(Flags::INT_OR_STRING)
            || self.format() == Some("int-or-string") && self.is_of_document()
    }

    /// Whether this is of an OpenAPI document: its types may contain themselves, and formats say more.
    pub fn is_of_document(self) -> bool {
        let owner = self.model.definitions.get(self.node().owner as usize);
        owner.is_some_and(|definition| definition.origin != Origin::CustomResource)
    }

    /// Whether null is a value.
    pub fn is_nullable(self) -> bool {
        self.given().flags.has(Flags::NULLABLE) || self.node().flags.has(Flags::NULLABLE)
    }

    /// Whether undeclared fields are kept.
    pub fn keeps_unknown(self) -> bool {
        self.place.root == Root::KeepsUnknown || self.node().flags.has(Flags::PRESERVE_UNKNOWN)
    }

    /// Whether the value is an object inside of an object.
    pub fn is_embedded(self) -> bool {
        self.node().flags.has(Flags::EMBEDDED_RESOURCE)
    }

    /// The format as it was written; not all of them mean something.
    pub fn format(self) -> Option<&'s str> {
        self.model.given(self.node().format).filter(|format| !format.is_empty())
    }

    /// The default of an absent value.
    pub fn default(self) -> Option<&'s Value> {
        let of = |node: &'s Node| self.model.value_facts(node)?.default.as_ref();
        of(self.given()).or_else(|| of(self.node()))
    }

    /// What values must satisfy beyond their type.
    pub fn checks(self) -> &'s ValueChecks {
        let of = |node: &'s Node| self.model.value_facts(node)?.checks.as_deref();
        of(self.given()).or_else(|| of(self.node())).unwrap_or(ValueChecks::NONE)
    }

    /// The fields that an object must have, in the order in which they are written.
    pub fn required(self) -> impl Iterator<Item = &'s str> {
        self.checks().required.iter().map(|name| &**name).filter(move |name| !self.hides(name))
    }

    /// All of these must accept the value.
    pub fn all_of(self) -> impl ExactSizeIterator<Item = ValueType<'s>> {
        self.alternatives(&self.checks().all_of)
    }

    /// One of these must accept the value, if there are any.
    pub fn any_of(self) -> impl ExactSizeIterator<Item = ValueType<'s>> {
        self.alternatives(&self.checks().any_of)
    }

    /// One and only one of these must accept the value, if there are any.
    pub fn one_of(self) -> impl ExactSizeIterator<Item = ValueType<'s>> {
        self.alternatives(&self.checks().one_of)
    }

    /// This must not accept the value.
    pub fn none_of(self) -> Option<ValueType<'s>> {
        self.checks().not.map(|node| self.to(node))
    }

    /// The rules in `x-kubernetes-validations`.
    pub fn rules(self) -> &'s [Value] {
        self.facts().map_or(&[], |facts| &facts.rules)
    }

    /// The declared fields of an object, sorted by name.
    pub fn properties(self) -> impl Iterator<Item = (&'s str, ValueType<'s>)> {
        self.named(self.written()).filter(move |(name, _)| !self.hides(name))
    }

    /// A declared field.
    pub fn property(self, name: &str) -> Option<ValueType<'s>> {
        self.find(self.written(), name).filter(|_| !self.hides(name))
    }

    /// What is said about fields that are not declared.
    pub fn additional(self) -> Additional<'s> {
        let node = self.node();
        match node.additional {
            UNTYPED if node.flags.has(Flags::ADDITIONAL_ANY) => Additional::Allowed,
            UNTYPED if node.flags.has(Flags::ADDITIONAL_NONE) => Additional::Refused,
            UNTYPED => Additional::Unset,
            values => Additional::Schema(self.to(values)),
        }
    }

    /// The type of a field, whether it is declared by name or with all others.
    pub fn member(self, name: &str) -> Option<ValueType<'s>> {
        self.property(name).or_else(|| match self.additional() {
            Additional::Schema(values) => Some(values),
            Additional::Unset | Additional::Allowed | Additional::Refused => None,
        })
    }

    /// The fields of an object that rules see: of the metadata of whole objects the names alone.
    pub fn properties_in_rules(self) -> impl ExactSizeIterator<Item = (&'s str, ValueType<'s>)> {
        self.named(self.in_rules())
    }

    /// A field that rules see.
    pub fn property_in_rules(self, name: &str) -> Option<ValueType<'s>> {
        self.find(self.in_rules(), name)
    }

    /// The type of the items of a list.
    pub fn items(self) -> Option<ValueType<'s>> {
        let items = self.node().items;
        (items != UNTYPED).then(|| self.to(items))
    }

    /// How the items of a list are distinguished.
    pub fn list_type(self) -> ListType {
        self.node().list_type
    }

    /// The fields that distinguish items.
    pub fn list_map_keys(self) -> impl ExactSizeIterator<Item = &'s str> {
        self.model.list_map_keys(self.node()).iter().map(|key| self.model.text(*key))
    }

    fn given(self) -> &'s Node {
        self.model.node(self.place.given)
    }

    fn node(self) -> &'s Node {
        self.model.node(self.place.node)
    }

    fn facts(self) -> Option<&'s ValueFacts> {
        self.model.value_facts(self.node())
    }

    fn written(self) -> Span {
        self.facts().and_then(|facts| facts.written).unwrap_or(self.node().fields)
    }

    fn in_rules(self) -> Span {
        self.facts().and_then(|facts| facts.in_rules).unwrap_or(self.node().fields)
    }

    fn hides(self, name: &str) -> bool {
        self.place.root == Root::Document && OWN.contains(&name)
    }

    fn named(self, fields: Span) -> impl ExactSizeIterator<Item = (&'s str, ValueType<'s>)> {
        let named = move |field: &FieldEntry| (self.model.text(field.name), self.to(field.node));
        part_of(&self.model.fields, fields.range()).iter().map(named)
    }

    fn find(self, fields: Span, name: &str) -> Option<ValueType<'s>> {
        let place = self.model.find_field_in(fields, name)?;
        Some(self.to(self.model.field(place).node))
    }

    fn alternatives(self, nodes: &'s [NodeId]) -> impl ExactSizeIterator<Item = ValueType<'s>> {
        nodes.iter().map(move |node| self.to(*node))
    }

    fn to(self, node: NodeId) -> ValueType<'s> {
        ValueType { place: place_of(self.model, node), ..self }
    }
}

impl fmt::Debug for ValueType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValueType(#{})", self.place.node)
    }
}
