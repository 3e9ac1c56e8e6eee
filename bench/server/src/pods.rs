//! The objects of the race and the changes to them.

use serde_json::{Value, json};

/// How many there are.
pub(crate) const OBJECTS: usize = 2_000;

/// What the pods of a race look like. No two have the same spec.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pods {
    /// As a manifest has them: kubemerge-server fills in defaults and a status, kube-fake-client does not, so
    /// that the answers of the first are longer and cost its client more.
    Written,
    /// As a cluster has them: nothing is left to fill in, and all contenders answer the same.
    Complete,
}

impl Pods {
    pub(crate) const ALL: [Pods; 2] = [Pods::Complete, Pods::Written];

    pub(crate) fn named(name: &str) -> Option<Pods> {
        Pods::ALL.into_iter().find(|one| format!("{one:?}").eq_ignore_ascii_case(name))
    }

    pub(crate) fn name(at: usize) -> String {
        format!("pod-{at:04}")
    }

    pub(crate) fn pod(self, at: usize) -> Value {
        let mut pod = written(at);
        if let Pods::Complete = self {
            complete(&mut pod);
        }
        pod
    }
}

/// Each pod has an image, a label, a port and variables of its own, so that the names of its fields differ, too.
fn written(at: usize) -> Value {
    let own = format!("own-{at}");
    let variables: Vec<Value> = (0..=at % 4)
        .map(|number| json!({"name": format!("V{number}_{at}"), "value": (at * 7 + number).to_string()}))
        .collect();
    json!({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": Pods::name(at), "namespace": "default",
        "labels": {"app": "web", "group": (at % 10).to_string(), own: "x"}},
    "spec": {"containers": [
        {"name": "nginx", "image": format!("nginx:1.{at}"), "ports": [{"containerPort": 80 + at}], "env": variables},
        {"name": "sidecar", "image": format!("sidecar:v{}", at % 7)},
    ]}})
}

fn complete(pod: &mut Value) {
    let spec = &mut pod["spec"];
    spec["restartPolicy"] = json!("Always");
    spec["dnsPolicy"] = json!("ClusterFirst");
    spec["schedulerName"] = json!("default-scheduler");
    spec["securityContext"] = json!({});
    spec["terminationGracePeriodSeconds"] = json!(30);
    for container in spec["containers"].as_array_mut().into_iter().flatten() {
        container["terminationMessagePath"] = json!("/dev/termination-log");
        container["terminationMessagePolicy"] = json!("File");
        container["resources"] = json!({});
        for port in container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            port["protocol"] = json!("TCP");
        }
    }
    pod["status"] = json!({"phase": "Pending"});
}

/// A new image for one of the two containers.
pub(crate) fn new_image(at: usize) -> Value {
    json!({"spec": {"containers": [{"name": "nginx", "image": format!("nginx:{at}")}]}})
}

pub(crate) fn annotation(at: usize) -> Value {
    json!({"metadata": {"annotations": {"a": at.to_string()}}})
}
