//! Types of values in CEL.

use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CelType {
    /// Any type: known only when the expression runs.
    Dyn,
    /// That of a part that is wrong, which fits everywhere so that one mistake is reported once.
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
    OfTypes(Option<Box<CelType>>),
    /// Lists of a type.
    List(Box<CelType>),
    /// Maps by the types of keys and values.
    Map(Box<CelType>, Box<CelType>),
    /// A value that may be absent.
    Optional(Box<CelType>),
    /// A type that has a name, and perhaps fields.
    Named(String),
}

/// Types of Kubernetes' libraries that are no objects: they have no fields at all.
const OPAQUE: [&str; 2] = ["net.IP", "net.CIDR"];

impl CelType {
    /// A list of a type.
    #[must_use]
    pub fn list(item: CelType) -> CelType {
        CelType::List(Box::new(item))
    }

    /// A map from strings to a type.
    #[must_use]
    pub fn map(value: CelType) -> CelType {
        CelType::map_of(CelType::String, value)
    }

    /// A value of a type that may be absent.
    #[must_use]
    pub fn optional(value: CelType) -> CelType {
        CelType::Optional(Box::new(value))
    }

    /// A type with a name.
    #[must_use]
    pub fn named(name: &str) -> CelType {
        CelType::Named(name.to_owned())
    }

    pub(super) fn map_of(key: CelType, value: CelType) -> CelType {
        CelType::Map(Box::new(key), Box::new(value))
    }

    /// The type of a type.
    pub(super) fn of_type(of: CelType) -> CelType {
        CelType::OfTypes(Some(Box::new(of)))
    }

    pub(super) fn is_dyn_or_error(&self) -> bool {
        matches!(self, CelType::Dyn | CelType::Error)
    }

    /// Whether it is an object, with fields or without.
    pub(super) fn is_object(&self) -> bool {
        matches!(self, CelType::Named(name) if !OPAQUE.contains(&name.as_str()))
    }

    /// Whether null may be where it is expected.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(
            self,
            CelType::Null
                | CelType::Named(_)
                | CelType::Optional(_)
                | CelType::Duration
                | CelType::Timestamp
                | CelType::Dyn
        )
    }

    /// The types that it is made from.
    pub(super) fn parameters(&self) -> Vec<&CelType> {
        match self {
            CelType::List(of) | CelType::Optional(of) | CelType::OfTypes(Some(of)) => vec![of],
            CelType::Map(key, value) => vec![key, value],
            _ => Vec::new(),
        }
    }

    /// The same type with other types in the places of those that it is made from.
    pub(super) fn with_parameters(&self, change: &mut impl FnMut(&CelType) -> CelType) -> CelType {
        match self {
            CelType::List(of) => CelType::list(change(of)),
            CelType::Optional(of) => CelType::optional(change(of)),
            CelType::OfTypes(Some(of)) => CelType::of_type(change(of)),
            CelType::Map(key, value) => CelType::map_of(change(key), change(value)),
            other => other.clone(),
        }
    }

    /// The name in messages about the type of a result, which differs for some from that in other messages.
    pub(super) fn result_name(&self) -> String {
        match self {
            CelType::Null => "null_type".to_owned(),
            CelType::Timestamp => "google.protobuf.Timestamp".to_owned(),
            CelType::Duration => "google.protobuf.Duration".to_owned(),
            CelType::List(item) => format!("list({})", item.result_name()),
            CelType::Map(key, value) => format!("map({}, {})", key.result_name(), value.result_name()),
            CelType::Optional(of) => format!("optional_type({})", of.result_name()),
            CelType::OfTypes(Some(of)) => format!("type({})", of.result_name()),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for CelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CelType::Dyn => f.write_str("dyn"),
            CelType::Error => f.write_str("!error!"),
            CelType::Bool => f.write_str("bool"),
            CelType::Int => f.write_str("int"),
            CelType::Uint => f.write_str("uint"),
            CelType::Double => f.write_str("double"),
            CelType::String => f.write_str("string"),
            CelType::Bytes => f.write_str("bytes"),
            CelType::Null => f.write_str("null"),
            CelType::Timestamp => f.write_str("timestamp"),
            CelType::Duration => f.write_str("duration"),
            CelType::Param(number) => write!(f, "_var{number}"),
            CelType::OfTypes(None) => f.write_str("type"),
            CelType::OfTypes(Some(of)) => write!(f, "type({of})"),
            CelType::List(item) => write!(f, "list({item})"),
            CelType::Map(key, value) => write!(f, "map({key}, {value})"),
            CelType::Optional(of) => write!(f, "optional_type({of})"),
            CelType::Named(name) => f.write_str(name),
        }
    }
}
