//! What `check` finds in OpenAPI documents that merges cannot work with.

use kubemerge_schema::check;
use serde_json::{Value, json};

/// Checks a document with one field, and compares `path: message [rule]` below it.
#[track_caller]
fn field(field: Value, wanted: &[&str]) {
    let document = json!({"definitions": {"A": {"type": "object", "properties": {"f": field}}}});
    found(&document, "definitions[A].properties[f]", wanted);
}

#[track_caller]
fn found(document: &Value, at: &str, wanted: &[&str]) {
    let findings: Vec<String> = check::document(document).iter().map(ToString::to_string).collect();
    let wanted: Vec<String> = wanted.iter().map(|end| format!("{at}{end}")).collect();
    assert_eq!(findings, wanted, "{document}");
}

fn items() -> Value {
    json!({"type": "object", "properties": {
        "foo": {"type": "string"}, "bar": {"type": "string"}, "inner": {"type": "object"}, "many": {"type": "array"},
    }})
}

fn merging(key: &str) -> Value {
    let mut list = json!({"type": "array", "items": items(), "x-kubernetes-patch-strategy": "merge"});
    list["x-kubernetes-patch-merge-key"] = json!(key);
    list
}

#[test]
fn a_list_of_maps_merges_by_a_key() {
    let list = json!({"type": "array", "items": items(), "x-kubernetes-patch-strategy": "merge"});
    let wanted = ".x-kubernetes-patch-strategy: merge of a list of maps needs x-kubernetes-patch-merge-key [merge-key-missing]";
    field(list, &[wanted]);
    let scalars =
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"});
    field(scalars, &[]);
    field(merging("foo"), &[]);
}

#[test]
fn lists_of_scalars_have_no_merge_key() {
    let wanted = ".x-kubernetes-patch-merge-key: must only be used on lists of maps [merge-key-needs-maps]";
    let types = [json!({"type": "string"}), json!({"x-kubernetes-int-or-string": true})];
    for items in types {
        let mut list = merging("foo");
        list["items"] = items;
        field(list, &[wanted]);
    }
}

#[test]
fn lists_of_scalars_have_no_list_map_keys() {
    let list = json!({
        "type": "array", "items": {"type": "string"},
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["foo"],
    });
    let wanted =
        ".items.type: must be object if parent array's x-kubernetes-list-type is map [list-map-items]";
    field(list, &[wanted]);
}

#[test]
fn a_key_is_named_once() {
    field(
        merging("foo,foo"),
        &[".x-kubernetes-patch-merge-key: \"foo\" is named twice [merge-key-repeated]"],
    );
    field(
        merging("foo, foo"),
        &[".x-kubernetes-patch-merge-key: \"foo\" is named twice [merge-key-repeated]"],
    );
}

#[test]
fn a_key_has_a_name() {
    for key in ["", "foo,", "foo, ,bar"] {
        field(merging(key), &[".x-kubernetes-patch-merge-key: every key must have a name [merge-key-empty]"]);
    }
}

#[test]
fn a_key_is_a_property_of_the_items() {
    let wanted = ".x-kubernetes-patch-merge-key: \"baz\" is not a property of the items [merge-key-unknown]";
    field(merging("foo,baz"), &[wanted]);
}

#[test]
fn a_key_is_a_scalar() {
    for key in ["inner", "many"] {
        let wanted = format!(
            ".x-kubernetes-patch-merge-key: \"{key}\" must be a scalar property of the items [merge-key-scalar]"
        );
        field(merging(key), &[&wanted]);
    }
}

#[test]
fn blanks_around_the_names_of_keys_are_fine() {
    field(merging("foo, bar"), &[]);
}

#[test]
fn group_version_and_kind_are_strings() {
    let kinds = |kind: Value| json!({"definitions": {"A": {"x-kubernetes-group-version-kind": [kind]}}});
    let at = "definitions[A].x-kubernetes-group-version-kind[0]";
    found(&kinds(json!({"group": "", "version": "v1", "kind": "A"})), at, &[]);
    for part in ["group", "version", "kind"] {
        let mut kind = json!({"group": "", "version": "v1", "kind": "A"});
        kind[part] = json!(7);
        found(&kinds(kind), at, &[&format!(".{part}: must be a string [extension-value]")]);
    }
    found(&kinds(json!({"version": "v1"})), at, &[": must have a version and a kind [extension-value]"]);
    found(&kinds(json!("v1")), at, &[": must have a version and a kind [extension-value]"]);
}

fn any_of(types: &[&str]) -> Value {
    let branches: Vec<Value> = types.iter().map(|word| json!({"type": word})).collect();
    json!({"anyOf": branches})
}

#[test]
fn int_or_string_spells_out_no_other_types() {
    let message = "must be [{type: integer}, {type: string}] if x-kubernetes-int-or-string is true [int-or-string-any-of]";
    let flagged = |mut schema: Value| {
        schema["x-kubernetes-int-or-string"] = json!(true);
        schema
    };
    let spelled_out = any_of(&["integer", "string"]);
    field(flagged(spelled_out.clone()), &[]);
    field(flagged(json!({"allOf": [spelled_out, {"minLength": 1}]})), &[]);
    field(flagged(any_of(&["integer", "boolean"])), &[&format!(".anyOf: {message}")]);
    field(flagged(any_of(&["string", "integer"])), &[&format!(".anyOf: {message}")]);
    field(flagged(json!({"allOf": [any_of(&["object"])]})), &[&format!(".allOf[0].anyOf: {message}")]);
    // Without the flag the branches are ordinary restrictions.
    field(any_of(&["integer", "boolean"]), &[]);
}
