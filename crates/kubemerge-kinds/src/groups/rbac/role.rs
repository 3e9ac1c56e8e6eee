//! Role and ClusterRole.

use crate::field::{BadValue, Field};
use crate::meta::{NameRule, Selector, label_selector};
use crate::registry::{Context, DecodeRules, KindEntry, Permission, Scope, Strategy, ValidationRules};
use crate::tree::{Map, Value};

pub(super) const ROLE: KindEntry = KindEntry {
    kind: "Role",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::PathSegment,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules { object: validate_role, ..ValidationRules::DEFAULT },
    ..KindEntry::NAMESPACED
};

pub(super) const CLUSTER_ROLE: KindEntry = KindEntry {
    kind: "ClusterRole",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::PathSegment,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules { object: validate_cluster_role, ..ValidationRules::DEFAULT },
    ..KindEntry::CLUSTER
};

/// Kubernetes writes an empty list of rules as null. One that a client gave is kept as such: it has an owner.
fn defaults(role: &mut Map<'_>, _: Context) {
    if !role.has("rules") {
        role.set("rules", Value::Null);
    }
}

fn validate_role(role: Field<'_>) {
    role.field("rules").items().for_each(|rule| policy_rule(rule, Scope::Namespaced));
}

fn validate_cluster_role(role: Field<'_>) {
    role.field("rules").items().for_each(|rule| policy_rule(rule, Scope::Cluster));
    let aggregation = role.field("aggregationRule");
    if !aggregation.is_set() {
        return;
    }
    let selectors = aggregation.field("clusterRoleSelectors");
    selectors.require("at least one clusterRoleSelector required if aggregationRule is non-nil");
    for selector in selectors.items() {
        let errors_before = selector.errors_so_far();
        label_selector(selector, Selector::Strict);
        if selector.errors_so_far() > errors_before {
            // Upstream reports a wrong selector a second time as a whole.
            selector.invalid_as(BadValue::null(), "invalid label selector.");
        }
    }
}

/// A rule is about resources or about URLs, never both; namespaces have no URLs of their own.
fn policy_rule(rule: Field<'_>, scope: Scope) {
    rule.field("verbs").declared().require("");
    let urls = rule.field("nonResourceURLs");
    let resource_fields = ["apiGroups", "resources", "resourceNames"];
    if urls.is_empty() {
        rule.field("apiGroups").require("resource rules must supply at least one api group");
        rule.field("resources").require("resource rules must supply at least one resource");
        return;
    }
    if scope == Scope::Namespaced {
        urls.invalid("namespaced rules cannot apply to non-resource URLs");
    }
    if resource_fields.iter().any(|name| !rule.field(name).is_empty()) {
        urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    }
}
