//! Warnings about pods and templates of pods: what the API server accepts and advises against.

use std::collections::{BTreeMap, BTreeSet};

use super::all_containers;
use crate::field::Field;

/// Annotations of pods that do nothing any more.
const OLD_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

/// Kinds of volumes that do nothing any more.
const OLD_VOLUMES: [(&str, &str); 9] = [
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Labels of nodes with a newer name.
const OLD_NODE_LABELS: [(&str, &str); 8] = [
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// The warnings about the template of a workload whose spec changes.
pub(crate) fn template_warnings(workload: Field<'_>, old: Option<Field<'_>>) -> Vec<String> {
    if is_counted(workload, old) { warnings(workload.fields(["spec", "template"])) } else { Vec::new() }
}

/// Whether an object is new, or an update that its generation counts: then the specs need not be compared.
pub(crate) fn is_counted(object: Field<'_>, old: Option<Field<'_>>) -> bool {
    let generation = |object: Field<'_>| object.fields(["metadata", "generation"]).opt_int();
    old.is_none_or(|old| generation(old) != generation(object))
}

/// The warnings about a pod, or about the template of one.
pub(crate) fn warnings(pod: Field<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let found = &mut warnings;
    let (spec, annotations) = (pod.field("spec"), pod.fields(["metadata", "annotations"]));
    node_labels(spec, found);
    for (name, message) in OLD_ANNOTATIONS.into_iter().filter(|_| annotations.is_set()) {
        if annotations.key(name).is_set() {
            found.push(format!("{}: {message}", annotations.key(name).path()));
        }
    }
    for volume in spec.field("volumes").items() {
        let old = OLD_VOLUMES.iter().filter(|(name, _)| volume.field(name).is_set());
        found.extend(old.map(|(name, message)| format!("{}: {message}", volume.field(name).path())));
    }
    repeated(spec.field("hostAliases"), "ip", found);
    repeated(spec.field("imagePullSecrets"), "name", found);
    for secret in spec.field("imagePullSecrets").items().filter(|one| one.field("name").is_empty()) {
        found.push(format!("{}: invalid empty name \"\"", secret.field("name").path()));
    }
    fractions(spec.field("overhead"), found);
    all_containers(spec).for_each(|container| resources_and_env(container, found));
    ports(spec, found);
    let grace = spec.field("terminationGracePeriodSeconds");
    if grace.int() < 0 {
        let message = "must be >= 0; negative values are invalid and will be treated as 1";
        found.push(format!("{}: {message}", grace.path()));
    }
    affinity(spec.field("affinity"), found);
    warnings
}

fn old_label(name: &str) -> Option<&'static str> {
    OLD_NODE_LABELS.iter().find(|(label, _)| *label == name).map(|(_, message)| *message)
}

fn node_labels(spec: Field<'_>, found: &mut Vec<String>) {
    for (label, place) in spec.field("nodeSelector").entries() {
        found.extend(old_label(label).map(|message| format!("{}: {message}", place.path())));
    }
    for constraint in spec.field("topologySpreadConstraints").items() {
        let key = constraint.field("topologyKey");
        if let Some(message) = old_label(key.str()) {
            found.push(format!("{}: {} is {message}", key.path(), key.str()));
        }
        null_selector(constraint, found);
    }
}

/// A selector that is missing selects nothing, which few expect.
fn null_selector(place: Field<'_>, found: &mut Vec<String>) {
    let selector = place.field("labelSelector");
    if !selector.is_set() {
        found.push(format!("{}: a null labelSelector results in matching no pod", selector.path()));
    }
}

fn affinity(affinity: Field<'_>, found: &mut Vec<String>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let terms = affinity.field(kind);
        let required = terms.field("requiredDuringSchedulingIgnoredDuringExecution");
        required.items().for_each(|term| null_selector(term, found));
        let preferred = terms.field("preferredDuringSchedulingIgnoredDuringExecution");
        preferred.items().for_each(|term| null_selector(term.field("podAffinityTerm"), found));
    }
}

fn repeated(list: Field<'_>, key: &str, found: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for item in list.items() {
        let value = item.field(key);
        if !seen.insert(value.str()) {
            found.push(format!("{}: duplicate {key} {:?}", value.path(), value.str()));
        }
    }
}

/// Bytes cannot be divided.
fn fractions(amounts: Field<'_>, found: &mut Vec<String>) {
    if amounts.is_empty() {
        return;
    }
    for name in ["memory", "ephemeral-storage"] {
        let amount = amounts.key(name);
        if amount.is_set() && !amount.quantity().is_whole() {
            let (path, value) = (amount.path(), amount.str());
            found.push(format!("{path}: fractional byte value {value:?} is invalid, must be an integer"));
        }
    }
}

fn resources_and_env(container: Field<'_>, found: &mut Vec<String>) {
    let resources = container.field("resources");
    let has_amounts = !resources.is_empty();
    // In this order: of each amount first the limit.
    for name in ["memory", "ephemeral-storage"].into_iter().filter(|_| has_amounts) {
        for list in ["limits", "requests"] {
            let amount = resources.field(list).key(name);
            if amount.is_set() && !amount.quantity().is_whole() {
                let (path, value) = (amount.path(), amount.str());
                found.push(format!("{path}: fractional byte value {value:?} is invalid, must be an integer"));
            }
        }
    }
    let mut seen = BTreeSet::new();
    for variable in container.field("env").items() {
        let name = variable.field("name").str();
        if !seen.insert(name) && !extends(variable, name) {
            found.push(format!(
                "{}: hides previous definition of {name:?}, which may be dropped when using apply",
                variable.path()
            ));
        }
    }
}

/// Whether a variable such as PATH refers to its own earlier definition.
fn extends(variable: Field<'_>, name: &str) -> bool {
    let (value, reference) = (variable.field("value").str(), format!("$({name})"));
    !variable.field("valueFrom").is_set() && value != reference && value.contains(&reference)
}

fn ports(spec: Field<'_>, found: &mut Vec<String>) {
    let all = || all_containers(spec).flat_map(|container| container.field("ports").items());
    // Only ports of one number and protocol can conflict, and there are few of each.
    let mut known: BTreeMap<(i64, &str), Vec<Field<'_>>> = BTreeMap::new();
    for port in all() {
        let others =
            known.entry((port.field("containerPort").int(), port.field("protocol").str())).or_default();
        found.extend(others.iter().filter_map(|other| port_conflict(port, *other)));
        others.push(port);
    }
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for port in all().filter(|port| !port.field("name").is_empty()) {
        let name = port.field("name").str();
        match names.get(name) {
            Some(other) => found.push(format!(
                "{}: duplicate port name {name:?} with {other}, services and probes that select ports by name will \
                 use {other}",
                port.path()
            )),
            None => {
                names.insert(name, port.path());
            }
        }
    }
}

/// What is wrong with two ports of one number and protocol.
fn port_conflict(port: Field<'_>, other: Field<'_>) -> Option<String> {
    let host = |port: Field<'_>| port.field("hostPort").int();
    let address = |port: Field<'_>| port.field("hostIP").str().to_owned();
    let problem = if host(port) == host(other) && address(port) == address(other) {
        "duplicate"
    } else if host(port) == 0 || host(other) == 0 {
        "overlapping"
    // One is on all addresses of the host, the other on one of them.
    } else if host(port) == host(other) && address(port).is_empty() != address(other).is_empty() {
        "dangerously ambiguous"
    } else {
        return None;
    };
    Some(format!("{}: {problem} port definition with {}", port.path(), other.path()))
}
