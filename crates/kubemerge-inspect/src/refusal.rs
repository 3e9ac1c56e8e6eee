//! Whether the API server would refuse the result of a change, and why.

use kubemerge_kinds::field::FieldError;
use kubemerge_kinds::{Refusal, admit, admit_update};
use kubemerge_schema::Schema;
use kubemerge_value::Document;
use serde::Serialize;

use crate::unions;

/// One reason for which the API server would refuse an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalCause {
    /// The path of the field; empty if the object does not fit the type of its kind at all.
    pub field: String,
    /// The reason as the causes of a Status have it, such as `FieldValueDuplicate`.
    pub reason: &'static str,
    /// The API server's words.
    pub message: String,
}

impl RefusalCause {
    /// What refuses the object: an API server, or only one of the dialect `spec`.
    #[must_use]
    pub fn refuser(&self) -> &'static str {
        match self.reason {
            unions::INVALID_UNION => "the dialect spec",
            _ => "the API server",
        }
    }
}

/// Why the API server would refuse to create an object. Kinds without rules have only their types checked.
pub fn refusal_of_new(schema: &Schema, object: &[u8]) -> Vec<RefusalCause> {
    let text = std::str::from_utf8(object).ok();
    let mut found = text.and_then(|text| admit(schema, text).err()).map_or(Vec::new(), causes);
    found.extend(unions::causes(schema, object));
    found
}

/// Why the API server would refuse to store `new` in place of `old`: also for changes of immutable fields.
/// What is wrong with the old object already does not count: some updates need a resourceVersion, which
/// manifests do not have.
#[must_use]
pub fn refusal_of_update(schema: &Schema, old: &[u8], new: &[u8]) -> Vec<RefusalCause> {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return Vec::new() };
    let causes_of = |new: &str| {
        let mut found = admit_update(schema, old, new).err().map_or(Vec::new(), causes);
        found.extend(unions::causes(schema, new.as_bytes()));
        found
    };
    without_known(causes_of(new), || causes_of(old))
}

/// Why the API server would refuse the result of a patch. An object that has been in a cluster is updated;
/// the result of a manifest is created, so that its immutable fields may still change. What is wrong with the
/// manifest already does not count: those of overlays are often incomplete.
#[must_use]
pub fn refusal_of_change(schema: &Schema, old: &[u8], new: &[u8]) -> Vec<RefusalCause> {
    if is_stored(old) {
        refusal_of_update(schema, old, new)
    } else {
        without_known(refusal_of_new(schema, new), || refusal_of_new(schema, old))
    }
}

/// Only the API server gives an object a resourceVersion.
fn is_stored(object: &[u8]) -> bool {
    let document = Document::check(object);
    document
        .is_ok_and(|object| object.node().get("metadata").and_then(|it| it.get("resourceVersion")).is_some())
}

fn without_known(
    mut found: Vec<RefusalCause>,
    known: impl FnOnce() -> Vec<RefusalCause>,
) -> Vec<RefusalCause> {
    // Most results are fine, and then the old object need not be judged.
    if !found.is_empty() {
        let known = known();
        found.retain(|cause| !known.contains(cause));
    }
    found
}

fn causes(refusal: Refusal) -> Vec<RefusalCause> {
    match refusal {
        Refusal::Invalid(errors) => errors.into_iter().map(RefusalCause::from).collect(),
        Refusal::Decode(error) => {
            vec![RefusalCause {
                field: String::new(),
                reason: "BadRequest",
                message: error.message().to_owned(),
            }]
        }
        // No object of a built-in kind: there is nothing to judge it by.
        _ => Vec::new(),
    }
}

impl From<FieldError> for RefusalCause {
    fn from(error: FieldError) -> RefusalCause {
        RefusalCause { reason: error.kind.reason(), message: error.message(), field: error.field }
    }
}
