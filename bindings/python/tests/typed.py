"""Checked by mypy, not run: the types fit the way the package is used."""

from typing import Any

import kubemerge
from kubemerge import KubemergeError, Schema, Server

pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod"}
a_dict: dict[str, Any] = kubemerge.apply(pod, {"metadata": {}})
a_text: str = kubemerge.apply("kind: Pod", "metadata: {}", schema=Schema("1.30", dialect="spec"))
operations: Any = kubemerge.diff(pod, a_dict, type="json")
patch, conflicts = kubemerge.three_way(pod, a_dict, a_text)
findings: list[dict[str, Any]] = kubemerge.lint(a_text)


def with_server(server: Server) -> str:
    return server.url


def line_of(error: KubemergeError) -> int | None:
    return error.line
