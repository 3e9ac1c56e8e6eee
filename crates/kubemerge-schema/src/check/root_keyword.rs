//! The keywords that schemas of custom resources have, and which of them may be used at the root.

use super::extension::{EMBEDDED, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN};

/// Whether a keyword may be used at the root of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootUse {
    /// In every version.
    Free,
    /// Unless the version has the status subresource: the server validates the status apart from the rest then.
    WithoutStatus,
}

/// The keywords of a schema in the order of Go's fields, and whether they may be used at the root of a schema with the
/// status subresource.
pub const KEYWORDS: [(&str, RootUse); 44] = {
    use RootUse::{Free, WithoutStatus};
    [
        ("id", WithoutStatus),
        ("$schema", WithoutStatus),
        ("$ref", WithoutStatus),
        ("description", Free),
        ("type", Free),
        ("nullable", WithoutStatus),
        ("format", Free),
        ("title", Free),
        ("default", WithoutStatus),
        ("maximum", Free),
        ("exclusiveMaximum", Free),
        ("minimum", Free),
        ("exclusiveMinimum", Free),
        ("maxLength", Free),
        ("minLength", Free),
        ("pattern", Free),
        ("maxItems", Free),
        ("minItems", Free),
        ("uniqueItems", Free),
        ("multipleOf", Free),
        ("enum", WithoutStatus),
        ("maxProperties", WithoutStatus),
        ("minProperties", WithoutStatus),
        ("required", Free),
        ("items", Free),
        ("allOf", WithoutStatus),
        ("oneOf", WithoutStatus),
        ("anyOf", WithoutStatus),
        ("not", WithoutStatus),
        ("properties", Free),
        ("additionalProperties", WithoutStatus),
        ("patternProperties", WithoutStatus),
        ("dependencies", WithoutStatus),
        ("additionalItems", WithoutStatus),
        ("definitions", WithoutStatus),
        ("externalDocs", Free),
        ("example", Free),
        (PRESERVE_UNKNOWN, Free),
        (EMBEDDED, WithoutStatus),
        (INT_OR_STRING, WithoutStatus),
        (LIST_MAP_KEYS, WithoutStatus),
        (LIST_TYPE, WithoutStatus),
        (MAP_TYPE, WithoutStatus),
        ("x-kubernetes-validations", Free),
    ]
};

/// How a word may be used at the root; words that are no keywords may not be used beside a status.
pub(super) fn root_use(word: &str) -> RootUse {
    KEYWORDS.iter().find(|(keyword, _)| *keyword == word).map_or(RootUse::WithoutStatus, |(_, usage)| *usage)
}
