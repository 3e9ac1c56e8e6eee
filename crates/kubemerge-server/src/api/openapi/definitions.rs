//! The definitions of kinds and of the types they use.

use std::collections::{BTreeSet, VecDeque};

use kubemerge_schema::{Definition, Required, Schema, Shape, Type};
use serde_json::{Map, Value, json};

use super::Syntax;
use crate::catalog::{Index, Resource, Resources};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/// The definitions that the resources of one version need.
pub(super) fn of_resources(schema: &Schema, resources: &Resources) -> Map<String, Value> {
    let mut writer = Writer::new(Syntax::V3);
    for resource in resources.values() {
        writer.add_resource(schema, resource);
    }
    writer.finish(schema)
}

/// All definitions.
pub(super) fn of_everything(schema: &Schema, index: &Index) -> Map<String, Value> {
    let mut writer = Writer::new(Syntax::V2);
    for group in index.groups() {
        for resource in group.versions.iter().flat_map(|(_, resources)| resources.values()) {
            writer.add_resource(schema, resource);
        }
    }
    writer.finish(schema)
}

struct Writer {
    syntax: Syntax,
    written: Map<String, Value>,
    wanted: VecDeque<String>,
    known: BTreeSet<String>,
}

impl Writer {
    fn new(syntax: Syntax) -> Self {
        Writer { syntax, written: Map::new(), wanted: VecDeque::new(), known: BTreeSet::new() }
    }

    fn want(&mut self, name: &str) {
        // Types refer to each other in circles, so each is queued once.
        if self.known.insert(name.to_string()) {
            self.wanted.push_back(name.to_string());
        }
    }

    fn add_resource(&mut self, schema: &Schema, resource: &Resource) {
        match resource.custom() {
            Some(version) => self.add_custom(resource, &version.open_api),
            None => {
                let ty = schema.type_of(&resource.api_version, &resource.kind);
                if let Some(name) = ty.and_then(|ty| ty.definition_name()) {
                    self.add_list(resource, name);
                    self.want(name);
                }
                // A subresource may speak a kind that no resource has, such as Scale.
                for sub in &resource.subresources {
                    let [group, version, kind] = &sub.speaks;
                    let api_version = crate::protocol::group_version::api_version(group, version);
                    let ty = schema.type_of(&api_version, kind);
                    if let Some(name) = ty.and_then(|ty| ty.definition_name()) {
                        self.want(name);
                    }
                }
            }
        }
    }

    /// Lists have no definition of their own in the tables; all of them look alike.
    fn add_list(&mut self, resource: &Resource, item: &str) {
        let name = format!("{item}List");
        let list = self.list(&self.syntax.reference(item), resource);
        self.known.insert(name.clone());
        self.written.insert(name, list);
        self.want(LIST_META);
    }

    fn list(&self, item: &str, resource: &Resource) -> Value {
        json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "metadata": {"$ref": self.syntax.reference(LIST_META)},
                "items": {"type": "array", "items": {"$ref": item}},
            },
            "x-kubernetes-group-version-kind":
                [{"group": resource.group, "version": resource.version, "kind": resource.list_kind}],
        })
    }

    fn add_custom(&mut self, resource: &Resource, schema: &Value) {
        // Names of definitions begin with the reversed domain of the group.
        let mut parts: Vec<&str> = resource.group.split('.').rev().collect();
        parts.extend([resource.version.as_str(), resource.kind.as_str()]);
        let name = parts.join(".");
        // A definition without a schema still describes an object.
        let mut definition = if schema.is_object() { schema.clone() } else { json!({"type": "object"}) };
        let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        properties.insert("apiVersion".into(), json!({"type": "string"}));
        properties.insert("kind".into(), json!({"type": "string"}));
        properties.insert("metadata".into(), json!({"$ref": self.syntax.reference(OBJECT_META)}));
        definition["properties"] = Value::Object(properties);
        definition["x-kubernetes-group-version-kind"] =
            json!([{"group": resource.group, "version": resource.version, "kind": resource.kind}]);
        let list = self.list(&self.syntax.reference(&name), resource);
        self.written.insert(format!("{name}List"), list);
        self.written.insert(name, definition);
        self.want(OBJECT_META);
        self.want(LIST_META);
    }

    fn finish(mut self, schema: &Schema) -> Map<String, Value> {
        while let Some(name) = self.wanted.pop_front() {
            // Lists and custom resources were written when they were added.
            if self.written.contains_key(&name) {
                continue;
            }
            let Some(ty) = schema.definition(&name) else {
                // A type that the tables do not have: any object.
                self.written.insert(name, json!({"type": "object"}));
                continue;
            };
            let mut value = self.described(ty);
            // Only whole kinds have a group, version and kind.
            if let Some(definition) = ty.reference().or_else(|| find(schema, &name)) {
                add_kinds(&mut value, definition);
            }
            self.written.insert(name, value);
        }
        self.written
    }

    /// What a field says: a reference where there is one, else its own description.
    fn field(&mut self, ty: Type<'_>) -> Value {
        let mut value = match ty.reference() {
            Some(definition) => {
                self.want(definition.name());
                let reference = json!({"$ref": self.syntax.reference(definition.name())});
                match ty.default() {
                    // In OpenAPI 3.0 nothing may be beside a `$ref`.
                    Some(_) if self.syntax == Syntax::V3 => json!({"allOf": [reference]}),
                    _ => reference,
                }
            }
            None => self.described(ty),
        };
        if let (Some(default), None) = (ty.default(), value.get("$ref")) {
            value["default"] = default;
        }
        add_merge_rules(&mut value, ty);
        value
    }

    fn described(&mut self, ty: Type<'_>) -> Value {
        let mut value = Map::new();
        // IntOrString and free-form values have no single type.
        if ty.shape() != Shape::Any {
            value.insert("type".into(), ty.shape().word().into());
        }
        if let Some(format) = ty.format() {
            value.insert("format".into(), format.into());
        }
        let fields: Vec<_> = ty.fields().collect();
        if !fields.is_empty() {
            let required: Vec<&str> = fields
                .iter()
                .filter(|field| field.required == Required::Yes)
                .map(|field| field.name)
                .collect();
            if !required.is_empty() {
                value.insert("required".into(), json!(required));
            }
            let properties: Map<String, Value> =
                fields.into_iter().map(|field| (field.name.to_string(), self.field(field.ty))).collect();
            value.insert("properties".into(), Value::Object(properties));
        }
        if let Some(items) = ty.items() {
            value.insert("items".into(), self.field(items));
        }
        if let Some(additional) = ty.additional_properties() {
            value.insert("additionalProperties".into(), self.field(additional));
        }
        Value::Object(value)
    }
}

fn find<'s>(schema: &'s Schema, name: &str) -> Option<Definition<'s>> {
    schema.definitions().find(|definition| definition.name() == name)
}

fn add_kinds(value: &mut Value, definition: Definition<'_>) {
    let kinds: Vec<Value> = definition
        .kinds()
        .map(|kind| json!({"group": kind.group, "version": kind.version, "kind": kind.kind}))
        .collect();
    if !kinds.is_empty() {
        value["x-kubernetes-group-version-kind"] = json!(kinds);
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
    put("x-kubernetes-map-type", ty.map_type().word());
    let keys: Vec<&str> = ty.list_map_keys().collect();
    if !keys.is_empty() {
        value["x-kubernetes-list-map-keys"] = json!(keys);
    }
}
