//! [`apply`]: patches an object.

use crate::{
    error::Error,
    json_patch, merge_patch,
    object::{Object, read_object},
    patch::Patch,
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

/// Applies a patch to a node and builds the result in an arena.
///
/// For callers who write the result themselves: [`segments`](crate::segments) gives it in pieces for a vectored
/// write, in which nothing untouched is copied.
///
/// ```
/// use kubemerge::{Arena, Document, RuleSource, Patch, apply_node, segments};
/// use std::io::{IoSlice, Write};
///
/// let live = Document::check(br#"{"spec": {"replicas": 1}, "status": {}}"#)?;
/// let patch = Patch::merge(br#"{"spec": {"replicas": 3}}"#)?;
/// let arena = Arena::new();
/// let segments = segments(apply_node(RuleSource::None, live.node(), &patch, &arena)?);
/// let slices: Vec<IoSlice<'_>> = segments.iter().map(IoSlice::new).collect();
/// let mut socket = Vec::new();
/// socket.write_vectored(&slices).unwrap();
/// assert_eq!(socket, br#"{"spec":{"replicas":3}, "status": {}}"#);
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// As [`apply`].
pub fn apply_node<'a, 's>(
    rules: impl Into<RuleSource<'s>>,
    live: Node<'a>,
    patch: &'a Patch<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let rules = rules.into();
    match patch {
        Patch::Strategic(source) => {
            let ty = rules.type_of(live)?;
            kubemerge_strategic::apply(ty, live, source.node(), arena)
                .map_err(|error| with_status_for_side(error, ty.schema().dialect()))
        }
        Patch::Merge(source) => Ok(merge_patch::apply(live, source.node(), arena)),
        Patch::Json(source) => json_patch::apply(live, source.node(), source.depth(), arena),
        Patch::Apply { config, applier } => {
            server_side_apply::apply_node(rules, live, config.node(), *applier, arena)
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
