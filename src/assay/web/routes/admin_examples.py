"""The OpenAPI examples of the administration routes."""

_NEW = {
    "id": "20260302-081500-731088",
    "state": "live",
    "documents": 214,
    "chunks": 1530,
    "failed_pages": 0,
    "embedder": "static/wordllama-l2-supercat-256",
    "verdict": "PASS",
    "reason": None,
    "created_at": "2026-03-02T08:15:00.731088Z",
    "promoted_at": "2026-03-02T08:16:12Z",
}
_OLD = {
    "id": "20260301-081500-204917",
    "state": "retired",
    "documents": 213,
    "chunks": 1524,
    "failed_pages": 0,
    "embedder": "static/wordllama-l2-supercat-256",
    "verdict": "PASS",
    "reason": None,
    "created_at": "2026-03-01T08:15:00.204917Z",
    "promoted_at": "2026-03-01T08:16:10Z",
}

GENERATIONS = {"live": _NEW["id"], "generations": [_NEW, _OLD]}
PROMOTE = {"generation": _NEW["id"]}
PROMOTED = {"changed": True, "generation": _NEW}
ROLLBACK = {"leave": _NEW["id"]}
ROLLED_BACK = {"changed": True, "generation": {**_OLD, "state": "live", "promoted_at": "2026-03-02T09:00:00Z"}}
