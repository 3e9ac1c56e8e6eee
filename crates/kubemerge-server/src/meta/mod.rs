//! ObjectMeta: typed access to the metadata every object has, and the rules it obeys.

pub(crate) mod check;
pub(crate) mod name;

use std::collections::HashSet;

use kubemerge_value::{Kind, Node, to_value};
use serde_json::{Map, Value};

use crate::status::{Outcome, bad_request};

/// The metadata of one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata(Map<String, Value>);

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) block_owner_deletion: bool,
}

impl Metadata {
    /// Reads metadata as the typed decoder does: nulls are absent, unknown fields stay for the caller to judge.
    pub(crate) fn from_node(node: Node<'_>) -> Outcome<Metadata> {
        match node.kind() {
            Kind::Null => return Ok(Metadata::default()),
            Kind::Map => {}
            _ => return Err(bad_request("the field \"metadata\" of the object is not an object")),
        }
        let value = to_value(node).map_err(|error| bad_request(error.to_string()))?;
        let Value::Object(mut map) = value else { return Ok(Metadata::default()) };
        map.retain(|_, value| !value.is_null());
        check::types(&map)?;
        // The decoder's zero values are not written out again.
        map.retain(|name, value| !is_empty(value) && (name != "generation" || value.as_i64() != Some(0)));
        Ok(Metadata(map))
    }

    pub(crate) fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn name(&self) -> &str {
        self.text("name")
    }

    pub(crate) fn namespace(&self) -> &str {
        self.text("namespace")
    }

    pub(crate) fn uid(&self) -> &str {
        self.text("uid")
    }

    pub(crate) fn generate_name(&self) -> &str {
        self.text("generateName")
    }

    pub(crate) fn resource_version(&self) -> &str {
        self.text("resourceVersion")
    }

    pub(crate) fn generation(&self) -> i64 {
        self.0.get("generation").and_then(Value::as_i64).unwrap_or(0)
    }

    pub(crate) fn grace_period(&self) -> Option<i64> {
        self.0.get("deletionGracePeriodSeconds").and_then(Value::as_i64)
    }

    pub(crate) fn deletion_timestamp(&self) -> Option<&str> {
        self.0.get("deletionTimestamp").and_then(Value::as_str)
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.deletion_timestamp().is_some()
    }

    pub(crate) fn label(&self, key: &str) -> Option<String> {
        self.0.get("labels")?.get(key)?.as_str().map(str::to_string)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_string(), value.into());
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// Takes a member from other metadata, or loses it if the other has none.
    pub(crate) fn take(&mut self, key: &str, from: &Metadata) {
        match from.0.get(key) {
            Some(value) => self.0.insert(key.to_string(), value.clone()),
            None => self.0.remove(key),
        };
    }

    pub(crate) fn set_label(&mut self, key: &str, value: &str) {
        let labels = self.0.entry("labels").or_insert_with(|| Value::Object(Map::new()));
        labels[key] = value.into();
    }

    pub(crate) fn merge_strings(&mut self, member: &str, pairs: &Map<String, Value>) {
        if pairs.is_empty() {
            return;
        }
        let place = self.0.entry(member).or_insert_with(|| Value::Object(Map::new()));
        for (key, value) in pairs {
            place[key.as_str()] = value.clone();
        }
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        let list = self.0.get("finalizers").and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|one| one.as_str().map(str::to_string)).collect()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().iter().any(|one| one == name)
    }

    pub(crate) fn set_finalizers(&mut self, finalizers: Vec<String>) {
        if finalizers.is_empty() {
            self.0.remove("finalizers");
        } else {
            self.set("finalizers", finalizers);
        }
    }

    pub(crate) fn owner_references(&self) -> Vec<OwnerReference> {
        let list = self.0.get("ownerReferences").and_then(Value::as_array).into_iter().flatten();
        list.map(OwnerReference::from_value).collect()
    }

    pub(crate) fn owner_uids(&self) -> Vec<String> {
        if !self.0.contains_key("ownerReferences") {
            return Vec::new();
        }
        self.owner_references().into_iter().map(|owner| owner.uid).filter(|uid| !uid.is_empty()).collect()
    }

    /// Keeps only the owner references that are wanted; tells whether any went.
    pub(crate) fn retain_owners(&mut self, mut wanted: impl FnMut(&OwnerReference) -> bool) -> bool {
        let Some(Value::Array(list)) = self.0.get_mut("ownerReferences") else { return false };
        let before = list.len();
        list.retain(|one| wanted(&OwnerReference::from_value(one)));
        let (changed, empty) = (list.len() < before, list.is_empty());
        if empty {
            self.0.remove("ownerReferences");
        }
        changed
    }

    /// Removes repeated owner references; tells whether there were any.
    pub(crate) fn dedup_owners(&mut self) -> bool {
        let mut seen = HashSet::new();
        let Some(Value::Array(list)) = self.0.get_mut("ownerReferences") else { return false };
        let before = list.len();
        list.retain(|one| seen.insert(one.to_string()));
        list.len() < before
    }
}

impl OwnerReference {
    fn from_value(value: &Value) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
        OwnerReference {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            block_owner_deletion: value.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}

/// What the typed encoder leaves out: empty strings, lists and maps.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
