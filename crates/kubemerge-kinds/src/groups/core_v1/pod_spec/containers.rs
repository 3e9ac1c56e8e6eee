//! Containers: regular, init and ephemeral ones.

use std::collections::BTreeSet;

use super::env::{env, env_from};
use super::handlers::{lifecycle, liveness_probe, readiness_probe, startup_probe};
use super::resources::{Requirements, requirements};
use super::security::security_context;
use super::volume_mounts::{volume_devices, volume_mounts};
use super::volumes::Volumes;
use crate::field::Field;
use crate::format::{dns1123_label, port_name};

/// What the containers of one pod have in common.
pub(super) struct Containers<'v, 't> {
    pub(super) spec: Field<'t>,
    /// The valid volumes of the pod.
    pub(super) volumes: &'v Volumes<'t>,
    /// Names of the resource claims of the pod.
    pub(super) claims: BTreeSet<&'t str>,
}

pub(super) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const NO_POLICY: &str = "must specify restartPolicy when restart rules are used";
const NO_PROBES: &str = "may not be set for init containers without restartPolicy=Always";

pub(super) fn containers(pod: &Containers<'_, '_>) {
    let containers = pod.spec.field("containers");
    if containers.is_empty() {
        containers.required("");
        return;
    }
    let mut names = BTreeSet::new();
    for container in containers.items() {
        common(pod, container);
        if !names.insert(container.field("name").str()) {
            container.field("name").duplicate();
        }
        handlers(pod, container);
        restart_policy(container);
    }
    // Regular containers run at the same time, so they cannot share a port of the host.
    host_ports(containers.items(), &mut BTreeSet::new());
}

pub(super) fn init_containers(pod: &Containers<'_, '_>) {
    let regular = pod.spec.field("containers").items();
    // Init and regular containers share one set of names.
    let mut names: BTreeSet<&str> = regular.map(|container| container.field("name").str()).collect();
    for container in pod.spec.field("initContainers").items() {
        common(pod, container);
        if container.field("restartPolicy").is_set() {
            restart_policy(container);
        } else if !container.field("restartPolicyRules").is_empty() {
            container.field("restartPolicy").required(NO_POLICY);
        }
        let name = container.field("name");
        if names.contains(name.str()) {
            name.duplicate();
        // Missing names were reported as such; they are no duplicates of each other.
        } else if !name.is_empty() {
            names.insert(name.str());
        }
        // Upstream checks one container at a time and reports the first index.
        host_ports_of_init_container(container, pod.spec.field("initContainers"));
        // Such an init container is a sidecar: it keeps running, so it has probes and hooks as regular ones
        // do.
        if container.field("restartPolicy").str() == "Always" {
            handlers(pod, container);
        } else {
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if container.field(field).is_set() {
                    container.field(field).forbidden(NO_PROBES);
                }
            }
            no_restart_on_resize(container);
        }
    }
}

pub(super) fn ephemeral_containers(pod: &Containers<'_, '_>) {
    let named =
        |list: &'static str| pod.spec.field(list).items().map(|container| container.field("name").str());
    let others: BTreeSet<&str> = named("containers").chain(named("initContainers")).collect();
    // An ephemeral container may target those that were in the pod from the start, not another ephemeral one.
    let mut names = others.clone();
    for container in pod.spec.field("ephemeralContainers").items() {
        common(pod, container);
        trimmed_image(container);
        if !names.insert(container.field("name").str()) {
            container.field("name").duplicate();
        }
        let target = container.field("targetContainerName");
        if !target.is_empty() && !others.contains(target.str()) {
            target.not_found();
        }
        only_ephemeral_fields(container);
    }
}

/// Ephemeral containers have no ports, probes, resources or restart policy.
fn only_ephemeral_fields(container: Field<'_>) {
    const MESSAGE: &str = "cannot be set for an Ephemeral Container";
    let forbidden = [
        "ports",
        "resizePolicy",
        "restartPolicy",
        "restartPolicyRules",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    for name in forbidden {
        // Empty lists count too: upstream compares the field with its zero value.
        if container.field(name).is_given() {
            container.field(name).forbidden(MESSAGE);
        }
    }
    let resources = container.field("resources");
    if ["limits", "requests", "claims"].into_iter().any(|name| resources.field(name).is_given()) {
        resources.forbidden(MESSAGE);
    }
    for mount in container.field("volumeMounts").items() {
        for name in ["subPath", "subPathExpr"] {
            if !mount.field(name).is_empty() {
                mount.field(name).forbidden(MESSAGE);
            }
        }
    }
}

/// The image of a Pod's container has no spaces around it; templates are not checked.
pub(crate) fn trimmed_image(container: Field<'_>) {
    let image = container.field("image");
    if image.str().trim() != image.str() {
        image.invalid("must not have leading or trailing whitespace");
    }
}

fn common(pod: &Containers<'_, '_>, container: Field<'_>) {
    let name = container.field("name");
    if !name.require("") {
        name.check(dns1123_label);
    }
    container.field("image").require("");
    container.field("terminationMessagePolicy").require_one_of(&["File", "FallbackToLogsOnError"]);
    ports(container.field("ports"));
    env(container.field("env"));
    env_from(container.field("envFrom"));
    volume_mounts(container, pod.volumes);
    volume_devices(container, pod.volumes);
    container.field("imagePullPolicy").require_one_of(&["Always", "IfNotPresent", "Never"]);
    requirements(container.field("resources"), Requirements::Container, &pod.claims);
    resize_policy(container.field("resizePolicy"), pod.spec.field("restartPolicy").str());
    // Without a user namespace of its own, the pod would show the host's processes unmasked.
    let has_host_users = pod.spec.field("hostUsers").opt_bool() != Some(false);
    security_context(container.field("securityContext"), has_host_users);
}

fn handlers(pod: &Containers<'_, '_>, container: Field<'_>) {
    lifecycle(container.field("lifecycle"), pod.spec);
    let grace = pod.spec.field("terminationGracePeriodSeconds").opt_int();
    liveness_probe(container.field("livenessProbe"), grace);
    readiness_probe(container.field("readinessProbe"), grace);
    startup_probe(container.field("startupProbe"), grace);
}

fn ports(ports: Field<'_>) {
    let mut names = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        // Names that are malformed are not compared: one complaint is enough.
        if !name.is_empty() && name.check(port_name) && !names.insert(name.str()) {
            name.duplicate();
        }
        let number = port.field("containerPort");
        if number.int() == 0 {
            number.required("");
        } else {
            number.check_port();
        }
        // Zero asks for no port of the host.
        if port.field("hostPort").int() != 0 {
            port.field("hostPort").check_port();
        }
        port.field("protocol").require_one_of(&PROTOCOLS);
    }
}

fn host_ports<'t>(containers: impl Iterator<Item = Field<'t>>, seen: &mut BTreeSet<String>) {
    for port in containers.flat_map(|container| container.field("ports").items()) {
        if let Some(address) = host_address(port)
            && !seen.insert(address.clone())
        {
            port.field("hostPort").duplicate_as(address.as_str());
        }
    }
}

fn host_ports_of_init_container(container: Field<'_>, list: Field<'_>) {
    let mut seen = BTreeSet::new();
    for (index, port) in container.field("ports").items().enumerate() {
        if let Some(address) = host_address(port)
            && !seen.insert(address.clone())
        {
            list.index(0).field("ports").index(index).field("hostPort").duplicate_as(address.as_str());
        }
    }
}

fn host_address(port: Field<'_>) -> Option<String> {
    let number = port.field("hostPort").int();
    // The same port may be used once for each protocol and address.
    let address = || format!("{}/{}/{number}", port.field("protocol").str(), port.field("hostIP").str());
    (number != 0).then(address)
}

fn resize_policy(policies: Field<'_>, pod_policy: &str) {
    let mut resources = BTreeSet::new();
    for policy in policies.items() {
        let (resource, restart) = (policy.field("resourceName"), policy.field("restartPolicy"));
        if !resources.insert(resource.str()) {
            resource.reported_at(policy).duplicate();
        }
        // Upstream reports all of these at the list.
        resource.reported_at(policies).require_one_of(&["cpu", "memory"]);
        restart.reported_at(policies).require_one_of(&["NotRequired", "RestartContainer"]);
        // A container that is never restarted cannot be restarted for new resources.
        if pod_policy == "Never" && restart.str() != "NotRequired" {
            let message = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            restart.reported_at(policies).invalid(message);
        }
    }
}

fn no_restart_on_resize(container: Field<'_>) {
    for policy in container.field("resizePolicy").items() {
        let restart = policy.field("restartPolicy");
        if restart.str() == "RestartContainer" {
            restart.invalid("must not be set to 'RestartContainer' for non-sidecar initContainers");
        }
    }
}

/// A container's own restart policy and its rules by exit code.
fn restart_policy(container: Field<'_>) {
    const MAX_RULES: usize = 20;
    const MAX_EXIT_CODES: usize = 255;
    let (policy, rules) = (container.field("restartPolicy"), container.field("restartPolicyRules"));
    if policy.is_set() {
        policy.one_of(&["Always", "Never", "OnFailure"]);
    } else if !rules.is_empty() {
        policy.required(NO_POLICY);
    }
    if rules.len() > MAX_RULES {
        rules.too_many(rules.len(), MAX_RULES);
    }
    for rule in rules.items() {
        rule.field("action").one_of(&["Restart", "RestartAllContainers"]);
        let codes = rule.field("exitCodes");
        if !codes.is_set() {
            codes.required("must be specified");
            continue;
        }
        codes.field("operator").one_of(&["In", "NotIn"]);
        let values = codes.field("values");
        if values.len() > MAX_EXIT_CODES {
            values.too_many(values.len(), MAX_EXIT_CODES);
        }
    }
}
