"""`assay serve` and `assay mcp`."""

from importlib.util import find_spec
from typing import Annotated

import typer

from assay.app import Assay
from assay.cli import options, server_process
from assay.cli.server_process import configure_server_log, further_endpoints
from assay.errors import ConfigurationError


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on [default: [server] host, or 127.0.0.1].")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 picks a free one [default: [server] port, or 8080].")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Allow an address that other machines can reach.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that answer on the same port; not on Windows [default: [server] workers, or 1]."),
    ] = None,
    generation: options.SearchedGeneration = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
) -> None:
    """Serve searches over HTTP from the live generation, following promotions, or from --generation."""
    from assay.web.serving.server import serve as serve_http
    from assay.web.serving.workers.supervisor import serve_with_workers

    flags = {"host": host, "port": port, "workers": workers}
    server = {key: value for key, value in flags.items() if value is not None}
    settings = options.settings_from(config, data_dir, {"server": server} if server else None)
    configure_server_log()
    listen = settings.server
    with Assay.open(settings, generation=generation) as assay:
        if listen.workers > 1:
            serve_with_workers(assay, listen.host, listen.port, server_process.__name__, allow_public=public)
            return
        if generation is not None:
            assay.searches.served_generation()  # fail at once if it does not exist
        serve_http(
            assay,
            listen.host,
            listen.port,
            allow_public=public,
            log_format=listen.log_format,
            endpoints=further_endpoints(assay),
        )


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
