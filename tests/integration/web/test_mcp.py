"""MCP over the web server and over standard input and output, by the official client and by raw requests."""

import json
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema_rs
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.testclient import TestClient
from tests.forking import ForkedProgram
from tests.integration.web.conftest import BASE_URL, CHUNKS, Connect, RunningServer, running_server, settings_for
from tests.integration.web.wire import ask, bearer, make_key
from tests.peers.balancer import balancer

from assay.adapters.embedders.static import count_tokens
from assay.app import Assay
from assay.app.pages import Pages, SourceSummary
from assay.cli.server_process import further_endpoints
from assay.mcp.server import build_server, page_uri
from assay.mcp.serving import serve_stdio
from assay.mcp.tools import TOOLS
from assay.web.application import create_app

NODES = f"{BASE_URL}/nodes"
MODES = ("auto", "legacy")
"""The current protocol, and the one before it with its handshake."""

Steps = Callable[[Client], Awaitable[Any]]
Target = Server[Any] | StdioServerParameters | str


def run(server: Target, steps: Steps, mode: str = "auto", key: str | None = None) -> Any:  # noqa: ANN401 - what the steps return
    """Run steps with the official client. server: a Server, a command, or the URL of an endpoint."""

    async def connected() -> object:
        async with AsyncExitStack() as opened:
            target: Any = server
            if key is not None:
                http = await opened.enter_async_context(httpx2.AsyncClient(headers=bearer(key)))
                target = streamable_http_client(server, http_client=http)
            return await steps(await opened.enter_async_context(Client(target, mode=mode)))

    return anyio.run(connected)


@dataclass(frozen=True, slots=True)
class Called:
    """What a tool answered."""

    text: str
    is_error: bool
    structured: dict[str, Any]


def call(server: Target, name: str, *, mode: str = "auto", **arguments: object) -> Called:
    async def steps(client: Client) -> Called:
        result = await client.call_tool(name, arguments)
        return Called(result.content[0].text, result.is_error, result.structured_content or {})

    return run(server, steps, mode)


@pytest.fixture
def server(assay: Assay) -> Server[Any]:
    return build_server(assay)


@pytest.fixture(scope="module")
def endpoint(default_server: RunningServer) -> str:
    return f"http://127.0.0.1:{default_server.port}/mcp"


# --- the transports ------------------------------------------------------------------------------------------------


async def walk(client: Client) -> dict[str, object]:
    """Everything a client can do, as values that can be compared."""
    tools = (await client.list_tools()).tools
    found = await client.call_tool("search_docs", {"query": "How do nodes communicate?"})
    read = await client.call_tool("read_page", {"chunk_id": found.structured_content["results"][0]["chunk_id"]})
    sources = await client.call_tool("list_sources", {})
    resource = await client.read_resource(page_uri(NODES))
    templates = (await client.list_resource_templates()).resource_templates
    sources.structured_content.pop("age_days")
    return {
        "tools": [tool.name for tool in tools],
        "found": found.structured_content,
        "read": read.structured_content,
        "sources": sources.structured_content,
        "resource": resource.contents[0].text,
        "templates": [template.uri_template for template in templates],
    }


@pytest.mark.parametrize("mode", MODES)
def test_every_transport_gives_the_same_answers(mode: str, server: Server[Any], endpoint: str, published: Path) -> None:
    environment = {"ASSAY_DATA_DIR": str(published / "index"), "PATH": "/usr/bin:/bin"}
    command = StdioServerParameters(command=sys.executable, args=["-m", "assay", "mcp"], env=environment)
    here = run(server, walk, mode)
    assert here["tools"] == ["search_docs", "read_page", "list_sources"]
    assert here["found"]["results"][0]["url"].startswith(NODES)
    assert here["resource"] == here["read"]["text"]
    assert here["sources"]["passages"] == CHUNKS
    assert run(endpoint, walk, mode) == here
    assert run(command, walk, mode) == here


def test_a_closed_server_needs_a_key(published: Path, tmp_path: Path) -> None:
    key = make_key(tmp_path / "keys.json", "assistant")
    with running_server(published, keys_file=str(tmp_path / "keys.json"), search="key") as closed:
        url = f"http://127.0.0.1:{closed.port}/mcp"
        assert run(url, walk, key=key)["tools"] == list(TOOLS)
        refused = ask(closed.port, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, 'Bearer realm="assay"')


def test_a_foreign_page_cannot_call_it(default_server: RunningServer) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert ask(default_server.port, "/mcp", body, headers={"Origin": "https://evil.example"}).status == 400
    assert ask(default_server.port, "/mcp", body, headers={"Host": "evil.example"}).status == 400


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_only_post_is_answered_so_that_no_stream_takes_the_place_of_a_request(
    default_server: RunningServer, method: str
) -> None:
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "1"}
    refused = ask(default_server.port, "/mcp", method=method, headers=headers)
    assert (refused.status, refused.headers["Allow"]) == (405, "POST")
    metrics = ask(default_server.port, "/metrics").content.decode()
    assert f'assay_http_requests_total{{method="{method}",route="/mcp",status="405"}} 1.0' in metrics


def test_a_page_of_an_allowed_origin_may_send_the_headers_of_mcp(connect: Connect, assay: Assay) -> None:
    wanted = "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id"
    headers = {"Origin": "https://docs.example.org", "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = wanted
    assert connect(assay).options("/mcp", headers=headers).status_code == 200


# --- standard input and output -------------------------------------------------------------------------------------


def _serve_stdio(folder: Path) -> None:
    with Assay.open(settings_for(folder)) as assay:
        serve_stdio(assay)


@pytest.fixture
def program(published: Path, tmp_path: Path) -> Iterator[ForkedProgram]:
    started = ForkedProgram(tmp_path / "log", _serve_stdio, published)
    yield started
    started.close()
    assert "Traceback" not in (tmp_path / "log").read_text("utf-8")


def message(number: object, method: str, **parameters: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n"


def asked(number: object, query: str) -> str:
    return message(number, "tools/call", name="search_docs", arguments={"query": query, "limit": 1})


HELLO = message(
    0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"}
)


def test_each_line_is_answered_also_damaged_ones_and_those_before_the_end(program: ForkedProgram) -> None:
    lines = ["{", "[]", "[" * 100_000, '{"jsonrpc": "1.0", "id": 6, "method": "ping"}', "", asked(7, "nodes \ud83d")]
    program.stdin.write(HELLO + "\n".join(lines) + "".join(asked(number, "nodes") for number in range(8, 12)))
    program.stdin.close()
    answers = [json.loads(line) for line in program.stdout]
    program.wait(timeout=30)
    assert program.returncode == 0
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [-32_700, -32_600, -32_700]
    assert [one["error"]["code"] for one in answers if one["id"] == 6] == [-32_600]
    found = {one["id"]: one["result"]["structuredContent"] for one in answers if one["id"] in range(7, 12)}
    assert set(found) == {7, 8, 9, 10, 11}
    assert found[7]["query"] == "nodes ?"
    assert all(one["results"] for one in found.values())


def test_a_client_that_stops_reading_ends_it_quietly(program: ForkedProgram) -> None:
    program.stdin.write(HELLO)
    program.stdin.flush()
    assert '"id":0' in program.stdout.readline()
    program.stdout.close()
    program.stdin.write("".join(asked(number, "nodes") + "{\n" for number in range(1, 30)))
    program.stdin.close()
    program.wait(timeout=30)
    assert program.returncode == 0


# --- replicas ------------------------------------------------------------------------------------------------------


def test_any_replica_answers_and_a_killed_one_costs_one_retry_at_most(published: Path) -> None:
    retries = 0
    with running_server(published) as one, running_server(published) as two, balancer([one.port, two.port]) as port:
        for number in range(14):
            if number == 5:
                one.stop(signal.SIGKILL)
            for attempt in range(2):
                try:
                    # A client of its own: a broken connection can end the SDK's client.
                    found = call(f"http://127.0.0.1:{port}/mcp", "search_docs", query=f"robot {number}")
                except (MCPError, httpx2.HTTPError, BaseExceptionGroup):
                    assert attempt == 0, "a call was lost"
                    retries += 1
                else:
                    assert found.structured["results"]
                    break
    assert retries <= 2


def test_a_setting_turns_it_off(published: Path) -> None:
    with Assay.open(settings_for(published, mcp=False)) as assay:
        assert further_endpoints(assay) == []


# --- the tools -----------------------------------------------------------------------------------------------------


def test_tools_are_declared_as_reading_only_with_schemas_of_arguments_and_answers(server: Server[Any]) -> None:
    async def steps(client: Client) -> list[Any]:
        return list((await client.list_tools()).tools)

    for tool in run(server, steps):
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint, hints.destructive_hint) == (True, True, False)
        jsonschema_rs.Draft202012Validator(tool.input_schema)
        jsonschema_rs.Draft202012Validator(tool.output_schema)
        assert all("description" in field for field in tool.input_schema["properties"].values())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_docs", {"query": "How do nodes communicate?", "limit": 2}),
        ("search_docs", {"query": "xqzt vvvk", "limit": 2}),
        ("read_page", {"url": NODES}),
        ("list_sources", {}),
    ],
)
def test_answers_fit_the_declared_schema(server: Server[Any], name: str, arguments: dict[str, object]) -> None:
    answer = call(server, name, **arguments)
    assert not answer.is_error
    jsonschema_rs.validate(TOOLS[name].output_schema, answer.structured)


def test_a_search_returns_what_a_search_over_http_returns(server: Server[Any], assay: Assay) -> None:
    answer = call(server, "search_docs", question="How do nodes communicate?", topK="3")
    ranking = assay.search("How do nodes communicate?", 3)
    assert [result["chunk_id"] for result in answer.structured["results"]] == [hit.chunk.id for hit in ranking.hits]
    assert [result["text"] for result in answer.structured["results"]] == [hit.text for hit in ranking.hits]
    assert answer.structured["generation"] == ranking.generation
    for result in answer.structured["results"]:
        assert result["url"] in answer.text
        assert result["chunk_id"] in answer.text
        assert result["text"] in answer.text


@pytest.mark.parametrize("max_tokens", [300, 500, 1_000, 4_000])
def test_an_answer_has_at_most_the_tokens_that_were_asked_for(server: Server[Any], max_tokens: int) -> None:
    for name, arguments in (("search_docs", {"query": "robot", "limit": 20}), ("read_page", {"url": NODES})):
        answer = call(server, name, **arguments, max_tokens=max_tokens)
        assert count_tokens([answer.text])[0] == answer.structured["tokens"] <= max_tokens
    found = call(server, "search_docs", query="robot", limit=20, max_tokens=max_tokens).structured
    assert len(found["results"]) + found["omitted"] == 20


def test_a_passage_has_the_heading_above_what_matches(server: Server[Any]) -> None:
    answer = call(server, "search_docs", query="communicate by topics", limit=1)
    assert answer.structured["results"][0]["section"] == "Topics"
    assert answer.structured["results"][0]["url"] == f"{NODES}#topics"
    assert answer.text.startswith(f"## 1. Nodes › Topics\n{NODES}#topics\n")


def test_a_misspelt_word_is_named_with_the_word_that_was_searched(server: Server[Any]) -> None:
    answer = call(server, "search_docs", query="calibrating the gyrosocpe")
    assert "gyroscope" in answer.structured["searched"]
    assert "Searched for" in answer.text


def test_sources_are_listed_also_with_an_argument_that_a_client_made_up(server: Server[Any]) -> None:
    assert call(server, "list_sources", random_string="x").structured["passages"] == CHUNKS


def test_a_list_of_many_sources_fits_an_answer_and_says_what_it_leaves_out(
    server: Server[Any], assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {f"{number}.0": 3 for number in range(60)}
    many = tuple(SourceSummary(f"library-{n:03}", 180, versions, {}, ("59.0",), ()) for n in range(300))
    generation, _ = assay.pages.sources()
    monkeypatch.setattr(Pages, "sources", lambda _pages: (generation, many))
    answer = call(server, "list_sources")
    listed = answer.structured["sources"]
    assert 5 < len(listed) < 300
    assert [len(one["versions"]) for one in listed] == [20] * len(listed)
    assert answer.text.count("59.0 (3 pages, default)") == answer.text.count("and 40 more") == len(listed)
    assert f"{300 - len(listed)} more sources did not fit" in answer.text
    assert answer.structured["notes"][0] in answer.text
    assert assay.pages.count_tokens([answer.text])[0] <= 4_000
    monkeypatch.setattr(Pages, "sources", lambda _pages: (generation, many[:3]))
    assert not call(server, "list_sources").structured["notes"]


@pytest.mark.parametrize("letter", ["x", "版", "ü%"])
def test_a_source_with_long_names_leaves_room_for_the_others(
    server: Server[Any], assay: Assay, monkeypatch: pytest.MonkeyPatch, letter: str
) -> None:
    names = {f"{letter * (196 // len(letter))}{number:02}": 3 for number in range(20)}
    long = SourceSummary("a", 60, names, names, (next(iter(names)),), (next(iter(names)),))
    generation, _ = assay.pages.sources()
    others = tuple(SourceSummary(f"library-{n}", 3, {"1.0": 3}, {}, ("1.0",), ()) for n in range(10))
    monkeypatch.setattr(Pages, "sources", lambda _pages: (generation, (long, *others)))
    answer = call(server, "list_sources")
    first, *rest = answer.structured["sources"]
    assert [one["name"] for one in rest] == [one.name for one in others]
    assert 0 < len(first["versions"]) == len(first["locales"]) < 20
    assert answer.text.count(f"and {20 - len(first['versions'])} more") == 2
    assert assay.pages.count_tokens([answer.text])[0] <= 4_000


def test_an_unknown_version_of_many_is_not_sent_to_a_list_that_lacks_it_too(
    server: Server[Any], assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {f"{number:02}": 3 for number in range(60)}
    generation, _ = assay.pages.sources()
    one = SourceSummary("manual", 180, versions, {}, ("59",), ())
    monkeypatch.setattr(Pages, "sources", lambda _pages: (generation, (one,)))
    answer = call(server, "search_docs", query="nodes", version="60")
    assert answer.text.endswith("18, 19 or 40 more, or omit it.")


def test_a_word_for_the_newest_version_means_the_default_one(server: Server[Any]) -> None:
    assert call(server, "search_docs", query="nodes", version="latest").structured["results"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "nodes", "source": "guide"}, "there is no source 'guide'. Choose one of manual"),
        ({"query": "nodes", "version": "9"}, "Omit version: the documentation has only one."),
        ({"query": "nodes", "locale": "de"}, "Omit locale"),
        ({}, "query: it is required"),
        ({"query": "nodes", "limit": 1_000}, "limit: it must be a whole number from 1 to 20"),
    ],
)
def test_an_error_tells_a_model_what_to_do(server: Server[Any], arguments: dict[str, object], message: str) -> None:
    answer = call(server, "search_docs", **arguments)
    assert answer.is_error
    assert message in answer.text


def test_an_unknown_page_anchor_or_passage_is_an_error_that_names_it(server: Server[Any]) -> None:
    assert "No page of the index has the URL" in call(server, "read_page", url=f"{BASE_URL}/nothing").text
    assert "It has nodes, topics" in call(server, "read_page", url=f"{NODES}#toppics").text
    assert "Search again" in call(server, "read_page", chunk_id="d6844b3e-9fdf-56e0-b725-7f33bb025ea5").text
    assert "Not an absolute http(s) URL" in call(server, "read_page", url="nodes").text


def error_of(server: Server[Any], request: Steps) -> str:
    """The message of the protocol error that a request ends with."""

    async def steps(client: Client) -> str:
        try:
            await request(client)
        except MCPError as error:
            return error.message
        return ""

    return str(run(server, steps))


def test_an_unknown_tool_is_a_protocol_error(server: Server[Any]) -> None:
    message = error_of(server, lambda client: client.call_tool("search_doc", {"query": "x"}))
    assert message == "There is no tool `search_doc`; did you mean `search_docs`?"


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "assay://page/", page_uri(f"{BASE_URL}/nothing"), page_uri("x")])
def test_an_unknown_resource_is_a_protocol_error(server: Server[Any], uri: str) -> None:
    assert error_of(server, lambda client: client.read_resource(uri))


def test_without_a_live_generation_the_answer_says_who_has_to_act(tmp_path: Path) -> None:
    with Assay.open(settings_for(tmp_path)) as empty:
        answer = call(build_server(empty), "search_docs", query="nodes")
    assert answer.is_error
    assert "has to run `assay publish`" in answer.text
    assert str(tmp_path) not in answer.text


# --- long pages ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assay]:
    """An index of one page with 40 sections."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "pages").mkdir()
    sections = [
        f"## Step {number}\n\n" + f"Turn screw {number} until it is tight, and look at gauge {number}. " * 12
        for number in range(40)
    ]
    (folder / "pages" / "steps.md").write_text("# Steps\n\n" + "\n\n".join(sections) + "\n", encoding="utf-8")
    for name, title, text in (
        ("zh", "手册", "机器人在不平坦的地面上行走" * 90),
        ("odd", "Odd title " * 90, "Base64:\n\n" + "QUJD" * 300),
    ):
        (folder / "pages" / f"{name}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    with Assay.open(settings_for(folder)) as assay:
        assert assay.publish().promoted
        yield assay


def test_reading_on_gives_the_whole_page(long_page: Assay) -> None:
    server = build_server(long_page)
    answer = call(server, "read_page", url=f"{BASE_URL}/steps", max_tokens=1_000).structured
    parts = [answer["text"]]
    assert answer["start"] == 0
    while answer["next_chunk_id"]:
        following = call(server, "read_page", chunk_id=answer["next_chunk_id"], max_tokens=1_000).structured
        assert answer["start"] < following["start"] <= answer["end"] + 2, "text was skipped"
        parts.append(following["text"][max(0, answer["end"] - following["start"]) :])
        answer = following
    assert answer["end"] == answer["length"]
    assert "\n\n".join(parts).split() == " ".join(parts).split()
    assert {f"gauge {number}." for number in range(40)} <= {
        f"gauge {word}" for part in parts for word in part.split() if word.endswith(".")
    }


@pytest.mark.parametrize("max_tokens", [300, 1_000])
@pytest.mark.parametrize("page", ["steps", "zh", "odd"])
def test_an_answer_says_where_the_text_goes_on_and_what_is_missing(
    long_page: Assay, page: str, max_tokens: int
) -> None:
    server = build_server(long_page)
    chunk_id, seen = None, 0
    while seen == 0 or chunk_id is not None:
        place = {"url": f"{BASE_URL}/{page}"} if chunk_id is None else {"chunk_id": chunk_id}
        answer = call(server, "read_page", **place, max_tokens=max_tokens)
        read, seen = answer.structured, seen + 1
        assert read["text"], "nothing was read"
        assert read["text"] in answer.text
        assert count_tokens([answer.text])[0] == read["tokens"] <= max_tokens
        chunk_id = read["next_chunk_id"]
        assert chunk_id is None or f"Read on: chunk_id {chunk_id}" in answer.text
        is_whole = read["end"] == read["length"] or chunk_id is not None
        assert is_whole or "pass a higher max_tokens" in answer.text


def test_a_long_title_leaves_room_for_passages(long_page: Assay) -> None:
    answer = call(build_server(long_page), "search_docs", query="odd title", limit=1, max_tokens=300)
    assert answer.structured["results"][0]["url"].startswith(f"{BASE_URL}/odd")


def test_a_page_that_is_longer_than_a_resource_can_be_says_so(
    long_page: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.mcp.server.MOST_TOKENS", 1_000)

    async def read(client: Client) -> str:
        return str((await client.read_resource(page_uri(f"{BASE_URL}/steps"))).contents[0].text)

    assert "Read on: chunk_id " in run(build_server(long_page), read)


def test_a_url_with_an_anchor_is_read_from_its_section(long_page: Assay) -> None:
    answer = call(build_server(long_page), "read_page", url=f"{BASE_URL}/steps#step-17", max_tokens=600)
    assert answer.structured["text"].startswith("## Step 17\n")
    assert [section["heading"] for section in answer.structured["sections"][-40:]] == [f"Step {n}" for n in range(40)]


@pytest.mark.parametrize("around", [0, 1, 3])
def test_a_passage_is_read_with_its_neighbours(long_page: Assay, around: int) -> None:
    server = build_server(long_page)
    hit = call(server, "search_docs", query="turn screw 20", limit=1).structured["results"][0]
    answer = call(server, "read_page", chunk_id=hit["chunk_id"], around=around, max_tokens=4_000).structured
    assert hit["text"] in answer["text"]
    assert (answer["text"] == hit["text"]) == (around == 0)


def test_neighbours_that_do_not_fit_are_left_out(long_page: Assay) -> None:
    server = build_server(long_page)
    hit = call(server, "search_docs", query="turn screw 20", limit=1).structured["results"][0]
    answer = call(server, "read_page", chunk_id=hit["chunk_id"], around=20, max_tokens=900)
    assert hit["text"] in answer.structured["text"]
    assert answer.structured["tokens"] <= 900


# --- malformed calls -----------------------------------------------------------------------------------------------

_ODD = (None, True, -1, 0, 2.5, 10**30, "", " ", "nodes", "\0", "\ud800", "<script>", "x" * 5_000, [], ["a", "b"], {})
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


def _odd_request(draw: random.Random) -> tuple[dict[str, str], bytes]:
    """Headers and body of a call with one to three faults."""
    name = draw.choice([*TOOLS, "search_doc", "", "../../etc/passwd"])
    fields = list(TOOLS[name].input_schema["properties"]) if name in TOOLS else ["query"]
    arguments: object = {draw.choice([*fields, "q", "zzz"]): draw.choice(_ODD) for _ in range(draw.randint(0, 4))}
    parameters: object = {"name": name, "arguments": draw.choice([arguments, arguments, arguments, *_ODD])}
    request: Any = {
        "jsonrpc": draw.choice(["2.0", "2.0", "2.0", "1.0", 2]),
        "id": draw.choice([1, "a", None, -5, 1.5, {}]),
        "method": draw.choice(["tools/call"] * 6 + ["tools/list", "resources/read", "no/such", "", 7]),
        "params": draw.choice([parameters] * 8 + [None, [], "x"]),
    }
    if draw.random() < 0.1:
        request = draw.choice([[request], [], 7, "x", None])
    if isinstance(request, dict) and draw.random() < 0.1:
        request.pop(draw.choice(list(request)))
    body = json.dumps(request).encode()
    if draw.random() < 0.1:
        body = draw.choice([body[: len(body) // 2], b"", b"\xff\xfe", b"[" * 3_000, body * 40_000])[:100_000]
    headers = dict(_HEADERS)
    if draw.random() < 0.5:
        headers["MCP-Protocol-Version"] = draw.choice(["2025-11-25", "2025-06-18", "2026-07-28", "1999-01-01", "x"])
    if draw.random() < 0.1:
        headers[draw.choice(list(headers))] = draw.choice(["text/plain", "*/*", ""])
    return headers, body


def test_200_malformed_calls_are_answered_and_the_next_call_works(assay: Assay) -> None:
    draw = random.Random(20261129)
    app = create_app(assay, endpoints=further_endpoints(assay))
    good = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_sources", "arguments": {}}}
    )
    seen = set()
    with TestClient(app, base_url="http://localhost") as client:
        for _ in range(200):
            headers, body = _odd_request(draw)
            answer = client.post("/mcp", content=body, headers=headers)
            seen.add(answer.status_code)
            assert answer.status_code < 500, (headers, body[:300], answer.text[:300])
            assert "Traceback" not in answer.text
            assert "failed on this request" not in answer.text, (body[:300], answer.text)
        after = client.post("/mcp", content=good, headers=_HEADERS | {"MCP-Protocol-Version": "2025-11-25"})
    assert after.json()["result"]["structuredContent"]["passages"] == CHUNKS
    assert {200, 400} <= seen
