"""Another Assay, asked over HTTP: POST /v1/search, and its answer as a ranking.

The key is in the headers of the connection and nowhere else; no message, log line or repr made here holds it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any, Self, Unpack, overload
from urllib.parse import urlsplit

from assay.adapters.embedders.remote.retries import retry_after_seconds
from assay.adapters.embedders.remote.transport import Answer, NoAnswer, Transport, shown_url
from assay.contracts import native
from assay.errors import (
    ConfigurationError,
    InputError,
    ServiceError,
    ServiceRefused,
    ServiceThrottled,
    ServiceUnavailable,
)
from assay.model.documents import Chunk, DocumentInfo
from assay.model.ids import document_id, slug_from_path
from assay.model.ranking import Filters, Hit, Mode, Query, Ranking, Timings
from assay.redaction import peer_words

_ROUTE = "/v1/search"
_LONGEST_ANSWER = 64 * 1024 * 1024
_UNKNOWN = ""
"""What the answer does not say of a chunk: its tokenizer, and the hash of what was embedded."""


class Client:
    """Searches a running Assay. Safe to use from several threads.

    url: where it answers, such as `https://search.example.org` or `http://127.0.0.1:8000/assay`; it may end with the
        route itself. Redirects are not followed, so that the key goes nowhere else.
    api_key: with the scope `search`, where the server asks for one.
    seconds: the most for one answer.
    patience: how long a search may wait in all for a server that throttles; 0 to fail at once, as a measurement has to.
    connections: that are kept between requests.
    needs_similarity: whether every hit has to have its similarity, as a measurement needs; an answer by keywords alone
        is ServiceUnavailable then.

    Raises ConfigurationError for a URL or a key that cannot be used.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        seconds: float = 30.0,
        patience: float = 0.0,
        connections: int = 64,
        needs_similarity: bool = False,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        base = url.strip().rstrip("/").removesuffix(_ROUTE)
        self.address = shown_url(base)
        parts = urlsplit(base)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise ConfigurationError(
                f"{self.address!r} is not the address of a server.",
                hint="It has to look like https://search.example.org.",
            )
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise ConfigurationError(
                f"The key for {self.address} holds a character that no key has: a line break, or one not of ASCII.",
                hint="Copy the key again.",
            )
        self._transport = Transport(base + _ROUTE, headers, connections)
        self._has_key = api_key is not None
        self._seconds = seconds
        self._patience = patience
        self._pause = pause
        self._needs_similarity = needs_similarity

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @overload
    def search(self, query: Query) -> Ranking: ...

    @overload
    def search(self, query: str, top_k: int | None = None, **options: Unpack[native.SearchOptions]) -> Ranking: ...

    def search(self, query: Query | str, top_k: int | None = None, **options: Unpack[native.SearchOptions]) -> Ranking:
        """Search it. What it does not say of a chunk (tokenizer, hash of what is embedded) is left blank.

        query: the text, with top_k (1 to 100) and options as native.SearchOptions has them; or all in one Query.

        Raises InputError for a query that it refuses, and ServiceError.
        """
        request = native.search_request(query, top_k, options) if isinstance(query, str) else _request(query)
        if self._needs_similarity:
            request["include"] = {**request.get("include", {}), "similarity": True}
        body = json.dumps(request).encode()
        deadline = monotonic() + self._patience
        while True:
            try:
                answer = self._transport.post(body, self._seconds, _LONGEST_ANSWER)
            except NoAnswer as failure:
                raise ServiceUnavailable(
                    f"{self.address} did not answer: {failure.detail}.", hint="Is it running, and is that its address?"
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
        """Let go of the connections; a second call does nothing."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"

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
            )
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
            raise ServiceError(
                f"{self.address} answered with something that is no ranking ({type(error).__name__}: "
                f"{peer_words(str(error))}).",
                hint="It has to be an Assay of this version.",
            ) from None

        if self._needs_similarity and any(hit.similarity is None for hit in ranking.hits):
            raise ServiceUnavailable(
                f"{self.address} answered by keywords alone: it cannot embed queries.",
                hint="Its /health says what is wrong.",
            )
        return ranking

    def _error(self, answer: Answer) -> InputError | ServiceError:
        said = self._said(answer)
        match answer.status:
            case 400 | 413:
                return InputError(f"{self.address} refused the query: {said}")
            case 401 | 403:
                return ServiceRefused(
                    f"{self.address} does not let this key search: {said}"
                    if self._has_key
                    else f"{self.address} asks for a key: {said}",
                    hint="`assay keys add` on the server makes one with the scope `search`.",
                )
            case 429:
                return ServiceThrottled(
                    f"{self.address} throttles: {said}",
                    hint="Ask at a lower rate, or with a key, which has limits of its own (`[server] key_rate_limit`).",
                )
            case status if status >= 500 or status == 408:
                return ServiceUnavailable(f"{self.address} cannot answer (status {status}): {said}")
            case status:
                return ServiceRefused(
                    f"{self.address} is not where an Assay answers (status {status}): {said}",
                    hint=f"Give the address without {_ROUTE}, as `assay serve` prints it.",
                )

    def _said(self, answer: Answer) -> str:
        """The message in an answer, or its beginning where it has none."""
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
        "filters": asdict(query.filters),
        "include": {
            "content": True,
            "metadata": True,
            "vectors": query.with_vectors,
            "similarity": query.with_similarity,
        },
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
    )


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
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is no text")
    return value
