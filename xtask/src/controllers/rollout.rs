//! The test: what the real controllers do with workloads on our server.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use kubemerge_server::{ApiServer, On};
use serde_json::{Value, json};

use super::{Controlled, programs::Programs};

/// How long any step may take on a busy machine; a CronJob waits for the next minute.
const TIMEOUT: Duration = Duration::from_secs(240);

const WORKLOADS: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'web:1'}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: 'db:1'}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  completions: 2
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: 'job:1'}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: '* * * * *'
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: c, image: 'job:1'}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: team}
spec:
  replicas: 1
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec: {containers: [{name: c, image: 'app:1'}]}
";

async fn request(server: &ApiServer, method: &str, path: &str, body: Value) {
    let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = Request::builder().method(method).uri(path);
    let request =
        request.header("content-type", "application/strategic-merge-patch+json").body(bytes).unwrap();
    let answer = server.handle(request).await;
    assert!(answer.status().is_success(), "{method} {path}: {}", answer.status());
}

/// Changes the image of a workload's only container.
async fn set_image(server: &ApiServer, path: &str, image: &str) {
    let containers = json!([{"name": "c", "image": image}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": containers}}}});
    request(server, "PATCH", path, patch).await;
}

/// The names of the pods that were created so far, in order.
fn created_pods(server: &ApiServer, prefix: &str) -> Vec<String> {
    let creates = server.requests_to(&On::verb("create").resource("pods").namespace("default"));
    // The scheduler creates bindings of pods.
    let own =
        creates.iter().filter(|entry| entry.address.as_ref().is_some_and(|one| one.subresource.is_none()));
    let bodies = own.filter_map(|entry| entry.transitions.first()?.after());
    let names = bodies.map(|pod| pod["metadata"]["name"].as_str().unwrap_or_default().to_string());
    names.filter(|name| name.starts_with(prefix)).collect()
}

async fn deployment_rolls_out(server: &ApiServer) {
    let web = server.object("apps/v1", "Deployment", "default", "web");
    web.wait_for(|web| web["status"]["readyReplicas"] == 2, TIMEOUT).await;
    set_image(server, "/apis/apps/v1/namespaces/default/deployments/web", "web:2").await;
    let rolled_out = |web: &Value| {
        let status = &web["status"];
        status["observedGeneration"] == 2
            && status["updatedReplicas"] == 2
            && status["replicas"] == 2
            && status["availableReplicas"] == 2
    };
    web.wait_for(rolled_out, TIMEOUT).await;
}

async fn stateful_set_updates_in_order(server: &ApiServer) {
    let db = server.object("apps/v1", "StatefulSet", "default", "db");
    db.wait_for(|db| db["status"]["readyReplicas"] == 3, TIMEOUT).await;
    assert_eq!(created_pods(server, "db-"), ["db-0", "db-1", "db-2"]);
    set_image(server, "/apis/apps/v1/namespaces/default/statefulsets/db", "db:2").await;
    let updated = |db: &Value| {
        let status = &db["status"];
        // The numbers are of the old template until the controller has seen the new one.
        status["observedGeneration"] == db["metadata"]["generation"]
            && status["updatedReplicas"] == 3
            && status["readyReplicas"] == 3
            && status["currentRevision"] == status["updateRevision"]
    };
    db.wait_for(updated, TIMEOUT).await;
    assert_eq!(created_pods(server, "db-")[3..], ["db-2", "db-1", "db-0"], "the last is updated first");
}

async fn jobs_complete(server: &ApiServer) {
    let is_complete = |job: &Value| {
        let conditions = job["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().any(|one| one["type"] == "Complete" && one["status"] == "True")
    };
    let once = server.object("batch/v1", "Job", "default", "once").wait_for(is_complete, TIMEOUT).await;
    assert_eq!(once["status"]["succeeded"], 2);
    let often = server.object("batch/v1", "CronJob", "default", "often");
    often.wait_for(|often| !often["status"]["lastSuccessfulTime"].is_null(), TIMEOUT).await;
}

async fn namespace_is_emptied(server: &ApiServer) {
    let app = server.object("apps/v1", "Deployment", "team", "app");
    app.wait_for(|app| app["status"]["readyReplicas"] == 1, TIMEOUT).await;
    request(server, "DELETE", "/api/v1/namespaces/team", Value::Null).await;
    let team = server.object("v1", "Namespace", "", "team");
    team.wait_for(Value::is_null, TIMEOUT).await;
    let left: Vec<Value> =
        server.dump().into_iter().filter(|object| object["metadata"]["namespace"] == "team").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn real_controllers_work_on_the_server() {
    if let Some(why) = Programs::missing() {
        eprintln!("skipped controllers::real_controllers_work_on_the_server: {why}");
        return;
    }
    let folder = crate::corpus::root().join(format!("target/controllers-test-{}", std::process::id()));
    let controlled = Controlled::start(folder.clone()).await.unwrap();
    let server = &controlled.server;
    server.apply_yaml(WORKLOADS).unwrap();
    tokio::join!(
        deployment_rolls_out(server),
        stateful_set_updates_in_order(server),
        jobs_complete(server),
        namespace_is_emptied(server)
    );
    assert_eq!(controlled.programs.complaints(), Vec::<String>::new());
    drop(controlled);
    drop(std::fs::remove_dir_all(folder));
}
