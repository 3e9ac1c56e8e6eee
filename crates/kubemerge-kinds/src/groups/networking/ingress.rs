//! Ingress.

use super::reference::required_path_segment;
use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::{BadValue, Field};
use crate::format::{
    dns1123_label, dns1123_subdomain, parse_ip, port_name, strict_ip, wildcard_dns1123_subdomain,
};
use crate::registry::{
    GenerationRule, KindEntry, Presentation, StorageFolder, Strategy, SubresourceRules, ValidationRules,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Ingress",
    folder: StorageFolder::Named("ingress"),
    strategy: Strategy { generation: GenerationRule::Field("spec"), ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: validate,
        new_only: validate_create_only,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules { validate_update: validate_status, ..SubresourceRules::STATUS }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Class", Cell::TextOr("/spec/ingressClassName", "<none>")),
            KindColumn::string("Hosts", Cell::Computed(network::ingress_hosts)),
            KindColumn::string("Address", Cell::Computed(network::load_balancer)),
            KindColumn::string("Ports", Cell::Computed(network::ingress_ports)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// The annotation that named a class before there was a field for it.
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";
const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
const FORBIDDEN_IN_PATHS: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_AT_END_OF_PATHS: [&str; 2] = ["/..", "/."];

fn validate(ingress: Field<'_>) {
    let spec = ingress.field("spec");
    let (rules, default) = (spec.field("rules"), spec.field("defaultBackend"));
    if rules.is_empty() && !default.is_set() {
        // Go prints an absent list and an empty one differently.
        let no_rules = if rules.is_set() { "[]" } else { "null" };
        spec.invalid_as(BadValue::verbatim(no_rules), "either `defaultBackend` or `rules` must be specified");
    }
    if default.is_set() {
        backend(default);
    }
    rules.items().for_each(rule);
    spec.field("tls").items().for_each(tls);
    let class = spec.field("ingressClassName");
    if class.is_set() {
        class.check(dns1123_subdomain);
    }
}

/// Both ways to name a class must agree, in new objects.
fn validate_create_only(ingress: Field<'_>) {
    let class = ingress.fields(["spec", "ingressClassName"]);
    let annotation = ingress.fields(["metadata", "annotations"]).key(CLASS_ANNOTATION);
    if class.is_set() && annotation.is_set() && class.str() != annotation.str() {
        // Upstream: the path lacks `metadata`.
        let place = ingress.field("annotations").field(CLASS_ANNOTATION);
        annotation.reported_at(place).invalid("must match `ingressClassName` when both are specified");
    }
}

fn tls(tls: Field<'_>) {
    tls.field("hosts").items().for_each(host_name);
    let secret = tls.field("secretName");
    if !secret.is_empty() {
        secret.check(dns1123_subdomain);
    }
}

fn host_name(host: Field<'_>) {
    let is_wildcard = host.str().contains('*');
    host.check(if is_wildcard { wildcard_dns1123_subdomain } else { dns1123_subdomain });
}

fn rule(rule: Field<'_>) {
    let host = rule.field("host");
    if !host.is_empty() {
        if parse_ip(host.str()).is_some() {
            host.invalid("must be a DNS name, not an IP address");
        }
        host_name(host);
    }
    let http = rule.field("http");
    if http.is_set() {
        let paths = http.field("paths");
        paths.require("");
        paths.items().for_each(http_path);
    }
}

fn http_path(path: Field<'_>) {
    let (text, kind) = (path.field("path"), path.field("pathType"));
    let is_absolute = text.str().starts_with('/');
    match kind.str() {
        "Exact" | "Prefix" => {
            if !is_absolute {
                text.invalid("must be an absolute path");
            }
            plain_path(text);
        }
        "ImplementationSpecific" if !text.is_empty() && !is_absolute => {
            text.invalid("must be an absolute path");
        }
        "ImplementationSpecific" => {}
        // Upstream does not look at the backend then.
        _ if !kind.is_set() => return kind.required("pathType must be specified"),
        _ => kind.not_supported(&PATH_TYPES),
    }
    backend(path.field("backend"));
}

fn plain_path(path: Field<'_>) {
    for part in FORBIDDEN_IN_PATHS.into_iter().filter(|part| path.str().contains(part)) {
        path.invalid(format!("must not contain '{part}'"));
    }
    for end in FORBIDDEN_AT_END_OF_PATHS.into_iter().filter(|end| path.str().ends_with(end)) {
        path.invalid(format!("cannot end with '{end}'"));
    }
}

fn backend(backend: Field<'_>) {
    let (resource, service) = (backend.field("resource"), backend.field("service"));
    match (resource.is_set(), service.is_set()) {
        (true, true) => backend.invalid_as("", "cannot set both resource and service backends"),
        (true, false) => local_reference(resource),
        (false, true) => service_backend(backend, service),
        (false, false) => backend.invalid_as("", "resource or service backend is required"),
    }
}

fn local_reference(reference: Field<'_>) {
    let group = reference.field("apiGroup");
    if group.is_set() {
        group.check(dns1123_subdomain);
    }
    required_path_segment(reference.field("kind"));
    required_path_segment(reference.field("name"));
}

fn service_backend(backend: Field<'_>, service: Field<'_>) {
    let name = service.field("name");
    if !name.require("") {
        name.check(dns1123_label);
    }
    let (port_name_field, number) = (service.fields(["port", "name"]), service.fields(["port", "number"]));
    match (!port_name_field.is_empty(), number.int() != 0) {
        // Upstream reports it at the backend and prints nothing of it.
        (true, true) => backend.invalid_as("", "cannot set both port name & port number"),
        (true, false) => {
            port_name_field.check(port_name);
        }
        (false, true) => {
            number.check_port();
        }
        (false, false) => backend.required("port name or number is required"),
    }
}

fn validate_status(ingress: Field<'_>, old: Field<'_>) {
    const POINTS: [&str; 3] = ["status", "loadBalancer", "ingress"];
    for point in ingress.fields(POINTS).items() {
        let (address, host) = (point.field("ip"), point.field("hostname"));
        // An address that is stored already may be written in an older form.
        let is_stored = old.fields(POINTS).items().any(|stored| stored.field("ip").str() == address.str());
        if !address.is_empty() && !is_stored {
            address.check(strict_ip);
        }
        if !host.is_empty() {
            host.check(dns1123_subdomain);
            if parse_ip(host.str()).is_some() {
                host.invalid("must be a DNS name, not an IP address");
            }
        }
    }
}
