"""Hints for failures of a Qdrant server: connections, rights of a key, limits of strict mode."""

import re

from assay.adapters.stores.points import REBUILD

RIGHTS = (
    "Set QDRANT_API_KEY (or [qdrant] api_key) to a key that may read all collections; builds, promotions and rollbacks "
    "need one that may manage them too."
)

OVER_CAPACITY = "larger than rate limiter capacity"
"""Part of the message for a request that stays refused after any wait."""

SMALLER_REQUESTS = (
    "Set [qdrant] upload_batch to at most write_rate_limit of its strict mode, and read_rate_limit to 512 or more."
)

OVER_QUOTA = "Insufficient storage"
"""Beginning of the message for a write that the server's quota of disk or memory refuses (PUT /quotas)."""

OTHER_VECTORS = re.compile(r"vector (dimension|name)|not existing vector", re.IGNORECASE)
"""A search for vectors that the collection does not have."""

_MISSING_NODE = re.compile(r"operations failed|failed to apply operation|no active replica", re.IGNORECASE)

_PROTOCOLS = (
    "Check that it runs, and that the port speaks the protocol of the settings: https:// in [qdrant] url if it uses "
    "TLS; REST at the port of url (6333), gRPC at [qdrant] grpc_port (6334)."
)
_CONNECTION: tuple[tuple[str, str], ...] = (
    (
        r"hostname mismatch|ip address mismatch|hostname verification",
        "In [qdrant] url, use a host name from the server's certificate.",
    ),
    (
        r"certificate.verify.failed",
        "Set [qdrant] ca_file to a PEM file with the certificate of the CA that signed the server's certificate.",
    ),
    (
        r"wrong.version.number",
        "The port does not use TLS: begin [qdrant] url with http://, or enable TLS on the server.",
    ),
    (r"illegal (request|status) line|parsing http/2|application protocol", _PROTOCOLS),
    (r"disconnected without|socket closed|reset by", _PROTOCOLS),
    # gRPC names the error of one address only: of IPv6 and IPv4, it may be the one where nothing listens.
    (r"failed to connect to all addresses", _PROTOCOLS),
)


def missing_right(message: str) -> str:
    """Name a key's missing right, by the message of a 403."""
    if "ExpiredSignature" in message:
        return "the API key has expired"
    if re.search(r"\b(manage|write)\b", message, re.IGNORECASE):
        return "the API key may not write"
    return "the API key may not read it"


def quota_advice(message: str) -> str:
    """Hint for a write that exceeds a quota of disk or memory."""
    if "memory" in message.lower():
        return "Give the server more memory, or raise max_resident_memory_percent (PUT /quotas)."
    return "Free some space there, give it a larger disk, or raise max_disk_usage_percent (PUT /quotas)."


def server_error_advice(message: str) -> str:
    """Hint for a 500 and the like."""
    if _MISSING_NODE.search(message):
        return (
            "A node of the cluster does not answer: start it again, or move its replicas. With [qdrant] "
            "replication_factor of 2 or more, searches go on without one; writes too, if write_consistency is less."
        )
    return "See its log."


def connection_advice(message: str) -> str:
    """Hint for a connection that could not be made or broke."""
    for pattern, advice in _CONNECTION:
        if re.search(pattern, message, re.IGNORECASE):
            return advice
    return "Check that it runs, and that [qdrant] url and its port are right."


_LIMITS: tuple[tuple[str, str], ...] = (
    (r"Index required but not found", f"The collection lost its index of `facets`. {REBUILD}"),
    (
        r'for "limit"',
        (
            "Lower [search] depth to 24 less than max_query_limit, or raise that limit; searches that meet many equal "
            "passages go up to 10,024."
        ),
    ),
    (r'for "hnsw_ef"', "Lower [qdrant] search_width, or raise search_max_hnsw_ef."),
    (r'for "oversampling"', "Lower [qdrant] oversampling, or raise search_max_oversampling."),
    (r"Exact search disabled", "Set search_allow_exact to true."),
    (r"upsert", "Lower [qdrant] upload_batch, or raise upsert_max_batchsize."),
    (r"batch", "Raise search_max_batchsize to 2 or more: a search queries both vectors in one request."),
    (r'for "timeout"', "Lower [qdrant] timeout_seconds and upload_timeout_seconds, or raise max_timeout."),
    (r"condition size", "Raise condition_max_size to 512; or name fewer versions, locales or sections in the filter."),
    (r"filter|condition", "Raise filter_max_conditions to 8 or more."),
    (r"vector storage", "Raise max_collection_vector_size_bytes."),
    (r"payload storage", "Raise max_collection_payload_size_bytes."),
    (r"payload ind(ex|ices)", "Raise max_payload_index_count to 1 or more."),
    (r"points", "Raise max_points_count: the generation has more chunks."),
    (r"resident memory", "Give the server more memory, or raise its quota."),
)
_STRICT = re.compile(r"\bHelp: |Limit exceeded|strict mode|(size|count) limit of \S+ reached", re.IGNORECASE)


def strict_advice(message: str) -> str:
    """Hint for a limit of strict mode; empty if none was exceeded."""
    if not _STRICT.search(message):
        return ""
    for pattern, advice in _LIMITS:
        if re.search(pattern, message, re.IGNORECASE):
            return advice
    return "Raise that limit in the collection's strict_mode_config."
