//! Pod.

use super::pod_spec::{self, PodOf, match_annotations, pod_annotations, trimmed_image};
use crate::field::Field;
use crate::registry::{Context, Rules};
use crate::tree::{Map, Value};

pub(super) const RULES: Rules =
    Rules { kind: "Pod", defaults, prepare_create, validate, ..Rules::NAMESPACED };

fn defaults(pod: &mut Map<'_>, context: Context) {
    if let Some(spec) = pod.map_mut("spec") {
        pod_spec::pod_defaults(spec, context);
    }
    if let Some(status) = pod.map_mut("status") {
        status_defaults(status);
    }
}

/// `podIP` and the first of `podIPs` are the same.
fn status_defaults(status: &mut Map<'_>) {
    let first = status.maps("podIPs").next().map(|address| address.str("ip"));
    match (status.str("podIP"), first) {
        ("", None) => {}
        ("", Some(first)) => status.set("podIP", first),
        (address, Some(first)) if address == first => {}
        (address, _) => {
            let arena = status.arena();
            let mut entry = Map::new_in(arena);
            entry.set("ip", address);
            let mut list = crate::tree::List::new_in(arena);
            list.push(entry);
            status.set("podIPs", Value::List(list));
        }
    }
}

fn prepare_create(pod: &mut Map<'_>, _context: Context) {
    let status = Map::new_in(pod.arena());
    pod.set("status", status);
    pod.ensure_map("status").set("phase", "Pending");
}

fn validate(pod: Field<'_>) {
    let (metadata, spec) = (pod.field("metadata"), pod.field("spec"));
    metadata_and_spec(pod);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        ephemeral.forbidden("cannot be set on create");
    }
    if !spec.field("nodeName").is_empty() && !spec.field("schedulingGates").is_empty() {
        spec.field("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
    }
    match_annotations(metadata.field("annotations"), spec);
}

fn metadata_and_spec(pod: Field<'_>) {
    let (metadata, spec) = (pod.field("metadata"), pod.field("spec"));
    pod_annotations(metadata.field("annotations"), spec);
    pod_spec::validate(spec, PodOf::Pod(metadata));
    if spec.field("serviceAccountName").is_empty() {
        let sources =
            spec.field("volumes").items().flat_map(|volume| volume.fields(["projected", "sources"]).items());
        for token in sources.map(|source| source.field("serviceAccountToken")).filter(|token| token.is_set())
        {
            token.forbidden("must not be specified when serviceAccountName is not set");
        }
    }
    spec.field("terminationGracePeriodSeconds").check_not_negative();
    for name in ["containers", "initContainers"] {
        spec.field(name).items().for_each(trimmed_image);
    }
}
