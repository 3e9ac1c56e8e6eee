//! What kube-apiserver publishes about types and the tables of the schema do not have: the values of enums,
//! and the order of required fields. `published.txt` has it, as kube-apiserver 1.37 answers.

use std::{collections::HashMap, sync::OnceLock};

const TABLE: &str = include_str!("published.txt");

/// Names of definitions that begin so are written without it.
const PREFIX: &str = "io.k8s.api.";

/// The facts, by names of fields and of definitions.
#[derive(Default)]
struct Published {
    enums: HashMap<&'static str, &'static str>,
    required: HashMap<&'static str, &'static str>,
}

/// The values of a field, sorted. The place is a definition and a field, with `[]` for the items of a list and
/// `{}` for the values of a map.
pub(super) fn enum_values(place: &str) -> Option<impl Iterator<Item = &'static str>> {
    published().enums.get(short(place)).map(|values| values.split('|'))
}

/// Puts the required fields of a definition in the order in which Kubernetes declares them.
pub(super) fn sort_required(definition: &str, required: &mut [&str]) {
    let Some(order) = published().required.get(short(definition)) else { return };
    let place = |name: &str| order.split(' ').position(|one| one == name).unwrap_or(usize::MAX);
    // Stable, so that fields of other versions stay sorted by name after the known ones.
    required.sort_by_key(|name| place(name));
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

fn published() -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let mut published = Published::default();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            if let Some((places, values)) = line.split_once(" = ") {
                published.enums.extend(places.split(' ').map(|place| (place, values)));
            } else if let Some((definition, order)) = line.split_once(": ") {
                published.required.insert(definition, order);
            }
        }
        published
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_values() {
        let values = |place| enum_values(place).map(|values| values.collect::<Vec<_>>());
        assert_eq!(
            values("io.k8s.api.networking.v1.NetworkPolicySpec.policyTypes[]"),
            Some(vec!["Egress", "Ingress"])
        );
        assert_eq!(values("io.k8s.api.core.v1.ServiceSpec.ipFamilies[]"), Some(vec!["", "IPv4", "IPv6"]));
        assert_eq!(values("io.k8s.api.core.v1.ServiceSpec.clusterIP"), None);
    }

    #[test]
    fn required_fields_are_in_order_of_declaration() {
        let mut required = ["operator", "scopeName", "unknown"];
        sort_required("io.k8s.api.core.v1.ScopedResourceSelectorRequirement", &mut required);
        assert_eq!(required, ["scopeName", "operator", "unknown"]);
    }
}
