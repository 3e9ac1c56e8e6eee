//! Why a patch cannot be applied or made.
//!
//! An error is created where the fault is found and carries its place and its merge keys from there as data.
//! The other files of this crate word it; this one holds it together.

use kubemerge_schema::{LookupError, LookupErrorKind};
use kubemerge_value::{Path, Side};
use std::fmt;
use std::ops::Deref;

use crate::error_details::ErrorDetails;

/// A fault in a patch, in a document, or in what the schema says about them.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{MergeErrorKind, apply};
/// use kubemerge_value::{Arena, Document, Side};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let pod = schema.type_of("v1", "Pod").ok_or("no pods")?;
/// let live = Document::check(br#"{"spec": {"containers": [{"name": "a"}, {"name": "b", "env": [{"name": "x"}]}]}}"#)?;
/// let patch = Document::check(br#"{"spec": {"containers": [{"name": "b", "env": [{"value": "1"}]}]}}"#)?;
/// let error = apply(pod, live.node(), patch.node(), &Arena::new()).unwrap_err();
/// assert_eq!((error.kind(), error.side()), (MergeErrorKind::MissingMergeKey, Side::Patch));
/// assert_eq!(error.patch_path(), Some("spec.containers[0].env[0]"));
/// assert_eq!(error.live_path(), None);
/// assert_eq!(error.merge_keys(), ["name"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct MergeError(Box<ErrorData>);

#[derive(Clone, PartialEq, Eq)]
struct ErrorData {
    kind: MergeErrorKind,
    details: ErrorDetails,
}

/// The kinds of faults. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MergeErrorKind {
    /// Not a JSON object.
    InvalidDocument,
    /// A value of `$patch` that is an unknown word.
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
    /// The patch sets members of a union that exclude each other, or that its discriminator does not select.
    InvalidUnion,
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
    /// A scalar is needed.
    ExpectedScalar,
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
    /// The dialect does not know the verb.
    UnsupportedVerb,
}

impl MergeErrorKind {
    /// The stable name, for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MergeErrorKind::InvalidDocument => "invalid-document",
            MergeErrorKind::InvalidPatchDirective => "invalid-patch-directive",
            MergeErrorKind::MergeDirectiveUnsupported => "merge-directive-unsupported",
            MergeErrorKind::RootDelete => "root-delete",
            MergeErrorKind::InvalidPatchValue => "invalid-patch-value",
            MergeErrorKind::MissingMergeKey => "missing-merge-key",
            MergeErrorKind::InvalidMergeKeyValue => "invalid-merge-key-value",
            MergeErrorKind::NoMergeKeyDeclared => "no-merge-key-declared",
            MergeErrorKind::InvalidRetainKeys => "invalid-retain-keys",
            MergeErrorKind::RetainKeysDiffer => "retain-keys-differ",
            MergeErrorKind::InvalidUnion => "invalid-union",
            MergeErrorKind::InvalidDeleteList => "invalid-delete-list",
            MergeErrorKind::InvalidElementOrder => "invalid-element-order",
            MergeErrorKind::ElementOrderMismatch => "element-order-mismatch",
            MergeErrorKind::ExpectedList => "expected-list",
            MergeErrorKind::ExpectedMap => "expected-map",
            MergeErrorKind::ExpectedScalar => "expected-scalar",
            MergeErrorKind::MixedElementTypes => "mixed-element-types",
            MergeErrorKind::NullElement => "null-element",
            MergeErrorKind::UncomparableElement => "uncomparable-element",
            MergeErrorKind::ListOfLists => "list-of-lists",
            MergeErrorKind::EmptyLists => "empty-lists",
            MergeErrorKind::UnknownField => "unknown-field",
            MergeErrorKind::SchemaMismatch => "schema-mismatch",
            MergeErrorKind::InvalidPatchStrategy => "invalid-patch-strategy",
            MergeErrorKind::UnsupportedType => "unsupported-type",
            MergeErrorKind::Conflict => "conflict",
            MergeErrorKind::PreconditionFailed => "precondition-failed",
            MergeErrorKind::ConflictCheckFailed => "conflict-check-failed",
            MergeErrorKind::DuplicateElement => "duplicate-element",
            MergeErrorKind::DirectiveInDocument => "directive-in-document",
            MergeErrorKind::TooManyRepeats => "too-many-repeats",
            MergeErrorKind::NotComposable => "not-composable",
            MergeErrorKind::NotInvertible => "not-invertible",
            MergeErrorKind::UnsupportedVerb => "unsupported-verb",
        }
    }
}

impl MergeError {
    /// A fault at this place; the message is Kubernetes' where it has one.
    pub fn new(kind: MergeErrorKind, path: &Path<'_>, message: impl Into<String>) -> Self {
        // No path is better than one to another item of the same index.
        let place = |path: Path<'_>| path.leads_through(path.side()).then(|| path.to_string());
        let details = ErrorDetails {
            side: path.side(),
            patch_path: place(path.in_patch()),
            live_path: place(path.in_live()),
            merge_keys: Vec::new(),
            message: message.into(),
            hint: None,
        };
        MergeError(Box::new(ErrorData { kind, details }))
    }

    /// A fault at a place of one document whose path is text already.
    pub fn at(kind: MergeErrorKind, side: Side, path: String, message: impl Into<String>) -> Self {
        MergeError(Box::new(ErrorData { kind, details: ErrorDetails::at(side, path, message) }))
    }

    /// A fault that was found in a field by itself, seen from the document around it.
    pub(crate) fn beside(mut self, field: &Path<'_>) -> Self {
        let around = field.split().0.map(Path::to_string).unwrap_or_default();
        for path in [&mut self.0.details.patch_path, &mut self.0.details.live_path].into_iter().flatten() {
            // An index in brackets follows its list without a dot.
            let dot = if around.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
            *path = format!("{around}{dot}{path}");
        }
        self
    }

    /// The same fault, which is about the merge keys of a list.
    pub(crate) fn about_keys<'k>(mut self, names: impl IntoIterator<Item = &'k str>) -> Self {
        self.0.details.merge_keys = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// The same fault; the message says so if it is in the live object.
    pub(crate) fn naming_live_object(mut self) -> Self {
        // A path alone would be looked for in the patch.
        if self.0.details.side == Side::Live {
            self.0.details.message.push_str(", in the live object");
        }
        self
    }

    /// The same fault with the cure.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.details.hint = Some(hint.into());
        self
    }

    /// A look-up that failed at this place.
    pub fn from_lookup(error: LookupError, path: &Path<'_>) -> Self {
        let kind = match error.kind {
            LookupErrorKind::UnknownField => MergeErrorKind::UnknownField,
            LookupErrorKind::SchemaMismatch => MergeErrorKind::SchemaMismatch,
            LookupErrorKind::InvalidPatchStrategy => MergeErrorKind::InvalidPatchStrategy,
            LookupErrorKind::UnsupportedType => MergeErrorKind::UnsupportedType,
        };
        let fault = MergeError::new(kind, path, error.message);
        match kind {
            MergeErrorKind::UnknownField => {
                fault.with_hint("check the spelling, or give a schema that has the field")
            }
            MergeErrorKind::SchemaMismatch => fault.with_hint("the schema has another kind of value here"),
            _ => fault,
        }
    }

    /// What kind of fault it is.
    #[must_use]
    pub fn kind(&self) -> MergeErrorKind {
        self.0.kind
    }

    /// Places, message and cure, without the kind.
    #[must_use]
    pub fn into_details(self) -> ErrorDetails {
        self.0.details
    }

    /// Whether two sides changed the same thing.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.0.kind == MergeErrorKind::Conflict
    }

    /// Whether the patch touches a field that it must not touch.
    #[must_use]
    pub fn is_precondition_failed(&self) -> bool {
        self.0.kind == MergeErrorKind::PreconditionFailed
    }
}

/// Places, message and cure.
impl Deref for MergeError {
    type Target = ErrorDetails;

    fn deref(&self) -> &ErrorDetails {
        &self.0.details
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.details.fmt(f)
    }
}

impl fmt::Debug for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}: {}", self.0.kind.name(), self.path(), self.0.details.message)
    }
}

impl std::error::Error for MergeError {}
