//! [`compose`]: one patch for several.

use crate::{
    error::{Error, ErrorKind},
    json_patch,
    merge_compose::merge_compose,
    patch::{Patch, PatchType},
    rule_source::RuleSource,
};
use kubemerge_value::{Arena, Node, map};

/// The patch that does what these patches of one type do one after the other, to any object.
///
/// The type of the object must be known: from the rules, or from the `apiVersion` and `kind` of the last patch.
/// JSON patches are put one after the other.
///
/// ```
/// use kubemerge::{Dialect, Patch, RuleSource, Schema, compose};
///
/// let schema = Schema::builtin("1.37", Dialect::Spec)?;
/// let pod = RuleSource::Kind { schema: &schema, api_version: "v1", kind: "Pod" };
/// let first = Patch::strategic(r#"{"spec": {"containers": [{"name": "log", "$patch": "delete"}]}}"#)?;
/// let second = Patch::strategic(r#"{"spec": {"containers": [{"name": "web", "image": "web:2"}]}}"#)?;
/// assert_eq!(
///     compose(pod, &[first, second])?.to_string(),
///     r#"{"spec":{"containers":[{"image":"web:2","name":"web"},{"$patch":"delete","name":"log"}]}}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `not-composable` if no single patch does it, `not-convertible` for patches of different types,
/// `too-many-operations` if all of them are too many for one. Faults of the patches themselves.
pub fn compose<'s>(rules: impl Into<RuleSource<'s>>, patches: &[Patch<'_>]) -> Result<Patch<'static>, Error> {
    let Some(last) = patches.last() else {
        return Err(Error::new(ErrorKind::NotConvertible, "", "there is no patch to compose"));
    };
    if patches.iter().any(|patch| patch.patch_type() != last.patch_type()) {
        let message = "patches of different types cannot be composed";
        return Err(
            Error::new(ErrorKind::NotConvertible, "", message).with_hint("convert them to one type first")
        );
    }
    let arena = Arena::new();
    let nodes: Vec<Node<'_>> = patches.iter().map(Patch::node).collect();
    let composed = match last.patch_type() {
        // The last patch names the type: it has the final word on the object.
        PatchType::Strategic => strategic(rules.into(), last.node(), &nodes, &arena)?,
        PatchType::Merge => {
            // Composing starts with the patch that changes nothing.
            let nothing = map([], &arena);
            nodes.iter().try_fold(nothing, |first, second| merge_compose(first, *second, &arena))?
        }
        PatchType::Json => json_patch::join(&nodes, &arena)?,
        PatchType::Apply => {
            let message =
                "configurations of server-side apply are not composed: each replaces the one before";
            return Err(Error::new(ErrorKind::NotConvertible, "", message).with_hint("apply the last one"));
        }
    };
    Patch::owned(last.patch_type(), composed)
}

fn strategic<'a>(
    rules: RuleSource<'_>,
    named: Node<'a>,
    patches: &[Node<'a>],
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    kubemerge_strategic::compose(rules.type_of(named)?, patches, arena)
        .map_err(|error| Error::from(error).in_patch(rules.dialect()))
}
