"""A real Qdrant server, or a cluster of them, whose addresses the environment gives.

ASSAY_TEST_QDRANT_URL: one URL, or those of a cluster's nodes, separated by commas. The servers have to be for these
    tests alone: all their collections are deleted.
ASSAY_TEST_QDRANT_API_KEY: the key of all of them, if they have one.
ASSAY_TEST_QDRANT_READ_ONLY_KEY: a key that may only read, for the tests that need one.
ASSAY_TEST_QDRANT_CA_FILE: the CA of their certificates, if no public one signed them.
ASSAY_TEST_QDRANT_GRPC_PORT: the gRPC port of the first; 6334 by default.
"""
# ruff: noqa: ANN401 - whatever a peer has

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import create_default_context
from typing import Any

import pytest
from qdrant_client import QdrantClient

from tests.peers.qdrant import QdrantPeer


@dataclass(frozen=True, slots=True)
class Server:
    """A Qdrant server. key, read_only_key: None without one. ca_file: None if a public CA signed its certificate."""

    url: str
    key: str | None
    grpc_port: int = 6334
    read_only_key: str | None = None
    ca_file: Path | None = None

    @contextmanager
    def client(self) -> Iterator[QdrantClient]:
        """A client of another program."""
        headers = {"api-key": self.key} if self.key else None
        trusted = create_default_context(cafile=self.ca_file) if self.ca_file else True
        client = QdrantClient(url=self.url, headers=headers, check_compatibility=False, timeout=60, verify=trusted)
        try:
            yield client
        finally:
            client.close()


def real_servers() -> list[Server]:
    """The nodes that the environment names; skips the test if it names none."""
    urls = [url.strip() for url in os.environ.get("ASSAY_TEST_QDRANT_URL", "").split(",") if url.strip()]
    if not urls:
        pytest.skip("needs a real Qdrant server: set ASSAY_TEST_QDRANT_URL")
    key = os.environ.get("ASSAY_TEST_QDRANT_API_KEY") or None
    grpc_port = int(os.environ.get("ASSAY_TEST_QDRANT_GRPC_PORT", "6334"))
    read_only_key = os.environ.get("ASSAY_TEST_QDRANT_READ_ONLY_KEY") or None
    ca_file = os.environ.get("ASSAY_TEST_QDRANT_CA_FILE")
    return [Server(url, key, grpc_port, read_only_key, Path(ca_file) if ca_file else None) for url in urls]


def real_server() -> Server:
    """The first node, without what earlier tests left there."""
    server = real_servers()[0]
    with server.client() as client:
        for collection in client.get_collections().collections:
            client.delete_collection(collection.name)
    return server


class RealPeer:
    """A real server in place of the peer. A test that looks into the peer, or lets it fail, is skipped."""

    def __init__(self, server: Server) -> None:
        self.__dict__["url"] = server.url

    def __getattr__(self, name: str) -> Any:
        pytest.skip(f"a real server has no `{name}`")

    def __setattr__(self, name: str, value: object) -> None:
        pytest.skip(f"a real server has no `{name}`")


@contextmanager
def peer_or_real(folder: Path) -> Iterator[Any]:
    """A peer, or the real server if the environment names one."""
    if os.environ.get("ASSAY_TEST_QDRANT_URL"):
        yield RealPeer(real_server())
        return
    with QdrantPeer(folder) as peer:
        yield peer
