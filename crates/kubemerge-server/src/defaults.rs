//! The defaults of built-in kinds that patches and clients rely on.
//!
//! Kubernetes fills in many more; these are the ones without which a list key, a rollout or a scale would not
//! work as in a cluster. Each entry is a path and the value that is put there when its parent exists and it
//! does not; `[]` stands for every item of a list.

use kubemerge_value::{Arena, Kind, Node};
use serde_json::{Value, json};

use crate::{catalog::Resource, object::Object, status::Outcome};

/// A path below the object and what belongs there.
type Default = (&'static str, &'static str);

/// Paths inside of a pod's spec.
const POD: &[Default] = &[
    ("restartPolicy", "\"Always\""),
    ("dnsPolicy", "\"ClusterFirst\""),
    ("schedulerName", "\"default-scheduler\""),
    ("securityContext", "{}"),
    ("terminationGracePeriodSeconds", "30"),
    ("containers[].ports[].protocol", "\"TCP\""),
    ("initContainers[].ports[].protocol", "\"TCP\""),
    ("containers[].terminationMessagePath", "\"/dev/termination-log\""),
    ("containers[].terminationMessagePolicy", "\"File\""),
    ("containers[].resources", "{}"),
];

const KINDS: &[(&str, &str, &[Default])] = &[
    (
        "apps",
        "Deployment",
        &[
            ("spec.replicas", "1"),
            ("spec.revisionHistoryLimit", "10"),
            ("spec.progressDeadlineSeconds", "600"),
            (
                "spec.strategy",
                "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":\"25%\",\"maxUnavailable\":\"25%\"}}",
            ),
        ],
    ),
    ("apps", "ReplicaSet", &[("spec.replicas", "1")]),
    (
        "apps",
        "StatefulSet",
        &[
            ("spec.replicas", "1"),
            ("spec.revisionHistoryLimit", "10"),
            ("spec.podManagementPolicy", "\"OrderedReady\""),
            ("spec.updateStrategy", "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}"),
        ],
    ),
    (
        "apps",
        "DaemonSet",
        &[
            ("spec.revisionHistoryLimit", "10"),
            (
                "spec.updateStrategy",
                "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":1}}",
            ),
        ],
    ),
    ("", "ReplicationController", &[("spec.replicas", "1")]),
    (
        "batch",
        "Job",
        &[
            ("spec.completions", "1"),
            ("spec.parallelism", "1"),
            ("spec.backoffLimit", "6"),
            ("spec.completionMode", "\"NonIndexed\""),
            ("spec.suspend", "false"),
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            ("spec.concurrencyPolicy", "\"Allow\""),
            ("spec.suspend", "false"),
            ("spec.successfulJobsHistoryLimit", "3"),
            ("spec.failedJobsHistoryLimit", "1"),
        ],
    ),
    (
        "",
        "Service",
        &[
            ("spec.type", "\"ClusterIP\""),
            ("spec.sessionAffinity", "\"None\""),
            ("spec.internalTrafficPolicy", "\"Cluster\""),
            ("spec.ports[].protocol", "\"TCP\""),
        ],
    ),
    ("", "PersistentVolumeClaim", &[("spec.volumeMode", "\"Filesystem\"")]),
];

/// Where kinds keep a pod's spec.
const POD_SPECS: &[(&str, &str, &str)] = &[
    ("", "Pod", "spec"),
    ("", "ReplicationController", "spec.template.spec"),
    ("", "PodTemplate", "template.spec"),
    ("apps", "DaemonSet", "spec.template.spec"),
    ("apps", "Deployment", "spec.template.spec"),
    ("apps", "ReplicaSet", "spec.template.spec"),
    ("apps", "StatefulSet", "spec.template.spec"),
    ("batch", "CronJob", "spec.jobTemplate.spec.template.spec"),
    ("batch", "Job", "spec.template.spec"),
];

/// Fills in what is missing.
pub(crate) fn fill(resource: &Resource, object: &mut Object) -> Outcome<()> {
    let is_it = |group: &str, kind: &str| group == resource.group && kind == resource.kind;
    let own = KINDS.iter().find(|(group, kind, _)| is_it(group, kind)).map_or(&[][..], |(_, _, own)| own);
    let pod = POD_SPECS.iter().find(|(group, kind, _)| is_it(group, kind)).map(|(_, _, path)| *path);
    let Some(path) = own.first().map(|(path, _)| *path).or(pod) else { return Ok(()) };
    let top = path.split('.').next().unwrap_or_default();
    let paths = own.iter().map(|(path, _)| below(path, top).to_string());
    let pod_paths =
        pod.map_or(&[][..], |_| POD).iter().map(|(path, _)| join(below(pod.unwrap_or_default(), top), path));
    let Some(text) = object.text(top) else { return Ok(()) };
    // Most writes change objects that were filled before: those are only looked at.
    if !paths.chain(pod_paths).any(|path| lacks(text.node(), &path)) {
        return Ok(());
    }
    let mut value = object.get(top).unwrap_or_default();
    for (path, default) in own {
        put(&mut value, below(path, top), default);
    }
    for (path, default) in pod.map_or(&[][..], |_| POD) {
        let pod = below(pod.unwrap_or_default(), top);
        put(&mut value, &join(pod, path), default);
    }
    object.set(top, &value)
}

/// Whether something is missing at a path whose parents exist.
fn lacks(node: Node<'_>, path: &str) -> bool {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    match (first.strip_suffix("[]"), rest) {
        (Some(list), Some(rest)) => {
            let arena = Arena::new();
            let Some(list) = node.get(list) else { return false };
            list.elements(&arena).iter().any(|item| lacks(*item, rest))
        }
        (None, Some(rest)) => node.get(first).is_some_and(|child| lacks(child, rest)),
        (_, None) => node.kind() == Kind::Map && node.get(first).is_none_or(|value| value.is_null()),
    }
}

fn below<'p>(path: &'p str, top: &str) -> &'p str {
    path.strip_prefix(top).map_or(path, |rest| rest.trim_start_matches('.'))
}

fn join(start: &str, rest: &str) -> String {
    if start.is_empty() { rest.to_string() } else { format!("{start}.{rest}") }
}

/// Puts a default at a path whose parents exist.
fn put(value: &mut Value, path: &str, default: &str) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(map) = value.as_object_mut() else { return };
    match (first.strip_suffix("[]"), rest) {
        (Some(list), Some(rest)) => {
            let items = map.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            items.for_each(|item| put(item, rest, default));
        }
        (None, Some(rest)) => {
            if let Some(child) = map.get_mut(first) {
                put(child, rest, default);
            }
        }
        (_, None) => {
            if map.get(first).is_none_or(Value::is_null) {
                map.insert(first.to_string(), serde_json::from_str(default).unwrap_or(json!(null)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_json() {
        let kinds = KINDS.iter().flat_map(|(_, _, own)| own.iter());
        for (path, text) in kinds.chain(POD) {
            assert!(serde_json::from_str::<Value>(text).is_ok(), "{path}");
        }
    }

    #[test]
    fn defaults_reach_into_lists_and_make_no_parents() {
        let mut value = json!({"containers": [{"ports": [{"containerPort": 80}]}, {}]});
        put(&mut value, "containers[].ports[].protocol", "\"TCP\"");
        put(&mut value, "initContainers[].ports[].protocol", "\"TCP\"");
        assert_eq!(value, json!({"containers": [{"ports": [{"containerPort": 80, "protocol": "TCP"}]}, {}]}));
    }
}
