//! Objects and lists in the form that the client wants: whole, as metadata only, or as a table.

use serde_json::{Map, Value};

use crate::{
    catalog::request_context::RequestContext,
    kind::{Kind, shown::Shown},
    protocol::{
        media::{Form, JSON},
        reply::Reply,
        status::{Outcome, not_acceptable},
    },
    read::{
        list_text::{Found, ListText},
        table,
    },
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
pub(crate) fn list(call: &RequestContext<'_>, items: Found, meta: &ListMeta) -> Outcome<Reply> {
    let (cluster, resource) = (call.cluster, call.resource);
    let text = match call.form {
        Form::Whole => ListText::whole(cluster, resource, items, meta),
        Form::PartialList(version) => ListText::partial(cluster, resource, version, items, meta),
        Form::Partial(_) => return Err(not_acceptable(&[JSON])),
        Form::Table(version, include) => ListText::table(cluster, resource, (version, include), items, meta),
    };
    Ok(Reply::written(text))
}
