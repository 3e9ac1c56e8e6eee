//! JSON patch through every form of document: operations, the places where Kubernetes leaves the RFC, errors
//! with their texts, and limits.

use kubemerge::{Canonical, Error, MAX_COPY_BYTES, MAX_OPERATIONS, Patch, RuleSource, apply};
use serde_json::{Value, json};

/// Applies the patch to the document in every form, and gives the answer they agree on.
fn applied(live: &str, patch: &str) -> Result<Value, Error> {
    let canonical = Canonical::from_bytes(live.as_bytes()).unwrap();
    let value: Value = serde_json::from_str(live).unwrap();
    let patch = Patch::json(patch)?;
    let by_text =
        apply(RuleSource::None, live, &patch).map(|text| serde_json::from_str::<Value>(&text).unwrap());
    let by_canonical = apply(RuleSource::None, &canonical, &patch);
    if let Ok(result) = &by_canonical {
        assert_eq!(*result, Canonical::from_bytes(result.as_bytes()).unwrap(), "canonical stays canonical");
    }
    let by_canonical = by_canonical.map(|result| serde_json::from_slice(result.as_bytes()).unwrap());
    assert_eq!(by_text, by_canonical);
    assert_eq!(by_text, apply(RuleSource::None, &value, &patch));
    by_text
}

fn check(live: &str, patch: &str, expected: Value) {
    assert_eq!(applied(live, patch).unwrap(), expected, "{patch}");
}

fn check_error(live: &str, patch: &str, expected: &str) {
    assert_eq!(applied(live, patch).unwrap_err().to_string(), expected, "{patch}");
}

#[test]
fn operations() {
    check(
        r#"{"a":1}"#,
        r#"[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/a"}]"#,
        json!({"b": 1}),
    );
    check(
        r#"{"l":[1,3]}"#,
        r#"[{"op":"add","path":"/l/1","value":2},{"op":"add","path":"/l/-","value":4}]"#,
        json!({"l": [1, 2, 3, 4]}),
    );
    check(r#"{"a":{"b":1}}"#, r#"[{"op":"replace","path":"/a/b","value":[]}]"#, json!({"a": {"b": []}}));
    check(
        r#"{"a":{"b":1},"c":{}}"#,
        r#"[{"op":"move","from":"/a/b","path":"/c/d"}]"#,
        json!({"a": {}, "c": {"d": 1}}),
    );
    check(r#"{"a":[1,2]}"#, r#"[{"op":"copy","from":"/a/0","path":"/a/-"}]"#, json!({"a": [1, 2, 1]}));
    check(
        r#"{"a":{"x":[1,"s"]}}"#,
        r#"[{"op":"test","path":"/a","value":{"x":[1,"s"]}}]"#,
        json!({"a": {"x": [1, "s"]}}),
    );
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":{"b":2}}]"#, json!({"b": 2}));
    check(r#"{"a":1}"#, r#"[{"op":"test","path":"","value":{"a":1}}]"#, json!({"a": 1}));
    check(r#"{"a":1}"#, "null", json!({"a": 1}));
    check(
        r#"{"":{"~":{"/":1}}}"#,
        r#"[{"op":"replace","path":"//~0/~1","value":2}]"#,
        json!({"": {"~": {"/": 2}}}),
    );
}

#[test]
fn edits_of_edits() {
    let live = r#"{"a":{"x":1,"y":2},"b":{"p":1},"c":{"x":1,"z":{"u":1,"v":2}},"d":1}"#;
    check(
        live,
        r#"[{"op":"replace","path":"/a/x","value":5},{"op":"move","from":"/a","path":"/b"}]"#,
        json!({"b": {"x": 5, "y": 2}, "c": {"x": 1, "z": {"u": 1, "v": 2}}, "d": 1}),
    );
    check(
        live,
        r#"[{"op":"remove","path":"/c/z/u"},{"op":"move","from":"/c/z","path":"/a/x"},{"op":"add","path":"/a/x/w","value":3}]"#,
        json!({"a": {"x": {"v": 2, "w": 3}, "y": 2}, "b": {"p": 1}, "c": {"x": 1}, "d": 1}),
    );
    check(
        live,
        r#"[{"op":"copy","from":"/c","path":"/b"},{"op":"remove","path":"/c/z"},{"op":"remove","path":"/b/z/u"}]"#,
        json!({"a": {"x": 1, "y": 2}, "b": {"x": 1, "z": {"v": 2}}, "c": {"x": 1}, "d": 1}),
    );
}

#[test]
fn untouched_text_stays_as_it_was_given() {
    let live = "{\n  \"a\": {\"b\" : 1.0},\n  \"l\": [ 1, 2 ],\n  \"z\": \"\\u0041\"\n}";
    let patch =
        Patch::json(r#"[{"op":"test","path":"/a/b","value":1.0},{"op":"add","path":"/l/-","value":3}]"#)
            .unwrap();
    let result = apply(RuleSource::None, live, &patch).unwrap();
    assert_eq!(result, "{\n  \"a\": {\"b\" : 1.0},\n  \"l\":[ 1, 2,3 ],\n  \"z\": \"\\u0041\"\n}");
}

#[test]
fn kubernetes_is_more_lenient_than_the_rfc() {
    check(
        r#"{"l":[1,2,3]}"#,
        r#"[{"op":"remove","path":"/l/-1"},{"op":"add","path":"/l/-1","value":9}]"#,
        json!({"l": [1, 2, 9]}),
    );
    check(r#"{"l":[1,2,3]}"#, r#"[{"op":"replace","path":"/l/+01","value":9}]"#, json!({"l": [1, 9, 3]}));
    check("{}", r#"[{"op":"replace","path":"/a","value":1}]"#, json!({"a": 1}));
    check("{}", r#"[{"op":"add","path":"/a"}]"#, json!({"a": null}));
    check("{}", r#"[{"op":"copy","from":"/a","path":"/b"}]"#, json!({"b": null}));
    check(r#"{"b":1}"#, r#"[{"op":"add","path":"a/b","value":2}]"#, json!({"b": 2}));
    check(
        r#"{"n":null}"#,
        r#"[{"op":"test","path":"/n"},{"op":"test","path":"/m","value":null}]"#,
        json!({"n": null}),
    );
}

#[test]
fn nulls_remember_where_they_came_from() {
    let given = r#"{"op":"add","path":"/a/b","value":null}"#;
    let live = r#"{"a":{}}"#;
    let failed = "[1]: testing value /a failed: test failed (the value there is {\"b\":null})";
    check(
        live,
        &format!(r#"[{given},{{"op":"test","path":"/a/b","value":null}}]"#),
        json!({"a": {"b": null}}),
    );
    check_error(live, &format!(r#"[{given},{{"op":"test","path":"/a","value":{{"b":null}}}}]"#), failed);
    let copied = r#"{"op":"copy","from":"/a/b","path":"/c"}"#;
    check(
        live,
        &format!(r#"[{given},{copied},{{"op":"test","path":"/c","value":{{}}}}]"#),
        json!({"a": {"b": null}, "c": null}),
    );
    check_error(
        live,
        &format!(r#"[{given},{copied},{{"op":"add","path":"/c/d","value":1}}]"#),
        "[2]: error in add for path: '/c/d': the parent is a copy of a null \
         (Kubernetes' API server crashes on it: add an object there first)",
    );
}

#[test]
fn tests_compare_spelling() {
    let text = |live: &str, value: &str| {
        let patch = format!(r#"[{{"op":"test","path":"/a","value":{value}}}]"#);
        apply(RuleSource::None, live, &Patch::json(&patch).unwrap()).is_ok()
    };
    assert!(text(r#"{"a":1.0}"#, "1.0"));
    assert!(!text(r#"{"a":1.0}"#, "1"));
    assert!(!text(r#"{"a":"A"}"#, r#""\u0041""#));
    // A document of the API server holds `<` as an escape, and so must the test.
    let live = Canonical::from_bytes(br#"{"a":"<"}"#).unwrap();
    for (value, holds) in [(r#""<""#, false), (r#""\u003c""#, true)] {
        let patch = format!(r#"[{{"op":"test","path":"/a","value":{value}}}]"#);
        assert_eq!(apply(RuleSource::None, &live, &Patch::json(&patch).unwrap()).is_ok(), holds);
    }
    // A copy is spelled as Go's encoder spells it.
    let copied = |value: &str| {
        format!(
            r#"[{{"op":"add","path":"/b","value":"<"}},{{"op":"copy","from":"/b","path":"/c"}},{{"op":"test","path":"/c","value":{value}}}]"#
        )
    };
    assert!(applied("{}", &copied(r#""\u003c""#)).is_ok());
    assert!(applied("{}", &copied(r#""<""#)).is_err());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of operations and answers")]
fn errors_of_operations() {
    let live = r#"{"a":{"b":1},"l":[1]}"#;
    for (operation, expected) in [
        (
            r#"{"op":"add","path":"/x/y","value":1}"#,
            "add operation does not apply: doc is missing path: \"/x/y\": missing value (add the parent first)",
        ),
        (
            r#"{"op":"add","path":"/a/b/c","value":1}"#,
            "add operation does not apply: doc is missing path: \"/a/b/c\": missing value (add the parent first)",
        ),
        (
            r#"{"op":"add","path":"","value":{}}"#,
            "add operation does not apply: doc is missing path: \"\": missing value (add the parent first)",
        ),
        (r#"{"op":"add","value":1}"#, "add operation failed to decode path: missing value"),
        (
            r#"{"op":"add","path":"/l/2","value":1}"#,
            "error in add for path: '/l/2': Unable to access invalid index: 2: invalid index referenced",
        ),
        (
            r#"{"op":"add","path":"/l/-3","value":1}"#,
            "error in add for path: '/l/-3': Unable to access invalid index: -3: invalid index referenced",
        ),
        (
            r#"{"op":"add","path":"/l/x","value":1}"#,
            "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
        ),
        (
            r#"{"op":"remove","path":"/x"}"#,
            "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
        ),
        (
            r#"{"op":"remove","path":"/l/-"}"#,
            "error in remove for path: '/l/-': strconv.Atoi: parsing \"-\": invalid syntax",
        ),
        (
            r#"{"op":"remove","path":"/x/y"}"#,
            "remove operation does not apply: doc is missing path: \"/x/y\": missing value",
        ),
        (
            r#"{"op":"replace","path":"/l/1","value":1}"#,
            "replace operation does not apply: doc is missing key: /l/1: missing value",
        ),
        (
            r#"{"op":"replace","path":"/x/y","value":1}"#,
            "replace operation does not apply: doc is missing path: /x/y: missing value (add the parent first)",
        ),
        (
            r#"{"op":"replace","value":1}"#,
            "replace operation failed to decode path: operation missing path field: missing value",
        ),
        (
            r#"{"op":"replace","path":"","value":1}"#,
            "replace operation value must be object or array: %!w(<nil>)",
        ),
        (
            r#"{"op":"replace","path":""}"#,
            "replace operation value must be object or array (the operation has no value: Kubernetes' API server crashes on it)",
        ),
        (
            r#"{"op":"move","path":"/x"}"#,
            "move operation failed to decode from: operation, missing from field: missing value",
        ),
        (
            r#"{"op":"move","from":"/x","path":"/y"}"#,
            "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
        ),
        (
            r#"{"op":"move","from":"/a","path":"/a/c"}"#,
            "move operation does not apply: doc is missing destination path: /a/c: missing value (add the parent first)",
        ),
        (
            r#"{"op":"copy","from":"/l/5","path":"/y"}"#,
            "error in copy for from: '/l/5': Unable to access invalid index: 5: invalid index referenced",
        ),
        (
            r#"{"op":"copy","from":"/a","path":"/l/7"}"#,
            "error while adding value during copy: Unable to access invalid index: 7: invalid index referenced",
        ),
        (
            r#"{"op":"test","path":"/a/b","value":2}"#,
            "testing value /a/b failed: test failed (the value there is 1)",
        ),
        (
            r#"{"op":"test","path":"/x","value":2}"#,
            "testing value /x failed: test failed (there is no value)",
        ),
        (
            r#"{"op":"test","path":"/l/x","value":2}"#,
            "error in test for path: '/l/x': strconv.Atoi: parsing \"x\": invalid syntax",
        ),
        (
            r#"{"op":"test","path":"/x/y","value":2}"#,
            "test operation does not apply: is missing path: /x/y: missing value",
        ),
        (
            r#"{"op":"zap","path":"/a"}"#,
            "Unexpected kind: zap (operations are add, remove, replace, move, copy and test)",
        ),
    ] {
        check_error(live, &format!("[{operation}]"), &format!("[0]: {expected}"));
    }
    check_error(
        r#"{"l":[null]}"#,
        r#"[{"op":"test","path":"/l","value":[null]}]"#,
        "[0]: a null in a list cannot be tested (Kubernetes' API server crashes on it: test the other elements one by one)",
    );
}

#[test]
fn errors_of_patches() {
    let decoding = "error decoding patch: json: cannot unmarshal";
    for (patch, path, expected) in [
        (
            "{}",
            "",
            format!(
                "{decoding} object into Go value of type []handlers.jsonPatchOp (a JSON patch is a list of operations)"
            ),
        ),
        (
            "[{},1]",
            "[1]: ",
            format!(
                "{decoding} number into Go value of type handlers.jsonPatchOp (an operation is a JSON object)"
            ),
        ),
        (
            r#"[{"op":1}]"#,
            "[0].op: ",
            format!("{decoding} number into Go struct field jsonPatchOp.op of type string"),
        ),
        (
            r#"[{"op":"add","path":[]}]"#,
            "[0].path: ",
            format!("{decoding} array into Go struct field jsonPatchOp.path of type string"),
        ),
    ] {
        let error = applied("{}", patch).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}{expected}"));
        assert_eq!((error.kind().name(), error.http_status()), ("invalid-json-patch", 400));
    }
}

#[test]
fn limits() {
    let many = |count: usize| format!("[{}]", vec![r#"{"op":"add","path":"/a","value":1}"#; count].join(","));
    assert!(applied("{}", &many(MAX_OPERATIONS)).is_ok());
    let error = applied("{}", &many(MAX_OPERATIONS + 1)).unwrap_err();
    assert_eq!((error.kind().name(), error.http_status()), ("too-many-operations", 413));
    assert_eq!(
        error.message(),
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    );

    let live = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_COPY_BYTES / 2 - 2));
    let copy = r#"{"op":"copy","from":"/a","path":"/b"}"#;
    assert!(applied(&live, &format!("[{copy},{copy}]")).is_ok());
    let error = applied(&live, &format!(r#"[{copy},{copy},{{"op":"copy","from":"/c","path":"/c"}},{copy}]"#))
        .unwrap_err();
    assert_eq!((error.path(), error.http_status()), ("[3]", 422));
    assert_eq!(
        error.message(),
        "Unable to complete the copy, the accumulated size increase of copy is 4718592, exceeding the limit 3145728"
    );
}
