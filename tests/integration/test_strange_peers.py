"""200 with a body that is none of the peer's API: each adapter names the peer and what to check; a site is read on.

Qdrant's requests have a table of their own in test_qdrant_strange_answers.py.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.embedders.conftest import KEY, RULES
from tests.sites import Reply, Site, html, links, pages, served, source_of

from assay.adapters.embedders.cohere import CohereEmbedder
from assay.adapters.embedders.openai import Endpoint, OpenAIEmbedder, OpenAIModel
from assay.client.client import Client
from assay.errors import AssayError, EmbeddingError, ServiceError
from assay.model.ranking import Query

BODIES = {
    "an empty object": b"{}",
    "nulls": b'{"results": null, "data": null, "embeddings": null, "generation": null, "timings_ms": null}',
    "texts": b'{"results": "x", "data": "x", "embeddings": "x", "generation": 1, "timings_ms": "x", "warnings": "x"}',
    "lists of nulls": b'{"results": [null], "data": [null], "embeddings": {"float": [null]}, "warnings": [null]}',
    "lists of texts": b'{"data": [{"index": 0, "embedding": "AAAA"}], "embeddings": {"float": ["AAAA"]}}',
    "numbers without end": b'{"data": [{"index": 1e999, "embedding": [1e999]}], "embeddings": {"float": [[1e999]]}}',
    "a banner": b'{"name": "node-1", "version": {"number": "8.1.0"}, "tagline": "You Know"}',
    "a list": b"[]",
    "null": b"null",
    "a page": b"<!doctype html><title>Sign in</title>",
    "nothing": b"",
    "JSON that is cut": b'{"data": [{"embed',
    "nested deeply": b"[" * 100_000,
    "not UTF-8": b"\xff\xfe{}",
}
RESULT = {"rank": 1, "similarity": 0.5, "rank_score": 1.0, "url": "https://x.example/a", "source_path": "a"}
RANKINGS = {
    "a rank without end": {"results": [{**RESULT, "rank": 1e999}]},
    "a result without most": {"results": [RESULT]},
    "no timings": {"results": [], "generation": "g", "warnings": []},
    "timings that are texts": {"results": [], "generation": "g", "warnings": [], "timings_ms": {"embed": "x"}},
}


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """The address of a server that says this to everything, with status 200."""
    site = Site()
    site.fallback = Reply(200, body, {"Content-Type": "application/json"})
    with served(site):
        yield site.url


def _cohere(url: str) -> CohereEmbedder:
    return CohereEmbedder(KEY, "embed-english-v3.0", None, url, replace(RULES, retry_seconds=0.0, query_seconds=0.1))


def _openai(url: str) -> OpenAIEmbedder:
    model = OpenAIModel("bge-base", 8, shorten=False, document_prefix="", query_prefix="")
    return OpenAIEmbedder(Endpoint(url, KEY), model, replace(RULES, retry_seconds=0.0, query_seconds=0.1))


USES: dict[str, tuple[Callable[[str], object], type[AssayError], str]] = {
    "Cohere, documents": (lambda url: _cohere(url).embed_documents(["gripper"]), EmbeddingError, "Cohere"),
    "Cohere, a query": (lambda url: _cohere(url).embed_query("gripper"), EmbeddingError, "Cohere"),
    "OpenAI, documents": (lambda url: _openai(url).embed_documents(["gripper"]), EmbeddingError, "embedding server"),
    "OpenAI, a query": (lambda url: _openai(url).embed_query("gripper"), EmbeddingError, "embedding server"),
    "another Assay": (lambda url: Client(url).search(Query("gripper", 5)), ServiceError, "127.0.0.1"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("body", BODIES)
def test_an_answer_that_is_none_names_the_peer_and_what_to_check(body: str, use: str) -> None:
    call, kind, name = USES[use]
    with answering(BODIES[body]) as url, pytest.raises(kind) as raised:
        call(url)
    assert name in raised.value.message
    assert raised.value.hint


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_ranking_of_another_shape_is_none(ranking: str) -> None:
    body = json.dumps(RANKINGS[ranking]).replace("Infinity", "1e999").encode()
    with answering(body) as url, pytest.raises(ServiceError, match="is not a ranking") as raised:
        Client(url).search(Query("gripper", 5))
    assert raised.value.hint


LISTINGS = ("/robots.txt", "/sitemap.xml", "/llms.txt", "/versions.json", "/guide/versions.json", "/_/versions.json")


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("kind", ["application/json", "application/xml", "text/plain"])
def test_a_listing_of_a_site_that_is_none_hides_no_page(tmp_path: Path, body: str, kind: str) -> None:
    site = Site({"/guide/": html("The start. " + links("/guide/a")), "/guide/a": html("Page a says this.")})
    site.pages |= {path: Reply(200, BODIES[body], {"Content-Type": kind}) for path in LISTINGS}
    with served(site):
        read = pages(list(source_of(f"{site.url}/guide/", tmp_path / "crawl.sqlite").read({})))
    assert set(read) == {"/guide", "/guide/a"}
