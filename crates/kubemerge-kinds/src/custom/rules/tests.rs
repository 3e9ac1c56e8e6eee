//! What rules say about objects and changes, as kube-apiserver 1.37 answers.

use kubemerge_schema::DeclaredType;
use serde_json::{Value, json};

use super::{
    compile::*,
    node::RuleNode,
    walk::{Ratcheting, check},
};
use crate::tree::{Arena, Value as TreeValue};

fn complaints(schema: Value, object: Value, old: Option<Value>) -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"spec": schema}});
    let wrap =
        |spec: Value| json!({"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "n"}, "spec": spec});
    let schema = DeclaredType::of_schema(&schema).unwrap();
    let node = RuleNode::of(schema.values()).unwrap();
    let arena = Arena::new();
    let tree = |spec: Value| TreeValue::of_json(&wrap(spec), &arena);
    let (object, old) = (tree(object), old.map(tree));
    let errors =
        check(&node, schema.values(), (&object).into(), old.as_ref().map(Into::into), Ratcheting::On, "");
    errors.iter().map(ToString::to_string).collect()
}

fn with_rule(schema: Value, rule: Value) -> Value {
    let mut schema = schema;
    schema["x-kubernetes-validations"] = json!([rule]);
    schema
}

fn list_of_counts() -> Value {
    json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": {"type": "string"},
            "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "must not fall"}]}}}})
}

#[test]
fn items_are_compared_with_those_of_the_same_key() {
    let old = json!([{"name": "a", "n": 1}, {"name": "b", "n": 5}]);
    let reordered = json!([{"name": "new", "n": 0}, {"name": "b", "n": 5}, {"name": "a", "n": 1}]);
    assert_eq!(complaints(list_of_counts(), reordered, Some(old.clone())), [""; 0]);
    let fallen = json!([{"name": "b", "n": 4}, {"name": "a", "n": 1}]);
    assert_eq!(
        complaints(list_of_counts(), fallen, Some(old)),
        ["spec[0].n: Invalid value: 4: must not fall"]
    );
}

#[test]
fn an_optional_old_value_holds_for_new_ones_too() {
    let rule = json!({"rule": "!oldSelf.hasValue() ? self == 1 : self > oldSelf.value()", "optionalOldSelf": true,
        "message": "count up from 1"});
    let schema = || with_rule(json!({"type": "integer"}), rule.clone());
    assert_eq!(complaints(schema(), json!(1), None), [""; 0]);
    assert_eq!(complaints(schema(), json!(2), None), ["spec: Invalid value: 2: count up from 1"]);
    assert_eq!(complaints(schema(), json!(2), Some(json!(1))), [""; 0]);
    assert_eq!(complaints(schema(), json!(1), Some(json!(1))), ["spec: Invalid value: 1: count up from 1"]);
}

#[test]
fn messages_reasons_and_places() {
    let object = |rule: Value| {
        with_rule(
            json!({"type": "object", "properties": {"a-b": {"type": "integer"}, "t": {"type": "string"}, "none": {"type": "integer"}}}),
            rule,
        )
    };
    for (rule, text) in [
        (json!({"rule": "self.t == 'y'"}), "spec: Invalid value: failed rule: self.t == 'y'"),
        (json!({"rule": "self.a__dash__b > 5", "message": "m"}), "spec: Invalid value: m"),
        (json!({"rule": "false", "messageExpression": "'is ' + self.t"}), "spec: Invalid value: is x"),
        (json!({"rule": "false", "message": "m", "reason": "FieldValueForbidden"}), "spec: Forbidden: m"),
        (json!({"rule": "false", "message": "m", "fieldPath": ".t"}), "spec.t: Invalid value: m"),
        (
            json!({"rule": "self.none == 1"}),
            "spec: Invalid value: \"object\": no such key: none evaluating rule: self.none == 1",
        ),
    ] {
        assert_eq!(complaints(object(rule), json!({"a-b": 1, "t": "x"}), None), [text]);
    }
}

#[test]
fn types_have_values() {
    for rule in [
        "type(self) == map",
        "type(self.n) == double",
        "type(self.t) == string && type(self.l) != string",
        "self.when > timestamp('2026-01-01T00:00:00Z')",
        "self.took == duration('90s')",
        "self.raw == b'hi'",
    ] {
        let schema = json!({"type": "object", "properties": {"n": {"type": "number"}, "t": {"type": "string"},
            "l": {"type": "array", "items": {"type": "string"}}, "when": {"type": "string", "format": "date-time"},
            "took": {"type": "string", "format": "duration"}, "raw": {"type": "string", "format": "byte"}}});
        let object = json!({"n": 1, "t": "x", "l": [], "when": "2026-06-01T00:00:00Z", "took": "1m30s", "raw": "aGk="});
        assert_eq!(complaints(with_rule(schema, json!({"rule": rule})), object, None), [""; 0], "{rule}");
    }
}

#[test]
fn what_was_wrong_before_and_is_unchanged_passes() {
    let schema = || {
        json!({"type": "object", "properties": {
        "a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}, "b": {"type": "integer"}}})
    };
    let old = json!({"a": 1, "b": 1});
    assert_eq!(complaints(schema(), json!({"a": 1, "b": 2}), Some(old.clone())), [""; 0]);
    assert_eq!(complaints(schema(), json!({"a": 2, "b": 1}), Some(old)).len(), 1);
}

/// What is wrong with a rule of an object, in the answers of kube-apiserver.
fn refusal(rule: &str) -> String {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer"}, "t": {"type": "string"}, "u": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "l": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "o": {"type": "object", "properties": {"p": {"type": "object", "properties": {"x": {"type": "integer"}}}}},
        "m": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "integer"}}}}}});
    let schema = DeclaredType::of_schema(&json!({"properties": {"spec": schema}})).unwrap();
    let scope = RuleScope::of(schema.values().property("spec").unwrap()).unwrap();
    scope.check(&json!({"rule": rule})).problem.unwrap_or_default()
}

#[test]
fn wrong_types_are_refused_where_they_are() {
    for (rule, text) in [
        ("has(self.nosuch)", "1:4: undefined field 'nosuch'\n | has(self.nosuch)\n | ...^"),
        (
            "self.a == 1 && self.l.all(x, x.bad == 1)",
            "1:31: undefined field 'bad'\n | self.a == 1 && self.l.all(x, x.bad == 1)\n | ..............................^",
        ),
        ("foo == 1", "1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"),
        ("self.o.p.q == 1", "1:9: undefined field 'q'\n | self.o.p.q == 1\n | ........^"),
        ("self.m['k'].z == 1", "1:12: undefined field 'z'\n | self.m['k'].z == 1\n | ...........^"),
        ("oldSelf.b > 1", "1:8: undefined field 'b'\n | oldSelf.b > 1\n | .......^"),
        (
            "self.a == 'x'",
            "1:8: found no matching overload for '_==_' applied to '(int, string)'\n | self.a == 'x'\n | .......^",
        ),
        (
            "self.l.exists(x, x.n > y)",
            "1:24: undeclared reference to 'y' (in container '')\n | self.l.exists(x, x.n > y)\n | .......................^",
        ),
        ("self.u.x == 1", "1:7: undefined field 'x'\n | self.u.x == 1\n | ......^"),
        (
            "self.t + 1 == 'x'",
            "1:8: found no matching overload for '_+_' applied to '(string, int)'\n | self.t + 1 == 'x'\n | .......^",
        ),
        ("!self.a", "1:1: found no matching overload for '!_' applied to '(int)'\n | !self.a\n | ^"),
    ] {
        assert_eq!(refusal(rule), format!("compilation failed: ERROR: <input>:{text}"));
    }
    assert_eq!(refusal("self.a"), "cel expression must evaluate to a bool");
    for rule in [
        "self.l.all(x, x.n > 0 && self.l.exists_one(y, y.n == x.n))",
        "self.a < 1.5",
        "'k' in self.m",
        "self.m.all(k, k.startsWith('a'))",
        "self.t.size() > 2 || self.l.map(x, x.n).sum() > 3",
        "quantity(self.t).isLessThan(quantity('1'))",
        "oldSelf == self",
    ] {
        assert_eq!(refusal(rule), "", "{rule}");
    }
}

#[test]
fn rules_see_the_names_of_objects_inside_of_an_object() {
    let schema = || {
        json!({"type": "object", "properties": {"template": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true}}})
    };
    let object =
        |name: &str| json!({"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}});
    let rule = json!({"rule": "self.template.kind == 'Pod' && self.template.metadata.name == 'a'"});
    assert_eq!(complaints(with_rule(schema(), rule.clone()), object("a"), None), [""; 0]);
    assert_eq!(complaints(with_rule(schema(), rule), object("b"), None).len(), 1);
}

#[test]
fn long_rules_are_checked_and_evaluated() {
    let schema = |rule: String| json!({"x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{"rule": rule}]});
    for (rule, text) in [
        (format!("self{} == 1", ".a".repeat(20_000)), "no such key: a"),
        (format!("self{} == 1", " + 1".repeat(10_000)), "failed rule"),
        (format!("[1, 2]{}.size() == 1", ".map(x, x)".repeat(2_000)), "failed rule"),
    ] {
        let found = complaints(schema(rule), json!(1), None);
        assert!(
            found.len() == 1 && found[0].contains(text),
            "{}",
            found[0].chars().take(200).collect::<String>()
        );
    }
}

#[test]
fn expensive_rules_are_ended() {
    let rule = "self.all(a, self.all(b, self.all(c, a == a)))";
    let schema =
        json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [{"rule": rule}]});
    let object: Value = (0..200).collect();
    let text = format!(
        "spec: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules \
         will be run due to call cost exceeds limit for rule: {rule}"
    );
    assert_eq!(complaints(schema, object, None), [text]);
}
