//! Applying a patch: from the root down, deciding field by field.
//!
//! The reading order is `in_text` (documents that stay in their text), `map` (a patch map into a live map),
//! `retain_keys`, `elements` (the types of lists) and `in_place` (lists that keep their order). Each dialect has a folder:
//! `upstream` with `value` (one value into another), `clean` (values that find nothing to merge with), `keyed` and its
//! `slots`, `scalars` and `ordered` (order lists); `spec` with `value`, `list`, `keyed` and `order`; and `kustomize`, which
//! has a walk of its own.

mod by_dialect;
mod document;
pub(crate) mod elements;
pub(crate) mod error_order;
mod in_place;
mod in_text;
mod kustomize;
mod map;
mod retain_keys;
mod spec;
mod upstream;
mod value;

pub(crate) use document::document;

use crate::{
    directive::MapPatch,
    error::{MergeError, MergeErrorKind},
    observe::{MaybeObserver, Observer, no_observer},
    repeats::Repeats,
    strategy::Strategy,
};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path, map as empty_map};

/// Applies a patch to a live document, guided by the rules of its type.
///
/// The result borrows from both inputs and lives in the arena; neither input changes. The dialect is that of
/// the compiled schema of `ty`. In the dialect `kustomize` a patch can delete the document; the result is null then.
///
/// # Errors
/// Any kind of the catalogue that apply knows, with the path of the smallest value at fault.
///
/// ```
/// use kubemerge_schema::{Dialect, SchemaBuilder};
/// use kubemerge_strategic::apply;
/// use kubemerge_value::{Arena, Document, to_bytes};
///
/// let schema = SchemaBuilder::new()
///     .document(&serde_json::json!({
///         "openapi": "3.0.0",
///         "components": {"schemas": {"Pod": {"type": "object", "properties": {"containers": {
///             "type": "array",
///             "x-kubernetes-patch-strategy": "merge",
///             "x-kubernetes-patch-merge-key": "name",
///             "items": {"type": "object", "properties": {"name": {"type": "string"}}},
///         }}}}},
///     }))?
///     .compile(Dialect::Upstream)?;
/// let live = Document::check(br#"{"containers":[{"name":"web","image":"a"},{"name":"log"}]}"#)?;
/// let patch = Document::check(br#"{"containers":[{"name":"web","image":"b"}]}"#)?;
/// let arena = Arena::new();
/// let result = apply(schema.definition("Pod").unwrap(), live.node(), patch.node(), &arena)?;
/// assert_eq!(to_bytes(result), br#"{"containers":[{"name":"web","image":"b"},{"name":"log"}]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    apply_with(ty, live, patch, arena, &mut no_observer())
}

/// As [`apply`], with an observer.
///
/// # Errors
/// As [`apply`].
pub fn apply_observed<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
    mut observer: &mut dyn Observer,
) -> Result<Node<'a>, MergeError> {
    apply_with(ty, live, patch, arena, &mut observer)
}

fn apply_with<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
    observer: &mut impl MaybeObserver,
) -> Result<Node<'a>, MergeError> {
    match Strategy::of(ty) {
        Some(strategy) => Merger::new(strategy, Mode::Apply, observer, arena).root(ty, live, patch),
        None => kustomize::apply(ty, live, patch, arena, observer),
    }
}

/// Lays a patch over another one: upstream's way to put patches together.
///
/// # Errors
/// As [`apply`], and where the directives of the two patches differ.
pub(crate) fn combine<'a>(
    strategy: Strategy,
    ty: Type<'_>,
    under: Node<'a>,
    over: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    Merger::new(strategy, Mode::Combine, &mut no_observer(), arena).root(ty, under, over)
}

/// What a merge makes of its left side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It is a document; directives are carried out.
    Apply,
    /// It is a patch; directives are kept.
    Combine,
}

struct Merger<'a, 'o, O> {
    arena: &'a Arena,
    strategy: Strategy,
    mode: Mode,
    observer: &'o mut O,
    repeats: Repeats,
}

impl<'a, 'o, O: MaybeObserver> Merger<'a, 'o, O> {
    fn new(strategy: Strategy, mode: Mode, observer: &'o mut O, arena: &'a Arena) -> Self {
        Merger { arena, strategy, mode, observer, repeats: Repeats::default() }
    }

    fn root(&mut self, ty: Type<'_>, live: Node<'a>, patch: Node<'a>) -> Result<Node<'a>, MergeError> {
        let live = document(live)?;
        let Some(patch) = document(patch)? else {
            // Go decodes null into an empty map, so an empty patch changes nothing.
            return Ok(live.unwrap_or_else(|| empty_map([], self.arena)));
        };
        // The fast way says None where it does not apply, and both give the same result.
        let merged = match live.and_then(|live| self.in_text(ty, live, patch)) {
            Some(merged) => merged,
            None => self.merge_document(ty, live, patch),
        };
        merged.map_err(|error| self.in_dialect_words(error))
    }
}

fn root_delete() -> MergeError {
    let message = "a patch cannot delete the document it is applied to";
    MergeError::new(MergeErrorKind::RootDelete, &Path::ROOT, message).with_hint("delete the object instead")
}

/// A `$patch` value that is an unknown word.
fn unknown_word(patch: &MapPatch<'_>, path: &Path<'_>) -> MergeError {
    unknown_patch(patch.node, path)
}

fn unknown_patch(map: Node<'_>, path: &Path<'_>) -> MergeError {
    let word = map.get(crate::directive::PATCH).map(crate::go_text::go_string).unwrap_or_default();
    let message = format!("unknown patch type: {word} in map: {}", crate::go_text::go_text(map));
    MergeError::new(MergeErrorKind::InvalidPatchDirective, path, message)
        .with_hint("use delete, replace or merge")
}
