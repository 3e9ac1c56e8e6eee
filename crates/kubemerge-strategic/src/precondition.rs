//! Fields that a patch must not touch.

use crate::{MergeError, MergeErrorKind, go_text::go_text};
use kubemerge_value::{Node, Path};

/// A field that a patch must not touch: `kind`, or `metadata.name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precondition<'p> {
    /// A field of the document.
    Field(&'p str),
    /// A field of its metadata.
    MetadataField(&'p str),
}

/// What `kubectl apply` asks of a patch for a kind without a schema.
pub const SAME_OBJECT: &[Precondition<'static>] =
    &[Precondition::Field("apiVersion"), Precondition::Field("kind"), Precondition::MetadataField("name")];

impl<'p> Precondition<'p> {
    /// Reads `field` or `metadata.field`.
    #[must_use]
    pub fn parse(text: &'p str) -> Self {
        match text.strip_prefix("metadata.") {
            // Deeper paths are not known to Kubernetes.
            Some(field) => Precondition::MetadataField(field),
            None => Precondition::Field(text),
        }
    }

    /// Whether the patch leaves the field alone.
    #[must_use]
    pub fn holds(self, patch: Node<'_>) -> bool {
        match self {
            Precondition::Field(name) => patch.get(name).is_none(),
            Precondition::MetadataField(name) => {
                patch.get("metadata").is_none_or(|metadata| metadata.get(name).is_none())
            }
        }
    }

    fn broken(self, patch: Node<'_>) -> MergeError {
        // The path outlives the match below.
        let metadata = Path::ROOT.field("metadata".into());
        let path = match self {
            Precondition::Field(name) => Path::ROOT.field(name.into()),
            Precondition::MetadataField(name) => metadata.field(name.into()),
        };
        let message = format!("precondition failed for: {}", go_text(patch));
        MergeError::new(MergeErrorKind::PreconditionFailed, &path, message)
            .with_hint("this field must not change; it would be another object")
    }
}

/// Checks that a patch leaves all of these fields alone.
///
/// # Errors
/// `precondition-failed`, at the first field that the patch has, whatever its value.
pub fn check_preconditions(patch: Node<'_>, preconditions: &[Precondition<'_>]) -> Result<(), MergeError> {
    match preconditions.iter().find(|precondition| !precondition.holds(patch)) {
        Some(broken) => Err(broken.broken(patch)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::Document;

    fn check(patch: &str, preconditions: &[&str]) -> Result<(), MergeError> {
        let document = Document::check(patch.as_bytes()).unwrap();
        let preconditions: Vec<_> = preconditions.iter().map(|text| Precondition::parse(text)).collect();
        check_preconditions(document.node(), &preconditions)
    }

    #[test]
    fn a_field_of_the_patch_breaks_its_precondition() {
        let error = check(r#"{"metadata":{"name":null}}"#, &["kind", "metadata.name"]).unwrap_err();
        assert_eq!(error.path(), "metadata.name");
        assert_eq!(error.message(), "precondition failed for: map[metadata:map[name:<nil>]]");
        assert!(error.is_precondition_failed());
    }

    #[test]
    fn other_fields_do_not() {
        assert!(check(r#"{"metadata":{"labels":{"name":"x"}}}"#, &["kind", "metadata.name"]).is_ok());
        assert!(check(r#"{"metadata":"odd"}"#, &["metadata.name"]).is_ok());
    }
}
