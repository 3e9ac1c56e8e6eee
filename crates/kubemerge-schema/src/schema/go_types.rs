//! [`GoTypes`]: the cursor for decoders and encoders of built-in kinds, on the nodes that merge rules are about, too.

use std::borrow::Cow;

use kubemerge_value::part::{item_at, part_of};

use super::Schema;
use crate::compile::{GoFacts, GoKind, GoValue, StructId, ValueId};
use crate::model::{FieldEntry, Model, last_part, split_api_version, start_of};

/// The types of a schema as Go has them. Types of loaded documents have no Go facts.
#[derive(Clone, Copy)]
pub struct GoTypes<'s> {
    model: &'s Model,
    facts: &'s GoFacts,
}

/// A struct: its fields, sorted by name.
#[derive(Clone, Copy)]
pub struct GoStruct<'s> {
    types: GoTypes<'s>,
    id: StructId,
    fields: &'s [FieldEntry],
}

/// A field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct GoField<'s> {
    /// Its name in JSON.
    pub name: &'s str,
    /// Its type.
    pub value: GoValue,
}

impl Schema {
    /// The types as Go has them. The first call looks at all of them.
    #[doc(hidden)]
    pub fn go_types(&self) -> GoTypes<'_> {
        GoTypes { model: self.model(), facts: self.go_facts() }
    }

    /// The Go struct of a built-in kind.
    #[doc(hidden)]
    pub fn go_struct(&self, api_version: &str, kind: &str) -> Option<StructId> {
        let (group, version) = split_api_version(api_version);
        // Loaded documents say nothing about Go types: a kind that one describes again keeps its own.
        self.built_in_definition([kind, group, version]).map(StructId)
    }
}

impl<'s> GoTypes<'s> {
    /// A struct.
    #[inline]
    pub fn of(self, id: StructId) -> GoStruct<'s> {
        let fields = item_at(&self.facts.structs, id.0 as usize).fields;
        GoStruct { types: self, id, fields: part_of(&self.model.fields, fields.range()) }
    }

    /// The type of list items or map values.
    #[inline]
    pub fn value(self, id: ValueId) -> GoValue {
        *item_at(&self.facts.of_node, id.0 as usize)
    }

    /// The name of a type as Go prints it: `int32`, `v1.Protocol`, `[]v1.Container`.
    pub fn type_name(self, value: GoValue) -> Cow<'s, str> {
        if let Some(name) =
            self.model.nodes.get(value.node as usize).and_then(|node| self.model.given(node.go_type))
        {
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
            GoKind::Struct(id) | GoKind::StructOr(_, id) => self.of(id).type_name().into(),
            GoKind::List(item) => format!("[]{}", self.type_name(self.value(item))).into(),
            GoKind::Map(item) => format!("map[string]{}", self.type_name(self.value(item))).into(),
        }
    }
}

impl<'s> GoStruct<'s> {
    /// Its fields, sorted by name.
    pub fn fields(self) -> impl ExactSizeIterator<Item = GoField<'s>> {
        (0..self.fields.len()).map(move |place| self.field(place))
    }

    /// The field at a place among [`GoStruct::fields`].
    #[inline]
    pub fn field(self, place: usize) -> GoField<'s> {
        let FieldEntry { name, node, .. } = *item_at(self.fields, place);
        GoField {
            name: self.types.model.text(name),
            value: *item_at(&self.types.facts.of_node, node as usize),
        }
    }

    /// The places of the fields that Go writes even if an object does not have them.
    pub fn always_written(self) -> &'s [u16] {
        let always = item_at(&self.types.facts.structs, self.id.0 as usize).always;
        part_of(&self.types.facts.always, always.range())
    }

    /// The field of a name.
    pub fn named(self, name: &str) -> Option<GoField<'s>> {
        self.find(name).map(|place| self.field(place))
    }

    fn find(self, name: &str) -> Option<usize> {
        let start = start_of(name);
        let at = self.fields.partition_point(|field| field.start < start);
        self.at_or_after(at, name, start)
    }

    /// The same for a name that most likely comes after the place `from`: texts are sorted mostly.
    pub fn find_from(self, name: &str, from: usize) -> Option<usize> {
        let start = start_of(name);
        let passed = self.fields.get(from..)?.iter().take_while(|field| field.start < start).count();
        match self.at_or_after(from + passed, name, start) {
            None if from > 0 => self.find(name),
            found => found,
        }
    }

    /// The place of a field among those that begin with the same bytes.
    #[inline]
    fn at_or_after(self, mut at: usize, name: &str, start: u64) -> Option<usize> {
        // Names that share their first eight bytes are next to each other.
        while let Some(field) = self.fields.get(at).filter(|field| field.start == start) {
            if self.types.model.text(field.name) == name {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// Its name without its package, as error texts have it: `PodSpec`.
    pub fn name(self) -> &'s str {
        last_part(self.definition_name())
    }

    /// Its name with its package: `v1.PodSpec`.
    pub fn type_name(self) -> String {
        let mut parts = self.definition_name().rsplit('.');
        // Go prints the last part of the package path: v1.PodSpec.
        let (name, package) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{package}.{name}")
    }

    /// Its name in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`.
    pub fn definition_name(self) -> &'s str {
        let model = self.types.model;
        model.text(model.definition(self.id.0).name)
    }
}
