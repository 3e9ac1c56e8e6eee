//! A client that deploys workloads, which Kubernetes' own controllers carry out, and removes them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::session::{Session, Soak};
use crate::connection::json_request;

const PAUSE: Duration = Duration::from_millis(200);
/// How long controllers may take on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(3);
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
const PODS: &str = "/api/v1/namespaces/default/pods";

/// Deploys until the time is over; what has begun is finished.
pub(super) async fn run(soak: Arc<Soak>) {
    let mut session = Session::new(soak.clone(), PAUSE);
    let mut number = 0_u64;
    while !soak.is_over() {
        number += 1;
        cycle(&mut session, number).await;
    }
}

async fn cycle(session: &mut Session, number: u64) {
    let (web, once) = (format!("web-{number}"), format!("once-{number}"));
    session.expect(201, "POST", DEPLOYMENTS, &deployment(&web)).await;
    session.expect(201, "POST", JOBS, &job(&once)).await;
    let deployment = format!("{DEPLOYMENTS}/{web}");
    wait(session, &deployment, |web| web["status"]["readyReplicas"] == 2).await;
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "web:2"}]}}}});
    session.expect(200, "PATCH", &deployment, &image).await;
    wait(session, &deployment, |web| {
        web["status"]["observedGeneration"] == 2 && web["status"]["updatedReplicas"] == 2
    })
    .await;
    wait(session, &format!("{JOBS}/{once}"), |job| job["status"]["succeeded"] == 1).await;
    let propagation = if number.is_multiple_of(2) { "Foreground" } else { "Background" };
    let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation});
    for path in [deployment, format!("{JOBS}/{once}")] {
        session.expect(200, "DELETE", &path, &options).await;
    }
    let pods = format!("{PODS}?labelSelector=cycle%3D{number}");
    wait(session, &pods, |pods| pods["items"].as_array().is_some_and(Vec::is_empty)).await;
}

/// Waits until an object or a list is as wanted.
async fn wait(session: &mut Session, path: &str, is_wanted: impl Fn(&Value) -> bool) {
    let start = Instant::now();
    let Ok(get) = json_request("GET", path, &Value::Null) else { return };
    loop {
        let found = session.send(&get).await.map(|answer| answer.json()).unwrap_or_default();
        if is_wanted(&found) {
            return;
        }
        if start.elapsed() > TIMEOUT {
            session.complain(format!("{path} is not as it should be after {TIMEOUT:?}: {found}"));
            return;
        }
    }
}

fn deployment(name: &str) -> Value {
    let labels = json!({"app": name, "cycle": cycle_of(name)});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "web:1"}]}}}})
}

fn job(name: &str) -> Value {
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": {"metadata": {"labels": {"cycle": cycle_of(name)}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "job:1"}]}}}})
}

fn cycle_of(name: &str) -> &str {
    name.rsplit('-').next().unwrap_or_default()
}
