//! Objects that are stored without the API: those a server begins with, and those that a test sets.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};

use crate::{
    catalog::{Resource, Scope, cluster::Cluster},
    given::{BuildError, Given},
    object::{Object, view},
    protocol::{
        group_version::split_api_version,
        status::{Outcome, bad_request},
    },
    store::{Record, Revision, metadata_field::Field},
    write::{
        commit::unless_changed, definition, namespace, prepare, track, tracking::Tracked,
        transaction::Transaction,
    },
};

/// An object that is being loaded.
struct Loading {
    resource: Arc<Resource>,
    key: String,
    object: Object,
}

/// The resource of a kind that is served.
pub(crate) fn resource(cluster: &Cluster, api_version: &str, kind: &str) -> Outcome<Arc<Resource>> {
    let (group, version) = split_api_version(api_version);
    let index = cluster.catalog.index();
    let found = index.by_kind(group, version, kind).cloned();
    found.ok_or_else(|| bad_request(format!("no kind {kind:?} is served in {api_version:?}")))
}

/// Stores what a server begins with, definitions first; nothing may be given twice. Objects that were in the store at
/// revision `since` stay as they are: the server is not new, it was started again.
pub(crate) fn begin_with(
    transaction: &Transaction<'_>,
    objects: Vec<Given>,
    since: Revision,
) -> Result<(), BuildError> {
    let is_definition = |given: &Given| given.value["kind"] == json!("CustomResourceDefinition");
    // Definitions first, so that their objects can be loaded in any order.
    let (definitions, others): (Vec<Given>, Vec<Given>) = objects.into_iter().partition(is_definition);
    let cluster = transaction.cluster;
    let mut seen = HashMap::new();
    for given in &definitions {
        let complete = definition::load(cluster, &given.value);
        let loading = complete.and_then(|complete| read(cluster, &complete));
        begin_with_one(transaction, given, loading, &mut seen, since)?;
    }
    for given in &others {
        begin_with_one(transaction, given, read(cluster, &given.value), &mut seen, since)?;
    }
    Ok(())
}

fn begin_with_one<'g>(
    transaction: &Transaction<'_>,
    given: &'g Given,
    loading: Outcome<Loading>,
    seen: &mut HashMap<String, &'g Given>,
    since: Revision,
) -> Result<(), BuildError> {
    let complete = |mut loading: Loading| {
        prepare::complete_loaded(transaction.cluster, &loading.resource, &mut loading.object)
            .map(|()| loading)
    };
    let loading =
        loading.and_then(complete).map_err(|failure| BuildError::about(given, failure.message()))?;
    if let Some(first) = seen.insert(loading.key.clone(), given) {
        let place = first.source.as_ref().map(|source| format!(", first in {source}")).unwrap_or_default();
        return Err(BuildError::about(given, format!("the object is given twice{place}")));
    }
    let held = transaction.cluster.store.get(&loading.key);
    // Another server on the same store may have written it since.
    if held.is_some_and(|held| held.revision <= since || !transaction.has_written(&held)) {
        return Ok(());
    }
    store(transaction, loading).map_err(|failure| BuildError::about(given, failure.message()))
}

/// The key and the record of an object that a server has shown.
pub(crate) fn exact(cluster: &Cluster, value: &Value) -> Outcome<(String, Record)> {
    let Loading { key, object, .. } = read(cluster, value)?;
    Ok((key, object.record()))
}

/// Stores an object as it is, in place of one that is there.
pub(crate) fn put(transaction: &Transaction<'_>, value: &Value) -> Outcome<()> {
    store(transaction, read(transaction.cluster, value)?)
}

fn read(cluster: &Cluster, value: &Value) -> Outcome<Loading> {
    let mut object = Object::from_value(value)?;
    let resource = resource(cluster, &object.api_version, &object.kind)?;
    if object.metadata.name().is_empty() {
        return Err(bad_request("metadata.name is missing"));
    }
    if !resource.is_namespaced() {
        object.metadata.remove(Field::Namespace);
    // As kubectl does with a manifest without a namespace.
    } else if object.metadata.namespace().is_empty() {
        object.metadata.set(Field::Namespace, "default");
    }
    track::of_loaded(Tracked { cluster, resource: &resource, subresource: "" }, &mut object);
    complete(cluster, &resource, &mut object);
    let key = resource.key(object.metadata.namespace(), object.metadata.name());
    Ok(Loading { resource, key, object })
}

/// Fills in the metadata that every stored object has.
fn complete(cluster: &Cluster, resource: &Resource, object: &mut Object) {
    let metadata = &mut object.metadata;
    metadata.remove(Field::ResourceVersion);
    if metadata.uid().is_empty() {
        metadata.set(Field::Uid, cluster.entropy.uid());
    }
    if !metadata.has(Field::CreationTimestamp) {
        metadata.set(Field::CreationTimestamp, cluster.clock.now().to_string());
    }
    if let Some(first) = resource.strategy.generation.first()
        && metadata.generation() == 0
    {
        metadata.set(Field::Generation, first);
    }
    view::store(resource, object);
}

/// Writes an object, and its namespace if that is missing.
fn store(transaction: &Transaction<'_>, Loading { resource, key, mut object }: Loading) -> Outcome<()> {
    let namespace = object.metadata.namespace();
    if !namespace.is_empty() && transaction.cluster.store.get(&format!("/namespaces/{namespace}")).is_none() {
        namespace::create(transaction, namespace);
    }
    loop {
        let written = match transaction.cluster.store.get(&key) {
            None => transaction.create(&resource, &key, object.record()),
            Some(old) => {
                let before = Object::of(&old);
                // The object stays the same one: owners and watches know its uid.
                object.metadata.take(Field::Uid, &before.metadata);
                object.metadata.take(Field::CreationTimestamp, &before.metadata);
                transaction.update(&resource, &key, object.record(), &old)
            }
        };
        if unless_changed(written)?.is_some() {
            return Ok(());
        }
    }
}

/// The definition of a kind without a schema.
pub(crate) fn schemaless(api_version: &str, kind: &str, plural: &str, scope: Scope) -> Value {
    let (group, version) = split_api_version(api_version);
    let scope = match scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    };
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": scope, "names": {"plural": plural, "kind": kind},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
}
