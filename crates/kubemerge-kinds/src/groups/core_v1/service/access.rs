//! How clients reach a Service: which ones have no address of their own, and which ones are open to the outside.

use crate::field::Field;
use crate::tree::Map;

/// Whether traffic from outside the cluster reaches it, which external traffic policies need.
pub(super) fn is_externally_accessible(spec: &Map<'_>) -> bool {
    match spec.str("type") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.list("externalIPs").is_empty(),
        _ => false,
    }
}

/// Whether it has no cluster address: its name resolves to the addresses of its pods.
pub(super) fn is_headless(spec: Field<'_>) -> bool {
    let addresses = spec.field("clusterIPs");
    addresses.len() == 1 && addresses.index(0).str() == "None"
}
