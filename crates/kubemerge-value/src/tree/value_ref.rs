//! Values that are only read: a whole object, which is a map, is one of them like any value inside of it.

use super::{Map, Value};

/// A value of a tree, or a map that is not inside of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'v> {
    /// `null`, or what Go writes as null.
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that was written without a fraction and an exponent.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(&'v str),
    /// A list.
    List(&'v [Value<'v>]),
    /// A map.
    Map(&'v Map<'v>),
}

impl<'v> ValueRef<'v> {
    /// Whether it is null.
    pub fn is_null(self) -> bool {
        matches!(self, ValueRef::Null)
    }

    /// The map, if it is one.
    pub fn as_map(self) -> Option<&'v Map<'v>> {
        match self {
            ValueRef::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(self) -> Option<&'v [Value<'v>]> {
        match self {
            ValueRef::List(list) => Some(list),
            _ => None,
        }
    }
}

impl<'v> From<&'v Value<'_>> for ValueRef<'v> {
    fn from(value: &'v Value<'_>) -> ValueRef<'v> {
        match value {
            Value::Null | Value::Omitted(_) => ValueRef::Null,
            Value::Bool(truth) => ValueRef::Bool(*truth),
            Value::Int(number) => ValueRef::Int(*number),
            Value::Float(number) => ValueRef::Float(*number),
            Value::Str(text) => ValueRef::Str(text),
            Value::List(list) => ValueRef::List(list),
            Value::Map(map) => ValueRef::Map(map),
        }
    }
}

impl<'v> From<&'v Map<'_>> for ValueRef<'v> {
    fn from(map: &'v Map<'_>) -> ValueRef<'v> {
        ValueRef::Map(map)
    }
}
