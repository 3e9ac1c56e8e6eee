//! The columns of every built-in kind, after the name.
//!
//! The first character of a path tells what it gives: `~` a text, `=/` a text or `<none>`, `?` a text or `<unknown>`,
//! `!` a text or `<unset>`, `#` a number, `%` a number or `<none>`, `&` a boolean, `*` the length of a list, `,` a list
//! of texts; `=` with a name is a computed cell (`cell.rs`).

/// One column of a built-in kind.
pub(super) struct Sketch {
    /// The title; empty if there is only a cell.
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) format: &'static str,
    pub(super) priority: i64,
    pub(super) path: &'static str,
}

const fn column(name: &'static str, kind: &'static str, path: &'static str) -> Sketch {
    Sketch { name, kind, format: "", priority: 0, path }
}

/// A column that is only shown to those who want many.
const fn wide(name: &'static str, kind: &'static str, path: &'static str) -> Sketch {
    Sketch { name, kind, format: "", priority: 1, path }
}

/// A column with the name of an object.
const fn named(name: &'static str, path: &'static str) -> Sketch {
    Sketch { name, kind: "string", format: "name", priority: 0, path }
}

pub(super) const NAME: Sketch = named("Name", "=name");
const AGE: Sketch = column("Age", "string", "=age");
/// Upstream: IPAddress has a cell for its age without a column.
const UNTITLED_AGE: Sketch = column("", "string", "=age");
pub(super) const CREATED_AT: Sketch = column("Created At", "date", "=created-at");
const CONTAINERS: Sketch = wide("Containers", "string", "=containers");
const IMAGES: Sketch = wide("Images", "string", "=images");
const SELECTOR: Sketch = wide("Selector", "string", "=selector");

/// The columns of an Event; there is neither Name in front nor Age at the end.
pub(super) const EVENT: &[Sketch] = &[
    column("Last Seen", "string", "=last-seen"),
    column("Type", "string", "~/type"),
    column("Reason", "string", "~/reason"),
    column("Object", "string", "=event-object"),
    wide("Subobject", "string", "=event-subobject"),
    wide("Source", "string", "=event-source"),
    column("Message", "string", "=event-message"),
    wide("First Seen", "string", "=first-seen"),
    wide("Count", "string", "=event-count"),
    Sketch { priority: 1, ..NAME },
];

/// Columns after the name, by group and kind. Kinds that are not here have only [`CREATED_AT`].
pub(super) const KINDS: &[(&str, &str, &[Sketch])] = &[
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicy",
        &[
            column("Mutations", "integer", "*/spec/mutations"),
            column("ParamKind", "string", "=param-kind"),
            AGE,
        ],
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicyBinding",
        &[
            column("PolicyName", "string", "~/spec/policyName"),
            column("ParamRef", "string", "=param-ref"),
            AGE,
        ],
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        &[column("Webhooks", "integer", "*/webhooks"), AGE],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        &[
            column("Validations", "integer", "*/spec/validations"),
            column("ParamKind", "string", "=param-kind"),
            AGE,
        ],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        &[
            column("PolicyName", "string", "~/spec/policyName"),
            column("ParamRef", "string", "=param-ref"),
            AGE,
        ],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        &[column("Webhooks", "integer", "*/webhooks"), AGE],
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        &[
            column("Scope", "string", "~/spec/scope"),
            column("Versions", "string", "=definition-versions"),
            CREATED_AT,
            wide("Group", "string", "~/spec/group"),
            wide("Kind", "string", "~/spec/names/kind"),
            wide("ShortNames", "string", ",/spec/names/shortNames"),
            wide("Established", "boolean", "=established"),
        ],
    ),
    (
        "apiregistration.k8s.io",
        "APIService",
        &[column("Service", "string", "=api-service"), column("Available", "string", "=api-available"), AGE],
    ),
    (
        "apps",
        "ControllerRevision",
        &[column("Controller", "string", "=controller"), column("Revision", "string", "#/revision"), AGE],
    ),
    (
        "apps",
        "DaemonSet",
        &[
            column("Desired", "integer", "#/status/desiredNumberScheduled"),
            column("Current", "integer", "#/status/currentNumberScheduled"),
            column("Ready", "integer", "#/status/numberReady"),
            column("Up-to-date", "integer", "#/status/updatedNumberScheduled"),
            column("Available", "integer", "#/status/numberAvailable"),
            column("Node Selector", "string", "=node-selector"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "apps",
        "Deployment",
        &[
            column("Ready", "string", "=ready-replicas"),
            column("Up-to-date", "string", "#/status/updatedReplicas"),
            column("Available", "string", "#/status/availableReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            wide("Selector", "string", "=selector-or-nothing"),
        ],
    ),
    (
        "apps",
        "ReplicaSet",
        &[
            column("Desired", "integer", "#/spec/replicas"),
            column("Current", "integer", "#/status/replicas"),
            column("Ready", "integer", "#/status/readyReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    ("apps", "StatefulSet", &[column("Ready", "string", "=ready-replicas"), AGE, CONTAINERS, IMAGES]),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        &[
            column("Reference", "string", "=scale-target"),
            column("Targets", "string", "=scale-metrics"),
            column("MinPods", "string", "=least-pods"),
            column("MaxPods", "string", "#/spec/maxReplicas"),
            column("Replicas", "string", "#/status/currentReplicas"),
            AGE,
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            column("Schedule", "string", "~/spec/schedule"),
            column("Timezone", "string", "=/spec/timeZone"),
            column("Suspend", "boolean", "=suspend"),
            column("Active", "integer", "*/status/active"),
            column("Last Schedule", "string", "=last-schedule"),
            AGE,
            CONTAINERS,
            IMAGES,
            wide("Selector", "string", "=job-template-selector"),
        ],
    ),
    (
        "batch",
        "Job",
        &[
            column("Status", "string", "=job-status"),
            column("Completions", "string", "=completions"),
            column("Duration", "string", "=job-duration"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "certificates.k8s.io",
        "CertificateSigningRequest",
        &[
            AGE,
            column("SignerName", "string", "=/spec/signerName"),
            column("Requestor", "string", "~/spec/username"),
            column("RequestedDuration", "string", "=requested-duration"),
            column("Condition", "string", "=request-condition"),
        ],
    ),
    ("certificates.k8s.io", "ClusterTrustBundle", &[column("SignerName", "string", "=/spec/signerName")]),
    (
        "certificates.k8s.io",
        "PodCertificateRequest",
        &[
            column("PodName", "string", "~/spec/podName"),
            column("ServiceAccountName", "string", "~/spec/serviceAccountName"),
            column("NodeName", "string", "~/spec/nodeName"),
            column("SignerName", "string", "~/spec/signerName"),
            column("State", "string", "=pod-certificate-state"),
            column("UnverifiedUserAnnotations", "string", "=user-annotations"),
        ],
    ),
    ("coordination.k8s.io", "Lease", &[column("Holder", "string", "~/spec/holderIdentity"), AGE]),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        &[
            column("AddressType", "string", "~/addressType"),
            column("Ports", "string", "=slice-ports"),
            column("Endpoints", "string", "=slice-addresses"),
            AGE,
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "FlowSchema",
        &[
            column("PriorityLevel", "string", "~/spec/priorityLevelConfiguration/name"),
            column("MatchingPrecedence", "string", "#/spec/matchingPrecedence"),
            column("DistinguisherMethod", "string", "=/spec/distinguisherMethod/type"),
            AGE,
            column("MissingPL", "string", "=missing-level"),
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "PriorityLevelConfiguration",
        &[
            column("Type", "string", "~/spec/type"),
            column("NominalConcurrencyShares", "string", "%/spec/limited/nominalConcurrencyShares"),
            column("Queues", "string", "%/spec/limited/limitResponse/queuing/queues"),
            column("HandSize", "string", "%/spec/limited/limitResponse/queuing/handSize"),
            column("QueueLengthLimit", "string", "%/spec/limited/limitResponse/queuing/queueLengthLimit"),
            AGE,
        ],
    ),
    (
        "networking.k8s.io",
        "IngressClass",
        &[
            column("Controller", "string", "~/spec/controller"),
            column("Parameters", "string", "=class-parameters"),
            AGE,
        ],
    ),
    (
        "networking.k8s.io",
        "Ingress",
        &[
            column("Class", "string", "=/spec/ingressClassName"),
            column("Hosts", "string", "=ingress-hosts"),
            column("Address", "string", "=load-balancer"),
            column("Ports", "string", "=ingress-ports"),
            AGE,
        ],
    ),
    ("networking.k8s.io", "IPAddress", &[column("ParentRef", "string", "=parent-ref"), UNTITLED_AGE]),
    ("networking.k8s.io", "NetworkPolicy", &[column("Pod-Selector", "string", "=pod-selector"), AGE]),
    ("networking.k8s.io", "ServiceCIDR", &[column("CIDRs", "string", ",/spec/cidrs"), AGE]),
    ("node.k8s.io", "RuntimeClass", &[column("Handler", "string", "~/handler"), AGE]),
    (
        "policy",
        "PodDisruptionBudget",
        &[
            column("Min Available", "string", "=min-available"),
            column("Max Unavailable", "string", "=max-unavailable"),
            column("Allowed Disruptions", "integer", "#/status/disruptionsAllowed"),
            AGE,
        ],
    ),
    (
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        &[
            column("Role", "string", "=role"),
            AGE,
            wide("Users", "string", "=users"),
            wide("Groups", "string", "=groups"),
            wide("ServiceAccounts", "string", "=service-accounts"),
        ],
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        &[
            column("Role", "string", "=role"),
            AGE,
            wide("Users", "string", "=users"),
            wide("Groups", "string", "=groups"),
            wide("ServiceAccounts", "string", "=service-accounts"),
        ],
    ),
    ("resource.k8s.io", "DeviceClass", &[AGE]),
    (
        "resource.k8s.io",
        "DeviceTaintRule",
        &[
            column("Key", "string", "~/spec/taint/key"),
            column("Value", "string", "~/spec/taint/value"),
            column("Effect", "string", "~/spec/taint/effect"),
            column("TimeAdded", "string", "=taint-added"),
            AGE,
        ],
    ),
    ("resource.k8s.io", "ResourceClaim", &[column("State", "string", "=claim-state"), AGE]),
    ("resource.k8s.io", "ResourceClaimTemplate", &[AGE]),
    (
        "resource.k8s.io",
        "ResourceSlice",
        &[
            column("Node", "string", "~/spec/nodeName"),
            column("Driver", "string", "~/spec/driver"),
            column("Pool", "string", "~/spec/pool/name"),
            AGE,
        ],
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        &[
            column("Value", "integer", "#/value"),
            column("Global-Default", "boolean", "&/globalDefault"),
            AGE,
            column("PreemptionPolicy", "string", "~/preemptionPolicy"),
        ],
    ),
    (
        "storage.k8s.io",
        "CSIDriver",
        &[
            column("AttachRequired", "boolean", "=attach-required"),
            column("PodInfoOnMount", "boolean", "&/spec/podInfoOnMount"),
            column("StorageCapacity", "boolean", "&/spec/storageCapacity"),
            column("TokenRequests", "string", "=token-requests"),
            column("RequiresRepublish", "boolean", "&/spec/requiresRepublish"),
            column("Modes", "string", "=lifecycle-modes"),
            AGE,
        ],
    ),
    ("storage.k8s.io", "CSINode", &[column("Drivers", "integer", "*/spec/drivers"), AGE]),
    (
        "storage.k8s.io",
        "StorageClass",
        &[
            column("Provisioner", "string", "~/provisioner"),
            column("ReclaimPolicy", "string", "=reclaim-policy"),
            column("VolumeBindingMode", "string", "=binding-mode"),
            column("AllowVolumeExpansion", "string", "&/allowVolumeExpansion"),
            AGE,
        ],
    ),
    (
        "storage.k8s.io",
        "VolumeAttachment",
        &[
            named("Attacher", "~/spec/attacher"),
            column("PV", "string", "~/spec/source/persistentVolumeName"),
            column("Node", "string", "~/spec/nodeName"),
            column("Attached", "boolean", "&/status/attached"),
            AGE,
        ],
    ),
    ("storage.k8s.io", "VolumeAttributesClass", &[column("DriverName", "string", "~/driverName"), AGE]),
    (
        "storagemigration.k8s.io",
        "StorageVersionMigration",
        &[
            column("Resource", "string", "=migrated-resource"),
            column("Status", "string", "=migration-status"),
        ],
    ),
    (
        "",
        "ComponentStatus",
        &[
            column("Status", "string", "=component-status"),
            column("Message", "string", "=component-message"),
            column("Error", "string", "=component-error"),
        ],
    ),
    ("", "ConfigMap", &[column("Data", "string", "=data-count"), AGE]),
    ("", "Endpoints", &[column("Endpoints", "string", "=endpoints"), AGE]),
    ("", "Namespace", &[column("Status", "string", "~/status/phase"), AGE]),
    (
        "",
        "Node",
        &[
            column("Status", "string", "=node-status"),
            column("Roles", "string", "=node-roles"),
            AGE,
            column("Version", "string", "~/status/nodeInfo/kubeletVersion"),
            wide("Internal-IP", "string", "=internal-ip"),
            wide("External-IP", "string", "=node-external-ip"),
            wide("OS-Image", "string", "?/status/nodeInfo/osImage"),
            wide("Kernel-Version", "string", "=kernel-version"),
            wide("Container-Runtime", "string", "?/status/nodeInfo/containerRuntimeVersion"),
        ],
    ),
    (
        "",
        "PersistentVolumeClaim",
        &[
            column("Status", "string", "=volume-phase"),
            column("Volume", "string", "~/spec/volumeName"),
            column("Capacity", "string", "=claim-capacity"),
            column("Access Modes", "string", "=access-modes"),
            column("StorageClass", "string", "=storage-class"),
            column("VolumeAttributesClass", "string", "!/spec/volumeAttributesClassName"),
            AGE,
            wide("VolumeMode", "string", "!/spec/volumeMode"),
        ],
    ),
    (
        "",
        "PersistentVolume",
        &[
            column("Capacity", "string", "=volume-capacity"),
            column("Access Modes", "string", "=volume-modes"),
            column("Reclaim Policy", "string", "~/spec/persistentVolumeReclaimPolicy"),
            column("Status", "string", "=volume-phase"),
            column("Claim", "string", "=claim"),
            column("StorageClass", "string", "=storage-class"),
            column("VolumeAttributesClass", "string", "!/spec/volumeAttributesClassName"),
            column("Reason", "string", "~/status/reason"),
            AGE,
            wide("VolumeMode", "string", "!/spec/volumeMode"),
        ],
    ),
    (
        "",
        "Pod",
        &[
            column("Ready", "string", "=pod-ready"),
            column("Status", "string", "=pod-status"),
            column("Restarts", "string", "=restarts"),
            AGE,
            wide("IP", "string", "=/status/podIPs/0/ip"),
            wide("Node", "string", "=/spec/nodeName"),
            wide("Nominated Node", "string", "=/status/nominatedNodeName"),
            wide("Readiness Gates", "string", "=readiness-gates"),
        ],
    ),
    (
        "",
        "PodTemplate",
        &[
            column("Containers", "string", "=containers"),
            column("Images", "string", "=images"),
            column("Pod Labels", "string", "=template-labels"),
        ],
    ),
    (
        "",
        "ReplicationController",
        &[
            column("Desired", "integer", "#/spec/replicas"),
            column("Current", "integer", "#/status/replicas"),
            column("Ready", "integer", "#/status/readyReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "",
        "ResourceQuota",
        &[column("Request", "string", "=quota-requests"), column("Limit", "string", "=quota-limits"), AGE],
    ),
    ("", "Secret", &[column("Type", "string", "~/type"), column("Data", "string", "=secret-count"), AGE]),
    ("", "ServiceAccount", &[AGE]),
    (
        "",
        "Service",
        &[
            column("Type", "string", "~/spec/type"),
            column("Cluster-IP", "string", "=cluster-ip"),
            column("External-IP", "string", "=external-ip"),
            column("Port(s)", "string", "=ports"),
            AGE,
            SELECTOR,
        ],
    ),
];
