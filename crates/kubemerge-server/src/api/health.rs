//! `/healthz`, `/livez` and `/readyz`: always well, in the words of kube-apiserver.

use crate::protocol::{query::Query, reply::Reply};

const PLAIN: &str = "text/plain; charset=utf-8";

/// The checks that kube-apiserver names before its hooks.
const CHECKS: &[&str] = &["ping", "log", "etcd"];

/// The hooks that kube-apiserver waits for at its start, in its order.
const HOOKS: &[&str] = &[
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-filter",
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "peer-endpoint-reconciler-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "storage-readiness",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
];

/// The hooks after `autoregister-completion`.
const LATE_HOOKS: &[&str] = &["apiservice-openapi-controller", "apiservice-openapiv3-controller"];

/// Answers a health check: `path` is `livez`, or one check such as `livez/etcd`.
pub(crate) fn check(path: &str, query: &Query) -> Reply {
    let (name, one) = path.split_once('/').unwrap_or((path, ""));
    let checks = checks(name);
    if !one.is_empty() {
        // Upstream: the answer of Go's HTTP library, not a Status.
        return match checks.iter().any(|check| check == one) {
            true => Reply::bytes(200, PLAIN, "ok"),
            false => Reply::bytes(404, PLAIN, "404 page not found\n"),
        };
    }
    if !query.has("verbose") {
        return Reply::bytes(200, PLAIN, "ok");
    }
    let excluded: Vec<&str> = query.all("exclude").collect();
    let mut lines = String::new();
    for check in &checks {
        let result = if excluded.contains(&check.as_str()) { "excluded: ok" } else { "ok" };
        lines += &format!("[+]{check} {result}\n");
    }
    let unknown = excluded.iter().filter(|name| !checks.iter().any(|check| check == *name));
    let unknown: Vec<String> = unknown.map(|name| format!("{name:?}")).collect();
    if !unknown.is_empty() {
        lines +=
            &format!("warn: some health checks cannot be excluded: no matches for {}\n", unknown.join(","));
    }
    Reply::bytes(200, PLAIN, format!("{lines}{name} check passed\n"))
}

/// The names of the checks below one path, in kube-apiserver's order.
pub(crate) fn checks(name: &str) -> Vec<String> {
    let hook = |hook: &&str| format!("poststarthook/{hook}");
    let mut checks: Vec<String> = CHECKS.iter().map(|check| (*check).to_string()).collect();
    if name == "readyz" {
        checks.extend(["etcd-readiness", "informer-sync"].map(str::to_string));
    } else {
        // Between log and etcd.
        checks.insert(2, "loopback-serving-certificate".into());
    }
    checks.extend(HOOKS.iter().map(hook));
    checks.push("autoregister-completion".into());
    checks.extend(LATE_HOOKS.iter().map(hook));
    if name == "readyz" {
        checks.push("shutdown".into());
    }
    checks
}
