//! Objects and lists in the form that the client wants: whole, as metadata only, or as a table.

use serde_json::{Map, Value, json};

use crate::protocol::json::Members;
use crate::{
    catalog::request_context::RequestContext,
    kind::{Kind, shown::Shown},
    protocol::{
        media::{Form, JSON},
        reply::Reply,
        status::{Outcome, not_acceptable},
    },
    read::table,
    store::Revision,
};

/// Answers one object in the form the client wants.
pub(crate) fn object(call: &RequestContext<'_>, code: u16, shown: Shown<'_>) -> Outcome<Reply> {
    let shown = shown.with(call.cluster.managed_fields);
    match call.form {
        Form::Whole => {
            let mut text = Vec::with_capacity(shown.record.max_size(shown.revision.unwrap_or(0)));
            shown.write(Kind::of(call.cluster, call.resource), &mut text);
            Ok(Reply::json(code, text))
        }
        Form::Partial(version) => Ok(Reply::value(code, &shown.partial(version))),
        // A client that wants a list of metadata cannot read one object.
        Form::PartialList(_) => Err(not_acceptable(&[JSON])),
        Form::Table(version, include) => {
            let table = table::of_one(call, shown, version, include);
            Ok(Reply::value(code, &table))
        }
    }
}

/// What a list says about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMeta {
    pub(crate) revision: Revision,
    pub(crate) continue_token: Option<String>,
    pub(crate) remaining: Option<usize>,
}

impl ListMeta {
    pub(crate) fn to_value(&self) -> Value {
        let mut metadata = Map::new();
        metadata.insert("resourceVersion".into(), self.revision.to_string().into());
        if let Some(token) = &self.continue_token {
            metadata.insert("continue".into(), token.as_str().into());
        }
        if let Some(remaining) = self.remaining {
            metadata.insert("remainingItemCount".into(), remaining.into());
        }
        Value::Object(metadata)
    }
}

/// Answers a list in the form the client wants.
pub(crate) fn list(call: &RequestContext<'_>, items: &[Shown<'_>], meta: &ListMeta) -> Outcome<Reply> {
    match call.form {
        Form::Whole => Ok(Reply::json(200, whole_list(Kind::of(call.cluster, call.resource), items, meta))),
        Form::PartialList(version) => {
            let items: Vec<Value> = items.iter().map(|item| item.partial(version)).collect();
            let list = json!({"kind": "PartialObjectMetadataList", "apiVersion": version.api_version(),
                "metadata": meta.to_value(), "items": items});
            Ok(Reply::value(200, &list))
        }
        Form::Partial(_) => Err(not_acceptable(&[JSON])),
        Form::Table(version, include) => {
            let mut table = table::of_many(call, items, version, include);
            table.set_member("metadata", meta.to_value());
            Ok(Reply::value(200, &table))
        }
    }
}

/// The items are joined as they are stored; those of built-in kinds carry no type of their own.
fn whole_list(kind: Kind<'_>, items: &[Shown<'_>], meta: &ListMeta) -> Vec<u8> {
    let resource = kind.resource();
    let size: usize = items.iter().map(|item| item.record.max_size(meta.revision)).sum();
    let mut out = Vec::with_capacity(size + 256);
    let mut metadata = meta.to_value();
    // Upstream: lists of custom resources have the token of the next page even if there is none.
    if kind.items_have_type() && meta.continue_token.is_none() {
        metadata.set_member("continue", "".into());
    }
    let head = format!(
        "{{\"kind\":\"{}\",\"apiVersion\":\"{}\",\"metadata\":{},\"items\":[",
        resource.list_kind, resource.api_version, metadata
    );
    out.extend_from_slice(head.as_bytes());
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match item.revision {
            // Upstream: items of custom resources keep apiVersion and kind, others lose them.
            Some(revision) if !kind.items_have_type() => item.write_item(revision, kind, &mut out),
            _ => item.write(kind, &mut out),
        }
    }
    out.extend_from_slice(b"]}");
    out
}
