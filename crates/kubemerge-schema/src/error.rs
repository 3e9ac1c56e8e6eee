//! What can go wrong: loading a document, and looking up the rule of a field.

use std::{fmt, sync::LazyLock};

use crate::releases::{NEWEST, OLDEST};

/// The cure of a version that is not built in.
static VERSIONS: LazyLock<String> = LazyLock::new(|| format!("built-in versions are {OLDEST} to {NEWEST}"));

/// Why a document, a table or an overlay could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    path: String,
    kind: LoadErrorKind,
    message: String,
}

/// The kinds of [`LoadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The document is empty, or not of the expected form.
    Malformed,
    /// A `$ref` names nothing in the document.
    UnresolvedReference,
    /// A `$ref` leads only to itself.
    CircularReference,
    /// A custom resource definition has no schema.
    MissingSchema,
    /// A custom resource definition breaks a rule; see [`crate::check`].
    BrokenRule,
    /// The schema is nested too deeply, or is too large.
    TooLarge,
    /// There are no built-in tables for the version.
    UnknownVersion,
    /// An overlay cannot be applied.
    BadOverlay,
}

impl LoadErrorKind {
    /// The stable name, for machines.
    pub fn name(self) -> &'static str {
        match self {
            LoadErrorKind::Malformed => "malformed",
            LoadErrorKind::UnresolvedReference => "unresolved-reference",
            LoadErrorKind::CircularReference => "circular-reference",
            LoadErrorKind::MissingSchema => "missing-schema",
            LoadErrorKind::BrokenRule => "broken-rule",
            LoadErrorKind::TooLarge => "too-large",
            LoadErrorKind::UnknownVersion => "unknown-version",
            LoadErrorKind::BadOverlay => "bad-overlay",
        }
    }
}

impl LoadError {
    pub(crate) fn new(kind: LoadErrorKind, path: impl Into<String>, message: impl Into<String>) -> LoadError {
        LoadError { path: path.into(), kind, message: message.into() }
    }

    pub(crate) fn malformed(path: impl Into<String>, message: impl Into<String>) -> LoadError {
        LoadError::new(LoadErrorKind::Malformed, path, message)
    }

    /// Where in the document; empty for the document as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, where there is a cure.
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            LoadErrorKind::UnresolvedReference => {
                Some("references resolve within one document; add the definition to it")
            }
            LoadErrorKind::CircularReference => {
                Some("a recursive type needs a property or items between the references")
            }
            LoadErrorKind::MissingSchema => Some("every served version needs schema.openAPIV3Schema"),
            LoadErrorKind::BrokenRule => Some("the API server refuses the definition, too"),
            LoadErrorKind::UnknownVersion => Some(&VERSIONS),
            // Their messages say what to change.
            LoadErrorKind::Malformed | LoadErrorKind::TooLarge | LoadErrorKind::BadOverlay => None,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        self.hint().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl std::error::Error for LoadError {}

/// Why the rule of a field cannot be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupError {
    /// What kind of failure it is.
    pub kind: LookupErrorKind,
    /// What is wrong, in Kubernetes' words where it has some.
    pub message: String,
}

/// The kinds of [`LookupError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupErrorKind {
    /// The schema has no such field.
    UnknownField,
    /// The schema has another kind of value there.
    SchemaMismatch,
    /// `x-kubernetes-patch-strategy` holds words that do not go together.
    InvalidPatchStrategy,
    /// The schema is missing at this place.
    UnsupportedType,
}

impl LookupErrorKind {
    /// The stable name, for machines.
    pub fn name(self) -> &'static str {
        match self {
            LookupErrorKind::UnknownField => "unknown-field",
            LookupErrorKind::SchemaMismatch => "schema-mismatch",
            LookupErrorKind::InvalidPatchStrategy => "invalid-patch-strategy",
            LookupErrorKind::UnsupportedType => "unsupported-type",
        }
    }
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LookupError {}
