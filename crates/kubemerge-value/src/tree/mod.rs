//! Objects as trees that can be changed: what defaults, preparation and validation work on.
//!
//! A tree lives in an arena, so that it costs one allocation for a whole object and nothing to drop. Maps are
//! sorted vectors: the objects of the API have few fields, and canonical text is sorted too. Strings are
//! borrowed from the text they were read from.
//!
//! Trees share what is the same in both: a map or list that is shared is copied, one level deep, before it changes. So
//! "did this part change?" is mostly a comparison of two addresses ([`Map::is_same_part`]).

mod known;
mod list;
mod map;
mod parts;
mod read;
mod same;
mod share;
mod value_ref;
mod write;

pub use known::KnownParts;
pub use list::List;
pub use map::{Map, TreeField, is_shown};
pub use read::{number, read, read_finding_repeats, read_node, read_noting, read_typed_form};
pub use same::both_or_neither;
pub use value_ref::ValueRef;

use crate::deep;

pub use crate::Arena;

/// A JSON value.
#[derive(Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that was written without a fraction and an exponent.
    Int(i64),
    /// Any other number. One without a fraction is written as an integer: `7.0` as `7`.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// A list.
    List(List<'a>),
    /// A map.
    Map(Map<'a>),
    /// A list or map without items that a client gave. Go does not write it, or writes null: it reads as absent or as
    /// null, and only messages, which print such values, tell it from nothing.
    Omitted(Omitted),
}

/// What was omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// Whether it was a list, or else a map.
    pub is_list: bool,
    /// Whether Go writes `null` in its place.
    pub is_null: bool,
}

impl<'a> Value<'a> {
    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map<'a>> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The map, if it is one, to change it.
    pub fn as_map_mut(&mut self) -> Option<&mut Map<'a>> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List<'a>> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// Whether Go would leave the value out with `omitempty`: null, false, 0, an empty string, list or map.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Null | Value::Bool(false) | Value::Int(0) | Value::Omitted(_) => true,
            Value::Float(number) => *number == 0.0,
            Value::Str(text) => text.is_empty(),
            Value::List(list) => list.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Bool(true) | Value::Int(_) => false,
        }
    }

    /// The tree of a JSON value.
    pub fn of_json(json: &serde_json::Value, arena: &'a Arena) -> Value<'a> {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(truth) => Value::Bool(*truth),
            serde_json::Value::Number(number) => match number.as_i64() {
                // Larger integers are floats, as everywhere in Kubernetes.
                Some(number) => Value::Int(number),
                None => Value::Float(number.as_f64().unwrap_or_default()),
            },
            serde_json::Value::String(text) => Value::Str(arena.alloc_str(text)),
            serde_json::Value::Array(items) => deep(|| {
                let mut list = List::new_in(arena);
                items.iter().for_each(|item| list.push(Value::of_json(item, arena)));
                Value::List(list)
            }),
            serde_json::Value::Object(members) => deep(|| {
                let mut map = Map::with_capacity_in(members.len(), arena);
                for (name, value) in members {
                    map.push_unsorted(arena.alloc_str(name), Value::of_json(value, arena));
                }
                map.sort();
                Value::Map(map)
            }),
        }
    }

    /// Whether lists and maps are nested deeper than `levels`.
    pub fn is_deeper_than(&self, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else {
            return matches!(self, Value::List(_) | Value::Map(_));
        };
        match self {
            Value::List(list) => deep(|| list.iter().any(|item| item.is_deeper_than(below))),
            Value::Map(map) => deep(|| map.iter().any(|(_, value)| value.is_deeper_than(below))),
            _ => false,
        }
    }

    /// The same value for one tree more, without a copy.
    #[must_use]
    pub fn share(&'a self) -> Value<'a> {
        match self {
            Value::List(list) => Value::List(list.share()),
            Value::Map(map) => Value::Map(map.share()),
            scalar => scalar.copy_scalar(),
        }
    }

    /// The same value for one tree more, if its parts are shared already.
    fn share_again(&self) -> Option<Value<'a>> {
        match self {
            Value::List(list) => list.share_again().map(Value::List),
            Value::Map(map) => map.share_again().map(Value::Map),
            scalar => Some(scalar.copy_scalar()),
        }
    }

    /// The same value, whose parts can be shared from now on.
    fn freeze(self) -> Value<'a> {
        match self {
            Value::List(list) => Value::List(list.freeze()),
            Value::Map(map) => Value::Map(map.freeze()),
            scalar => scalar,
        }
    }

    /// A copy of what is neither a list nor a map.
    fn copy_scalar(&self) -> Value<'a> {
        match self {
            Value::Bool(truth) => Value::Bool(*truth),
            Value::Int(number) => Value::Int(*number),
            Value::Float(number) => Value::Float(*number),
            Value::Str(text) => Value::Str(text),
            Value::Omitted(omitted) => Value::Omitted(*omitted),
            Value::Null | Value::List(_) | Value::Map(_) => Value::Null,
        }
    }

    /// A copy in an arena, which may be another one.
    pub fn copy_in<'b>(&self, arena: &'b Arena) -> Value<'b> {
        match self {
            Value::Null => Value::Null,
            Value::Omitted(omitted) => Value::Omitted(*omitted),
            Value::Bool(truth) => Value::Bool(*truth),
            Value::Int(number) => Value::Int(*number),
            Value::Float(number) => Value::Float(*number),
            Value::Str(text) => Value::Str(arena.alloc_str(text)),
            Value::List(list) => deep(|| Value::List(list.copy_in(arena))),
            Value::Map(map) => deep(|| Value::Map(map.copy_in(arena))),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::Str(text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl<'a> From<Map<'a>> for Value<'a> {
    fn from(map: Map<'a>) -> Value<'a> {
        Value::Map(map)
    }
}

impl<'a> From<List<'a>> for Value<'a> {
    fn from(list: List<'a>) -> Value<'a> {
        Value::List(list)
    }
}
