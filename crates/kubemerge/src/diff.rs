//! [`diff`], [`convert`] and [`invert`]: making patches, of any type.

use crate::{
    apply::apply_node,
    error::{Error, ErrorKind},
    json_diff::{Tests, json_diff},
    merge_diff::merge_diff,
    object::{Object, read_object},
    patch::{Patch, PatchType},
    rule_source::RuleSource,
};
use kubemerge_strategic::DiffOptions;
use kubemerge_value::{Arena, Canonical, Kind, Node, to_canonical};

/// The type of patch that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json(Tests),
}

impl Target {
    fn patch_type(self) -> PatchType {
        match self {
            Target::Strategic => PatchType::Strategic,
            Target::Merge => PatchType::Merge,
            Target::Json(_) => PatchType::Json,
        }
    }
}

/// The patch that makes `modified` of `original`, each in a form of its own.
///
/// ```
/// use kubemerge::{Dialect, Schema, Target, Tests, diff};
///
/// let schema = Schema::builtin("1.37", Dialect::Spec)?;
/// let original = r#"{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a"}, {"name": "b"}]}}"#;
/// let modified = r#"{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "b"}]}}"#;
/// let made = |target| Ok::<_, kubemerge::Error>(diff(&schema, original, modified, target)?.to_string());
///
/// assert_eq!(
///     made(Target::Strategic)?,
///     r#"{"spec":{"containers":[{"$patch":"delete","name":"a"}]}}"#
/// );
/// assert_eq!(made(Target::Merge)?, r#"{"spec":{"containers":[{"name":"b"}]}}"#);
/// assert_eq!(made(Target::Json(Tests::Without))?, r#"[{"op":"remove","path":"/spec/containers/0"}]"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A strategic merge patch of the dialect `upstream` is what Kubernetes makes, which does not always do what
/// it should; [`convert`] is stricter.
///
/// # Errors
/// If a document is no JSON object, or if no patch of the wanted type does it: a merge patch cannot set a null.
pub fn diff<'s, O: Object + ?Sized, M: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    original: &O,
    modified: &M,
    target: Target,
) -> Result<Patch<'static>, Error> {
    // Canonical text is compared by spans, and the diff reads it more than once.
    let original = to_canonical(read_object(original)?.node());
    let modified = to_canonical(read_object(modified)?.node());
    diff_documents(rules.into(), &original, &modified, target)
}

/// A patch of another type that does the same to `original`.
///
/// ```
/// use kubemerge::{RuleSource, Patch, Target, Tests, convert};
///
/// let pod = r#"{"spec": {"nodeName": "a", "priority": 1}}"#;
/// let patch = Patch::merge(r#"{"spec": {"nodeName": "b"}}"#)?;
/// let converted = convert(RuleSource::None, pod, &patch, Target::Json(Tests::With))?;
/// assert_eq!(
///     converted.to_string(),
///     r#"[{"op":"test","path":"/spec/nodeName","value":"a"},{"op":"replace","path":"/spec/nodeName","value":"b"}]"#
/// );
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// As [`apply`](crate::apply) and [`diff`]; `not-convertible` if no patch of the wanted type yields the same
/// object.
pub fn convert<'s, O: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    original: &O,
    patch: &Patch<'_>,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let rules = rules.into();
    let original = to_canonical(read_object(original)?.node());
    let modified = patched(rules, &original, patch)?;
    converted(rules, &original, &modified, target)
}

/// The patch that undoes what `patch` does to `original`.
///
/// ```
/// use kubemerge::{RuleSource, Patch, Target, invert};
///
/// let patch = Patch::merge(r#"{"replicas": 3}"#)?;
/// let inverse = invert(RuleSource::None, r#"{"replicas": 1}"#, &patch, Target::Merge)?;
/// assert_eq!(inverse.to_string(), r#"{"replicas":1}"#);
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// As [`convert`].
pub fn invert<'s, O: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    original: &O,
    patch: &Patch<'_>,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let rules = rules.into();
    let original = to_canonical(read_object(original)?.node());
    let modified = patched(rules, &original, patch)?;
    converted(rules, &modified, &original, target)
}

fn patched(rules: RuleSource<'_>, original: &Canonical, patch: &Patch<'_>) -> Result<Canonical, Error> {
    let arena = Arena::new();
    let modified = to_canonical(apply_node(rules, original.node(), patch, &arena)?);
    // A JSON patch can replace the root by a list, which no patch leads back from.
    if modified.node().kind() == Kind::Map {
        return Ok(modified);
    }
    Err(Error::new(ErrorKind::NotConvertible, "", "the patch makes something of the object that is none"))
}

/// As [`diff_documents`], for a patch that must do what it says.
fn converted(
    rules: RuleSource<'_>,
    original: &Canonical,
    modified: &Canonical,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let patch = diff_documents(rules, original, modified, target)?;
    // Upstream generates patches that do not give the modified object for some lists, so the result is
    // checked.
    if target != Target::Strategic || patched(rules, original, &patch).is_ok_and(|result| result == *modified)
    {
        return Ok(patch);
    }
    let message = "no strategic merge patch that Kubernetes makes yields the same object";
    Err(Error::new(ErrorKind::NotConvertible, "", message).with_hint("use a JSON patch"))
}

fn diff_documents(
    rules: RuleSource<'_>,
    original: &Canonical,
    modified: &Canonical,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let arena = Arena::new();
    let (original, modified) = (original.node(), modified.node());
    let patch = match target {
        Target::Strategic => strategic_diff(rules, original, modified, &arena)?,
        Target::Merge => merge_diff(original, modified, &arena)?,
        Target::Json(tests) => json_diff(original, modified, tests, &arena),
    };
    Patch::owned(target.patch_type(), patch)
}

fn strategic_diff<'a>(
    rules: RuleSource<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    // The wanted state names the type; an original without one will do.
    let ty = rules.type_of(modified).or_else(|_| rules.type_of(original))?;
    kubemerge_strategic::diff(ty, original, modified, &DiffOptions::default(), arena)
        .map_err(|error| Error::from(error).in_patch(rules.dialect()))
}
