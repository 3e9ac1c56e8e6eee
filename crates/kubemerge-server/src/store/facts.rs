//! Facts about a stored object. They are read where they are in its text; nothing else of it is looked at.

use std::borrow::Cow;

use kubemerge_value::{Arena, Kind, Node, Scalar};

use super::{metadata_field::Field, record::Record};

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) block_owner_deletion: bool,
}

impl Record {
    /// A field of the metadata.
    pub(crate) fn metadata(&self, field: Field) -> Option<Node<'_>> {
        self.canonical().at(self.metadata_span(field))
    }

    /// A text in the metadata; empty if it is absent.
    pub(crate) fn metadata_text(&self, field: Field) -> Cow<'_, str> {
        text(self.metadata(field))
    }

    pub(crate) fn name(&self) -> Cow<'_, str> {
        self.metadata_text(Field::Name)
    }

    pub(crate) fn namespace(&self) -> Cow<'_, str> {
        self.metadata_text(Field::Namespace)
    }

    pub(crate) fn uid(&self) -> Cow<'_, str> {
        self.metadata_text(Field::Uid)
    }

    pub(crate) fn generation(&self) -> i64 {
        self.metadata(Field::Generation).and_then(integer).unwrap_or(0)
    }

    /// The grace period of a deletion, in seconds.
    pub(crate) fn grace_period(&self) -> Option<i64> {
        self.metadata(Field::DeletionGracePeriodSeconds).and_then(integer)
    }

    /// Whether the object is being deleted.
    pub(crate) fn is_terminating(&self) -> bool {
        !self.metadata_span(Field::DeletionTimestamp).is_nowhere()
    }

    pub(crate) fn finalizers(&self) -> Vec<String> {
        self.metadata(Field::Finalizers).map(texts).unwrap_or_default()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().iter().any(|one| one == name)
    }

    pub(crate) fn owner_references(&self) -> Vec<OwnerReference> {
        let Some(list) = self.metadata(Field::OwnerReferences) else { return Vec::new() };
        list.elements(&Arena::new()).iter().map(|one| OwnerReference::read(*one)).collect()
    }

    /// The value at a path of names, such as `["spec", "replicas"]`.
    pub(crate) fn at(&self, path: &[&str]) -> Option<Node<'_>> {
        path.iter().try_fold(self.node(), |at, name| at.get(name))
    }

    /// The text at a path of names; empty if there is none.
    pub(crate) fn text_at(&self, path: &[&str]) -> Cow<'_, str> {
        text(self.at(path))
    }

    /// The whole number at a path of names.
    pub(crate) fn integer_at(&self, path: &[&str]) -> Option<i64> {
        self.at(path).and_then(integer)
    }

    /// The texts of the list at a path of names; none if there is no list.
    pub(crate) fn texts_at(&self, path: &[&str]) -> Vec<String> {
        self.at(path).map(texts).unwrap_or_default()
    }

    /// Whether there is a list with items at a path of names.
    pub(crate) fn has_items_at(&self, path: &[&str]) -> bool {
        self.at(path).is_some_and(|list| list.kind() == Kind::List && !list.is_empty())
    }
}

impl OwnerReference {
    fn read(node: Node<'_>) -> OwnerReference {
        let member = |name: &str| text(node.get(name)).into_owned();
        let blocks = node.get("blockOwnerDeletion").and_then(Node::scalar);
        OwnerReference {
            api_version: member("apiVersion"),
            kind: member("kind"),
            name: member("name"),
            uid: member("uid"),
            block_owner_deletion: blocks == Some(Scalar::Bool(true)),
        }
    }
}

fn text(node: Option<Node<'_>>) -> Cow<'_, str> {
    node.and_then(Node::as_str).map(|text| text.text()).unwrap_or_default()
}

fn integer(node: Node<'_>) -> Option<i64> {
    match node.scalar() {
        Some(Scalar::Int(number)) => Some(number),
        _ => None,
    }
}

fn texts(list: Node<'_>) -> Vec<String> {
    let texts = |node: &Node<'_>| Some(node.as_str()?.text().into_owned());
    list.elements(&Arena::new()).iter().filter_map(texts).collect()
}

#[cfg(test)]
mod tests {
    use kubemerge_value::Canonical;

    use super::*;
    use crate::store::Ownership;

    fn record(text: &str) -> Record {
        Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), Vec::new(), Ownership::default())
    }

    #[test]
    fn facts_are_read_from_the_text() {
        let record = record(
            r#"{"apiVersion":"v1","kind":"K","metadata":{"deletionGracePeriodSeconds":0,"finalizers":["a","b\u003c"],
            "generation":3,"name":"n\"1","ownerReferences":[{"blockOwnerDeletion":true,"kind":"O","uid":"u1"}]},
            "spec":{"list":["x",1],"number":2,"text":"t"}}"#,
        );
        assert_eq!((&*record.name(), &*record.uid(), record.generation()), ("n\"1", "", 3));
        assert_eq!((record.grace_period(), record.is_terminating()), (Some(0), false));
        assert!(record.has_finalizer("b<") && !record.has_finalizer("c"));
        let owners = record.owner_references();
        assert_eq!((owners[0].kind.as_str(), owners[0].uid.as_str()), ("O", "u1"));
        assert!(owners[0].block_owner_deletion && owners[0].name.is_empty());
        assert_eq!(record.text_at(&["spec", "text"]), "t");
        assert_eq!(record.integer_at(&["spec", "number"]), Some(2));
        assert_eq!(record.texts_at(&["spec", "list"]), ["x"]);
        assert!(record.at(&["spec", "text", "deeper"]).is_none());
    }

    #[test]
    fn an_object_without_metadata_has_no_facts() {
        let record = record(r#"{"apiVersion":"v1","kind":"K","metadata":{}}"#);
        assert_eq!((&*record.name(), record.generation(), record.grace_period()), ("", 0, None));
        assert!(record.finalizers().is_empty() && record.owner_references().is_empty());
    }
}
