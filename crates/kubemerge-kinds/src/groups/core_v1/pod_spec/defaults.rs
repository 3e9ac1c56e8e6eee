//! Defaults of pod specs.

use super::{image, volume_defaults};
use crate::registry::Context;
use crate::tree::{Map, Value};
use crate::typed::Quantity;

/// Defaults of the spec of a Pod: those of every pod spec, and some that templates do not get.
pub(crate) fn pod_defaults(spec: &mut Map<'_>, context: Context) {
    // Upstream: negative periods were accepted once and are read as the shortest one.
    if spec.int("terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        spec.set("terminationGracePeriodSeconds", 1);
    }
    for name in ["containers", "initContainers"] {
        spec.maps_mut(name)
            .filter_map(|container| container.map_mut("resources"))
            .for_each(requests_from_limits);
    }
    spec.set_if_absent("enableServiceLinks", true);
    host_network_ports(spec);
    // Last, because rounding resources applies to requests that were copied from limits too.
    defaults(spec, context);
}

/// Defaults of every pod spec.
pub(crate) fn defaults(spec: &mut Map<'_>, context: Context) {
    service_account(spec);
    spec.set_default("dnsPolicy", "ClusterFirst");
    spec.set_default("restartPolicy", "Always");
    if !spec.has("securityContext") {
        spec.ensure_map("securityContext");
    }
    spec.set_if_absent("terminationGracePeriodSeconds", 30);
    // Since 1.28 templates keep the ports that they were given.
    if !context.since(28) {
        host_network_ports(spec);
    }
    spec.set_default("schedulerName", "default-scheduler");
    spec.maps_mut("volumes").for_each(|volume| volume_defaults::volume(volume, context));
    for name in ["initContainers", "containers", "ephemeralContainers"] {
        spec.maps_mut(name).for_each(|container| self::container(container, context));
    }
    resource_list(spec, "overhead");
    if let Some(resources) = spec.map_mut("resources") {
        requirements(resources);
    }
}

/// The old name of the field follows the new one, or gives it its value.
fn service_account(spec: &mut Map<'_>) {
    let name = match (spec.str("serviceAccountName"), spec.str("serviceAccount")) {
        ("", "") => return,
        ("", old) => old,
        (name, _) => name,
    };
    spec.set("serviceAccountName", name);
    spec.set("serviceAccount", name);
}

fn container(container: &mut Map<'_>, context: Context) {
    // A moving tag must be pulled again, any other image is what it was.
    let policy = if image::tag(container.str("image")) == "latest" { "Always" } else { "IfNotPresent" };
    container.set_default("imagePullPolicy", policy);
    container.set_default("terminationMessagePath", "/dev/termination-log");
    container.set_default("terminationMessagePolicy", "File");
    container.maps_mut("ports").for_each(|port| port.set_default("protocol", "TCP"));
    container.maps_mut("env").for_each(env);
    if let Some(resources) = container.map_mut("resources") {
        requirements(resources);
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.map_mut(name) {
            self::probe(probe, context);
        }
    }
    if let Some(lifecycle) = container.map_mut("lifecycle") {
        for name in ["postStart", "preStop"] {
            lifecycle
                .map_mut(name)
                .and_then(|handler| handler.map_mut("httpGet"))
                .into_iter()
                .for_each(http_get);
        }
    }
}

fn env(variable: &mut Map<'_>) {
    let Some(source) = variable.map_mut("valueFrom") else { return };
    if let Some(field) = source.map_mut("fieldRef") {
        field.set_default("apiVersion", "v1");
    }
    if let Some(file) = source.map_mut("fileKeyRef") {
        file.set_if_absent("optional", false);
    }
}

fn probe(probe: &mut Map<'_>, _context: Context) {
    probe.set_default("timeoutSeconds", 1);
    probe.set_default("periodSeconds", 10);
    probe.set_default("successThreshold", 1);
    probe.set_default("failureThreshold", 3);
    probe.map_mut("httpGet").into_iter().for_each(http_get);
    if let Some(grpc) = probe.map_mut("grpc") {
        grpc.set_if_absent("service", "");
    }
}

fn http_get(action: &mut Map<'_>) {
    action.set_default("path", "/");
    action.set_default("scheme", "HTTP");
}

/// Ports of pods in the network of the host are ports of the host, whichever field names them.
fn host_network_ports(spec: &mut Map<'_>) {
    if spec.bool("hostNetwork") {
        for name in ["containers", "initContainers"] {
            spec.maps_mut(name).for_each(host_ports);
        }
    }
}

fn host_ports(container: &mut Map<'_>) {
    for port in container.maps_mut("ports") {
        if let Some(number) = port.int("containerPort").filter(|number| *number != 0) {
            port.set_default("hostPort", number);
        }
    }
}

fn requests_from_limits(resources: &mut Map<'_>) {
    if let Some(empty @ Value::Omitted(_)) = resources.get_raw("limits") {
        let empty = empty.copy_in(resources.arena());
        resources.set_if_absent("requests", empty);
        return;
    }
    let Some(limits) = resources.map("limits").map(|limits| limits.copy_in(resources.arena())) else {
        return;
    };
    let requests = resources.ensure_map("requests");
    for (name, limit) in limits.iter() {
        if !requests.has(name) {
            requests.set(name, limit.copy_in(requests.arena()));
        }
    }
}

fn requirements(resources: &mut Map<'_>) {
    resource_list(resources, "limits");
    resource_list(resources, "requests");
}

/// Quantities of a resource list are rounded up to thousandths.
pub(crate) fn resource_list(owner: &mut Map<'_>, name: &str) {
    let Some(list) = owner.map_mut(name) else { return };
    let arena = list.arena();
    for (_, value) in list.iter_mut() {
        let Some(text) = value.as_str() else { continue };
        // Upstream counts in thousandths and rounds in favour of the pod.
        if let Some(rounded) = Quantity::of(text).rounded_up_to_milli() {
            *value = Value::Str(arena.alloc_str(&rounded));
        }
    }
}
