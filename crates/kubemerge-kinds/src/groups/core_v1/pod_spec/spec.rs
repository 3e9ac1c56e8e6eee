//! Validation of pod specs as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::containers::{Containers, containers, ephemeral_containers, init_containers};
use super::pod_of::PodOf;
use super::volumes::volumes;
use super::{affinity, all_containers, dns, operating_system, resources, security, tolerations, topology};
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain, qualified_name};
use crate::meta::labels;

/// Validates a pod spec.
pub(crate) fn validate(spec: Field<'_>, of: PodOf<'_>) {
    // The order of these calls is the order of errors in the answer.
    let volumes = volumes(spec.field("volumes"), of);
    resource_claims(spec.field("resourceClaims"), of);
    let claims = spec.field("resourceClaims").items().map(|claim| claim.field("name").str());
    let rules =
        Containers { spec, volumes: &volumes, claims: claims.filter(|name| !name.is_empty()).collect() };
    containers(&rules);
    init_containers(&rules);
    ephemeral_containers(&rules);
    resources::pod_resources(spec, &rules.claims);
    host_network(spec, of);
    policies(spec);
    labels(spec.field("nodeSelector"));
    security::pod_security_context(spec);
    namespaces(spec);
    affinity::affinity(spec.field("affinity"));
    dns::dns_config(spec);
    gates(spec);
    topology::spread_constraints(spec.field("topologySpreadConstraints"));
    operating_system::host_process(spec);
    names(spec);
    tolerations::tolerations(spec.field("tolerations"));
    dns::host_aliases(spec.field("hostAliases"));
    classes(spec);
    if spec.field("overhead").is_set() {
        resources::overhead(spec.field("overhead"));
    }
    operating_system::operating_system(spec);
    file_key_volumes(spec);
}

/// Fields with a fixed set of values.
fn policies(spec: Field<'_>) {
    spec.field("restartPolicy").require_one_of(&["Always", "OnFailure", "Never"]);
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    spec.field("dnsPolicy").require_one_of(&dns_policies);
}

fn names(spec: Field<'_>) {
    dns::hostname_override(spec);
    for name in ["serviceAccountName", "nodeName"] {
        check_if_given(spec.field(name), dns1123_subdomain);
    }
    let deadline = spec.field("activeDeadlineSeconds");
    if deadline.is_set() {
        deadline.check_range(1, i64::from(i32::MAX));
    }
    for name in ["hostname", "subdomain"] {
        check_if_given(spec.field(name), dns1123_label);
    }
}

fn classes(spec: Field<'_>) {
    check_if_given(spec.field("priorityClassName"), dns1123_subdomain);
    let class = spec.field("runtimeClassName");
    if class.is_set() {
        class.check(dns1123_subdomain);
    }
    let preemption = spec.field("preemptionPolicy");
    if preemption.is_set() {
        preemption.require_one_of(&["PreemptLowerPriority", "Never"]);
    }
}

fn check_if_given(field: Field<'_>, format: fn(&str) -> crate::format::Problems) {
    if !field.is_empty() {
        field.check(format);
    }
}

fn gates(spec: Field<'_>) {
    for gate in spec.field("readinessGates").items() {
        gate.field("conditionType").check(qualified_name);
    }
    let mut seen = BTreeSet::new();
    for gate in spec.field("schedulingGates").items() {
        let name = gate.field("name");
        // Upstream reports these at the gate, not at its name.
        name.reported_at(gate).check(qualified_name);
        if !seen.insert(name.str()) {
            name.reported_at(gate).duplicate();
        }
    }
}

fn host_network(spec: Field<'_>, of: PodOf<'_>) {
    if !spec.field("hostNetwork").bool() {
        return;
    }
    for port in spec.field("containers").items().flat_map(|container| container.field("ports").items()) {
        let (host, own) = (port.field("hostPort"), port.field("containerPort").int());
        // Templates need not repeat the port: it is filled in when a pod is made from them.
        let is_checked = matches!(of, PodOf::Pod(_)) || host.int() != 0;
        if is_checked && host.int() != own {
            host.invalid_as(host.int(), "must match `containerPort` when `hostNetwork` is true");
        }
    }
}

fn namespaces(spec: Field<'_>) {
    let share = spec.field("shareProcessNamespace");
    if share.bool() && spec.field("hostPID").bool() {
        share.invalid("ShareProcessNamespace and HostPID cannot both be enabled");
    }
    // A user namespace cannot be combined with namespaces of the host.
    if spec.field("hostUsers").opt_bool() == Some(false) {
        if spec.field("hostNetwork").bool() {
            spec.field("hostNetwork").forbidden("when `hostUsers` is false");
        }
        for devices in all_containers(spec).map(|container| container.field("volumeDevices")) {
            if !devices.is_empty() {
                devices.forbidden("when `hostUsers` is false");
            }
        }
        // Upstream writes these two with capital letters.
        for (field, reported) in [("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
            if spec.field(field).bool() {
                spec.field(reported).forbidden("when `hostUsers` is false");
            }
        }
    }
}

fn resource_claims(claims: Field<'_>, _of: PodOf<'_>) {
    let mut names = BTreeSet::new();
    for claim in claims.items() {
        let name = claim.field("name");
        if name.is_empty() {
            name.required("");
        } else if !names.insert(name.str()) {
            name.duplicate();
        } else {
            name.check(dns1123_label);
        }
        let (own, template) = (claim.field("resourceClaimName"), claim.field("resourceClaimTemplateName"));
        match (own.is_set(), template.is_set()) {
            (true, true) => claim.invalid_struct(
                "core.PodResourceClaim",
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
            ),
            (false, false) => claim.invalid_struct(
                "core.PodResourceClaim",
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            ),
            _ => {}
        }
        for reference in [own, template] {
            if reference.is_set() {
                reference.check(dns1123_subdomain);
            }
        }
    }
}

/// Variables that are read from files name a volume of the pod that is an `emptyDir`.
fn file_key_volumes(spec: Field<'_>) {
    // Of volumes with one name the last counts.
    let volumes: BTreeMap<&str, Field<'_>> =
        spec.field("volumes").items().map(|volume| (volume.field("name").str(), volume)).collect();
    for variable in all_containers(spec).flat_map(|container| container.field("env").items()) {
        if !variable.has("valueFrom") {
            continue;
        }
        let reference = variable.fields(["valueFrom", "fileKeyRef"]);
        if !reference.is_set() {
            continue;
        }
        let name = reference.field("volumeName");
        match volumes.get(name.str()) {
            None => name.not_found(),
            Some(volume) if !volume.field("emptyDir").is_set() => {
                name.invalid("referenced volume must be of type emptyDir");
            }
            Some(_) => {}
        }
    }
}
