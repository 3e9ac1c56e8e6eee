"""What will Kubernetes make of this object and this patch?

Documents are dicts or texts (YAML or JSON). A result has the form of the object that was given: a dict for a
dict, text for text (with its comments and layout).

    >>> import kubemerge
    >>> pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "web", "image": "web:1"}]}}
    >>> patch = {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}
    >>> kubemerge.apply(pod, patch)["spec"]["containers"]
    [{'name': 'web', 'image': 'web:2'}]
"""

from __future__ import annotations

import json
from typing import Any, Literal, Mapping, Sequence, TypeVar

from ._kubemerge import RequestEngine, RunningServer

__all__ = ["KubemergeError", "Schema", "Server", "admit", "apply", "diff", "explain", "lint", "owners", "server_side_apply", "three_way"]

Document = TypeVar("Document", str, dict[str, Any])
PatchType = Literal["strategic", "merge", "json"]
Dialect = Literal["upstream", "spec", "kustomize"]


class KubemergeError(Exception):
    """A call that failed.

    ``kind`` is a stable name such as ``missing-merge-key``; ``text`` says which document is at fault, ``path``
    and ``line`` where; ``hint`` what to do about it; ``status`` what the API server answers with.
    """

    def __init__(self, fault: Mapping[str, Any]) -> None:
        # The whole fault is the argument, so that the exception survives pickling between processes.
        super().__init__(fault)
        self.kind: str = fault["kind"]
        self.message: str = fault["message"]
        self.hint: str | None = fault.get("hint")
        self.text: str | None = fault.get("text")
        self.path: str = fault.get("path", "")
        self.line: int | None = (fault.get("place") or {}).get("line")
        self.status: int | None = fault.get("status")

    def __str__(self) -> str:
        place = f" ({self.text}{f', line {self.line}' if self.line else ''})" if self.text else ""
        hint = f"\n{self.hint}" if self.hint else ""
        return f"{self.message}{place}{hint}"


class Schema:
    """How fields merge: a version of Kubernetes, a dialect, and own definitions.

    ``documents`` are CustomResourceDefinitions or OpenAPI documents, ``overlays`` own rules or the name
    ``design-documents``. A schema is compiled once; keep it for many calls.
    """

    def __init__(
        self,
        kubernetes: str | None = None,
        *,
        dialect: Dialect = "upstream",
        documents: Sequence[str | Mapping[str, Any]] = (),
        overlays: Sequence[str] = (),
    ) -> None:
        self._settings: dict[str, Any] = {
            "dialect": dialect,
            "kubernetes": kubernetes,
            "schemas": [_text(document) for document in documents],
            "overlays": list(overlays),
        }
        # Faults of the documents are raised here, not in the middle of other work.
        _ask("versions", self)

    def kinds(self) -> list[dict[str, str]]:
        """All kinds, as ``{"apiVersion": …, "kind": …}``."""
        return _ask("kinds", self)


_ENGINE = RequestEngine()


def apply(object: Document, patch: str | Mapping[str, Any] | Sequence[Any], *, type: PatchType = "strategic", schema: Schema | None = None) -> Document:
    """The patched object. ``None`` if kustomize's ``$patch: delete`` deletes it."""
    answer = _ask("apply", schema, object=_text(object), patch=_text(patch), type=type)
    return _alike(object, answer["result"])


def explain(object: str | Mapping[str, Any], patch: str | Mapping[str, Any] | Sequence[Any], *, type: PatchType = "strategic", schema: Schema | None = None) -> dict[str, Any]:
    """What the patch does to each field and why, where dialects differ, and what the API server would refuse."""
    answer = _ask("explain", schema, object=_text(object), patch=_text(patch), type=type)
    answer["result"] = _alike(object, answer["result"])
    return answer


def diff(old: str | Mapping[str, Any], new: str | Mapping[str, Any], *, type: PatchType = "strategic", schema: Schema | None = None) -> Any:
    """The patch that makes ``new`` of ``old``: text for text, else a dict, or a list of operations for ``json``."""
    answer = _ask("diff", schema, **{"from": _text(old), "to": _text(new), "type": type})
    return _alike(new, answer["patch"])


def three_way(original: str | Mapping[str, Any], modified: Document, current: str | Mapping[str, Any], *, schema: Schema | None = None) -> tuple[Document, list[dict[str, Any]]]:
    """The patch that brings ``current`` to the wanted state, and the places that both sides changed."""
    answer = _ask("threeWay", schema, original=_text(original), modified=_text(modified), current=_text(current))
    return _alike(modified, answer["patch"]), answer.get("conflicts", [])


def lint(text: str, *, schema: Schema | None = None) -> list[dict[str, Any]]:
    """What is wrong in the documents of a text, with places."""
    return _ask("lint", schema, text=text)


def admit(object: Document, *, old: str | Mapping[str, Any] | None = None, schema: Schema | None = None) -> Document:
    """The object as the API server stores it. Raises :class:`KubemergeError` with its causes if it refuses it."""
    answer = _ask("admit", schema, object=_text(object), old=None if old is None else _text(old))
    causes = answer["refusal"]
    if causes:
        message = "; ".join(f"{cause['field']}: {cause['message']}" if cause["field"] else cause["message"] for cause in causes)
        raise KubemergeError({"kind": "refused", "message": message, "path": causes[0]["field"], "status": 422})
    return _alike(object, answer["result"])


def server_side_apply(config: Document, *, manager: str, live: str | Mapping[str, Any] | None = None, force: bool = False, schema: Schema | None = None) -> Document:
    """The object after a server-side apply, with its managedFields. Raises :class:`KubemergeError` on conflicts."""
    answer = _ask("serverSideApply", schema, config=_text(config), live=None if live is None else _text(live), manager=manager, force=force)
    if "conflict" in answer:
        raise KubemergeError({"kind": "conflict", "message": answer["conflict"], "status": 409})
    return _alike(config, answer["result"])


def owners(object: str | Mapping[str, Any]) -> list[dict[str, Any]]:
    """Which manager owns which field, from the managedFields of an object."""
    return _ask("owners", None, object=_text(object))


class Server:
    """A Kubernetes API server in this process, on a port of its own.

        with kubemerge.Server([pod]) as server:
            client = kubernetes.config.new_client_from_config_dict(server.kubeconfig)
    """

    def __init__(self, objects: Sequence[str | Mapping[str, Any]] = (), *, kubernetes: str | None = None) -> None:
        self._server = RunningServer([_text(one) for one in objects], kubernetes)

    @property
    def url(self) -> str:
        """Such as ``http://127.0.0.1:40123``."""
        return self._server.url

    @property
    def kubeconfig(self) -> dict[str, Any]:
        """A kubeconfig for clients."""
        return json.loads(self._server.kubeconfig)

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> dict[str, Any] | None:
        """An object of the store, without a request."""
        found = self._server.get(api_version, kind, namespace, name)
        return None if found is None else json.loads(found)

    def stop(self) -> None:
        """Closes the port."""
        self._server.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _text(document: Any) -> str:
    return document if isinstance(document, str) else json.dumps(document)


def _alike(given: Any, text: str | None) -> Any:
    """A result in the form of what was given."""
    if text is None or isinstance(given, str):
        return text
    return json.loads(text)


def _ask(call: str, schema: Schema | None, **arguments: Any) -> Any:
    settings = {} if schema is None else schema._settings
    reply = json.loads(_ENGINE.answer(json.dumps({"call": call, "settings": settings, **arguments})))
    if "error" in reply:
        raise KubemergeError(reply["error"])
    return reply["answer"]
