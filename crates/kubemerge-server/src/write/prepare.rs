//! The step that sets what the server owns: identity, times, status, generation.

use std::sync::LazyLock;

use kubemerge_kinds::strategy::GenerationRule;
use kubemerge_value::{Node, SharedValue, write::MapWriter};
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, cluster::Cluster},
    object::{Object, custom, meta::check},
    protocol::{
        json::tree,
        status::{Outcome, invalid},
    },
    store::metadata_field::Field,
    write::{commit::is_namespace, default, identity::set_identity, kind_rules, part::Part},
};

/// Drops what a client cannot set on a new object.
pub(crate) fn reset_new(resource: &Resource, object: &mut Object) {
    for owned in
        [Field::DeletionTimestamp, Field::DeletionGracePeriodSeconds, Field::SelfLink, Field::ResourceVersion]
    {
        object.metadata.remove(owned);
    }
    if resource.has_status() {
        object.remove("status");
    }
}

/// Gives a new object its identity.
pub(crate) fn identify(cluster: &Cluster, resource: &Resource, object: &mut Object) {
    set_identity(cluster, resource, object);
    // Again, because a generated name was not known before.
    if is_namespace(resource) {
        name_namespace(object);
    }
}

/// Completes what belongs to the client although the schema does not say so: its managers own it.
pub(crate) fn complete_before_tracking(resource: &Resource, object: &mut Object) -> Outcome<()> {
    if is_namespace(resource) && object.metadata.has(Field::Name) {
        name_namespace(object);
    }
    fold_string_data(resource, object)
}

/// Completes an object that is loaded past the API: with the defaults of its kind, and with its first state unless it
/// has a status.
pub(crate) fn complete_loaded(cluster: &Cluster, resource: &Resource, object: &mut Object) -> Outcome<()> {
    // A fixture with a status is meant to be in that state already.
    if object.text("status").is_none() {
        first_state(resource, object)?;
    }
    complete_before_tracking(resource, object)?;
    match (resource.custom(), kind_rules::of(cluster, resource)) {
        (Some(version), _) => custom::reread(version, object),
        (None, Some(kind)) => kind_rules::complete(resource, kind, object),
        (None, None) => default::fill_built_in(resource, object),
    }
    Ok(())
}

static PENDING: LazyLock<SharedValue> = LazyLock::new(|| {
    let mut status = MapWriter::with_capacity(20);
    status.member("phase", Node::string("Pending"));
    status.finish().into()
});

/// The state with which objects of some kinds begin.
pub(crate) fn first_state(resource: &Resource, object: &mut Object) -> Outcome<()> {
    // All kinds with a first state are in the core group.
    if !resource.group.is_empty() {
        return Ok(());
    }
    match resource.kind.as_str() {
        "Namespace" => {
            let mut finalizers = spec_finalizers(object);
            // The finalizer that keeps a namespace until it is empty.
            if !finalizers.iter().any(|one| one == "kubernetes") {
                finalizers.push("kubernetes".into());
            }
            object.set_at(&["spec", "finalizers"], json!(finalizers))?;
            object.set("status", &json!({"phase": "Active"}))
        }
        "Pod" | "PersistentVolumeClaim" | "PersistentVolume" => {
            object.set_text("status", PENDING.clone());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Every namespace has its name as a label; clients cannot change that.
fn name_namespace(object: &mut Object) {
    let name = object.metadata.name().to_string();
    object.metadata.set_label("kubernetes.io/metadata.name", &name);
}

pub(crate) fn spec_finalizers(object: &Object) -> Vec<String> {
    let list = object.at(&["spec", "finalizers"]);
    let list = list.as_ref().and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| one.as_str().map(str::to_string)).collect()
}

/// A Secret's `stringData` is written into `data` and never stored.
fn fold_string_data(resource: &Resource, object: &mut Object) -> Outcome<()> {
    use base64::Engine;
    if !(resource.group.is_empty() && resource.kind == "Secret") {
        return Ok(());
    }
    if let Some(Value::Object(plain)) = object.remove("stringData").as_ref().map(tree) {
        let mut data = object.get("data").and_then(|data| data.as_object().cloned()).unwrap_or_default();
        for (key, value) in plain {
            // Values of another type were refused while decoding.
            let text = value.as_str().unwrap_or_default();
            data.insert(key, base64::engine::general_purpose::STANDARD.encode(text).into());
        }
        object.set("data", &Value::Object(data))?;
    }
    // The default of a Secret's type is not in the OpenAPI schema.
    if object.text("type").is_none() {
        object.set("type", &json!("Opaque"))?;
    }
    Ok(())
}

/// Takes the metadata that the client may not change from the old object.
pub(crate) fn keep_metadata(resource: &Resource, old: &Object, new: &mut Object) {
    for owned in [Field::CreationTimestamp, Field::Generation] {
        new.metadata.take(owned, &old.metadata);
    }
    if old.metadata.is_terminating() {
        new.metadata.take(Field::DeletionTimestamp, &old.metadata);
    }
    for owned in [Field::Uid, Field::DeletionGracePeriodSeconds, Field::Namespace] {
        // A client may leave these out, but not change them: validation compares them.
        if !new.metadata.has(owned) {
            new.metadata.take(owned, &old.metadata);
        }
    }
    for never in [Field::SelfLink, Field::ResourceVersion] {
        new.metadata.remove(never);
    }
    if is_namespace(resource) {
        name_namespace(new);
    }
}

/// Takes everything else that the client may not change from the old object, and checks what metadata may change.
pub(crate) fn keep_content(resource: &Resource, old: &Object, new: &mut Object, part: Part) -> Outcome<()> {
    keep_other_parts(resource, old, new, part)?;
    // After the other parts were restored, so that a change of the status does not count.
    if part == Part::Main && generation_grows(resource.strategy.generation, old, new) {
        new.metadata.set_number(Field::Generation, old.metadata.generation().saturating_add(1));
    }
    let complaints = check::change(&old.metadata, &new.metadata);
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(invalid(resource.qualified_kind(), old.metadata.name(), &complaints))
    }
}

fn keep_other_parts(resource: &Resource, old: &Object, new: &mut Object, part: Part) -> Outcome<()> {
    match part {
        Part::Main => {
            if resource.has_status() {
                new.take_field("status", old);
            }
            if is_namespace(resource) {
                keep_spec_finalizers(old, new)?;
            }
        }
        Part::Status => keep_all_but(old, new, "status", resource),
        Part::Finalize => {
            // Read before everything is taken from the old object.
            let finalizers = spec_finalizers(new);
            keep_all_but(old, new, "", resource);
            new.set_at(&["spec", "finalizers"], json!(finalizers))?;
        }
        Part::EphemeralContainers => {
            let containers = new.at(&["spec", "ephemeralContainers"]);
            keep_all_but(old, new, "", resource);
            if let Some(containers) = containers {
                new.set_at(&["spec", "ephemeralContainers"], containers)?;
            }
        }
        Part::Resize => {
            let spec = new.get("spec").unwrap_or_default();
            keep_all_but(old, new, "", resource);
            resize(new, &spec)?;
        }
    }
    Ok(())
}

fn keep_spec_finalizers(old: &Object, new: &mut Object) -> Outcome<()> {
    match old.at(&["spec", "finalizers"]) {
        Some(finalizers) => new.set_at(&["spec", "finalizers"], finalizers),
        None => Ok(()),
    }
}

/// Takes every field but one from the old object.
fn keep_all_but(old: &Object, new: &mut Object, changed: &str, resource: &Resource) {
    new.take_all_but(changed, old);
    if resource.custom().is_some() {
        // Upstream: `/status` of custom resources ignores all metadata of the request.
        new.metadata = old.metadata.clone();
    // Upstream: the status strategies of these two kinds restore one field of metadata each.
    } else if resource.kind == "Deployment" {
        new.metadata.take(Field::Labels, &old.metadata);
    } else if resource.kind == "Pod" {
        new.metadata.take(Field::OwnerReferences, &old.metadata);
    }
}

/// Copies the resources of containers by name.
fn resize(object: &mut Object, wanted: &Value) -> Outcome<()> {
    let mut spec = object.get("spec").unwrap_or_default();
    for list in ["containers", "initContainers"] {
        let wanted = wanted.get(list).and_then(Value::as_array).into_iter().flatten();
        for container in wanted {
            let held = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            // Containers are matched by name: their order may differ.
            let same = |held: &&mut Value| held.is_object() && held.get("name") == container.get("name");
            for held in held.filter(same) {
                if let Some(resources) = container.get("resources") {
                    held["resources"] = resources.clone();
                }
            }
        }
    }
    object.set("spec", &spec)
}

fn generation_grows(rule: GenerationRule, old: &Object, new: &Object) -> bool {
    match rule {
        GenerationRule::Untracked | GenerationRule::Fixed => false,
        GenerationRule::Field(field) => !old.same_field(new, field),
        GenerationRule::SpecFromZero => !old.same_field(new, "spec"),
        GenerationRule::SpecOrAnnotations => {
            !old.same_field(new, "spec") || !old.metadata.same(&new.metadata, Field::Annotations)
        }
        GenerationRule::LabelsOrContent => {
            !old.same_fields(new) || !old.metadata.same(&new.metadata, Field::Labels)
        }
        GenerationRule::Content => !old.same_fields(new),
    }
}
