//! Types of values in CEL.

use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any type: known only when the expression runs.
    Dyn,
    /// That of a part that is wrong, which fits everywhere so that one mistake is told once.
    Error,
    /// `true` and `false`.
    Bool,
    /// Integers of 64 bits.
    Int,
    /// Integers of 64 bits without a sign.
    Uint,
    /// Floating point numbers.
    Double,
    /// Texts.
    String,
    /// Bytes.
    Bytes,
    /// `null`.
    Null,
    /// Points in time.
    Timestamp,
    /// Spans of time.
    Duration,
    /// A type that is found out from how the value is used.
    Param(u32),
    /// The type of types; of one type if that is known.
    OfTypes(Option<Box<Type>>),
    /// Lists of a type.
    List(Box<Type>),
    /// Maps by the types of keys and values.
    Map(Box<Type>, Box<Type>),
    /// A value that may be absent.
    Optional(Box<Type>),
    /// A type that has a name, and perhaps fields.
    Named(String),
}

/// Types of Kubernetes' libraries that are no objects: they have no fields at all.
const OPAQUE: [&str; 2] = ["net.IP", "net.CIDR"];

impl Type {
    /// A list of a type.
    pub fn list(item: Type) -> Type {
        Type::List(Box::new(item))
    }

    /// A map from strings to a type.
    pub fn map(value: Type) -> Type {
        Type::map_of(Type::String, value)
    }

    /// A value of a type that may be absent.
    pub fn optional(value: Type) -> Type {
        Type::Optional(Box::new(value))
    }

    /// A type with a name.
    pub fn named(name: &str) -> Type {
        Type::Named(name.to_owned())
    }

    pub(super) fn map_of(key: Type, value: Type) -> Type {
        Type::Map(Box::new(key), Box::new(value))
    }

    /// The type of a type.
    pub(super) fn of_type(of: Type) -> Type {
        Type::OfTypes(Some(Box::new(of)))
    }

    pub(super) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Type::Dyn | Type::Error)
    }

    /// Whether it is an object, with fields or without.
    pub(super) fn is_object(&self) -> bool {
        matches!(self, Type::Named(name) if !OPAQUE.contains(&name.as_str()))
    }

    /// Whether null may be where it is expected.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(
            self,
            Type::Null | Type::Named(_) | Type::Optional(_) | Type::Duration | Type::Timestamp | Type::Dyn
        )
    }

    /// The types that it is made from.
    pub(super) fn parameters(&self) -> Vec<&Type> {
        match self {
            Type::List(of) | Type::Optional(of) | Type::OfTypes(Some(of)) => vec![of],
            Type::Map(key, value) => vec![key, value],
            _ => Vec::new(),
        }
    }

    /// The same type with other types in the places of those that it is made from.
    pub(super) fn with_parameters(&self, change: &mut impl FnMut(&Type) -> Type) -> Type {
        match self {
            Type::List(of) => Type::list(change(of)),
            Type::Optional(of) => Type::optional(change(of)),
            Type::OfTypes(Some(of)) => Type::of_type(change(of)),
            Type::Map(key, value) => Type::map_of(change(key), change(value)),
            other => other.clone(),
        }
    }

    /// The name as the type of a result is told, which differs for some from that in other messages.
    pub(super) fn result_name(&self) -> String {
        match self {
            Type::Null => "null_type".to_owned(),
            Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Type::Duration => "google.protobuf.Duration".to_owned(),
            Type::List(item) => format!("list({})", item.result_name()),
            Type::Map(key, value) => format!("map({}, {})", key.result_name(), value.result_name()),
            Type::Optional(of) => format!("optional_type({})", of.result_name()),
            Type::OfTypes(Some(of)) => format!("type({})", of.result_name()),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dyn => f.write_str("dyn"),
            Type::Error => f.write_str("!error!"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Null => f.write_str("null"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Duration => f.write_str("duration"),
            Type::Param(number) => write!(f, "_var{number}"),
            Type::OfTypes(None) => f.write_str("type"),
            Type::OfTypes(Some(of)) => write!(f, "type({of})"),
            Type::List(item) => write!(f, "list({item})"),
            Type::Map(key, value) => write!(f, "map({key}, {value})"),
            Type::Optional(of) => write!(f, "optional_type({of})"),
            Type::Named(name) => f.write_str(name),
        }
    }
}
