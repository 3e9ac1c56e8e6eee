//! Evaluates rules on an object and the one that it replaces.
//!
//! Old values are found by names in maps and by keys in lists. What was wrong before and is unchanged passes, unless the
//! rule is about the change itself.

use kube_cel::cel::Context;
use serde_json::Value;

use super::{
    super::{
        correlation::{Correlated, OldItems},
        validate::bad_value,
    },
    environment::{optional, scope},
    node::RuleNode,
    rule::Verdict,
    values::value_of,
};
use crate::{
    field::BadValue,
    field_error::{FieldError, has_enough},
};

/// The rules that an object breaks; `base` precedes the paths of errors.
pub(crate) fn check(node: &RuleNode, object: &Value, old: Option<&Value>, base: &str) -> Vec<FieldError> {
    let root = old.map(|old| Correlated::new(object, old, &node.schema));
    let mut errors = Vec::new();
    let place = Place { path: base, old, ratchet: Ratchet { current: root.as_ref(), nearest: None } };
    walk(node, object, place, &mut errors);
    errors
}

/// A place in the object, and what is known about it.
#[derive(Clone, Copy)]
struct Place<'p, 'v> {
    path: &'p str,
    old: Option<&'p Value>,
    ratchet: Ratchet<'p, 'v>,
}

/// How it is found out whether a value is unchanged.
#[derive(Clone, Copy)]
struct Ratchet<'p, 'v> {
    /// The value with the one that it replaces.
    current: Option<&'p Correlated<'v>>,
    /// The nearest value above that has one to compare with.
    nearest: Option<&'p Correlated<'v>>,
}

impl Ratchet<'_, '_> {
    fn is_unchanged(self) -> bool {
        self.current.or(self.nearest).is_some_and(Correlated::is_unchanged)
    }
}

fn walk(node: &RuleNode, value: &Value, place: Place<'_, '_>, errors: &mut Vec<FieldError>) {
    // Rules are about values: null is none.
    if value.is_null() || has_enough(errors) {
        return;
    }
    if !node.rules.is_empty() {
        evaluate(node, value, place, errors);
    }
    match value {
        Value::Array(list) => walk_list(node, list, place, errors),
        Value::Object(map) => {
            for (name, value) in map {
                if let Some(child) = node.additional.as_deref() {
                    walk_member(child, name, value, place, &format!("{}[{name}]", place.path), errors);
                }
                if let Some(child) = node.properties.get(name) {
                    let path = super::super::list_type::child(place.path, name);
                    walk_member(child, name, value, place, &path, errors);
                }
            }
        }
        _ => {}
    }
}

fn walk_member(
    node: &RuleNode,
    name: &str,
    value: &Value,
    place: Place<'_, '_>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let Ratchet { current, nearest } = place.ratchet;
    // Only those of the object itself, not of one inside it.
    let is_type = nearest.is_none() && matches!(name, "apiVersion" | "kind");
    let child = current.filter(|_| !is_type).and_then(|node| node.key(name));
    let ratchet = match current {
        None => place.ratchet,
        // Versions are converted before they are compared.
        Some(_) if is_type => Ratchet { current: None, nearest: None },
        Some(_) => Ratchet { current: child.as_ref(), nearest: current },
    };
    let old = place.old.and_then(|old| old.get(name));
    walk(node, value, Place { path, old, ratchet }, errors);
}

fn walk_list(node: &RuleNode, list: &[Value], place: Place<'_, '_>, errors: &mut Vec<FieldError>) {
    let Some(child) = node.items.as_deref() else { return };
    let old_items = OldItems::of(place.old, &node.schema);
    for (at, item) in list.iter().enumerate() {
        let current = place.ratchet.current;
        let correlated = current.and_then(|node| node.index(at));
        let ratchet = match current {
            None => place.ratchet,
            Some(_) => Ratchet { current: correlated.as_ref(), nearest: current },
        };
        let path = format!("{}[{at}]", place.path);
        walk(child, item, Place { path: &path, old: old_items.get(item), ratchet }, errors);
    }
}

fn evaluate(node: &RuleNode, value: &Value, place: Place<'_, '_>, errors: &mut Vec<FieldError>) {
    let mut scope = scope();
    scope.add_variable_from_value("self", value_of(value, &node.schema));
    let old = place.old.filter(|old| !old.is_null()).map(|old| value_of(old, &node.schema));
    // Two scopes: in one the old value is itself, in the other it is an optional one.
    let mut optional_scope: Context<'_> = scope.new_inner_scope();
    optional_scope.add_variable_from_value("oldSelf", optional(old.clone()));
    let mut plain_scope: Context<'_> = scope.new_inner_scope();
    if let Some(old) = &old {
        plain_scope.add_variable_from_value("oldSelf", old.clone());
    }
    let field = || if place.path.is_empty() { "<nil>".to_string() } else { place.path.to_string() };
    for rule in &node.rules {
        // A rule about changes has nothing to say about a new value.
        if rule.uses_old_self && old.is_none() && !rule.is_optional {
            continue;
        }
        let scope = if rule.is_optional { &optional_scope } else { &plain_scope };
        match rule.evaluate(scope) {
            Verdict::Satisfied => {}
            Verdict::Failed(detail) => {
                let kind = node.schema.only_type().unwrap_or_default();
                errors.push(FieldError::invalid_as(field(), BadValue::from(kind), &detail));
            }
            // Ratcheting: what was stored before a rule existed may stay.
            Verdict::Broken(_) if !rule.uses_old_self && place.ratchet.is_unchanged() => {}
            Verdict::Broken(detail) => {
                let is_whole = matches!(node.schema.only_type(), Some("object" | "array"));
                errors.push(rule.error(place.path, (!is_whole).then(|| bad_value(value)), detail));
            }
        }
    }
}
