"""The requests and answers that the OpenAPI document shows."""

_CHUNK_ID = "6f0c3a52-0b7e-5f0e-9b1c-1d9d9a3c1c55"
_QUESTION = "How do nodes communicate?"
_PASSAGE = "Nodes communicate by topics: one publishes, any number subscribe."

_GENERATION = "20260301T081500Z-4f2a"
_TOO_MANY = "top_k: it has to be a whole number from 1 to {limit}; 500 was sent."

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
            "url": "https://docs.example.org/concepts/nodes",
            "position": 1,
            "created_at": "2026-03-01T08:15:00Z",
            "metadata": {
                "title": "Nodes and topics",
                "section": "Topics",
                "section_url": "https://docs.example.org/concepts/nodes#topics",
                "headings": ["Concepts", "Topics"],
                "version": None,
                "locale": None,
                "source": "handbook",
                "content_hash": "6b1f6c6e5f0d8f0f8f4a1f3d5f4a2b5c0c7c9f1e6d3b2a190807060504030201",
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
                "url": "https://docs.example.org/concepts/nodes",
                "section_url": "https://docs.example.org/concepts/nodes#topics",
                "section": "Topics",
                "chunk_id": _CHUNK_ID,
                "document_id": "9a1c7d52-4b0a-5b7e-8f26-2b8d1f0f4d11",
                "document_title": "Nodes and topics",
                "source_type": "docusaurus-page",
            },
            "similarity": {
                "score": 0.87,
                "algorithm": "cosine-similarity",
                "query_embedding_id": "f4b0c1f2-6d0e-5c39-a1d7-7f2e9b3c5a60",
                "result_embedding_id": _CHUNK_ID,
            },
        }
    ],
    "total_results": 1,
    "search_params": {"top_k": 5, "similarity_threshold": 0.5, "warnings": []},
    "query_time_ms": 1.731,
}

VALIDATION_REFUSAL = "tests: it has to be a list of 1 to 1,000 objects; a list of 0 was sent."
VALIDATION_REQUEST = {
    "tests": [
        {
            "test_id": "nodes-talk",
            "query_text": _QUESTION,
            "expected_results": [_CHUNK_ID, "c2d4a2f5-58c3-5c0a-8d6c-0e5b4a0f8b11"],
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
            "expected_results": [_CHUNK_ID, "c2d4a2f5-58c3-5c0a-8d6c-0e5b4a0f8b11"],
            "success_criteria": {"min_accuracy": 0.5, "min_similarity_score": 0.3},
            "test_category": "factual",
            "executed_at": "2026-03-02T10:00:00.251Z",
            "result_accuracy": 0.5,
            "passed": True,
            "found_results": [{"chunk_id": _CHUNK_ID, "rank": 1, "similarity_score": 0.87}],
            "missing_results": ["c2d4a2f5-58c3-5c0a-8d6c-0e5b4a0f8b11"],
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
            "highlights": [[0, 17]],
            "url": "https://docs.example.org/concepts/nodes",
            "section_url": "https://docs.example.org/concepts/nodes#topics",
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
            "previous_id": "c2d4a2f5-58c3-5c0a-8d6c-0e5b4a0f8b11",
            "next_id": None,
            "content_hash": "6b1f6c6e5f0d8f0f8f4a1f3d5f4a2b5c0c7c9f1e6d3b2a190807060504030201",
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
