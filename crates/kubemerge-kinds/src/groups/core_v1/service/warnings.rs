//! Warnings about a Service.

use crate::field::Field;

pub(super) fn warnings(service: Field<'_>) -> Vec<String> {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    let mut found = Vec::new();
    if service.fields(["metadata", "annotations"]).key(HINTS).is_set() {
        found.push(format!(
            "annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
        ));
    }
    let spec = service.field("spec");
    let is_headless = spec.field("clusterIPs").index(0).str() == "None";
    if is_headless {
        for (is_ignored, field) in [
            (!spec.field("loadBalancerIP").is_empty(), "loadBalancerIP"),
            (!spec.field("externalIPs").is_empty(), "externalIPs"),
            (spec.field("sessionAffinity").str() != "None", "SessionAffinity"),
        ] {
            if is_ignored {
                found.push(format!("spec.{field} is ignored for headless services"));
            }
        }
    }
    let (is_external, has_addresses) =
        (spec.field("type").str() == "ExternalName", !spec.field("externalIPs").is_empty());
    if has_addresses && is_external {
        found.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".into());
    } else if has_addresses && !is_headless {
        found.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".into());
    }
    if !is_external && !spec.field("externalName").is_empty() {
        found.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".into());
    }
    if spec.field("trafficDistribution").str() == "PreferClose" {
        found.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".into());
    }
    found
}
