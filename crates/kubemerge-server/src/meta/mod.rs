//! ObjectMeta: typed access to the metadata every object has, and the rules it obeys.

pub(crate) mod check;
pub(crate) mod name;

use std::{borrow::Cow, cell::OnceCell, collections::HashSet, rc::Rc};

use kubemerge_value::{Canonical, Kind, Node, Scalar, Str, to_canonical, to_value};
use serde_json::{Map, Value};

use crate::status::{Outcome, bad_request};

/// The metadata of one object: its members, sorted by name. Copies share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata(Vec<Rc<Member>>);

/// A member: canonical text, and its tree once somebody asked for it.
#[derive(Debug)]
struct Member {
    name: Cow<'static, str>,
    text: Canonical,
    tree: OnceCell<Value>,
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Member {
    fn new(name: &str, text: Canonical) -> Member {
        let name = check::member(name).map_or_else(|| Cow::Owned(name.to_string()), Cow::Borrowed);
        Member { name, text, tree: OnceCell::new() }
    }

    fn tree(&self) -> &Value {
        self.tree.get_or_init(|| to_value(self.text.node()).unwrap_or_default())
    }

    /// The characters of a string; text that is written without escapes is not copied.
    fn characters(&self) -> &str {
        let plain = self.text.node().as_str().and_then(Str::borrowed);
        plain.or_else(|| self.tree().as_str()).unwrap_or_default()
    }
}

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
        let mut members = Vec::new();
        for entry in node.sorted_entries() {
            let name = entry.key.text();
            check::shape(&name, entry.value)?;
            if !is_zero(&name, entry.value) {
                members.push(Rc::new(Member::new(&name, to_canonical(entry.value))));
            }
        }
        Ok(Metadata(members))
    }

    /// The members with their text.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        self.0.iter().map(|member| (&*member.name, member.text.node()))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|member| &*member.name)
    }

    pub(crate) fn to_map(&self) -> Map<String, Value> {
        self.0.iter().map(|member| (member.name.to_string(), member.tree().clone())).collect()
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|member| (*member.name).cmp(name))
    }

    fn find(&self, name: &str) -> Option<&Rc<Member>> {
        self.place(name).ok().map(|at| &self.0[at])
    }

    fn put(&mut self, member: Rc<Member>) {
        match self.place(&member.name) {
            Ok(at) => self.0[at] = member,
            Err(at) => self.0.insert(at, member),
        }
    }

    fn text(&self, name: &str) -> &str {
        self.find(name).map_or("", |member| member.characters())
    }

    fn number(&self, name: &str) -> Option<i64> {
        match self.find(name)?.text.node().scalar() {
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

    pub(crate) fn deletion_timestamp(&self) -> Option<&str> {
        self.find("deletionTimestamp").map(|member| member.characters())
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.deletion_timestamp().is_some()
    }

    pub(crate) fn label(&self, key: &str) -> Option<String> {
        self.get("labels")?.get(key)?.as_str().map(str::to_string)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The tree of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|member| member.tree())
    }

    /// Whether both have the same value in a member, or both none.
    pub(crate) fn same(&self, other: &Metadata, name: &str) -> bool {
        self.find(name) == other.find(name)
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        let text = to_canonical(Node::from_value(&value).unwrap_or(Node::NULL));
        self.put(Rc::new(Member { tree: OnceCell::from(value), ..Member::new(name, text) }));
    }

    /// Sets a member to a string.
    pub(crate) fn set_text(&mut self, name: &str, text: &str) {
        self.put(Rc::new(Member::new(name, to_canonical(Node::string(text)))));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Ok(at) = self.place(name) {
            self.0.remove(at);
        }
    }

    /// Takes a member from other metadata, or loses it if the other has none.
    pub(crate) fn take(&mut self, name: &str, from: &Metadata) {
        match from.find(name) {
            _ if self.same(from, name) => {}
            Some(member) => self.put(member.clone()),
            None => self.remove(name),
        }
    }

    pub(crate) fn set_label(&mut self, key: &str, value: &str) {
        self.merge_strings("labels", &Map::from_iter([(key.to_string(), value.into())]));
    }

    pub(crate) fn merge_strings(&mut self, name: &str, pairs: &Map<String, Value>) {
        if pairs.is_empty() {
            return;
        }
        let mut merged = self.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        merged.extend(pairs.clone());
        self.set(name, merged);
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        let list = self.get("finalizers").and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|one| one.as_str().map(str::to_string)).collect()
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
        let list = self.get("ownerReferences").and_then(Value::as_array).into_iter().flatten();
        list.map(OwnerReference::from_value).collect()
    }

    pub(crate) fn owner_uids(&self) -> Vec<String> {
        self.owner_references().into_iter().map(|owner| owner.uid).filter(|uid| !uid.is_empty()).collect()
    }

    /// Keeps only the owner references that are wanted; tells whether any went.
    pub(crate) fn retain_owners(&mut self, mut wanted: impl FnMut(&OwnerReference) -> bool) -> bool {
        let list = self.owner_list();
        let kept: Vec<Value> =
            list.iter().filter(|one| wanted(&OwnerReference::from_value(one))).cloned().collect();
        self.set_owner_list(&list, kept)
    }

    /// Removes repeated owner references; tells whether there were any.
    pub(crate) fn dedup_owners(&mut self) -> bool {
        let list = self.owner_list();
        let mut seen = HashSet::new();
        let kept: Vec<Value> = list.iter().filter(|one| seen.insert(one.to_string())).cloned().collect();
        self.set_owner_list(&list, kept)
    }

    fn owner_list(&self) -> Vec<Value> {
        self.get("ownerReferences").and_then(Value::as_array).cloned().unwrap_or_default()
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

/// What the typed encoder leaves out: nulls, empty strings, lists and maps, and generation 0.
fn is_zero(name: &str, value: Node<'_>) -> bool {
    match value.scalar() {
        None => value.is_empty(),
        Some(Scalar::Null) => true,
        Some(Scalar::String(text)) => text.is(""),
        Some(Scalar::Int(number)) => name == "generation" && number == 0,
        Some(_) => false,
    }
}
