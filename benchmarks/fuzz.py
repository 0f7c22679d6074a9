"""Fuzz every route of a running server: no response may be a 5xx or violate the OpenAPI document.

Run as `python -m benchmarks.fuzz [CASES] [--seed N]`; 20,000 cases by default, over real sockets. Schemathesis
generates *fitting* bodies, which the document allows and the server must accept, and *unfitting* ones, which it must
refuse. *Raw* requests are beyond a schema: truncated JSON, other encodings, NaN, duplicate keys, deep nesting, odd
methods, paths and headers.
"""

import json
import re
import secrets
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation.case import Case
from schemathesis.schemas import APIOperation

from assay.app import shipped_folder

DEFAULT_CASES = 20_000
_MOST_FAILURES = 20
_WITHOUT_BODY_SHARE = 50
"""A route with a body gets this many times the cases of a route without one, which has little to vary."""

_ERRORS = {400, 401, 403, 404, 405, 408, 409, 413, 429, 431}
_BEYOND_THE_SCHEMA = re.compile(
    r"filters\.url_prefix: |(top_k|passages_per_page): it must be a whole number .*; \d+\.0 was sent\.|"
    r"tests\[\d+\]\.test_id: .* is already the id of |"
    r"(facetFilters|highlightPreTag, highlightPostTag|filters|numericFilters|tagFilters): "
)
_SECONDS = 60.0
"""Time limit of a request. The fuzz may share its machine with much else, and is no test of latency."""

_MAY_BE_UNAVAILABLE = re.compile(r"GET /(readyz|.*health)")
"""Routes that report whether the server is well; each check that takes over two seconds counts as a no."""

_NEVER_SENT = ("Traceback", "pydantic", "/site-packages/", "sqlalchemy")


@dataclass(slots=True)
class Tally:
    """Statuses by kind of request and route, and failures."""

    statuses: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, kind: str, route: str, status: int) -> None:
        """Count a response."""
        self.statuses[kind, route, status] += 1

    def fail(self, what: str) -> None:
        """Record a failure, up to a limit."""
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append(what)

    @property
    def cases(self) -> int:
        """Number of responses."""
        return self.statuses.total()

    def table(self) -> str:
        """Counts by kind, route and status, then by status."""
        lines = [f"{kind:9} {route:22} {status}  {count:7,}" for (kind, route, status), count in self._sorted()]
        totals: Counter[int] = Counter()
        for (_, _, status), count in self.statuses.items():
            totals[status] += count
        whole = ", ".join(f"{status}: {count:,}" for status, count in sorted(totals.items()))
        return "\n".join([*lines, f"{self.cases:,} cases; by status {whole}"])

    def _sorted(self) -> list[tuple[tuple[str, str, int], int]]:
        return sorted(self.statuses.items())


def fuzz(base_url: str, cases: int, number: int, key: str | None = None) -> Tally:
    """Send cases to a running server. number: seed of the cases.

    key: with the scope `admin`, for the routes that need one; without it they refuse everything.
    """
    document = requests.get(f"{base_url}/openapi.json", timeout=_SECONDS).json()
    schema = schemathesis.openapi.from_dict(document)
    operations = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]  # raises for a bad schema
    with_body = [operation for operation in operations if operation.body]
    without_body = [operation for operation in operations if not operation.body]
    tally = Tally()
    share = -(-cases // sum(len(_modes(operation.path)) + 1 for operation in with_body))
    credentials = {"Authorization": f"Bearer {key}"} if key else {}
    with requests.Session() as session:
        for operation in with_body:
            for mode in _modes(operation.path):
                session.headers.update(credentials if _needs_key(operation.path) else {})
                _declared(tally, operation, mode, base_url, session, share, number)
                session.headers.pop("Authorization", None)
        for operation in without_body:
            few = max(share // _WITHOUT_BODY_SHARE, 1)
            session.headers.update(credentials if _needs_key(operation.path) else {})
            _declared(tally, operation, GenerationMode.POSITIVE, base_url, session, few, number)
            session.headers.pop("Authorization", None)
    _raw(tally, document, base_url, share * len(with_body), number, credentials)
    return tally


def _modes(path: str) -> Sequence[GenerationMode]:
    """The kinds of body to send. DocSearch routes convert types and ignore unknown fields, so they refuse few."""
    return [GenerationMode.POSITIVE] if path.startswith("/1/indexes/") else list(GenerationMode)


def _needs_key(path: str) -> bool:
    return path.startswith("/v1/admin/")


def _declared(
    tally: Tally,
    operation: APIOperation,
    mode: GenerationMode,
    base_url: str,
    session: requests.Session,
    cases: int,
    number: int,
) -> None:
    """Send schemathesis's cases of an operation, with its checks of every response."""
    kind = "fitting" if mode is GenerationMode.POSITIVE else "unfitting"
    route = f"{operation.method.upper()} {operation.path}"

    @_runs(cases, number)
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: Case) -> None:
        response = case.call(base_url=base_url, session=session, timeout=_SECONDS)
        tally.add(kind, route, response.status_code)
        try:
            case.validate_response(response, excluded_checks=[not_a_server_error])  # checked below
        except FailureGroup as group:
            if not _beyond_the_schema(response.status_code, response.content):
                tally.fail(f"{route}, {kind}: {group}\n" + "\n".join(map(str, group.exceptions)))
        if response.status_code >= 500 and not _MAY_BE_UNAVAILABLE.fullmatch(route):
            tally.fail(f"{route}, {kind}: {response.status_code} for {case.as_curl_command()}")

    ask()


def _beyond_the_schema(status: int, content: bytes) -> bool:
    """Whether a refusal is for a rule beyond JSON Schema: 5.0 is no integer, URLs are absolute, ids are unique."""
    return status == 400 and _BEYOND_THE_SCHEMA.match(json.loads(content)["message"]) is not None


def _runs(cases: int, number: int) -> Any:  # noqa: ANN401 - a decorator of whatever Hypothesis makes
    """Settings of Hypothesis: a number of examples with a fixed seed, without shrinking."""
    limits = settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(number)(limits(test))


# --- raw requests --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request on the wire."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


_FIELDS = ("query", "query_text", "top_k", "threshold", "similarity_threshold", "filters", "include", "mode")
_VALUES = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-0",
    "0.1e1",
    "9" * 400,
    "9" * 5_000,
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\\u202e"',
    '"🤖"',
    '"كيف"',
    '"   "',
    "null",
    "true",
    "[]",
    "{}",
    '"nodes"',
    "5",
    "5.0",
    "[" * 5_000,
    '{"a":' * 5_000,
    '"' + "a" * 70_000 + '"',
)
_PATHS = ("/", "//", "/search/", "/SEARCH", "/query?x=1", "/search;v=1", "/%00", "/%ff", "/..%2f", "/v1/search#a", "/*")


def _members(pairs: Sequence[tuple[str, str]]) -> str:
    return ",".join(f"{json.dumps(name)}:{value}" for name, value in pairs)


def _bodies() -> st.SearchStrategy[bytes]:
    values = st.sampled_from(_VALUES) | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ).map(json.dumps)
    names = st.sampled_from(_FIELDS) | st.text(max_size=8)
    members = st.lists(st.tuples(names, values), max_size=6).map(_members) | st.sampled_from(_FIELDS[:2]).flatmap(
        lambda query: values.map(lambda value: _members([(query, '"nodes"'), ("top_k", value)]))
    )
    objects = members.map(lambda text: "{" + text + "}")
    whole = (objects | values).map(lambda text: text.encode("utf-8", "surrogatepass"))
    encoded = objects.flatmap(
        lambda text: st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "utf-7"]).map(
            lambda name: text.encode(name, "replace")
        )
    )
    cut = st.tuples(whole, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
    return whole | cut | encoded | st.binary(max_size=200)


def _requests(paths: Sequence[str]) -> st.SearchStrategy[RawRequest]:
    printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30)
    content_types = st.sampled_from(
        ["application/json"] * 12
        + ["application/json; charset=utf-8", "application/json;charset=latin-1", "text/plain", "", "a/b+json"]
    )
    headers = st.tuples(
        st.tuples(st.just("Content-Type"), content_types),
        st.tuples(
            st.sampled_from(
                [
                    "Accept",
                    "Accept-Encoding",
                    "X-Request-ID",
                    "Origin",
                    "Content-Encoding",
                    "Range",
                    "Cookie",
                    "Forwarded",
                ]
            ),
            printable.map(str.strip),
        ),
    )
    odd = st.sampled_from(_PATHS) | st.text("abc/%.-_~09", max_size=20).map(lambda text: f"/{text}")
    where = st.integers(0, 7).flatmap(lambda number: odd if number == 0 else st.sampled_from(paths))
    other_methods = st.sampled_from(["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FETCH"])
    methods = st.integers(0, 7).flatmap(lambda number: other_methods if number == 0 else st.just("POST"))
    return st.builds(RawRequest, methods, where, headers, _bodies())


def _raw(
    tally: Tally, document: dict[str, Any], base_url: str, cases: int, number: int, credentials: dict[str, str]
) -> None:
    """Send raw requests: each response must be a success or have an error body."""
    host = base_url.removeprefix("http://")
    paths = sorted(path for path, methods in document["paths"].items() if "post" in methods)
    connection = HTTPConnection(host, timeout=_SECONDS)

    @_runs(cases, number)
    @given(_requests(paths))
    def ask(request: RawRequest) -> None:
        headers = dict(request.headers) | (credentials if _needs_key(request.path) else {})
        try:
            connection.request(request.method, request.path, request.body, headers)
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()  # Hypothesis sends the request again, and would report only that an answer is due
            raise
        known = request.path if request.path in paths else "(another path)"
        tally.add("raw", f"{request.method} {known}", response.status)
        fault = _fault(request, response.status, response.getheader("Content-Type", ""), content)
        if fault:
            tally.fail(f"{fault}: {response.status} {content[:300]!r} for {str(request)[:1_000]}")

    ask()
    connection.close()


def _fault(request: RawRequest, status: int, content_type: str, content: bytes) -> str:
    """The fault of a response; "" if it has none."""
    if any(word.encode() in content for word in _NEVER_SENT):
        return "it says what should stay inside"
    if request.method == "HEAD" or status in {200, 204}:
        return ""
    if status not in _ERRORS:
        return "its status is not one that a client can be given"
    # The server library answers invalid HTTP in plain text.
    return "" if content_type == "text/plain; charset=utf-8" or _is_error(content) else "it has not an error's body"


def _is_error(content: bytes) -> bool:
    try:
        body = json.loads(content)
    except ValueError:
        return False
    if not isinstance(body, dict) or set(body) not in ({"error", "message"}, {"message", "status"}):
        return False
    return all(str(value).strip() for value in body.values())


# --- the server ----------------------------------------------------------------------------------------------------


@contextmanager
def served_handbook() -> Iterator[tuple[str, str]]:
    """The URL of `assay serve` over the published example handbook, and an admin key for it."""
    with tempfile.TemporaryDirectory() as scratch:
        assay = [sys.executable, "-m", "assay"]
        place = ["--data-dir", str(Path(scratch) / "index")]
        handbook = str(shipped_folder("examples") / "handbook")
        subprocess.run([*assay, "publish", handbook, *place], check=True, capture_output=True, cwd=scratch)
        add_key = [*assay, "keys", "add", "fuzz", "--scope", "admin", "--rate-limit", "off", "--json", *place]
        added = subprocess.run(add_key, check=True, capture_output=True, text=True, cwd=scratch)
        with (Path(scratch) / "log").open("w") as log:
            server = subprocess.Popen(
                [*assay, "serve", "--port", "0", *place], stdout=subprocess.PIPE, stderr=log, text=True, cwd=scratch
            )
            try:
                assert server.stdout
                yield server.stdout.readline().rstrip().rpartition(" ")[2], json.loads(added.stdout)["key"]
            finally:
                server.terminate()
                server.communicate(timeout=60)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz and print the counts; return 1 after a failure."""
    parser = ArgumentParser(description="Requests of every kind to every route of a running server.")
    parser.add_argument("cases", type=int, nargs="?", default=DEFAULT_CASES)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="the same number, the same cases")
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    started = perf_counter()
    with served_handbook() as (url, key):
        tally = fuzz(url, options.cases, options.seed, key)
    print(f"{tally.table()}; {perf_counter() - started:.0f} s")
    for failure in tally.failures:
        print(f"\n{failure}")
    print(f"{len(tally.failures)} faults" if tally.failures else "no fault")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
