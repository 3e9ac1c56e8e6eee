//! Ports of Services.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::format::{dns1123_label, qualified_name};
use crate::groups::core_v1::pod_spec::port_number_or_name;

pub(super) fn ports(spec: Field<'_>) {
    let ports = spec.field("ports");
    let mut names = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        // A single port may go without a name.
        if ports.len() > 1 && name.is_empty() {
            name.required("");
        } else if !name.is_empty() {
            name.check(dns1123_label);
            if !names.insert(name.str()) {
                name.duplicate();
            }
        }
        port.field("port").check_port();
        let protocol = port.field("protocol");
        if !protocol.require("") {
            protocol.one_of(&["SCTP", "TCP", "UDP"]);
        }
        port_number_or_name(port.field("targetPort"));
        let app_protocol = port.field("appProtocol");
        if app_protocol.is_set() {
            app_protocol.check(qualified_name);
        }
    }
}

/// No two ports have the same number, nor the same node port, for one protocol.
pub(super) fn unique_ports(spec: Field<'_>) {
    let ports = spec.field("ports");
    let is_cluster_ip = spec.field("type").str() == "ClusterIP";
    let (mut node_ports, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for port in ports.items() {
        let (protocol, node_port) = (port.field("protocol").str(), port.field("nodePort"));
        if node_port.int() != 0 {
            if is_cluster_ip {
                node_port.forbidden("may not be used when `type` is 'ClusterIP'");
            }
            if !node_ports.insert((protocol, node_port.int())) {
                node_port.duplicate();
            }
        }
        let number = port.field("port").int();
        if !numbers.insert((protocol, number)) {
            // Upstream compares and prints a port with these two fields alone.
            port.duplicate_as(crate::field::BadValue::verbatim(format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{number},\"TargetPort\":0,\"NodePort\":0}}",
                crate::go_text::quoted(protocol)
            )));
        }
    }
}
