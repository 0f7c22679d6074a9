"""The MCP server: the tools, and each page as a resource."""

from typing import Any, NoReturn
from urllib.parse import quote, unquote

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from assay.app import Assay
from assay.contracts.mcp_tools import MOST_TOKENS, parse_read
from assay.errors import AssayError, InputError
from assay.mcp.reading import read_page
from assay.mcp.tools import TOOLS, Arguments, Tool, answer_call, public_message, unknown_tool
from assay.version import __version__

PAGE_URI = "assay://page/"
"""Before a page's escaped URL, the address of its resource."""

_INSTRUCTIONS = (
    "Searches documentation. Call search_docs with a question first; it returns passages with their links. Call "
    "read_page with a chunk_id or URL from it to read more of a page. list_sources names the sources, versions and "
    "locales to search in. Cite the links."
)
_NOT_FOUND = -32_002
"""Code of an unknown resource in the protocols before 2026-07-28, whose clients expect it."""


def _declaration(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


_DECLARATIONS = [_declaration(tool) for tool in TOOLS.values()]


def build_server(assay: Assay) -> Server[Any]:
    """The server over this Assay, for any transport. It keeps no state between requests."""

    async def list_tools(_context: object, _parameters: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_DECLARATIONS)

    async def call_tool(_context: object, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(parameters.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, unknown_tool(parameters.name))
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


def _call(assay: Assay, tool: Tool, arguments: Arguments) -> types.CallToolResult:
    """Answer a call. What a model can mend is an answer with is_error, which clients show to it."""
    result = answer_call(assay, tool, arguments)
    return types.CallToolResult(
        content=[types.TextContent(text=result.text)],
        structured_content=result.structured,
        is_error=result.is_error,
    )


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
        raise MCPError(types.INTERNAL_ERROR, public_message(error, "resources/read")) from None
    text = str(answer.structured["text"])
    if len(text) < int(str(answer.structured["length"])):
        text = answer.text  # says what it is a part of
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
    )


def _no_resource(message: str) -> NoReturn:
    raise MCPError(_NOT_FOUND, message)
