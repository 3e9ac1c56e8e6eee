//! [`diff`] and [`convert`]: making patches, of any type.

use crate::{
    apply::apply_node,
    error::{Error, ErrorKind},
    guide::Guide,
    json_diff::{Tests, json_diff},
    merge_diff::merge_diff,
    object::{Object, Source, read_object},
    patch::{Patch, PatchType},
};
use kubemerge_value::{Arena, Canonical, Kind, Node, to_bytes, to_canonical};

/// The type of patch that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json(Tests),
}

impl Target {
    fn patch_type(self) -> PatchType {
        match self {
            Target::Merge => PatchType::Merge,
            Target::Json(_) => PatchType::Json,
        }
    }
}

/// The patch that makes `modified` of `original`.
///
/// ```
/// use kubemerge::{Guide, Target, Tests, diff};
///
/// let (original, modified) = (r#"{"image": "web:1", "args": ["-v"]}"#, r#"{"image": "web:2"}"#);
/// let patch = diff(Guide::None, original, modified, Target::Merge)?;
/// assert_eq!(patch.to_bytes(), br#"{"args":null,"image":"web:2"}"#);
///
/// let patch = diff(Guide::None, original, modified, Target::Json(Tests::Without))?;
/// assert_eq!(
///     patch.to_bytes(),
///     br#"[{"op":"remove","path":"/args"},{"op":"replace","path":"/image","value":"web:2"}]"#
/// );
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// If a document is no JSON object, or if no patch of the wanted type does it: a merge patch cannot set a null.
pub fn diff<'s, O: Object + ?Sized>(
    guide: impl Into<Guide<'s>>,
    original: &O,
    modified: &O,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let original = to_canonical(read_object(original)?.node());
    let modified = to_canonical(read_object(modified)?.node());
    diff_documents(guide.into(), &original, &modified, target)
}

/// A patch of another type that does the same to `original`.
///
/// ```
/// use kubemerge::{Guide, Patch, Target, Tests, convert};
///
/// let pod = r#"{"spec": {"nodeName": "a", "priority": 1}}"#;
/// let patch = Patch::merge(r#"{"spec": {"nodeName": "b"}}"#)?;
/// let converted = convert(Guide::None, pod, &patch, Target::Json(Tests::With))?;
/// assert_eq!(
///     String::from_utf8_lossy(&converted.to_bytes()),
///     r#"[{"op":"test","path":"/spec/nodeName","value":"a"},{"op":"replace","path":"/spec/nodeName","value":"b"}]"#
/// );
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// # Errors
/// As [`apply`](crate::apply) and [`diff`].
pub fn convert<'s, O: Object + ?Sized>(
    guide: impl Into<Guide<'s>>,
    original: &O,
    patch: &Patch<'_>,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let guide = guide.into();
    let original = to_canonical(read_object(original)?.node());
    let arena = Arena::new();
    let modified = to_canonical(apply_node(guide, original.node(), patch, &arena)?);
    if modified.node().kind() != Kind::Map {
        return Err(Error::new(
            ErrorKind::NotConvertible,
            "",
            "the patch makes something of it that is no object",
        ));
    }
    diff_documents(guide, &original, &modified, target)
}

fn diff_documents(
    _guide: Guide<'_>,
    original: &Canonical,
    modified: &Canonical,
    target: Target,
) -> Result<Patch<'static>, Error> {
    let arena = Arena::new();
    let (original, modified) = (original.node(), modified.node());
    let patch: Node<'_> = match target {
        Target::Merge => merge_diff(original, modified, &arena)?,
        Target::Json(tests) => json_diff(original, modified, tests, &arena),
    };
    Patch::of(target.patch_type(), Source::own(&to_bytes(patch))?)
}
