//! JSON merge patch through every form of document, and what is refused.

use kubemerge::{Canonical, Patch, RuleSource, apply};
use serde_json::{Value, json};

fn check(live: &str, patch: &str, expected: Value) {
    let canonical = Canonical::from_bytes(live.as_bytes()).unwrap();
    let value: Value = if live.trim().is_empty() { Value::Null } else { serde_json::from_str(live).unwrap() };
    let patch = Patch::merge(patch).unwrap();
    let by_text = apply(RuleSource::None, live, &patch).unwrap();
    let by_canonical = apply(RuleSource::None, &canonical, &patch).unwrap();
    assert_eq!(by_canonical, Canonical::from_bytes(by_canonical.as_bytes()).unwrap());
    assert_eq!(serde_json::from_str::<Value>(&by_text).unwrap(), expected);
    assert_eq!(serde_json::from_slice::<Value>(by_canonical.as_bytes()).unwrap(), expected);
    assert_eq!(apply(RuleSource::None, &value, &patch).unwrap(), expected);
}

#[test]
fn members_merge() {
    check(
        r#"{"a":{"b":1,"c":2},"d":3}"#,
        r#"{"a":{"c":null,"e":4},"d":{"f":5}}"#,
        json!({"a": {"b": 1, "e": 4}, "d": {"f": 5}}),
    );
    check(r#"{"l":[1,2]}"#, r#"{"l":[3]}"#, json!({"l": [3]}));
    check(r#"{"z":1}"#, r#"{"b":1,"a":2}"#, json!({"a": 2, "b": 1, "z": 1}));
    check(r#"{"a":1}"#, "null", json!({"a": 1}));
    check("null", r#"{"a":1}"#, json!({"a": 1}));
}

#[test]
fn nulls_are_pruned_from_new_values() {
    check("{}", r#"{"a":{"b":null,"c":{"d":null}}}"#, json!({"a": {"c": {}}}));
    check(r#"{"a":1}"#, r#"{"a":{"b":null}}"#, json!({"a": {}}));
    check(r#"{"a":null}"#, r#"{"a":{"b":null}}"#, json!({"a": {}}));
    check("{}", r#"{"l":[null,{"a":null,"b":[{"c":null}]}]}"#, json!({"l": [null, {"b": [{}]}]}));
    check(r#"{"l":[]}"#, r#"{"l":[{"a":null}]}"#, json!({"l": [{}]}));
}

#[test]
fn nulls_stay_where_a_map_is_replaced() {
    check(r#"{"a":{}}"#, r#"{"a":[{"b":null}]}"#, json!({"a": [{"b": null}]}));
}

#[test]
fn nulls_of_the_document_stay() {
    check(r#"{"a":null,"b":{"c":null}}"#, r#"{"b":{"d":1}}"#, json!({"a": null, "b": {"c": null, "d": 1}}));
}

#[test]
fn patches_are_objects() {
    for (patch, found) in [("[]", "array"), ("1", "number"), ("\"x\"", "string"), ("true", "bool")] {
        let error = Patch::merge(patch).unwrap_err();
        assert_eq!((error.kind().name(), error.http_status()), ("invalid-document", 400));
        assert_eq!(
            error.message(),
            format!(
                "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            )
        );
    }
}

#[test]
fn documents_are_objects() {
    let patch = Patch::merge("").unwrap();
    assert_eq!(apply(RuleSource::None, "", &patch).unwrap(), "{}");
    assert_eq!(apply(RuleSource::None, &Value::Null, &patch).unwrap(), json!({}));
    for (live, expected) in [
        ("[]", "invalid JSON document (a document is a JSON object)"),
        ("{\"a\":\n x}", "invalid JSON document (unexpected character at line 2, column 2)"),
    ] {
        let error = apply(RuleSource::None, live, &patch).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(
            (error.kind().name(), error.message(), error.http_status()),
            ("invalid-document", "invalid JSON document", 400)
        );
    }
}
