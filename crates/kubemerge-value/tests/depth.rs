//! Deep documents: 10,000 levels work on a small thread, one more is an error, a deep `Value` is refused.

use kubemerge_value::{
    Arena, Canonical, Document, MAX_DEPTH, MAX_VALUE_DEPTH, MapEdit, Node, ParseErrorKind, deep_equal, map,
    to_bytes, to_canonical, to_value,
};
use serde_json::{Value, json};

/// The stack that Rust gives a thread by default, said here so that nothing else decides it.
fn on_small_thread(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(test).unwrap().join().unwrap();
}

fn nested_maps(levels: usize) -> Vec<u8> {
    let mut text = "{\"a\": ".repeat(levels - 1).into_bytes();
    text.extend_from_slice(b"{}");
    text.extend(std::iter::repeat_n(b'}', levels - 1));
    text
}

#[test]
fn ten_thousand_levels_are_read_compared_and_written() {
    on_small_thread(|| {
        let text = nested_maps(MAX_DEPTH);
        let document = Document::check(&text).unwrap();
        assert_eq!(to_bytes(document.node()), text);
        let canonical = Canonical::from_bytes(&text).unwrap();
        assert_eq!(canonical.as_bytes().len(), text.len() - (MAX_DEPTH - 1));
        assert!(deep_equal(document.node(), canonical.node()));
    });
}

#[test]
fn ten_thousand_built_levels_are_written_and_dropped() {
    on_small_thread(|| {
        let arena = Arena::new();
        let mut node = Node::NULL;
        for _ in 0..MAX_DEPTH {
            node = map([("a".into(), node)], &arena);
        }
        assert_eq!(to_canonical(node).as_bytes().len(), MAX_DEPTH * 6 + 4);
        assert!(to_value(node).is_err());
    });
}

#[test]
fn edits_left_open_at_every_level_are_closed_once() {
    on_small_thread(|| {
        let canonical = Canonical::from_bytes(&nested_maps(MAX_DEPTH)).unwrap();
        let arena = Arena::new();
        let edited = edit_innermost(canonical.node(), &arena);
        let bytes = to_canonical(edited).into_bytes();
        assert_eq!(bytes.len(), canonical.as_bytes().len() + r#""b":null"#.len());
        assert!(Document::check(&bytes).is_ok());
    });
}

fn edit_innermost<'a>(node: Node<'a>, arena: &'a Arena) -> Node<'a> {
    kubemerge_value::deep(|| {
        let mut edit = MapEdit::new(node, arena);
        match edit.seek("a".into()) {
            Some(inner) => edit.replace(edit_innermost(inner, arena)),
            None => edit.insert("b".into(), Node::NULL),
        }
        edit.finish()
    })
}

#[test]
fn one_level_more_is_an_error() {
    let error = Document::check(&nested_maps(MAX_DEPTH + 1)).err().unwrap();
    assert_eq!(error.kind(), ParseErrorKind::TooDeep { limit: MAX_DEPTH });
}

#[test]
fn values_have_the_limit_of_serde_json() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(Node::from_value(&nested(MAX_VALUE_DEPTH)).is_ok());
    let error = Node::from_value(&nested(MAX_VALUE_DEPTH + 1)).err().unwrap();
    assert_eq!(error.kind(), ParseErrorKind::TooDeep { limit: MAX_VALUE_DEPTH });

    let text = serde_json::to_vec(&nested(MAX_VALUE_DEPTH)).unwrap();
    let value: Value = to_value(Document::check(&text).unwrap().node()).unwrap();
    assert_eq!(value, nested(MAX_VALUE_DEPTH));
    let text = format!("[{}]", String::from_utf8(text).unwrap());
    assert!(to_value(Document::check(text.as_bytes()).unwrap().node()).is_err());
}
