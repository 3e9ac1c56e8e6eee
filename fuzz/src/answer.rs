//! Questions that are asked in every form in which the engine reads documents. There is one answer.

use crate::choices::schema;
use kubemerge_schema::{Dialect, Schema, Type};
use kubemerge_strategic::{DiffOptions, MergeError, apply, diff};
use kubemerge_value::{Arena, Canonical, Document, Node, to_bytes, to_canonical};
use serde_json::Value;
use std::sync::LazyLock;

/// A document, or the kind and the path of a fault.
pub type Answer = Result<Value, (&'static str, String)>;

/// Those in which patches are made and applied.
pub const DIALECTS: [Dialect; 2] = [Dialect::Upstream, Dialect::Spec];

/// The type of the documents, with the rules of a dialect.
pub fn thing(dialect: Dialect) -> Type<'static> {
    static UPSTREAM: LazyLock<Schema> = LazyLock::new(|| schema(Dialect::Upstream));
    static SPEC: LazyLock<Schema> = LazyLock::new(|| schema(Dialect::Spec));
    static KUSTOMIZE: LazyLock<Schema> = LazyLock::new(|| schema(Dialect::Kustomize));
    let schema = match dialect {
        Dialect::Upstream => &UPSTREAM,
        Dialect::Spec => &SPEC,
        Dialect::Kustomize => &KUSTOMIZE,
    };
    schema.definition("Thing").expect("the schema has this type")
}

/// Asks with values, checked text, canonical text, and checked text beside canonical text.
pub fn ask<const N: usize>(
    documents: [&Value; N],
    verb: impl for<'a> Fn([Node<'a>; N], &'a Arena) -> Result<Node<'a>, MergeError>,
) -> Answer {
    let texts = documents.map(|document| serde_json::to_vec_pretty(document).unwrap());
    let checked = texts.each_ref().map(|text| Document::check(text).unwrap());
    let canonical = texts.each_ref().map(|text| Canonical::from_bytes(text).unwrap());
    let values = documents.map(|document| Node::from_value(document).unwrap());
    let checked = checked.each_ref().map(Document::node);
    let canonical = canonical.each_ref().map(Canonical::node);
    let mut mixed = checked;
    mixed[0] = canonical[0];
    let arena = Arena::new();
    let [answer, others @ ..] = [values, checked, canonical, mixed].map(|nodes| read(verb(nodes, &arena)));
    for other in others {
        assert!(agree(&answer, &other), "{answer:?} is not {other:?}");
    }
    answer
}

/// The result of a document.
pub fn applied(dialect: Dialect, live: &Value, patch: &Value) -> Answer {
    ask([live, patch], |[live, patch], arena| apply(thing(dialect), live, patch, arena))
}

/// The patch from one document to another.
pub fn diffed(dialect: Dialect, original: &Value, modified: &Value) -> Answer {
    ask([original, modified], |[original, modified], arena| {
        diff(thing(dialect), original, modified, &DiffOptions::default(), arena)
    })
}

/// The same result, or a fault in both: where there are several, the order of members decides which is found.
fn agree(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// What is written in one way is what is written in the other.
fn read(answer: Result<Node<'_>, MergeError>) -> Answer {
    let node = answer.map_err(|error| (error.kind().name(), error.path().to_string()))?;
    let canonical = to_canonical(node).into_bytes();
    assert_eq!(Canonical::from_bytes(&to_bytes(node)).unwrap().as_bytes(), canonical);
    assert_eq!(Canonical::from_bytes(&canonical).unwrap().as_bytes(), canonical);
    Ok(serde_json::from_slice(&canonical).unwrap())
}
