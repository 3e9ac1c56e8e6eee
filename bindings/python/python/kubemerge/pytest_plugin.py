"""The fixture ``kubemerge_server``: an API server for one test."""

from __future__ import annotations

from typing import Iterator

import pytest

from . import Server


@pytest.fixture
def kubemerge_server() -> Iterator[Server]:
    """An empty cluster on a port of its own, stopped after the test."""
    with Server() as server:
        yield server
