//! What Go knows about the types of the built-in kinds: a column of the graph, for decoders and encoders.
//!
//! Filled once, when a caller asks. [`GoTypes`](crate::GoTypes) is the cursor that reads it.

use kubemerge_value::part::{item_at, part_of};

use crate::model::{DefinitionId, Flags, Model, NodeId, Shape, Span, UNTYPED, last_part};

/// What Go knows about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoKind {
    /// `bool`
    Bool,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `float64`
    Float64,
    /// A string, or a named type of strings.
    String,
    /// `[]byte`, base64 in JSON.
    Bytes,
    /// `metav1.Time`
    Time,
    /// `metav1.MicroTime`
    MicroTime,
    /// `metav1.Duration`
    Duration,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// A value of any form, kept as it is: `runtime.RawExtension`, `apiextensions.JSON`, `metav1.FieldsV1`.
    Any,
    /// A struct.
    Struct(StructId),
    /// A struct or something else: `apiextensions.JSONSchemaPropsOrBool` and its like.
    StructOr(Alternative, StructId),
    /// A list of values.
    List(ValueId),
    /// A map from strings to values.
    Map(ValueId),
}

/// What may be written in place of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// A boolean.
    Bool,
    /// A list of such structs.
    Structs,
    /// A list of strings.
    Strings,
}

/// A struct, by number: that of its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructId(pub(crate) DefinitionId);

/// The type of list items or map values, by number: that of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueId(pub(crate) NodeId);

/// The type of a value, and how a field that holds it is written.
#[derive(Clone, Copy, Debug)]
pub struct GoValue {
    /// What it is.
    pub kind: GoKind,
    /// Whether the field is a pointer: zero differs from nothing.
    pub is_pointer: bool,
    /// Whether the field is written even if it is empty (no `omitempty`).
    pub keeps_empty: bool,
    /// Whether a struct without any value is left out (`omitzero`).
    pub omits_zero: bool,
    pub(crate) node: NodeId,
}

impl GoValue {
    /// A value of a kind that is no field: an item of a list.
    pub fn plain(kind: GoKind) -> GoValue {
        GoValue { kind, is_pointer: false, keeps_empty: true, omits_zero: false, node: UNTYPED }
    }

    /// Whether Go writes the field when the object does not have it: as `{}`, `null`, `0`, …
    pub fn is_always_written(self) -> bool {
        // A nil pointer without `omitempty` is written as null; `omitzero` leaves it out again.
        if self.is_pointer || self.omits_zero {
            return self.keeps_empty && !self.omits_zero;
        }
        match self.kind {
            // `omitempty` has no effect on structs.
            GoKind::Struct(_)
            | GoKind::Time
            | GoKind::MicroTime
            | GoKind::Duration
            | GoKind::Quantity
            | GoKind::IntOrString => true,
            _ => self.keeps_empty,
        }
    }
}

/// The column.
#[derive(Debug)]
pub(crate) struct GoFacts {
    pub(crate) of_node: Vec<GoValue>,
    /// One for every definition.
    pub(crate) structs: Vec<StructFacts>,
    /// Places of fields that are always written.
    pub(crate) always: Vec<u16>,
}

/// What decoding a struct begins with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StructFacts {
    /// Stretch of the fields of the model.
    pub(crate) fields: Span,
    /// Stretch of [`GoFacts::always`].
    pub(crate) always: Span,
}

impl GoFacts {
    pub(crate) fn of(model: &Model) -> GoFacts {
        let of_node: Vec<GoValue> = (0..model.nodes.len() as NodeId).map(|id| value_of(model, id)).collect();
        let mut facts = GoFacts { of_node, structs: Vec::new(), always: Vec::new() };
        for definition in &model.definitions {
            let fields = model.nodes.get(definition.node as usize);
            let fields =
                fields.map_or(Span::default(), |_| model.node(model.resolve(definition.node)).fields);
            let start = facts.always.len() as u32;
            let places = part_of(&model.fields, fields.range()).iter().zip(0..);
            let is_always_written = |node: NodeId| item_at(&facts.of_node, node as usize).is_always_written();
            let places = places.filter(|(field, _)| is_always_written(field.node)).map(|(_, place)| place);
            facts.always.extend(places);
            let always = Span { start, len: facts.always.len() as u32 - start };
            facts.structs.push(StructFacts { fields, always });
        }
        facts
    }
}

fn value_of(model: &Model, id: NodeId) -> GoValue {
    let flags = model.node(id).flags;
    GoValue {
        kind: kind_of(model, id),
        is_pointer: flags.has(Flags::POINTER),
        keeps_empty: flags.has(Flags::KEEP_EMPTY),
        omits_zero: flags.has(Flags::OMIT_ZERO),
        node: id,
    }
}

fn kind_of(model: &Model, id: NodeId) -> GoKind {
    let node = model.node(id);
    if let Some(definition) = model.definitions.get(node.refers_to as usize) {
        // Types with a JSON form of their own are not read field by field.
        let full = model.text(definition.name);
        return match special(last_part(full), full) {
            Some(kind) => kind,
            None => match alternative(full).and_then(|(name, other)| Some((find(model, name)?, other))) {
                Some((id, other)) => GoKind::StructOr(other, StructId(id)),
                None => GoKind::Struct(StructId(node.refers_to)),
            },
        };
    }
    let format = model.text(node.format);
    match node.shape {
        Shape::Boolean => GoKind::Bool,
        Shape::Integer if format == "int32" => GoKind::Int32,
        // Also Go's int, which has 64 bits on every platform of the API server.
        Shape::Integer => GoKind::Int64,
        Shape::Number => GoKind::Float64,
        Shape::String if format == "byte" => GoKind::Bytes,
        Shape::String => GoKind::String,
        Shape::List if node.items != UNTYPED => GoKind::List(ValueId(node.items)),
        Shape::Object if node.additional != UNTYPED => GoKind::Map(ValueId(node.additional)),
        // Nothing is known of the content, so it is kept as it is.
        Shape::Any | Shape::Object | Shape::List => GoKind::Any,
    }
}

/// Types that read and write their JSON themselves.
fn special(name: &str, full: &str) -> Option<GoKind> {
    let kind = match name {
        "Time" => GoKind::Time,
        "MicroTime" => GoKind::MicroTime,
        "Duration" => GoKind::Duration,
        "Quantity" => GoKind::Quantity,
        "IntOrString" => GoKind::IntOrString,
        "RawExtension" | "FieldsV1" | "JSON" => GoKind::Any,
        _ => return None,
    };
    // A group may have a type of the same short name, such as a Duration of its own.
    (full.starts_with("io.k8s.apimachinery.") || full.starts_with("io.k8s.apiextensions-apiserver."))
        .then_some(kind)
}

/// The struct in a type that may be something else, and what that is.
fn alternative(full: &str) -> Option<(&str, Alternative)> {
    let other = match last_part(full) {
        "JSONSchemaPropsOrArray" => Alternative::Structs,
        "JSONSchemaPropsOrBool" => Alternative::Bool,
        "JSONSchemaPropsOrStringArray" => Alternative::Strings,
        _ => return None,
    };
    full.rsplit_once("Or").map(|(name, _)| (name, other))
}

fn find(model: &Model, name: &str) -> Option<DefinitionId> {
    let at = model.definitions.iter().position(|definition| model.text(definition.name) == name)?;
    DefinitionId::try_from(at).ok()
}
