//! Fields of features that are off by default: the API server drops them.

use crate::registry::Context;
use crate::tree::{Map, Value};

/// Old forms of init containers, which are dropped.
const INIT_CONTAINER_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// Drops what the version of Kubernetes has and does not use, from the spec of a Pod or a template.
pub(crate) fn drop_disabled_fields(owner: &mut Map<'_>, _context: Context) {
    let metadata = owner.map_mut("metadata");
    if let Some(annotations) = metadata.and_then(|metadata| metadata.map_mut("annotations")) {
        annotations.retain(|name, _| !INIT_CONTAINER_ANNOTATIONS.contains(&name));
    }
    let Some(spec) = owner.map_mut("spec") else { return };
    // Fields of alpha features, which are off by default.
    spec.remove("schedulingGroup");
    spec.remove("evictionResponders");
    spec.maps_mut("volumes").for_each(volume);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        spec.maps_mut(list).for_each(container);
    }
}

fn container(container: &mut Map<'_>) {
    container.maps_mut("volumeMounts").for_each(|mount| {
        mount.remove("bindMountOptions");
    });
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.map_mut(name) {
            handler(probe);
        }
    }
    let Some(lifecycle) = container.map_mut("lifecycle") else { return };
    for name in ["postStart", "preStop"] {
        lifecycle.map_mut(name).into_iter().for_each(handler);
    }
    // Gate ContainerStopSignals. A lifecycle that had nothing else would be stored as an empty map.
    if lifecycle.remove("stopSignal").is_some() && lifecycle.is_empty() {
        container.remove("lifecycle");
    }
}

fn handler(handler: &mut Map<'_>) {
    for (action, field) in [("httpGet", "protocol"), ("grpc", "mode")] {
        if let Some(action) = handler.map_mut(action) {
            action.remove(field);
        }
    }
}

fn volume(volume: &mut Map<'_>) {
    if let Some(dir) = volume.map_mut("emptyDir") {
        dir.remove("mode");
    }
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        volume.map_mut(name).into_iter().for_each(file_owners);
    }
    if let Some(projected) = volume.map_mut("projected") {
        for source in projected.maps_mut("sources") {
            source.iter_mut().filter_map(|(_, source)| source.as_map_mut()).for_each(file_owners);
        }
    }
}

fn file_owners(source: &mut Map<'_>) {
    source.remove("defaultUser");
    if !matches!(source.get("user"), Some(Value::Map(_))) {
        source.remove("user");
    }
    source.maps_mut("items").for_each(|item| {
        item.remove("user");
    });
}
