"""Pages that a site gives for addresses that are not there, each part of it in its own words."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sites import Reply, Request, Site, html, known_of, links, pages, reasons, served, source_of

from assay.adapters.sources.site.crawling.soft_404 import MAX_PROBES, PROBE_NAME, SOFT_404_REASON
from assay.errors import SourceError

WORDS = {"fr": "Cette page est introuvable", "2.1": "Nothing of release two was found", "blog": "No such post"}


def _lost(request: Request) -> Reply:
    """Says 200, and what it says differs by the first folder."""
    folder = request.path.split("/")[1]
    return html(WORDS.get(folder, "We have no such page"))


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.fallback = _lost
    for path in ("/robots.txt", "/sitemap.xml", "/llms.txt", "/favicon.ico"):
        site.pages[path] = Reply(404)
    with served(site) as site:
        yield site


@pytest.mark.parametrize("folder", WORDS)
def test_each_part_of_a_site_is_asked_what_it_says_of_pages_that_are_missing(
    site: Site, tmp_path: Path, folder: str
) -> None:
    site.pages["/"] = html(f"Start {links(f'/{folder}/found', f'/{folder}/lost', f'/{folder}/')}")
    site.pages[f"/{folder}/"] = html("The page of the folder")
    site.pages[f"/{folder}/found"] = html("A page that is there")
    items = list(source_of(site.url, tmp_path / "crawl.sqlite").read({}))
    assert set(pages(items)) == {"/", f"/{folder}", f"/{folder}/found"}
    assert reasons(items) == {f"/{folder}/lost": SOFT_404_REASON}
    assert site.asked[f"/{folder}/{PROBE_NAME}"] == 1


def test_a_part_that_gives_its_own_start_for_what_is_missing_keeps_its_start(site: Site, tmp_path: Path) -> None:
    home = html("Bienvenue. Voici la documentation")
    site.pages |= {"/": html(f"Start {links('/fr/', '/fr/a', '/fr/b')}"), "/fr/": home, "/fr/a": html("La page A")}
    site.fallback = lambda request: home if request.path.startswith("/fr/") else Reply(404)
    assert set(pages(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))) == {"/", "/fr", "/fr/a"}


def test_what_one_part_says_of_missing_pages_is_a_page_elsewhere(site: Site, tmp_path: Path) -> None:
    site.pages |= {
        "/": html(f"Start {links('/blog/a', '/help/no-post')}"),
        "/blog/a": html("A post"),
        "/help/no-post": html(WORDS["blog"]),
    }
    assert set(pages(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))) == {
        "/",
        "/blog/a",
        "/help/no-post",
    }


def test_the_number_and_the_hour_of_a_request_do_not_make_a_page_of_an_error(site: Site, tmp_path: Path) -> None:
    count = iter(range(10**6))
    site.fallback = lambda _: html(f"Sorry. No such page, request 8f3a{next(count)} at 12:{next(count):02}:07")
    site.pages |= {"/": html(f"Start {links('/a', '/b')}"), "/a": html("A page")}
    items = list(source_of(site.url, tmp_path / "crawl.sqlite").read({}))
    assert set(pages(items)) == {"/", "/a"}
    assert reasons(items) == {"/b": SOFT_404_REASON}


def test_pages_of_numbers_alone_are_not_taken_for_one_that_is_missing(site: Site, tmp_path: Path) -> None:
    site.fallback = html("404")
    site.pages |= {"/": html(f"Start {links('/a', '/b')}"), "/a": html("2024")}
    assert set(pages(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))) == {"/", "/a"}


def test_words_without_blanks_between_them_are_told_apart_beside_numbers(site: Site, tmp_path: Path) -> None:
    site.fallback = html("请求1207的页面不存在")
    site.pages |= {"/": html(f"Start {links('/a', '/b')}"), "/a": html("安装版本3需要五分钟")}
    assert set(pages(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))) == {"/", "/a"}


def test_a_site_of_many_folders_is_not_asked_in_each_of_them(site: Site, tmp_path: Path) -> None:
    plain = [f"/{name}-part/page" for name in "abcdefghijkl"]
    locales = [f"/{name}/page" for name in ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "ko")]
    site.pages |= {path: html(f"Page {path} is there") for path in plain + locales}
    site.pages["/"] = html(f"Start {links(*plain, *locales)}")
    list(source_of(site.url, tmp_path / "crawl.sqlite").read({}))
    asked = [path for path in site.asked if path.endswith(PROBE_NAME)]
    assert len(asked) == 1 + 2 * MAX_PROBES


def test_a_part_that_robots_txt_closes_is_not_asked(site: Site, tmp_path: Path) -> None:
    rules = f"User-agent: *\nDisallow: /fr/{PROBE_NAME}\n"
    site.pages["/robots.txt"] = Reply(200, rules.encode(), {"Content-Type": "text/plain"})
    site.pages |= {"/": html(f"Start {links('/fr/a')}"), "/fr/a": html("La page A")}
    assert set(pages(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))) == {"/", "/fr/a"}
    assert site.asked[f"/fr/{PROBE_NAME}"] == 0


def test_a_site_that_gives_one_page_for_all_is_an_error_until_it_is_well_again(site: Site, tmp_path: Path) -> None:
    store = tmp_path / "crawl.sqlite"
    well = {"/": html(f"Start {links('/a', '/b')}"), "/a": html("A page"), "/b": html("B page")}
    site.fallback = Reply(404)
    site.pages |= well
    known = known_of(list(source_of(site.url, store).read({})))
    for path in well:
        del site.pages[path]
    site.fallback = html("Sign in. You need to sign in to read this")
    for _ in range(2):
        with pytest.raises(SourceError, match="the same page for every address, with the title 'Sign in'"):
            list(source_of(site.url, store).read(known))
    site.fallback = Reply(404)
    site.pages |= well
    assert not pages(list(source_of(site.url, store).read(known)))  # all of it is unchanged
