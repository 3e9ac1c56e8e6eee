//! From a CustomResourceDefinition to the resources it serves.

use std::sync::Arc;

use kubemerge_kinds::{
    columns::{CellSource, TableColumn},
    custom::{
        definition::{has_names, is_established, text, versions},
        jsonpath, scale,
    },
    declared::DeclaredRules,
    registry::{Scope, Selectable},
    strategy::Strategy,
};
use kubemerge_schema::{Overlay, StrategicPatch};
use serde_json::{Value, json};

use crate::{
    catalog::{
        custom::{CustomTypes, CustomVersion},
        resource::{Origin, Resource, Subresource},
    },
    protocol::group_version::api_version,
};

/// What the keys of all definitions begin with.
pub(crate) const PREFIX: &str = "apiextensions.k8s.io/customresourcedefinitions/";
pub(crate) const GROUP: &str = "apiextensions.k8s.io";

/// Whether objects of the resource are definitions.
pub(crate) fn is_definition(resource: &Resource) -> bool {
    resource.group == GROUP && resource.plural == "customresourcedefinitions"
}

/// The resources of one definition: one per served version.
pub(super) fn resources(definition: &Value, overlays: &Arc<[Overlay]>) -> Vec<Resource> {
    let spec = definition.get("spec").unwrap_or(&Value::Null);
    // Upstream: a definition whose names conflict serves nothing. One that has its names and may not be established
    // answers requests.
    let status = definition.get("status");
    if !is_established(status) && !has_names(status) {
        return Vec::new();
    }
    let storage = versions(spec).find(|version| version["storage"] == json!(true));
    let storage = api_version(text(spec, "/group"), storage.map_or("", |version| text(version, "/name")));
    let types = Arc::new(CustomTypes::of(definition, overlays));
    versions(spec)
        // Versions that are not served may still be the storage version.
        .filter(|version| version["served"] == json!(true))
        .map(|version| resource(version, &storage, definition, &types))
        .collect()
}

fn resource(version: &Value, storage: &str, definition: &Value, types: &Arc<CustomTypes>) -> Resource {
    let spec = &definition["spec"];
    // A definition may ask for other names than those that it has.
    let names = definition.pointer("/status/acceptedNames").unwrap_or(&spec["names"]);
    let list = |member: &str| -> Vec<String> {
        let found = names.get(member).and_then(Value::as_array).into_iter().flatten();
        found.filter_map(|one| one.as_str().map(str::to_string)).collect()
    };
    let kind = text(names, "/kind").to_string();
    let verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
    Resource {
        group: text(spec, "/group").to_string(),
        version: text(version, "/name").to_string(),
        api_version: api_version(text(spec, "/group"), text(version, "/name")),
        list_kind: text(names, "/listKind").to_string(),
        plural: text(names, "/plural").to_string(),
        singular: text(names, "/singular").to_string(),
        short_names: list("shortNames"),
        categories: list("categories"),
        scope: if text(spec, "/scope") == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        verbs: verbs.iter().map(ToString::to_string).collect(),
        subresources: subresources(spec, version, &kind),
        strategy: Strategy::CUSTOM,
        selectable: Selectable::custom(selectable(version)),
        strategic_patch: StrategicPatch::Refused,
        origin: Origin::Custom(Arc::new(custom_version(version, definition, types))),
        storage: storage.to_string(),
        kind,
    }
}

fn subresources(spec: &Value, version: &Value, kind: &str) -> Vec<Subresource> {
    let verbs: Vec<String> = ["get", "patch", "update"].iter().map(ToString::to_string).collect();
    let mut found = Vec::new();
    if version.pointer("/subresources/status").is_some() {
        let speaks = [text(spec, "/group"), text(version, "/name"), kind].map(str::to_string);
        found.push(Subresource { name: "status".into(), speaks, verbs: verbs.clone() });
    }
    if scale::of_version(version).is_some() {
        let speaks = ["autoscaling", "v1", "Scale"].map(str::to_string);
        found.push(Subresource { name: "scale".into(), speaks, verbs });
    }
    found
}

fn selectable(version: &Value) -> Vec<(String, String)> {
    let fields = version.get("selectableFields").and_then(Value::as_array).into_iter().flatten();
    let paths = fields.filter_map(|field| jsonpath::names(text(field, "/jsonPath")));
    paths.map(|names| (names.join("."), names.join("."))).collect()
}

fn custom_version(version: &Value, definition: &Value, types: &Arc<CustomTypes>) -> CustomVersion {
    CustomVersion {
        rules: DeclaredRules::of_version(types.declared(version), definition, version),
        columns: columns(version),
        deprecation: deprecation(&definition["spec"], version),
        revised: definition.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or(0) > 1,
        established: is_established(definition.get("status")),
        terminating: definition.pointer("/metadata/deletionTimestamp").is_some(),
        open_api: version.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default(),
        types: types.clone(),
    }
}

fn deprecation(spec: &Value, version: &Value) -> Option<String> {
    if version.get("deprecated") != Some(&json!(true)) {
        return None;
    }
    let own = version.get("deprecationWarning").and_then(Value::as_str).map(str::to_string);
    Some(own.unwrap_or_else(|| {
        format!(
            "{}/{} {} is deprecated",
            text(spec, "/group"),
            text(version, "/name"),
            text(spec, "/names/kind")
        )
    }))
}

fn columns(version: &Value) -> Vec<TableColumn> {
    let mut columns = vec![TableColumn::name()];
    let own = version.get("additionalPrinterColumns").and_then(Value::as_array);
    match own.filter(|own| !own.is_empty()) {
        // Upstream: the age is shown only if the definition has no columns of its own.
        None => columns.push(TableColumn::age()),
        Some(own) => columns.extend(own.iter().map(|column| TableColumn {
            name: text(column, "/name").to_string().into(),
            kind: text(column, "/type").to_string().into(),
            format: text(column, "/format").to_string().into(),
            description: text(column, "/description").to_string().into(),
            priority: column.get("priority").and_then(Value::as_i64).unwrap_or(0),
            source: CellSource::JsonPath(text(column, "/jsonPath").to_string()),
        })),
    }
    columns
}
