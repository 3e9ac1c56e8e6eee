//! Service.
//!
//! Addresses and node ports come from a server. Here everything else is done: `families.rs` fills in the IP families
//! before allocation, `ports.rs`, `addresses.rs` and `traffic.rs` validate, `update.rs` has what may change.

mod access;
mod addresses;
pub(crate) mod allocate;
mod families;
mod ports;
mod traffic;
mod update;
mod warnings;

use self::access::{is_externally_accessible, is_headless};
use crate::columns::{AGE, Cell, KindColumn, NAME, POD_SELECTOR, network};
use crate::field::Field;
use crate::format::dns1123_subdomain;
use crate::meta::{NameRule, labels};
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, KindEntry, OnUpdate, Permission, Presentation, SelectableField,
    SelectableFields, StorageFolder, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Service",
    folder: StorageFolder::Named("services/specs"),
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::Label,
        create_on_update: Permission::Granted,
        delete_answer: DeleteAnswer::Object,
        begin: families::begin,
        prepare_update: |service, old, _| update::prepare(service, old),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |service| validate(service, service.absent()),
        update: |service, old| {
            // Upstream reports changes before problems of the new state.
            update::validate(service, old);
            validate(service, old);
        },
        on_update: OnUpdate::ValidateChanges,
        warnings: |service, _| warnings::warnings(service),
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |service, old| traffic::load_balancer_status(service, old),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Type", Cell::Text("/spec/type")),
            KindColumn::string("Cluster-IP", Cell::TextOr("/spec/clusterIPs/0", "<none>")),
            KindColumn::string("External-IP", Cell::Computed(network::external_ip)),
            KindColumn::string("Port(s)", Cell::Computed(network::ports)),
            AGE,
            POD_SELECTOR,
        ],
        selectable: SelectableFields::listed(&[
            SelectableField::at("spec.clusterIP"),
            SelectableField::at("spec.type"),
        ]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(service: &mut Map<'_>, context: Context) {
    const CLIENT_IP_SECONDS: i64 = 10_800;
    let Some(spec) = service.map_mut("spec") else { return };
    spec.set_default("sessionAffinity", "None");
    match spec.str("sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let client = spec.map("sessionAffinityConfig").and_then(|config| config.map("clientIP"));
            if client.is_none_or(|client| !client.has("timeoutSeconds")) {
                spec.remove("sessionAffinityConfig");
                let config = spec.ensure_map("sessionAffinityConfig");
                config.ensure_map("clientIP").set("timeoutSeconds", CLIENT_IP_SECONDS);
            }
        }
        _ => {}
    }
    spec.set_default("type", "ClusterIP");
    for port in spec.maps_mut("ports") {
        port.set_default("protocol", "TCP");
        // A name that is empty or the number 0 are as good as none.
        if port.get("targetPort").is_none_or(Value::is_empty) {
            port.set("targetPort", port.int("port").unwrap_or_default());
        }
    }
    traffic_defaults(spec, context);
    // The gate LoadBalancerIPMode is on by default since 1.30.
    if context.since(30) && service.map("spec").is_some_and(|spec| spec.str("type") == "LoadBalancer") {
        ingress_modes(service);
    }
}

fn traffic_defaults(spec: &mut Map<'_>, context: Context) {
    let kind = spec.str("type");
    // Services of other types with external addresses have a policy since 1.29.
    let is_external = if context.since(29) {
        is_externally_accessible(spec)
    } else {
        matches!(kind, "NodePort" | "LoadBalancer")
    };
    if is_external {
        spec.set_default("externalTrafficPolicy", "Cluster");
    }
    if matches!(kind, "NodePort" | "LoadBalancer" | "ClusterIP") {
        spec.set_if_absent("internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        spec.set_if_absent("allocateLoadBalancerNodePorts", true);
    }
}

fn ingress_modes(service: &mut Map<'_>) {
    let balancer = service.map_mut("status").and_then(|status| status.map_mut("loadBalancer"));
    for ingress in balancer.into_iter().flat_map(|balancer| balancer.maps_mut("ingress")) {
        // Addresses of balancers were all virtual before there was a mode.
        if !ingress.str("ip").is_empty() {
            ingress.set_if_absent("ipMode", "VIP");
        }
    }
}

/// The status that Go writes of a Service without one.
fn validate(service: Field<'_>, old: Field<'_>) {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    const MODE: &str = "service.kubernetes.io/topology-mode";
    let (annotations, spec) = (service.fields(["metadata", "annotations"]), service.field("spec"));
    let (hints, mode) = (annotations.key(HINTS), annotations.key(MODE));
    if hints.is_set() && mode.is_set() && hints.str() != mode.str() {
        mode.invalid(format!("must match annotations[{HINTS}] when both are specified"));
    }
    by_type(spec);
    ports::ports(spec);
    labels(spec.field("selector"));
    traffic::session_affinity(spec);
    addresses::cluster_ips(spec, old.field("spec"));
    addresses::external_ips(spec.field("externalIPs"), old.fields(["spec", "externalIPs"]));
    let kind = spec.field("type");
    if !kind.require("") {
        kind.one_of(&["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
    }
    ports::unique_ports(spec);
    addresses::source_ranges(service, old);
    traffic::load_balancer(spec);
    traffic::external_policy(spec);
    traffic::internal_policy(spec);
}

fn by_type(spec: Field<'_>) {
    let ports = spec.field("ports");
    let kind = spec.field("type").str();
    if ports.is_empty() && !is_headless(spec) && kind != "ExternalName" {
        ports.required("");
    }
    match kind {
        "LoadBalancer" | "NodePort" if is_headless(spec) => {
            let message = format!("may not be set to 'None' for {kind} services");
            spec.field("clusterIPs").index(0).invalid(message);
        }
        "ExternalName" => external_name(spec),
        _ => {}
    }
}

fn external_name(spec: Field<'_>) {
    for name in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if spec.field(name).is_set() {
            spec.field(name).forbidden("may not be set for ExternalName services");
        }
    }
    let name = spec.field("externalName");
    // A dot at the end marks a full name, which DNS1123 does not know.
    let host = name.str().strip_suffix('.').unwrap_or(name.str());
    if host.is_empty() {
        name.required("");
    } else {
        dns1123_subdomain(host).into_iter().for_each(|problem| name.invalid_as(host, problem));
    }
}
