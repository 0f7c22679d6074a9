"""Run the web application in one process on one socket, with a graceful shutdown."""

import gc
import signal
import socket
import time
from collections.abc import Callable, Sequence
from threading import Event
from types import FrameType

import uvicorn

from assay.adapters.telemetry.log_lines import LogFormat
from assay.app import Assay
from assay.errors import AssayError, ConfigurationError
from assay.settings import ServerSettings
from assay.web.application import Endpoint, Listening, create_app
from assay.web.middleware.guards import ANY_HOST, LOOPBACK_HOSTS
from assay.web.middleware.in_flight import InFlight
from assay.web.middleware.logs import configure_logging
from assay.web.serving.connections import MAX_HEAD_BYTES, guarded_protocol
from assay.web.serving.listening import BACKLOG, check_public, is_loopback, listen, url_of, write_line

NOTICE_SECONDS = 1.0
"""Seconds in which a stopping server still accepts connections while /readyz fails, so that balancers notice."""

_KEEP_ALIVE_SECONDS = 75
_NEW_OBJECTS = 20_000
"""Threshold of the first garbage-collector generation: about ten searches."""


def serve(
    assay: Assay,
    host: str,
    port: int,
    *,
    allow_public: bool = False,
    log_format: LogFormat = "text",
    announce: Callable[[str], None] = write_line,
    endpoints: Sequence[Endpoint] = (),
) -> None:
    """Answer over HTTP until SIGTERM or SIGINT.

    port: 0 for any free one.
    allow_public: permit an address that other machines can reach; it also requires an API key with scope `admin`.
    announce: called with one line that contains the URL, once the server accepts requests.
    endpoints: further surfaces to serve.

    On SIGTERM, /readyz turns 503, new connections are refused NOTICE_SECONDS later, and requests in progress have
    `[server] drain_seconds` to finish. SIGINT skips the notice; a second signal stops at once.

    Raises ConfigurationError when it cannot listen on the address, or when the address is public without allow_public
    and such a key.
    """
    if not is_loopback(host):
        check_public(assay, host, allow_public=allow_public)
    check_placeholders(assay, host)
    configure_logging(log_format)
    with listen(host, port) as listener:
        assay.searches.start_serving()
        ready = f"Assay answers at {url_of(listener)}"
        build_server(assay, host, lambda: announce(ready), endpoints).run(sockets=[listener])


def build_server(
    assay: Assay,
    host: str,
    on_ready: Callable[[], None],
    endpoints: Sequence[Endpoint] = (),
    kind: "type[DrainingServer] | None" = None,
) -> "DrainingServer":
    """Build the server of one process over an Assay that serves.

    on_ready: called once it accepts requests. kind: its class; None for DrainingServer.
    """
    settings = assay.settings.server
    drain = Event()
    in_flight = InFlight(settings.max_requests)
    app = create_app(assay, drain, _listening(host, settings), endpoints=endpoints, in_flight=in_flight)
    _reduce_gc()
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=guarded_protocol(settings, in_flight, assay.searches.metrics.overloaded),
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.drain_seconds,
    )
    return (kind or DrainingServer)(config, drain, min(NOTICE_SECONDS, settings.drain_seconds), on_ready)


def _reduce_gc() -> None:
    """Collect garbage less often, and exclude all objects that exist now.

    A full collection blocks all requests for 0.1 s and more.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


class DrainingServer(uvicorn.Server):
    """A uvicorn server that fails its readiness probe before it stops, and exits with 0.

    notice_seconds: between SIGTERM and the closing of the socket.
    on_ready: called once the server accepts requests.
    """

    def __init__(
        self, config: uvicorn.Config, drain: Event, notice_seconds: float, on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._drain = drain
        self._notice_seconds = notice_seconds
        self._on_ready = on_ready
        self._stop_at: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call on_ready."""
        await super().startup(sockets)
        self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop; called several times a second."""
        if self._stop_at is not None and time.monotonic() >= self._stop_at:
            self.should_exit = True
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a signal handler's signature
        """Begin to stop; at the second signal, stop at once.

        uvicorn's own handler raises the signal again afterwards, so that a clean exit looks like a crash.
        """
        if self._drain.is_set():
            self.stop_now()
        else:
            self.begin_stop(with_notice=sig != signal.SIGINT)

    def begin_stop(self, *, with_notice: bool) -> None:
        """Fail the readiness probe, and close the socket after the notice. Any thread may call this."""
        self._drain.set()
        self._stop_at = time.monotonic() + (self._notice_seconds if with_notice else 0.0)

    def stop_now(self) -> None:
        """Stop without waiting for requests in progress. Any thread may call this."""
        self.should_exit = self.force_exit = True


def check_placeholders(assay: Assay, host: str) -> None:
    """Raise ConfigurationError if other machines reach the host and the live generation has placeholder URLs.

    Refuse such generations later too. Other errors are reported when serving starts.
    """
    if is_loopback(host):
        return
    assay.searches.needs_real_addresses = True
    try:
        assay.searches.live.refresh()
    except ConfigurationError:
        raise
    except AssayError:
        return


def _listening(host: str, settings: ServerSettings) -> Listening:
    """With a trusted proxy, requests come from other machines and for the proxy's host names."""
    exposed = not is_loopback(host) or bool(settings.trusted_proxies)
    return Listening(ANY_HOST if exposed else (*LOOPBACK_HOSTS, host), exposed)
