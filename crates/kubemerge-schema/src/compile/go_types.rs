//! The Go types of the built-in kinds: what a decoder and an encoder have to know about each field.
//!
//! Compiled from the model once, when a caller asks. Types of loaded documents have no Go facts and are left out.

use crate::model::{DefinitionId, Flags, Model, NOWHERE, Name, NodeId, Shape, last_part, start_of};

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
    pub(crate) node: NodeId,
}

impl GoValue {
    /// A value of a kind that is no field: an item of a list.
    pub fn plain(kind: GoKind) -> GoValue {
        GoValue { kind, is_pointer: false, keeps_empty: true, omits_zero: false, node: NOWHERE }
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

/// A field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct GoField {
    /// The first bytes of the name, which decide most comparisons.
    pub(crate) start: u64,
    pub(crate) name: Name,
    /// Its type.
    pub value: GoValue,
}

#[derive(Clone, Copy, Debug)]
struct GoStruct {
    definition: DefinitionId,
    first: u32,
    len: u32,
    /// Stretch of [`GoTypes::always`].
    always: (u32, u32),
}

/// The Go types of a schema.
#[derive(Debug, Default)]
pub struct GoTypes {
    structs: Vec<GoStruct>,
    fields: Vec<GoField>,
    values: Vec<GoValue>,
    /// Places of fields that are always written.
    always: Vec<u16>,
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

    /// The places of the fields that Go writes even if an object does not have them.
    pub fn always_written(&self, id: StructId) -> &[u16] {
        let (start, end) = self.structs[id.0 as usize].always;
        &self.always[start as usize..end as usize]
    }

    /// The type of list items or map values.
    pub fn value(&self, id: ValueId) -> GoValue {
        self.values[id.0 as usize]
    }

    /// The definition of a struct.
    pub(crate) fn definition(&self, id: StructId) -> DefinitionId {
        self.structs[id.0 as usize].definition
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
        // Noted before its fields are read: types such as JSONSchemaProps contain themselves.
        self.of_definition[definition as usize] = id;
        self.structs.push(GoStruct { definition, first: 0, len: 0, always: (0, 0) });
        let root = model.node(model.resolve(model.definitions[definition as usize].node));
        let fields: Vec<GoField> = model
            .fields(root)
            .iter()
            .map(|entry| GoField {
                start: start_of(model.text(entry.name)),
                name: entry.name,
                value: self.value_of(model, entry.node),
            })
            .collect();
        // Set only now, because fields of nested structs were added while reading these.
        let one = &mut self.structs[id as usize];
        (one.first, one.len) = (self.fields.len() as u32, fields.len() as u32);
        let start = self.always.len() as u32;
        let places = fields.iter().zip(0..).filter(|(field, _)| field.value.is_always_written());
        self.always.extend(places.map(|(_, place)| place));
        one.always = (start, self.always.len() as u32);
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
            // Types with a JSON form of their own are not read field by field.
            let full = model.text(definition.name);
            return match special(last_part(full), full) {
                Some(kind) => kind,
                None => match alternative(full).and_then(|(name, other)| Some((find(model, name)?, other))) {
                    Some((id, other)) => GoKind::StructOr(other, self.struct_of(model, id)),
                    None => GoKind::Struct(self.struct_of(model, given.refers_to)),
                },
            };
        }
        let format = model.text(given.format);
        match given.shape {
            Shape::Boolean => GoKind::Bool,
            Shape::Integer if format == "int32" => GoKind::Int32,
            // Also Go's int, which has 64 bits on every platform of the API server.
            Shape::Integer => GoKind::Int64,
            Shape::Number => GoKind::Float64,
            Shape::String if format == "byte" => GoKind::Bytes,
            Shape::String => GoKind::String,
            Shape::List if given.items != NOWHERE => GoKind::List(self.child(model, given.items)),
            Shape::Object if given.additional != NOWHERE => GoKind::Map(self.child(model, given.additional)),
            // Nothing is known of the content, so it is kept as it is.
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
