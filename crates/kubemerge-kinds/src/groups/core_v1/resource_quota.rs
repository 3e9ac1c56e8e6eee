//! ResourceQuota.

use std::collections::BTreeSet;

use super::pod_spec::{is_standard, quantity_value, resource_list, resource_name};
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ResourceQuota",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { delete_answer: DeleteAnswer::Object, ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: |quota| spec(quota.field("spec")),
        update: |quota, old| {
            let scopes = quota.fields(["spec", "scopes"]);
            // The order of scopes means nothing.
            if names(scopes) != names(old.fields(["spec", "scopes"])) {
                scopes.invalid_as(scopes.bad_value(), "field is immutable");
            }
        },
        on_update: OnUpdate::ValidateObject,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |quota, _| {
            let status = quota.field("status");
            ["hard", "used"].into_iter().for_each(|name| quantities(status.field(name)));
        },
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Request", Cell::Computed(control::quota_requests)),
            KindColumn::string("Limit", Cell::Computed(control::quota_limits)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// Scopes that only say that they are there.
const EXISTENCE_SCOPES: [&str; 5] =
    ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

fn defaults(quota: &mut Map<'_>, _: Context) {
    if let Some(spec) = quota.map_mut("spec") {
        resource_list(spec, "hard");
    }
    if let Some(status) = quota.map_mut("status") {
        resource_list(status, "hard");
        resource_list(status, "used");
    }
}

fn names(list: Field<'_>) -> BTreeSet<&str> {
    list.items().map(Field::str).collect()
}

fn quantities(quantities: Field<'_>) {
    for (name, quantity) in quantities.entries() {
        resource_name(name, quantity);
        if !name.contains('/') && !is_for_quota(name) {
            quantity.invalid_as(name, "must be a standard resource for quota");
        }
        quantity_value(name, quantity);
    }
}

fn is_for_quota(name: &str) -> bool {
    // Storage is limited as `requests.storage`.
    is_standard(name) && name != "storage"
}

fn spec(spec: Field<'_>) {
    quantities(spec.field("hard"));
    let limited: Vec<&str> =
        spec.field("hard").entries().map(|(name, _)| name).filter(|name| is_for_quota(name)).collect();
    scopes(spec.field("scopes"), &limited);
    if spec.field("scopeSelector").is_set() {
        scope_selector(spec, &limited);
    }
}

fn is_scope(scope: &str) -> bool {
    EXISTENCE_SCOPES.contains(&scope) || matches!(scope, "PriorityClass" | "VolumeAttributesClass")
}

/// Whether a quota for a resource can be limited to a scope.
fn fits(scope: &str, resource: &str) -> bool {
    let is_compute = matches!(
        resource,
        "cpu" | "memory" | "limits.cpu" | "limits.memory" | "requests.cpu" | "requests.memory"
    );
    match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => matches!(resource, "persistentvolumeclaims" | "requests.storage"),
        // Scopes select pods, so they fit what pods are counted by.
        scope if is_scope(scope) => resource == "pods" || is_compute,
        _ => true,
    }
}

fn are_in_conflict(scopes: &BTreeSet<&str>) -> impl Iterator<Item = ()> {
    let pairs = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];
    pairs.into_iter().filter(|pair| pair.iter().all(|scope| scopes.contains(scope))).map(|_| ())
}

fn scopes(scopes: Field<'_>, limited: &[&str]) {
    for scope in scopes.items() {
        if !is_scope(scope.str()) {
            scopes.invalid("unsupported scope");
        }
        for _ in limited.iter().filter(|resource| !fits(scope.str(), resource)) {
            scopes.invalid("unsupported scope applied to resource");
        }
    }
    are_in_conflict(&names(scopes)).for_each(|()| scopes.invalid("conflicting scopes"));
}

fn scope_selector(spec: Field<'_>, limited: &[&str]) {
    let selector = spec.field("scopeSelector");
    // Upstream reports everything at the list of requirements, without an index.
    let list = selector.field("matchExpressions");
    for requirement in list.items() {
        let scope = requirement.field("scopeName");
        if !is_scope(scope.str()) {
            scope.reported_at(list.field("scopeName")).invalid("unsupported scope");
        }
        for _ in limited.iter().filter(|resource| !fits(scope.str(), resource)) {
            let selector = selector.reported_at(list);
            selector.invalid_struct("*core.ScopeSelector", "unsupported scope applied to resource");
        }
        self::requirement(requirement, list);
    }
    let scopes: BTreeSet<&str> = list.items().map(|one| one.field("scopeName").str()).collect();
    // Upstream prints the other list of scopes here.
    let bad_value = spec.field("scopes").bad_value();
    are_in_conflict(&scopes).for_each(|()| list.invalid_as(bad_value.clone(), "conflicting scopes"));
}

fn requirement<'t>(requirement: Field<'t>, list: Field<'t>) {
    let operator = requirement.field("operator").reported_at(list.field("operator"));
    let values = requirement.field("values").reported_at(list.field("values"));
    let is_existence = EXISTENCE_SCOPES.contains(&requirement.field("scopeName").str());
    if is_existence && operator.str() != "Exists" {
        operator.invalid(
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, \
             ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
             ResourceQuotaScopeCrossNamespacePodAffinity",
        );
    }
    match operator.str() {
        "In" | "NotIn" => {
            values
                .require("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
        }
        "Exists" | "DoesNotExist" if values.is_empty() => {}
        "Exists" | "DoesNotExist" => {
            values
                .invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
        }
        _ => operator.invalid("not a valid selector operator"),
    }
}
