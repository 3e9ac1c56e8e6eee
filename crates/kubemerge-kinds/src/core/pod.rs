//! Pod.

use super::pod_spec;
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
    pod_spec::validate(pod.field("spec"), Some(pod.field("metadata")));
}
