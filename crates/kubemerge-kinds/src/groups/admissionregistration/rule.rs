//! Which requests webhooks and policies look at: operations, groups, versions and resources.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::format::path_segment_name;
use crate::meta::{Selector, label_selector};
use crate::tree::Map;

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
/// What is deleted cannot be changed.
const MUTATING_OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];
/// What happens to a request that could not be judged.
pub(super) const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
/// Whether an object is changed again after others changed it.
pub(super) const REINVOCATION_POLICIES: [&str; 2] = ["IfNeeded", "Never"];
/// How versions of a resource are matched.
pub(super) const MATCH_POLICIES: [&str; 2] = ["Equivalent", "Exact"];

/// Defaults of a list of rules.
pub(super) fn default_rules(owner: &mut Map<'_>, name: &str) {
    owner.maps_mut(name).for_each(|rule| rule.set_if_absent("scope", "*"));
}

/// Defaults of what webhooks and policies have in common: policy of matching, and selectors that select everything.
pub(super) fn default_matching(owner: &mut Map<'_>) {
    owner.set_if_absent("matchPolicy", "Equivalent");
    let arena = owner.arena();
    for name in ["namespaceSelector", "objectSelector"] {
        owner.set_if_absent(name, Map::new_in(arena));
    }
}

/// Defaults of `matchConstraints` and `matchResources`.
pub(super) fn default_match_resources(owner: &mut Map<'_>, name: &str) {
    let Some(resources) = owner.map_mut(name) else { return };
    default_matching(resources);
    for list in ["resourceRules", "excludeResourceRules"] {
        default_rules(resources, list);
    }
}

/// Validates `matchConstraints` and `matchResources`.
pub(super) fn match_resources(resources: Field<'_>) {
    let policy = resources.field("matchPolicy");
    if policy.is_set() {
        policy.one_of(&MATCH_POLICIES);
    } else {
        policy.required("");
    }
    for selector in [resources.field("namespaceSelector"), resources.field("objectSelector")] {
        // Defaults set it; only an object that came past them lacks it.
        if !selector.is_set() {
            selector.required("");
        }
        label_selector(selector, Selector::Strict);
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        resources.field(list).items().for_each(named_rule);
    }
}

/// Operations that a policy cannot change the object of; reported without the place of the rule.
pub(super) fn mutating_operations(resources: Field<'_>) {
    let rules = resources.field("resourceRules");
    for operation in rules.items().flat_map(|rule| rule.field("operations").items()) {
        if !MUTATING_OPERATIONS.contains(&operation.str()) {
            rules.field("operations").not_supported_as(operation.str(), &MUTATING_OPERATIONS);
        }
    }
}

fn named_rule(rule: Field<'_>) {
    let mut names = BTreeSet::new();
    for name in rule.field("resourceNames").items() {
        name.check(path_segment_name);
        if !names.insert(name.str()) {
            name.duplicate();
        }
    }
    rule_with_operations(rule);
}

/// Validates a rule.
pub(super) fn rule_with_operations(rule: Field<'_>) {
    let operations = rule.field("operations");
    operations.require("");
    alone_if_any(operations, "operations");
    operations.items().for_each(|operation| {
        operation.one_of(&OPERATIONS);
    });
    let (groups, versions) = (rule.field("apiGroups"), rule.field("apiVersions"));
    // The empty group is a valid item: that is the core group.
    groups.require("");
    alone_if_any(groups, "API groups");
    versions.require("");
    alone_if_any(versions, "API versions");
    versions.items().for_each(|version| {
        version.require("");
    });
    resources(rule.field("resources"));
    let scope = rule.field("scope");
    if scope.is_set() {
        scope.one_of(&SCOPES);
    }
}

/// `*` says everything, so nothing else may be beside it.
fn alone_if_any(list: Field<'_>, things: &str) {
    if list.len() > 1 && list.items().any(|item| item.str() == "*") {
        list.invalid(format!("if '*' is present, must not specify other {things}"));
    }
}

fn resources(resources: Field<'_>) {
    resources.require("");
    let mut with_any_subresource = BTreeSet::new();
    let mut of_any_resource = BTreeSet::new();
    // Upstream: the last resource without a subresource decides.
    let mut has_plain_resource = false;
    for item in resources.items().filter(|item| !item.require("")) {
        let text = item.str();
        let Some((resource, subresource)) = text.split_once('/') else {
            has_plain_resource = text != "*";
            continue;
        };
        if with_any_subresource.contains(resource) {
            item.invalid(format!("if '{resource}/*' is present, must not specify {text}"));
        }
        if of_any_resource.contains(subresource) {
            item.invalid(format!("if '*/{subresource}' is present, must not specify {text}"));
        }
        if subresource == "*" {
            with_any_subresource.insert(resource);
        }
        if resource == "*" {
            of_any_resource.insert(subresource);
        }
    }
    let has = |text: &str| resources.items().any(|item| item.str() == text);
    if resources.len() > 1 && has("*/*") {
        resources.invalid("if '*/*' is present, must not specify other resources");
    }
    if has("*") && has_plain_resource {
        resources.invalid("if '*' is present, must not specify other resources without subresources");
    }
}
