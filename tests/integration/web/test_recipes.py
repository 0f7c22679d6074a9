"""The examples of docs/recipes.md run as they are written, against a model that is a script."""

import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import mcp.client.stdio  # noqa: F401 - keeps the standard error of its import, which one test would close
import pytest
from tests.integration.web.conftest import BASE_URL, RunningServer
from tests.peers.chat import ChatPeer, chat_peer
from tests.snippets import Snippet, snippets

import assay as package
from assay.app import Assay
from assay.mcp.tools import TOOLS, call_tool

EXAMPLES = [one for one in snippets() if one.page == "recipes.md" and one.language == "python"]
NODES = f"{BASE_URL}/nodes"
HTTP = 'Client("http://127.0.0.1:8080/mcp")'
STDIO = 'Client(StdioServerParameters(command="assay", args=["mcp", "--data-dir", "/srv/docs/.assay"]))'
STARTED = [
    replace(one, text=f"from mcp import StdioServerParameters\n{one.text.replace(HTTP, STDIO)}")
    for one in EXAMPLES
    if "dspy" in one.text
]
"""The example of DSPy with the command in place of the URL."""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatPeer]:
    """A chat model that clients of OpenAI find by their environment variables."""
    with chat_peer() as peer:
        monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # LiteLLM would fetch it
        monkeypatch.setenv("OPENAI_BASE_URL", peer.url)
        monkeypatch.setenv("OPENAI_API_BASE", peer.url)
        monkeypatch.setenv("OPENAI_API_KEY", "peer-key")
        yield peer


def _require(example: Snippet) -> None:
    """Skip an example whose framework is not installed. Pydantic AI is a dependency of the tests."""
    if "pydantic_ai" in example.text:
        pytest.importorskip("pydantic_ai")
    if "dspy" in example.text:
        reason = "DSPy is no dependency of the tests: it needs 223 MB and an older dateutil"
        dspy = pytest.importorskip("dspy", reason=reason)
        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)


@pytest.mark.parametrize("example", [*EXAMPLES, *STARTED], ids=str)
def test_a_model_answers_by_the_tools_from_the_page_about_nodes(
    example: Snippet,
    model: ChatPeer,
    default_server: RunningServer,
    published: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    _require(example)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    code = example.text.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{default_server.port}")
    code = code.replace("/srv/docs/.assay", str(published / "index"))
    exec(compile(code, str(example), "exec"), {})
    answer = capfd.readouterr().out
    assert NODES in answer
    assert "Nodes communicate by topics: one publishes, any number subscribe." in answer
    if model.tools:  # DSPy describes them in its prompt
        # Pydantic AI forbids further arguments by itself.
        offered = {name: {**schema, "additionalProperties": False} for name, schema in model.tools.items()}
        assert offered == {tool.name: {**tool.input_schema, "additionalProperties": False} for tool in TOOLS.values()}


def test_the_tools_need_no_sdk_of_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("assay.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(package, "mcp", None, raising=False)
    for name in ("mcp", "mcp_types"):
        monkeypatch.setitem(sys.modules, name, None)
    assert list(importlib.import_module("assay.mcp.tools").TOOLS) == list(TOOLS)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("search_doc", "{}", "There is no tool `search_doc`; did you mean `search_docs`?"),
        ("search_docs", "", "query: it is required"),
        ("search_docs", '{"query": "nod', "The arguments are not a JSON object."),
        ("search_docs", "[" * 100_000, "The arguments are not a JSON object."),
        ("search_docs", '["nodes"]', "The arguments are not a JSON object."),
        ("read_page", {"url": "nodes"}, "Not an absolute http(s) URL"),
    ],
)
def test_a_call_that_is_wrong_is_an_error_for_the_model(
    assay: Assay, name: str, arguments: str | dict[str, object], message: str
) -> None:
    result = call_tool(assay, name, arguments)
    assert result.is_error
    assert message in result.text


def test_a_call_has_the_answer_as_text_and_as_json(assay: Assay) -> None:
    result = call_tool(assay, "read_page", {"url": NODES})
    assert not result.is_error
    assert result.structured is not None
    assert str(result.structured["text"]) in result.text
