//! The columns of built-in kinds in tables.
//!
//! A column takes its cells from a path; those whose path begins with `=` or `?` are computed by `cell`.

mod cell;
mod column;
mod event;

pub use cell::{computed, selector_text};
pub use column::TableColumn;

type Sketch = (&'static str, &'static str, &'static str);

/// Columns between Name and Age: title, type, path.
const KINDS: &[(&str, &str, &[Sketch])] = &[
    (
        "",
        "Pod",
        &[
            ("Ready", "string", "=pod-ready"),
            ("Status", "string", "=pod-status"),
            ("Restarts", "integer", "=restarts"),
        ],
    ),
    ("", "ConfigMap", &[("Data", "integer", "=data-count")]),
    ("", "Secret", &[("Type", "string", ".type"), ("Data", "integer", "=data-count")]),
    ("", "Namespace", &[("Status", "string", ".status.phase")]),
    ("", "Node", &[("Status", "string", "=node-status"), ("Roles", "string", "=node-roles")]),
    (
        "",
        "PersistentVolumeClaim",
        &[
            ("Status", "string", ".status.phase"),
            ("Volume", "string", ".spec.volumeName"),
            ("Capacity", "string", ".status.capacity.storage"),
            ("Access Modes", "string", "=access-modes"),
            ("StorageClass", "string", ".spec.storageClassName"),
        ],
    ),
    ("", "ServiceAccount", &[("Secrets", "integer", "=secrets")]),
    (
        "",
        "Service",
        &[
            ("Type", "string", ".spec.type"),
            ("Cluster-IP", "string", "=cluster-ip"),
            ("External-IP", "string", "=external-ip"),
            ("Port(s)", "string", "=ports"),
        ],
    ),
    (
        "apps",
        "Deployment",
        &[
            ("Ready", "string", "=ready-replicas"),
            ("Up-to-date", "integer", "=.status.updatedReplicas"),
            ("Available", "integer", "=.status.availableReplicas"),
        ],
    ),
    (
        "apps",
        "ReplicaSet",
        &[
            ("Desired", "integer", "=.spec.replicas"),
            ("Current", "integer", "=.status.replicas"),
            ("Ready", "integer", "=.status.readyReplicas"),
        ],
    ),
    ("apps", "StatefulSet", &[("Ready", "string", "=ready-replicas")]),
    (
        "apps",
        "DaemonSet",
        &[
            ("Desired", "integer", "=.status.desiredNumberScheduled"),
            ("Current", "integer", "=.status.currentNumberScheduled"),
            ("Ready", "integer", "=.status.numberReady"),
            ("Up-to-date", "integer", "=.status.updatedNumberScheduled"),
            ("Available", "integer", "=.status.numberAvailable"),
            ("Node Selector", "string", "=node-selector"),
        ],
    ),
    (
        "batch",
        "Job",
        &[
            ("Status", "string", "=job-status"),
            ("Completions", "string", "=completions"),
            ("Duration", "string", "=job-duration"),
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            ("Schedule", "string", ".spec.schedule"),
            ("Timezone", "string", "=/spec/timeZone"),
            ("Suspend", "boolean", "=suspend"),
            ("Active", "integer", "=active-jobs"),
            ("Last Schedule", "string", "=last-schedule"),
        ],
    ),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        &[
            ("Reference", "string", "=scale-target"),
            ("Targets", "string", "=scale-metrics"),
            ("MinPods", "string", "=least-pods"),
            ("MaxPods", "string", ".spec.maxReplicas"),
            ("Replicas", "integer", "=.status.currentReplicas"),
        ],
    ),
    (
        "",
        "PersistentVolume",
        &[
            ("Capacity", "string", ".spec.capacity.storage"),
            ("Access Modes", "string", "=volume-modes"),
            ("Reclaim Policy", "string", ".spec.persistentVolumeReclaimPolicy"),
            ("Status", "string", ".status.phase"),
            ("Claim", "string", "=claim"),
            ("StorageClass", "string", ".spec.storageClassName"),
            ("Reason", "string", ".status.reason"),
        ],
    ),
    (
        "storage.k8s.io",
        "StorageClass",
        &[
            ("Provisioner", "string", ".provisioner"),
            ("ReclaimPolicy", "string", "=reclaim-policy"),
            ("VolumeBindingMode", "string", "=binding-mode"),
            ("AllowVolumeExpansion", "boolean", "=expansion"),
        ],
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        &[("Value", "integer", "=.value"), ("Global-Default", "boolean", "=global-default")],
    ),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        &[
            ("AddressType", "string", ".addressType"),
            ("Ports", "string", "=slice-ports"),
            ("Endpoints", "string", "=slice-addresses"),
        ],
    ),
    (
        "networking.k8s.io",
        "IngressClass",
        &[("Controller", "string", ".spec.controller"), ("Parameters", "string", "=class-parameters")],
    ),
    (
        "networking.k8s.io",
        "Ingress",
        &[
            ("Class", "string", "=ingress-class"),
            ("Hosts", "string", "=ingress-hosts"),
            ("Address", "string", "=load-balancer"),
            ("Ports", "string", "=ingress-ports"),
        ],
    ),
    ("networking.k8s.io", "NetworkPolicy", &[("Pod-Selector", "string", "=pod-selector")]),
    (
        "policy",
        "PodDisruptionBudget",
        &[
            ("Min Available", "string", "=min-available"),
            ("Max Unavailable", "string", "=max-unavailable"),
            ("Allowed Disruptions", "integer", "=.status.disruptionsAllowed"),
        ],
    ),
    ("rbac.authorization.k8s.io", "RoleBinding", &[("Role", "string", "=role")]),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", &[("Role", "string", "=role")]),
    ("coordination.k8s.io", "Lease", &[("Holder", "string", ".spec.holderIdentity")]),
    ("apiextensions.k8s.io", "CustomResourceDefinition", &[]),
];

/// Columns after Age.
const LAST: &[(&str, &str, Sketch)] = &[
    ("", "Node", ("Version", "string", ".status.nodeInfo.kubeletVersion")),
    ("scheduling.k8s.io", "PriorityClass", ("PreemptionPolicy", "string", ".preemptionPolicy")),
];

const CONTAINERS: Sketch = ("Containers", "string", "=containers");
const IMAGES: Sketch = ("Images", "string", "=images");
const SELECTOR: Sketch = ("Selector", "string", "=selector");

/// Columns that are only shown to those who want many.
const WIDE: &[(&str, &str, &[Sketch])] = &[
    (
        "",
        "Pod",
        &[
            ("IP", "string", "=/status/podIP"),
            ("Node", "string", "=/spec/nodeName"),
            ("Nominated Node", "string", "=/status/nominatedNodeName"),
            ("Readiness Gates", "string", "=readiness-gates"),
        ],
    ),
    ("", "Service", &[SELECTOR]),
    (
        "",
        "Node",
        &[
            ("Internal-IP", "string", "=internal-ip"),
            ("External-IP", "string", "=node-external-ip"),
            ("OS-Image", "string", "?/status/nodeInfo/osImage"),
            ("Kernel-Version", "string", "?/status/nodeInfo/kernelVersion"),
            ("Container-Runtime", "string", "?/status/nodeInfo/containerRuntimeVersion"),
        ],
    ),
    ("", "PersistentVolume", &[("VolumeMode", "string", ".spec.volumeMode")]),
    ("", "PersistentVolumeClaim", &[("VolumeMode", "string", ".spec.volumeMode")]),
    ("apps", "Deployment", &[CONTAINERS, IMAGES, SELECTOR]),
    ("apps", "ReplicaSet", &[CONTAINERS, IMAGES, SELECTOR]),
    ("apps", "StatefulSet", &[CONTAINERS, IMAGES]),
    ("apps", "DaemonSet", &[CONTAINERS, IMAGES, SELECTOR]),
    ("batch", "Job", &[CONTAINERS, IMAGES, SELECTOR]),
    ("batch", "CronJob", &[CONTAINERS, IMAGES, SELECTOR]),
];

/// The columns of an Event, and who sees them; there is neither Name in front nor Age at the end.
const EVENT: &[(Sketch, i64)] = &[
    (("Last Seen", "string", "=last-seen"), 0),
    (("Type", "string", ".type"), 0),
    (("Reason", "string", ".reason"), 0),
    (("Object", "string", "=event-object"), 0),
    (("Subobject", "string", "=event-subobject"), 1),
    (("Source", "string", "=event-source"), 1),
    (("Message", "string", "=event-message"), 0),
    (("First Seen", "string", "=first-seen"), 1),
    (("Count", "string", "=event-count"), 1),
    (("Name", "string", ".metadata.name"), 1),
];

/// The columns of a built-in kind.
pub fn of(group: &str, kind: &str) -> Vec<TableColumn> {
    if kind == "Event" {
        return EVENT.iter().map(|(sketch, priority)| column(sketch, *priority)).collect();
    }
    let is_own = |of_group: &str, of_kind: &str| of_group == group && of_kind == kind;
    let listed = |table: &'static [(&str, &str, &[Sketch])]| {
        table.iter().find(|(group, kind, _)| is_own(group, kind)).map_or(&[][..], |(_, _, columns)| *columns)
    };
    let mut columns = vec![TableColumn::name()];
    columns.extend(listed(KINDS).iter().map(|sketch| column(sketch, 0)));
    columns.push(age(kind));
    let last = LAST.iter().filter(|(group, kind, _)| is_own(group, kind));
    columns.extend(last.map(|(_, _, sketch)| column(sketch, 0)));
    columns.extend(listed(WIDE).iter().map(|sketch| column(sketch, 1)));
    columns
}

fn column((name, kind, path): &Sketch, priority: i64) -> TableColumn {
    TableColumn { priority, ..TableColumn::new(name, kind, "", path) }
}

/// The column that tells when an object was created, in the words of its kind.
fn age(kind: &str) -> TableColumn {
    let age = TableColumn::age();
    match kind {
        "CustomResourceDefinition" | "Role" | "ClusterRole" => {
            TableColumn { name: "Created At".into(), path: "=created-at".into(), ..age }
        }
        _ => age,
    }
}
