"""Which fields and rules the seeds' data models have: a list kept here, and what a seed's own text says."""

import re
from collections.abc import Iterator

Entities = dict[str, list[str]]

FIELDS: dict[str, Entities] = {
    "000": {
        "QueryRequest": ["query_text", "top_k", "threshold", "include_metadata"],
        "RetrievedChunk": ["content", "url", "position", "similarity_score", "chunk_id", "created_at"],
        "QueryResponse": ["query", "results", "metadata"],
        "metadata": ["query_time_ms", "total_results", "timestamp"],
    },
    "001": {
        "Query": ["text", "top_k", "query_type"],
        "SearchResult": [
            "similarity_score",
            "content",
            "url",
            "title",
            "chunk_index",
            "timestamp",
            "content_hash",
        ],
        "TestCase": [
            "query",
            "expected_criteria",
            "actual_results",
            "relevance_labels",
            "precision_at_k",
            "rank_of_best",
        ],
        "ValidationReport": [
            "timestamp",
            "total_queries",
            "avg_precision_at_5",
            "mrr",
            "avg_latency_ms",
            "p95_latency_ms",
            "p99_latency_ms",
            "metadata_completeness_rate",
            "hash_validation_pass_rate",
            "test_cases",
            "summary",
            "issues",
        ],
    },
    "002": {
        "QueryEmbedding": ["vector", "query_text", "model"],
        "RetrievalResult": ["text", "source_url", "relevance_score", "chunk_id", "position", "title"],
    },
    "003": {
        "SearchRequest": ["query", "top_k"],
        "SearchResult": ["chunk_id", "snippet", "source_path", "slug", "title", "score"],
        "SearchResponse": ["query", "results"],
        "HealthResponse": ["status", "qdrant", "postgres"],
        "ErrorResponse": ["error", "message"],
        "documents": ["chunk_id", "source_path", "slug", "title", "order_index", "snippet", "created_at"],
        "payload": ["chunk_id", "text", "source_path", "slug", "title", "order_index"],
    },
    "004": {
        "RetrievedChunk": ["content", "similarity_score", "chunk_id", "metadata", "position"],
        "SearchQuery": ["query_text", "top_k", "similarity_threshold", "query_id", "created_at"],
        "MetadataPackage": ["url", "section", "chunk_id", "document_id", "document_title", "source_type"],
        "SimilarityScore": ["score", "algorithm", "query_embedding_id", "result_embedding_id"],
        "QueryResponse": [
            "query_id",
            "results",
            "total_results",
            "query_time_ms",
            "search_params",
            "status",
        ],
        "search_params": ["top_k", "similarity_threshold"],
        "ValidationTest": [
            "test_id",
            "query_text",
            "expected_results",
            "success_criteria",
            "min_accuracy",
            "min_similarity_score",
            "test_category",
            "executed_at",
            "result_accuracy",
        ],
    },
}

RULES = {"000": 19, "001": 16, "002": 5, "003": 2, "004": 23}
"""How many rules each seed lists."""

CRITERIA = ("0.80", "0.70", "100%", "2000")
"""Numbers of seed 001's criteria for PASS."""


_PARTS = {"Definition", "Fields", "Validation Rules"}
"""Headings within an entity."""

_NO_ENTITIES = {"APIContracts"}
"""Headings above lists of something else."""


def fields_of(seed: str, text: str) -> Entities:
    """The fields that a seed's text names, by entity."""
    if seed == "003":
        return _from_code(text)
    entities: Entities = {}
    for entity, name in _bullets(text):
        owner, _, part = name.rpartition(".")
        entities.setdefault(owner or entity, []).append(part)
    if seed == "004":  # the fields of two inner objects stand below the field that holds them
        whole = entities["QueryResponse"]
        entities["search_params"] = [name for name in ("top_k", "similarity_threshold") if name in whole]
        entities["QueryResponse"] = [name for name in whole if name not in entities["search_params"]]
        inner = {"url", "section", "document_id"}  # told again, whole, as the Metadata Package
        entities["RetrievedChunk"] = [name for name in entities["RetrievedChunk"] if name not in inner]
    return entities


def rules_of(text: str) -> int:
    """How many rules a seed's text lists."""
    counted = 0
    inside = False
    for line in text.splitlines():
        if line.startswith(("#", "**")) and line.rstrip(":* ") != line:
            inside = False
        if re.match(r"(#+ |\*\*).*(Validation Rules|Constraints|Data Integrity)", line):
            inside = True
        elif line.startswith("#"):
            inside = False
        counted += inside and line.startswith("- ")
    return counted


def _bullets(text: str) -> Iterator[tuple[str, str]]:
    """Every field as a seed in prose lists it: below an entity's heading, in bold or as code."""
    entity = ""
    for line in text.splitlines():
        heading = re.match(r"#{2,3} (?:\d+\. )?(\w[\w ]*?)(?: Entity)?$", line)
        if heading and heading[1] not in _PARTS:
            entity = heading[1].replace(" ", "")
        bullet = re.match(r"\s*- (?:\*\*([\w.]+)\*\* \(|`(\w+)`(?:: | \())", line)
        if bullet and entity not in _NO_ENTITIES:
            yield entity, bullet[1] or bullet[2]


def _from_code(text: str) -> Entities:
    """The fields of a seed that shows classes, a table and a payload."""
    entities: Entities = {}
    for name, body in re.findall(r"class (\w+)\(BaseModel\):\n(.*?)```", text, re.DOTALL):
        entities[name] = re.findall(r"^    (\w+): ", body, re.MULTILINE)
    table = re.search(r"CREATE TABLE documents \((.*?)\n\);", text, re.DOTALL)
    payload = re.search(r"payload = \{(.*?)\n\}", text, re.DOTALL)
    assert table
    assert payload
    entities["documents"] = re.findall(r"^    (\w+) ", table[1], re.MULTILINE)
    entities["payload"] = re.findall(r'^    "(\w+)": ', payload[1], re.MULTILINE)
    return entities
