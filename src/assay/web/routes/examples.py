"""The OpenAPI examples of the search routes, with ids and hashes as a build makes them."""

from assay.model.generations import EmbedderIdentity
from assay.model.ids import chunk_id, content_hash, document_id, query_embedding_id

_QUESTION = "How do nodes communicate?"
_PASSAGE = "Nodes communicate by topics: one publishes, any number subscribe."
_URL = "https://docs.example.org/concepts/nodes"
_HASH = content_hash(_PASSAGE)
_CHUNK_ID = chunk_id(_URL, _HASH, 0)
_CHUNK_BEFORE = chunk_id(_URL, content_hash("A node is a program that does one thing."), 0)
_EMBEDDER = EmbedderIdentity("static", "wordllama-l2-supercat-256", 256)

_GENERATION = "20260301-081500-204917"
_TOO_MANY = "top_k: it must be a whole number from 1 to {limit}; 500 was sent."

LIVE = {"status": "alive"}
READY = {"status": "ready"}

SEARCH_REFUSAL = _TOO_MANY.format(limit=20)
SEARCH_REQUEST = {"query": _QUESTION, "top_k": 5}
SEARCH_ANSWER = {
    "query": _QUESTION,
    "results": [
        {
            "chunk_id": _CHUNK_ID,
            "snippet": _PASSAGE,
            "source_path": "docs/concepts/nodes.md",
            "slug": "concepts-nodes",
            "title": "Nodes and topics",
            "score": 0.87,
        }
    ],
}

HEALTH = {"status": "ok", "qdrant": True, "postgres": True}
HEALTH_DEGRADED = {"status": "degraded", "qdrant": True, "postgres": False}

QUERY_REFUSAL = _TOO_MANY.format(limit=20)
QUERY_REQUEST = {"query_text": _QUESTION, "top_k": 5, "threshold": 0.2, "include_metadata": True}
QUERY_ANSWER = {
    "query": _QUESTION,
    "results": [
        {
            "content": _PASSAGE,
            "similarity_score": 0.87,
            "chunk_id": _CHUNK_ID,
            "url": _URL,
            "position": 1,
            "created_at": "2026-03-01T08:15:00Z",
            "metadata": {
                "title": "Nodes and topics",
                "section": "Topics",
                "section_url": f"{_URL}#topics",
                "headings": ["Topics"],
                "version": None,
                "locale": None,
                "source": "handbook",
                "content_hash": _HASH,
            },
        }
    ],
    "metadata": {
        "query_time_ms": 2,
        "total_results": 1,
        "timestamp": "2026-03-02T10:00:00.25Z",
        "lifecycle": [
            {"state": "received", "at": "2026-03-02T10:00:00.25Z", "elapsed_ms": 0.0},
            {"state": "embedded", "at": "2026-03-02T10:00:00.250512Z", "elapsed_ms": 0.512},
            {"state": "searched", "at": "2026-03-02T10:00:00.251468Z", "elapsed_ms": 1.468},
            {"state": "filtered", "at": "2026-03-02T10:00:00.251662Z", "elapsed_ms": 1.662},
            {"state": "formatted", "at": "2026-03-02T10:00:00.251731Z", "elapsed_ms": 1.731},
            {"state": "returned", "at": "2026-03-02T10:00:00.251742Z", "elapsed_ms": 1.742},
        ],
    },
}

SERVICE_REFUSAL = _TOO_MANY.format(limit=100)
SERVICE_REQUEST = {"query_text": _QUESTION, "top_k": 5, "similarity_threshold": 0.5}
SERVICE_ANSWER = {
    "query_id": "0d4f7a7e-3c1e-4a53-9b60-5f3f6d1c2b7a",
    "created_at": "2026-03-02T10:00:00.25Z",
    "status": "success",
    "results": [
        {
            "content": _PASSAGE,
            "similarity_score": 0.87,
            "chunk_id": _CHUNK_ID,
            "position": 1,
            "metadata": {
                "url": _URL,
                "section_url": f"{_URL}#topics",
                "section": "Topics",
                "chunk_id": _CHUNK_ID,
                "document_id": document_id(_URL),
                "document_title": "Nodes and topics",
                "source_type": "docusaurus-page",
            },
            "similarity": {
                "score": 0.87,
                "algorithm": "cosine-similarity",
                "query_embedding_id": query_embedding_id(_EMBEDDER.fingerprint, _QUESTION),
                "result_embedding_id": _CHUNK_ID,
            },
        }
    ],
    "total_results": 1,
    "search_params": {"top_k": 5, "similarity_threshold": 0.5, "warnings": []},
    "query_time_ms": 1.731,
}

VALIDATION_REFUSAL = "tests: it must be a list of 1 to 1,000 objects; a list of 0 was sent."
VALIDATION_REQUEST = {
    "tests": [
        {
            "test_id": "nodes-talk",
            "query_text": _QUESTION,
            "expected_results": [_CHUNK_ID, _CHUNK_BEFORE],
            "success_criteria": {"min_accuracy": 0.5, "min_similarity_score": 0.3},
            "test_category": "factual",
        }
    ],
    "top_k": 5,
}
VALIDATION_ANSWER = {
    "status": "passed",
    "tests": [
        {
            "test_id": "nodes-talk",
            "query_text": _QUESTION,
            "expected_results": [_CHUNK_ID, _CHUNK_BEFORE],
            "success_criteria": {"min_accuracy": 0.5, "min_similarity_score": 0.3},
            "test_category": "factual",
            "executed_at": "2026-03-02T10:00:00.251Z",
            "result_accuracy": 0.5,
            "passed": True,
            "found_results": [{"chunk_id": _CHUNK_ID, "rank": 1, "similarity_score": 0.87}],
            "missing_results": [_CHUNK_BEFORE],
            "unknown_results": [],
            "problem": None,
        }
    ],
    "total_tests": 1,
    "passed_tests": 1,
    "failed_tests": 0,
    "error_tests": 0,
    "generation": _GENERATION,
    "validation_time_ms": 2.871,
}

SERVICE_HEALTH = {"status": "healthy", "vector_store": True, "catalog": True, "generation": _GENERATION}
SERVICE_HEALTH_DEGRADED = {"status": "degraded", "vector_store": True, "catalog": False, "generation": _GENERATION}

NATIVE_REFUSAL = _TOO_MANY.format(limit=100)
NATIVE_REQUEST = {
    "query": _QUESTION,
    "top_k": 3,
    "mode": "hybrid",
    "threshold": 0.2,
    "filters": {"url_prefix": "https://docs.example.org/concepts"},
    "include": {"vectors": False},
}
NATIVE_ANSWER = {
    "query": _QUESTION,
    "results": [
        {
            "rank": 1,
            "chunk_id": _CHUNK_ID,
            "similarity": 0.87,
            "rank_score": 1.0,
            "content": _PASSAGE,
            "highlights": [[0, 5], [6, 17]],
            "url": _URL,
            "section_url": f"{_URL}#topics",
            "title": "Nodes and topics",
            "section": "Topics",
            "heading_path": ["Topics"],
            "anchor": "topics",
            "position": 1,
            "source": "handbook",
            "source_path": "docs/concepts/nodes.md",
            "version": None,
            "locale": None,
            "start": 412,
            "end": 477,
            "previous_id": _CHUNK_BEFORE,
            "next_id": None,
            "content_hash": _HASH,
            "token_count": 14,
            "created_at": "2026-03-01T08:15:00Z",
        }
    ],
    "generation": _GENERATION,
    "mode": "hybrid",
    "top_k": 3,
    "threshold": 0.2,
    "degraded": False,
    "warnings": [],
    "timings_ms": {"embed": 0.16, "search": 0.94, "fuse": 0.11, "filter": 0.2, "format": 0.07, "total": 1.5},
}
