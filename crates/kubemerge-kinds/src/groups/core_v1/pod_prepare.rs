//! What the API server writes into a new Pod: label keys into selectors, annotations into fields.

use crate::tree::{List, Map, Value};

const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Adds `matchLabelKeys` and `mismatchLabelKeys` to the selectors, with the values of the pod's own labels.
pub(super) fn merge_label_keys(pod: &mut Map<'_>) {
    let arena = pod.arena();
    let labels = pod.map("metadata").and_then(|metadata| metadata.map("labels"));
    let Some(labels) = labels.map(|labels| labels.copy_in(arena)) else { return };
    let Some(spec) = pod.map_mut("spec") else { return };
    if let Some(affinity) = spec.map_mut("affinity") {
        for name in ["podAffinity", "podAntiAffinity"] {
            let Some(pods) = affinity.map_mut(name) else { continue };
            for term in pods.maps_mut("preferredDuringSchedulingIgnoredDuringExecution") {
                term.map_mut("podAffinityTerm").into_iter().for_each(|term| merge_keys(term, &labels));
            }
            for term in pods.maps_mut("requiredDuringSchedulingIgnoredDuringExecution") {
                merge_keys(term, &labels);
            }
        }
    }
    spec.maps_mut("topologySpreadConstraints").for_each(|constraint| merge_keys(constraint, &labels));
}

fn merge_keys<'a>(owner: &mut Map<'a>, labels: &Map<'a>) {
    for (name, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let keys: Vec<&'a str> = owner.list(name).iter().filter_map(Value::as_str).collect();
        let Some(selector) = owner.map_mut("labelSelector") else { return };
        // A label that the pod does not have restricts nothing.
        for key in keys.into_iter().filter(|key| labels.has(key)) {
            add_expression(selector, [key, operator, labels.str(key)]);
        }
    }
}

fn add_expression<'a>(selector: &mut Map<'a>, [key, operator, value]: [&'a str; 3]) {
    let arena = selector.arena();
    let mut values = List::new_in(arena);
    values.push(value);
    let mut expression = Map::new_in(arena);
    expression.set("key", key);
    expression.set("operator", operator);
    expression.set("values", Value::List(values));
    if selector.list_mut("matchExpressions").is_none() {
        selector.set("matchExpressions", Value::List(List::new_in(arena)));
    }
    if let Some(expressions) = selector.list_mut("matchExpressions") {
        expressions.push(expression);
    }
}

/// Profiles that only an annotation names become fields of the containers.
pub(super) fn app_armor_from_annotations(pod: &mut Map<'_>) {
    let arena = pod.arena();
    let annotations = pod.map("metadata").and_then(|metadata| metadata.map("annotations"));
    let annotations = annotations.filter(|all| all.iter().any(|(name, _)| name.starts_with(APP_ARMOR)));
    let Some(annotations) = annotations.map(|annotations| annotations.copy_in(arena)) else { return };
    let Some(spec) = pod.map_mut("spec") else { return };
    // AppArmor is a module of Linux.
    if spec.map("os").is_some_and(|os| os.str("name") == "windows") {
        return;
    }
    let of_pod = spec.map("securityContext").and_then(|context| context.get("appArmorProfile"));
    let of_pod = of_pod.map(|profile| profile.copy_in(arena));
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.maps_mut(list) {
            let annotation = annotations.get(&format!("{APP_ARMOR}{}", container.str("name")));
            let Some(profile) = annotation.and_then(Value::as_str).and_then(|text| profile(arena, text))
            else {
                continue;
            };
            let has_own = container.map("securityContext").is_some_and(|own| own.has("appArmorProfile"));
            // The same profile on the pod applies already.
            if !has_own
                && !of_pod.as_ref().and_then(Value::as_map).is_some_and(|of_pod| of_pod.same_in_go(&profile))
            {
                container.ensure_map("securityContext").set("appArmorProfile", profile);
            }
        }
    }
}

fn profile<'a>(arena: &'a crate::tree::Arena, annotation: &'a str) -> Option<Map<'a>> {
    let mut profile = Map::new_in(arena);
    match annotation {
        "unconfined" => profile.set("type", "Unconfined"),
        "runtime/default" => profile.set("type", "RuntimeDefault"),
        _ => {
            // A profile without a name is left for validation to refuse.
            let local = annotation.strip_prefix("localhost/").filter(|local| !local.trim().is_empty())?;
            profile.set("type", "Localhost");
            profile.set("localhostProfile", local);
        }
    }
    Some(profile)
}
