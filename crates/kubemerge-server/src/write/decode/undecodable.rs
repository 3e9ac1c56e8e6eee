//! Objects that cannot be decoded, in the words of kube-apiserver: each way into the store has its own.

use kubemerge::PatchType;
use kubemerge_kinds::{
    field_error::{FieldError, quoted},
    go_text::value_text,
    ordered_json::OrderedJson,
};
use serde_json::Value;

use crate::{
    catalog::{Resource, request_context::RequestContext},
    kind::shown::Shown,
    kind::{DecodeError, Given, Source},
    protocol::{
        json::{Members, any_tree, tree},
        status::{Failure, Qualified, bad_request, invalid, unclassified},
    },
    store::Stored,
    write::request::Write,
};

/// Where the text of an object comes from; errors differ.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'p> {
    /// The body of a request.
    Body,
    /// The result of a patch.
    Patch(Patching<'p>),
    /// The result of an apply.
    Apply,
}

/// A patch of a stored object.
#[derive(Clone, Copy)]
pub(crate) struct Patching<'p> {
    pub(crate) patch_type: PatchType,
    pub(crate) stored: &'p Stored,
}

/// The refusal of an object: 400 for a body, 422 for the result of a patch, 500 for that of an apply.
pub(crate) fn undecodable(write: Write<'_>, why: &str, origin: Origin<'_>, object: &str) -> Failure {
    let call = write.call;
    match origin {
        Origin::Body => {
            let (kind, version) = (&call.resource.kind, &call.resource.version);
            bad_request(format!("{kind} in version {} cannot be handled as a {kind}: {why}", quoted(version)))
        }
        Origin::Patch(patching) => {
            let shown = quoted_object(write, patching);
            let first = shown.as_deref().and_then(|text| first_error(write, patching.patch_type, text));
            invalid_patch(shown.as_deref().unwrap_or(object), first.as_deref().unwrap_or(why))
        }
        Origin::Apply => unclassified(not_convertible(call, why)),
    }
}

/// The refusal of the result of a patch, which is the value of the error as one string.
pub(crate) fn invalid_patch(object: &str, why: &str) -> Failure {
    let error = FieldError::invalid("patch", &Value::from(object), why);
    invalid(Qualified { group: "", name: "" }, "", &[error])
}

/// What the message quotes: what the merge leaves of the patch if it is a strategic merge patch, else the patched text.
fn quoted_object(write: Write<'_>, patching: Patching<'_>) -> Option<String> {
    let call = write.call;
    if patching.patch_type == PatchType::Strategic {
        let mut patch = any_tree(call.body)?;
        let ty = call.cluster.schema.type_of(&call.resource.api_version, &call.resource.kind);
        if let Some(ty) = ty {
            kubemerge_strategic::take_out_merged(ty, &tree(patching.stored.record.node()), &mut patch);
        }
        return Some(value_text(&patch));
    }
    let mut text = Vec::new();
    Shown::stored(patching.stored).write(write.kind, &mut text);
    let mut object = write.kind.quoted(OrderedJson::read(&text)?);
    let patch = OrderedJson::read(call.body)?;
    match patching.patch_type {
        PatchType::Json => object.apply(&patch)?,
        _ => object.merge(&patch),
    }
    Some(object.to_text())
}

/// The first error in the order of the patched text, which is not that of our own text.
fn first_error(write: Write<'_>, patch_type: PatchType, text: &str) -> Option<String> {
    if patch_type == PatchType::Strategic {
        return None;
    }
    let source = Source::Text(write.arena.alloc_str(text));
    let given = Given { source, reading: write.reading };
    match write.kind.decode(given, write.arena) {
        Err(DecodeError::Undecodable(why)) => Some(why),
        _ => None,
    }
}

fn not_convertible(call: &RequestContext<'_>, why: &str) -> String {
    let Resource { group, version, kind, .. } = &**call.resource;
    // Upstream: the namespace is that of the configuration, which clients rarely give.
    let config = any_tree(call.body).unwrap_or_default();
    let namespace = config.member("metadata").member("namespace").as_str().unwrap_or_default();
    let (name, ty) = (call.name(), format!("{group}/{version}, Kind={kind}"));
    format!(
        "failed to convert new object ({namespace}/{name}; {ty}) to proper version: unable to convert unstructured \
         object to {ty}: {why}"
    )
}
