//! Environment variables and where their values come from.

use super::paths::{local_path, no_backsteps};
use crate::field::Field;
use crate::format::{config_map_key, dns1123_label, dns1123_subdomain, qualified_name, relaxed_env_var_name};
use crate::meta::NameRule;

const ENV_FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// Fields that a file of a volume can have.
pub(super) const VOLUME_FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const BYTE_DIVISORS: [&str; 13] =
    ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

pub(super) fn env(variables: Field<'_>) {
    for variable in variables.items() {
        let name = variable.field("name");
        if !name.require("") {
            name.check(relaxed_env_var_name);
        }
        if variable.has("valueFrom") {
            value_from(variable);
        }
    }
}

fn value_from(variable: Field<'_>) {
    let source = variable.field("valueFrom");
    let names = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    let given: Vec<&str> = names.into_iter().filter(|name| source.has(name)).collect();
    for name in &given {
        let reference = source.field(name);
        match *name {
            // Upstream checks every source that is given before it complains about their number.
            "fieldRef" => field_reference(reference, &ENV_FIELDS),
            "resourceFieldRef" => resource_reference(reference, ContainerName::Optional),
            "fileKeyRef" => file_key(reference),
            _ => object_key(reference),
        }
    }
    // Upstream passes an empty text for the value in place of the struct.
    if given.is_empty() {
        source.invalid_as(
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        );
    } else if !variable.field("value").is_empty() {
        source.invalid_as("", "may not be specified when `value` is not empty");
    } else if given.len() > 1 {
        source.invalid_as("", "may not have more than one field specified at a time");
    }
}

pub(super) fn env_from(sources: Field<'_>) {
    for source in sources.items() {
        let prefix = source.field("prefix");
        if !prefix.is_empty() {
            prefix.check(relaxed_env_var_name);
        }
        let given = ["configMapRef", "secretRef"].into_iter().filter(|name| source.has(name));
        let mut count = 0;
        for reference in given.map(|name| source.field(name)) {
            count += 1;
            let name = reference.field("name");
            if !name.require("") {
                name.report_problems(NameRule::Subdomain.check_prefix(name.str()));
            }
        }
        // Upstream reports these at the list.
        match count {
            0 => sources.invalid_as("", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => sources.invalid_as("", "may not have more than one field specified at a time"),
        }
    }
}

/// A key of a ConfigMap or Secret.
fn object_key(reference: Field<'_>) {
    reference.field("name").check(dns1123_subdomain);
    let key = reference.field("key");
    if !key.require("") {
        key.check(config_map_key);
    }
}

fn file_key(reference: Field<'_>) {
    let key = reference.field("key");
    if !key.require("") {
        key.check(relaxed_env_var_name);
    }
    let volume = reference.field("volumeName");
    if !volume.require("") {
        volume.check(dns1123_label);
    }
    let path = reference.field("path");
    if !path.require("") {
        no_backsteps(path);
    }
}

/// A field of the pod that the downward API offers.
pub(super) fn field_reference(reference: Field<'_>, supported: &[&str]) {
    if reference.field("apiVersion").require("") || reference.field("fieldPath").require("") {
        return;
    }
    let (version, path) = (reference.field("apiVersion").str(), reference.field("fieldPath"));
    let subscript = path.str().strip_suffix("']").and_then(|rest| rest.split_once("['"));
    // Paths are converted by version, and pods have one.
    if version != "v1" {
        path.invalid(format!("error converting fieldPath: unsupported pod version: {version}"));
        return;
    }
    match subscript {
        Some((map @ ("metadata.annotations" | "metadata.labels"), key)) => {
            // Upstream: keys of annotations may have capital letters in the domain, those of labels not.
            let key = if map == "metadata.annotations" { key.to_lowercase() } else { key.to_owned() };
            qualified_name(&key).into_iter().for_each(|problem| reference.invalid_as(key.as_str(), problem));
        }
        Some((other, _)) => {
            path.invalid(format!(
                "error converting fieldPath: field label does not support subscript: {other}"
            ));
        }
        None if !is_known_field(path.str()) => {
            path.invalid(format!("error converting fieldPath: field label not supported: {}", path.str()));
        }
        None if !supported.contains(&path.str()) => path.not_supported(supported),
        None => {}
    }
}

/// Fields that the downward API can convert, though not every use supports each.
fn is_known_field(path: &str) -> bool {
    const OTHERS: [&str; 4] =
        ["metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName"];
    ENV_FIELDS.contains(&path) || OTHERS.contains(&path) || path == "status.phase"
}

/// Whether a reference to a resource must name its container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerName {
    Required,
    Optional,
}

/// A resource of a container that the downward API offers.
pub(super) fn resource_reference(reference: Field<'_>, container_name: ContainerName) {
    let (container, resource) = (reference.field("containerName"), reference.field("resource"));
    let is_huge_pages = ["limits.hugepages-", "requests.hugepages-"]
        .into_iter()
        .any(|prefix| resource.str().starts_with(prefix));
    if container_name == ContainerName::Required && container.is_empty() {
        container.required("");
    } else if resource.is_empty() {
        resource.required("");
    } else if !RESOURCES.contains(&resource.str()) && !is_huge_pages {
        resource.not_supported(&RESOURCES);
    }
    divisor(reference, is_huge_pages);
}

fn divisor(reference: Field<'_>, is_huge_pages: bool) {
    let (divisor, resource) = (reference.field("divisor"), reference.field("resource").str());
    // Absent means 1, filled in when the value is read.
    if divisor.quantity().is_zero() {
        return;
    }
    let text = divisor.str();
    let bytes = |of: &str| {
        let listed = BYTE_DIVISORS.join(", ");
        (!BYTE_DIVISORS.contains(&text))
            .then(|| format!("only divisor's values {listed} are supported with the {of} resource"))
    };
    let problem = match resource {
        "limits.cpu" | "requests.cpu" => (!["1m", "1"].contains(&text))
            .then(|| "only divisor's values 1m and 1 are supported with the cpu resource".to_owned()),
        "limits.memory" | "requests.memory" => bytes("memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => bytes("local ephemeral storage"),
        _ if is_huge_pages => bytes("hugepages"),
        _ => None,
    };
    if let Some(problem) = problem {
        // Upstream: the value in the message is the resource, not the divisor.
        divisor.invalid_as(resource, problem);
    }
}

/// A file of a downward API volume.
pub(super) fn downward_api_file(file: Field<'_>, reported: Field<'_>) {
    // Upstream reports all of these at the volume, not at the file.
    let at = |name: &'static str| file.field(name).reported_at(reported.field(name));
    if at("path").is_empty() {
        at("path").required("");
    }
    local_path(at("path"));
    let (field, resource) = (file.field("fieldRef"), file.field("resourceFieldRef"));
    if field.is_set() {
        field_reference(field.reported_at(reported.field("fieldRef")), &VOLUME_FIELDS);
        if resource.is_set() {
            reported
                .invalid_as("resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
        }
    } else if resource.is_set() {
        resource_reference(resource.reported_at(reported.field("resourceFieldRef")), ContainerName::Required);
    } else {
        reported.required("one of fieldRef and resourceFieldRef is required");
    }
    super::paths::file_mode(at("mode"));
    super::paths::user(at("user"));
}
