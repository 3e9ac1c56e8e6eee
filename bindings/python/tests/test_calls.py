import doctest
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import kubemerge
from kubemerge import KubemergeError, Schema

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  ports:
  - name: dns  # UDP
    port: 53
    protocol: UDP
  - name: dns-tcp
    port: 53
    protocol: TCP
"""
PATCH = {"spec": {"ports": [{"port": 53, "protocol": "TCP", "targetPort": 5353}]}}


def pod(image="web:1"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "web", "image": image}]}}


def test_a_dict_gives_a_dict():
    patched = kubemerge.apply(pod(), {"spec": {"containers": [{"name": "web", "image": "web:2"}]}})
    assert patched == pod("web:2")


def test_text_gives_text_with_its_comments():
    assert kubemerge.apply(SERVICE, PATCH, schema=Schema(dialect="spec")) == SERVICE + "    targetPort: 5353\n"


def test_explain_tells_the_rule_and_the_refusal():
    explained = kubemerge.explain(SERVICE, PATCH)
    assert any(step["path"] == "spec.ports" and step["keys"] == ["port"] for step in explained["steps"])
    assert explained["refusal"][0]["reason"] == "FieldValueDuplicate"


def test_diff_and_three_way():
    assert kubemerge.diff(pod(), pod("web:2"), type="json") == [{"op": "replace", "path": "/spec/containers/0/image", "value": "web:2"}]
    patch, conflicts = kubemerge.three_way(pod(), pod("web:2"), pod("web:3"))
    assert patch["spec"]["containers"] == [{"name": "web", "image": "web:2"}]
    assert conflicts[0]["current"] == {"change": "set", "value": "web:3"}


def test_lint_finds_a_wrong_kind():
    assert kubemerge.lint("apiVersion: apps/v1\nkind: Deploymnet\n")[0]["place"]["line"] == 2


def test_admit_fills_defaults_or_raises():
    assert kubemerge.admit(pod())["spec"]["restartPolicy"] == "Always"
    with pytest.raises(KubemergeError) as refused:
        kubemerge.admit({**pod(), "spec": {"containers": []}})
    assert refused.value.path == "spec.containers"


def test_server_side_apply_conflicts():
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}
    live = kubemerge.server_side_apply(config, manager="me")
    assert kubemerge.owners(live)[0]["owners"][0]["manager"] == "me"
    with pytest.raises(KubemergeError, match='conflict with "me"'):
        kubemerge.server_side_apply({**config, "data": {"a": "2"}}, manager="you", live=live)
    forced = kubemerge.server_side_apply({**config, "data": {"a": "2"}}, manager="you", live=live, force=True)
    assert forced["data"] == {"a": "2"}


def test_an_error_names_text_line_and_cure():
    with pytest.raises(KubemergeError) as fault:
        kubemerge.apply(SERVICE, "spec:\n  ports:\n  - name: x\n")
    assert (fault.value.kind, fault.value.text, fault.value.line) == ("missing-merge-key", "patch", 3)


def test_a_wrong_schema_is_an_error_at_once():
    with pytest.raises(KubemergeError):
        Schema("1.2")


def test_an_error_can_be_sent_to_another_process():
    with pytest.raises(KubemergeError) as fault:
        kubemerge.apply(SERVICE, "spec:\n  ports:\n  - name: x\n")
    again = pickle.loads(pickle.dumps(fault.value))
    assert (str(again), again.hint) == (str(fault.value), fault.value.hint)


def test_the_example_of_the_module():
    assert doctest.testmod(kubemerge).failed == 0


def test_threads_share_the_engine():
    with ThreadPoolExecutor(4) as pool:
        images = [f"web:{count}" for count in range(100)]
        patched = pool.map(lambda image: kubemerge.apply(pod(), {"spec": {"containers": [{"name": "web", "image": image}]}}), images)
        assert [one["spec"]["containers"][0]["image"] for one in patched] == images
