//! The words of schemas that every part of the crate uses: shapes, list types, look-up columns, origins.

/// What a schema says about the kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Shape {
    /// No type is given: any value.
    #[default]
    Any,
    /// A map, with or without declared fields.
    Object,
    /// A list.
    List,
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
}

impl Shape {
    /// The word of OpenAPI for it; empty where no type is given.
    pub fn word(self) -> &'static str {
        match self {
            Shape::Any => "",
            Shape::Object => "object",
            Shape::List => "array",
            Shape::String => "string",
            Shape::Integer => "integer",
            Shape::Number => "number",
            Shape::Boolean => "boolean",
        }
    }

    /// Whether values of this shape are neither maps nor lists.
    pub fn is_scalar(self) -> bool {
        matches!(self, Shape::String | Shape::Integer | Shape::Number | Shape::Boolean)
    }
}

/// Which of Kubernetes' three look-up behaviours a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// As the API server, which looks into Go types.
    Go,
    /// As a client that reads an OpenAPI v2 document.
    V2,
    /// As a client that reads OpenAPI v3 documents.
    V3,
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ListType {
    /// The extension is absent (or holds an unknown word, which `check` reports).
    #[default]
    Unset,
    /// The list is one value.
    Atomic,
    /// The elements are unique.
    Set,
    /// The elements have keys.
    Map,
}

impl ListType {
    /// The value of the extension, where it is given.
    pub fn word(self) -> Option<&'static str> {
        match self {
            ListType::Unset => None,
            ListType::Atomic => Some("atomic"),
            ListType::Set => Some("set"),
            ListType::Map => Some("map"),
        }
    }
}

/// `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MapType {
    /// The extension is absent (or holds an unknown word, which `check` reports).
    #[default]
    Unset,
    /// The map is one value.
    Atomic,
    /// Each field is on its own.
    Granular,
}

impl MapType {
    /// The value of the extension, where it is given.
    pub fn word(self) -> Option<&'static str> {
        match self {
            MapType::Unset => None,
            MapType::Atomic => Some("atomic"),
            MapType::Granular => Some("granular"),
        }
    }
}

/// Whether an object must have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Required {
    /// The field may be absent.
    No,
    /// The field must be present.
    Yes,
}

/// Whether an API server takes strategic merge patches of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrategicPatch {
    /// It does, as of built-in kinds.
    Accepted,
    /// It answers 415, as of custom resources.
    Refused,
}

/// Where a definition came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The tables of this crate.
    BuiltIn,
    /// An OpenAPI document.
    OpenApi,
    /// A CustomResourceDefinition.
    CustomResource,
}
