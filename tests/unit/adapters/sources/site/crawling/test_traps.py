"""A site full of traps is read with a precision and a recall of 1."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.site_traps import BESIDES, LIMITS, SCOPE, Trap, trap_site, traps
from tests.sites import Site, failed, known_of, pages, reasons, served, source_of

from assay.model.documents import PageRead, PageUnchanged


@dataclass(frozen=True)
class Read:
    """The site, the other server that must not be asked, and what came."""

    site: Site
    elsewhere: Site
    traps: list[Trap]
    items: list[PageRead]
    again: list[PageRead]
    log: str


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    lines: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("assay.adapters.sources.site")
    logger.addHandler(listener)
    logger.setLevel(logging.INFO)
    with served(Site()) as elsewhere, served(Site()) as site:
        found = trap_site(site, elsewhere.url)
        store: Path = tmp_path_factory.mktemp("traps") / "crawl.sqlite"
        source = source_of(site.url, store, limits=LIMITS, scope=SCOPE)
        items = list(source.read({}))
        again = list(source.read(known_of(items)))
        yield Read(site, elsewhere, found, items, again, "\n".join(lines))
    logger.removeHandler(listener)
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("name", [trap.name for trap in traps("http://127.0.0.1:1")])
def test_of_each_trap_come_its_pages_and_no_others(read: Read, name: str) -> None:
    trap = next(trap for trap in read.traps if trap.name == name)
    came = {path for path in pages(read.items) if path == trap.folder or path.startswith(trap.folder + "/")}
    assert came == trap.expected
    why = reasons(read.items)
    for relative, word in trap.left.items():
        assert word in why.get(trap.path(relative), "nothing was said"), relative


def test_precision_and_recall_over_the_whole_site_are_one(read: Read) -> None:
    expected = {path for trap in read.traps for path in trap.expected} | BESIDES
    came = set(pages(read.items))
    assert came - expected == set()
    assert expected - came == set()


def test_no_other_server_of_this_machine_is_asked(read: Read) -> None:
    assert not read.elsewhere.asked


def test_what_is_not_allowed_or_excluded_is_not_asked_for(read: Read) -> None:
    assert read.site.asked["/robots.txt/private/a"] == 0
    assert read.site.asked["/excluded/a"] == 0
    assert not [path for path in read.site.asked if "q=a" in path or "?sort" in path]


def test_reading_again_says_the_same_of_every_page(read: Read) -> None:
    assert {item.key for item in read.again if isinstance(item, PageUnchanged)} == set(known_of(read.items))
    assert reasons(read.again) == reasons(read.items)


def test_a_failure_is_none_of_what_is_left_out_on_purpose(read: Read) -> None:
    words = ("longer", "too long", "decoded", "took longer", "connection", "HTTP", "returned 50", "304")
    assert all(any(word in reasons(read.items)[path] for word in words) for path in failed(read.items))


def test_the_log_tells_what_was_left_out_in_few_lines_and_without_credentials(read: Read) -> None:
    assert "skipped" in read.log
    assert "secret" not in read.log
    assert "document type" in read.log
    assert "invalid XML" in read.log
    assert len(read.log.splitlines()) < 60
