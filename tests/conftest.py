"""Fixtures that many tests share."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from hypothesis import settings

from assay.redaction import forget
from tests.disks import mounted
from tests.postgres import PostgresServer, running_postgres
from tests.quick import command_made_once, leave_to_the_system
from tests.schemas import schema_made_once

# How long an example takes says something about the machine, not about the code.
# The suite tries the same examples everywhere; `make soak` looks for new ones.
settings.register_profile("assay", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "assay"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In a shell's background interrupts are ignored, by every process that a test starts too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until the tests are collected: nothing of them goes away

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--contract 000.1` runs the tests of one row of docs/contracts.md."""
    parser.addoption("--contract", metavar="NUMBER", help="run only the tests that prove this row of docs/contracts.md")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep only the tests that are marked with the wanted row."""
    number = config.getoption("--contract")
    if number is None:
        return
    proving = [item for item in items if any(number in marker.args for marker in item.iter_markers("contract"))]
    config.hook.pytest_deselected(items=[item for item in items if item not in proving])
    items[:] = proving


def pytest_collection_finish() -> None:
    """Look for garbage again, and never among the modules and tests, which is a tenth of the run."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real corpora, sites and labelled collections; a clone elsewhere does not have it."""
    folder = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip(f"the shared corpora are not at {folder}; set ASSAY_SHARED to their folder")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A Postgres server for all tests; one that kills it or changes how it works starts its own instead."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """URL of a new, empty database."""
    url = postgres.new_database()
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="session", autouse=True)
def _schema_made_once() -> Iterator[None]:
    with schema_made_once():
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_needless_work() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", command_made_once)
        patch.setattr(os, "fsync", leave_to_the_system)
        yield


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 MB; skips where mounting is not allowed."""
    with mounted(tmp_path / "small") as folder:
        yield folder


@pytest.fixture(autouse=True)
def _no_secret_of_another_test() -> Iterator[None]:
    """The settings of one test leave nothing masked in another."""
    yield
    forget()
