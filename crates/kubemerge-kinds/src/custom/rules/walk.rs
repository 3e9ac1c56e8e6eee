//! Evaluates rules on an object and the one that it replaces.
//!
//! Old values are found by names in maps and by keys in lists. What was wrong before and is unchanged passes where that
//! is wanted, unless the rule is about the change itself.

use kubemerge_cel::value::CelValue;
use kubemerge_schema::ValueType;
use kubemerge_value::deep;

use super::{
    super::{
        correlation::{Correlated, OldItems},
        validate::bad_value,
    },
    node::RuleNode,
    rule::{MAX_OBJECT_COST, Verdict},
    values::value_of,
};
use crate::{
    field::BadValue,
    field_error::{FieldError, has_enough},
    tree::{Value, ValueRef},
};

/// Whether what was wrong before and is unchanged passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ratcheting {
    On,
    Off,
}

/// The rules that an object of a type breaks; `base` precedes the paths of errors.
pub(crate) fn check(
    node: &RuleNode,
    schema: ValueType<'_>,
    object: ValueRef<'_>,
    old: Option<ValueRef<'_>>,
    ratcheting: Ratcheting,
    base: &str,
) -> Vec<FieldError> {
    let root = old.filter(|_| ratcheting == Ratcheting::On).map(|old| Correlated::new(object, old, schema));
    let mut found = Found { errors: Vec::new(), budget: MAX_OBJECT_COST, is_over: false };
    let place = Place { schema, path: base, old, ratchet: Ratchet { current: root.as_ref(), nearest: None } };
    walk(node, object, place, &mut found);
    found.errors
}

/// What was found so far.
struct Found {
    errors: Vec<FieldError>,
    /// What the rules of the object may still cost.
    budget: u64,
    /// Whether no further rules are evaluated.
    is_over: bool,
}

/// A place in the object, and what is known about it.
#[derive(Clone, Copy)]
struct Place<'p, 'v> {
    /// A type of the graph that the types of nodes are in.
    schema: ValueType<'p>,
    path: &'p str,
    old: Option<ValueRef<'p>>,
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

fn walk(node: &RuleNode, value: ValueRef<'_>, place: Place<'_, '_>, found: &mut Found) {
    // Rules are about values: null is none.
    if value.is_null() || found.is_over || has_enough(&found.errors) {
        return;
    }
    if !node.rules.is_empty() {
        evaluate(node, value, place, found);
    }
    deep(|| match value {
        ValueRef::List(list) => walk_list(node, list, place, found),
        ValueRef::Map(map) => {
            for (name, value) in map.iter() {
                if let Some(child) = node.additional.as_deref() {
                    walk_member(child, name, value, place, &format!("{}[{name}]", place.path), found);
                }
                if let Some(child) = node.properties.get(name) {
                    let path = super::super::list_type::child(place.path, name);
                    walk_member(child, name, value, place, &path, found);
                }
            }
        }
        _ => {}
    });
}

fn walk_member(
    node: &RuleNode,
    name: &str,
    value: &Value<'_>,
    place: Place<'_, '_>,
    path: &str,
    found: &mut Found,
) {
    let Ratchet { current, nearest } = place.ratchet;
    let is_type = nearest.is_none() && matches!(name, "apiVersion" | "kind");
    let child = current.filter(|_| !is_type).and_then(|node| node.key(name));
    let ratchet = match current {
        None => place.ratchet,
        // Versions are converted before they are compared.
        Some(_) if is_type => Ratchet { current: None, nearest: None },
        Some(_) => Ratchet { current: child.as_ref(), nearest: current },
    };
    let old = place.old.and_then(|old| old.as_map()?.get(name)).map(ValueRef::from);
    walk(node, value.into(), Place { path, old, ratchet, ..place }, found);
}

fn walk_list(node: &RuleNode, list: &[Value<'_>], place: Place<'_, '_>, found: &mut Found) {
    let Some(child) = node.items.as_deref() else { return };
    let old_items = OldItems::of(place.old, place.schema.at(node.schema));
    for (at, item) in list.iter().enumerate() {
        let current = place.ratchet.current;
        let correlated = current.and_then(|node| node.index(at));
        let ratchet = match current {
            None => place.ratchet,
            Some(_) => Ratchet { current: correlated.as_ref(), nearest: current },
        };
        let path = format!("{}[{at}]", place.path);
        let old = old_items.get(item).map(ValueRef::from);
        walk(child, item.into(), Place { path: &path, old, ratchet, ..place }, found);
    }
}

fn evaluate(node: &RuleNode, value: ValueRef<'_>, place: Place<'_, '_>, found: &mut Found) {
    let schema = place.schema.at(node.schema);
    let own = value_of(value, schema);
    let old = place.old.filter(|old| !old.is_null()).map(|old| value_of(old, schema));
    let old_or_none = CelValue::optional(old.clone());
    // Messages can use the old value only where a rule does.
    let shows_old = node.rules.iter().flatten().any(|rule| rule.uses_old_self);
    let field = || if place.path.is_empty() { "<nil>".to_string() } else { place.path.to_string() };
    let failed = |detail: &str| {
        let kind = schema.only_type().unwrap_or_default();
        FieldError::invalid_as(field(), BadValue::from(kind), detail)
    };
    for rule in &node.rules {
        let rule = match rule {
            Ok(rule) => rule,
            Err(problem) => {
                found.errors.push(failed(&format!("rule compile error: {problem}")));
                continue;
            }
        };
        if rule.uses_old_self && old.is_none() && !rule.is_optional {
            continue;
        }
        // The old value is itself, or an optional one.
        let old = if rule.is_optional { Some(&old_or_none) } else { old.as_ref() };
        let old = old.filter(|_| shows_old).map(|old| ("oldSelf", old));
        let variables: Vec<_> = [("self", &own)].into_iter().chain(old).collect();
        match rule.evaluate(&variables, &mut found.budget) {
            Verdict::Satisfied => {}
            Verdict::Failed(detail) => found.errors.push(failed(&detail)),
            Verdict::TooExpensive(detail) => {
                found.errors.push(failed(&detail));
                found.is_over = true;
                return;
            }
            Verdict::Broken(_) if !rule.uses_old_self && place.ratchet.is_unchanged() => {}
            Verdict::Broken(detail) => {
                let is_whole = matches!(schema.only_type(), Some("object" | "array"));
                found.errors.push(rule.error(place.path, (!is_whole).then(|| bad_value(value)), detail));
            }
        }
    }
}
