//! ResourceQuotas: what an object uses, and whether a quota has room for it.

use std::collections::{BTreeMap, BTreeSet};

use super::amounts::{ResourceAmount, ResourceAmounts, add, amounts, of_pod};
use crate::tree::{Map, Value};

/// The resource that an object is of, as quotas name it.
#[derive(Clone, Copy, Debug)]
pub struct QuotaResource<'r> {
    /// The API group; empty for the core group.
    pub group: &'r str,
    /// The plural name.
    pub plural: &'r str,
}

impl QuotaResource<'_> {
    fn is_core(self, plural: &str) -> bool {
        self.group.is_empty() && self.plural == plural
    }

    fn is_pods(self) -> bool {
        self.is_core("pods")
    }

    /// The name under which quotas count objects of any kind.
    fn count_name(self) -> String {
        let QuotaResource { group, plural } = self;
        if group.is_empty() { format!("count/{plural}") } else { format!("count/{plural}.{group}") }
    }

    /// Whether an update may change what an object uses: others are only counted, and pods do not change what they
    /// ask for.
    pub fn may_grow(self) -> bool {
        self.is_core("services") || self.is_core("persistentvolumeclaims")
    }

    /// Whether one of the limits may be about the resource.
    pub fn is_limited(self, limits: &ResourceAmounts) -> bool {
        // These have amounts of their own.
        let is_measured = self.is_pods() || self.may_grow();
        let is_counted = self.group.is_empty() && limits.contains_key(self.plural);
        is_measured || is_counted || limits.contains_key(&self.count_name())
    }
}

/// Core resources that a quota may count by their names alone.
const COUNTED_BY_NAME: [&str; 7] = [
    "configmaps",
    "persistentvolumeclaims",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "pods",
];
/// Resources of pods that are counted by their own names, too.
const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// If a quota limits one of these, every container must ask for it.
const REQUIRED_OF_CONTAINERS: [&str; 6] =
    ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const CLASS_SUFFIX: &str = ".storageclass.storage.k8s.io";

/// What an object uses of all that quotas can limit.
pub fn quota_usage(resource: QuotaResource<'_>, object: &Map<'_>) -> ResourceAmounts {
    let one = ResourceAmount::count(1);
    let QuotaResource { group, plural } = resource;
    let mut usage = ResourceAmounts::from([(resource.count_name(), one)]);
    let is_ended = plural == "pods" && is_ended(object);
    if group.is_empty() && COUNTED_BY_NAME.contains(&plural) && !is_ended {
        usage.insert(plural.to_owned(), one);
    }
    match (group, plural) {
        ("", "pods") if !is_ended => {
            add(&mut usage, &compute(&of_pod(object, "requests"), &of_pod(object, "limits")));
        }
        ("", "services") => add(&mut usage, &of_service(object)),
        ("", "persistentvolumeclaims") => add(&mut usage, &of_claim(object)),
        _ => {}
    }
    usage
}

/// Pods that have ended use nothing but their place in the store.
fn is_ended(pod: &Map<'_>) -> bool {
    pod.map("status").is_some_and(|status| matches!(status.str("phase"), "Failed" | "Succeeded"))
}

fn compute(requests: &ResourceAmounts, limits: &ResourceAmounts) -> ResourceAmounts {
    let mut usage = ResourceAmounts::new();
    for (name, amount) in requests {
        let is_extended = name.contains('/') && !name.starts_with("kubernetes.io/");
        let is_counted = COMPUTE.contains(&name.as_str()) || name.starts_with("hugepages-");
        if is_counted {
            usage.insert(name.clone(), *amount);
        }
        if is_counted || is_extended {
            usage.insert(format!("requests.{name}"), *amount);
        }
    }
    let limits = limits.iter().filter(|(name, _)| COMPUTE.contains(&name.as_str()));
    usage.extend(limits.map(|(name, amount)| (format!("limits.{name}"), *amount)));
    usage
}

fn of_service(service: &Map<'_>) -> ResourceAmounts {
    let Some(spec) = service.map("spec") else { return ResourceAmounts::new() };
    let ports = spec.maps("ports").count();
    // A load balancer may do without node ports; those that are set count.
    let given = spec.maps("ports").filter(|port| port.int("nodePort").is_some_and(|port| port != 0)).count();
    let allocates = !matches!(spec.get("allocateLoadBalancerNodePorts"), Some(Value::Bool(false)));
    let (balancers, node_ports) = match spec.str("type") {
        "NodePort" => (0, ports),
        "LoadBalancer" => (1, if allocates { ports } else { given }),
        _ => (0, 0),
    };
    ResourceAmounts::from([
        ("services.loadbalancers".to_owned(), ResourceAmount::count(balancers)),
        ("services.nodeports".to_owned(), ResourceAmount::count(node_ports)),
    ])
}

fn of_claim(claim: &Map<'_>) -> ResourceAmounts {
    let Some(spec) = claim.map("spec") else { return ResourceAmounts::new() };
    let requests = amounts(spec.map("resources").and_then(|all| all.map("requests")));
    let storage = requests.get("storage").copied();
    let mut usage: ResourceAmounts =
        storage.into_iter().map(|amount| ("requests.storage".to_owned(), amount)).collect();
    let class = spec.str("storageClassName");
    if !class.is_empty() {
        let of_class = format!("{class}{CLASS_SUFFIX}");
        usage.insert(format!("{of_class}/persistentvolumeclaims"), ResourceAmount::count(1));
        usage.extend(storage.map(|amount| (format!("{of_class}/requests.storage"), amount)));
    }
    usage
}

/// The limits of a quota.
pub fn quota_limits(quota: &Map<'_>) -> ResourceAmounts {
    amounts(quota.map("spec").and_then(|spec| spec.map("hard")))
}

/// The limits and the usage that the status of a quota tells.
pub fn quota_status(quota: &Map<'_>) -> (ResourceAmounts, ResourceAmounts) {
    let status = quota.map("status");
    let list = |name| amounts(status.and_then(|status| status.map(name)));
    (list("hard"), list("used"))
}

/// Whether an object is in the scopes of a quota. Objects other than pods are only in quotas without scopes.
pub fn is_in_scope(quota: &Map<'_>, resource: QuotaResource<'_>, object: &Map<'_>) -> bool {
    let Some(spec) = quota.map("spec") else { return true };
    let scopes = spec.list("scopes").iter().filter_map(Value::as_str);
    let plain = scopes.map(|scope| (scope, "Exists", Vec::new()));
    let selectors = spec.map("scopeSelector").into_iter().flat_map(|all| all.maps("matchExpressions"));
    let selected = selectors.map(|one| {
        let values = one.list("values").iter().filter_map(Value::as_str).collect();
        (one.str("scopeName"), one.str("operator"), values)
    });
    let is_pod = resource.is_pods();
    plain
        .chain(selected)
        .all(|(scope, operator, values)| is_pod && has_scope(object, scope, operator, &values))
}

fn has_scope(pod: &Map<'_>, scope: &str, operator: &str, values: &[&str]) -> bool {
    let Some(spec) = pod.map("spec") else { return false };
    let has_deadline = spec.int("activeDeadlineSeconds").is_some_and(|seconds| seconds >= 0);
    match scope {
        "Terminating" => has_deadline,
        "NotTerminating" => !has_deadline,
        "BestEffort" => is_best_effort(spec),
        "NotBestEffort" => !is_best_effort(spec),
        "PriorityClass" => {
            let class = spec.str("priorityClassName");
            match operator {
                "In" => values.contains(&class),
                "NotIn" => !values.contains(&class),
                "DoesNotExist" => class.is_empty(),
                _ => !class.is_empty(),
            }
        }
        // Of the other scopes nothing is known here.
        _ => false,
    }
}

fn is_best_effort(spec: &Map<'_>) -> bool {
    let all = spec.maps("containers").chain(spec.maps("initContainers"));
    let of = |container: &Map<'_>, list| amounts(container.map("resources").and_then(|all| all.map(list)));
    let is_counted = |(name, amount): (&String, &ResourceAmount)| {
        matches!(name.as_str(), "cpu" | "memory") && amount.milli() > 0
    };
    !all.into_iter()
        .any(|container| ["requests", "limits"].iter().any(|list| of(container, list).iter().any(is_counted)))
}

/// What the containers of a pod must ask for because a quota limits it: the text of a refusal.
pub fn missing_requests(
    limits: &ResourceAmounts,
    resource: QuotaResource<'_>,
    pod: &Map<'_>,
) -> Option<String> {
    if !resource.is_pods() {
        return None;
    }
    let required = REQUIRED_OF_CONTAINERS.iter().filter(|name| limits.contains_key(**name));
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let spec = pod.map("spec").filter(|spec| !spec.has("resources"))?;
    for name in required {
        for container in spec.maps("containers").chain(spec.maps("initContainers")) {
            let list = |list| amounts(container.map("resources").and_then(|all| all.map(list)));
            if !compute(&list("requests"), &list("limits")).contains_key(*name) {
                missing.entry(name).or_default().insert(container.str("name"));
            }
        }
    }
    let texts: Vec<String> = missing
        .iter()
        .map(|(name, containers)| {
            format!("{name} for: {}", containers.iter().copied().collect::<Vec<_>>().join(","))
        })
        .collect();
    (!texts.is_empty()).then(|| format!("must specify {}", texts.join("; ")))
}

/// Why a quota has no room for what is requested; none if it has.
pub fn exceeded(
    limits: &ResourceAmounts,
    used: &ResourceAmounts,
    requested: &ResourceAmounts,
) -> Option<String> {
    let of = |amounts: &ResourceAmounts, name: &str| amounts.get(name).copied().unwrap_or_default();
    let over: Vec<&String> = limits
        .iter()
        .filter(|(name, limit)| {
            let wanted = of(requested, name);
            wanted.milli() > 0 && of(used, name).plus(wanted).milli() > limit.milli()
        })
        .map(|(name, _)| name)
        .collect();
    let print = |amounts: &ResourceAmounts| {
        over.iter().map(|name| format!("{name}={}", of(amounts, name).text())).collect::<Vec<_>>().join(",")
    };
    (!over.is_empty()).then(|| {
        format!("requested: {}, used: {}, limited: {}", print(requested), print(used), print(limits))
    })
}

/// Adds what an object uses to a sum.
pub fn add_usage(sum: &mut ResourceAmounts, usage: &ResourceAmounts) {
    add(sum, usage);
}
