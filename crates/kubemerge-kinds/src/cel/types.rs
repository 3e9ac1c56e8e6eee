//! Types of values in CEL.

use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Null,
    Timestamp,
    Duration,
    /// The type of types.
    OfTypes,
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// A type that has a name, and perhaps fields.
    Named(String),
}

impl Type {
    pub(crate) fn list(item: Type) -> Type {
        Type::List(Box::new(item))
    }

    pub(crate) fn map(value: Type) -> Type {
        Type::Map(Box::new(Type::String), Box::new(value))
    }

    pub(crate) fn named(name: &str) -> Type {
        Type::Named(name.to_owned())
    }

    /// Whether a value of one type may be where the other is expected; what is only known later may be.
    pub(super) fn fits(&self, expected: &Type) -> bool {
        match (self, expected) {
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::List(one), Type::List(other)) => one.fits(other),
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                key.fits(other_key) && value.fits(other_value)
            }
            _ => self == expected,
        }
    }
}

impl Type {
    /// The name as the type of a result is told, which differs for some from that in other messages.
    pub(super) fn result_name(&self) -> String {
        match self {
            Type::Null => "null_type".to_owned(),
            Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Type::Duration => "google.protobuf.Duration".to_owned(),
            Type::List(item) => format!("list({})", item.result_name()),
            Type::Map(key, value) => format!("map({}, {})", key.result_name(), value.result_name()),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dyn => f.write_str("dyn"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Null => f.write_str("null"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Duration => f.write_str("duration"),
            Type::OfTypes => f.write_str("type"),
            Type::List(item) => write!(f, "list({item})"),
            Type::Map(key, value) => write!(f, "map({key}, {value})"),
            Type::Named(name) => f.write_str(name),
        }
    }
}
