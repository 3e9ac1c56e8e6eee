//! Validation of `metadata` on create and update.

use std::collections::BTreeSet;

use super::NameRule;
use super::scope::Scope;
use crate::field::{BadValue, Field, FieldError, Report};
use crate::format::{label_value, qualified_name};
use crate::go_text::quoted;
use crate::tree::Map;

/// What all annotations of an object may measure together.
const MAX_ANNOTATIONS_BYTES: usize = 256 * 1024;
/// Finalizers without a domain that Kubernetes knows.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// What the validation of almost every kind starts with.
pub fn validate_metadata(metadata: Field<'_>, scope: Scope, rule: NameRule) {
    generic_metadata(metadata, scope, rule);
    standard_finalizers(metadata);
}

/// What the validation of updates of almost every kind starts with.
pub fn validate_metadata_update(metadata: Field<'_>, old: Field<'_>) {
    generic_metadata_update(metadata, old);
    standard_finalizers(metadata);
}

/// What the API server says about the metadata of any object.
pub fn metadata_errors(object: &Map<'_>, scope: Scope, rule: NameRule) -> Vec<FieldError> {
    // Nothing here depends on the version.
    let report = Report::new(0);
    generic_metadata(Field::root(object, &report).field("metadata"), scope, rule);
    report.into_errors()
}

/// What the API server checks of every object, custom resources too.
pub(crate) fn generic_metadata(metadata: Field<'_>, scope: Scope, rule: NameRule) {
    let (name, prefix) = (metadata.field("name"), metadata.field("generateName"));
    if !prefix.is_empty() {
        prefix.report_problems(rule.check_prefix(prefix.str()));
    }
    if !name.is_empty() {
        name.report_problems(rule.check(name.str()));
    } else if prefix.is_empty() {
        // With a prefix, the server generates the name before it validates.
        name.required("name or generateName is required");
    }
    let namespace = metadata.field("namespace");
    match scope {
        Scope::Namespaced if namespace.is_empty() => namespace.required(""),
        Scope::Namespaced => {
            namespace.report_problems(NameRule::Label.check(namespace.str()));
        }
        Scope::Cluster if !namespace.is_empty() => namespace.forbidden("not allowed on this type"),
        Scope::Cluster => {}
    }
    metadata.field("generation").check_not_negative();
    labels(metadata.field("labels"));
    annotations(metadata.field("annotations"));
    owner_references(metadata.field("ownerReferences"));
    finalizers(metadata.field("finalizers"));
    managed_fields(metadata.field("managedFields"));
}

/// What the API server checks of every updated object.
pub(crate) fn generic_metadata_update(metadata: Field<'_>, old: Field<'_>) {
    // The object would never go if finalizers could be added forever.
    if old.field("deletionTimestamp").is_set() {
        no_new_finalizers(metadata.field("finalizers"), old.field("finalizers"));
    }
    let version = metadata.field("resourceVersion");
    // Objects outside of a server have no version to compare.
    if version.is_empty() && old.field("resourceVersion").is_set() {
        version.invalid("must be specified for an update");
    }
    let generation = metadata.field("generation");
    generation.check_not_negative();
    if generation.int() < old.field("generation").int() {
        generation.invalid_as(generation.int(), "must not be decremented");
    }
    immutable_metadata(metadata, old);
    labels(metadata.field("labels"));
    annotations(metadata.field("annotations"));
    owner_references(metadata.field("ownerReferences"));
    managed_fields(metadata.field("managedFields"));
}

/// The parts of metadata that never change.
pub fn immutable_metadata(metadata: Field<'_>, old: Field<'_>) {
    for name in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        metadata.field(name).check_immutable(old.field(name));
    }
}

/// Labels: Kubernetes reports the key or the value, at the path of the whole map.
pub fn labels(labels: Field<'_>) {
    for (key, value) in labels.entries() {
        qualified_name(key).into_iter().for_each(|problem| labels.invalid_as(key, problem));
        label_value(value.str()).into_iter().for_each(|problem| labels.invalid_as(value.str(), problem));
    }
}

/// Annotations: keys as those of labels, without regard to case; values of any form.
pub fn annotations(annotations: Field<'_>) {
    let mut bytes = 0;
    for (key, value) in annotations.entries() {
        // Most keys have none, and a copy of each would cost.
        let has_capitals = key.bytes().any(|byte| byte.is_ascii_uppercase());
        let problems = if has_capitals { qualified_name(&key.to_lowercase()) } else { qualified_name(key) };
        problems.into_iter().for_each(|problem| annotations.invalid_as(key, problem));
        bytes += key.len() + value.str().len();
    }
    if bytes > MAX_ANNOTATIONS_BYTES {
        annotations.too_long(MAX_ANNOTATIONS_BYTES);
    }
}

fn owner_references(references: Field<'_>) {
    let mut controller: Option<String> = None;
    for reference in references.items() {
        owner_reference(reference);
        if reference.field("controller").bool() {
            let name = format!("{}/{}", reference.field("kind").str(), reference.field("name").str());
            match &controller {
                Some(first) => references.invalid_struct("[]metav1.OwnerReference", format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} \
                     and {name}"
                )),
                None => controller = Some(name),
            }
        }
    }
}

fn owner_reference(reference: Field<'_>) {
    let api_version = reference.field("apiVersion");
    let version = api_version.str();
    if version.is_empty() {
        api_version.required("must not be empty");
    } else if version.matches('/').count() > 1 || version.ends_with('/') {
        api_version.invalid("must be <group>/<version> or <version>");
    }
    for name in ["kind", "name", "uid"] {
        reference.field(name).require("must not be empty");
    }
    // Events are deleted after an hour, and their dependents would be too.
    if version == "v1" && reference.field("kind").str() == "Event" {
        reference
            .invalid_struct("metav1.OwnerReference", "/v1, Kind=Event is disallowed from being an owner");
    }
}

fn finalizers(finalizers: Field<'_>) {
    let has = |name: &str| finalizers.items().any(|finalizer| finalizer.str() == name);
    for finalizer in finalizers.items() {
        let problems = qualified_name(finalizer.str());
        problems.into_iter().for_each(|problem| finalizers.invalid_as(finalizer.str(), problem));
    }
    // One leaves dependents, the other waits until they are deleted.
    if has("orphan") && has("foregroundDeletion") {
        finalizers.invalid("finalizer orphan and foregroundDeletion cannot be both set");
    }
}

/// Whether a finalizer has a domain or is one that Kubernetes knows.
pub(crate) fn is_standard_finalizer(name: &str) -> bool {
    name.contains('/') || STANDARD_FINALIZERS.contains(&name)
}

fn standard_finalizers(metadata: Field<'_>) {
    for finalizer in metadata.field("finalizers").items() {
        if !is_standard_finalizer(finalizer.str()) {
            finalizer.invalid("name is neither a standard finalizer name nor is it fully qualified");
        }
    }
}

fn no_new_finalizers(finalizers: Field<'_>, old: Field<'_>) {
    let known: BTreeSet<&str> = old.items().map(Field::str).collect();
    let new: BTreeSet<&str> =
        finalizers.items().map(Field::str).filter(|name| !known.contains(name)).collect();
    if !new.is_empty() {
        let names: Vec<String> = new.into_iter().map(quoted).collect();
        finalizers.forbidden(format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            names.join(", ")
        ));
    }
}

fn managed_fields(entries: Field<'_>) {
    for entry in entries.items() {
        let operation = entry.field("operation");
        if operation.is_empty() {
            operation.required("must not be empty");
        } else {
            operation.one_of(&["Apply", "Update"]);
        }
        let fields_type = entry.field("fieldsType");
        if !fields_type.is_empty() && fields_type.str() != "FieldsV1" {
            fields_type.invalid("must be `FieldsV1`");
        }
        managed_field_names(entry);
    }
}

fn managed_field_names(entry: Field<'_>) {
    const MAX_MANAGER: usize = 128;
    const MAX_SUBRESOURCE: usize = 256;
    let (manager, subresource) = (entry.field("manager"), entry.field("subresource"));
    if manager.str().len() > MAX_MANAGER {
        manager.too_long(MAX_MANAGER);
    }
    // Managers are printed to terminals.
    for (at, char) in manager.str().char_indices().filter(|(_, char)| char.is_control()) {
        let detail = format!("invalid character U+{:04X} (at position {at})", char as u32);
        manager.invalid_as(BadValue::from(manager.str()), detail);
    }
    if subresource.str().len() > MAX_SUBRESOURCE {
        subresource.too_long(MAX_SUBRESOURCE);
    }
}
