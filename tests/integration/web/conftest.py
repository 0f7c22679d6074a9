"""A published index of a few dozen pages, and servers over it."""

import re
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient
from tests.browsing import chromium, new_context, served_site, site_settings, tab, write_site
from tests.forking import ForkedProgram

from assay.app import Assay
from assay.app.searching import Searches
from assay.cli import server_process
from assay.cli.server_process import further_endpoints
from assay.settings import Settings, load_settings
from assay.web.application import create_app
from assay.web.serving.server import serve
from assay.web.serving.workers.supervisor import serve_with_workers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

BASE_URL = "https://docs.example.org/robots"
PARTS = ("gripper", "camera", "battery", "lidar", "ankle", "wrist", "speaker", "gyroscope")
TASKS = ("Calibrating", "Replacing", "Cleaning", "Testing")
CHUNKS = len(PARTS) * len(TASKS) + 1

QUERY_FIELDS = {"/v1/search": "query", "/search": "query", "/query": "query_text", "/api/v1/search": "query_text"}
"""What each route that searches calls the query."""

QUERY_LIMITS = {"/v1/search": 2_000, "/search": 500, "/query": 1_999, "/api/v1/search": 500}
TOP_K_LIMITS = {"/v1/search": 100, "/search": 20, "/query": 20, "/api/v1/search": 100}
THRESHOLD_FIELDS = {
    "/v1/search": "threshold",
    "/query": "threshold",
    "/api/v1/search": "similarity_threshold",
}
ROUTES = tuple(QUERY_FIELDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """End the process of a test in a browser that takes too long: Playwright catches what a signal raises."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(method="thread"))


def asking(route: str, query: object = "How do nodes communicate?", **fields: object) -> dict[str, object]:
    """A body that asks this of a route, whatever the similarity of what is found."""
    lowest = {"similarity_threshold": 0.0} if route == "/api/v1/search" else {}
    return {QUERY_FIELDS[route]: query, **lowest, **fields}


def write_pages(folder: Path) -> Path:
    """A small manual: one page for each part and task, and one about nodes."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        for task in TASKS:
            page = (
                f"# {task} the {part}\n\n{task} the {part} takes two people. Switch the robot off before {part} work.\n"
            )
            (folder / f"{task.lower()}-{part}.md").write_text(page, encoding="utf-8")
    (folder / "nodes.md").write_text(
        "# Nodes\n\nNodes are the programs of the robot.\n\n## Topics\n\nNodes communicate by topics: one publishes, "
        'any number subscribe. Zeichen wie Räder 🤖 bleiben, & "quotes" too: `<b>a < b</b>`.\n',
        encoding="utf-8",
    )
    return folder


def settings_for(folder: Path, **server: object) -> Settings:
    """Settings over the pages in this folder, with the index beside them."""
    return load_settings(
        None,
        {
            "data_dir": folder / "index",
            "sources": [{"path": folder / "pages", "name": "manual", "base_url": BASE_URL, "convention": "plain"}],
            "server": server,
        },
    )


def paid_settings(folder: Path, provider_url: str, **more: object) -> Settings:
    """The same over the vectors of a provider that speaks OpenAI's API. more: further tables of settings."""
    return load_settings(
        None,
        {
            "data_dir": folder / "index",
            "sources": [{"path": folder / "pages", "name": "manual", "base_url": BASE_URL, "convention": "plain"}],
            "embedding": {
                "provider": "openai",
                "model": "bge",
                "dimensions": 1024,
                "base_url": f"{provider_url}/v1",
                "openai_api_key": "peer-key",
                "query_cache": 0,
            },
            "gate": {"max_unreachable": 1.0},  # vectors of hashes know nothing of what a title means
            **more,
        },
    )


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages and a live generation of them; for reading only."""
    folder = tmp_path_factory.mktemp("published")
    write_pages(folder / "pages")
    with Assay.open(settings_for(folder)) as assay:
        assert assay.publish().promoted
    return folder


@pytest.fixture(scope="session")
def assay(published: Path) -> Iterator[Assay]:
    """An Assay that serves the published index, to pages of any site too."""
    with Assay.open(settings_for(published, cors_origins=["*"])) as opened:
        opened.searches.start_serving()
        yield opened


@pytest.fixture(scope="session")
def client(assay: Assay) -> Iterator[TestClient]:
    """A client of the application over it, in this process."""
    with TestClient(create_app(assay)) as opened:
        yield opened


Connect = Callable[[Assay], TestClient]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes clients of applications over other Assays."""
    opened: list[TestClient] = []

    def open_client(assay: Assay) -> TestClient:
        client = TestClient(create_app(assay)).__enter__()
        opened.append(client)
        return client

    yield open_client
    for client in opened:
        client.__exit__(None, None, None)


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server process that answers."""

    port: int
    process: ForkedProgram
    log: Path

    def stop(self, how: signal.Signals = signal.SIGTERM) -> str:
        """End it with a signal and give what it wrote to standard error."""
        self.process.send_signal(how)
        self.process.wait(timeout=60)
        return self.log.read_text(encoding="utf-8")


def _serve(folder: Path, definitions: str, kind: str, server: dict[str, object]) -> None:
    names: dict[str, Any] = {"Searches": Searches, "Path": Path}
    exec(definitions, names)
    with Assay.open(settings_for(folder, **server)) as assay:
        if assay.settings.server.workers > 1:
            serve_with_workers(assay, "127.0.0.1", 0, server_process.__name__, allow_public=False)
            return
        assay.searches.__class__ = names[kind]
        serve(assay, "127.0.0.1", 0, log_format="json", endpoints=further_endpoints(assay))


@contextmanager
def running_server(
    folder: Path, *, definitions: str = "", kind: str = "Searches", **server: object
) -> Iterator[RunningServer]:
    """A server process over the index in a folder, on a free port.

    definitions, kind: source of a subclass of Searches, and its name, to search instead.
    """
    with tempfile.TemporaryDirectory() as scratch:
        # A file, not a pipe: a pipe that nobody reads is full after some hundred lines, and the server would wait.
        log = Path(scratch) / "log"
        process = ForkedProgram(log, _serve, folder, definitions, kind, server)
        try:
            line = process.stdout.readline()
            found = re.fullmatch(r"Assay answers at http://127\.0\.0\.1:(\d+)\n", line)
            assert found, f"no ready line but {line!r}; {log.read_text()}"
            yield RunningServer(int(found[1]), process, log)
        finally:
            process.close()


@pytest.fixture(scope="module")
def default_server(published: Path) -> Iterator[RunningServer]:
    """A server with default settings, shared by the tests of a module; at its end its log has no traceback."""
    with running_server(published) as server:
        yield server
        assert "Traceback" not in server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A Chromium; skips where there is none. Only for a module: until it ends, asyncio.run refuses to start."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def context(browser: "Browser") -> Iterator["BrowserContext"]:
    """A profile of it for the tests of a module, which share its cache; storage is cleared for each tab."""
    opened = new_context(browser)
    yield opened
    opened.close()


@pytest.fixture
def tab_page(context: "BrowserContext") -> Iterator["Page"]:
    """A tab in it."""
    with tab(context) as page:
        yield page


@pytest.fixture(scope="session")
def browsed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site of tests/browsing.py and its live generation; for reading only."""
    folder = write_site(tmp_path_factory.mktemp("browsed"))
    with Assay.open(site_settings(folder)) as assay:
        assert assay.publish().promoted
    return folder


@pytest.fixture(scope="session")
def browsed(browsed_site: Path) -> Iterator[str]:
    """The URL of a server over it."""
    with served_site(browsed_site) as url:
        yield url
