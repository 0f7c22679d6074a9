"""`assay serve` and `assay mcp`."""

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from assay.app import Assay
from assay.cli import options
from assay.errors import ConfigurationError

if TYPE_CHECKING:
    from assay.web.application import Endpoint


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [default: 127.0.0.1].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks a free one [default: 8080].")] = None,
    public: Annotated[bool, typer.Option("--public", help="Allow an address that other machines can reach.")] = False,
    generation: options.SearchedGeneration = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
) -> None:
    """Serve searches over HTTP from the live generation, following promotions, or from --generation."""
    from assay.adapters.telemetry.log_lines import TextLines
    from assay.web.server import serve as serve_http

    server = {key: value for key, value in {"host": host, "port": port}.items() if value is not None}
    settings = options.settings_from(config, data_dir, {"server": server} if server else None)
    logging.basicConfig(level=logging.INFO, force=True)
    for writer in logging.getLogger().handlers:
        writer.setFormatter(TextLines())  # with times, unlike a command's lines
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)  # it logs every request to a store
    listen, log_format = settings.server, settings.server.log_format
    with Assay.open(settings, generation=generation) as assay:
        if generation is not None:
            assay.searches.served_generation()  # fail at once if it does not exist
        serve_http(
            assay,
            listen.host,
            listen.port,
            allow_public=public,
            log_format=log_format,
            endpoints=further_endpoints(assay),
        )


def further_endpoints(assay: Assay) -> "list[Endpoint]":
    """What a web server over this Assay serves besides its routes: MCP, if it is installed and not turned off."""
    if not assay.settings.server.mcp or find_spec("mcp") is None:
        return []
    from assay.mcp.serving import HttpEndpoint

    return [HttpEndpoint(assay, assay.settings.server.max_body_bytes)]


def mcp(
    generation: options.SearchedGeneration = None, data_dir: options.DataDir = None, config: options.Config = None
) -> None:
    """Serve searches to a language model over MCP on standard input and output; `assay serve` offers it at /mcp."""
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "MCP needs the extra `mcp`, which is not installed.", hint="Run pip install '.[mcp]' in Assay's checkout."
        )
    from assay.mcp.serving import serve_stdio

    settings = options.settings_from(config, data_dir)
    with Assay.open(settings, generation=generation) as assay:
        assay.searches.start_serving()
        serve_stdio(assay)
