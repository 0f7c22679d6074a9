"""A client of a running Assay: sends POST /v1/search and parses the answer as a ranking.

The key is only in the request headers, never in a message, log line or repr.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from time import monotonic, sleep
from types import NoneType
from typing import Any, Self, Unpack, overload
from urllib.parse import urlsplit

from assay.adapters.remote.retries import retry_after_seconds
from assay.adapters.remote.transport import Answer, NoAnswer, Transport, safe_url
from assay.contracts import native, native_entities
from assay.errors import (
    ConfigurationError,
    InputError,
    ServiceError,
    ServiceRefused,
    ServiceThrottled,
    ServiceUnavailable,
)
from assay.model.arguments import require_type
from assay.model.documents import Chunk, DocumentInfo
from assay.model.ids import document_id, slug_from_path
from assay.model.ranking import Correction, Filters, Hit, Mode, Query, Ranking, Timings
from assay.redaction import peer_words

_ROUTE = "/v1/search"
_LONGEST_ANSWER = 64 * 1024 * 1024
_UNKNOWN = ""
"""Value of the fields that the answer lacks: a chunk's tokenizer and the hash of its embedded text."""


class Client:
    """Searches a running Assay. Safe to use from several threads.

    url: such as `https://search.example.org` or `http://127.0.0.1:8000/assay`, with or without the route. Redirects
        are not followed, so that the key reaches no other server.
    api_key: with the scope `search`, if the server requires one.
    seconds: timeout of one request.
    throttle_seconds: for how long a throttled search is retried; 0 to fail at once.
    connections: number of connections kept open between requests.
    complete: require a similarity for every hit and no failed reranker, as measurements do; another answer raises
        ServiceUnavailable.

    Raises ConfigurationError for an invalid URL or key, InputError for one that is not text.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        seconds: float = 30.0,
        throttle_seconds: float = 0.0,
        connections: int = 64,
        complete: bool = False,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        require_type("url", url, str, "text")
        require_type("key", api_key, (str, NoneType), "text or None")
        base = url.strip().rstrip("/").removesuffix(_ROUTE)
        _require_server(base, url.strip())
        self.address = safe_url(base)
        if api_key is not None:
            _require_header_value(api_key, self.address)
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._transport = Transport(base + _ROUTE, headers, connections)
        self._has_key = api_key is not None
        self._seconds = seconds
        self._throttle_seconds = throttle_seconds
        self._pause = pause
        self._complete = complete

    def __enter__(self) -> Self:
        if self._transport.is_closed:
            raise self._closed()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @overload
    def search(self, query: Query) -> Ranking: ...

    @overload
    def search(self, query: str, top_k: int | None = None, **options: Unpack[native.SearchOptions]) -> Ranking: ...

    def search(self, query: Query | str, top_k: int | None = None, **options: Unpack[native.SearchOptions]) -> Ranking:
        """Search. The answer lacks some fields of the hits' chunks.

        Their tokenizer and embedded_hash are empty, and their section is that of the part that matches.

        query: the text, with top_k (1 to 100) and the options of native.SearchOptions; or all in one Query.

        Raises InputError for a query that the server refuses, and ServiceError.
        """
        if isinstance(query, str):
            request = native.search_request(query, top_k, options)
        else:
            native.require_query(query, top_k, options)
            request = _request(query)
        if self._complete:
            request["include"] = {**request.get("include", {}), "similarity": True}
        body = json.dumps(request).encode()
        deadline = monotonic() + self._throttle_seconds
        while True:
            try:
                answer = self._transport.post(body, self._seconds, _LONGEST_ANSWER)
            except RuntimeError:  # of the HTTP client; the caller may close it at any time
                if self._transport.is_closed:
                    raise self._closed() from None
                raise
            except NoAnswer as failure:
                if self._transport.is_closed:
                    raise self._closed() from None
                raise ServiceUnavailable(
                    f"{self.address} did not answer: {failure.detail}.", hint="Check that it runs at this URL."
                ) from None
            if answer.status == 429:
                wait = retry_after_seconds(answer.headers.get("retry-after"), datetime.now(UTC)) or 1.0
                if monotonic() + wait < deadline:
                    self._pause(wait)
                    continue
            if answer.status == 200:
                return self._ranking(request, answer.body, query if isinstance(query, Query) else None)
            raise self._error(answer)

    def close(self) -> None:
        """Close the connections. A second call does nothing; a later search raises ServiceUnavailable."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"

    def _closed(self) -> ServiceUnavailable:
        return ServiceUnavailable(f"This client of {self.address} is closed.", hint="`assay.connect()` makes another.")

    def _ranking(self, request: Mapping[str, Any], body: bytes, query: Query | None) -> Ranking:
        try:
            answer = json.loads(body)
            ranking = Ranking(
                query=query or _query(request, answer),
                hits=tuple(_hit(result) for result in answer["results"]),
                generation=_text(answer["generation"]),
                timings=_timings(answer["timings_ms"]),
                warnings=tuple(_text(warning) for warning in answer["warnings"]),
                degraded=answer.get("degraded") is True,
                no_good_answer=answer.get("no_good_answer") is True,
                reranked=answer.get("reranked") is True,
                rerank_failed=answer.get("rerank_failed") is True,
                corrections=tuple(_correction(one) for one in answer.get("corrections", ())),
            )
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
            raise ServiceError(
                f"The answer of {self.address} is not a ranking ({type(error).__name__}: {peer_words(str(error))}).",
                hint="The server must be an Assay of this version.",
            ) from None
        if self._complete and any(hit.similarity is None for hit in ranking.hits):
            raise ServiceUnavailable(
                f"{self.address} answered by keyword search only: it cannot embed queries.",
                hint="Its /health has the reason.",
            )
        if self._complete and ranking.rerank_failed:
            raise ServiceUnavailable(
                f"{self.address} could not rerank the hits.", hint="The server's log has the reason."
            )
        return ranking

    def _error(self, answer: Answer) -> InputError | ServiceError:
        message = _message(answer)
        match answer.status:
            case 400 | 413:
                return InputError(f"{self.address} refused the query: {message}")
            case 401 | 403:
                return ServiceRefused(
                    f"{self.address} does not allow this key to search: {message}"
                    if self._has_key
                    else f"{self.address} requires a key: {message}",
                    hint="`assay keys add` on the server creates one with the scope `search`.",
                )
            case 429:
                return ServiceThrottled(
                    f"{self.address} throttles: {message}",
                    hint="Search at a lower rate, or with a key, which has its own limit (`[server] key_rate_limit`).",
                )
            case status if status >= 500 or status == 408:
                return ServiceUnavailable(f"{self.address} cannot answer (status {status}): {message}")
            case status:
                return ServiceRefused(
                    f"There is no Assay at {self.address} (status {status}): {message}",
                    hint=f"Pass the URL that `assay serve` prints, without {_ROUTE}.",
                )


def _require_server(base: str, given: str) -> None:
    """Raise ConfigurationError unless base is the URL of a server, without a query. given: the URL for the message."""
    shown = given.partition("?")[0].rpartition("@")[2]
    try:
        parts = urlsplit(base)
        is_server = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        is_server = is_server and not parts.query and not parts.fragment
    except ValueError:  # of a host in brackets, or of a port
        is_server = False
    if not is_server:
        raise ConfigurationError(
            f"{shown!r} is not the URL of a server.", hint="Pass a URL such as https://search.example.org."
        )


def _require_header_value(key: str, address: str) -> None:
    """Raise ConfigurationError, without the key, for one that no header can carry."""
    if not key.strip():
        raise ConfigurationError(
            f"The key for {address} is empty.", hint="Pass a key, or None for a server that requires none."
        )
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise ConfigurationError(
            f"The key for {address} contains a line break, a space at its beginning or end, or a character that is not "
            "ASCII.",
            hint="Copy the key again.",
        )


def _message(answer: Answer) -> str:
    """Return the message of an error body, or the beginning of any other body."""
    try:
        body = json.loads(answer.body)
        message = body["message"] if isinstance(body, dict) and isinstance(body.get("message"), str) else None
    except (ValueError, RecursionError):
        message = None
    return peer_words(answer.body.decode("utf-8", "replace") if message is None else message)


def _request(query: Query) -> dict[str, Any]:
    return {
        "query": query.text,
        "top_k": query.top_k,
        "mode": query.mode.value,
        "threshold": query.threshold,
        "filters": {name: value for name, value in asdict(query.filters).items() if value},
        "include": {
            "content": True,
            "metadata": True,
            "vectors": query.with_vectors,
            "similarity": query.with_similarity,
        },
        # Only if set: a server of an earlier release refuses fields that it does not know.
        **({} if query.correct is None else {"correct": query.correct}),
        **({"typing": True} if query.typing else {}),
        **({} if query.rerank else {"rerank": False}),
        **({"group_by": "page", "passages_per_page": query.passages_per_page} if query.passages_per_page else {}),
    }


def _query(request: Mapping[str, Any], answer: Mapping[str, Any]) -> Query:
    """The query as the server understood it: with its own defaults for what the request leaves out."""
    include = request.get("include", {})
    filters: dict[str, Any] = {
        name: tuple(said) if isinstance(said, list) else said for name, said in request["filters"].items()
    }
    return Query(
        text=_text(request["query"]),
        top_k=int(answer["top_k"]),
        mode=Mode(answer["mode"]),
        threshold=float(answer["threshold"]),
        filters=Filters(**filters),
        with_vectors=bool(include.get("vectors", False)),
        with_similarity=bool(include.get("similarity", False)),
        correct=request.get("correct"),
        typing=bool(request.get("typing", False)),
        rerank=bool(request.get("rerank", True)),
        passages_per_page=request.get("passages_per_page", native_entities.PASSAGES_PER_PAGE)
        if request.get("group_by")
        else None,
    )


def _correction(one: Mapping[str, Any]) -> Correction:
    return Correction(_text(one["typed"]), _text(one["used"]), int(one["start"]))


def _hit(result: Mapping[str, Any]) -> Hit:
    vector = result.get("vector")
    return Hit(
        rank=int(result["rank"]),
        chunk=_chunk(result),
        similarity=None if result["similarity"] is None else float(result["similarity"]),
        rank_score=float(result["rank_score"]),
        vector=None if vector is None else tuple(map(float, vector)),
    )


def _chunk(result: Mapping[str, Any]) -> Chunk:
    url, path = _text(result["url"]), _text(result["source_path"])
    created_at = result["created_at"]
    return Chunk(
        id=_text(result["chunk_id"]),
        document=DocumentInfo(
            id=document_id(url),
            url=url,
            title=result["title"] or "",
            source=_text(result["source"]),
            source_path=path,
            slug=slug_from_path(path),
            source_type="assay",
            version=result["version"],
            locale=result["locale"],
        ),
        text=_text(result["content"]),
        start=int(result["start"]),
        end=int(result["end"]),
        position=int(result["position"]),
        section=_text(result["section"]),
        heading_path=tuple(map(_text, result["heading_path"])),
        anchor=result["anchor"],
        token_count=int(result["token_count"]),
        tokenizer=_UNKNOWN,
        content_hash=_text(result["content_hash"]),
        embedded_hash=_UNKNOWN,
        previous_id=result["previous_id"],
        next_id=result["next_id"],
        created_at=None if created_at is None else datetime.fromisoformat(created_at),
    )


def _timings(stages: Mapping[str, Any]) -> Timings:
    return Timings(
        embed_ms=float(stages["embed"]),
        search_ms=float(stages["search"]),
        fuse_ms=float(stages["fuse"]),
        filter_ms=float(stages["filter"]),
        total_ms=float(stages["total"]),
        rerank_ms=float(stages.get("rerank", 0.0)),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is no text")
    return value
