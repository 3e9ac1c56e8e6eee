//! The cursor that validation walks an object with, and what it reports.
//!
//! A [`Field`] is a small `Copy` value: a place in the object, its path, and where errors go. A field that the
//! object does not have is a cursor too: it reads as empty, and errors about it have its path.

mod bad_value;
mod checks;
mod diff;
mod error;
mod internal;
mod report;

pub use bad_value::BadValue;
pub use diff::unified_diff;
pub use error::{FieldError, FieldErrorKind};
pub use internal::{internal_json, internal_pretty};
pub use report::Report;

use std::fmt::Write;

use crate::tree::{Map, Value, both_or_neither};
use crate::typed::Quantity;

/// A place in an object.
#[derive(Clone, Copy)]
#[must_use]
pub struct Field<'t> {
    value: Option<&'t Value<'t>>,
    /// The object itself, at the root.
    root: Option<&'t Map<'t>>,
    path: Option<&'t PathNode<'t>>,
    report: &'t Report,
    source: RuleSource,
}

/// Where Kubernetes has a rule.
#[derive(Clone, Copy)]
pub(super) enum RuleSource {
    /// In code.
    Written,
    /// In tags of the type: these rules run after all others.
    Declared,
}

/// A step of a path; the steps before it are linked.
struct PathNode<'t> {
    before: Option<&'t PathNode<'t>>,
    step: FieldStep<'t>,
}

#[derive(Clone, Copy)]
enum FieldStep<'t> {
    Name(&'t str),
    Index(usize),
    Key(&'t str),
}

impl<'t> Field<'t> {
    /// The cursor at the root of an object.
    pub fn root(object: &'t Map<'t>, report: &'t Report) -> Field<'t> {
        Field { value: None, root: Some(object), path: None, report, source: RuleSource::Written }
    }

    /// The same place with a name in front of its path: for checks of a part of an object.
    pub fn placed(self, name: &'t str) -> Field<'t> {
        let path = self.report.arena().alloc(PathNode { before: None, step: FieldStep::Name(name) });
        Field { path: Some(path), ..self }
    }

    /// The same place for rules that Kubernetes declares in tags of its types: their errors come after all others.
    pub fn declared(self) -> Field<'t> {
        Field { source: RuleSource::Declared, ..self }
    }

    /// A field that is not there: the old object of one that is created.
    pub fn absent(self) -> Field<'t> {
        Field { value: None, root: None, ..self }
    }

    fn below(self, value: Option<&'t Value<'t>>, step: FieldStep<'t>) -> Field<'t> {
        let path = self.report.arena().alloc(PathNode { before: self.path, step });
        Field { value, root: None, path: Some(path), ..self }
    }

    /// A field of a map.
    #[inline]
    pub fn field(self, name: &'t str) -> Field<'t> {
        self.below(self.map().and_then(|map| map.get_raw(name)), FieldStep::Name(name))
    }

    /// A field of a field: `field("spec").field("ports")` for `["spec", "ports"]`.
    pub fn fields<const N: usize>(self, names: [&'t str; N]) -> Field<'t> {
        names.into_iter().fold(self, Field::field)
    }

    /// The items of a list.
    pub fn items(self) -> impl Iterator<Item = Field<'t>> {
        let items = self.value.and_then(Value::as_list).map_or(&[][..], |list| list);
        items.iter().enumerate().map(move |(index, item)| self.below(Some(item), FieldStep::Index(index)))
    }

    /// An item of a list, or the place where it would be.
    pub fn index(self, index: usize) -> Field<'t> {
        let item = self.value.and_then(Value::as_list).and_then(|list| list.get(index));
        self.below(item, FieldStep::Index(index))
    }

    /// The entries of a map with free keys; paths are `data[key]`.
    pub fn entries(self) -> impl Iterator<Item = (&'t str, Field<'t>)> {
        let entries = self.map().into_iter().flat_map(Map::iter);
        entries.map(move |(name, value)| (name, self.below(Some(value), FieldStep::Key(name))))
    }

    /// The value at a free key, or the place where it would be; the path is `data[key]`.
    pub fn key(self, key: &'t str) -> Field<'t> {
        self.below(self.map().and_then(|map| map.get(key)), FieldStep::Key(key))
    }

    /// The value at a free key that was put together for the occasion.
    pub fn key_owned(self, key: &str) -> Field<'t> {
        self.key(self.report.arena().alloc_str(key))
    }

    /// A field whose name was put together for the occasion.
    pub fn field_owned(self, name: &str) -> Field<'t> {
        self.field(self.report.arena().alloc_str(name))
    }

    /// The same value under a path whose last name is another one.
    pub fn renamed(self, name: &'t str) -> Field<'t> {
        let before = self.path.and_then(|path| path.before);
        let path = self.report.arena().alloc(PathNode { before, step: FieldStep::Name(name) });
        Field { path: Some(path), ..self }
    }

    /// The same value under another path: where Kubernetes reports an error elsewhere.
    pub fn reported_at(self, place: Field<'t>) -> Field<'t> {
        Field { path: place.path, ..self }
    }

    /// The same value under the empty path that Kubernetes reports some sums with.
    pub fn reported_at_nothing(self) -> Field<'t> {
        let path = self.report.arena().alloc(PathNode { before: None, step: FieldStep::Key("") });
        Field { path: Some(path), ..self }
    }

    /// Another value under the same path, e.g. that of the stored object.
    pub fn with_value_of(self, other: Field<'t>) -> Field<'t> {
        Field { value: other.value, root: other.root, ..self }
    }

    /// A copy of another value under the same path: for rules that validate a changed form of the object.
    pub fn with_copy_of(self, value: &Value<'_>) -> Field<'t> {
        let arena = self.report.arena();
        Field { value: Some(arena.alloc(value.copy_in(arena))), root: None, ..self }
    }

    /// The value, if there is one that is not null.
    pub fn value(self) -> Option<&'t Value<'t>> {
        self.value.filter(|value| !matches!(value, Value::Null | Value::Omitted(_)))
    }

    /// The map, if it is one.
    pub fn map(self) -> Option<&'t Map<'t>> {
        self.root.or_else(|| self.value.and_then(Value::as_map))
    }

    /// Whether there is a value that is not null: what Go sees as a pointer that is not nil.
    pub fn is_set(self) -> bool {
        self.root.is_some() || self.value().is_some()
    }

    /// Whether there is a value that is not null, be it an empty list or map: what Go sees as a slice that is not nil.
    pub fn is_given(self) -> bool {
        self.is_set() || matches!(self.value, Some(Value::Omitted(_)))
    }

    /// Whether a map has a field that is not null: quicker than `field(name).is_set()`.
    #[inline]
    pub fn has(self, name: &str) -> bool {
        self.map().and_then(|map| map.get(name)).is_some_and(|value| !matches!(value, Value::Null))
    }

    /// Whether the value is absent, null, false, 0 or empty.
    pub fn is_empty(self) -> bool {
        self.root.is_none() && self.value.is_none_or(Value::is_empty)
    }

    /// The string; empty if it is absent.
    pub fn str(self) -> &'t str {
        self.value.and_then(Value::as_str).unwrap_or_default()
    }

    /// The integer; 0 if it is absent.
    pub fn int(self) -> i64 {
        self.opt_int().unwrap_or_default()
    }

    /// The integer, if there is one.
    pub fn opt_int(self) -> Option<i64> {
        self.value.and_then(Value::as_int)
    }

    /// The boolean; false if it is absent.
    pub fn bool(self) -> bool {
        self.opt_bool().unwrap_or_default()
    }

    /// The boolean, if there is one.
    pub fn opt_bool(self) -> Option<bool> {
        self.value.and_then(Value::as_bool)
    }

    /// How many items or entries there are.
    pub fn len(self) -> usize {
        match self.value {
            Some(Value::List(list)) => list.len(),
            _ => self.map().map_or(0, Map::len),
        }
    }

    /// The quantity; zero if it is absent.
    pub fn quantity(self) -> Quantity<'t> {
        Quantity::of(self.str())
    }

    /// Whether both hold the same value, or neither holds one.
    pub fn same_as(self, other: Field<'_>) -> bool {
        match (self.root, other.root) {
            (Some(one), Some(other)) => one.same_in_go(other),
            _ => both_or_neither(self.value(), other.value(), Value::same_in_go),
        }
    }

    /// The minor version of Kubernetes: 37 for 1.37.
    pub fn minor(self) -> u32 {
        self.report.minor()
    }

    /// Whether the version of Kubernetes is this one or a later one.
    pub fn since(self, minor: u32) -> bool {
        self.report.minor() >= minor
    }

    /// The path as Kubernetes writes it: `spec.ports[0].name`, `data[key]`.
    pub fn path(self) -> String {
        let mut text = String::new();
        write_path(self.path, &mut text);
        if self.path.is_none() { "<nil>".to_owned() } else { text }
    }

    fn add(self, kind: FieldErrorKind, bad_value: Option<BadValue>, detail: impl Into<String>) {
        if !self.report.is_full() {
            let error = FieldError { kind, field: self.path(), bad_value, detail: detail.into() };
            self.report.add(error, self.source);
        }
    }

    /// Reports an error that was found by other means, with the path that it has.
    pub fn report(self, error: FieldError) {
        if !self.report.is_full() {
            self.report.add(error, self.source);
        }
    }

    /// The value as messages print it, and null where there is none.
    pub fn bad_value(self) -> BadValue {
        self.value.map_or_else(BadValue::null, BadValue::from)
    }

    fn own_value(self) -> BadValue {
        match (self.value, self.root) {
            // The error will be left out, so its value need not be printed.
            _ if self.report.is_full() => BadValue::null(),
            (Some(value), _) => BadValue::from(value),
            (None, Some(map)) => BadValue::from(map),
            // Most fields are strings, and Go's zero string is empty.
            (None, None) => BadValue::from(""),
        }
    }

    /// How many errors were reported so far, to see whether a check found any.
    pub fn errors_so_far(self) -> usize {
        self.report.len()
    }
}

fn write_path(path: Option<&PathNode<'_>>, text: &mut String) {
    let Some(node) = path else { return };
    write_path(node.before, text);
    // Writing to a string cannot fail.
    let _ = match node.step {
        FieldStep::Name(name) if text.is_empty() => write!(text, "{name}"),
        FieldStep::Name(name) => write!(text, ".{name}"),
        FieldStep::Index(index) => write!(text, "[{index}]"),
        FieldStep::Key(key) => write!(text, "[{key}]"),
    };
}
