"""Pages that JavaScript fills are told from short pages with text of their own."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.built_folders import built, page, plant
from tests.sites import Reply, Site, html, links, pages, reasons, served, source_of

from assay.adapters.sources.site.pages.app_shell import NEEDS_BROWSER
from assay.adapters.sources.site.pages.facts import read_html_facts
from assay.errors import SourceError
from assay.model.documents import PageExcluded, PageFailed, RawPage

SCRIPT = '<script src="/app.js"></script>'
SHELL = Reply(200, f"<html><body><div id=app>Please wait...</div>{SCRIPT}</body></html>".encode())


def _needs_browser(body: str, head: str = "") -> bool:
    text = f"<!doctype html><html><head><title>Docs</title>{head}</head><body>{body}</body></html>"
    return read_html_facts(text, "https://docs.example.org/", {}, datetime.now(UTC)).facts.needs_browser


@pytest.mark.parametrize(
    "body",
    [
        f"<div id=root></div>{SCRIPT}",
        f"<div id=__next></div><div id=modal></div>{SCRIPT}",
        f"<main></main>{SCRIPT}",
        f"<div id=app>Please wait...</div><script>window.$docsify={{}}</script>{SCRIPT}",
        f"<main><p>Loading the documentation, this takes a few seconds</p></main>{SCRIPT}",
        "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>",
        f"<noscript><main><h1>Docs</h1><p>All text is for readers without scripts.</p></main></noscript>{SCRIPT}",
        f"<p>This page requires JavaScript.</p>{SCRIPT}",
        f"<div>Bitte warten</div>{SCRIPT}",
        f"<div>加载中</div>{SCRIPT}",
    ],
)
def test_a_page_without_text_of_its_own_needs_a_browser(body: str) -> None:
    assert _needs_browser(body)


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Setup</h1>{SCRIPT}",
        f"<div id=root><p>Turn the wheel.</p></div>{SCRIPT}",
        f"<main><h1>Loading data</h1><p>Call load().</p></main>{SCRIPT}",
        f"<article>JavaScript</article>{SCRIPT}",
        "<div id=root></div>",
        "<p>Please wait</p>",
        f"<img src=plan.png>{SCRIPT}",
        f"<iframe src=demo.html></iframe>{SCRIPT}",
        '<script>window.location.replace("./latest/")</script>',
        "<script>location.href = 'latest/'</script>",
        f"<p>Please wait</p>{'<p>but read this sentence meanwhile. </p>' * 10}{SCRIPT}",
    ],
)
def test_a_page_with_text_or_without_scripts_does_not(body: str) -> None:
    assert not _needs_browser(body)


def test_a_site_of_such_pages_is_refused_with_the_ways_out(tmp_path: Path) -> None:
    with served(Site({"/": SHELL, "/a": SHELL})) as site, pytest.raises(SourceError, match="needs a browser") as error:
        list(source_of(f"{site.url}/", tmp_path / "crawl.sqlite").read({}))
    assert all(way in str(error.value.hint) for way in ("Prerender", "built folder", "llms-full.txt"))


def test_a_folder_of_such_pages_is_refused_too(tmp_path: Path) -> None:
    root = plant(tmp_path / "dist", {"index.html": SHELL.body, "assets/app.js": b""})
    with pytest.raises(SourceError, match="needs a browser"):
        list(built(root, tmp_path).read({}))


def test_one_such_page_is_excluded_and_several_fail(tmp_path: Path) -> None:
    files = {
        "index.html": page(f"Start {links('a.html', 'play/')}"),
        "a.html": page("A page"),
        "play/index.html": SHELL.body,
    }
    root = plant(tmp_path / "dist", files)
    items = list(built(root, tmp_path).read({}))
    assert sorted(pages(items)) == ["/", "/a.html"]
    assert [item for item in items if isinstance(item, PageExcluded)] == [
        PageExcluded("https://docs.example.org/play", NEEDS_BROWSER)
    ]
    plant(root, {"a.html": SHELL.body})
    failed = [item for item in built(root, tmp_path).read({}) if isinstance(item, PageFailed)]
    assert {item.reason for item in failed} == {NEEDS_BROWSER}
    assert len(failed) == 2


def test_a_live_page_that_needs_a_browser_now_has_failed_and_is_not_gone(tmp_path: Path) -> None:
    with served(Site({"/": html(f"Start {links('/a')}"), "/a": html("A page")})) as site:
        source = source_of(f"{site.url}/", tmp_path / "crawl.sqlite")
        known = {item.key: item.source_hash for item in source.read({}) if isinstance(item, RawPage)}
        site.pages["/a"] = SHELL
        items = list(source.read(known))
    assert reasons([item for item in items if isinstance(item, PageFailed)]) == {"/a": NEEDS_BROWSER}
