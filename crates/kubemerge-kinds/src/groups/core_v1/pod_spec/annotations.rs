//! Annotations of pods that were features before they became fields.

use std::{cell::LazyCell, collections::BTreeSet};

use super::all_containers;
use crate::field::Field;
use crate::go_text::quoted;

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Validates the annotations that mean something for pods.
pub(crate) fn pod_annotations<'t>(annotations: Field<'t>, spec: Field<'t>) {
    let mirror = annotations.key(MIRROR);
    // A mirror pod shows a static pod of a node that runs already.
    if mirror.is_set() && spec.field("nodeName").is_empty() {
        mirror.invalid("must set spec.nodeName if mirror pod annotation is set");
    }
    let cost = annotations.key(DELETION_COST);
    if cost.is_set() && !is_cost(cost.str()) {
        cost.invalid("must be a 32bit integer");
    }
    let names = || all_containers(spec).map(|container| container.field("name").str()).collect();
    let containers: LazyCell<BTreeSet<&str>, _> = LazyCell::new(names);
    for (key, value) in annotations.entries() {
        if key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            // Upstream: the path of seccomp annotations has a dot before the key, that of all others
            // brackets.
            seccomp(value.reported_at(annotations.field(key)));
        }
        if let Some(container) = key.strip_prefix(APP_ARMOR) {
            app_armor(value, container, &containers);
        }
    }
}

/// Numbers without leading zeros or a plus sign.
fn is_cost(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_padded = digits.len() > 1 && digits.starts_with('0') || digits.starts_with('+');
    !is_padded && text.parse::<i32>().is_ok()
}

fn seccomp(value: Field<'_>) {
    match value.str() {
        // The name docker/default is older than runtime/default and means the same.
        "runtime/default" | "docker/default" | "unconfined" => {}
        text => match text.strip_prefix("localhost/") {
            Some(path) => {
                if path.starts_with('/') {
                    value.invalid_as(path, "must be a relative path");
                }
                if path.split('/').any(|part| part == "..") {
                    value.invalid_as(path, "must not contain '..'");
                }
            }
            None => value.invalid("must be a valid seccomp profile"),
        },
    }
}

fn app_armor(value: Field<'_>, container: &str, containers: &BTreeSet<&str>) {
    if !containers.contains(container) {
        value.invalid_as(container, "container not found");
    }
    let text = value.str();
    // An empty annotation is as good as none.
    if !matches!(text, "" | "runtime/default" | "unconfined") && !text.starts_with("localhost/") {
        value.invalid(format!("invalid AppArmor profile name: {}", quoted(text)));
    }
}

/// Annotations and the fields that replaced them say the same.
pub(crate) fn match_annotations<'t>(annotations: Field<'t>, spec: Field<'t>) {
    let is_profile = |(key, _): (&str, Field<'_>)| {
        key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) || key.starts_with(APP_ARMOR)
    };
    // Pods without such annotations, nearly all, need no look at their containers.
    if !annotations.entries().any(is_profile) {
        return;
    }
    let of_pod = spec.fields(["securityContext", "seccompProfile"]);
    profile_matches(annotations.key(SECCOMP_POD), of_pod, of_pod, "seccomp");
    let is_windows = spec.fields(["os", "name"]).str() == "windows";
    for container in all_containers(spec) {
        let name = container.field("name").str();
        let context = container.field("securityContext");
        let seccomp = context.field("seccompProfile");
        profile_matches(annotation(annotations, SECCOMP_CONTAINER, name), seccomp, seccomp, "seccomp");
        let own = context.field("appArmorProfile");
        // A container without a profile of its own runs with that of its pod, but errors name the container.
        let effective = if own.is_set() { own } else { spec.fields(["securityContext", "appArmorProfile"]) };
        if !is_windows {
            profile_matches(annotation(annotations, APP_ARMOR, name), effective, own, "apparmor");
        }
    }
}

/// The annotation whose key is a prefix and the name of a container.
fn annotation<'t>(annotations: Field<'t>, prefix: &str, name: &str) -> Field<'t> {
    annotations.key_owned(&format!("{prefix}{name}"))
}

fn profile_matches(annotation: Field<'_>, profile: Field<'_>, reported: Field<'_>, what: &str) {
    if !annotation.is_set() || !profile.is_set() {
        return;
    }
    let text = annotation.str();
    let is_same_type = match profile.field("type").str() {
        "Unconfined" => text == "unconfined",
        "RuntimeDefault" => text == "runtime/default" || what == "seccomp" && text == "docker/default",
        "Localhost" => text.starts_with("localhost/"),
        _ => true,
    };
    if !is_same_type {
        reported.field("type").forbidden(format!("{what} type in annotation and field must match"));
    } else if profile.field("type").str() == "Localhost" {
        let local = profile.field("localhostProfile");
        if !local.is_set() || text.strip_prefix("localhost/") != Some(local.str()) {
            let message = format!("{what} profile in annotation and field must match");
            reported.field("localhostProfile").forbidden(message);
        }
    }
}
