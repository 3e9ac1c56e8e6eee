//! ObjectMeta: typed access to the metadata every object has, and the rules it obeys.

pub(crate) mod check;
pub(crate) mod name;

use std::{borrow::Cow, collections::HashSet};

use check::Nulls;
use kubemerge_value::{Excerpt, Kind, Node, Scalar, to_canonical};
use serde_json::{Map, Value};

use crate::{
    members::{Members, Name},
    object::tree,
    status::{Outcome, bad_request},
};

/// As many members as most objects have at most.
const MEMBERS_EXPECTED: usize = 10;

/// The metadata of one object: its members. Copies share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata(Members);

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
    /// Reads metadata as the typed decoder does: nulls are absent, unknown fields stay for the caller to judge,
    /// whatever their value.
    pub(crate) fn read(text: &Excerpt) -> Outcome<Metadata> {
        match text.node().kind() {
            Kind::Null => return Ok(Metadata::default()),
            Kind::Map => {}
            _ => return Err(bad_request("the field \"metadata\" of the object is not an object")),
        }
        let mut members = Members::with_capacity(MEMBERS_EXPECTED);
        for (name, value) in text.members() {
            let (name, nulls) = check::shape(name, &value)?;
            let value = if nulls == Nulls::Some { with_empty_texts(&value) } else { value };
            if !is_known(&name) || !is_zero(&name, value.as_bytes()) {
                members.push(name, value);
            }
        }
        Ok(Metadata(members))
    }

    /// The members with their text.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        self.0.nodes()
    }

    /// How many bytes the members take when they are written one after another.
    pub(crate) fn size(&self) -> usize {
        self.0.size()
    }

    /// The names of members that ObjectMeta does not have.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &str> {
        self.0.names().filter(|name| !is_known(name)).map(|name| &**name)
    }

    /// Drops the members that ObjectMeta does not have.
    pub(crate) fn drop_unknown(&mut self) {
        self.0.retain(is_known);
    }

    pub(crate) fn to_map(&self) -> Map<String, Value> {
        self.0.iter().map(|(name, text)| (name.to_string(), tree(text))).collect()
    }

    fn text(&self, name: &str) -> &str {
        self.0.characters(name).unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<i64> {
        match self.0.get(name)?.node().scalar() {
            Some(Scalar::Int(number)) => Some(number),
            _ => None,
        }
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
        self.number("generation").unwrap_or(0)
    }

    pub(crate) fn grace_period(&self) -> Option<i64> {
        self.number("deletionGracePeriodSeconds")
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.has("deletionTimestamp")
    }

    pub(crate) fn label(&self, key: &str) -> Option<String> {
        self.get("labels")?.get(key)?.as_str().map(str::to_string)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// The tree of a member.
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(tree)
    }

    /// The text of a member.
    pub(crate) fn excerpt(&self, name: &str) -> Option<&Excerpt> {
        self.0.get(name)
    }

    /// Whether both have the same value in a member, or both none.
    pub(crate) fn same(&self, other: &Metadata, name: &str) -> bool {
        self.0.same(&other.0, name)
    }

    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        let value = value.into();
        self.put(name, Node::from_value(&value).unwrap_or(Node::NULL));
    }

    /// Sets a member to a string.
    pub(crate) fn set_text(&mut self, name: &'static str, text: &str) {
        if self.0.characters(name) != Some(text) {
            self.put(name, Node::string(text));
        }
    }

    /// Sets a member to a number.
    pub(crate) fn set_number(&mut self, name: &'static str, number: i64) {
        self.put(name, Node::scalar_node(Scalar::Int(number)));
    }

    fn put(&mut self, name: &'static str, value: Node<'_>) {
        self.0.put(name.into(), to_canonical(value).into());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Takes a member from other metadata, or loses it if the other has none.
    pub(crate) fn take(&mut self, name: &str, from: &Metadata) {
        self.0.take(name, &from.0);
    }

    pub(crate) fn set_label(&mut self, key: &str, value: &str) {
        self.merge_strings("labels", &Map::from_iter([(key.to_string(), value.into())]));
    }

    pub(crate) fn merge_strings(&mut self, name: &'static str, pairs: &Map<String, Value>) {
        if pairs.is_empty() {
            return;
        }
        let mut merged = match self.get(name) {
            Some(Value::Object(map)) => map,
            _ => Map::new(),
        };
        merged.extend(pairs.clone());
        self.set(name, merged);
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        self.list("finalizers").iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().iter().any(|one| one == name)
    }

    pub(crate) fn set_finalizers(&mut self, finalizers: Vec<String>) {
        if finalizers.is_empty() {
            self.remove("finalizers");
        } else {
            self.set("finalizers", finalizers);
        }
    }

    pub(crate) fn owner_references(&self) -> Vec<OwnerReference> {
        self.list("ownerReferences").iter().map(OwnerReference::from_value).collect()
    }

    pub(crate) fn owner_uids(&self) -> Vec<String> {
        self.owner_references().into_iter().map(|owner| owner.uid).filter(|uid| !uid.is_empty()).collect()
    }

    /// Keeps only the owner references that are wanted; tells whether any went.
    pub(crate) fn retain_owners(&mut self, mut wanted: impl FnMut(&OwnerReference) -> bool) -> bool {
        let list = self.list("ownerReferences");
        let kept: Vec<Value> =
            list.iter().filter(|one| wanted(&OwnerReference::from_value(one))).cloned().collect();
        self.set_owner_list(&list, kept)
    }

    /// Removes repeated owner references; tells whether there were any.
    pub(crate) fn dedup_owners(&mut self) -> bool {
        let list = self.list("ownerReferences");
        let mut seen = HashSet::new();
        let kept: Vec<Value> = list.iter().filter(|one| seen.insert(one.to_string())).cloned().collect();
        self.set_owner_list(&list, kept)
    }

    /// The items of a list; none if it is no list.
    fn list(&self, name: &str) -> Vec<Value> {
        match self.get(name) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        }
    }

    /// Replaces the list by what was kept of it; tells whether any went.
    fn set_owner_list(&mut self, list: &[Value], kept: Vec<Value>) -> bool {
        let changed = kept.len() < list.len();
        if kept.is_empty() {
            self.remove("ownerReferences");
        } else if changed {
            self.set("ownerReferences", kept);
        }
        changed
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

/// A map of strings with empty strings in place of nulls, as the typed decoder reads them.
fn with_empty_texts(map: &Excerpt) -> Excerpt {
    let mut map = tree(map);
    map.as_object_mut().into_iter().flat_map(Map::values_mut).filter(|value| value.is_null()).for_each(
        |null| {
            *null = "".into();
        },
    );
    Node::from_value(&map)
        .map_or_else(|_| Excerpt::from(to_canonical(Node::NULL)), |node| to_canonical(node).into())
}

/// Whether ObjectMeta has the member: the names it has are borrowed.
fn is_known(name: &Name) -> bool {
    matches!(name, Cow::Borrowed(_))
}

/// What the typed encoder leaves out: nulls, empty strings, lists and maps, and generation 0.
fn is_zero(name: &str, text: &[u8]) -> bool {
    matches!(text, b"null" | b"\"\"" | b"[]" | b"{}") || text == b"0" && name == "generation"
}
