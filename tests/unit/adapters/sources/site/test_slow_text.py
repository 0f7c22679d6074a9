"""No text that a site sends takes longer to read than its length accounts for, and none ends the reading."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from tests.sites import Reply, Site, failed, html, links, pages, served, source_of

from assay.adapters.remote.retries import retry_after_seconds
from assay.adapters.sources.site.crawling import page_fetch, workers
from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchResult
from assay.adapters.sources.site.discovery.robots import header_directives
from assay.adapters.sources.site.discovery.sitemaps import read_llms, read_sitemap
from assay.adapters.sources.site.http.decoding import decode_text
from assay.adapters.sources.site.pages.facts import read_html_facts

NOW = datetime(2026, 1, 2, tzinfo=UTC)
BLANKS = " " * 200_000
NO_TIME = "Mon, 01 Jan 2024 00:00:00 +99999999999999999"


def _facts(page: str) -> object:
    return read_html_facts(page, "https://x.org/guide/a", {}, NOW)


def _sitemap(text: str) -> object:
    return read_sitemap(text.encode(), "", "https://x.org/sitemap.xml", 10_000_000)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "read",
    [
        partial(_sitemap, BLANKS + "x"),
        partial(_sitemap, f"<urlset><url><loc>{BLANKS}<x></urlset>"),
        partial(_sitemap, f"<urlset><url><loc><![CDATA[{BLANKS}<x></urlset>"),
        partial(read_llms, ("](" + "a" * 2_000) * 2_000),
        partial(read_llms, f"](a(b){'c' * 200_000}"),
        partial(decode_text, b"text", f"text/html; charset={BLANKS}!"),
        partial(_facts, f'<meta http-equiv="refresh" content="0{BLANKS}>"><p>text'),
        partial(_facts, "<div>" * 300_000 + "text"),
        partial(_facts, f"<p {' '.join(f'a{number}=1' for number in range(200_000))}>text"),
        partial(page_fetch.looks_like_html, b"<!---->" * 585),
        partial(page_fetch.looks_like_html, b"<!--" + b" -->" * 1_000),
    ],
)
def test_nothing_takes_more_than_linear_time(read: Callable[[], object]) -> None:
    read()


@pytest.mark.parametrize("start", ["", "\ufeff", " \n<!-- a --> \n<!-- b --><!---->\n", "<!-- <html> -- > -->"])
def test_html_without_a_type_is_known_by_how_it_begins(start: str) -> None:
    assert page_fetch.looks_like_html(f"{start}<!DOCTYPE  html><p>".encode())
    assert not page_fetch.looks_like_html(f"{start}%PDF<html>".encode())


@pytest.mark.parametrize("content", ["30", "10", "5;", "0.5"])
def test_a_page_that_only_loads_itself_anew_sends_nobody_on(content: str) -> None:
    page = f'<meta http-equiv="refresh" content="{content}"><p>text'
    assert read_html_facts(page, "https://x.org/a", {}, NOW).facts.refresh == ""


def test_a_date_that_no_clock_can_show_says_nothing() -> None:
    assert header_directives(f"unavailable_after: {NO_TIME}", NOW) == frozenset()
    assert retry_after_seconds(NO_TIME, NOW) is None


def test_a_page_that_this_program_fails_on_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(client: object, job: FetchJob, bounds: object) -> FetchResult:
        if job.address.endswith("/odd"):
            raise KeyError("nobody thought of this")
        return page_fetch.fetch_page(client, job, bounds)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "fetch_page", fetched)
    site = Site({"/": html("Start. " + links("/odd", "/a")), "/odd": html("Odd"), "/a": html("One page")})
    site.pages["/sitemap.xml"] = Reply(404)
    with served(site):
        items = list(source_of(site.url + "/", tmp_path / "site.sqlite").read({}))
    assert set(pages(items)) == {"/", "/a"}
    assert failed(items) == {"/odd"}
