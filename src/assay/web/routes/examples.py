"""The OpenAPI examples of the routes: one search and one release, in each route's shape.

Ids and hashes are as a build makes them.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from assay.app.pages import SourceSummary
from assay.contracts import (
    facets,
    native,
    native_entities,
    retrieval_service,
    retrieval_testing,
    search_api,
    service_validation,
    suggestions,
)
from assay.contracts.docsearch import requests as docsearch
from assay.contracts.docsearch.answers import to_result
from assay.contracts.operators import admin
from assay.model.documents import Chunk, DocumentInfo
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State
from assay.model.ids import chunk_id, content_hash, document_id
from assay.model.ranking import Correction, Hit, Mode, Query, Ranking, Timings
from assay.model.vocabulary import Name

QUESTION = "How do nodes communicate?"
_PASSAGE = "Nodes communicate by topics: one publishes, any number subscribe."
_URL = "https://docs.example.org/concepts/nodes"
_CHUNK_BEFORE = chunk_id(_URL, content_hash("A node is a program that does one thing."), 0)
_EMBEDDER = EmbedderIdentity("static", "wordllama-l2-supercat-256", 256)
_STORED = datetime(2026, 3, 1, 8, 15, tzinfo=UTC)
_ASKED = datetime(2026, 3, 2, 10, 0, 0, 250_000, tzinfo=UTC)
CHUNK = Chunk(
    id=chunk_id(_URL, content_hash(_PASSAGE), 0),
    document=DocumentInfo(
        id=document_id(_URL),
        url=_URL,
        title="Nodes and topics",
        source="handbook",
        source_path="docs/concepts/nodes.md",
        slug="concepts-nodes",
        source_type="docusaurus-page",
        version=None,
        locale=None,
    ),
    text=_PASSAGE,
    start=412,
    end=477,
    position=1,
    section="Topics",
    heading_path=("Topics",),
    anchor="topics",
    token_count=14,
    tokenizer="",
    content_hash=content_hash(_PASSAGE),
    embedded_hash="",
    previous_id=_CHUNK_BEFORE,
    created_at=_STORED,
)
_GENERATION = Generation(
    id="20260301-081500-204917",
    state=State.RETIRED,
    created_at=_STORED + timedelta(microseconds=204_917),
    embedder=_EMBEDDER,
    chunker=ChunkerIdentity("", "", 0, None, 0, ""),
    sparse=SparseIdentity("english", 0.0, 0.0, 0.0),
    documents=213,
    chunks=1_524,
    promoted_at=_STORED + timedelta(seconds=70),
    verdict={"outcome": "PASS"},
)
RANKING = Ranking(
    query=Query(QUESTION, 3, Mode.HYBRID, 0.2),
    hits=(Hit(1, CHUNK, 0.87, 1.0),),
    generation=_GENERATION.id,
    timings=Timings(embed_ms=0.16, search_ms=0.94, fuse_ms=0.11, filter_ms=0.2, total_ms=1.43),
)
_TOO_MANY = "top_k: it must be a whole number from 1 to {limit}; 500 was sent."

LIVE = {"status": "alive"}
READY = {"status": "ready"}

SEARCH_REFUSAL = _TOO_MANY.format(limit=20)
SEARCH_REQUEST = {"query": QUESTION, "top_k": 5}
SEARCH_ANSWER = search_api.to_body(RANKING, {})

HEALTH = {"status": "ok", "qdrant": True, "postgres": True}
HEALTH_DEGRADED = {"status": "degraded", "qdrant": True, "postgres": False}

QUERY_REFUSAL = _TOO_MANY.format(limit=20)
QUERY_REQUEST = {"query_text": QUESTION, "top_k": 5, "threshold": 0.2, "include_metadata": True}
_LIFECYCLE = retrieval_testing.Lifecycle(_ASKED, 0.512, 1.468, 1.662, 1.731, 1.742)
QUERY_ANSWER = retrieval_testing.to_body(RANKING, include_metadata=True) | retrieval_testing.to_metadata(
    RANKING, _LIFECYCLE
)

SERVICE_REFUSAL = _TOO_MANY.format(limit=100)
SERVICE_REQUEST = {"query_text": QUESTION, "top_k": 5, "similarity_threshold": 0.5}
_SERVICE_QUERY = retrieval_service.ServiceRequest(
    Query(QUESTION, 5, threshold=0.5), "0d4f7a7e-3c1e-4a53-9b60-5f3f6d1c2b7a", _ASKED
)
SERVICE_ANSWER = retrieval_service.to_body(
    RANKING, _SERVICE_QUERY, {}, _EMBEDDER.fingerprint
) | retrieval_service.to_time(1.731)

VALIDATION_REFUSAL = "tests: it must be a list of 1 to 1,000 objects; a list of 0 was sent."
VALIDATION_REQUEST: dict[str, object] = {
    "tests": [
        {
            "test_id": "nodes-talk",
            "query_text": QUESTION,
            "expected_results": [CHUNK.id, _CHUNK_BEFORE],
            "success_criteria": {"min_accuracy": 0.5, "min_similarity_score": 0.3},
            "test_category": "factual",
        }
    ],
    "top_k": 5,
}
_KNOWN = {CHUNK.id: CHUNK, _CHUNK_BEFORE: replace(CHUNK, id=_CHUNK_BEFORE, content_hash="")}
_TESTS = service_validation.parse(VALIDATION_REQUEST).tests
_OUTCOMES = [service_validation.judge(test, RANKING.hits, _KNOWN, _ASKED) for test in _TESTS]
VALIDATION_ANSWER = service_validation.to_body(_OUTCOMES, _GENERATION.id, 2.871)

SERVICE_HEALTH = {"status": "healthy", "vector_store": True, "catalog": True, "generation": _GENERATION.id}
SERVICE_HEALTH_DEGRADED = {**SERVICE_HEALTH, "status": "degraded", "catalog": False}

NATIVE_REFUSAL = _TOO_MANY.format(limit=100)
NATIVE_REQUEST = {
    "query": QUESTION,
    "top_k": 3,
    "mode": "hybrid",
    "threshold": 0.2,
    "filters": {"url_prefix": "https://docs.example.org/concepts"},
    "include": {"vectors": False},
}
SUGGESTIONS = suggestions.to_body("nodes to", [Name("Nodes and topics", _URL, is_title=True)], "20260301-081500-204917")
FACETS = facets.to_body(
    [SourceSummary("handbook", 400, {"2.0": 213, "1.0": 187}, {"en": 400}, ("2.0",), ("en",))],
    "20260301-081500-204917",
)
NATIVE_ANSWER = native.to_results(RANKING, native_entities.SearchInclude()) | native.to_timings(RANKING.timings, 0.07)

QUERY_ID = "5f1d2c3b4a59687706152433f2e1d0c9"
CLICK: dict[str, object] = {"query_id": QUERY_ID, "chunk_id": CHUNK.id}
CLICKED: dict[str, object] = {"accepted": True}
EVENTS: dict[str, object] = {
    "events": [{"eventType": "click", "queryID": QUERY_ID, "objectIDs": [CHUNK.id], "positions": [1]}]
}
EVENTS_ANSWER: dict[str, object] = {"message": "OK", "status": 200}
EVENTS_REFUSAL = "events: it is required and must be a list of at most 20 objects."
DOCSEARCH_REFUSAL = "requests[0].hitsPerPage: it must be a whole number from 0 to 1000; 5000 was sent."
DOCSEARCH_QUERY: dict[str, object] = {
    "query": "nodes communi",
    "hitsPerPage": 20,
    "facetFilters": ["language:en", ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"]],
    "attributesToRetrieve": ["hierarchy", "content", "type", "url"],
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
}
DOCSEARCH_REQUEST: dict[str, object] = {"requests": [{"indexName": "handbook", **DOCSEARCH_QUERY}]}
DOCSEARCH_RESULT = to_result(
    docsearch.parse_query(DOCSEARCH_QUERY, "handbook"),
    replace(RANKING, corrections=(Correction("communi", "communicate", 6),), query=Query("nodes communi", 100)),
    4.2,
)
DOCSEARCH_ANSWER = {"results": [DOCSEARCH_RESULT]}

_NEWER = replace(
    _GENERATION,
    id="20260302-081500-731088",
    state=State.LIVE,
    created_at=datetime(2026, 3, 2, 8, 15, 0, 731_088, tzinfo=UTC),
    documents=214,
    chunks=1_530,
    promoted_at=datetime(2026, 3, 2, 8, 16, 12, tzinfo=UTC),
)
_RESTORED = replace(_GENERATION, state=State.LIVE, promoted_at=datetime(2026, 3, 2, 9, tzinfo=UTC))
GENERATIONS = admin.to_list([_NEWER, _GENERATION])
PROMOTE = {"generation": _NEWER.id}
PROMOTED = admin.to_release(_NEWER, changed=True)
ROLLBACK = {"leave": _NEWER.id}
ROLLED_BACK = admin.to_release(_RESTORED, changed=True)
