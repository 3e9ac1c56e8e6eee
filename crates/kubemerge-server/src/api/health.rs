//! `/healthz`, `/livez` and `/readyz`: as well as the store is, in the words of kube-apiserver.

use crate::{
    protocol::{query::Query, reply::Reply},
    store::StoreError,
};

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

/// The checks that fail with the store.
const STORE_CHECKS: &[&str] = &["etcd", "etcd-readiness"];

/// Answers a health check: `path` is `livez`, or one check such as `livez/etcd`.
pub(crate) fn check(path: &str, query: &Query, store: Result<(), StoreError>) -> Reply {
    let (name, one) = path.split_once('/').unwrap_or((path, ""));
    let checks = checks(name);
    if !one.is_empty() {
        return check_one(&checks, one, store);
    }
    let excluded: Vec<&str> = query.all("exclude").collect();
    let (mut lines, mut failed) = (String::new(), false);
    for check in checks.iter().map(String::as_str) {
        if excluded.contains(&check) {
            lines += &format!("[+]{check} excluded: ok\n");
        } else if store.is_err() && STORE_CHECKS.contains(&check) {
            // The path is public, and the reason may name files and addresses.
            lines += &format!("[-]{check} failed: reason withheld\n");
            failed = true;
        } else {
            lines += &format!("[+]{check} ok\n");
        }
    }
    let unknown = excluded.iter().filter(|name| !checks.iter().any(|check| check == *name));
    let unknown: Vec<String> = unknown.map(|name| format!("{name:?}")).collect();
    if !unknown.is_empty() {
        lines +=
            &format!("warn: some health checks cannot be excluded: no matches for {}\n", unknown.join(","));
    }
    match failed {
        true => Reply::bytes(500, PLAIN, format!("{lines}{name} check failed\n")),
        false if query.has("verbose") => Reply::bytes(200, PLAIN, format!("{lines}{name} check passed\n")),
        false => Reply::bytes(200, PLAIN, "ok"),
    }
}

fn check_one(checks: &[String], one: &str, store: Result<(), StoreError>) -> Reply {
    // Upstream: the answers of Go's HTTP library, not a Status.
    match store {
        _ if !checks.iter().any(|check| check == one) => page_not_found(),
        Err(error) if STORE_CHECKS.contains(&one) => {
            Reply::bytes(500, PLAIN, format!("internal server error: {error}\n"))
        }
        _ => Reply::bytes(200, PLAIN, "ok"),
    }
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

/// What Go's router answers for a path that it does not know.
pub(super) fn page_not_found() -> Reply {
    Reply::bytes(404, PLAIN, "404 page not found\n")
}
