//! Objects that are stored without the API: those a server begins with, and those that a test sets.

use std::{collections::HashMap, sync::Arc};

use kubemerge_kinds::tree::Arena;
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, Scope, cluster::Cluster},
    given::{BuildError, Given},
    kind::{self, Kind},
    object::{
        draft::{self, Draft},
        edit,
    },
    protocol::{
        group_version::split_api_version,
        json::{Members, canonical},
        status::{Outcome, bad_request},
    },
    store::{Record, Revision, StoredForm, metadata_field::Field},
    write::{
        commit::{transaction::Transaction, unless_changed},
        definition, namespace,
        track::{self, Tracked},
    },
};

/// An object that is being loaded.
struct Loading {
    resource: Arc<Resource>,
    key: String,
    record: Record,
}

/// What an object gets that is stored past the API.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completion {
    /// The metadata that every stored object has.
    Metadata,
    /// Also the typed form and the defaults of its kind, and its first state unless it has a status.
    Whole,
}

/// The resource of a kind that is served.
pub(crate) fn resource(cluster: &Cluster, api_version: &str, kind: &str) -> Outcome<Arc<Resource>> {
    let (group, version) = split_api_version(api_version);
    let index = cluster.catalog.index();
    let found = index.by_kind(group, version, kind).cloned();
    found.ok_or_else(|| bad_request(index.unserved(api_version, kind)))
}

/// The same; none for a kind that a definition may add later.
pub(crate) fn resource_if_defined(
    cluster: &Cluster,
    api_version: &str,
    kind: &str,
) -> Outcome<Option<Arc<Resource>>> {
    match resource(cluster, api_version, kind) {
        Ok(found) => Ok(Some(found)),
        Err(_) if cluster.catalog.index().may_grow(split_api_version(api_version).0) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Stores what a server begins with, definitions first; nothing may be given twice. Objects that were in the store at
/// revision `since` stay as they are: the server is not new, it was started again.
pub(crate) fn begin_with(
    transaction: &Transaction<'_>,
    objects: Vec<Given>,
    since: Revision,
) -> Result<(), BuildError> {
    let is_definition = |given: &Given| given.value.member("kind") == "CustomResourceDefinition";
    // Definitions first, so that their objects can be loaded in any order.
    let (definitions, others): (Vec<Given>, Vec<Given>) = objects.into_iter().partition(is_definition);
    let cluster = transaction.cluster;
    let mut seen = HashMap::new();
    for given in &definitions {
        let complete = definition::load(cluster, &given.value);
        let loading = complete.and_then(|complete| read(cluster, &complete, Completion::Whole));
        begin_with_one(transaction, given, loading, &mut seen, since)?;
    }
    for given in &others {
        let loading = read(cluster, &given.value, Completion::Whole);
        begin_with_one(transaction, given, loading, &mut seen, since)?;
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
    let loading = loading.map_err(|failure| BuildError::about(given, failure.message()))?;
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
    let Loading { key, record, .. } = read(cluster, value, Completion::Metadata)?;
    Ok((key, record))
}

/// Stores an object as it is, in place of one that is there.
pub(crate) fn put(transaction: &Transaction<'_>, value: &Value) -> Outcome<()> {
    store(transaction, read(transaction.cluster, value, Completion::Metadata)?)
}

fn read(cluster: &Cluster, value: &Value, completion: Completion) -> Outcome<Loading> {
    let (arena, text) = (Arena::new(), canonical(value)?);
    let object = kind::read_object(&arena, text.as_str()).map_err(|error| bad_request(error.message()))?;
    let resource = resource(cluster, object.str("apiVersion"), object.str("kind"))?;
    let mut draft = Draft::new(object);
    if draft.name().is_empty() {
        return Err(bad_request("metadata.name is missing"));
    }
    if !resource.is_namespaced() {
        draft.remove(Field::Namespace);
    // As kubectl does with a manifest without a namespace.
    } else if draft.text(Field::Namespace).is_empty() {
        draft.set_text(Field::Namespace, "default");
    }
    let ownership = track::of_loaded(Tracked::of(cluster, &resource, ""), draft.given_owners.as_deref());
    set_metadata(cluster, &resource, &mut draft);
    let key = resource.key(draft.text(Field::Namespace), draft.name());
    let kind = Kind::of(cluster, &resource);
    let mut object = draft.tree;
    if completion == Completion::Whole {
        (resource.strategy.named)(&mut object);
        // One with a status is meant to be in that state already.
        if !object.has("status") {
            (resource.strategy.loaded)(&mut object);
        }
        object = kind.load(object, &arena);
    }
    kind.to_stored(&mut object);
    let record = draft::record(&object, ownership, StoredForm::Unchecked);
    Ok(Loading { resource: resource.clone(), key, record })
}

/// Fills in the metadata that every stored object has.
fn set_metadata(cluster: &Cluster, resource: &Resource, draft: &mut Draft<'_>) {
    draft.remove(Field::ResourceVersion);
    if draft.text(Field::Uid).is_empty() {
        draft.set_text(Field::Uid, &cluster.entropy.uid());
    }
    if !draft.has(Field::CreationTimestamp) {
        draft.set_text(Field::CreationTimestamp, &cluster.clock.now().to_string());
    }
    if let Some(generation) = resource.strategy.generation.first().filter(|_| !draft.has(Field::Generation)) {
        draft.metadata_mut().set(Field::Generation.name(), generation);
    }
}

/// Writes an object, and its namespace if that is missing.
fn store(transaction: &Transaction<'_>, Loading { resource, key, mut record }: Loading) -> Outcome<()> {
    let namespace = record.namespace();
    if !namespace.is_empty() && transaction.cluster.store.get(&format!("/namespaces/{namespace}")).is_none() {
        namespace::create(transaction, &namespace);
    }
    loop {
        let written = match transaction.cluster.store.get(&key) {
            None => transaction.create(&resource, &key, record.clone()),
            Some(old) => {
                record = with_identity_of(&old.record, &record);
                transaction.update(&resource, &key, record.clone(), &old)
            }
        };
        if unless_changed(written)?.is_some() {
            return Ok(());
        }
    }
}

/// An object in place of another one. It stays the same object: owners and watches know its uid.
fn with_identity_of(old: &Record, new: &Record) -> Record {
    let identity = [Field::CreationTimestamp, Field::Uid];
    edit::changed(new, |object| {
        let metadata = object.ensure_map("metadata");
        for field in identity {
            match old.metadata_text(field) {
                text if text.is_empty() => drop(metadata.remove(field.name())),
                text => metadata.set_text(field.name(), &text),
            }
        }
    })
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
