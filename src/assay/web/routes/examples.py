"""The requests and answers that the OpenAPI document shows."""

_CHUNK_ID = "6f0c3a52-0b7e-5f0e-9b1c-1d9d9a3c1c55"
_QUESTION = "How do nodes communicate?"
_PASSAGE = "Nodes communicate by topics: one publishes, any number subscribe."

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
    "generation": "20260301T081500Z-4f2a",
    "mode": "hybrid",
    "timings_ms": {"embed": 0.16, "search": 0.94, "fuse": 0.11, "filter": 0.2, "total": 1.43},
    "warnings": [],
}
