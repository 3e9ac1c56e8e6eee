//! Node.

use std::collections::BTreeSet;

use super::pod_spec::{quantity_value, resource_list, taint_effect};
use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::{BadValue, Field};
use crate::format::{label_value, max_len, parse_cidr, qualified_name, strict_legacy_cidr};
use crate::go_text::quoted;
use crate::registry::{
    Context, DecodeRules, KindEntry, Presentation, SelectableField, SelectableFields, StatusOnCreate,
    StorageFolder, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Node",
    folder: StorageFolder::Named("minions"),
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        prepare_create: |node, _| {
            drop_disabled_fields(node, None);
            node.ensure_map("status").remove("config");
        },
        status_on_create: StatusOnCreate::Own,
        prepare_update: |node, old, _| drop_disabled_fields(node, Some(old)),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules { object: validate, update: validate_update, ..ValidationRules::DEFAULT },
    subresources: &[SubresourceRules {
        prepare_update: |node, old, _| {
            if !old.map("status").is_some_and(|status| status.has("config")) {
                node.ensure_map("status").remove("config");
            }
        },
        validate_update,
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Status", Cell::Computed(network::node_status)),
            KindColumn::string("Roles", Cell::Computed(network::node_roles)),
            AGE,
            KindColumn::string("Version", Cell::Text("/status/nodeInfo/kubeletVersion")),
            KindColumn::string("Internal-IP", Cell::Computed(network::internal_ip)).wide(),
            KindColumn::string("External-IP", Cell::Computed(network::node_external_ip)).wide(),
            KindColumn::string("OS-Image", Cell::TextOr("/status/nodeInfo/osImage", "<unknown>")).wide(),
            KindColumn::string("Kernel-Version", Cell::Computed(network::kernel_version)).wide(),
            KindColumn::string(
                "Container-Runtime",
                Cell::TextOr("/status/nodeInfo/containerRuntimeVersion", "<unknown>"),
            )
            .wide(),
        ],
        selectable: SelectableFields::listed(&[SelectableField::at("spec.unschedulable")])
            .without_namespace(),
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn defaults(node: &mut Map<'_>, _: Context) {
    pod_cidrs(node.ensure_map("spec"));
    let Some(status) = node.map_mut("status") else { return };
    // Kubelets that reserve nothing report the capacity only.
    if !status.has("allocatable")
        && let Some(capacity) = status.map("capacity")
    {
        let copy = capacity.copy_in(status.arena());
        status.set("allocatable", Value::Map(copy));
    }
    resource_list(status, "capacity");
    resource_list(status, "allocatable");
}

/// Kubernetes holds only the list; `podCIDR` is its first item, and wins where both differ.
fn pod_cidrs(spec: &mut Map<'_>) {
    let single = spec.str("podCIDR");
    let first = spec.list("podCIDRs").first().and_then(Value::as_str).unwrap_or_default();
    if single.is_empty() {
        if !first.is_empty() {
            spec.set("podCIDR", first);
        }
    } else if single != first {
        let mut list = List::new_in(spec.arena());
        list.push(single);
        spec.set("podCIDRs", Value::List(list));
    }
}

/// The configuration of kubelets was removed from Kubernetes, preemption for resizes is off by default.
fn drop_disabled_fields(node: &mut Map<'_>, old: Option<&Map<'_>>) {
    let stored = old.and_then(|old| old.map("spec"));
    let spec = node.ensure_map("spec");
    for name in ["configSource", "podPreemptionPolicy"] {
        // A field in use stays, so that writing an object back does not change it.
        if !stored.is_some_and(|stored| stored.has(name)) {
            spec.remove(name);
        }
    }
}

fn validate(node: Field<'_>) {
    taints(node);
    resources(node);
    // Upstream reports the swap space at a path in the metadata.
    let swap = node.fields(["status", "nodeInfo", "swap", "capacity"]);
    if swap.is_set() {
        swap.reported_at(node.fields(["metadata", "nodeSwapStatus", "capacity"])).check_positive();
    }
    declared_features(node);
    validate_pod_cidrs(node.fields(["spec", "podCIDRs"]));
}

/// Upstream reports taints at a path in the metadata.
fn taints(node: Field<'_>) {
    let reported = node.fields(["metadata", "taints"]);
    let mut known = BTreeSet::new();
    for taint in node.fields(["spec", "taints"]).reported_at(reported).items() {
        let (key, value, effect) = (taint.field("key"), taint.field("value"), taint.field("effect"));
        key.check(qualified_name);
        let problems = label_value(value.str());
        if !problems.is_empty() {
            value.invalid(problems.join(";"));
        }
        taint_effect(effect);
        if !known.insert((effect.str(), key.str())) {
            taint.duplicate_with(
                BadValue::internal("core.Taint", taint),
                "taints must be unique by key and effect pair",
            );
        }
    }
}

fn resources(node: Field<'_>) {
    for list in ["capacity", "allocatable"] {
        let list = node.fields(["status", list]);
        for (name, quantity) in list.entries() {
            // Upstream writes keys of resource lists with a dot here, elsewhere in brackets.
            quantity_value(name, quantity.reported_at(list.field(name)));
        }
    }
}

fn declared_features(node: Field<'_>) {
    let features = node.fields(["status", "declaredFeatures"]);
    let mut before: Option<&str> = None;
    for feature in features.items() {
        match before {
            // Sorted lists have equal names side by side, so that one before is enough to compare with.
            Some(before) if before == feature.str() => feature.duplicate(),
            Some(before) if before > feature.str() => feature.invalid("list must be sorted alphabetically"),
            _ => {}
        }
        before = Some(feature.str());
        if let Some(problem) = feature_name_problem(feature.str()) {
            feature.invalid(format!("invalid feature name {}: {problem}", quoted(feature.str())));
        }
    }
}

fn feature_name_problem(name: &str) -> Option<String> {
    const MAX_FEATURE_NAME: usize = 253;
    if name.len() > MAX_FEATURE_NAME {
        return Some(max_len(MAX_FEATURE_NAME));
    }
    let is_segment = |segment: &str| {
        segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && segment.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    let is_valid =
        name.starts_with(|first: char| first.is_ascii_uppercase()) && name.split('/').all(is_segment);
    (!is_valid).then(|| {
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or \
         MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
            .to_owned()
    })
}

fn validate_pod_cidrs(cidrs: Field<'_>) {
    cidrs.items().for_each(|cidr| {
        cidr.check(strict_legacy_cidr);
    });
    // One range is of one family, whatever it is.
    if cidrs.len() < 2 {
        return;
    }
    let parsed: Vec<_> = cidrs.items().map(|cidr| (cidr.str(), parse_cidr(cidr.str()))).collect();
    if let Some((at, (text, _))) = parsed.iter().enumerate().find(|(_, (_, cidr))| cidr.is_none()) {
        cidrs.internal(format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{at}]: <nil> (invalid CIDR \
             address: {text})"
        ));
    }
    let has = |is_ipv4: bool| {
        parsed.iter().any(|(_, cidr)| cidr.is_some_and(|cidr| cidr.address.is_ipv4() == is_ipv4))
    };
    let is_dual = parsed.iter().all(|(_, cidr)| cidr.is_some()) && has(true) && has(false);
    if !is_dual || cidrs.len() > 2 {
        cidrs.invalid("may specify no more than one CIDR for each IP family");
    }
}

fn validate_update(node: Field<'_>, old: Field<'_>) {
    resources(node);
    declared_features(node);
    let mut known = BTreeSet::new();
    for address in node.fields(["status", "addresses"]).items() {
        if !known.insert((address.field("type").str(), address.field("address").str())) {
            address.duplicate_as(BadValue::internal("core.NodeAddress", address));
        }
    }
    immutable_spec(node.field("spec"), old.field("spec"));
    taints(node);
}

fn immutable_spec(spec: Field<'_>, old: Field<'_>) {
    pod_cidrs_kept(spec.field("podCIDRs"), old.field("podCIDRs"));
    let (id, old_id) = (spec.field("providerID"), old.field("providerID").str());
    if !old_id.is_empty() && id.str() != old_id {
        // Upstream prints null for the value in either case.
        let verb = if id.is_empty() { "cleared" } else { "modified" };
        id.invalid_as(BadValue::null(), format!("field cannot be {verb} once set"));
    }
    if spec.field("externalID").str() != old.field("externalID").str() {
        spec.field("externalID").forbidden("may not be updated");
    }
}

fn pod_cidrs_kept(cidrs: Field<'_>, old: Field<'_>) {
    const MESSAGE: &str = "node updates may not change podCIDR except from \"\" to valid";
    if old.is_empty() {
        return;
    }
    if cidrs.len() != old.len() {
        return cidrs.forbidden(MESSAGE);
    }
    let changed = cidrs.items().zip(old.items()).filter(|(new, old)| new.str() != old.str());
    // One error for each range that differs, all with the same text.
    changed.for_each(|_| cidrs.forbidden(MESSAGE));
}
