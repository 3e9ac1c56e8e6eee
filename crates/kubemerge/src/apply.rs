//! [`apply`]: patches an object.

use crate::{
    error::Error,
    json_patch, merge_patch,
    object::{Object, read_object},
    patch::{Instruction, Patch},
    rule_source::RuleSource,
    server_side_apply,
};
use kubemerge_schema::Dialect;
use kubemerge_value::{Arena, Node, Side};

/// Enough for the pieces of most merges, so that one allocation serves.
const ARENA_BYTES: usize = 8 * 1024;

/// Applies a patch to an object, as the API server does.
///
/// The result has the form of the object; nothing is changed on error.
///
/// ```
/// use kubemerge::{RuleSource, Patch, apply};
///
/// let patch = Patch::merge(r#"{"spec": {"replicas": 3, "paused": null}}"#)?;
/// let result = apply(RuleSource::None, r#"{"spec": {"paused": true}}"#, &patch)?;
/// assert_eq!(result, r#"{"spec":{"replicas":3}}"#);
///
/// let patch = Patch::json(r#"[{"op": "add", "path": "/args/-", "value": "-v"}]"#)?;
/// let result = apply(RuleSource::None, r#"{"args": ["serve"]}"#, &patch)?;
/// assert_eq!(result, r#"{"args":["serve","-v"]}"#);
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// If the object or the patch is malformed, or the patch does not apply.
pub fn apply<'s, O: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    live: &O,
    patch: &Patch<'_>,
) -> Result<O::Output, Error> {
    let source = read_object(live)?;
    let arena = Arena::with_capacity(ARENA_BYTES);
    let node = apply_node(rules, source.node(), patch, &arena)?;
    O::write(node)
}

/// Applies a patch to an object in its place: `live` becomes the patched object. On error it stays as it is.
///
/// ```
/// use kubemerge::{Patch, RuleSource, apply_in_place};
/// use serde_json::json;
///
/// let mut scale = json!({"spec": {"replicas": 1}});
/// apply_in_place(RuleSource::None, &mut scale, &Patch::merge(json!({"spec": {"replicas": 3}}))?)?;
/// assert_eq!(scale["spec"]["replicas"], 3);
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// As [`apply`].
pub fn apply_in_place<'s, O: Object<Output = O>>(
    rules: impl Into<RuleSource<'s>>,
    live: &mut O,
    patch: &Patch<'_>,
) -> Result<(), Error> {
    *live = apply(rules, live, patch)?;
    Ok(())
}

/// Applies a patch to a node and builds the result in an arena, for the crates of kubemerge, which write it themselves.
///
/// # Errors
/// As [`apply`].
#[doc(hidden)]
pub fn apply_node<'a, 's>(
    rules: impl Into<RuleSource<'s>>,
    live: Node<'a>,
    patch: &'a Patch<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let rules = rules.into();
    match &patch.instruction {
        Instruction::Strategic(source) => {
            let ty = rules.type_of(live)?;
            kubemerge_strategic::apply(ty, live, source.node(), arena)
                .map_err(|error| with_status_for_side(error, ty.schema().dialect()))
        }
        Instruction::Merge(source) => Ok(merge_patch::apply(live, source.node(), arena)),
        Instruction::Json(source) => json_patch::apply(live, source.node(), source.depth(), arena),
        Instruction::Apply { config, applier } => {
            server_side_apply::apply_node(rules, live, config.node(), applier, arena)
        }
    }
}

/// The error with the status that its side deserves.
fn with_status_for_side(error: kubemerge_strategic::MergeError, dialect: Dialect) -> Error {
    match error.side() {
        // A stored object that is at fault is no mistake of the client.
        Side::Live => error.into(),
        Side::Patch => Error::from(error).in_patch(dialect),
    }
}
