//! Security contexts of pods and containers.

use std::collections::BTreeSet;

use super::profiles::{app_armor_profile, seccomp_profile, windows_options};
use crate::field::Field;

const MAX_ID: i64 = i32::MAX as i64;
const MAX_SYSCTL: usize = 253;
const SYSCTL: &str = r"^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

pub(super) fn pod_security_context(spec: Field<'_>) {
    let context = spec.field("securityContext");
    for name in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(context.field(name));
    }
    context.field("supplementalGroups").items().for_each(id);
    sysctls(context.field("sysctls"), spec);
    let policies: [(&str, &[&str]); 3] = [
        ("fsGroupChangePolicy", &["Always", "OnRootMismatch"]),
        ("supplementalGroupsPolicy", &["Merge", "Strict"]),
        ("seLinuxChangePolicy", &["MountOption", "Recursive"]),
    ];
    for (name, supported) in policies {
        if context.field(name).is_set() {
            context.field(name).one_of(supported);
        }
    }
    seccomp_profile(context.field("seccompProfile"));
    windows_options(context.field("windowsOptions"));
    app_armor_profile(context.field("appArmorProfile"));
}

fn id(id: Field<'_>) {
    if id.is_set() {
        id.check_range(0, MAX_ID);
    }
}

fn sysctls(sysctls: Field<'_>, spec: Field<'_>) {
    let mut names = BTreeSet::new();
    for sysctl in sysctls.items() {
        let name = sysctl.field("name");
        if name.is_empty() {
            name.required("");
        } else if !is_sysctl(name.str()) {
            name.invalid(format!("must have at most {MAX_SYSCTL} characters and match regex {SYSCTL}"));
        } else if names.contains(name.str()) {
            name.duplicate();
        }
        host_sysctl(name, spec);
        names.insert(name.str());
    }
}

fn is_sysctl(name: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let is_segment = |segment: &str| {
        segment.bytes().next().is_some_and(is_plain)
            && segment.bytes().last().is_some_and(is_plain)
            && segment.bytes().all(|byte| is_plain(byte) || matches!(byte, b'-' | b'_'))
    };
    name.len() <= MAX_SYSCTL && name.split(['.', '/']).all(is_segment)
}

/// Settings of a namespace that the pod shares with its host.
fn host_sysctl(name: Field<'_>, spec: Field<'_>) {
    // Both separators are in use: sysctl writes dots, the files below /proc/sys slashes.
    let text = name.str().replace('/', ".");
    let is_net = text.starts_with("net.");
    let is_ipc = text.starts_with("kernel.shm")
        || text.starts_with("kernel.msg")
        || text == "kernel.sem"
        || text.starts_with("fs.mqueue.");
    if spec.field("hostNetwork").bool() && is_net {
        name.invalid("may not be specified when 'hostNetwork' is true");
    } else if spec.field("hostIPC").bool() && is_ipc {
        name.invalid("may not be specified when 'hostIPC' is true");
    }
}

pub(super) fn security_context(context: Field<'_>, has_host_users: bool) {
    if !context.is_set() {
        return;
    }
    id(context.field("runAsUser"));
    id(context.field("runAsGroup"));
    let mount = context.field("procMount");
    if mount.is_set() {
        mount.one_of(&["Default", "Unmasked"]);
        if has_host_users && mount.str() == "Unmasked" {
            mount.invalid("`hostUsers` must be false to use `Unmasked`");
        }
    }
    seccomp_profile(context.field("seccompProfile"));
    privileges(context);
    windows_options(context.field("windowsOptions"));
    app_armor_profile(context.field("appArmorProfile"));
}

fn privileges(context: Field<'_>) {
    // Unset is not false: then the runtime decides.
    if context.field("allowPrivilegeEscalation").opt_bool() != Some(false) {
        return;
    }
    if context.field("privileged").bool() {
        let message = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        context.invalid_struct("core.SecurityContext", message);
    }
    let added = context.fields(["capabilities", "add"]);
    // Once for each time that it is listed, as upstream does.
    for _ in added.items().filter(|capability| capability.str() == "CAP_SYS_ADMIN") {
        context
            .invalid("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
}
