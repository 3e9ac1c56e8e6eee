//! Why a patch cannot be applied or made.
//!
//! An error is born where the fault is found and carries its path from there. All texts are in this file.

use kubemerge_schema::{LookupError, LookupErrorKind};
use kubemerge_value::{Path, Side};
use std::fmt;

/// A fault in a patch, in a document, or in what the schema says about them.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Fault>);

#[derive(Clone, PartialEq, Eq)]
struct Fault {
    path: String,
    side: Side,
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
}

/// The kinds of faults. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Not a JSON object.
    InvalidDocument,
    /// A value of `$patch` that nobody knows.
    InvalidPatchDirective,
    /// `$patch: merge` on a list item, which Kubernetes refuses.
    MergeDirectiveUnsupported,
    /// `$patch: delete` at the root.
    RootDelete,
    /// A diff of documents that hold `$patch` values that are no strings.
    InvalidPatchValue,
    /// An item, order entry or delete item without a merge key.
    MissingMergeKey,
    /// A merge key whose value is a map or list.
    InvalidMergeKeyValue,
    /// Maps in a merge list for which no key is declared.
    NoMergeKeyDeclared,
    /// `$retainKeys` is malformed, or a patch field is not among its names.
    InvalidRetainKeys,
    /// Two patches that are laid over each other have different `$retainKeys`.
    RetainKeysDiffer,
    /// A delete list that is malformed or out of place.
    InvalidDeleteList,
    /// An order list that is malformed or out of place.
    InvalidElementOrder,
    /// The items of a patch list do not fit its order list.
    ElementOrderMismatch,
    /// A list is needed.
    ExpectedList,
    /// A map is needed.
    ExpectedMap,
    /// Elements of more than one type.
    MixedElementTypes,
    /// A null in a merge list.
    NullElement,
    /// A map or list where elements are compared.
    UncomparableElement,
    /// Lists in a merge list.
    ListOfLists,
    /// An order list, or a conflict test, for lists without elements.
    EmptyLists,
    /// The schema has no such field.
    UnknownField,
    /// The schema has another kind of value there.
    SchemaMismatch,
    /// Patch strategies that do not go together.
    InvalidPatchStrategy,
    /// No schema for the type.
    UnsupportedType,
    /// The patch and the current state changed the same thing.
    Conflict,
    /// The patch touches a field that it must not touch.
    PreconditionFailed,
    /// Kubernetes' conflict test fails on these lists.
    ConflictCheckFailed,
    /// A repeated element where elements must be unique.
    DuplicateElement,
    /// A directive in a document that is no patch.
    DirectiveInDocument,
    /// The patch repeats items until merging them would fill all memory.
    TooManyRepeats,
    /// No single patch does what the two do one after the other.
    NotComposable,
    /// No patch leads back to the original.
    NotInvertible,
}

impl ErrorKind {
    /// The stable name, for machines.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::InvalidDocument => "invalid-document",
            ErrorKind::InvalidPatchDirective => "invalid-patch-directive",
            ErrorKind::MergeDirectiveUnsupported => "merge-directive-unsupported",
            ErrorKind::RootDelete => "root-delete",
            ErrorKind::InvalidPatchValue => "invalid-patch-value",
            ErrorKind::MissingMergeKey => "missing-merge-key",
            ErrorKind::InvalidMergeKeyValue => "invalid-merge-key-value",
            ErrorKind::NoMergeKeyDeclared => "no-merge-key-declared",
            ErrorKind::InvalidRetainKeys => "invalid-retain-keys",
            ErrorKind::RetainKeysDiffer => "retain-keys-differ",
            ErrorKind::InvalidDeleteList => "invalid-delete-list",
            ErrorKind::InvalidElementOrder => "invalid-element-order",
            ErrorKind::ElementOrderMismatch => "element-order-mismatch",
            ErrorKind::ExpectedList => "expected-list",
            ErrorKind::ExpectedMap => "expected-map",
            ErrorKind::MixedElementTypes => "mixed-element-types",
            ErrorKind::NullElement => "null-element",
            ErrorKind::UncomparableElement => "uncomparable-element",
            ErrorKind::ListOfLists => "list-of-lists",
            ErrorKind::EmptyLists => "empty-lists",
            ErrorKind::UnknownField => "unknown-field",
            ErrorKind::SchemaMismatch => "schema-mismatch",
            ErrorKind::InvalidPatchStrategy => "invalid-patch-strategy",
            ErrorKind::UnsupportedType => "unsupported-type",
            ErrorKind::Conflict => "conflict",
            ErrorKind::PreconditionFailed => "precondition-failed",
            ErrorKind::ConflictCheckFailed => "conflict-check-failed",
            ErrorKind::DuplicateElement => "duplicate-element",
            ErrorKind::DirectiveInDocument => "directive-in-document",
            ErrorKind::TooManyRepeats => "too-many-repeats",
            ErrorKind::NotComposable => "not-composable",
            ErrorKind::NotInvertible => "not-invertible",
        }
    }
}

impl Error {
    /// A fault at this place; the message is Kubernetes' where it has one, and says so if the fault is in the
    /// live object.
    pub fn new(kind: ErrorKind, path: &Path<'_>, message: impl Into<String>) -> Self {
        let mut fault = Error::at(kind, path.to_string(), message);
        fault.0.side = path.side();
        if path.side() == Side::Live {
            fault.0.message.push_str(", in the live object");
        }
        fault
    }

    /// A fault at a place that is rendered already.
    pub fn at(kind: ErrorKind, path: String, message: impl Into<String>) -> Self {
        Error(Box::new(Fault { path, side: Side::Patch, kind, message: message.into(), hint: None }))
    }

    /// A fault that was found in a field by itself, seen from the document around it.
    pub(crate) fn beside(mut self, field: &Path<'_>) -> Self {
        let around = field.split().0.map(Path::to_string).unwrap_or_default();
        let dot = if around.is_empty() || self.0.path.is_empty() || self.0.path.starts_with('[') {
            ""
        } else {
            "."
        };
        self.0.path = format!("{around}{dot}{}", self.0.path);
        self
    }

    /// The same fault with the cure.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// A look-up that failed at this place.
    pub fn from_lookup(error: LookupError, path: &Path<'_>) -> Self {
        let kind = match error.kind {
            LookupErrorKind::UnknownField => ErrorKind::UnknownField,
            LookupErrorKind::SchemaMismatch => ErrorKind::SchemaMismatch,
            LookupErrorKind::InvalidPatchStrategy => ErrorKind::InvalidPatchStrategy,
            LookupErrorKind::UnsupportedType => ErrorKind::UnsupportedType,
        };
        let fault = Error::new(kind, path, error.message);
        match kind {
            ErrorKind::UnknownField => {
                fault.with_hint("check the spelling, or give a schema that has the field")
            }
            ErrorKind::SchemaMismatch => fault.with_hint("the schema has another kind of value here"),
            _ => fault,
        }
    }

    /// What kind of fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it is, as Kubernetes writes field paths; empty for the root.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The document that the path leads through.
    pub fn side(&self) -> Side {
        self.0.side
    }

    /// What is wrong: Kubernetes' text where it has one.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What can be done about it, where something can.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Whether two sides changed the same thing.
    pub fn is_conflict(&self) -> bool {
        self.0.kind == ErrorKind::Conflict
    }

    /// Whether the patch touches a field that it must not touch.
    pub fn is_precondition_failed(&self) -> bool {
        self.0.kind == ErrorKind::PreconditionFailed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.path.is_empty() {
            write!(f, "{}: ", self.0.path)?;
        }
        f.write_str(&self.0.message)?;
        self.0.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}: {}", self.0.kind.name(), self.0.path, self.0.message)
    }
}

impl std::error::Error for Error {}
