//! Texts of errors, as kube-apiserver 1.37 words them.

use kubemerge_schema::DeclaredType;
use serde_json::json;

use super::*;
use crate::custom::decode;

fn complaints(schema: Json, value: Json) -> Vec<String> {
    let schema = DeclaredType::of_schema(&json!({"properties": {"f": schema}})).unwrap();
    let (arena, text) = (Arena::new(), json!({"f": value}).to_string());
    validate(&decode(&arena, &text), None, schema.values()).iter().map(ToString::to_string).collect()
}

#[test]
fn complaints_read_as_the_api_server_words_them() {
    for (schema, value, text) in [
        (
            json!({"type": "integer"}),
            json!("x"),
            "f: Invalid value: \"string\": f in body must be of type integer: \"string\"",
        ),
        (
            json!({"type": "A_b!"}),
            json!("x"),
            "f: Invalid value: \"string\": f in body must be of type A_b!: \"string\"",
        ),
        (
            json!({"type": "integer", "minimum": 1}),
            json!(0),
            "f: Invalid value: 0: f in body should be greater than or equal to 1",
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!("c"),
            "f: Unsupported value: \"c\": supported values: \"a\", \"b\"",
        ),
        (json!({"pattern": "^a$"}), json!("b"), "f: Invalid value: \"b\": f in body should match '^a$'"),
        (json!({"maxLength": 2}), json!("abc"), "f: Too long: may not be more than 2 bytes"),
        (json!({"maxItems": 1}), json!([1, 2]), "f: Too many: 2: must have at most 1 item"),
        (json!({"required": ["x"]}), json!({}), "f.x: Required value"),
        (
            json!({"type": "number", "multipleOf": 0.5}),
            json!(7),
            "f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0",
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            json!(7),
            "f: Invalid value: \"int64\": f in body must be of type date-time: \"int64\"",
        ),
        (
            json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"a": 1, "b": 2}),
            "<nil>: Invalid value: \"\": \"f\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
        ),
        (
            json!({"not": {"required": ["a"]}}),
            json!({"a": 1}),
            "<nil>: Invalid value: \"\": \"f\" must not validate the schema (not)",
        ),
    ] {
        assert_eq!(complaints(schema, value), [text]);
    }
}

#[test]
fn the_alternative_that_fits_best_is_reported() {
    let schema =
        json!({"anyOf": [{"required": ["a"]}, {"properties": {"b": {"minimum": 3}}, "required": ["b"]}]});
    assert_eq!(
        complaints(schema, json!({"b": 1})),
        [
            "<nil>: Invalid value: \"\": \"f\" must validate at least one schema (anyOf)",
            "f.b: Invalid value: 1: f.b in body should be greater than or equal to 3",
        ]
    );
}

#[test]
fn a_long_name_above_many_faults_is_written_out_once() {
    let schema = json!({"additionalProperties": {"additionalProperties": {"type": "string"}}});
    let schema = DeclaredType::of_schema(&schema).unwrap();
    let faults: serde_json::Map<String, Json> = (0..100_000).map(|at| (at.to_string(), json!(at))).collect();
    let (arena, text) = (Arena::new(), json!({"n".repeat(1024 * 1024): faults}).to_string());
    assert_eq!(validate(&decode(&arena, &text), None, schema.values()).len(), 1);
}

#[test]
fn good_values_pass() {
    for (schema, value) in [
        (json!({"type": "string", "nullable": true}), json!(null)),
        (json!({"x-kubernetes-int-or-string": true}), json!("80%")),
        (json!({"type": "number", "maximum": 5}), json!(4.5)),
        (json!({"type": "number", "multipleOf": 0.5}), json!(7.0)),
        (json!({"type": "integer"}), json!(2.0)),
        (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("x")),
        (json!({"not": {"type": "string"}}), json!(1)),
        (json!({"type": "string", "format": "ipv4"}), json!([])),
        (json!({"type": "integer", "enum": [1]}), json!(1.0)),
    ] {
        assert_eq!(complaints(schema, value), [""; 0]);
    }
}

#[test]
fn what_did_not_change_is_let_pass() {
    let schema = DeclaredType::of_schema(&json!({"properties": {
        "low": {"minimum": 5},
        "map": {"required": ["x"]},
        "keyed": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"properties": {"k": {}, "v": {"minimum": 5}}}},
    }}))
    .unwrap();
    let count = |old: Json, new: Json| {
        let (arena, texts) = (Arena::new(), [old, new].map(|value| value.to_string()));
        let [old, new] = texts.each_ref().map(|text| decode(&arena, text));
        validate(&new, Some(&Correlated::new(&new, &old, schema.values())), schema.values()).len()
    };
    assert_eq!(count(json!({"low": 1}), json!({"low": 1, "map": {"x": 2}})), 0);
    assert_eq!(count(json!({"low": 1}), json!({"low": 2})), 1);
    // Go has read one of them as an integer and the other one as a float.
    assert_eq!(count(json!({"low": 1}), json!({"low": 1.0})), 1);
    assert_eq!(count(json!({"map": {}}), json!({"map": {"y": 1}})), 1);
    let keyed = |items: Json| json!({"keyed": items});
    let old = keyed(json!([{"k": 1, "v": 1}, {"k": 2, "v": 2}]));
    assert_eq!(count(old.clone(), keyed(json!([{"k": 2, "v": 2}, {"k": 1, "v": 1}]))), 0);
    assert_eq!(count(old, keyed(json!([{"k": 2, "v": 1}, {"k": 1, "v": 1}]))), 1);
}
