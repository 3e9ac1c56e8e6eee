//! Names of Go types and their fields, and the Go type of a kind.

use std::borrow::Cow;

use super::Schema;
use crate::compile::{GoField, GoKind, GoTypes, GoValue, StructId};
use crate::model::{last_part, split_api_version, start_of};

impl Schema {
    /// The Go struct of a built-in kind.
    pub fn go_struct(&self, api_version: &str, kind: &str) -> Option<StructId> {
        let (group, version) = split_api_version(api_version);
        // Loaded documents say nothing about Go types: a kind that one describes again keeps its own.
        self.go_types().struct_of_definition(self.built_in_definition([kind, group, version])?)
    }
}

impl GoTypes {
    /// The place of a field in [`GoTypes::fields`].
    pub fn find(&self, schema: &Schema, id: StructId, name: &str) -> Option<usize> {
        let (fields, start) = (self.fields(id), start_of(name));
        let at = fields.partition_point(|field| field.start < start);
        self.at_or_after(schema, fields, at, name, start)
    }

    /// The same for a name that most likely comes after the place `from`: texts are sorted mostly.
    pub fn find_from(&self, schema: &Schema, id: StructId, name: &str, from: usize) -> Option<usize> {
        let (fields, start) = (self.fields(id), start_of(name));
        let passed = fields.get(from..)?.iter().take_while(|field| field.start < start).count();
        match self.at_or_after(schema, fields, from + passed, name, start) {
            None if from > 0 => self.find(schema, id, name),
            found => found,
        }
    }

    /// The place of a field among those that begin with the same bytes.
    #[inline]
    fn at_or_after(
        &self,
        schema: &Schema,
        fields: &[GoField],
        mut at: usize,
        name: &str,
        start: u64,
    ) -> Option<usize> {
        // Names that share their first eight bytes are next to each other.
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
        schema.model().text(field.name)
    }

    /// The name of a struct without its package, as error texts have it: `PodSpec`.
    pub fn struct_name<'s>(&self, schema: &'s Schema, id: StructId) -> &'s str {
        last_part(self.definition_name(schema, id))
    }

    /// The name of a struct with its package: `v1.PodSpec`.
    pub fn struct_type_name(&self, schema: &Schema, id: StructId) -> String {
        let mut parts = self.definition_name(schema, id).rsplit('.');
        // Go prints the last part of the package path: v1.PodSpec.
        let (name, package) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{package}.{name}")
    }

    /// The name of a struct in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`.
    pub fn definition_name<'s>(&self, schema: &'s Schema, id: StructId) -> &'s str {
        let model = schema.model();
        model.text(model.definitions[self.definition(id) as usize].name)
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
            GoKind::Struct(id) | GoKind::StructOr(_, id) => self.struct_type_name(schema, id).into(),
            GoKind::List(item) => format!("[]{}", self.type_name(schema, self.value(item))).into(),
            GoKind::Map(item) => format!("map[string]{}", self.type_name(schema, self.value(item))).into(),
        }
    }
}
