"""Run the web application in one process on one socket, with a graceful shutdown."""

import errno
import gc
import ipaddress
import signal
import socket
import sys
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
from assay.web.connections import MAX_HEAD_BYTES, guarded_protocol
from assay.web.guards import ANY_HOST, LOOPBACK_HOSTS
from assay.web.logs import configure_logging

NOTICE_SECONDS = 1.0
"""Seconds in which a stopping server still accepts connections while /readyz fails, so that balancers notice."""

_KEEP_ALIVE_SECONDS = 75
_BACKLOG = 2_048
_NEW_OBJECTS = 20_000
"""Threshold of the first garbage-collector generation: about ten searches."""


def _write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def serve(
    assay: Assay,
    host: str,
    port: int,
    *,
    allow_public: bool = False,
    log_format: LogFormat = "text",
    announce: Callable[[str], None] = _write_line,
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
    is_public = not _is_loopback(host)
    if is_public:
        _check_public(assay, host, allow_public=allow_public)
        assay.searches.needs_real_addresses = True
        _refuse_placeholder_urls(assay)
    configure_logging(log_format)
    with _listen(host, port) as listener:
        assay.searches.start_serving()
        drain = Event()
        app = create_app(
            assay, drain, _listening(host, assay.settings.server, is_public=is_public), endpoints=endpoints
        )
        _reduce_gc()
        settings = assay.settings.server
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=guarded_protocol(settings),
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=settings.drain_seconds,
        )
        ready = f"Assay answers at {_url(listener)}"
        notice = min(NOTICE_SECONDS, settings.drain_seconds)
        DrainingServer(config, drain, notice, lambda: announce(ready)).run(sockets=[listener])


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
            self.should_exit = self.force_exit = True
            return
        self._drain.set()
        notice = 0.0 if sig == signal.SIGINT else self._notice_seconds
        self._stop_at = time.monotonic() + notice


def _is_loopback(host: str) -> bool:
    addresses = {str(info[4][0]) for info in _resolve(host, 0)}
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)


def _check_public(assay: Assay, host: str, *, allow_public: bool) -> None:
    """Raise ConfigurationError without --public, or without an API key with scope `admin`."""
    has_key = assay.parts.keys.has_admin()
    if allow_public and has_key:
        return
    reasons, remedies = [], []
    if not has_key:
        reasons.append("there is no API key with the scope `admin`, so nobody could administer it")
        remedies.append("create a key with `assay keys add NAME --scope admin`")
    if not allow_public:
        readers = "anyone with a key" if assay.settings.server.search == "key" else "anyone who reaches it"
        reasons.append(f"{readers} can read what is indexed")
        remedies.append("pass --public to allow that")
    raise ConfigurationError(
        f"Other machines can reach the address {host!r}: {', and '.join(reasons)}.",
        hint=f"Listen on 127.0.0.1 behind a proxy that authenticates clients, or {' and '.join(remedies)}.",
    )


def _refuse_placeholder_urls(assay: Assay) -> None:
    """Raise ConfigurationError if the live generation has them; other errors are reported when serving starts."""
    try:
        assay.searches.live.refresh()
    except ConfigurationError:
        raise
    except AssayError:
        return


def _listening(host: str, settings: ServerSettings, *, is_public: bool) -> Listening:
    """With a trusted proxy, requests come from other machines and for the proxy's host names."""
    exposed = is_public or bool(settings.trusted_proxies)
    return Listening(ANY_HOST if exposed else (*LOOPBACK_HOSTS, host), exposed)


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket, opened before the index so that early connections wait instead of being refused."""
    family, kind, protocol, _, address = _resolve(host, port)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"Cannot listen on port {port} of {host}: {_reason(error)}.", hint=_remedy(error)
        ) from None
    return listener


def _resolve(host: str, port: int) -> list[tuple[int, int, int, str, tuple[object, ...]]]:
    """The addresses of a host name; an empty name means every address of the machine."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        raise ConfigurationError(
            f"Cannot resolve the address {host!r}: {error}.", hint="Use 127.0.0.1, or a name of this machine."
        ) from None
    return [(*info[:4], tuple(info[4])) for info in found]


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program is already listening there"
    return (error.strerror or str(error)).lower()


def _remedy(error: OSError) -> str:
    if error.errno == errno.EACCES:
        return "Ports below 1024 need special rights; choose another with --port."
    return "Choose another with --port, or --port 0 for any free one."


def _url(listener: socket.socket) -> str:
    address, port, *_ = listener.getsockname()
    return f"http://[{address}]:{port}" if listener.family == socket.AF_INET6 else f"http://{address}:{port}"
