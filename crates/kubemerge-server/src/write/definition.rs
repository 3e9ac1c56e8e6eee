//! CustomResourceDefinitions: what they must say, what they are told, and the resources they bring.

use std::sync::{Arc, OnceLock};

use kubemerge_kinds::custom::{
    jsonpath,
    rules::Rules,
    scale::{self, ScalePaths},
    structural::Structural,
};
use kubemerge_kinds::{columns::Column, field_error::FieldError};
use serde_json::{Value, json};

use crate::catalog::custom::CustomVersion;
use crate::{
    api::{
        app::App,
        call::Call,
        verb::delete::{self, DeleteOptions},
    },
    catalog::{self, Origin, Resource, Scope, Subresource, api_version},
    object::Object,
    protocol::status::{Outcome, Qualified, invalid},
    store::{Range, Stored},
    write::{
        collector::{is_ending, keys_below, rewrite},
        definition_names::{self, Verdict},
        ledger::Ledger,
    },
};

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
const GROUP: &str = "apiextensions.k8s.io";
const PREFIX: &str = "apiextensions.k8s.io/customresourcedefinitions/";

fn is_definition(resource: &Resource) -> bool {
    resource.group == GROUP && resource.plural == "customresourcedefinitions"
}

/// Completes and checks an object that is a definition; others pass.
pub(crate) fn check(call: &Call<'_>, object: &mut Object, old: Option<&Object>) -> Outcome<Vec<FieldError>> {
    if !is_definition(call.resource) {
        return Ok(Vec::new());
    }
    let mut spec = object.get("spec").unwrap_or_default();
    let errors = complaints(object.metadata.name(), &spec);
    if !errors.is_empty() {
        return Ok(errors);
    }
    complete_names(&mut spec);
    object.set("spec", &spec)?;
    if old.is_none() {
        let finalizers = object.metadata.finalizers();
        if !finalizers.iter().any(|one| one == CLEANUP) {
            object.metadata.set_finalizers([finalizers, vec![CLEANUP.into()]].concat());
        }
    }
    let verdict = definition_names::judge(call.app(), object.metadata.name(), &spec, &stored(call.app()));
    let status = status(call.app(), &spec, &verdict, old.and_then(|old| old.get("status")));
    object.set("status", &status)?;
    Ok(old.map(|old| check_change(old, &spec, &status)).unwrap_or_default())
}

/// A definition as the server would have made it of a fixture.
pub(crate) fn load(app: &App, value: &Value) -> Outcome<Value> {
    let mut object = Object::from_value(value)?;
    let mut spec = object.get("spec").unwrap_or_default();
    let errors = complaints(object.metadata.name(), &spec);
    if !errors.is_empty() {
        let kind = Qualified { group: GROUP, name: "CustomResourceDefinition" };
        return Err(invalid(kind, object.metadata.name(), &errors));
    }
    complete_names(&mut spec);
    object.set("spec", &spec)?;
    object.metadata.set_finalizers(vec![CLEANUP.into()]);
    let verdict = definition_names::judge(app, object.metadata.name(), &spec, &stored(app));
    object.set("status", &status(app, &spec, &verdict, None))?;
    Ok(object.to_value())
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn versions(spec: &Value) -> impl Iterator<Item = &Value> {
    spec.get("versions").and_then(Value::as_array).into_iter().flatten()
}

fn complaints(name: &str, spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (pointer, field) in
        [("/group", "spec.group"), ("/names/plural", "spec.names.plural"), ("/names/kind", "spec.names.kind")]
    {
        if text(spec, pointer).is_empty() {
            errors.push(FieldError::required(field, ""));
        }
    }
    let wanted = format!("{}.{}", text(spec, "/names/plural"), text(spec, "/group"));
    if errors.is_empty() && name != wanted {
        let why = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid("metadata.name", &json!(name), why));
    }
    if !matches!(text(spec, "/scope"), "Namespaced" | "Cluster") {
        let supported = ["Cluster".to_string(), "Namespaced".to_string()];
        errors.push(FieldError::not_supported("spec.scope", &json!(text(spec, "/scope")), &supported));
    }
    check_versions(spec, &mut errors);
    errors
}

fn check_versions(spec: &Value, errors: &mut Vec<FieldError>) {
    let flag = |version: &Value, key: &str| version.get(key).and_then(Value::as_bool).unwrap_or(false);
    if versions(spec).filter(|version| flag(version, "storage")).count() != 1 {
        let why = "must have exactly one version marked as storage version";
        let all = spec.get("versions").cloned().unwrap_or_default();
        errors.push(FieldError::invalid("spec.versions", &all, why));
    }
    for (at, version) in versions(spec).enumerate() {
        let field = format!("spec.versions[{at}]");
        if text(version, "/name").is_empty() {
            errors.push(FieldError::required(format!("{field}.name"), ""));
        }
        match version.pointer("/schema/openAPIV3Schema") {
            None => {
                errors.push(FieldError::required(
                    format!("{field}.schema.openAPIV3Schema"),
                    "schemas are required",
                ));
            }
            Some(schema) => kubemerge_kinds::custom::structure::check(
                schema,
                &format!("{field}.schema.openAPIV3Schema"),
                errors,
            ),
        }
        if let Some(scale) = scale::of_version(version) {
            scale::check(scale, &format!("{field}.subresources.scale"), errors);
        }
    }
}

fn complete_names(spec: &mut Value) {
    let kind = text(spec, "/names/kind").to_string();
    let names = &mut spec["names"];
    if text(names, "/singular").is_empty() {
        names["singular"] = kind.to_lowercase().into();
    }
    if text(names, "/listKind").is_empty() {
        names["listKind"] = format!("{kind}List").into();
    }
    if spec.get("conversion").is_none() {
        spec["conversion"] = json!({"strategy": "None"});
    }
}

/// What must stay as it is while a definition is served, and the versions objects may be stored in.
fn check_change(old: &Object, spec: &Value, status: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let before = old.get("spec").unwrap_or_default();
    if is_established(old) {
        for (pointer, field) in [
            ("/group", "spec.group"),
            ("/names/plural", "spec.names.plural"),
            ("/names/kind", "spec.names.kind"),
            ("/scope", "spec.scope"),
        ] {
            let (before, after) = (before.pointer(pointer), spec.pointer(pointer));
            if before != after {
                let after = after.cloned().unwrap_or_default();
                errors.push(FieldError::invalid(field, &after, "field is immutable"));
            }
        }
    }
    let held = status["storedVersions"].as_array().into_iter().flatten();
    for (at, held) in held.enumerate() {
        if !versions(spec).any(|version| version["name"] == *held) {
            let field = format!("status.storedVersions[{at}]");
            let name = held.as_str().unwrap_or_default();
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(field, held, &why));
        }
    }
    errors
}

fn status(app: &App, spec: &Value, verdict: &Verdict, old: Option<Value>) -> Value {
    let now = app.clock.now().to_string();
    let conditions =
        |old: &Value| old.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let before = old.as_ref().map(conditions).unwrap_or_default();
    let held =
        |kind: &str, status: &str| before.iter().find(|one| one["type"] == kind && one["status"] == status);
    let condition = |kind: &str, holds: bool, reason: &str, message: &str| {
        let status = if holds { "True" } else { "False" };
        let since = held(kind, status).map_or(json!(now), |one| one["lastTransitionTime"].clone());
        json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since})
    };
    let names = match &verdict.conflict {
        None => condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
        Some((reason, message)) => condition("NamesAccepted", false, reason, message),
    };
    // A definition that is served stays so.
    let established = if verdict.conflict.is_none() || held("Established", "True").is_some() {
        condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        condition("Established", false, "NotAccepted", "not all names are accepted")
    };
    json!({"conditions": [names, established], "acceptedNames": verdict.accepted,
        "storedVersions": stored_versions(spec, old.as_ref())})
}

fn stored_versions(spec: &Value, old: Option<&Value>) -> Vec<Value> {
    let mut stored =
        old.and_then(|old| old.get("storedVersions").and_then(Value::as_array).cloned()).unwrap_or_default();
    let storage = versions(spec).find(|version| version["storage"] == json!(true));
    if let Some(name) = storage.map(|version| version["name"].clone()).filter(|name| !stored.contains(name)) {
        stored.push(name);
    }
    stored
}

fn stored(app: &App) -> Vec<Stored> {
    let page = app.store.range(Range { prefix: PREFIX, ..Range::default() });
    page.map(|page| page.items.into_iter().map(|(_, stored)| stored).collect()).unwrap_or_default()
}

/// The resources that all stored definitions bring.
pub(crate) fn served(app: &App) -> Vec<Resource> {
    app.catalog.compiled(&stored(app), |definition| resources(&Object::of(definition)))
}

fn is_established(object: &Object) -> bool {
    let status = object.get("status").unwrap_or_default();
    let conditions = status.get("conditions").and_then(Value::as_array).into_iter().flatten();
    conditions.into_iter().any(|one| one["type"] == "Established" && one["status"] == "True")
}

/// The resources of one definition: one per served version.
pub(crate) fn resources(definition: &Object) -> Vec<Resource> {
    let spec = definition.get("spec").unwrap_or_default();
    if !is_established(definition) {
        return Vec::new();
    }
    let storage = versions(&spec).find(|version| version["storage"] == json!(true));
    let storage = api_version(text(&spec, "/group"), storage.map_or("", |version| text(version, "/name")));
    versions(&spec)
        .filter(|version| version["served"] == json!(true))
        .map(|version| resource(&spec, version, &storage, definition))
        .collect()
}

fn resource(spec: &Value, version: &Value, storage: &str, definition: &Object) -> Resource {
    let list = |pointer: &str| -> Vec<String> {
        let found = spec.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        found.filter_map(|one| one.as_str().map(str::to_string)).collect()
    };
    let kind = text(spec, "/names/kind").to_string();
    let verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
    Resource {
        group: text(spec, "/group").to_string(),
        version: text(version, "/name").to_string(),
        api_version: catalog::api_version(text(spec, "/group"), text(version, "/name")),
        list_kind: text(spec, "/names/listKind").to_string(),
        plural: text(spec, "/names/plural").to_string(),
        singular: text(spec, "/names/singular").to_string(),
        short_names: list("/names/shortNames"),
        categories: list("/names/categories"),
        scope: if text(spec, "/scope") == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        verbs: verbs.iter().map(ToString::to_string).collect(),
        subresources: subresources(spec, version, &kind),
        rules: kubemerge_kinds::strategy::Rules::custom(selectable(version)),
        origin: Origin::Custom(Arc::new(CustomVersion {
            revised: definition.metadata.generation() > 1,
            terminating: definition.metadata.is_terminating(),
            ..custom_version(spec, version)
        })),
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

fn custom_version(spec: &Value, version: &Value) -> CustomVersion {
    let open_api = version.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
    // A schema that cannot be compiled was refused when the definition was written.
    let schema = Structural::compile(&open_api).ok().map(|schema| {
        if spec.get("preserveUnknownFields") == Some(&json!(true)) {
            schema.preserve_unknown_fields()
        } else {
            schema
        }
    });
    CustomVersion {
        schema,
        rules: Rules::compile(&open_api),
        columns: columns(version),
        scale: scale::of_version(version).map(ScalePaths::read),
        deprecation: deprecation(spec, version),
        revised: false,
        terminating: false,
        open_api,
        merge: OnceLock::new(),
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

fn columns(version: &Value) -> Vec<Column> {
    let mut columns = vec![Column::name()];
    let own = version.get("additionalPrinterColumns").and_then(Value::as_array);
    match own.filter(|own| !own.is_empty()) {
        None => columns.push(Column::age()),
        Some(own) => columns.extend(own.iter().map(|column| Column {
            name: text(column, "/name").to_string(),
            kind: text(column, "/type").to_string(),
            format: text(column, "/format").to_string(),
            description: text(column, "/description").to_string(),
            priority: column.get("priority").and_then(Value::as_i64).unwrap_or(0),
            path: text(column, "/jsonPath").to_string(),
        })),
    }
    columns
}

/// Deletes the instances of a definition that is being deleted, and lets it go when there are none.
pub(crate) fn finish(ledger: &Ledger<'_>, name: &str) -> Outcome<()> {
    let key = format!("{PREFIX}{name}");
    let Some(stored) = ledger.app.store.get(&key) else { return Ok(()) };
    let definition = Object::of(&stored);
    if !definition.metadata.is_terminating() || !definition.metadata.has_finalizer(CLEANUP) {
        return Ok(());
    }
    let spec = definition.get("spec").unwrap_or_default();
    let index = ledger.index();
    let served = index.preferred(text(&spec, "/group"), text(&spec, "/names/plural"));
    let prefix = format!("{}/{}/", text(&spec, "/group"), text(&spec, "/names/plural"));
    if let Some(resource) = served {
        for instance in keys_below(ledger, &prefix).iter().filter(|key| !is_ending(ledger, key)) {
            delete_instance(ledger, resource, instance)?;
        }
    }
    if !keys_below(ledger, &prefix).is_empty() {
        return Ok(());
    }
    let Some(resource) = index.find(GROUP, "v1", "customresourcedefinitions") else { return Ok(()) };
    rewrite(ledger, &key, resource, |object| {
        let rest = object.metadata.finalizers().into_iter().filter(|one| one != CLEANUP).collect();
        object.metadata.set_finalizers(rest);
    })
}

fn delete_instance(ledger: &Ledger<'_>, resource: &Resource, key: &str) -> Outcome<()> {
    match delete::delete(ledger, resource, key, &DeleteOptions::background()) {
        Err(failure) if failure.code() != 404 => Err(failure),
        _ => Ok(()),
    }
}
