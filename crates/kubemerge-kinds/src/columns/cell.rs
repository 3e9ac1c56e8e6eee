//! Where the cells of a built-in kind come from.

use serde_json::{Value, json};

use super::column::age;
use super::read::{list, moment, number, text, word};
use crate::timestamp::Timestamp;

/// Where the cell of an object comes from. Paths are JSON pointers into the object; a test resolves all of them.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// A text, empty if there is none.
    Text(&'static str),
    /// A text, or another one if there is none.
    TextOr(&'static str, &'static str),
    /// A number, 0 if there is none.
    Number(&'static str),
    /// A number, or a text if there is none.
    NumberOr(&'static str, &'static str),
    /// Whether a field is true.
    Flag(&'static str),
    /// The length of a list.
    Count(&'static str),
    /// The texts of a list, with commas between them.
    Joined(&'static str),
    /// How long ago a time is, or a text if there is none.
    Age(&'static str, &'static str),
    /// The value as it is, null if there is none.
    Value(&'static str),
    /// A text that follows from several fields.
    Computed(fn(&Value) -> String),
    /// A text that follows from several fields and the time.
    ComputedAt(fn(&Value, Timestamp) -> String),
    /// A number or boolean that follows from several fields.
    ComputedValue(fn(&Value) -> Value),
}

impl Cell {
    /// The cell of an object.
    pub fn value(self, object: &Value, now: Timestamp) -> Value {
        let text_or = |path: &str, other: &str| json!(text(object, path).unwrap_or(other));
        match self {
            Cell::Text(path) => text_or(path, ""),
            Cell::TextOr(path, other) => text_or(path, other),
            Cell::Number(path) => json!(number(object, path)),
            Cell::NumberOr(path, other) => object.pointer(path).cloned().unwrap_or_else(|| json!(other)),
            Cell::Flag(path) => json!(object.pointer(path) == Some(&json!(true))),
            Cell::Count(path) => json!(list(object, path).count()),
            Cell::Joined(path) => json!(list(object, path).map(word).collect::<Vec<_>>().join(",")),
            Cell::Age(path, other) => {
                json!(moment(object, path).map_or(other.into(), |then| age(now.since(then))))
            }
            Cell::Value(path) => object.pointer(path).cloned().unwrap_or_default(),
            Cell::Computed(text) => json!(text(object)),
            Cell::ComputedAt(text) => json!(text(object, now)),
            Cell::ComputedValue(value) => value(object),
        }
    }

    /// The path of a cell that is not computed.
    pub fn path(self) -> Option<&'static str> {
        match self {
            Cell::Text(path)
            | Cell::TextOr(path, _)
            | Cell::Number(path)
            | Cell::NumberOr(path, _)
            | Cell::Flag(path)
            | Cell::Count(path)
            | Cell::Joined(path)
            | Cell::Age(path, _)
            | Cell::Value(path) => Some(path),
            Cell::Computed(_) | Cell::ComputedAt(_) | Cell::ComputedValue(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{autoscaler, control, event, network, pod, storage, workload};

    fn column_of_event(name: &str) -> Cell {
        event::COLUMNS.iter().find(|column| column.name == name).unwrap().cell
    }

    #[test]
    fn cells_read_as_kubectl_users_know_them() {
        let service = |kind: &str| json!({"spec": {"type": kind, "externalName": "x.io"}});
        let labels = json!({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "", "a": "b"});
        for (cell, object, expected) in [
            (Cell::Computed(network::external_ip), service("ClusterIP"), "<none>"),
            (Cell::Computed(network::external_ip), service("LoadBalancer"), "<pending>"),
            (Cell::Computed(network::external_ip), service("ExternalName"), "x.io"),
            (
                Cell::Computed(network::external_ip),
                json!({"spec": {"type": "LoadBalancer", "externalIPs": ["1.1.1.1"]},
                "status": {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"hostname": "lb"}]}}}),
                "2.2.2.2,lb,1.1.1.1",
            ),
            (
                Cell::Computed(network::node_roles),
                json!({"metadata": {"labels": labels}}),
                "control-plane,worker",
            ),
            (Cell::Computed(network::node_roles), json!({}), "<none>"),
            (
                Cell::Computed(network::node_status),
                json!({"spec": {"unschedulable": true}}),
                "Unknown,SchedulingDisabled",
            ),
            (
                Cell::Computed(storage::claim_modes),
                json!({"spec": {"volumeName": "v"}, "status": {"accessModes": ["ReadOnlyMany", "ReadWriteOnce"]}}),
                "RWO,ROX",
            ),
            (
                Cell::Computed(network::ingress_hosts),
                json!({"spec": {"rules": [{"host": "a.b"}, {}]}}),
                "a.b",
            ),
            (Cell::Computed(network::ingress_hosts), json!({}), "*"),
            (Cell::Computed(network::ingress_ports), json!({"spec": {"tls": [{}]}}), "80, 443"),
            (Cell::Computed(workload::min_available), json!({"spec": {"minAvailable": 1}}), "1"),
            (Cell::Computed(workload::max_unavailable), json!({"spec": {}}), "N/A"),
            (Cell::Computed(control::role), json!({"roleRef": {"kind": "Role", "name": "r"}}), "Role/r"),
            (
                Cell::Computed(network::pod_selector),
                json!({"spec": {"podSelector": {"matchLabels": {"a": "b"}}}}),
                "a=b",
            ),
            (Cell::Computed(network::pod_selector), json!({"spec": {"podSelector": {}}}), "<none>"),
            (
                Cell::Computed(workload::node_selector),
                json!({"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}),
                "a=b",
            ),
        ] {
            assert_eq!(cell.value(&object, Timestamp::at(0)), json!(expected), "{cell:?} {object}");
        }
    }

    #[test]
    fn wide_cells_tell_more() {
        let now = Timestamp::parse("2026-01-01T01:00:00Z").unwrap();
        let template =
            json!({"spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b", "image": "j"}]}});
        let event = json!({"regarding": {"kind": "Pod", "name": "p"}, "note": "hi\n", "reportingController": "c",
            "deprecatedLastTimestamp": "2026-01-01T00:59:30Z", "series": {"count": 4}});
        let scaler = json!({"spec": {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target":
            {"averageUtilization": 50}}}]}, "status": {"currentMetrics": [{"resource": {"name": "cpu", "current":
            {"averageUtilization": 20}}}]}});
        for (cell, object, expected) in [
            (Cell::Computed(workload::containers), json!({"spec": {"template": template}}), "a,b"),
            (
                Cell::Computed(workload::images),
                json!({"spec": {"jobTemplate": {"spec": {"template": template}}}}),
                "i:1,j",
            ),
            (Cell::TextOr("/spec/nodeName", "<none>"), json!({}), "<none>"),
            (Cell::TextOr("/status/nodeInfo/osImage", "<unknown>"), json!({}), "<unknown>"),
            (column_of_event("Object"), event.clone(), "pod/p"),
            (column_of_event("Message"), event.clone(), "hi"),
            (column_of_event("Source"), event.clone(), "c"),
            (column_of_event("Last Seen"), event, "30s"),
            (Cell::Age("/status/lastScheduleTime", "<none>"), json!({}), "<none>"),
            (
                Cell::ComputedAt(workload::job_duration),
                json!({"status": {"startTime": "2026-01-01T00:50:00Z"}}),
                "10m",
            ),
            (Cell::Computed(autoscaler::metrics), scaler, "cpu: 20%/50%"),
            (Cell::Computed(autoscaler::min_pods), json!({}), "<unset>"),
            (Cell::Computed(workload::suspend), json!({"spec": {"suspend": false}}), "False"),
            (
                Cell::Computed(storage::claim),
                json!({"spec": {"claimRef": {"name": "c", "namespace": "n"}}}),
                "n/c",
            ),
            (
                Cell::Computed(network::slice_addresses),
                json!({"endpoints": [{"addresses": ["1", "2"]}, {"addresses": ["3", "4"]}]}),
                "1,2,3 + 1 more...",
            ),
            (
                Cell::Computed(pod::readiness_gates),
                json!({"spec": {"readinessGates": [{"conditionType": "x"}]}}),
                "0/1",
            ),
        ] {
            assert_eq!(cell.value(&object, now), json!(expected), "{cell:?} {object}");
        }
    }
}
