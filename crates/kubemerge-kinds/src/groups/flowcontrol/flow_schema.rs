//! FlowSchema.

use super::status::{CATCH_ALL, EXEMPT, status};
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, Presentation, Strategy, SubresourceRules, ValidationRules,
    keep_whole_metadata,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "FlowSchema",
    decode: DecodeRules {
        defaults: |schema, _| schema.ensure_map("spec").set_default("matchingPrecedence", 1000),
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy { generation: GenerationRule::Field("spec"), ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: |schema| {
            spec(schema);
            status(schema.field("status"));
        },
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: keep_whole_metadata,
        validate_update: |schema, _| status(schema.field("status")),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("PriorityLevel", Cell::Text("/spec/priorityLevelConfiguration/name")),
            KindColumn::string("MatchingPrecedence", Cell::Number("/spec/matchingPrecedence")),
            KindColumn::string(
                "DistinguisherMethod",
                Cell::TextOr("/spec/distinguisherMethod/type", "<none>"),
            ),
            AGE,
            KindColumn::string("MissingPL", Cell::Computed(control::missing_level)),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

const MAX_PRECEDENCE: i64 = 10_000;
const DISTINGUISHERS: [&str; 2] = ["ByNamespace", "ByUser"];
const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
/// Kinds of subjects, and the field that holds each.
const SUBJECTS: [(&str, &str); 3] =
    [("Group", "group"), ("ServiceAccount", "serviceAccount"), ("User", "user")];

/// The specs of the objects that every server creates for itself, as canonical JSON.
const FIXED_SPECS: [(&str, &str); 2] = [
    (
        EXEMPT,
        r#"{"matchingPrecedence":1,"priorityLevelConfiguration":{"name":"exempt"},"rules":[{"nonResourceRules":[{"nonResourceURLs":["*"],"verbs":["*"]}],"resourceRules":[{"apiGroups":["*"],"clusterScope":true,"namespaces":["*"],"resources":["*"],"verbs":["*"]}],"subjects":[{"group":{"name":"system:masters"},"kind":"Group"}]}]}"#,
    ),
    (
        CATCH_ALL,
        r#"{"distinguisherMethod":{"type":"ByUser"},"matchingPrecedence":10000,"priorityLevelConfiguration":{"name":"catch-all"},"rules":[{"nonResourceRules":[{"nonResourceURLs":["*"],"verbs":["*"]}],"resourceRules":[{"apiGroups":["*"],"clusterScope":true,"namespaces":["*"],"resources":["*"],"verbs":["*"]}],"subjects":[{"group":{"name":"system:unauthenticated"},"kind":"Group"},{"group":{"name":"system:authenticated"},"kind":"Group"}]}]}"#,
    ),
];

fn spec(schema: Field<'_>) {
    let (name, spec) = (schema.fields(["metadata", "name"]).str(), schema.field("spec"));
    precedence(name, spec.field("matchingPrecedence"));
    let method = spec.field("distinguisherMethod");
    if method.is_set() && !DISTINGUISHERS.contains(&method.field("type").str()) {
        // Upstream prints the whole method.
        let value = BadValue::internal("flowcontrol.FlowDistinguisherMethod", method);
        method.field("type").not_supported_as(value, &DISTINGUISHERS);
    }
    let level = spec.fields(["priorityLevelConfiguration", "name"]);
    if !level.require("must reference a priority level") {
        level.check(dns1123_subdomain);
    }
    spec.field("rules").items().for_each(rule);
    let fixed = FIXED_SPECS.into_iter().find(|(fixed, _)| *fixed == name);
    if fixed.is_some_and(|(_, text)| spec.map().is_none_or(|spec| spec.to_text() != text)) {
        let message = format!("spec of '{name}' must equal the fixed value");
        spec.invalid_struct("flowcontrol.FlowSchemaSpec", message);
    }
}

fn precedence(name: &str, precedence: Field<'_>) {
    let number = precedence.int();
    if number <= 0 {
        precedence.invalid_as(number, "must be a positive value");
    }
    if number > MAX_PRECEDENCE {
        precedence.invalid(format!("must not be greater than {MAX_PRECEDENCE}"));
    }
    // Requests of administrators must match before all others.
    if number == 1 && name != EXEMPT {
        precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
    }
}

fn rule(rule: Field<'_>) {
    let subjects = rule.field("subjects");
    subjects.require("subjects must contain at least one value");
    subjects.items().for_each(subject);
    let (resources, others) = (rule.field("resourceRules"), rule.field("nonResourceRules"));
    if resources.is_empty() && others.is_empty() {
        rule.required("at least one of resourceRules and nonResourceRules has to be non-empty");
    }
    resources.items().for_each(resource_rule);
    others.items().for_each(non_resource_rule);
}

fn subject(subject: Field<'_>) {
    let kind = subject.field("kind");
    // Which fields go with an unknown kind is unknown as well.
    if !kind.one_of(&SUBJECTS.map(|(name, _)| name)) {
        return;
    }
    for (name, field) in SUBJECTS {
        let part = subject.field(field);
        match (name == kind.str(), part.is_set()) {
            (true, false) => part.required(format!("{field} is required when subject kind is '{name}'")),
            (true, true) => named_subject(part, name),
            (false, true) => {
                part.forbidden(format!("{field} is forbidden when subject kind is not '{name}'"));
            }
            (false, false) => {}
        }
    }
}

fn named_subject(subject: Field<'_>, kind: &str) {
    let (name, namespace) = (subject.field("name"), subject.field("namespace"));
    let is_given = !name.require("");
    // Names of users and groups come from outside and have no format.
    if kind != "ServiceAccount" {
        return;
    }
    if is_given && name.str() != "*" {
        name.check(dns1123_subdomain);
    }
    if !namespace.require("must specify namespace for service account") {
        namespace.check(dns1123_label);
    }
}

fn is_any(list: Field<'_>) -> bool {
    list.items().any(|item| item.str() == "*")
}

/// `*` says everything, so nothing else may be beside it.
fn alone_if_any(list: Field<'_>, things: &str) {
    if list.len() > 1 && is_any(list) {
        list.invalid(format!("if '*' is present, must not specify other {things}"));
    }
}

fn verbs(verbs: Field<'_>) {
    verbs.require("verbs must contain at least one value");
    alone_if_any(verbs, "verbs");
    if !is_any(verbs) && !verbs.items().all(|verb| VERBS.contains(&verb.str())) {
        verbs.not_supported(&VERBS);
    }
}

fn resource_rule(rule: Field<'_>) {
    verbs(rule.field("verbs"));
    let (groups, resources) = (rule.field("apiGroups"), rule.field("resources"));
    groups.require("resource rules must supply at least one api group");
    alone_if_any(groups, "api groups");
    resources.require("resource rules must supply at least one resource");
    alone_if_any(resources, "resources");
    let namespaces = rule.field("namespaces");
    if namespaces.is_empty() && !rule.field("clusterScope").bool() {
        namespaces.required("resource rules that are not cluster scoped must supply at least one namespace");
    }
    alone_if_any(namespaces, "namespaces");
    // A star is no label, and nothing else is in the list.
    if is_any(namespaces) {
        return;
    }
    for namespace in namespaces.items() {
        for problem in dns1123_label(namespace.str()) {
            namespace.invalid(format!("each member of this list must be '*' or a DNS-1123 label; {problem}"));
        }
    }
}

fn non_resource_rule(rule: Field<'_>) {
    verbs(rule.field("verbs"));
    let urls = rule.field("nonResourceURLs");
    urls.require("nonResourceURLs must contain at least one value");
    alone_if_any(urls, "non-resource URLs");
    if !is_any(urls) {
        urls.items().for_each(url_path);
    }
}

/// A path that may end with `/*`; only the first thing wrong is reported.
fn url_path(path: Field<'_>) {
    let text = path.str();
    let stars = text.matches('*').count();
    if text.is_empty() {
        path.invalid("must not be empty");
    } else if !text.starts_with('/') {
        path.invalid("must start with slash");
    } else if text.contains(' ') {
        path.invalid("must not contain white-space");
    } else if text.contains("//") {
        path.invalid("must not contain double slash");
    } else if stars > 1 || (stars == 1 && !text.ends_with("/*")) {
        path.invalid("wildcard can only do suffix matching");
    }
}
