//! What may change in a CertificateSigningRequest, by whom.

use crate::field::{Field, internal_pretty, unified_diff};
use crate::registry::{Context, keep_field};
use crate::tree::{Map, Value};

/// The conditions that approve or deny.
const APPROVALS: [&str; 2] = ["Approved", "Denied"];
const FINAL: [&str; 3] = ["Approved", "Denied", "Failed"];

/// A write to `status` leaves approvals as they are, unless it adds or removes some: that is an error later.
pub(super) fn keep_all_but_certificate(request: &mut Map<'_>, old: &Map<'_>, _: Context) {
    for kind in APPROVALS {
        keep_conditions(request, old, kind);
    }
    keep_transition_times(request, old);
}

/// A write to `approval` changes conditions alone.
pub(super) fn keep_all_but_conditions(request: &mut Map<'_>, old: &Map<'_>, _: Context) {
    keep_transition_times(request, old);
    let conditions = request.map_mut("status").and_then(|status| status.remove("conditions"));
    keep_field(request, old, "status");
    let status = request.ensure_map("status");
    match conditions {
        Some(conditions) => status.set("conditions", conditions),
        None => drop(status.remove("conditions")),
    }
}

fn is_of(kind: &str) -> impl Fn(&&Map<'_>) -> bool {
    move |condition| condition.str("type") == kind
}

fn keep_conditions(request: &mut Map<'_>, old: &Map<'_>, kind: &'static str) {
    let arena = request.arena();
    let Some(stored) = old.map("status") else { return };
    let stored: Vec<&Map<'_>> = stored.maps("conditions").filter(is_of(kind)).collect();
    let Some(status) = request.map_mut("status") else { return };
    // Validation refuses other numbers, so they must stay visible.
    if status.maps("conditions").filter(is_of(kind)).count() != stored.len() {
        return;
    }
    let same = status.maps_mut("conditions").filter(|one| one.str("type") == kind);
    for (condition, stored) in same.zip(stored) {
        *condition = stored.copy_in(arena);
    }
}

/// A condition without a time keeps that of the stored one in the same state; the server tells all other times.
fn keep_transition_times(request: &mut Map<'_>, old: &Map<'_>) {
    const TIME: &str = "lastTransitionTime";
    let arena = request.arena();
    let (Some(status), Some(stored)) = (request.map_mut("status"), old.map("status")) else { return };
    for condition in status.maps_mut("conditions") {
        let is_same = |one: &&Map<'_>| {
            ["type", "status"].iter().all(|name| one.str(name) == condition.str(name)) && is_timed(one)
        };
        if is_timed(condition) {
            continue;
        }
        if let Some(time) = stored.maps("conditions").find(is_same).and_then(|one| one.get(TIME)) {
            condition.set(TIME, time.copy_in(arena));
        }
    }
}

fn is_timed(condition: &Map<'_>) -> bool {
    condition.get("lastTransitionTime").is_some_and(|time| !matches!(time, Value::Null))
}

/// What no write changes: decisions stay.
fn removals(request: Field<'_>, old: Field<'_>) {
    for kind in FINAL {
        if count(request, kind) < count(old, kind) {
            let message = format!("updates may not remove a condition of type \"{kind}\"");
            request.fields(["status", "conditions"]).forbidden(message);
        }
    }
}

fn count(request: Field<'_>, kind: &str) -> usize {
    of_kind(request, kind).count()
}

fn of_kind<'t>(request: Field<'t>, kind: &str) -> impl Iterator<Item = Field<'t>> {
    request.fields(["status", "conditions"]).items().filter(move |one| one.field("type").str() == kind)
}

fn approvals(request: Field<'_>, old: Field<'_>) {
    let place = request.fields(["status", "conditions"]);
    for kind in APPROVALS {
        let (now, before) = (count(request, kind), count(old, kind));
        if now > before {
            place.forbidden(format!("updates may not add a condition of type \"{kind}\""));
        }
        let is_same = of_kind(request, kind).zip(of_kind(old, kind)).all(|(one, other)| one.same_as(other));
        // Conditions of one type are compared in their order.
        if now == before && !is_same {
            let text = |request| {
                let go_type = "certificates.CertificateSigningRequestCondition";
                let texts: Vec<String> =
                    of_kind(request, kind).map(|one| internal_pretty(go_type, one)).collect();
                texts.join("\n")
            };
            let diff = unified_diff(&text(old), &text(request));
            place.forbidden(format!("updates may not modify a condition of type \"{kind}\"\n{diff}"));
        }
    }
}

/// What a write to the request itself may not change.
pub(super) fn changes(request: Field<'_>, old: Field<'_>) {
    removals(request, old);
    approvals(request, old);
    fixed_certificate(request, old, "updates may not set certificate content");
}

/// What a write to `status` may not change: a certificate is set once.
pub(super) fn status_changes(request: Field<'_>, old: Field<'_>) {
    removals(request, old);
    approvals(request, old);
    if !old.fields(["status", "certificate"]).is_empty() {
        fixed_certificate(request, old, "updates may not modify existing certificate content");
    }
}

/// What a write to `approval` may not change.
pub(super) fn approval_changes(request: Field<'_>, old: Field<'_>) {
    removals(request, old);
    fixed_certificate(request, old, "updates may not set certificate content");
}

fn fixed_certificate(request: Field<'_>, old: Field<'_>, message: &str) {
    let path = ["status", "certificate"];
    if request.fields(path).str() != old.fields(path).str() {
        request.fields(path).forbidden(message);
    }
}
