//! Owners of the fields of objects that are answered and never stored: reviews and tokens.
//!
//! Kubernetes tracks every object that a client creates, so that these have entries too.

use kubemerge_ssa::{
    SameForm,
    fieldpath::{FieldOrder, FieldSet},
    managed_fields::{Endpoint, Live, LiveForm, ManagedFields, Time, Writer, update},
    value::{Arena, ParsedValue},
};
use serde_json::Value;

use crate::{
    catalog::request_context::RequestContext,
    protocol::json::{Members, written_tree},
    store::ManagedFieldsView,
};

/// What is answered, as field managers see it.
pub(crate) struct Answered<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) subresource: &'a str,
    /// What Go writes of an object of the kind without content.
    pub(crate) empty: &'a Value,
}

/// Gives an object in its typed form the entries that Kubernetes answers with; those of the body lose all of its fields.
pub(crate) fn set_entries(call: &RequestContext<'_>, answered: &Answered<'_>, object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    metadata.remove("managedFields");
    let is_wanted = call.cluster.managed_fields == ManagedFieldsView::Shown;
    // An error of the field manager never fails a write.
    let Some(entries) = is_wanted.then(|| entries(call, answered, object)).flatten() else { return };
    show_entries(&entries, object);
}

/// Writes entries into the metadata of an object.
pub(crate) fn show_entries(entries: &ManagedFields, object: &mut Value) {
    if entries.is_empty() {
        return;
    }
    let mut text = Vec::new();
    entries.write_json(&mut text);
    object.member_mut("metadata").set_member("managedFields", written_tree(&text));
}

fn entries(call: &RequestContext<'_>, answered: &Answered<'_>, object: &Value) -> Option<ManagedFields> {
    let arena = Arena::new();
    let nothing = FieldSet::new();
    let empty = ParsedValue::from_json(answered.empty, &arena).ok()?;
    let endpoint = Endpoint {
        versions: &SameForm::built_in(&call.cluster.schema, answered.kind),
        api_version: answered.api_version,
        kind: answered.kind,
        subresource: answered.subresource,
        reset_fields: &nothing,
        order: FieldOrder::Path,
        empty,
    };
    let new = ParsedValue::from_json(object, &arena).ok()?;
    let manager = call.manager();
    let writer = Writer { manager: &manager, time: Some(Time(call.cluster.clock.now().seconds())) };
    let live = Live { object: empty, managed: &ManagedFields::new() };
    update(&endpoint, live, LiveForm::Unchecked, new, writer, &arena).ok()
}
