//! Probes and lifecycle hooks.

use crate::field::Field;
use crate::format::{http_header_name, port_name};
use crate::tree::Value;

const SIGNALS: [&str; 65] = [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

pub(super) fn lifecycle(lifecycle: Field<'_>, spec: Field<'_>) {
    let grace = spec.field("terminationGracePeriodSeconds").opt_int();
    for name in ["postStart", "preStop"] {
        if lifecycle.has(name) {
            handler(lifecycle.field(name), &["exec", "httpGet", "tcpSocket", "sleep"], grace);
        }
    }
    let signal = lifecycle.field("stopSignal");
    if signal.is_set() {
        stop_signal(signal, spec);
    }
}

fn stop_signal(signal: Field<'_>, spec: Field<'_>) {
    match spec.fields(["os", "name"]).str() {
        // Signals have other names on each system, so the pod must say which it runs on.
        _ if !spec.field("os").is_set() => {
            signal.forbidden("may not be set for containers with empty `spec.os.name`");
        }
        "windows" => {
            signal.one_of(&["SIGKILL", "SIGTERM"]);
        }
        "linux" => {
            signal.one_of(&SIGNALS);
        }
        _ => {}
    }
}

pub(super) fn liveness_probe(probe: Field<'_>, grace: Option<i64>) {
    // Both restart the container when they fail, so one success is all they wait for.
    startup_probe(probe, grace);
}

pub(super) fn startup_probe(probe: Field<'_>, grace: Option<i64>) {
    if !probe.is_set() {
        return;
    }
    self::probe(probe, grace);
    let threshold = probe.field("successThreshold");
    if threshold.int() != 1 {
        threshold.invalid_as(threshold.int(), "must be 1");
    }
}

pub(super) fn readiness_probe(probe: Field<'_>, grace: Option<i64>) {
    if !probe.is_set() {
        return;
    }
    self::probe(probe, grace);
    let period = probe.field("terminationGracePeriodSeconds");
    if period.is_set() {
        // A probe that fails here takes the pod out of its services and ends nothing.
        period.invalid("must not be set for readinessProbes");
    }
}

fn probe(probe: Field<'_>, grace: Option<i64>) {
    handler(probe, &["exec", "httpGet", "tcpSocket", "grpc"], grace);
    let numbers =
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
    numbers.into_iter().for_each(|name| probe.field(name).check_not_negative());
    let period = probe.field("terminationGracePeriodSeconds");
    if period.is_set() && period.int() <= 0 {
        period.invalid("must be greater than 0");
    }
}

/// Exactly one way to act; the first that is given counts.
fn handler(handler: Field<'_>, kinds: &[&'static str], grace: Option<i64>) {
    let mut given = kinds.iter().filter(|kind| handler.has(kind));
    match given.next() {
        Some(kind) => action(kind, handler.field(kind), grace),
        None => handler.required("must specify a handler type"),
    }
    for kind in given {
        handler.field(kind).forbidden("may not specify more than 1 handler type");
    }
}

fn action(kind: &str, action: Field<'_>, grace: Option<i64>) {
    match kind {
        "exec" => {
            action.field("command").require("");
        }
        "httpGet" => http_get(action),
        "tcpSocket" => port_number_or_name(action.field("port")),
        "grpc" => {
            action.field("port").check_port();
            let mode = action.field("mode");
            if mode.is_set() {
                mode.one_of(&["Plaintext", "TLS"]);
            }
        }
        _ => sleep(action, grace),
    }
}

fn http_get(action: Field<'_>) {
    action.field("path").require("");
    port_number_or_name(action.field("port"));
    action.field("scheme").one_of(&["HTTP", "HTTPS"]);
    let headers = action.field("httpHeaders");
    for header in headers.items() {
        // Upstream reports names of headers at the list.
        header.field("name").reported_at(headers).check(http_header_name);
    }
}

/// A port by number or by name.
pub(crate) fn port_number_or_name(port: Field<'_>) {
    match port.value() {
        Some(Value::Str(_)) => {
            port.check(port_name);
        }
        _ => {
            port.check_port();
        }
    }
}

fn sleep(action: Field<'_>, grace: Option<i64>) {
    let seconds = action.field("seconds").int();
    // Pods and templates have a period after defaults; without one there is nothing to compare with.
    if let Some(grace) = grace
        && !(0..=grace).contains(&seconds)
    {
        let message = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        action.invalid_as(seconds, message);
    }
}

/// A policy of a container or an image volume; kept here since both have it.
pub(super) fn pull_policy(policy: Field<'_>) {
    policy.require_one_of(&["Always", "IfNotPresent", "Never"]);
}
