"""The official Python client: list, watch, create, three patches, errors."""

import threading

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()

assert [one.metadata.name for one in core.list_namespace().items][0] == "default"

deployment = {
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "nginx", "image": "nginx:1.14"}, {"name": "sidecar", "image": "s:1"}]},
        },
    },
}
created = apps.create_namespaced_deployment("default", deployment)
assert created.metadata.uid and created.spec.replicas == 1


def images():
    containers = apps.read_namespaced_deployment("web", "default").spec.template.spec.containers
    return {one.name: one.image for one in containers}


# A dictionary is sent as a strategic merge patch, a list as a JSON patch.
change = {"spec": {"template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:1.21"}]}}}}
apps.patch_namespaced_deployment("web", "default", change)
assert images() == {"nginx": "nginx:1.21", "sidecar": "s:1"}, images()
apps.patch_namespaced_deployment("web", "default", [{"op": "replace", "path": "/spec/replicas", "value": 3}])
custom = client.CustomObjectsApi()
merged = custom.patch_namespaced_custom_object(
    "apps", "v1", "default", "deployments", "web", {"spec": {"replicas": 4}},
    _content_type="application/merge-patch+json",
)
assert merged["spec"]["replicas"] == 4, merged["spec"]
scale = apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 5}})
assert scale.spec.replicas == 5

for call, code, reason in [
    (lambda: core.read_namespaced_pod("none", "default"), 404, "NotFound"),
    (lambda: apps.create_namespaced_deployment("default", deployment), 409, "AlreadyExists"),
    (lambda: core.create_namespaced_config_map("default", {"metadata": {"name": "Bad!"}}), 422, "Invalid"),
]:
    try:
        call()
        raise SystemExit(f"{code} was expected")
    except ApiException as error:
        assert error.status == code and reason in error.body, error


def write():
    core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"k": "1"}})
    core.patch_namespaced_config_map("a", "default", {"data": {"k": "2"}})
    core.delete_namespaced_config_map("a", "default")


threading.Timer(0.2, write).start()
seen = []
watcher = watch.Watch()
for event in watcher.stream(core.list_namespaced_config_map, "default", timeout_seconds=20):
    seen.append(event["type"])
    if event["type"] == "DELETED":
        watcher.stop()
assert seen == ["ADDED", "MODIFIED", "DELETED"], seen
print("done")
