//! The definitions of kinds and of the types they use.

use std::collections::{BTreeSet, HashMap, VecDeque};

use kubemerge_schema::{Definition, FieldUnion, MapType, Required, Schema, Shape, Type};
use serde_json::{Map, Value, json};

use super::{custom_schema, operation::meta, published, syntax::Syntax};
use crate::protocol::json::Members;
use crate::{
    catalog::{Index, Resource, Resources},
    protocol::{group_version::split_api_version, verb::Verb},
};

/// Definitions that every group and version registers for itself.
const OF_EVERY_VERSION: [&str; 2] = ["DeleteOptions", "WatchEvent"];
/// Groups whose versions are not listed among these in the documents of custom resources.
const UNKNOWN_TO_CUSTOM: [&str; 4] =
    ["admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"];
/// The only definition whose fields have no descriptions, except one: references to other types are bare there.
const UNDESCRIBED: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// The definitions that the paths of one version need.
pub(super) fn of_resources(schema: &Schema, resources: &Resources, paths: &Value) -> Map<String, Value> {
    let mut writer = Writer::new(schema, Syntax::V3);
    let built_in = resources.values().find(|resource| resource.custom().is_none());
    writer.home = built_in.map(|resource| resource.api_version.clone());
    resources.values().for_each(|resource| writer.add_resource(resource));
    writer.want_references(paths);
    writer.finish()
}

/// All definitions.
pub(super) fn of_everything(schema: &Schema, index: &Index, paths: &Value) -> Map<String, Value> {
    let mut writer = Writer::new(schema, Syntax::V2);
    for group in index.groups() {
        for resource in group.versions.iter().flat_map(|(_, resources)| resources.values()) {
            writer.add_resource(resource);
        }
    }
    writer.want_references(paths);
    writer.finish()
}

struct Writer<'s> {
    schema: &'s Schema,
    syntax: Syntax,
    /// The group and version of the document, if its kinds are built in.
    home: Option<String>,
    by_name: HashMap<&'s str, Definition<'s>>,
    written: Map<String, Value>,
    wanted: VecDeque<String>,
    known: BTreeSet<String>,
}

impl<'s> Writer<'s> {
    fn new(schema: &'s Schema, syntax: Syntax) -> Self {
        let by_name = schema.definitions().map(|definition| (definition.name(), definition)).collect();
        let (written, wanted, known) = (Map::new(), VecDeque::new(), BTreeSet::new());
        Writer { schema, syntax, home: None, by_name, written, wanted, known }
    }

    fn want(&mut self, name: &str) {
        if self.known.insert(name.to_string()) {
            self.wanted.push_back(name.to_string());
        }
    }

    /// Wants all definitions that a document refers to.
    fn want_references(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                let reference = map.get("$ref").and_then(Value::as_str);
                if let Some((_, name)) = reference.and_then(|reference| reference.rsplit_once('/')) {
                    self.want(name);
                }
                map.values().for_each(|member| self.want_references(member));
            }
            Value::Array(items) => items.iter().for_each(|item| self.want_references(item)),
            _ => {}
        }
    }

    fn add_resource(&mut self, resource: &Resource) {
        if resource.custom().is_some() {
            for (name, definition) in custom_schema::definitions(resource, self.syntax) {
                self.put(name, definition);
            }
        }
        let ty = self.schema.type_of(&resource.api_version, &resource.kind);
        let name = ty.and_then(|ty| ty.definition_name()).filter(|_| resource.custom().is_none());
        let Some(name) = name else { return };
        // Lists have no definition of their own in the tables; all of them look alike.
        if resource.allows(Verb::List) {
            self.put(format!("{name}List"), list(name, resource, self.syntax));
        }
        self.want(name);
    }

    fn put(&mut self, name: String, definition: Value) {
        self.want_references(&definition);
        self.known.insert(name.clone());
        self.written.insert(name, definition);
    }

    fn finish(mut self) -> Map<String, Value> {
        while let Some(name) = self.wanted.pop_front() {
            if self.written.contains_key(&name) {
                continue;
            }
            let value = match self.by_name.get(name.as_str()).copied() {
                Some(definition) => self.definition(definition),
                // A type that the tables do not have: any object.
                None => json!({"type": "object"}),
            };
            self.written.insert(name, value);
        }
        self.written
    }

    fn definition(&mut self, definition: Definition<'s>) -> Value {
        if let Some(value) = self.union_of_types(definition.name()) {
            return value;
        }
        let mut value = self.described(definition.ty(), definition.name());
        add_unions(&mut value, definition.ty());
        let kinds = self.kinds(definition);
        if !kinds.is_empty() {
            value.set_member("x-kubernetes-group-version-kind", kinds.into());
        }
        value
    }

    /// Types that are written as texts and as numbers; version 2 knows no such thing.
    fn union_of_types(&self, name: &str) -> Option<Value> {
        match (self.syntax, name) {
            (Syntax::V3, "io.k8s.apimachinery.pkg.api.resource.Quantity") => {
                Some(json!({"oneOf": [{"type": "string"}, {"type": "number"}]}))
            }
            (Syntax::V3, "io.k8s.apimachinery.pkg.util.intstr.IntOrString") => {
                Some(json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}))
            }
            _ => None,
        }
    }

    fn kinds(&self, definition: Definition<'s>) -> Vec<Value> {
        let last = definition.name().rsplit('.').next().unwrap_or_default();
        if let (Some(home), true) = (&self.home, OF_EVERY_VERSION.contains(&last)) {
            let mut homes = vec![("", "v1"), split_api_version(home)];
            homes.dedup();
            let kind = |(group, version)| json!({"group": group, "version": version, "kind": last});
            return homes.into_iter().map(kind).collect();
        }
        // The server of custom resources does not know the versions of its neighbours.
        let is_foreign = |group: &str| self.syntax == Syntax::V3 && UNKNOWN_TO_CUSTOM.contains(&group);
        let kinds =
            definition.kinds().filter(|kind| !(OF_EVERY_VERSION.contains(&last) && is_foreign(kind.group)));
        kinds.map(|kind| json!({"group": kind.group, "version": kind.version, "kind": kind.kind})).collect()
    }

    /// What a field says: a reference where there is one, else its own description.
    fn field(&mut self, ty: Type<'s>, place: &str) -> Value {
        let mut value = match ty.reference() {
            Some(definition) => self.reference(ty, definition, place),
            None => self.described(ty, place),
        };
        // Version 2 has no defaults.
        if let (Some(default), Syntax::V3) = (ty.default(), self.syntax) {
            value.set_member("default", default);
        }
        if let Some(values) = published::enum_values(place) {
            value.set_member("enum", values.collect());
        }
        add_merge_rules(&mut value, ty);
        value
    }

    fn reference(&mut self, ty: Type<'s>, definition: Definition<'s>, place: &str) -> Value {
        self.want(definition.name());
        let reference = json!({"$ref": self.syntax.reference(definition.name())});
        let is_item = place.ends_with("[]") || place.ends_with("{}");
        let is_bare = is_item || place.starts_with(UNDESCRIBED) && !place.ends_with(".default");
        match self.syntax {
            // In OpenAPI 3.0 nothing may be beside a `$ref`, and fields have descriptions beside it.
            Syntax::V3 if !is_bare || ty.default().is_some() => json!({"allOf": [reference]}),
            _ => reference,
        }
    }

    fn described(&mut self, ty: Type<'s>, place: &str) -> Value {
        let mut value = Map::new();
        if ty.shape() != Shape::Any {
            value.insert("type".into(), ty.shape().word().into());
        }
        if let Some(format) = ty.format() {
            value.insert("format".into(), format.into());
        }
        if let Some(word) = ty.map_type().word() {
            value.insert("x-kubernetes-map-type".into(), word.into());
        }
        self.add_fields(&mut value, ty, place);
        if let Some(items) = ty.items() {
            value.insert("items".into(), self.field(items, &format!("{place}[]")));
        }
        if let Some(additional) = ty.additional_properties() {
            value.insert("additionalProperties".into(), self.field(additional, &format!("{place}{{}}")));
        }
        Value::Object(value)
    }

    fn add_fields(&mut self, value: &mut Map<String, Value>, ty: Type<'s>, place: &str) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in ty.fields() {
            if field.required == Required::Yes {
                required.push(field.name);
            }
            let schema = self.field(field.ty, &format!("{place}.{}", field.name));
            properties.insert(field.name.to_string(), schema);
        }
        if !required.is_empty() {
            published::sort_required(place, &mut required);
            value.insert("required".into(), json!(required));
        }
        if !properties.is_empty() {
            value.insert("properties".into(), properties.into());
        }
    }
}

/// The definition of a list of objects.
pub(super) fn list(item: &str, resource: &Resource, syntax: Syntax) -> Value {
    let reference = json!({"$ref": syntax.reference(&meta("ListMeta"))});
    let metadata = match (syntax, resource.custom()) {
        (Syntax::V2, _) => reference,
        (Syntax::V3, None) => json!({"allOf": [reference], "default": {}}),
        (Syntax::V3, Some(_)) => json!({"allOf": [reference]}),
    };
    json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": metadata,
            "items": {"type": "array", "items": {"$ref": syntax.reference(item)}},
        },
        "x-kubernetes-group-version-kind": group_version_kind(resource, &resource.list_kind),
    })
}

pub(super) fn group_version_kind(resource: &Resource, kind: &str) -> Value {
    json!([{"group": resource.group, "version": resource.version, "kind": kind}])
}

fn add_unions(value: &mut Value, ty: Type<'_>) {
    let unions: Vec<Value> = ty.unions().iter().map(FieldUnion::to_value).collect();
    if !unions.is_empty() {
        value["x-kubernetes-unions"] = unions.into();
    }
}

fn add_merge_rules(value: &mut Value, ty: Type<'_>) {
    let mut put = |key: &str, text: Option<&str>| {
        if let Some(text) = text {
            value[key] = text.into();
        }
    };
    put("x-kubernetes-patch-strategy", ty.patch_strategy());
    put("x-kubernetes-patch-merge-key", ty.patch_merge_key());
    put("x-kubernetes-list-type", ty.list_type().word());
    put("x-kubernetes-map-type", property_map_type(ty).word());
    let keys: Vec<&str> = ty.list_map_keys().collect();
    if !keys.is_empty() {
        value["x-kubernetes-list-map-keys"] = json!(keys);
    }
}

/// The map type of a property, unless it is that of the type which the property refers to.
fn property_map_type(ty: Type<'_>) -> MapType {
    match ty.reference() {
        Some(definition) if definition.ty().map_type() == ty.map_type() => MapType::Unset,
        _ => ty.map_type(),
    }
}
