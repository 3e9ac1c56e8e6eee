//! Parameters of policies: the kind that a policy names, and the objects that a binding selects.

use crate::field::Field;
use crate::format::{dns1035_label, dns1123_subdomain, path_segment_name};
use crate::meta::{Selector, label_selector};

/// Validates `paramKind`.
pub(super) fn param_kind(param: Field<'_>) {
    let (api_version, kind) = (param.field("apiVersion"), param.field("kind"));
    if !api_version.require("") {
        group_version(api_version);
    }
    if !kind.require("") {
        // Kinds have capitals; otherwise they follow the rule of resource names.
        let problems = dns1035_label(&kind.str().to_lowercase());
        if !problems.is_empty() {
            let problems = problems.join(",");
            kind.invalid(format!("may have mixed case, but should otherwise match: {problems}"));
        }
    }
}

fn group_version(field: Field<'_>) {
    let text = field.str();
    if text.matches('/').count() > 1 {
        return field.invalid(format!("unexpected GroupVersion string: {text}"));
    }
    let (group, version) = text.split_once('/').unwrap_or(("", text));
    let invalid = |part: &str, problems: Vec<String>| {
        if !problems.is_empty() {
            field.invalid_as(part, problems.join(","));
        }
    };
    if !group.is_empty() {
        invalid(group, dns1123_subdomain(group));
    }
    if version.is_empty() {
        field.invalid("version must be specified");
    } else {
        invalid(version, dns1035_label(version));
    }
}

/// Validates `paramRef`.
pub(super) fn param_ref(param: Field<'_>) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    if !param.is_set() {
        return;
    }
    let (name, selector) = (param.field("name"), param.field("selector"));
    if !name.is_empty() {
        name.check(path_segment_name);
    }
    label_selector(selector, Selector::Strict);
    match (!name.is_empty(), selector.is_set()) {
        // Upstream reports the pair at both fields.
        (true, true) => {
            name.forbidden(EXCLUSIVE);
            selector.forbidden(EXCLUSIVE);
        }
        (false, false) => param.required("one of name or selector must be specified"),
        _ => {}
    }
    let action = param.field("parameterNotFoundAction");
    if !action.require("") {
        action.one_of(&["Deny", "Allow"]);
    }
}
