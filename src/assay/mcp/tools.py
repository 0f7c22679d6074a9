"""The three tools that only read: their declarations, and the answer to a call. They need no SDK.

`assay.mcp.server` offers them over MCP; `openai_tools` and `call_tool` are for programs that call a model themselves.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.app import Assay
from assay.contracts.fields import AnswerModel, RequestModel
from assay.contracts.mcp_tools import (
    FoundPassages,
    ListedSources,
    ListSources,
    ReadPage,
    ReadText,
    SearchDocs,
    input_schema,
    parse,
    parse_read,
)
from assay.errors import AssayError, CatalogNotFound, EmbeddingError, InputError, NoLiveGeneration
from assay.mcp.reading import list_sources, read_page
from assay.mcp.searching import Answer, search_docs
from assay.model.spelling import did_you_mean

logger = logging.getLogger("assay.mcp")

_NOTHING_LIVE = "No documentation is published here yet. The operator of this server has to run `assay publish`."
_UNREACHABLE = "A part of the server cannot be reached or failed; its log has the reason. Try again in a minute."
_NOT_EMBEDDED = "The query could not be embedded; the server's log has the reason. Try again in a minute."
_INTERNAL = "The server failed on this request; its log has the reason. Other requests may work."

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its declaration, and the function that answers a call.

    accepts, returns: shapes of the arguments and of the structured answer.
    """

    name: str
    title: str
    description: str
    accepts: type[RequestModel]
    returns: type[AnswerModel]
    call: Callable[[Assay, Arguments], Answer]

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return input_schema(self.accepts)

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured answer."""
        return self.returns.model_json_schema()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to a model's call.

    text: Markdown, or the error with its remedy.
    structured: the answer by the tool's output schema; None for an error.
    """

    text: str
    structured: dict[str, object] | None

    @property
    def is_error(self) -> bool:
        """Whether the text is an error, which a model can often mend by another call."""
        return self.structured is None


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "search_docs",
            "Search the documentation",
            "Search the documentation for passages that answer a question. Returns the best passages with links to "
            "their sections. Ask in plain words, one topic a call.",
            SearchDocs,
            FoundPassages,
            lambda assay, arguments: search_docs(assay, parse(SearchDocs, arguments)),
        ),
        Tool(
            "read_page",
            "Read a page of the documentation",
            "Read a page, or a part of it, by a URL or chunk_id from search_docs. A long page begins at the section of "
            "the URL, or at the passage; pass its next_chunk_id to read the next part.",
            ReadPage,
            ReadText,
            lambda assay, arguments: read_page(assay, parse_read(arguments)),
        ),
        Tool(
            "list_sources",
            "List the documentation sources",
            "List the sources of documentation with their versions and locales, numbers of pages, and their age.",
            ListSources,
            ListedSources,
            lambda assay, _arguments: list_sources(assay),  # some clients send a made-up argument, as there is none
        ),
    )
}


def openai_tools() -> list[dict[str, Any]]:
    """The tools as the parameter `tools` of OpenAI's chat completions, with the schemas that MCP declares."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
        }
        for tool in TOOLS.values()
    ]


def call_tool(assay: Assay, name: str, arguments: str | Arguments) -> ToolResult:
    """Answer a call of a tool. An unknown tool and invalid arguments are a result with the error, for the model.

    arguments: as the model sent them: a mapping, or its JSON.
    """
    tool = TOOLS.get(name)
    try:
        if tool is None:
            raise InputError(unknown_tool(name))
        return answer_call(assay, tool, _mapping(arguments) if isinstance(arguments, str) else arguments)
    except InputError as error:
        return ToolResult(str(error), None)


def answer_call(assay: Assay, tool: Tool, arguments: Arguments) -> ToolResult:
    """Answer a call of this tool. Every error is a result."""
    try:
        answer = tool.call(assay, arguments)
    except AssayError as error:
        return ToolResult(public_message(error, tool.name), None)
    except Exception:
        logger.exception("%s failed", tool.name)
        return ToolResult(_INTERNAL, None)
    return ToolResult(answer.text, answer.structured)


def unknown_tool(name: str) -> str:
    """The message of a call of a tool that does not exist."""
    advice = did_you_mean(name, TOOLS, f"the tools are {', '.join(TOOLS)}.")
    return f"There is no tool `{name[:100]}`; {advice}"


def public_message(error: AssayError, name: str) -> str:
    """The message of an error for clients. Only that of invalid input is shown: others can have paths and hosts."""
    if isinstance(error, InputError):
        return str(error)
    logger.warning("%s failed: %s", name, error)
    if isinstance(error, NoLiveGeneration | CatalogNotFound):
        return _NOTHING_LIVE
    return _NOT_EMBEDDED if isinstance(error, EmbeddingError) else _UNREACHABLE


def _mapping(text: str) -> Arguments:
    """Parse the JSON of arguments; no text is no arguments. Raises InputError."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError("The arguments are not a JSON object.", hint='Send an object such as {"query": "…"}.')
    return value
