//! Apply never panics, and every API gives the same answer: value, checked bytes, canonical bytes.
#![no_main]

use kubemerge_fuzz::choices::{Choices, Role, schema};
use kubemerge_schema::{Dialect, Schema};
use kubemerge_strategic::{Error, apply};
use kubemerge_value::{Arena, Canonical, Document, Node, to_bytes, to_canonical};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMAS: LazyLock<[Schema; 2]> = LazyLock::new(|| [schema(Dialect::Upstream), schema(Dialect::Spec)]);

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let live = choices.thing(Role::Object, 3);
    let patch = choices.thing(Role::Patch, 3);
    SCHEMAS.iter().for_each(|schema| check(schema, &live, &patch));
});

fn check(schema: &Schema, live: &Value, patch: &Value) {
    let ty = schema.definition("Thing").unwrap();
    let (live_text, patch_text) = (serde_json::to_vec_pretty(live).unwrap(), serde_json::to_vec_pretty(patch).unwrap());
    let patch_document = Document::check(&patch_text).unwrap();
    let live_document = Document::check(&live_text).unwrap();
    let canonical = Canonical::from_bytes(&live_text).unwrap();
    let arena = Arena::new();
    let answers = [
        apply(ty, Node::from_value(live).unwrap(), Node::from_value(patch).unwrap(), &arena),
        apply(ty, live_document.node(), patch_document.node(), &arena),
        apply(ty, canonical.node(), patch_document.node(), &arena),
    ]
    .map(read);
    assert!(answers.iter().all(|answer| agree(answer, &answers[0])), "{answers:?}");
    if let (Dialect::Spec, Ok(result)) = (schema.dialect(), &answers[0]) {
        assert!(!result.windows(2).any(|text| text == b"\"$"), "a directive leaked");
    }
}

/// The same result, or a fault in both: where there are several, the order of members decides which is found.
fn agree(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

type Answer = Result<Vec<u8>, (&'static str, String)>;

/// Canonical bytes of a result, written in both ways; the kind and path of a fault.
fn read(answer: Result<Node<'_>, Error>) -> Answer {
    let node = answer.map_err(|error| (error.kind().name(), error.path().to_string()))?;
    let canonical = to_canonical(node).into_bytes();
    assert_eq!(Canonical::from_bytes(&to_bytes(node)).unwrap().as_bytes(), canonical);
    assert_eq!(Canonical::from_bytes(&canonical).unwrap().as_bytes(), canonical);
    Ok(canonical)
}
