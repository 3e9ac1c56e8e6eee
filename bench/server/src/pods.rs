//! The objects of the race and the changes to them.

use serde_json::{Value, json};

/// How many there are.
pub(crate) const OBJECTS: usize = 2_000;

/// What the pods of a race look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pods {
    /// As a manifest has them: kubemerge-server fills in defaults and a status, kube-fake-client does not, so
    /// that the answers of the first are longer and cost its client more.
    Written,
    /// As a cluster has them: nothing is left to fill in, and all contenders answer the same. They come from one
    /// template, as those of a controller do.
    Complete,
    /// The same, but each with an image of its own: kubemerge-server has to look at each of them.
    Various,
    /// The same, but each with a label and a variable of its own: the owned fields differ, too.
    Unlike,
}

impl Pods {
    pub(crate) const ALL: [Pods; 4] = [Pods::Complete, Pods::Various, Pods::Unlike, Pods::Written];

    pub(crate) fn named(name: &str) -> Option<Pods> {
        Pods::ALL.into_iter().find(|one| format!("{one:?}").eq_ignore_ascii_case(name))
    }

    pub(crate) fn name(at: usize) -> String {
        format!("pod-{at:04}")
    }

    pub(crate) fn pod(self, at: usize) -> Value {
        let mut pod = written(at);
        if let Pods::Complete | Pods::Various | Pods::Unlike = self {
            complete(&mut pod);
        }
        if let Pods::Various = self {
            pod["spec"]["containers"][0]["image"] = json!(format!("nginx:1.{at}"));
        }
        if let Pods::Unlike = self {
            pod["metadata"]["labels"][format!("own-{at}")] = json!("x");
            pod["spec"]["containers"][0]["env"][1]["name"] = json!(format!("B{at}"));
        }
        pod
    }
}

fn written(at: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": Pods::name(at), "namespace": "default",
        "labels": {"app": "web", "group": (at % 10).to_string()}},
    "spec": {"containers": [
        {"name": "nginx", "image": "nginx:1.14", "ports": [{"containerPort": 80}],
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        {"name": "sidecar", "image": "sidecar:v1"},
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
