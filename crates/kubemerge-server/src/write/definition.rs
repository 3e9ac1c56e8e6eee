//! CustomResourceDefinitions that are written: completed, checked, with the result of the name check in their status.

use kubemerge_kinds::{
    custom::{definition as rules, names},
    field_error::FieldError,
};
use serde_json::Value;

use crate::{
    catalog::{
        Resource,
        cluster::Cluster,
        definition::{GROUP, is_definition},
    },
    object::Object,
    protocol::{
        json::tree,
        status::{Outcome, Qualified, invalid},
    },
};

/// The finalizer that keeps a definition until its objects are deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Completes and checks an object that is a definition; other objects pass.
pub(crate) fn complete_and_check(
    cluster: &Cluster,
    resource: &Resource,
    object: &mut Object,
    old: Option<&Object>,
) -> Outcome<Vec<FieldError>> {
    if !is_definition(resource) {
        return Ok(Vec::new());
    }
    let mut spec = object.get("spec").unwrap_or_default();
    let errors = rules::validate(object.metadata.name(), &spec);
    if !errors.is_empty() {
        return Ok(errors);
    }
    rules::default_spec(&mut spec);
    object.set("spec", &spec)?;
    if old.is_none() && !object.metadata.has_finalizer(CLEANUP) {
        object.metadata.set_finalizers([object.metadata.finalizers(), vec![CLEANUP.into()]].concat());
    }
    // Definitions are written rarely, so that trees are good enough here.
    let old = old.map(Object::to_value);
    let status = status(cluster, object, &spec, old.as_ref().and_then(|old| old.get("status")));
    object.set("status", &status)?;
    Ok(old.map(|old| rules::validate_update(&old, &spec, &status)).unwrap_or_default())
}

/// A definition that a server begins with, completed as if it had been created.
pub(crate) fn load(cluster: &Cluster, value: &Value) -> Outcome<Value> {
    let mut object = Object::from_value(value)?;
    let mut spec = object.get("spec").unwrap_or_default();
    let errors = rules::validate(object.metadata.name(), &spec);
    if !errors.is_empty() {
        let kind = Qualified { group: GROUP, name: "CustomResourceDefinition" };
        return Err(invalid(kind, object.metadata.name(), &errors));
    }
    rules::default_spec(&mut spec);
    object.set("spec", &spec)?;
    object.metadata.set_finalizers(vec![CLEANUP.into()]);
    object.set("status", &status(cluster, &object, &spec, None))?;
    Ok(object.to_value())
}

/// The status with the names that are free.
fn status(cluster: &Cluster, object: &Object, spec: &Value, old: Option<&Value>) -> Value {
    let others: Vec<Value> = cluster.definitions().iter().map(|stored| tree(stored.record.node())).collect();
    let is_built_in = |group: &str, plural: &str| cluster.catalog.is_built_in(group, plural);
    let verdict = names::judge(object.metadata.name(), spec, &others, is_built_in);
    rules::status(cluster.clock.now(), spec, &verdict, old)
}
