//! The one error of the façade: what went wrong, where, in Kubernetes' words, and what to do about it.

use kubemerge_schema::Dialect;
use kubemerge_ssa::managed_fields::ApplyError;
use kubemerge_strategic::{ErrorDetails, MergeError, MergeErrorKind};
use kubemerge_value::{ParseError, Side};
use std::fmt;
use std::ops::Deref;

/// Why a patch cannot be read, applied, made or converted.
///
/// ```
/// use kubemerge::{RuleSource, Patch, apply};
///
/// let patch = Patch::json(br#"[{"op": "remove", "path": "/spec/paused"}]"#)?;
/// let error = apply(RuleSource::None, br#"{"spec": {}}"#, &patch).unwrap_err();
/// assert_eq!(error.kind().name(), "json-patch-failed");
/// assert_eq!(error.http_status(), 422);
/// assert_eq!(
///     error.message(),
///     "error in remove for path: '/spec/paused': Unable to remove nonexistent key: paused: missing value"
/// );
/// # Ok::<(), kubemerge::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<ErrorData>);

#[derive(Clone, PartialEq, Eq)]
struct ErrorData {
    kind: ErrorKind,
    details: ErrorDetails,
    status: u16,
}

/// The kinds of faults. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A kind of the catalogue that all merges share, such as `invalid-document` or `missing-merge-key`.
    Merge(MergeErrorKind),
    /// A JSON patch that is no list of operations.
    InvalidJsonPatch,
    /// A JSON patch of more than [`MAX_OPERATIONS`](crate::MAX_OPERATIONS) operations.
    TooManyOperations,
    /// An operation of a JSON patch that does not apply; a `test` that fails is one.
    JsonPatchFailed,
    /// A content type that is not of a patch.
    UnknownContentType,
    /// A change that the wanted type of patch cannot express.
    NotConvertible,
    /// Annotations of more than [`MAX_ANNOTATION_BYTES`](crate::MAX_ANNOTATION_BYTES) bytes.
    AnnotationsTooLong,
    /// A typed object that has no JSON form, or a result that does not fit the type.
    TypedObject,
    /// A server-side apply without a field manager.
    MissingFieldManager,
    /// A server-side apply by a field manager whose name is too long or has characters that cannot be printed.
    InvalidFieldManager,
    /// A server-side apply that is malformed: another kind, or entries of `managedFields` in the configuration.
    InvalidApply,
    /// A server-side apply that would change fields of other managers.
    FieldManagerConflict,
    /// A server-side apply of a configuration that does not fit its type, or to entries that cannot be read.
    ApplyFailed,
}

impl ErrorKind {
    /// The stable name, for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Merge(kind) => kind.name(),
            ErrorKind::InvalidJsonPatch => "invalid-json-patch",
            ErrorKind::TooManyOperations => "too-many-operations",
            ErrorKind::JsonPatchFailed => "json-patch-failed",
            ErrorKind::UnknownContentType => "unknown-content-type",
            ErrorKind::NotConvertible => "not-convertible",
            ErrorKind::AnnotationsTooLong => "annotations-too-long",
            ErrorKind::TypedObject => "typed-object",
            ErrorKind::MissingFieldManager => "missing-field-manager",
            ErrorKind::InvalidFieldManager => "invalid-field-manager",
            ErrorKind::InvalidApply => "invalid-apply",
            ErrorKind::FieldManagerConflict => "field-manager-conflict",
            ErrorKind::ApplyFailed => "apply-failed",
        }
    }
}

impl Error {
    /// A fault at this path of the patch.
    pub(crate) fn new(kind: ErrorKind, path: impl Into<String>, message: impl Into<String>) -> Self {
        let details = ErrorDetails::at(Side::Patch, path.into(), message);
        Error(Box::new(ErrorData { kind, details, status: status(kind) }))
    }

    /// The same fault with the cure.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.details.hint = Some(hint.into());
        self
    }

    /// The same fault with another status than others of its kind.
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.0.status = status;
        self
    }

    /// The same fault, which is in the patch: where Kubernetes blames itself, dialect `spec` blames the client.
    pub(crate) fn in_patch(mut self, dialect: Dialect) -> Self {
        // Kubernetes answers 500 for many mistakes of clients; the spec dialect calls them bad requests.
        if dialect == Dialect::Spec && self.0.status == 500 {
            self.0.status = 400;
        }
        self
    }

    /// A document that is no JSON object.
    pub(crate) fn invalid_document(hint: impl Into<String>) -> Self {
        let kind = ErrorKind::Merge(MergeErrorKind::InvalidDocument);
        Error::new(kind, "", "invalid JSON document").with_hint(hint)
    }

    /// What kind of fault it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether two sides changed the same thing, or another manager owns it.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Merge(MergeErrorKind::Conflict) | ErrorKind::FieldManagerConflict)
    }

    /// The status that an API server answers with.
    ///
    /// In dialect `upstream` that is what Kubernetes answers, 500 for most faults of a strategic merge patch;
    /// dialect `spec` answers 400 in place of 500 unless the fault is in the live object.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        self.0.status
    }
}

/// What Kubernetes answers.
fn status(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Merge(
            MergeErrorKind::InvalidDocument
            | MergeErrorKind::InvalidRetainKeys
            | MergeErrorKind::InvalidDeleteList
            | MergeErrorKind::InvalidElementOrder
            | MergeErrorKind::UnsupportedType,
        )
        | ErrorKind::InvalidJsonPatch
        | ErrorKind::InvalidApply => 400,
        ErrorKind::Merge(MergeErrorKind::Conflict | MergeErrorKind::PreconditionFailed)
        | ErrorKind::FieldManagerConflict => 409,
        // What would use too much memory counts as too large.
        ErrorKind::Merge(MergeErrorKind::TooManyRepeats) | ErrorKind::TooManyOperations => 413,
        ErrorKind::UnknownContentType => 415,
        ErrorKind::Merge(MergeErrorKind::ListOfLists | MergeErrorKind::InvalidUnion)
        | ErrorKind::JsonPatchFailed
        | ErrorKind::NotConvertible
        | ErrorKind::AnnotationsTooLong
        | ErrorKind::TypedObject
        | ErrorKind::MissingFieldManager
        | ErrorKind::InvalidFieldManager => 422,
        // As the API server answers: it does not tell mistakes of the client apart here.
        ErrorKind::Merge(_) | ErrorKind::ApplyFailed => 500,
    }
}

impl From<MergeError> for Error {
    fn from(error: MergeError) -> Self {
        let kind = ErrorKind::Merge(error.kind());
        Error(Box::new(ErrorData { kind, details: error.into_details(), status: status(kind) }))
    }
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        let kind = match &error {
            ApplyError::BadRequest(_) => ErrorKind::InvalidApply,
            ApplyError::Conflicts(_) => ErrorKind::FieldManagerConflict,
            ApplyError::InvalidUnions(_) => ErrorKind::Merge(MergeErrorKind::InvalidUnion),
            _ => ErrorKind::ApplyFailed,
        };
        let fault = Error::new(kind, "", error.to_string());
        match kind {
            ErrorKind::FieldManagerConflict => {
                fault.with_hint("force the apply, or leave the fields to their managers")
            }
            _ => fault,
        }
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Error::invalid_document(error.to_string())
    }
}

/// Places, message and cure.
impl Deref for Error {
    type Target = ErrorDetails;

    fn deref(&self) -> &ErrorDetails {
        &self.0.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.details.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({self})", self.0.kind.name())
    }
}

impl std::error::Error for Error {}
