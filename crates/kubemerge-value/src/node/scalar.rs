//! Scalars and the types of values, as Kubernetes distinguishes them.

use crate::{
    number::{self, Number},
    string::Str,
    text::Text,
};
use serde_json::Value;
use std::hash::{Hash, Hasher};

/// The dynamic type of a value, as Kubernetes distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number that is a 64-bit integer.
    Int,
    /// Any other number.
    Float,
    /// A string.
    String,
    /// A list.
    List,
    /// A map.
    Map,
}

impl Kind {
    /// What Go's decoder calls a value of this kind in its messages.
    pub fn go_name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Int | Kind::Float => "number",
            Kind::String => "string",
            Kind::List => "array",
            Kind::Map => "object",
        }
    }
}

/// A value without parts. Equality is strict: the integer 80 and the float 80.0 differ.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(Str<'a>),
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Scalar::Null, Scalar::Null) => true,
            (Scalar::Bool(one), Scalar::Bool(two)) => one == two,
            (Scalar::Int(one), Scalar::Int(two)) => one == two,
            (Scalar::Float(one), Scalar::Float(two)) => one == two,
            (Scalar::String(one), Scalar::String(two)) => one == two,
            _ => false,
        }
    }
}

// A float in a document is never NaN: the check refuses what has no finite value.
impl Eq for Scalar<'_> {}

impl Hash for Scalar<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Scalar::Null => state.write_u8(0),
            Scalar::Bool(value) => state.write_u8(1 + u8::from(*value)),
            Scalar::Int(value) => state.write_i64(*value),
            // 0.0 and -0.0 are equal and must hash alike.
            Scalar::Float(value) => state.write_u64((value + 0.0).to_bits()),
            Scalar::String(value) => value.hash(state),
        }
    }
}

impl Scalar<'_> {
    /// The dynamic type.
    pub fn kind(&self) -> Kind {
        match self {
            Scalar::Null => Kind::Null,
            Scalar::Bool(_) => Kind::Bool,
            Scalar::Int(_) => Kind::Int,
            Scalar::Float(_) => Kind::Float,
            Scalar::String(_) => Kind::String,
        }
    }
}

#[inline]
pub(super) fn kind_of_text(text: Text<'_>) -> Kind {
    match text.first() {
        b'{' => Kind::Map,
        b'[' => Kind::List,
        b'"' => Kind::String,
        b't' | b'f' => Kind::Bool,
        b'n' => Kind::Null,
        _ if number::is_int(text.bytes) => Kind::Int,
        _ => Kind::Float,
    }
}

pub(super) fn kind_of_value(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(number) if number.is_i64() => Kind::Int,
        Value::Number(_) => Kind::Float,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::List,
        Value::Object(_) => Kind::Map,
    }
}

#[inline]
pub(super) fn scalar_of_text(text: Text<'_>) -> Option<Scalar<'_>> {
    Some(match text.first() {
        b'{' | b'[' => return None,
        b'"' => Scalar::String(text.string()),
        b't' => Scalar::Bool(true),
        b'f' => Scalar::Bool(false),
        b'n' => Scalar::Null,
        _ => match number::decode(text.bytes) {
            Number::Int(int) => Scalar::Int(int),
            Number::Float(float) => Scalar::Float(float),
        },
    })
}

pub(super) fn scalar_of_value(value: &Value) -> Option<Scalar<'_>> {
    Some(match value {
        Value::Null => Scalar::Null,
        Value::Bool(value) => Scalar::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(int) => Scalar::Int(int),
            // u64 beyond i64 is a float, as in Go's decoder for interface values.
            None => Scalar::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Scalar::String(Str::plain(text)),
        Value::Array(_) | Value::Object(_) => return None,
    })
}
