"""The official client against the server in this process."""

import kubernetes
import pytest

import kubemerge


@pytest.fixture
def core(kubemerge_server):
    client = kubernetes.config.new_client_from_config_dict(kubemerge_server.kubeconfig)
    return kubernetes.client.CoreV1Api(client)


def test_create_and_patch(core, kubemerge_server):
    core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"k": "1"}})
    core.patch_namespaced_config_map("a", "default", {"data": {"k": "2"}})
    assert kubemerge_server.get("v1", "ConfigMap", "default", "a")["data"] == {"k": "2"}


def test_what_kubernetes_refuses_is_refused(core):
    with pytest.raises(kubernetes.client.ApiException) as refused:
        core.create_namespaced_pod("default", {"metadata": {"name": "a"}, "spec": {"containers": []}})
    assert refused.value.status == 422


def test_a_server_can_start_with_objects():
    given = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "default"}}
    with kubemerge.Server([given]) as server:
        assert server.get("v1", "ConfigMap", "default", "b")["metadata"]["name"] == "b"
    with pytest.raises(RuntimeError):
        server.url


KIOSK = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kiosks.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: kiosks, singular: kiosk, kind: Kiosk, listKind: KioskList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              open: {type: integer}
              closed: {type: integer}
            x-kubernetes-validations:
            - {rule: self.open < self.closed, message: opens before it closes}
"""


def test_rules_of_custom_resources_hold():
    with kubemerge.Server([KIOSK]) as server:
        kiosks = kubernetes.client.CustomObjectsApi(kubernetes.config.new_client_from_config_dict(server.kubeconfig))
        where = ("shop.example.com", "v1", "default", "kiosks")
        kiosk = {"apiVersion": "shop.example.com/v1", "kind": "Kiosk", "metadata": {"name": "a"}, "spec": {"open": 8, "closed": 18}}
        kiosks.create_namespaced_custom_object(*where, kiosk)
        with pytest.raises(kubernetes.client.ApiException, match="opens before it closes"):
            kiosks.patch_namespaced_custom_object(*where, "a", {"spec": {"closed": 7}})


def test_a_watch_sees_changes(core):
    core.create_namespaced_config_map("default", {"metadata": {"name": "a"}})
    core.delete_namespaced_config_map("a", "default")
    watch = kubernetes.watch.Watch()
    seen = []
    for event in watch.stream(core.list_namespaced_config_map, "default", resource_version="1", timeout_seconds=30):
        if event["object"].metadata.name == "a":
            seen.append(event["type"])
        if event["type"] == "DELETED":
            watch.stop()
    assert seen == ["ADDED", "DELETED"]


def test_documents_that_cannot_be_loaded_are_an_error():
    with pytest.raises(ValueError):
        kubemerge.Server(["kind: ["])
