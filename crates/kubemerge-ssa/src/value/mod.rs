//! Values as the typed operations walk them: views of trees.
//!
//! A [`ParsedValue`] is a small `Copy` view of a value of a [tree](kubemerge_value::tree). Maps are sorted by name, so
//! that two maps, or a map and the fields of a type, are compared in one pass, and field sets come out in order. Absent,
//! null and empty are three different things: absent is `None` of an `Option<ParsedValue>`, and a list or map that a
//! client gave empty is that, though it is stored as null.

mod display;
mod order;
mod parse;
mod parts;
mod read;
mod write;

pub(crate) use display::write_float_v;
use kubemerge_value::part::item_at_mut;
pub(crate) use kubemerge_value::write::go_quoted;
pub use parts::{Items, Member, Members};
pub use read::ReadError;
pub(crate) use write::write_label_value;

pub use kubemerge_value::Arena;
use kubemerge_value::tree::{List, Map, TreeField, Value};

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub enum ParsedValue<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(&'a str),
    /// A list.
    List(Items<'a>),
    /// A map, sorted by name, each name once.
    Map(Members<'a>),
}

impl<'a> ParsedValue<'a> {
    /// A map without members.
    pub const EMPTY_MAP: ParsedValue<'static> = ParsedValue::Map(Members::EMPTY);
    /// A list without items.
    pub const EMPTY_LIST: ParsedValue<'static> = ParsedValue::List(Items::EMPTY);

    /// The view of a value of a tree.
    #[inline]
    #[must_use]
    pub fn of(value: &'a Value<'a>) -> ParsedValue<'a> {
        match value {
            Value::Null => ParsedValue::Null,
            Value::Omitted(omitted) if omitted.is_list => ParsedValue::EMPTY_LIST,
            Value::Omitted(_) => ParsedValue::EMPTY_MAP,
            Value::Bool(truth) => ParsedValue::Bool(*truth),
            Value::Int(number) => ParsedValue::Int(*number),
            Value::Float(number) => ParsedValue::Float(*number),
            Value::Str(text) => ParsedValue::String(text),
            Value::List(list) => ParsedValue::List(Items::of(list)),
            Value::Map(map) => ParsedValue::of_map(map),
        }
    }

    /// The view of a map of a tree.
    #[inline]
    #[must_use]
    pub fn of_map(map: &'a Map<'a>) -> ParsedValue<'a> {
        ParsedValue::Map(Members::of(map.fields()))
    }

    /// A map of these fields, which are sorted.
    pub(crate) fn map_of(fields: bumpalo::collections::Vec<'a, TreeField<'a>>) -> ParsedValue<'a> {
        ParsedValue::Map(Members::of(fields.into_bump_slice()))
    }

    /// A list of these items.
    pub(crate) fn list_of(items: bumpalo::collections::Vec<'a, Value<'a>>) -> ParsedValue<'a> {
        ParsedValue::List(Items::of(items.into_bump_slice()))
    }

    /// The value for a tree, which shares what is inside.
    #[inline]
    pub fn to_value(self, arena: &'a Arena) -> Value<'a> {
        match self {
            ParsedValue::Null => Value::Null,
            ParsedValue::Bool(truth) => Value::Bool(truth),
            ParsedValue::Int(number) => Value::Int(number),
            ParsedValue::Float(number) => Value::Float(number),
            ParsedValue::String(text) => Value::Str(text),
            ParsedValue::List(items) => Value::List(List::of_slice(items.values(), arena)),
            ParsedValue::Map(members) => Value::Map(Map::of_slice(members.fields(), arena)),
        }
    }

    /// The value as a field of a map.
    #[inline]
    pub(crate) fn named(self, name: &'a str, arena: &'a Arena) -> TreeField<'a> {
        (name, self.to_value(arena))
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self, ParsedValue::Null)
    }

    /// Whether the value is neither null nor a list nor a map.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        matches!(
            self,
            ParsedValue::Bool(_) | ParsedValue::Int(_) | ParsedValue::Float(_) | ParsedValue::String(_)
        )
    }

    /// The members of a map; `None` for other values.
    #[must_use]
    pub fn members(self) -> Option<Members<'a>> {
        match self {
            ParsedValue::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The items of a list; `None` for other values.
    #[must_use]
    pub fn items(self) -> Option<Items<'a>> {
        match self {
            ParsedValue::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a string; `None` for other values.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            ParsedValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member of a map with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<ParsedValue<'a>> {
        self.members()?.get(name)
    }

    /// The value at the end of these names.
    #[must_use]
    pub fn at(self, names: &[&str]) -> Option<ParsedValue<'a>> {
        names.iter().try_fold(self, |value, name| value.get(name))
    }

    /// Whether both are the same part of one tree, which proves them equal without a look inside.
    pub(crate) fn is_same_part(self, other: ParsedValue<'_>) -> bool {
        // Addresses: equal content elsewhere does not count.
        match (self, other) {
            (ParsedValue::Map(one), ParsedValue::Map(two)) => one.is_same_part(two),
            (ParsedValue::List(one), ParsedValue::List(two)) => one.is_same_part(two),
            _ => false,
        }
    }

    /// The map with one member set to another value, added if it is not there.
    #[must_use]
    pub fn with_member(self, name: &'a str, value: ParsedValue<'a>, arena: &'a Arena) -> ParsedValue<'a> {
        let mut fields = self.members().unwrap_or_default().copied_in(arena);
        match fields.binary_search_by(|(known, _)| (*known).cmp(name)) {
            Ok(found) => item_at_mut(&mut fields, found).1 = value.to_value(arena),
            Err(place) => fields.insert(place, value.named(name, arena)),
        }
        ParsedValue::map_of(fields)
    }

    /// The map without one member.
    #[must_use]
    pub fn without_member(self, name: &str, arena: &'a Arena) -> ParsedValue<'a> {
        match self.members() {
            Some(members) if self.get(name).is_some() => {
                let mut fields = members.copied_in(arena);
                fields.retain(|(known, _)| *known != name);
                ParsedValue::map_of(fields)
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_value::tree::{Omitted, read_typed_form};

    use super::*;

    /// What a client gave empty is owned, though it is stored as null or not at all.
    #[test]
    fn values_are_seen_as_they_were_given() {
        let arena = Arena::new();
        let Value::Map(mut tree) = read_typed_form(&arena, r#"{"a":[7.0,{"x":null}],"z":"t"}"#) else {
            panic!("a map")
        };
        tree.set("b", Value::Omitted(Omitted { is_list: true, is_null: true }));
        tree.set("c", Value::Omitted(Omitted { is_list: false, is_null: true }));
        tree.set("hidden", Value::Omitted(Omitted { is_list: true, is_null: false }));
        let seen = ParsedValue::of_map(&tree);
        let mut given = Vec::new();
        Value::Map(tree.copy_in(&arena)).append_as_given(&mut given);
        assert_eq!(given, br#"{"a":[7,{"x":null}],"b":[],"c":{},"z":"t"}"#);
        assert_eq!(seen.to_json(), given);
        assert_eq!(seen, ParsedValue::parse(&given, &arena).unwrap());
        assert!(seen.get("hidden").is_none() && seen.members().map(Members::len) == Some(4));
        let back = seen.to_value(&arena);
        assert!(ParsedValue::of(&back).is_same_part(seen));
    }
}
