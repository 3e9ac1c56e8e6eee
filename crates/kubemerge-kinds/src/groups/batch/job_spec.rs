//! The spec of Jobs, and of the Jobs that a CronJob creates.

use super::failure_policy::failure_policy;
use super::success_policy::success_policy;
use crate::field::Field;
use crate::format::{dns1123_subdomain, regex_error};
use crate::groups::core_v1::pod_template;
use crate::registry::Context;
use crate::tree::Map;

const MAX_INDEXED: i64 = 100_000;
/// From more completions on, limits per index need smaller numbers.
const MANY_COMPLETIONS: i64 = 100_000;
const MAX_WITH_MANY_COMPLETIONS: i64 = 10_000;
const MAX_MANAGED_BY: usize = 63;
const PATH: &str = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+";

/// Defaults of the parts that Jobs and templates of Jobs share.
pub(super) fn shared_defaults(spec: &mut Map<'_>, context: Context) {
    if let Some(template) = spec.map_mut("template") {
        pod_template::defaults(template, context);
    }
    let Some(policy) = spec.map_mut("podFailurePolicy") else { return };
    for rule in policy.maps_mut("rules") {
        rule.maps_mut("onPodConditions").for_each(|pattern| pattern.set_default("status", "True"));
    }
}

/// Prepares a spec for create and update: fields of disabled features are dropped.
pub(super) fn prepare(spec: &mut Map<'_>, context: Context) {
    // A field of an alpha feature, off by default.
    spec.remove("scheduling");
    if let Some(template) = spec.map_mut("template") {
        pod_template::prepare(template, context);
    }
}

/// Validates a spec without its selector.
pub(super) fn validate(spec: Field<'_>) {
    numbers(spec);
    if spec.field("managedBy").is_set() {
        managed_by(spec.field("managedBy"));
    }
    completion_mode(spec);
    if spec.field("podFailurePolicy").is_set() {
        failure_policy(spec);
    }
    let policy = spec.field("successPolicy");
    if policy.is_set() && !is_indexed(spec) {
        policy.invalid_struct("batch.SuccessPolicy", "requires indexed completion mode");
    } else if policy.is_set() {
        success_policy(spec);
    }
    replacement_policy(spec);
    pod_template::validate(spec.field("template"));
    restart_policy(spec);
}

/// Whether pods have indexes.
pub(super) fn is_indexed(spec: Field<'_>) -> bool {
    spec.field("completionMode").str() == "Indexed"
}

fn numbers(spec: Field<'_>) {
    let names = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    names.into_iter().for_each(|name| spec.field(name).check_not_negative());
    let limit = spec.field("backoffLimitPerIndex");
    if spec.field("maxFailedIndexes").is_set() && !limit.is_set() {
        limit.required("when maxFailedIndexes is specified");
    }
}

/// `example.com/controller`
fn managed_by(manager: Field<'_>) {
    match manager.str().split_once('/') {
        _ if manager.is_empty() => manager.required(""),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            let problems = dns1123_subdomain(host);
            problems.into_iter().for_each(|problem| manager.invalid_as(host, problem));
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
            if !path.bytes().all(is_allowed) {
                manager.invalid_as(path, regex_error("Invalid path", PATH, &[]));
            }
        }
        _ => manager.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
    if manager.str().len() > MAX_MANAGED_BY {
        manager.too_long(MAX_MANAGED_BY);
    }
}

fn completion_mode(spec: Field<'_>) {
    let mode = spec.field("completionMode");
    if mode.is_set() {
        mode.one_of(&["NonIndexed", "Indexed"]);
    }
    if is_indexed(spec) {
        return indexed(spec);
    }
    for field in ["backoffLimitPerIndex", "maxFailedIndexes"].map(|name| spec.field(name)) {
        // Modes that are unknown are reported as such only.
        if field.is_set() && (!mode.is_set() || mode.str() == "NonIndexed") {
            field.invalid("requires indexed completion mode");
        }
    }
}

fn indexed(spec: Field<'_>) {
    let (completions, parallelism) = (spec.field("completions"), spec.field("parallelism"));
    let failed = spec.field("maxFailedIndexes");
    if !completions.is_set() {
        completions.required("when completion mode is Indexed");
    }
    if parallelism.int() > MAX_INDEXED {
        let limit = format!("must be less than or equal to {MAX_INDEXED} when completion mode is Indexed");
        parallelism.invalid(limit);
    }
    if completions.is_set() && failed.is_set() && failed.int() > completions.int() {
        failed.invalid("must be less than or equal to completions");
    }
    if failed.int() > MAX_INDEXED {
        failed.invalid(format!("must be less than or equal to {MAX_INDEXED}"));
    }
    // The status lists failed indexes as text, which these limits keep below the size of an object.
    if completions.int() <= MANY_COMPLETIONS || !spec.field("backoffLimitPerIndex").is_set() {
        return;
    }
    if !failed.is_set() {
        failed.required(format!("must be specified when completions is above {MANY_COMPLETIONS}"));
    }
    for field in [parallelism, failed] {
        if field.int() > MAX_WITH_MANY_COMPLETIONS {
            field.invalid(format!(
                "must be less than or equal to {MAX_WITH_MANY_COMPLETIONS} when completions are above \
                 {MANY_COMPLETIONS} and used with backoff limit per index"
            ));
        }
    }
}

fn replacement_policy(spec: Field<'_>) {
    let policy = spec.field("podReplacementPolicy");
    if policy.is_set() && spec.field("podFailurePolicy").is_set() {
        // Pods that are terminating have no exit code yet that a failure policy could judge.
        policy.one_of(&["Failed"]);
    } else if policy.is_set() {
        policy.one_of(&["Failed", "TerminatingOrFailed"]);
    }
}

fn restart_policy(spec: Field<'_>) {
    let policy = spec.fields(["template", "spec", "restartPolicy"]);
    match policy.str() {
        // Upstream: the default of pods is no choice here and is reported as missing.
        "" | "Always" => policy.required("valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" if spec.field("podFailurePolicy").is_set() => {
            policy.invalid("only \"Never\" is supported when podFailurePolicy is specified");
        }
        "OnFailure" => {}
        _ => policy.not_supported(&["OnFailure", "Never"]),
    }
}
