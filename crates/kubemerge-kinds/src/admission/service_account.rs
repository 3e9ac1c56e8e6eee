//! The service account of new pods: its name, its token in every container, its pull secrets.

use crate::tree::{List, Map, Value};
use crate::typed::read_typed_form;

/// The account of pods that name none.
const DEFAULT_ACCOUNT: &str = "default";
const MIRROR_POD: &str = "kubernetes.io/config.mirror";
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME_PREFIX: &str = "kube-api-access-";

/// Whether a pod is the image of one that a kubelet runs from a file; such pods have no account.
pub fn is_mirror_pod(pod: &Map<'_>) -> bool {
    let annotations = pod.map("metadata").and_then(|metadata| metadata.map("annotations"));
    annotations.is_some_and(|annotations| annotations.has(MIRROR_POD))
}

/// Names the account of a pod, and answers the name.
pub fn set_default_account<'a>(pod: &mut Map<'a>) -> &'a str {
    let spec = pod.ensure_map("spec");
    if spec.str("serviceAccountName").is_empty() {
        spec.set("serviceAccountName", DEFAULT_ACCOUNT);
        // The older name of the same field.
        spec.set("serviceAccount", DEFAULT_ACCOUNT);
    }
    spec.str("serviceAccountName")
}

/// Gives a pod what its account has: the token in every container, and the pull secrets.
pub fn set_account_parts(pod: &mut Map<'_>, account: &Map<'_>, suffix: &str) {
    let spec = pod.ensure_map("spec");
    let wants_token = match spec.get("automountServiceAccountToken") {
        Some(Value::Bool(wanted)) => *wanted,
        // Then the account decides; a token is mounted by default.
        _ => !matches!(account.get("automountServiceAccountToken"), Some(Value::Bool(false))),
    };
    if wants_token {
        mount_token(spec, suffix);
    }
    if spec.list("imagePullSecrets").is_empty() {
        for secret in account.list("imagePullSecrets") {
            push(spec, "imagePullSecrets", secret.copy_in(spec.arena()));
        }
    }
}

fn mount_token(spec: &mut Map<'_>, suffix: &str) {
    let own =
        spec.maps("volumes").map(|volume| volume.str("name")).find(|name| name.starts_with(VOLUME_PREFIX));
    let name = own.map_or_else(|| format!("{VOLUME_PREFIX}{suffix}"), str::to_owned);
    let mount = format!(r#"{{"name":"{name}","readOnly":true,"mountPath":"{TOKEN_PATH}"}}"#);
    let mut is_mounted = false;
    for list in ["initContainers", "containers"] {
        for container in spec.maps_mut(list) {
            // A container with a mount of its own there keeps it.
            if container.maps("volumeMounts").all(|mount| mount.str("mountPath") != TOKEN_PATH) {
                append(container, "volumeMounts", &mount);
                is_mounted = true;
            }
        }
    }
    if is_mounted && own.is_none() {
        append(spec, "volumes", &token_volume(&name));
    }
}

fn token_volume(name: &str) -> String {
    // A token is renewed before an hour is over; the seconds more are Kubernetes' own.
    let token = r#"{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}"#;
    let certificate =
        r#"{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}"#;
    let namespace = r#"{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}"#;
    format!(
        r#"{{"name":"{name}","projected":{{"sources":[{token},{certificate},{namespace}],"defaultMode":420}}}}"#
    )
}

/// Appends an item, given as text, to a list.
fn append(map: &mut Map<'_>, list: &'static str, text: &str) {
    let arena = map.arena();
    push(map, list, read_typed_form(arena, arena.alloc_str(text)));
}

fn push<'a>(map: &mut Map<'a>, list: &'static str, item: Value<'a>) {
    let arena = map.arena();
    if map.list_mut(list).is_none() {
        map.set(list, List::new_in(arena));
    }
    if let Some(items) = map.list_mut(list) {
        items.push(item);
    }
}
