//! What the real controllers are asked to do with workloads, and what must come of it.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use super::{confirmed_writes::ConfirmedWrites, pod_history::PodHistory};
use crate::connection::{Answer, Connection, Endpoint, json_request};

/// How long any step may take on a busy machine; a CronJob waits for the next minute.
const TIMEOUT: Duration = Duration::from_mins(4);
/// How often a step looks.
const INTERVAL: Duration = Duration::from_millis(200);

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

/// A client of the server. It waits while the server is not there.
struct Workloads {
    endpoint: Endpoint,
}

impl Workloads {
    /// Sends a request until it is answered; every request here may happen twice.
    async fn send(&self, request: &Request<Bytes>) -> Result<Answer, String> {
        let start = Instant::now();
        let mut connection = Connection::new(self.endpoint.clone());
        loop {
            match connection.send(request).await {
                Err(error) if start.elapsed() > TIMEOUT => return Err(error),
                Err(_) => tokio::time::sleep(INTERVAL).await,
                Ok(answer) => return Ok(answer),
            }
        }
    }

    async fn write(&self, method: &str, path: &str, body: &Value) -> Result<(), String> {
        self.write_as(&json_request(method, path, body)?).await
    }

    async fn write_as(&self, request: &Request<Bytes>) -> Result<(), String> {
        let answer = self.send(request).await?;
        match answer.status {
            200..300 => Ok(()),
            code => Err(format!("{} {}: {code}: {}", request.method(), request.uri(), text(&answer))),
        }
    }

    /// Applies the documents as `kubectl apply --server-side` does.
    async fn apply(&self, yaml: &str) -> Result<(), String> {
        let documents = kubemerge_yaml::parse(yaml.as_bytes(), &kubemerge_yaml::Options::default());
        for document in documents.map_err(|error| error.to_string())? {
            let json = document.to_json().map_err(|error| error.to_string())?;
            let object: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
            let request = Request::patch(format!("{}?fieldManager=check&force=true", path_of(&object)))
                .header("content-type", "application/apply-patch+yaml")
                .body(Bytes::from(json));
            self.write_as(&request.map_err(|error| error.to_string())?).await?;
        }
        Ok(())
    }

    /// The object once it is as wanted; it is null while it does not exist.
    async fn wait_for(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Result<Value, String> {
        let (start, get) = (Instant::now(), json_request("GET", path, &Value::Null)?);
        loop {
            let answer = self.send(&get).await?;
            let object = if answer.status == 404 { Value::Null } else { answer.json() };
            if is_wanted(&object) {
                return Ok(object);
            }
            if start.elapsed() > TIMEOUT {
                return Err(format!("{path} is not as it should be after {TIMEOUT:?}: {object}"));
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Changes the image of a workload's only container.
    async fn set_image(&self, path: &str, image: &str) -> Result<(), String> {
        let containers = json!([{"name": "c", "image": image}]);
        let patch = json!({"spec": {"template": {"spec": {"containers": containers}}}});
        self.write("PATCH", path, &patch).await
    }

    async fn deployment_rolls_out(&self) -> Result<(), String> {
        let path = "/apis/apps/v1/namespaces/default/deployments/web";
        self.wait_for(path, |web| web["status"]["readyReplicas"] == 2).await?;
        self.set_image(path, "web:2").await?;
        let rolled_out = |web: &Value| {
            let status = &web["status"];
            status["observedGeneration"] == 2
                && status["updatedReplicas"] == 2
                && status["replicas"] == 2
                && status["availableReplicas"] == 2
        };
        self.wait_for(path, rolled_out).await.map(drop)
    }

    async fn stateful_set_updates_in_order(&self, history: &PodHistory) -> Result<(), String> {
        let path = "/apis/apps/v1/namespaces/default/statefulsets/db";
        self.wait_for(path, |db| db["status"]["readyReplicas"] == 3).await?;
        expect_order(history, &["db-0", "db-1", "db-2"]).await?;
        self.set_image(path, "db:2").await?;
        let updated = |db: &Value| {
            let status = &db["status"];
            // The numbers are of the old template until the controller has seen the new one.
            status["observedGeneration"] == db["metadata"]["generation"]
                && status["updatedReplicas"] == 3
                && status["readyReplicas"] == 3
                && status["currentRevision"] == status["updateRevision"]
        };
        self.wait_for(path, updated).await?;
        // The last is updated first.
        expect_order(history, &["db-0", "db-1", "db-2", "db-2", "db-1", "db-0"]).await
    }

    async fn jobs_complete(&self) -> Result<(), String> {
        let is_complete = |job: &Value| {
            let conditions = job["status"]["conditions"].as_array().cloned().unwrap_or_default();
            conditions.iter().any(|one| one["type"] == "Complete" && one["status"] == "True")
        };
        let once = self.wait_for("/apis/batch/v1/namespaces/default/jobs/once", is_complete).await?;
        if once["status"]["succeeded"] != 2 {
            return Err(format!("the Job did not succeed twice: {once}"));
        }
        let often = "/apis/batch/v1/namespaces/default/cronjobs/often";
        self.wait_for(often, |often| !often["status"]["lastSuccessfulTime"].is_null()).await.map(drop)
    }

    async fn namespace_is_emptied(&self) -> Result<(), String> {
        let app = "/apis/apps/v1/namespaces/team/deployments/app";
        self.wait_for(app, |app| app["status"]["readyReplicas"] == 1).await?;
        self.write("DELETE", "/api/v1/namespaces/team", &Value::Null).await?;
        self.wait_for("/api/v1/namespaces/team", Value::is_null).await?;
        for list in ["/apis/apps/v1/namespaces/team/replicasets", "/api/v1/namespaces/team/pods"] {
            self.wait_for(list, |list| list["items"].as_array().is_some_and(Vec::is_empty)).await?;
        }
        Ok(())
    }
}

/// Deploys, updates and removes workloads; every step must end as it does in a cluster.
pub(super) async fn run(endpoint: Endpoint) -> Result<(), String> {
    let workloads = Workloads { endpoint: endpoint.clone() };
    let history = PodHistory::watch(endpoint.clone()).await?;
    let writes = ConfirmedWrites::start(endpoint);
    workloads.apply(WORKLOADS).await?;
    tokio::try_join!(
        workloads.deployment_rolls_out(),
        workloads.stateful_set_updates_in_order(&history),
        workloads.jobs_complete(),
        workloads.namespace_is_emptied()
    )?;
    writes.check().await?;
    history.check()
}

async fn expect_order(history: &PodHistory, wanted: &[&str]) -> Result<(), String> {
    let start = Instant::now();
    // The watch may be a moment behind.
    while history.created("db-").len() < wanted.len() && start.elapsed() < TIMEOUT {
        tokio::time::sleep(INTERVAL).await;
    }
    match history.created("db-") {
        created if created == wanted => Ok(()),
        created => Err(format!("the pods were created as {created:?}, not as {wanted:?}")),
    }
}

/// Where an object of the workloads is.
fn path_of(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (version, kind, name) = (text("/apiVersion"), text("/kind"), text("/metadata/name"));
    let group = if version.contains('/') { "apis" } else { "api" };
    if kind == "Namespace" {
        return format!("/{group}/{version}/namespaces/{name}");
    }
    let namespace = match text("/metadata/namespace") {
        "" => "default",
        namespace => namespace,
    };
    format!("/{group}/{version}/namespaces/{namespace}/{}s/{name}", kind.to_lowercase())
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}
