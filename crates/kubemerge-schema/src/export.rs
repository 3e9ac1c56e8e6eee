//! Writes the rules in force as an OpenAPI v2 document, for kustomize's `openapi:` field and its like.
//!
//! Kustomize replaces its own schema by the one it is given, so every kind is written. It reads the keys of
//! a list from `x-kubernetes-list-map-keys`, other readers from `x-kubernetes-patch-merge-key`: both are
//! written, and both say what the rule says. Whether a kind is namespaced it learns from the paths.

use serde_json::{Map, Value, json};

use crate::compile::{ListForm, MapStrategy, Rule};
use crate::model::{FieldEntry, Model, NodeId, ResourceEntry, UNTYPED};
use crate::schema::Schema;
use crate::schema::unions::FieldUnion;

impl Schema {
    /// The rules in force as an OpenAPI v2 document.
    #[doc(hidden)]
    pub fn export(&self) -> Value {
        let model = self.model();
        let mut definitions = Map::new();
        for (id, entry) in model.visible_definitions() {
            // Definitions that a later one of the same name hides are left out: readers would take the first.
            let mut definition = self.export_node(entry.node);
            let kinds: Vec<Value> = model
                .kinds
                .iter()
                .filter(|kind| kind.definition == id)
                .map(|kind| {
                    let [group, version, kind] =
                        [kind.group, kind.version, kind.kind].map(|part| model.text(part));
                    json!({"group": group, "version": version, "kind": kind})
                })
                .collect();
            if !kinds.is_empty() {
                definition.insert("x-kubernetes-group-version-kind".into(), kinds.into());
            }
            definitions.insert(model.text(entry.name).to_owned(), definition.into());
        }
        let title = format!("merge rules in the dialect {}", self.dialect().name());
        json!({
            "swagger": "2.0",
            "info": {"title": title, "version": "1"},
            // kustomize learns from paths which kinds have no namespace.
            "paths": paths(model),
            "definitions": definitions,
        })
    }

    fn export_node(&self, id: NodeId) -> Map<String, Value> {
        let model = self.model();
        let node = model.node(id);
        let mut schema = Map::new();
        if let Some(definition) = model.definitions.get(node.refers_to as usize) {
            // Keywords beside `$ref` are not valid OpenAPI v2, but it is what Kubernetes publishes and
            // kustomize reads.
            schema.insert("$ref".into(), format!("#/definitions/{}", model.text(definition.name)).into());
        } else {
            self.export_value(id, &mut schema);
        }
        if let Some(word) = node.map_type.word() {
            schema.insert("x-kubernetes-map-type".into(), word.into());
        }
        write_rule(self, id, &mut schema);
        schema
    }

    fn export_value(&self, id: NodeId, schema: &mut Map<String, Value>) {
        let model = self.model();
        let node = model.node(id);
        if !node.shape.word().is_empty() {
            schema.insert("type".into(), node.shape.word().into());
        }
        if let Some(format) = model.given(node.format) {
            schema.insert("format".into(), format.into());
        }
        let unions: Vec<Value> = FieldUnion::of(model, node).map(FieldUnion::to_value).collect();
        if !unions.is_empty() {
            schema.insert("x-kubernetes-unions".into(), unions.into());
        }
        let fields = model.fields(node);
        if !fields.is_empty() {
            let export = |field: &FieldEntry| {
                (model.text(field.name).to_owned(), Value::from(self.export_node(field.node)))
            };
            let properties: Map<String, Value> = fields.iter().map(export).collect();
            schema.insert("properties".into(), properties.into());
        }
        for (word, child) in [("items", node.items), ("additionalProperties", node.additional)] {
            if child != UNTYPED {
                schema.insert(word.into(), self.export_node(child).into());
            }
        }
    }
}

/// Writes the rule as the metadata that makes other tools follow it.
fn write_rule(schema: &Schema, id: NodeId, out: &mut Map<String, Value>) {
    let rule = schema.rules().of(id);
    if let Some(strategy) = strategy_words(rule) {
        out.insert("x-kubernetes-patch-strategy".into(), strategy.into());
    }
    let keys: Vec<&str> = schema.rules().keys_of(rule).iter().map(|key| key.name.as_str()).collect();
    match rule.list {
        ListForm::Keyed => {
            out.insert("x-kubernetes-patch-merge-key".into(), keys.join(",").into());
            // kustomize reads the merge key, and merges by several keys only if these are given too.
            out.insert("x-kubernetes-list-map-keys".into(), keys.into());
            out.insert("x-kubernetes-list-type".into(), "map".into());
        }
        ListForm::Scalars | ListForm::Set => {
            out.insert("x-kubernetes-list-type".into(), "set".into());
        }
        ListForm::Atomic => {}
    }
}

fn strategy_words(rule: Rule) -> Option<String> {
    let word = match (rule.list, rule.map) {
        (ListForm::Keyed | ListForm::Scalars | ListForm::Set, _) => Some("merge"),
        (ListForm::Atomic, MapStrategy::Replace) => Some("replace"),
        (ListForm::Atomic, MapStrategy::Merge) => None,
    };
    let words: Vec<&str> = word.into_iter().chain(rule.retain_keys.then_some("retainKeys")).collect();
    (!words.is_empty()).then(|| words.join(","))
}

/// One path for every resource that can be read.
fn paths(model: &Model) -> Map<String, Value> {
    model.resources.iter().map(|resource| (path(model, resource), operation(model, resource))).collect()
}

fn path(model: &Model, resource: &ResourceEntry) -> String {
    let root = match (model.text(resource.group), model.text(resource.version)) {
        ("", version) => format!("/api/{version}"),
        (group, version) => format!("/apis/{group}/{version}"),
    };
    let scope = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
    format!("{root}{scope}/{}/{{name}}", model.text(resource.plural))
}

fn operation(model: &Model, resource: &ResourceEntry) -> Value {
    let [group, version, kind] =
        [resource.group, resource.version, resource.kind].map(|part| model.text(part));
    json!({"get": {
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
    }})
}
