//! The Go types of the built-in kinds: what a decoder and an encoder have to know about each field.
//!
//! Compiled from the model once, when a caller asks. Types of loaded documents have no Go facts and are left out.

use std::borrow::Cow;

use crate::model::{DefinitionId, Flags, Model, NOWHERE, NodeId, Shape, last_part};
use crate::schema::Schema;

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
    /// A list of values.
    List(ValueId),
    /// A map from strings to values.
    Map(ValueId),
}

/// A struct of a [`GoTypes`], by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructId(u32);

/// The type of list items or map values of a [`GoTypes`], by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueId(u32);

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
    node: NodeId,
}

impl GoValue {
    /// Whether Go writes the field when the object does not have it: as `{}`, `null`, `0`, …
    pub fn is_always_written(self) -> bool {
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

/// A field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct GoField {
    start: u64,
    name: u32,
    /// Its type.
    pub value: GoValue,
}

#[derive(Clone, Copy, Debug)]
struct GoStruct {
    definition: DefinitionId,
    first: u32,
    len: u32,
}

/// The Go types of a schema.
#[derive(Debug, Default)]
pub struct GoTypes {
    structs: Vec<GoStruct>,
    fields: Vec<GoField>,
    values: Vec<GoValue>,
    of_definition: Vec<u32>,
}

impl GoTypes {
    pub(crate) fn of(model: &Model) -> GoTypes {
        let mut types =
            GoTypes { of_definition: vec![NOWHERE; model.definitions.len()], ..GoTypes::default() };
        for definition in 0..model.definitions.len() as u32 {
            types.struct_of(model, definition);
        }
        types
    }

    /// The fields of a struct, sorted by name.
    pub fn fields(&self, id: StructId) -> &[GoField] {
        let one = self.structs[id.0 as usize];
        &self.fields[one.first as usize..(one.first + one.len) as usize]
    }

    /// The place of a field in [`GoTypes::fields`].
    pub fn find(&self, schema: &Schema, id: StructId, name: &str) -> Option<usize> {
        let fields = self.fields(id);
        let start = crate::model::start_of(name);
        let mut at = fields.partition_point(|field| field.start < start);
        while let Some(field) = fields.get(at).filter(|field| field.start == start) {
            if self.name(schema, field) == name {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// The name of a field.
    pub fn name<'s>(&self, schema: &'s Schema, field: &GoField) -> &'s str {
        schema.model().text(crate::model::Name(field.name))
    }

    /// The type of list items or map values.
    pub fn value(&self, id: ValueId) -> GoValue {
        self.values[id.0 as usize]
    }

    /// The name of a struct without its package, as error texts have it: `PodSpec`.
    pub fn struct_name<'s>(&self, schema: &'s Schema, id: StructId) -> &'s str {
        last_part(self.definition_name(schema, id))
    }

    /// The name of a struct with its package: `v1.PodSpec`.
    pub fn struct_type_name(&self, schema: &Schema, id: StructId) -> String {
        let mut parts = self.definition_name(schema, id).rsplit('.');
        let (name, package) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{package}.{name}")
    }

    fn definition_name<'s>(&self, schema: &'s Schema, id: StructId) -> &'s str {
        let model = schema.model();
        model.text(model.definitions[self.structs[id.0 as usize].definition as usize].name)
    }

    /// The name of a type as Go prints it: `int32`, `v1.Protocol`, `[]v1.Container`.
    pub fn type_name<'s>(&self, schema: &'s Schema, value: GoValue) -> Cow<'s, str> {
        let model = schema.model();
        if let Some(name) = model.nodes.get(value.node as usize).and_then(|node| model.given(node.go_type)) {
            return Cow::Borrowed(name);
        }
        match value.kind {
            GoKind::Bool => "bool".into(),
            GoKind::Int32 => "int32".into(),
            GoKind::Int64 => "int64".into(),
            GoKind::Float64 => "float64".into(),
            GoKind::String => "string".into(),
            GoKind::Bytes => "[]uint8".into(),
            GoKind::Time => "v1.Time".into(),
            GoKind::MicroTime => "v1.MicroTime".into(),
            GoKind::Duration => "v1.Duration".into(),
            GoKind::Quantity => "resource.Quantity".into(),
            GoKind::IntOrString => "intstr.IntOrString".into(),
            GoKind::Any => "runtime.RawExtension".into(),
            GoKind::Struct(id) => self.struct_type_name(schema, id).into(),
            GoKind::List(item) => format!("[]{}", self.type_name(schema, self.value(item))).into(),
            GoKind::Map(item) => format!("map[string]{}", self.type_name(schema, self.value(item))).into(),
        }
    }

    pub(crate) fn struct_of_definition(&self, definition: DefinitionId) -> Option<StructId> {
        let id = *self.of_definition.get(definition as usize)?;
        (id != NOWHERE).then_some(StructId(id))
    }

    /// Reserves the number of a struct before its fields are looked at: types may refer to themselves.
    fn struct_of(&mut self, model: &Model, definition: DefinitionId) -> StructId {
        let known = self.of_definition[definition as usize];
        if known != NOWHERE {
            return StructId(known);
        }
        let id = self.structs.len() as u32;
        self.of_definition[definition as usize] = id;
        self.structs.push(GoStruct { definition, first: 0, len: 0 });
        let root = model.node(model.resolve(model.definitions[definition as usize].node));
        let fields: Vec<GoField> = model
            .fields(root)
            .iter()
            .map(|entry| GoField {
                start: crate::model::start_of(model.text(entry.name)),
                name: entry.name.0,
                value: self.value_of(model, entry.node),
            })
            .collect();
        let one = &mut self.structs[id as usize];
        (one.first, one.len) = (self.fields.len() as u32, fields.len() as u32);
        self.fields.extend(fields);
        StructId(id)
    }

    fn value_of(&mut self, model: &Model, node: NodeId) -> GoValue {
        let flags = model.nodes.get(node as usize).map(|node| node.flags).unwrap_or_default();
        GoValue {
            kind: self.kind_of(model, node),
            is_pointer: flags.has(Flags::POINTER),
            keeps_empty: flags.has(Flags::KEEP_EMPTY),
            omits_zero: flags.has(Flags::OMIT_ZERO),
            node,
        }
    }

    fn kind_of(&mut self, model: &Model, node: NodeId) -> GoKind {
        let Some(given) = model.nodes.get(node as usize) else { return GoKind::Any };
        if let Some(definition) = model.definitions.get(given.refers_to as usize) {
            return match special(last_part(model.text(definition.name)), model.text(definition.name)) {
                Some(kind) => kind,
                None => GoKind::Struct(self.struct_of(model, given.refers_to)),
            };
        }
        let format = model.text(given.format);
        match given.shape {
            Shape::Boolean => GoKind::Bool,
            Shape::Integer if format == "int32" => GoKind::Int32,
            Shape::Integer => GoKind::Int64,
            Shape::Number => GoKind::Float64,
            Shape::String if format == "byte" => GoKind::Bytes,
            Shape::String => GoKind::String,
            Shape::List if given.items != NOWHERE => GoKind::List(self.child(model, given.items)),
            Shape::Object if given.additional != NOWHERE => GoKind::Map(self.child(model, given.additional)),
            Shape::Any | Shape::Object | Shape::List => GoKind::Any,
        }
    }

    fn child(&mut self, model: &Model, node: NodeId) -> ValueId {
        let value = self.value_of(model, node);
        self.values.push(value);
        ValueId(self.values.len() as u32 - 1)
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
        "RawExtension" | "FieldsV1" => GoKind::Any,
        "JSON" | "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => {
            GoKind::Any
        }
        _ => return None,
    };
    (full.starts_with("io.k8s.apimachinery.") || full.starts_with("io.k8s.apiextensions-apiserver."))
        .then_some(kind)
}
