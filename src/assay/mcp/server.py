"""The MCP server: three tools that only read, and each page as a resource."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, NoReturn
from urllib.parse import quote, unquote

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from assay.app import Assay
from assay.contracts.fields import AnswerModel, RequestModel
from assay.contracts.mcp_tools import (
    MOST_TOKENS,
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
from assay.version import __version__

logger = logging.getLogger("assay.mcp")

PAGE_URI = "assay://page/"
"""Before a page's escaped URL, the address of its resource."""

_INSTRUCTIONS = (
    "Searches documentation. Call search_docs with a question first; it returns passages with their links. Call "
    "read_page with a chunk_id or URL from it to read more of a page. list_sources names the sources, versions and "
    "locales to search in. Cite the links."
)
_NOTHING_LIVE = "No documentation is published here yet. Whoever runs this server has to run `assay publish`."
_UNREACHABLE = "A part of the server cannot be reached or failed; its log has the reason. Try again in a minute."
_NOT_EMBEDDED = "The query could not be embedded; the server's log has the reason. Try again in a minute."
_INTERNAL = "The server failed on this request; its log has the reason. Other requests may work."
_NOT_FOUND = -32_002
"""Code of an unknown resource in the protocols before 2026-07-28, whose clients expect it."""

Arguments = Mapping[str, object]


class _Tool:
    """A tool: its declaration, and the function that answers a call."""

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        models: tuple[type[RequestModel], type[AnswerModel]],
        call: Callable[[Assay, Arguments], Answer],
    ) -> None:
        self.call = call
        self.declaration = types.Tool(
            name=name,
            title=title,
            description=description,
            input_schema=input_schema(models[0]),
            output_schema=models[1].model_json_schema(),
            annotations=types.ToolAnnotations(
                title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        )


def _list(assay: Assay, arguments: Arguments) -> Answer:
    parse(ListSources, arguments)
    return list_sources(assay)


TOOLS = {
    tool.declaration.name: tool
    for tool in (
        _Tool(
            "search_docs",
            "Search the documentation",
            "Search the documentation for passages that answer a question. Returns the best passages with links to "
            "their sections. Ask in plain words, one topic a call.",
            (SearchDocs, FoundPassages),
            lambda assay, arguments: search_docs(assay, parse(SearchDocs, arguments)),
        ),
        _Tool(
            "read_page",
            "Read a page of the documentation",
            "Read a page, or a part of it, by a URL or chunk_id from search_docs. A long page begins at the section of "
            "the URL, or at the passage; next_chunk_id reads on.",
            (ReadPage, ReadText),
            lambda assay, arguments: read_page(assay, parse_read(arguments)),
        ),
        _Tool(
            "list_sources",
            "List the documentation sources",
            "List the sources of documentation with their versions and locales, numbers of pages, and their age.",
            (ListSources, ListedSources),
            _list,
        ),
    )
}


def build_server(assay: Assay) -> Server[Any]:
    """The server over this Assay, for any transport. It keeps no state between requests."""

    async def list_tools(_context: object, _parameters: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.declaration for tool in TOOLS.values()])

    async def call_tool(_context: object, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(parameters.name)
        if tool is None:
            advice = did_you_mean(parameters.name, TOOLS, f"the tools are {', '.join(TOOLS)}.")
            raise MCPError(types.INVALID_PARAMS, f"There is no tool `{parameters.name[:100]}`; {advice}")
        return await anyio.to_thread.run_sync(_call, assay, tool, parameters.arguments or {})

    async def list_resources(_context: object, _parameters: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(_context: object, _parameters: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[_TEMPLATE])

    async def read_resource(_context: object, parameters: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await anyio.to_thread.run_sync(_read, assay, str(parameters.uri))

    return Server(
        "assay",
        version=__version__,
        title="Assay",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


_TEMPLATE = types.ResourceTemplate(
    name="page",
    title="A page of the documentation",
    uri_template=f"{PAGE_URI}{{url}}",
    description="The text of the page at this URL, which is percent-encoded.",
    mime_type="text/markdown",
)


def page_uri(url: str) -> str:
    """Address of a page's resource."""
    return f"{PAGE_URI}{quote(url, safe='')}"


def _call(assay: Assay, tool: _Tool, arguments: Arguments) -> types.CallToolResult:
    """Answer a call. What a model can mend is an answer with is_error, which clients show to it."""
    try:
        answer = tool.call(assay, arguments)
    except AssayError as error:
        return _refusal(_public_message(error, tool.declaration.name))
    except Exception:
        logger.exception("%s failed", tool.declaration.name)
        return _refusal(_INTERNAL)
    return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=answer.structured)


def _public_message(error: AssayError, name: str) -> str:
    """The message of an error for clients. Only that of invalid input is shown: others can have paths and hosts."""
    if isinstance(error, InputError):
        return str(error)
    logger.warning("%s failed: %s", name, error)
    if isinstance(error, NoLiveGeneration | CatalogNotFound):
        return _NOTHING_LIVE
    return _NOT_EMBEDDED if isinstance(error, EmbeddingError) else _UNREACHABLE


def _refusal(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)


def _read(assay: Assay, uri: str) -> types.ReadResourceResult:
    """Read a page as a resource. Raises MCPError."""
    if not uri.startswith(PAGE_URI):
        _no_resource(f"There is no resource {uri[:200]}: the address of a page is {PAGE_URI} and its escaped URL.")
    url = unquote(uri.removeprefix(PAGE_URI))
    try:
        answer = read_page(assay, parse_read({"url": url, "max_tokens": MOST_TOKENS}))
    except InputError as error:
        _no_resource(str(error))
    except AssayError as error:
        raise MCPError(types.INTERNAL_ERROR, _public_message(error, "resources/read")) from None
    text = str(answer.structured["text"])
    if len(text) < int(str(answer.structured["length"])):
        text = answer.text  # says what it is a part of
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
    )


def _no_resource(message: str) -> NoReturn:
    raise MCPError(_NOT_FOUND, message)
