//! Rules about lists with `x-kubernetes-list-type: map`: their keys, and the items that have them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::collect::{Check, type_of, words};
use super::extension::{LIST_MAP_KEYS, not_nullable};
use super::finding::Violation;
use super::finding::ViolationKind::{Forbidden, Invalid, Required};
use crate::document::{DocumentPath, is_true};

type JsonMap = Map<String, Value>;

/// A list and its keys.
struct KeyedList<'v, 'p> {
    keys: Vec<&'v str>,
    path: &'p DocumentPath<'p>,
}

pub(super) fn check<'v>(check: &mut Check<'v>, map: &'v JsonMap, path: &DocumentPath<'_>) {
    let list = KeyedList { keys: words(map, LIST_MAP_KEYS), path };
    if list.keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        check.violates("list-map-keys-missing", &path.keyword(LIST_MAP_KEYS), Required, detail);
    }
    match check.resolve(map).get("items") {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            check.violates("list-map-items", &path.keyword("items"), Required, detail);
        }
        Some(Value::Array(_)) => {
            let message = "must only have a single schema if x-kubernetes-list-type is map";
            check.broken("list-map-items", &path.keyword("items"), message);
        }
        Some(_) => {
            if let Some(items) = check.items(map) {
                list.check_items(check, items);
            }
        }
    }
}

impl<'v> KeyedList<'v, '_> {
    fn check_repeated(&self, check: &mut Check<'_>) {
        let mut seen = HashSet::new();
        // One finding a repetition: each shows all keys, as Kubernetes does.
        for _ in self.keys.iter().filter(|key| !seen.insert(**key)) {
            if check.is_full() {
                return;
            }
            let detail = "must not contain duplicate entries";
            let path = self.path.keyword(LIST_MAP_KEYS);
            check.violates("list-map-keys-repeated", &path, Invalid(json!(self.keys)), detail);
        }
    }

    fn check_items(&self, check: &mut Check<'v>, items: &'v JsonMap) {
        let path = self.path.keyword("items");
        let is_object = type_of(items) == "object";
        if is_object {
            self.check_repeated(check);
        } else {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            check.violates("list-map-items", &path.keyword("type"), Invalid(json!(type_of(items))), detail);
        }
        not_nullable(check, items, &path, "map");
        let required: HashSet<&str> = words(items, "required").into_iter().collect();
        for key in &self.keys {
            if check.is_full() {
                return;
            }
            let property = items.get("properties").and_then(|properties| properties.get(*key));
            let Some(property) = property.and_then(Value::as_object) else {
                // Items of another type have no names.
                if is_object {
                    self.unknown_key(check, key);
                }
                continue;
            };
            let path = path.keyword("properties");
            let path = path.key(key);
            check_property(check, property, &path);
            // An item without the key would have no identity.
            if !required.contains(key) && !property.contains_key("default") {
                let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a \
                              required property";
                check.violates("list-map-key-optional", &path.keyword("default"), Required, detail);
            }
        }
    }

    fn unknown_key(&self, check: &mut Check<'_>, key: &str) {
        let detail = "entries must all be names of item properties";
        // Kubernetes shows all keys, and users want to know which one is wrong.
        let message = format!("{key:?}: {detail}");
        let violation = Violation { kind: Invalid(json!(self.keys)), detail: detail.to_owned() };
        let path = self.path.keyword(LIST_MAP_KEYS);
        check.violates_as("list-map-key-unknown", &path, violation, message);
    }
}

fn check_property<'v>(check: &mut Check<'v>, property: &'v JsonMap, path: &DocumentPath<'_>) {
    let described = check.resolve(property);
    if matches!(type_of(described), "object" | "array") {
        let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        // Upstream: the message shows the type of the items, not of the key.
        check.violates("list-map-key-scalar", &path.keyword("type"), Invalid(json!("object")), detail);
    }
    if is_true(described, "nullable") {
        let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
        check.violates("list-map-key-nullable", &path.keyword("nullable"), Forbidden, detail);
    }
}
