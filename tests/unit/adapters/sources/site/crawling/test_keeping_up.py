"""What changed on a site comes, what is gone goes, and what only failed stays."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from filelock import FileLock
from tests.sites import (
    Reply,
    Request,
    Site,
    failed,
    gone,
    html,
    known_of,
    links,
    pages,
    politeness,
    reasons,
    redirect,
    served,
    site_limits,
    sitemap,
    source_of,
    xml,
)

from assay.adapters.sources.site import store as store_module
from assay.adapters.sources.site.options import SiteScope
from assay.adapters.sources.site.source import SiteSource
from assay.errors import SourceError
from assay.model.documents import PageExcluded, PageRead, PageUnchanged, RawPage

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def site() -> Iterator[Site]:
    """A start page that links to a and b; the sitemap lists all; c is linked from b alone, d from nowhere."""
    with served(Site()) as site:
        site.pages = {
            "/": html(f"Start {links('/a', '/b')}"),
            "/a": html("A"),
            "/b": html(f"B {links('/c')}"),
            "/c": html("C"),
            "/d": html("D"),
        }
        _list(site, "/", *(f"/{name}" for name in NAMES))
        yield site


@pytest.fixture
def source(site: Site, tmp_path: Path) -> SiteSource:
    return source_of(site.url, tmp_path / "crawl.sqlite")


def _list(site: Site, *paths: str) -> None:
    site.pages["/sitemap.xml"] = xml(sitemap(*(site.url + path for path in paths)))


def _paths(items: list[PageRead]) -> set[str]:
    return {key.removeprefix("http://").partition("/")[2] for key in known_of(items)}


ALL = {"", *NAMES}


def test_unchanged_pages_are_asked_for_conditionally_and_come_without_content(site: Site, source: SiteSource) -> None:
    known = known_of(list(source.read({})))
    site.forget()
    again = list(source.read(known))
    assert {item.key for item in again if isinstance(item, PageUnchanged)} == known.keys()
    assert site.statuses[304] == len(ALL)


def test_without_validators_an_equal_page_is_unchanged(site: Site, source: SiteSource) -> None:
    site.etags = False
    known = known_of(list(source.read({})))
    assert all(isinstance(item, PageUnchanged) for item in source.read(known))


def test_without_knowledge_the_text_of_a_page_that_was_not_modified_comes_from_the_store(
    site: Site, source: SiteSource
) -> None:
    first = list(source.read({}))
    site.forget()
    assert list(source.read({})) == first
    assert site.statuses[304] == len(ALL)


def test_last_modified_is_a_condition_too(site: Site, source: SiteSource) -> None:
    when = "Tue, 01 Jul 2025 10:00:00 GMT"

    def answer(request: Request) -> Reply:
        return html("A") if request.headers.get("if-modified-since") != when else Reply(304)

    site.etags = False
    site.pages["/a"] = lambda request: (
        Reply(200, answer(request).body, {"Content-Type": "text/html", "Last-Modified": when})
        if answer(request).status == 200
        else Reply(304)
    )
    known = known_of(list(source.read({})))
    site.forget()
    list(source.read(known))
    assert site.statuses[304] == 1


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_the_site_says_is_gone_is_gone(site: Site, source: SiteSource, status: int) -> None:
    known = known_of(list(source.read({})))
    site.pages["/a"] = Reply(status)
    again = list(source.read(known))
    assert _paths(again) == ALL - {"a"}
    assert gone(again) == {"/a"}
    assert reasons(again) == {"/a": f"the server returned {status}"}


def test_a_page_that_moved_says_where_to(site: Site, source: SiteSource) -> None:
    known = known_of(list(source.read({})))
    site.pages |= {"/a": redirect("/a2"), "/a2": html("A")}
    again = list(source.read(known))
    assert _paths(again) == (ALL - {"a"}) | {"a2"}
    assert reasons(again) == {"/a": f"moved to {site.url}/a2"}


@pytest.mark.parametrize("reply", [Reply(500), Reply(503), Reply(403), Reply(401), Reply(429)])
def test_a_page_that_fails_is_not_gone_and_neither_is_what_it_links_to(
    site: Site, source: SiteSource, reply: Reply
) -> None:
    _list(site, "/", "/b")
    known = known_of(list(source.read({})))
    assert _paths(list(source.read({}))) == ALL - {"d"}
    site.pages["/b"] = reply
    again = list(source.read(known))
    assert failed(again) == {"/b"}
    assert _paths(again) == ALL - {"b", "d"}


def test_links_of_a_page_that_fails_are_known_from_when_it_last_came(site: Site, source: SiteSource) -> None:
    _list(site, "/", "/b")
    list(source.read({}))
    site.pages["/b"] = Reply(503)
    assert _paths(list(source.read({}))) == {"", "a", "c"}  # c, which b alone leads to, is asked for without knowledge


def test_what_is_gone_from_a_complete_sitemap_is_gone(site: Site, source: SiteSource) -> None:
    known = known_of(list(source.read({})))
    _list(site, "/", "/a", "/b", "/c")
    again = list(source.read(known))
    assert _paths(again) == ALL - {"d"}
    assert gone(again) == {"/d"}
    assert site.asked["/d"] == 1


@pytest.mark.parametrize(
    "broken",
    [Reply(404), Reply(500), xml("<urlset><url><loc>"), html("A page in its place")],
    ids=["missing", "failing", "broken", "a page"],
)
def test_what_a_sitemap_listed_that_is_not_whole_now_is_asked_for(
    site: Site, source: SiteSource, broken: Reply
) -> None:
    known = known_of(list(source.read({})))
    site.pages["/sitemap.xml"] = broken
    assert _paths(list(source.read(known))) == ALL
    site.pages["/d"] = Reply(404)
    assert _paths(list(source.read(known))) == ALL - {"d"}


def test_another_page_that_failed_leaves_what_was_not_found_in_doubt(site: Site, source: SiteSource) -> None:
    known = known_of(list(source.read({})))
    _list(site, "/", "/a", "/b", "/c")
    site.pages["/a"] = Reply(500)
    again = list(source.read(known))
    assert failed(again) == {"/a"}
    assert _paths(again) == ALL - {"a"}  # d is asked for, and there


def test_when_the_site_is_well_again_an_incremental_reading_is_as_a_fresh_one(
    site: Site, source: SiteSource, tmp_path: Path
) -> None:
    known = known_of(list(source.read({})))
    site.pages |= {"/a": Reply(503), "/sitemap.xml": Reply(500), "/c": redirect("/d")}
    known = known_of(list(source.read(known)))
    site.pages |= {"/a": html("A is new"), "/e": html("E")}
    _list(site, "/", "/a", "/b", "/e")
    healed = list(source.read(known))
    fresh = list(source_of(site.url, tmp_path / "fresh.sqlite").read({}))
    assert known_of(healed) == known_of(fresh)
    assert reasons(healed) == reasons(fresh)


def test_pages_that_a_limit_left_unasked_are_told(site: Site, tmp_path: Path) -> None:
    items = list(source_of(site.url, tmp_path / "crawl.sqlite", limits=site_limits(max_pages=2)).read({}))
    limit_reason = [item for item in items if isinstance(item, PageExcluded) and item.reason.startswith("not fetched")]
    assert limit_reason
    assert len([item for item in items if isinstance(item, RawPage)]) == 2


def test_a_limit_removes_no_page(site: Site, tmp_path: Path) -> None:
    store = tmp_path / "crawl.sqlite"
    known = known_of(list(source_of(site.url, store).read({})))
    again = list(source_of(site.url, store, limits=site_limits(max_pages=2)).read(known))
    assert len(known_of(again)) == 2
    assert len(failed(again)) == len(ALL) - 2
    assert all("the limit of pages was reached" in reason for reason in reasons(again).values())


# --- a reading that is cut off ---


class _Cut(Exception):
    pass


def test_a_reading_that_was_cut_off_goes_on_where_it_was(
    site: Site, source: SiteSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.adapters.sources.site.crawling.crawl import Crawl

    site.etags = False
    whole = known_of(list(source_of(site.url, tmp_path / "whole.sqlite").read({})))
    site.forget()
    kept = Crawl._follow
    monkeypatch.setattr("assay.adapters.sources.site.crawling.journal._PAGES", 1)
    calls: list[int] = []

    def cut(self: Crawl, targets: list[str], depth: int) -> None:
        kept(self, targets, depth)
        calls.append(1)
        if len(calls) == 3:
            raise _Cut

    monkeypatch.setattr(Crawl, "_follow", cut)
    with pytest.raises(_Cut):
        list(source.read({}))
    monkeypatch.setattr(Crawl, "_follow", kept)
    before = sum(site.asked[path] for path in site.asked if path in {"/", "/a", "/b", "/c", "/d"})
    assert known_of(list(source.read({}))) == whole
    after = sum(site.asked[path] for path in site.asked if path in {"/", "/a", "/b", "/c", "/d"})
    assert after - before <= len(ALL) - 2 + 1  # two were done; the start page is always looked at
    site.forget()
    list(source.read({}))
    assert all(site.asked[f"/{name}"] == 1 for name in NAMES)  # a reading that ended is not gone on with


@pytest.mark.parametrize("done", [5, 20, 28])
def test_a_reading_that_was_cut_off_knows_its_traps_when_it_goes_on(
    site: Site, source: SiteSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    from assay.adapters.sources.site.crawling.journal import Journal

    def calendar(request: Request) -> Reply:
        following = int(request.path.rpartition("/")[2]) + 1
        return html(f"Calendar. Nothing is on. {links(f'/calendar/{following}')}")

    site.pages["/"] = html(f"Start {links('/a', '/calendar/1', *(f'/list?id={number}' for number in range(25)))}")
    site.pages["/list"] = lambda request: html(f"List {request.path}")
    site.pages |= {f"/calendar/{number}": calendar for number in range(50)}
    _list(site, "/", "/a")
    whole = known_of(list(source_of(site.url, tmp_path / "whole.sqlite").read({})))
    kept, calls = Journal.finish, []

    def cut(self: Journal, *told: Any) -> None:  # noqa: ANN401 - passed on as it is
        kept(self, *told)
        calls.append(1)
        if len(calls) == done:
            raise _Cut

    monkeypatch.setattr(Journal, "finish", cut)
    with pytest.raises(_Cut):
        list(source.read({}))
    monkeypatch.setattr(Journal, "finish", kept)
    assert known_of(list(source.read({}))) == whole


def test_what_a_server_sends_behind_an_answer_fails_no_page(site: Site, source: SiteSource) -> None:
    known = known_of(list(source.read({})))
    not_modified = Reply(304, b"<html>this has no place here</html>")
    site.pages |= {path: not_modified for path in site.pages if path != "/" and not path.startswith("/sitemap")}
    assert failed(list(source.read(known))) == set()


def test_a_changed_scope_does_not_go_on_with_another_reading(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.adapters.sources.site.crawling.journal import Journal

    store = tmp_path / "crawl.sqlite"

    def cut(self: Journal, job: object, outcome: str, detail: str) -> None:
        raise _Cut

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "finish", cut)
        with pytest.raises(_Cut):
            list(source_of(site.url, store).read({}))
    narrow = source_of(site.url, store, scope=SiteScope(include=("/a",)))
    assert _paths(list(narrow.read({}))) == {"a"}


def test_a_damaged_store_is_begun_anew(site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "crawl.sqlite"
    store.write_bytes(b"this is no database" * 1_000)
    assert _paths(list(source_of(site.url, store).read({}))) == ALL
    assert "damaged" in caplog.text


@pytest.mark.parametrize("column", ["body", "links"])
def test_a_page_that_is_damaged_in_the_store_is_said(
    site: Site, source: SiteSource, tmp_path: Path, column: str
) -> None:
    list(source.read({}))
    with sqlite3.connect(tmp_path / "crawl.sqlite") as store:
        store.execute(f"UPDATE page SET {column} = x'0011'")
    with pytest.raises(SourceError, match=r"crawl\.sqlite.* cannot be used") as caught:
        list(source.read({}))
    assert "may be deleted" in str(caught.value.hint)


def test_a_store_that_cannot_be_written_is_said(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SourceError, match="cannot be used"):
        list(source_of(site.url, tmp_path / "file" / "crawl.sqlite").read({}))


def test_a_reading_beside_another_waits_and_says_so(
    site: Site, source: SiteSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_LOCK_SECONDS", 0.05)
    with FileLock(str(tmp_path / "crawl.sqlite.lock")), pytest.raises(SourceError, match="Another process"):
        list(source.read({}))
    assert _paths(list(source.read({}))) == ALL


def test_a_store_that_is_busy_too_long_is_said(
    site: Site, source: SiteSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(source.read({}))
    monkeypatch.setattr(store_module, "_BUSY_SECONDS", 0.05)
    other = sqlite3.connect(tmp_path / "crawl.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(SourceError, match="locked"):
        list(source.read({}))
    other.close()
    assert _paths(list(source.read({}))) == ALL


def test_a_reading_sees_the_store_as_it_was_when_its_crawl_ended(site: Site, source: SiteSource) -> None:
    first = source.read({})
    began = [next(first)]
    site.pages["/d"] = html("D is another page now")
    assert pages(list(source.read({})))["/d"].content != pages([*began, *first])["/d"].content


def test_pages_that_are_gone_are_not_kept(site: Site, source: SiteSource, tmp_path: Path) -> None:
    list(source.read({}))
    site.pages["/a"] = Reply(404)
    list(source.read({}))
    kept = sqlite3.connect(tmp_path / "crawl.sqlite").execute("SELECT key FROM page").fetchall()
    assert {key.rpartition("/")[2] for (key,) in kept} == {"", "b", "c", "d"} - {""} | {
        site.url.rpartition("/")[2],
        "",
    } - {site.url.rpartition("/")[2]}


def test_politeness_has_no_part_in_what_is_found(site: Site, tmp_path: Path) -> None:
    one = source_of(site.url, tmp_path / "one.sqlite", politeness=politeness(concurrency=1))
    many = source_of(site.url, tmp_path / "many.sqlite", politeness=politeness(concurrency=16))
    assert known_of(list(one.read({}))) == known_of(list(many.read({})))


def test_which_answer_comes_first_decides_nothing(tmp_path: Path) -> None:
    """Pages answer at both spellings, and each reading meets other delays: the same pages come, with the same hash."""
    turn = {"slow": 0}

    def delayed(number: int) -> Reply:
        sleep(0.004 * ((number * 7 + turn["slow"] * 5) % 6))
        both = [f"/p{(number * 3 + step) % 40}{'/' if (number + step) % 2 else ''}" for step in range(4)]
        return html(f"Page {chr(65 + number)} {links(*both)}")

    with served(Site()) as site:
        site.etags = False
        site.pages["/"] = html(f"Start {links('/p1', '/p2/')}")
        site.fallback = lambda request: (
            delayed(int(request.path.strip("/p"))) if request.path.startswith("/p") else Reply(404)
        )
        readings = []
        for turn["slow"] in range(3):
            source = source_of(site.url, tmp_path / f"{turn['slow']}.sqlite", limits=site_limits(max_pages=20))
            readings.append(known_of(list(source.read({}))))
    assert readings[0] == readings[1] == readings[2]
    assert len(readings[0]) == 20


def test_markdown_that_waits_for_its_twin_outlives_an_interrupt(
    site: Site, source: SiteSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.adapters.sources.site.crawling.crawl import Crawl

    site.pages |= {"/a": html(f"A {links('/m.md')}"), "/m.md": Reply(200, b"# M", {"Content-Type": "text/markdown"})}

    def cut(self: Crawl) -> None:
        raise _Cut

    with monkeypatch.context() as patched:
        patched.setattr(Crawl, "_markdown_without_html", cut)
        with pytest.raises(_Cut):
            list(source.read({}))
    assert _paths(list(source.read({}))) == ALL | {"m.md"}
