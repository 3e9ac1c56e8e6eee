//! What the server itself does to an object before it is stored: owned fields, status, generation.

use std::sync::LazyLock;

use kubemerge_kinds::strategy::Generation;
use kubemerge_value::{Excerpt, MapWriter, Node};
use serde_json::{Value, json};

use crate::{
    api::app::App,
    catalog::{Resource, custom},
    object::{
        Object,
        meta::{Field, check},
    },
    protocol::status::{Outcome, conflict, invalid},
    write::{commit::is_namespace, defaults},
};

/// The part of an object that a request may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but the status, if the kind keeps that apart.
    Main,
    /// `/status`, and `/approval` of certificate requests.
    Status,
    /// `/finalize` of namespaces.
    Finalize,
    /// `/ephemeralcontainers` of pods.
    EphemeralContainers,
    /// `/resize` of pods.
    Resize,
}

impl Part {
    /// The part that a subresource stands for, if it stands for one.
    pub(crate) fn of(subresource: Option<&str>) -> Option<Part> {
        match subresource {
            None => Some(Part::Main),
            Some("status" | "approval") => Some(Part::Status),
            Some("finalize") => Some(Part::Finalize),
            Some("ephemeralcontainers") => Some(Part::EphemeralContainers),
            Some("resize") => Some(Part::Resize),
            Some(_) => None,
        }
    }
}

/// Makes a new object the server's own: identity, time, generation, no status of the client's making.
pub(crate) fn prepare_create(app: &App, resource: &Resource, object: &mut Object) -> Outcome<()> {
    for owned in [
        Field::DeletionTimestamp,
        Field::DeletionGracePeriodSeconds,
        Field::SelfLink,
        Field::ManagedFields,
        Field::ResourceVersion,
    ] {
        object.metadata.remove(owned);
    }
    let generation = match resource.rules.generation {
        Generation::Untracked | Generation::SpecFromZero => None,
        _ => Some(1),
    };
    object.metadata.set_identity(&app.clock.now().text(), generation, &app.entropy.uid());
    if resource.has_status() {
        object.remove("status");
    }
    first_state(resource, object)?;
    fold_string_data(resource, object)
}

/// Makes an object that comes past the API what it would be in a cluster: with the defaults of its kind, and
/// with the state it is born with unless it has one.
pub(crate) fn complete_loaded(resource: &Resource, object: &mut Object) -> Outcome<()> {
    if object.text("status").is_none() {
        first_state(resource, object)?;
    }
    fold_string_data(resource, object)?;
    match resource.custom() {
        Some(version) => custom::reread(version, object),
        None => defaults::fill(resource, object),
    }
    Ok(())
}

static PENDING: LazyLock<Excerpt> = LazyLock::new(|| {
    let mut status = MapWriter::with_capacity(20);
    status.member("phase", Node::string("Pending"));
    status.finish().into()
});

/// The state some kinds are born with.
fn first_state(resource: &Resource, object: &mut Object) -> Outcome<()> {
    if !resource.group.is_empty() {
        return Ok(());
    }
    match resource.kind.as_str() {
        "Namespace" => {
            name_namespace(object);
            let mut finalizers = spec_finalizers(object);
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

/// Every namespace carries its name as a label, whoever writes it.
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
    if let Some(Value::Object(plain)) = object.remove("stringData").as_ref().map(crate::object::tree) {
        let mut data = object.get("data").and_then(|data| data.as_object().cloned()).unwrap_or_default();
        for (key, value) in plain {
            let text = value.as_str().unwrap_or_default();
            data.insert(key, base64::engine::general_purpose::STANDARD.encode(text).into());
        }
        object.set("data", &Value::Object(data))?;
    }
    if object.text("type").is_none() {
        object.set("type", &json!("Opaque"))?;
    }
    Ok(())
}

/// Fills in the defaults of the kind, so that leaving them out is no change.
pub(crate) fn complete(resource: &Resource, old: &mut Object, new: &mut Object, part: Part) {
    match resource.custom() {
        Some(version) => {
            custom::reread(version, old);
            custom::fill(version, new);
        }
        None if part == Part::Main => defaults::fill_both(resource, old, new),
        None => {}
    }
}

/// Makes a changed object fit to replace the old one: what the client may not change comes from the old one.
pub(crate) fn prepare_update(resource: &Resource, old: &Object, new: &mut Object, part: Part) -> Outcome<()> {
    check_identity(resource, old, new)?;
    for owned in [Field::CreationTimestamp, Field::DeletionTimestamp, Field::Generation] {
        new.metadata.take(owned, &old.metadata);
    }
    for owned in [Field::Uid, Field::DeletionGracePeriodSeconds, Field::Namespace] {
        if !new.metadata.has(owned) {
            new.metadata.take(owned, &old.metadata);
        }
    }
    for never in [Field::SelfLink, Field::ManagedFields, Field::ResourceVersion] {
        new.metadata.remove(never);
    }
    keep_other_parts(resource, old, new, part)?;
    if is_namespace(resource) {
        name_namespace(new);
    }
    fold_string_data(resource, new)?;
    if part == Part::Main && generation_grows(resource.rules.generation, old, new) {
        new.metadata.set_number(Field::Generation, old.metadata.generation().saturating_add(1));
    }
    let complaints = check::change(&old.metadata, &new.metadata);
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(invalid(resource.qualified_kind(), old.metadata.name(), &complaints))
    }
}

/// A uid that is given must be the object's own.
pub(crate) fn check_identity(resource: &Resource, old: &Object, new: &Object) -> Outcome<()> {
    let (given, own) = (new.metadata.uid(), old.metadata.uid());
    if given.is_empty() || given == own {
        return Ok(());
    }
    let text = format!("Precondition failed: UID in precondition: {given}, UID in object meta: {own}");
    Err(conflict(resource.qualified(), new.metadata.name(), &text))
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
        new.metadata = old.metadata.clone();
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

fn generation_grows(rule: Generation, old: &Object, new: &Object) -> bool {
    match rule {
        Generation::Untracked | Generation::Fixed => false,
        Generation::Field(field) => !old.same_field(new, field),
        Generation::SpecFromZero => !old.same_field(new, "spec"),
        Generation::SpecOrAnnotations => {
            !old.same_field(new, "spec") || !old.metadata.same(&new.metadata, Field::Annotations)
        }
        Generation::LabelsOrContent => {
            !old.same_fields(new) || !old.metadata.same(&new.metadata, Field::Labels)
        }
        Generation::Content => !old.same_fields(new),
    }
}
