//! IPAddress: an address that is taken.

use super::reference::required_path_segment;
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, path_segment_name, strict_ip};
use crate::meta::NameRule;
use crate::registry::Rules;

pub(super) const RULES: Rules = Rules {
    kind: "IPAddress",
    name: NameRule::Custom(strict_ip),
    validate,
    validate_update,
    ..Rules::CLUSTER
};

fn validate(address: Field<'_>) {
    let parent = address.fields(["spec", "parentRef"]);
    if !parent.is_set() {
        return parent.required("");
    }
    if !parent.field("group").is_empty() {
        parent.field("group").check(dns1123_subdomain);
    }
    required_path_segment(parent.field("resource"));
    required_path_segment(parent.field("name"));
    if !parent.field("namespace").is_empty() {
        parent.field("namespace").check(path_segment_name);
    }
}

fn validate_update(address: Field<'_>, old: Field<'_>) {
    let parent = address.fields(["spec", "parentRef"]);
    if !parent.same_as(old.fields(["spec", "parentRef"])) {
        // Upstream: the declarative rule does not tell the value.
        parent.invalid_as(BadValue::null(), "field is immutable");
    }
}
