//! What may change in a Pod.

use std::collections::{BTreeMap, BTreeSet};

use crate::field::{BadValue, Field, Report, internal_pretty, unified_diff};
use crate::tree::{Arena, Map, Value};

const UPDATABLE: &str = "pod updates may not change fields other than \
     `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
     `spec.tolerations` (only additions to existing tolerations),\
     `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Changes of a Pod: images, a shorter deadline, more tolerations, fewer gates.
pub(super) fn validate_update(pod: Field<'_>, old: Field<'_>) {
    let annotations = ["metadata", "annotations"];
    annotation_updates(pod.fields(annotations), old.fields(annotations));
    let (spec, old) = (pod.field("spec"), old.field("spec"));
    for list in ["containers", "initContainers"] {
        let containers = spec.field(list);
        if containers.len() != old.field(list).len() {
            // Upstream stops here: a comparison by position would report every container after it.
            containers.forbidden("pod updates may not add or remove containers");
            return;
        }
    }
    if !deadline(spec.field("activeDeadlineSeconds"), old.field("activeDeadlineSeconds")) {
        return;
    }
    only_added_tolerations(spec.field("tolerations"), old.field("tolerations"));
    only_deleted_gates(spec.field("schedulingGates"), old.field("schedulingGates"));
    if !spec.same_as(old) {
        other_fields(spec, old);
    }
}

/// Annotations that are fixed once a Pod is there.
pub(super) fn annotation_updates<'t>(annotations: Field<'t>, old: Field<'t>) {
    for (key, before) in old.entries() {
        let after = annotations.key(key);
        if after.is_set() && after.str() == before.str() {
            continue;
        }
        if key.starts_with(APP_ARMOR) {
            after.forbidden("may not remove or update AppArmor annotations");
        }
        if key == MIRROR {
            after.forbidden("may not remove or update mirror pod annotation");
        }
    }
    for (key, after) in annotations.entries().filter(|(key, _)| !old.key(key).is_set()) {
        if key.starts_with(APP_ARMOR) {
            after.forbidden("may not add AppArmor annotations");
        }
        if key == MIRROR {
            after.forbidden("may not add mirror pod annotation");
        }
    }
}

/// A deadline may only become shorter; returns whether validation goes on.
fn deadline(deadline: Field<'_>, old: Field<'_>) -> bool {
    match (deadline.opt_int(), old.opt_int()) {
        (Some(_), _) if !deadline.check_range(0, i64::from(i32::MAX)) => false,
        (Some(seconds), Some(before)) if before < seconds => {
            deadline.invalid("must be less than or equal to previous value");
            false
        }
        // Upstream goes on after this one.
        (None, Some(_)) => {
            deadline.invalid_as(BadValue::null(), "must not update from a positive integer to nil value");
            true
        }
        _ => true,
    }
}

fn only_added_tolerations<'t>(tolerations: Field<'t>, old: Field<'t>) {
    // The only other part, how long a taint is tolerated, may change.
    let parts = |toleration: Field<'t>| {
        ["key", "operator", "value", "effect"].map(|name| toleration.field(name).str())
    };
    let kept: BTreeSet<_> = tolerations.items().map(parts).collect();
    if !old.items().map(parts).all(|before| kept.contains(&before)) {
        tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
    }
}

fn only_deleted_gates<'t>(gates: Field<'t>, old: Field<'t>) {
    let name_of = |gate: Field<'t>| gate.field("name").str();
    let known: BTreeSet<&str> = old.items().map(name_of).collect();
    // Of gates with one name the last is reported.
    let last: BTreeMap<&str, usize> = gates.items().map(name_of).zip(0..).collect();
    for (index, gate) in gates.items().enumerate() {
        let name = gate.field("name");
        if !known.contains(name.str()) && last.get(name.str()) == Some(&index) {
            name.forbidden(format!(
                "only deletion is allowed, but found new scheduling gate '{}'",
                name.str()
            ));
        }
    }
}

/// Puts what may change back to its old value; whatever differs then may not change.
fn other_fields(spec: Field<'_>, old: Field<'_>) {
    let (Some(new), Some(before)) = (spec.map(), old.map()) else { return };
    let arena = Arena::new();
    let mut munged = new.copy_in(&arena);
    for list in ["containers", "initContainers"] {
        let images = before.maps(list).map(|container| container.get("image"));
        for (container, image) in munged.maps_mut(list).zip(images) {
            put_back(container, "image", image);
        }
    }
    for name in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        put_back(&mut munged, name, before.get(name));
    }
    let grace = before.int("terminationGracePeriodSeconds");
    // Pods stored before negative periods were refused may be repaired.
    if grace.is_some_and(|grace| grace < 0) && munged.int("terminationGracePeriodSeconds") == Some(1) {
        put_back(&mut munged, "terminationGracePeriodSeconds", before.get("terminationGracePeriodSeconds"));
    }
    // The scheduler has not looked at such a pod yet, so its constraints may still change.
    if !before.list("schedulingGates").is_empty() {
        gated_fields(spec, old, &mut munged, before);
    }
    if !munged.same_in_go(before) {
        let report = Report::new(spec.minor());
        let munged = internal_pretty("core.PodSpec", Field::root(&munged, &report));
        let difference = unified_diff(&internal_pretty("core.PodSpec", old), &munged);
        spec.forbidden(format!("{UPDATABLE}\n{difference}"));
    }
}

fn put_back(owner: &mut Map<'_>, name: &'static str, value: Option<&Value<'_>>) {
    match value {
        Some(value) => owner.set(name, value.copy_in(owner.arena())),
        None => {
            owner.remove(name);
        }
    }
}

/// A Pod that waits for its gates may still be restricted to fewer nodes.
fn gated_fields(spec: Field<'_>, old: Field<'_>, munged: &mut Map<'_>, before: &Map<'_>) {
    let selector = spec.field("nodeSelector");
    let is_kept = |(key, value): (&str, Field<'_>)| {
        let own = selector.key_owned(key);
        own.is_set() && own.str() == value.str()
    };
    if !old.field("nodeSelector").entries().all(is_kept) {
        let message = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        selector.invalid_as(selector.bad_value(), message);
    }
    put_back(munged, "nodeSelector", before.get("nodeSelector"));
    let path = ["affinity", "nodeAffinity"];
    if spec.fields(path).same_as(old.fields(path)) {
        return;
    }
    node_affinity(spec.fields(path), old.fields(path));
    let node = before.map("affinity").and_then(|affinity| affinity.get("nodeAffinity"));
    let has_affinity = munged.has("affinity");
    let has_pods = munged
        .map("affinity")
        .is_some_and(|affinity| affinity.has("podAffinity") || affinity.has("podAntiAffinity"));
    match (has_affinity, node) {
        (false, None) => {}
        // Upstream compares with nil here, so an affinity that is empty now must go.
        (true, _) if !before.has("affinity") && !has_pods => {
            munged.remove("affinity");
        }
        _ => put_back(munged.ensure_map("affinity"), "nodeAffinity", node),
    }
}

fn node_affinity(affinity: Field<'_>, old: Field<'_>) {
    let path = ["requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    let (terms, before) = (affinity.fields(path), old.fields(path));
    // Without requirements before, any that is added narrows the choice.
    if !old.field(path[0]).is_set() {
        return;
    }
    if !before.is_empty() && before.len() != terms.len() {
        terms.invalid_struct(
            "[]core.NodeSelectorTerm",
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
        );
        return;
    }
    for (term, before) in terms.items().zip(before.items()) {
        if !has_only_additions(term, before) {
            let message = "only additions are allowed (no mutations or deletions)";
            term.invalid_struct("core.NodeSelectorTerm", message);
        }
    }
}

fn has_only_additions(term: Field<'_>, old: Field<'_>) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    let was_empty = lists.iter().all(|list| old.field(list).is_empty());
    // A term without requirements matches no node, and adding one would widen it.
    if was_empty {
        return lists.iter().all(|list| term.field(list).is_empty());
    }
    lists.iter().all(|list| {
        let (own, before) = (term.field(list), old.field(list));
        // New requirements come last, so the old ones are at the same places.
        own.len() >= before.len() && before.items().zip(own.items()).all(|(one, other)| one.same_as(other))
    })
}
