//! [`kubectl_apply`]: the whole of `kubectl apply` as one call. Last applied configuration, configuration and live
//! object go in, the patch and its result come out.

use crate::{
    error::{Error, ErrorKind},
    json_three_way, merge_patch,
    object::{Object, read_object},
    patch::{Patch, PatchType},
    rule_source::RuleSource,
    three_way::OnConflict,
};
use kubemerge_strategic::{MergeErrorKind, SAME_OBJECT, VersionNodes, three_way};
use kubemerge_value::{Arena, Document, Kind, Node, Path, Str, map, to_canonical};

/// Where `kubectl apply` keeps the configuration that was applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// How many bytes the annotations of an object may have, names and values together.
pub const MAX_ANNOTATION_BYTES: usize = 262_144;

/// What `kubectl apply` does to an object.
#[derive(Clone, Debug)]
pub enum KubectlApplied<T> {
    /// There was no live object; this one is created.
    Created(T),
    /// Nothing is sent.
    Unchanged,
    /// A patch is sent.
    Configured {
        /// The patch: strategic where there is a schema, else a merge patch.
        patch: Patch<'static>,
        /// The live object after the patch, before the server sets defaults.
        result: T,
    },
}

/// What `kubectl apply` makes of a configuration and a live object.
///
/// With a schema that knows the kind it is a strategic three-way merge. Without one, and for custom resources in
/// dialect `upstream`, it is a merge patch, which must not change apiVersion, kind and name. Results have the form of
/// the live object, also where there is none: `None::<&str>` asks for text.
///
/// ```
/// use kubemerge::{KubectlApplied, Dialect, OnConflict, Schema, kubectl_apply};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let config = |data: &str| {
///     format!(r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "c"}}, "data": {data}}}"#)
/// };
/// let created = kubectl_apply(&schema, &config(r#"{"a": "1"}"#), None::<&str>, OnConflict::Overwrite)?;
/// let KubectlApplied::Created(live) = created else { panic!("there was no object") };
///
/// let again = kubectl_apply(&schema, &config(r#"{"a": "1"}"#), Some(&live), OnConflict::Overwrite)?;
/// assert!(matches!(again, KubectlApplied::Unchanged));
///
/// let changed = kubectl_apply(&schema, &config(r#"{"b": "2"}"#), Some(&live), OnConflict::Overwrite)?;
/// let KubectlApplied::Configured { patch, result } = changed else { panic!("the data changed") };
/// assert!(patch.to_string().contains(r#""data":{"a":null,"b":"2"}"#));
/// assert!(result.contains(r#""data":{"b":"2"}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the annotation of the live object is no JSON object, if the annotations become too long, and as
/// [`three_way`](crate::three_way()) and [`json_three_way`](crate::json_three_way()).
pub fn kubectl_apply<'s, C: Object + ?Sized, L: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    config: &C,
    live: Option<&L>,
    on_conflict: OnConflict,
) -> Result<KubectlApplied<L::Output>, Error> {
    let (config, live) = (read_object(config)?, live.map(read_object).transpose()?);
    let arena = Arena::new();
    let modified = with_last_applied(config.node(), &arena)?;
    let Some(current) = live.as_ref().map(|live| live.node()) else {
        // The API server would refuse the object, and kubectl says so as well.
        check_annotations(modified, &arena)?;
        return Ok(KubectlApplied::Created(L::write(modified)?));
    };
    // Without the annotation nothing is deleted.
    let original = last_applied(current, &arena)?.unwrap_or(Node::NULL);
    let versions = VersionNodes { original, modified, current };
    let (patch_type, patch, result) = update(rules.into(), &versions, on_conflict, &arena)?;
    if patch.is_empty() {
        return Ok(KubectlApplied::Unchanged);
    }
    check_annotations(result, &arena)?;
    Ok(KubectlApplied::Configured { patch: Patch::owned(patch_type, patch)?, result: L::write(result)? })
}

/// The patch for the live object, and what it makes of it.
fn update<'a>(
    rules: RuleSource<'_>,
    versions: &VersionNodes<'a>,
    on_conflict: OnConflict,
    arena: &'a Arena,
) -> Result<(PatchType, Node<'a>, Node<'a>), Error> {
    let VersionNodes { original, modified, current } = *versions;
    // Kinds without a schema get a JSON merge patch, as kubectl does.
    let Ok(ty) = rules.type_of(current) else {
        let patch = json_three_way::patch(versions, SAME_OBJECT, arena)?;
        return Ok((PatchType::Merge, patch, merge_patch::apply(current, patch, arena)));
    };
    let refused = |error| Error::from(error).in_patch(rules.dialect());
    let patch = three_way(ty, original, modified, current, on_conflict, arena).map_err(refused)?;
    let result = kubemerge_strategic::apply(ty, current, patch, arena).map_err(refused)?;
    Ok((PatchType::Strategic, patch, result))
}

/// The configuration that was applied last, as the annotation of a live object tells it; `None` without one.
fn last_applied<'a>(live: Node<'a>, arena: &'a Arena) -> Result<Option<Node<'a>>, Error> {
    let annotations = live.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let Some(text) = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)) else {
        return Ok(None);
    };
    let text = text.as_str().ok_or_else(|| unreadable("it is no string"))?;
    let text: &'a str = arena.alloc_str(&text.text());
    let document: &'a Document<'a> =
        arena.alloc(Document::check(text.as_bytes()).map_err(|error| unreadable(&error.to_string()))?);
    match document.node().kind() {
        Kind::Map => Ok(Some(document.node())),
        _ => Err(unreadable("it is no JSON object")),
    }
}

/// The configuration with itself as annotation, as `kubectl apply` sends it.
fn with_last_applied<'a>(config: Node<'a>, arena: &'a Arena) -> Result<Node<'a>, Error> {
    let metadata = part(config, "metadata", "metadata")?;
    let annotations = part(metadata, "annotations", "metadata.annotations")?;
    // What is remembered has annotations, be they empty, but not the memory itself.
    let others: Vec<_> = annotations
        .entries(arena)
        .iter()
        .filter(|entry| !entry.key.is(LAST_APPLIED))
        .map(|entry| (entry.key, entry.value))
        .collect();
    let bare = with_annotations(config, metadata, map(others.iter().copied(), arena), arena);
    // kubectl's encoder ends with a line break.
    let text = String::from_utf8_lossy(to_canonical(bare).as_bytes()).into_owned() + "\n";
    let memory = (Str::plain(LAST_APPLIED), Node::string(arena.alloc_str(&text)));
    Ok(with_annotations(config, metadata, map(others.into_iter().chain([memory]), arena), arena))
}

fn with_annotations<'a>(
    config: Node<'a>,
    metadata: Node<'a>,
    annotations: Node<'a>,
    arena: &'a Arena,
) -> Node<'a> {
    set(config, "metadata", set(metadata, "annotations", annotations, arena), arena)
}

fn set<'a>(object: Node<'a>, name: &'static str, value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let others = object.entries(arena).iter().filter(|entry| !entry.key.is(name));
    let others = others.map(|entry| (entry.key, entry.value));
    map(others.chain([(Str::plain(name), value)]), arena)
}

/// A part of a document that is a map, or not there.
fn part<'a>(object: Node<'a>, name: &str, path: &str) -> Result<Node<'a>, Error> {
    match object.get(name) {
        None => Ok(Node::NULL),
        Some(part) if matches!(part.kind(), Kind::Map | Kind::Null) => Ok(part),
        Some(_) => Err(Error::invalid_document(format!("{path} must be a map"))),
    }
}

fn unreadable(why: &str) -> Error {
    let metadata = Path::ROOT.field("metadata".into());
    let annotations = metadata.field("annotations".into());
    let kind = ErrorKind::Merge(MergeErrorKind::InvalidDocument);
    Error::new(
        kind,
        annotations.field(LAST_APPLIED.into()).to_string(),
        format!("invalid JSON document: {why}"),
    )
    .with_hint("remove the annotation, or apply once with `kubectl apply set-last-applied`")
}

/// The limit that the API server puts on annotations.
fn check_annotations<'a>(object: Node<'a>, arena: &'a Arena) -> Result<(), Error> {
    let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let Some(annotations) = annotations else { return Ok(()) };
    let mut bytes = 0;
    for entry in annotations.entries(arena) {
        bytes += entry.key.bytes().len() + entry.value.as_str().map_or(0, |text| text.bytes().len());
    }
    if bytes <= MAX_ANNOTATION_BYTES {
        return Ok(());
    }
    let message = format!("Too long: may not be more than {MAX_ANNOTATION_BYTES} bytes");
    Err(Error::new(ErrorKind::AnnotationsTooLong, "metadata.annotations", message).with_hint(format!(
        "they have {bytes} bytes; use server-side apply, which keeps no copy of the configuration"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_schema::{Dialect, Schema};

    fn config(data: &str) -> String {
        format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"c"}},"data":{data}}}"#)
    }

    fn created(config: &str) -> String {
        match kubectl_apply(RuleSource::None, config, None::<&str>, OnConflict::Overwrite).unwrap() {
            KubectlApplied::Created(object) => object,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_annotation_is_what_kubectl_writes() {
        let live = created(r#"{"kind":"A","spec":{"b":"<1>","a":80.0}}"#);
        let document = Document::check(live.as_bytes()).unwrap();
        let arena = Arena::new();
        let annotations = document.node().get("metadata").and_then(|metadata| metadata.get("annotations"));
        let text = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)).and_then(Node::as_str);
        assert_eq!(
            text.unwrap().text(),
            "{\"kind\":\"A\",\"metadata\":{\"annotations\":{}},\"spec\":{\"a\":80,\"b\":\"\\u003c1\\u003e\"}}\n"
        );
        assert_eq!(
            last_applied(document.node(), &arena).unwrap().unwrap().get("kind").unwrap().as_str(),
            Some("A".into())
        );
    }

    #[test]
    fn an_old_annotation_in_the_file_is_not_remembered() {
        let once = created(&config(r#"{"a":"1"}"#));
        assert_eq!(created(&once), once);
    }

    #[test]
    fn what_others_added_stays() {
        let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
        let live = created(&config(r#"{"a":"1","b":"1"}"#)).replace(r#""b":"1""#, r#""b":"1","c":"3""#);
        let applied =
            kubectl_apply(&schema, &config(r#"{"a":"2"}"#), Some(&live), OnConflict::Overwrite).unwrap();
        let KubectlApplied::Configured { patch, result } = applied else { panic!("{applied:?}") };
        assert_eq!(patch.patch_type(), PatchType::Strategic);
        assert!(result.contains(r#""data":{"a":"2","c":"3"}"#), "{result}");
    }

    #[test]
    fn without_a_schema_it_is_a_merge_patch_of_the_same_object() {
        let live = created(r#"{"apiVersion":"e/v1","kind":"Tree","metadata":{"name":"t"},"spec":{"a":[1]}}"#);
        let apply =
            |config: &str| kubectl_apply(RuleSource::None, config, Some(&live), OnConflict::Overwrite);
        let taller = r#"{"apiVersion":"e/v1","kind":"Tree","metadata":{"name":"t"},"spec":{"a":[2]}}"#;
        let KubectlApplied::Configured { patch, .. } = apply(taller).unwrap() else {
            panic!("the list changed")
        };
        assert_eq!(patch.patch_type(), PatchType::Merge);
        let renamed = apply(&taller.replace(r#""t""#, r#""u""#)).unwrap_err();
        assert_eq!((renamed.kind().name(), renamed.path()), ("precondition-failed", "metadata.name"));
    }

    #[test]
    fn annotations_have_a_limit() {
        let large = config(&format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_ANNOTATION_BYTES)));
        let error = kubectl_apply(RuleSource::None, &large, None::<&str>, OnConflict::Overwrite).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::AnnotationsTooLong, "metadata.annotations"));
    }

    #[test]
    fn an_unreadable_annotation_is_named() {
        let live = format!(r#"{{"metadata":{{"annotations":{{"{LAST_APPLIED}":"[]"}}}}}}"#);
        let error =
            kubectl_apply(RuleSource::None, "{}", Some(live.as_str()), OnConflict::Overwrite).unwrap_err();
        assert_eq!(error.path(), "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]");
    }
}
