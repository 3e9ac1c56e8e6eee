//! NetworkPolicy.

use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::Field;
use crate::format::{cidr_contains, parse_cidr, port_name, strict_cidr};
use crate::meta::{Selector, label_selector};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, ValidationRules,
};
use crate::tree::{List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "NetworkPolicy",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { generation: GenerationRule::FieldAsGiven("spec"), ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        on_update: OnUpdate::ValidateObject,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Pod-Selector", Cell::Computed(network::pod_selector)), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// The two directions of a policy: the list of its rules, and that of the peers in each of them.
const DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];
const POLICY_TYPES: [&str; 2] = ["Ingress", "Egress"];

fn defaults(policy: &mut Map<'_>, _: Context) {
    let spec = policy.ensure_map("spec");
    for (direction, _) in DIRECTIONS {
        for rule in spec.maps_mut(direction) {
            rule.maps_mut("ports").for_each(|port| port.set_if_absent("protocol", "TCP"));
        }
    }
    if spec.list("policyTypes").is_empty() {
        // Rules for what leaves a pod were added later: without any, a policy is about what comes in.
        let has_egress = !spec.list("egress").is_empty();
        let mut types = List::new_in(spec.arena());
        types.push(Value::from("Ingress"));
        if has_egress {
            types.push(Value::from("Egress"));
        }
        spec.set("policyTypes", types);
    }
}

fn validate(policy: Field<'_>) {
    let spec = policy.field("spec");
    label_selector(spec.field("podSelector"), Selector::Strict);
    for (direction, peers) in DIRECTIONS {
        for rule in spec.field(direction).items() {
            rule.field("ports").items().for_each(port);
            rule.field(peers).items().for_each(peer);
        }
    }
    let types = spec.field("policyTypes");
    if types.len() > POLICY_TYPES.len() {
        return types.invalid("may not specify more than two policyTypes");
    }
    types.items().for_each(|one| {
        one.one_of(&POLICY_TYPES);
    });
}

fn port(port: Field<'_>) {
    if port.field("protocol").is_set() {
        port.field("protocol").one_of(&["TCP", "UDP", "SCTP"]);
    }
    let (start, end) = (port.field("port"), port.field("endPort"));
    match start.value() {
        Some(Value::Int(number)) => {
            start.check_port();
            if end.is_set() {
                if end.int() < *number {
                    end.invalid("must be greater than or equal to `port`");
                }
                end.check_port();
            }
        }
        Some(_) => {
            if end.is_set() {
                end.invalid("may not be specified when `port` is non-numeric");
            }
            start.check(port_name);
        }
        None if end.is_set() => end.invalid("may not be specified when `port` is not specified"),
        None => {}
    }
}

fn peer(peer: Field<'_>) {
    let selectors = [peer.field("podSelector"), peer.field("namespaceSelector")];
    for selector in selectors.into_iter().filter(|selector| selector.is_set()) {
        label_selector(selector, Selector::Strict);
    }
    let block = peer.field("ipBlock");
    let has_selector = selectors.iter().any(|selector| selector.is_set());
    if block.is_set() {
        ip_block(block);
    }
    match (has_selector, block.is_set()) {
        (false, false) => peer.required("must specify a peer"),
        (true, true) => peer.forbidden("may not specify both ipBlock and another peer"),
        _ => {}
    }
}

fn ip_block(block: Field<'_>) {
    let whole = block.field("cidr");
    if whole.require("") {
        return;
    }
    whole.check(strict_cidr);
    // A malformed range contains nothing.
    let Some(range) = parse_cidr(whole.str()) else { return };
    for except in block.field("except").items() {
        except.check(strict_cidr);
        let is_inside = parse_cidr(except.str()).is_none_or(|part| cidr_contains(range, part));
        if !is_inside {
            except.invalid("must be a strict subset of `cidr`");
        }
    }
}
