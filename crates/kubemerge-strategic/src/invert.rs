//! The patch that undoes a patch.

use crate::{DiffOptions, MergeError, MergeErrorKind, apply, apply::document, diff, difference::differences};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Side};

/// The patch that leads back to `original` once `patch` was applied to it.
///
/// # Errors
/// As [`apply`] and [`diff`]; `not-invertible`, at the first place that would stay different, where no patch of
/// the dialect leads back. In dialect `spec` that needs a null in the original, or repeated list elements.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{apply, invert};
/// use kubemerge_value::{Arena, Document, deep_equal};
///
/// let schema = Schema::builtin("1.37", Dialect::Spec)?;
/// let service = schema.type_of("v1", "Service").ok_or("no services")?;
/// let original = Document::check(br#"{"spec": {"ports": [{"port": 53, "protocol": "UDP"}]}}"#)?;
/// let patch = Document::check(br#"{"spec": {"ports": [{"port": 53, "protocol": "TCP"}]}}"#)?;
/// let arena = Arena::new();
/// let undo = invert(service, original.node(), patch.node(), &arena)?;
/// let patched = apply(service, original.node(), patch.node(), &arena)?;
/// assert!(deep_equal(apply(service, patched, undo, &arena)?, original.node()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn invert<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let patched = apply(ty, original, patch, arena)?;
    let undo = diff(ty, patched, original, &DiffOptions::default(), arena)?;
    let undone = apply(ty, patched, undo, arena)?;
    let original = document(original)?.unwrap_or_else(|| kubemerge_value::map([], arena));
    // Applying the result is the only proof that it leads back.
    match differences(original, undone, arena).into_iter().next() {
        None => Ok(undo),
        Some(difference) => {
            let message = "no patch of this dialect leads back to the original";
            Err(MergeError::at(MergeErrorKind::NotInvertible, Side::Live, difference.path, message)
                .with_hint("keep the original, or use a JSON patch"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_schema::{Dialect, Schema};
    use kubemerge_value::{Document, to_canonical};

    fn check(dialect: Dialect, original: &str, patch: &str) -> Result<String, MergeError> {
        let schema = Schema::builtin("1.37", dialect).unwrap();
        let pod = schema.type_of("v1", "Pod").unwrap();
        let (original, patch) =
            (Document::check(original.as_bytes()).unwrap(), Document::check(patch.as_bytes()).unwrap());
        let arena = Arena::new();
        let undo = invert(pod, original.node(), patch.node(), &arena)?;
        Ok(String::from_utf8(to_canonical(undo).into_bytes()).unwrap())
    }

    #[test]
    fn a_removed_item_comes_back_to_its_place() {
        let original = r#"{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b"}]}}"#;
        let patch = r#"{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}"#;
        assert_eq!(
            check(Dialect::Spec, original, patch).unwrap(),
            r#"{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"image":"x","name":"a"}]}}"#
        );
    }

    #[test]
    fn what_cannot_be_undone_is_named() {
        let original = r#"{"metadata":{"labels":{"a":null}}}"#;
        let error = check(Dialect::Spec, original, r#"{"metadata":{"labels":{"a":"1"}}}"#).unwrap_err();
        assert_eq!((error.kind(), error.path()), (MergeErrorKind::NotInvertible, "metadata.labels.a"));
    }
}
