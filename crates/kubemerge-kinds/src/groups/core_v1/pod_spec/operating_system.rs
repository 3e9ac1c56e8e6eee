//! Rules for pods that name their operating system.

use super::all_containers;
use crate::field::Field;

const NOT_ON_WINDOWS: &str = "cannot be set for a windows pod";

pub(super) fn operating_system(spec: Field<'_>) {
    let os = spec.field("os");
    let name = os.field("name");
    if !os.is_set() {
        return;
    }
    match name.str() {
        "" => name.required(""),
        "linux" => linux(spec),
        "windows" => windows(spec),
        // Upstream reports an unknown system at `os`, a missing one at its name.
        _ => name.reported_at(os).not_supported(&["linux", "windows"]),
    }
}

fn linux(spec: Field<'_>) {
    let contexts = all_containers(spec).map(|container| container.field("securityContext"));
    for context in [spec.field("securityContext")].into_iter().chain(contexts) {
        if context.field("windowsOptions").is_set() {
            context.field("windowsOptions").forbidden("windows options cannot be set for a linux pod");
        }
    }
}

fn forbid_set<'t>(owner: Field<'t>, names: &[&'t str]) {
    for name in names {
        if owner.field(name).is_set() {
            owner.field(name).forbidden(NOT_ON_WINDOWS);
        }
    }
}

fn windows(spec: Field<'_>) {
    let context = spec.field("securityContext");
    forbid_set(
        context,
        &[
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "fsGroup",
            "fsGroupChangePolicy",
            "runAsUser",
            "runAsGroup",
            "supplementalGroups",
            "supplementalGroupsPolicy",
            "seLinuxChangePolicy",
        ],
    );
    if !context.field("sysctls").is_empty() {
        context.field("sysctls").forbidden(NOT_ON_WINDOWS);
    }
    forbid_set(spec, &["hostUsers", "shareProcessNamespace"]);
    for name in ["hostPID", "hostIPC"] {
        // These are no pointers in Go: false counts as not set.
        if spec.field(name).bool() {
            spec.field(name).forbidden(NOT_ON_WINDOWS);
        }
    }
    for container in all_containers(spec) {
        forbid_set(
            container.field("securityContext"),
            &[
                "appArmorProfile",
                "seLinuxOptions",
                "seccompProfile",
                "capabilities",
                "readOnlyRootFilesystem",
                "privileged",
                "allowPrivilegeEscalation",
                "procMount",
                "runAsUser",
                "runAsGroup",
            ],
        );
    }
}

/// Containers of Windows that run as processes of the host: all of a pod or none.
pub(super) fn host_process(spec: Field<'_>) {
    let of_pod = spec.fields(["securityContext", "windowsOptions", "hostProcess"]).opt_bool();
    let (mut all, mut host) = (0, 0);
    for container in all_containers(spec) {
        all += 1;
        // Not counted as a process of the host: neither the pod nor the container says so.
        if of_pod.is_none() && !container.has("securityContext") {
            continue;
        }
        let own = container.fields(["securityContext", "windowsOptions", "hostProcess"]);
        if let (Some(pod), Some(container)) = (of_pod, own.opt_bool())
            && pod != container
        {
            own.invalid(format!("pod hostProcess value must be identical if both are specified, was {pod}"));
        }
        host += usize::from(own.opt_bool().or(of_pod) == Some(true));
    }
    // Without any such container there is nothing that must agree.
    if host == 0 {
        return;
    }
    if host != all {
        spec.invalid_as(
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
        );
    }
    let network = spec.field("hostNetwork");
    if !network.bool() {
        network.invalid_as(false, "hostNetwork must be true if pod contains any hostProcess containers");
    }
}
