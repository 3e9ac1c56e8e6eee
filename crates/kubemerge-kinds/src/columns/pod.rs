//! The cells of Pods: how many containers are ready, what keeps the others from it, how often they restarted.

use serde_json::{Value, json};

use super::column::age;
use super::read::{list, number, text, word};
use crate::timestamp::Timestamp;

/// How many containers are ready.
pub(crate) fn ready(pod: &Value) -> String {
    let summary = Summary::of(pod);
    format!("{}/{}", summary.ready, summary.total)
}

pub(crate) fn status(pod: &Value) -> String {
    Summary::of(pod).reason
}

pub(crate) fn restarts(pod: &Value, now: Timestamp) -> String {
    Summary::of(pod).restarts_text(now)
}

/// The condition of a row whose pod has ended.
pub(crate) fn row_condition(pod: &Value) -> Option<Value> {
    let (reason, message) = match text(pod, "/status/phase")? {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!({"type": "Completed", "status": "True", "reason": reason, "message": message}))
}

/// What the statuses of all containers amount to.
struct Summary {
    ready: usize,
    total: usize,
    reason: String,
    restarts: i64,
    last_restart: Option<Timestamp>,
}

impl Summary {
    fn of(pod: &Value) -> Summary {
        let sidecars = list(pod, "/spec/initContainers").filter(|one| is_sidecar(one)).count();
        let mut summary = Summary {
            ready: 0,
            total: list(pod, "/spec/containers").count() + sidecars,
            reason: first_reason(pod),
            restarts: 0,
            last_restart: None,
        };
        let is_initializing = summary.add_init_containers(pod);
        if !is_initializing || has_condition(pod, "Initialized") {
            summary.add_containers(pod);
        }
        let is_deleted = pod.pointer("/metadata/deletionTimestamp").is_some();
        if is_deleted && text(pod, "/status/reason") == Some("NodeLost") {
            summary.reason = "Unknown".into();
        } else if is_deleted && !matches!(text(pod, "/status/phase"), Some("Succeeded" | "Failed")) {
            summary.reason = "Terminating".into();
        }
        summary
    }

    /// Goes through the init containers up to the one that has not finished; returns whether there is one.
    fn add_init_containers(&mut self, pod: &Value) -> bool {
        let wanted = list(pod, "/spec/initContainers").count();
        for (place, status) in list(pod, "/status/initContainerStatuses").enumerate() {
            self.add_restarts(status);
            let sidecar =
                list(pod, "/spec/initContainers").any(|one| one["name"] == status["name"] && is_sidecar(one));
            let ended = status.pointer("/state/terminated");
            // Init containers run one after the other: the first that has not succeeded is shown.
            if ended.is_some_and(|ended| number(ended, "/exitCode") == 0) {
                continue;
            }
            if sidecar && status["started"] == json!(true) {
                self.ready += usize::from(status["ready"] == json!(true));
                continue;
            }
            // This reason is that of every container which waits for the ones before it.
            let waiting = text(status, "/state/waiting/reason").filter(|why| *why != "PodInitializing");
            self.reason = match (ended, waiting) {
                (Some(ended), _) => format!("Init:{}", end_reason(ended)),
                (None, Some(why)) => format!("Init:{why}"),
                (None, None) => format!("Init:{place}/{wanted}"),
            };
            return true;
        }
        false
    }

    fn add_containers(&mut self, pod: &Value) {
        // Restarts of init containers that have finished do not count any more.
        (self.restarts, self.last_restart) = (0, None);
        let is_sidecar_status = |status: &&Value| {
            list(pod, "/spec/initContainers").any(|one| one["name"] == status["name"] && is_sidecar(one))
        };
        let sidecars = list(pod, "/status/initContainerStatuses").filter(is_sidecar_status);
        sidecars.for_each(|status| self.add_restarts(status));
        let (mut has_running, mut failure) = (false, None);
        let statuses: Vec<&Value> = list(pod, "/status/containerStatuses").collect();
        // The first container has the last word.
        for status in statuses.into_iter().rev() {
            self.add_restarts(status);
            let ended = status.pointer("/state/terminated");
            if let Some(why) = text(status, "/state/waiting/reason") {
                self.reason = why.to_string();
            } else if let Some(ended) = ended {
                self.reason = end_reason(ended);
                if number(ended, "/exitCode") != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if status["ready"] == json!(true) && status.pointer("/state/running").is_some() {
                has_running = true;
                self.ready += 1;
            }
        }
        // The first container has ended well, so the others decide.
        if self.reason == "Completed" {
            self.reason = match failure {
                _ if has_running && has_condition(pod, "Ready") => "Running".into(),
                Some(failure) => failure,
                None if has_running => "NotReady".into(),
                None => "Completed".into(),
            };
        }
    }

    fn add_restarts(&mut self, status: &Value) {
        self.restarts += number(status, "/restartCount");
        let ended = text(status, "/lastState/terminated/finishedAt").and_then(Timestamp::parse);
        self.last_restart = self.last_restart.max(ended);
    }

    fn restarts_text(&self, now: Timestamp) -> String {
        match self.last_restart.filter(|_| self.restarts != 0) {
            Some(last) => format!("{} ({} ago)", self.restarts, age(now.since(last))),
            None => self.restarts.to_string(),
        }
    }
}

/// The reason if no container gives another one.
fn first_reason(pod: &Value) -> String {
    let is_gated = list(pod, "/status/conditions")
        .any(|one| one["type"] == "PodScheduled" && one["reason"] == "SchedulingGated");
    if is_gated {
        return "SchedulingGated".into();
    }
    text(pod, "/status/reason").or(text(pod, "/status/phase")).unwrap_or_default().to_string()
}

fn end_reason(ended: &Value) -> String {
    match (word(&ended["reason"]), number(ended, "/signal")) {
        ("", 0) => format!("ExitCode:{}", number(ended, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_string(),
    }
}

fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

fn has_condition(pod: &Value, kind: &str) -> bool {
    list(pod, "/status/conditions").any(|one| one["type"] == kind && one["status"] == "True")
}

pub(crate) fn readiness_gates(pod: &Value) -> String {
    let wanted = list(pod, "/spec/readinessGates").count();
    let holds = |gate: &&Value| {
        let condition = list(pod, "/status/conditions").find(|one| one["type"] == gate["conditionType"]);
        condition.is_some_and(|one| one["status"] == "True")
    };
    let open = list(pod, "/spec/readinessGates").filter(holds).count();
    if wanted == 0 { "<none>".into() } else { format!("{open}/{wanted}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(pod: &Value) -> [String; 3] {
        let now = Timestamp::parse("2026-01-01T01:00:00Z").unwrap();
        [ready(pod), status(pod), restarts(pod, now)]
    }

    #[test]
    fn a_pod_is_what_its_containers_are() {
        let spec = json!({"containers": [{"name": "a"}], "initContainers": [{"name": "i"}]});
        let running = json!({"name": "a", "ready": true, "restartCount": 2, "state": {"running": {}},
            "lastState": {"terminated": {"finishedAt": "2026-01-01T00:59:00Z"}}});
        let done = json!([{"name": "i", "state": {"terminated": {"exitCode": 0}}}]);
        let waiting = json!([{"name": "i", "state": {"waiting": {"reason": "PodInitializing"}}}]);
        for (status, expected) in [
            (json!({"phase": "Pending"}), ["0/1", "Pending", "0"]),
            (json!({"phase": "Pending", "initContainerStatuses": waiting}), ["0/1", "Init:0/1", "0"]),
            (
                json!({"phase": "Running", "initContainerStatuses": done, "containerStatuses": [running]}),
                ["1/1", "Running", "2 (60s ago)"],
            ),
            (
                json!({"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}),
                ["0/1", "ExitCode:3", "0"],
            ),
        ] {
            assert_eq!(cells(&json!({"spec": spec, "status": status})), expected, "{status}");
        }
    }
}
