//! Ownership of replicas that are written through `/scale`.
//!
//! A Scale has no entries of its own: those of the object that own its replicas are translated for the write, and what
//! the write makes of them is translated back.

use kubemerge_ssa::{
    SameForm,
    fieldpath::FieldSet,
    managed_fields::{self, Endpoint, Live, LiveForm, ManagedFields, ScaleMapping, Time, Writer},
    value::{Arena, ParsedValue},
};
use serde_json::{Value as Json, json};

use crate::{
    catalog::request_context::RequestContext,
    kind::Kind,
    protocol::{
        json::written_tree,
        status::{Failure, Outcome, unclassified},
    },
    store::Ownership,
    write::{
        decode::apply::{self, Configuration},
        track::answer::show_entries,
    },
};

const API_VERSION: &str = "autoscaling/v1";

/// A new Scale, and the owners of the object's fields after it.
pub(crate) struct Rescaled {
    pub(crate) scale: Json,
    pub(crate) ownership: Ownership,
}

/// Tracks a Scale that was replaced or patched.
pub(crate) fn updated(
    call: &RequestContext<'_>,
    parent: &Ownership,
    current: &Json,
    scale: Json,
) -> Rescaled {
    let manager = call.manager();
    let ownership = with_mapping(call, |mapping| {
        let live = parent.entries();
        let entries = mapping.to_scale(live).ok()?;
        let tracked = at_scale(call, |endpoint, arena| {
            let object = ParsedValue::from_json(current, arena).ok()?;
            let new = ParsedValue::from_json(&scale, arena).ok()?;
            let writer = Writer { manager: &manager, time: Some(now(call)) };
            let live = Live { object, managed: &entries };
            managed_fields::update(endpoint, live, LiveForm::Unchecked, new, writer, arena).ok()
        });
        mapping.to_parent(live, &tracked?).ok()
    });
    // Upstream: a tracking error never fails a write.
    Rescaled { scale, ownership: ownership.map_or_else(|| parent.clone(), Ownership::new) }
}

/// A Scale with the entries that own its replicas: patches are applied to it, and messages quote it.
pub(crate) fn with_entries(call: &RequestContext<'_>, parent: &Ownership, scale: &Json) -> Json {
    let mut scale = scale.clone();
    let entries = with_mapping(call, |mapping| mapping.to_scale(parent.entries()));
    // Entries that cannot be read are left out, as an error of tracking never fails a write.
    if let Ok(entries) = entries {
        show_entries(&entries, &mut scale);
    }
    scale
}

/// Applies a configuration to a Scale.
pub(crate) fn applied(
    call: &RequestContext<'_>,
    parent: &Ownership,
    current: &Json,
    config: &Configuration<'_>,
) -> Outcome<Rescaled> {
    let live = parent.entries();
    let unreadable = |error: managed_fields::ManagedFieldsError| unclassified(error.to_string());
    with_mapping(call, |mapping| {
        let entries = mapping.to_scale(live).map_err(unreadable)?;
        let (scale, tracked) = at_scale(call, |endpoint, arena| {
            apply_at(endpoint, arena, current, &entries, config, now(call))
        })?;
        if scale.is_some() && !Kind::of(call.cluster, call.resource).converts_scale() {
            return Err(inconvertible(config));
        }
        let ownership = mapping.to_parent(live, &tracked).map_err(unreadable)?;
        Ok(Rescaled { scale: scale.unwrap_or_else(|| current.clone()), ownership: Ownership::new(ownership) })
    })
}

/// Why an apply to the Scale of a custom resource fails.
fn inconvertible(config: &Configuration<'_>) -> Failure {
    let metadata = config.text.node().get("metadata");
    let text = |name: &str| {
        let node = metadata.and_then(|metadata| metadata.get(name)).and_then(|node| node.as_str());
        node.map(|text| text.text().into_owned()).unwrap_or_default()
    };
    unclassified(format!(
        "failed to convert new object ({}/{}; {API_VERSION}, Kind=Scale) to proper version: request to convert CR to an \
         invalid group/version: {API_VERSION}",
        text("namespace"),
        text("name")
    ))
}

fn apply_at(
    endpoint: &Endpoint<'_>,
    arena: &Arena,
    current: &Json,
    entries: &ManagedFields,
    config: &Configuration<'_>,
    time: Time,
) -> Outcome<(Option<Json>, ManagedFields)> {
    let object = ParsedValue::from_json(current, arena).map_err(|error| unclassified(error.to_string()))?;
    let live = Live { object, managed: entries };
    let config_value = ParsedValue::from_canonical(&config.text, arena);
    let writer = Writer { manager: config.manager, time: Some(time) };
    let applied = managed_fields::apply(endpoint, live, config_value, writer, config.conflicting, arena)
        .map_err(apply::refused)?;
    let scale = applied.object.map(|object: ParsedValue<'_>| written_tree(&object.to_json()));
    Ok((scale, applied.managed))
}

fn now(call: &RequestContext<'_>) -> Time {
    Time(call.cluster.clock.now().seconds())
}

/// Where each version of the kind has its replicas.
fn with_mapping<R>(call: &RequestContext<'_>, run: impl FnOnce(ScaleMapping<'_>) -> R) -> R {
    let resource = call.resource;
    let paths = Kind::of(call.cluster, resource).replicas_paths();
    let paths: Vec<(&str, Option<Vec<&str>>)> = paths
        .iter()
        .map(|(version, path)| {
            (version.as_str(), path.as_ref().map(|path| path.iter().map(String::as_str).collect()))
        })
        .collect();
    let paths: Vec<(&str, Option<&[&str]>)> =
        paths.iter().map(|(version, path)| (*version, path.as_deref())).collect();
    let order = Kind::of(call.cluster, call.resource).ownership("scale").order;
    run(ScaleMapping { paths: &paths, api_version: &resource.api_version, order })
}

fn at_scale<R>(call: &RequestContext<'_>, run: impl FnOnce(&Endpoint<'_>, &Arena) -> R) -> R {
    let arena = Arena::new();
    let nothing = FieldSet::new();
    let empty = json!({"apiVersion": API_VERSION, "kind": "Scale", "metadata": {}, "spec": {}, "status": {"replicas": 0}});
    let endpoint = Endpoint {
        versions: &SameForm::built_in(&call.cluster.schema, "Scale"),
        api_version: API_VERSION,
        kind: "Scale",
        subresource: "scale",
        reset_fields: &nothing,
        order: Kind::of(call.cluster, call.resource).ownership("scale").order,
        // Not nested deep.
        empty: ParsedValue::from_json(&empty, &arena).unwrap_or(ParsedValue::EMPTY_MAP),
    };
    run(&endpoint, &arena)
}
