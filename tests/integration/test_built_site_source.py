"""A real Docusaurus build, served under another host name and port than its sitemap says, is found whole."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.built_site import built_files, serving
from tests.sites import Site, site_limits, source_of

from assay.model.documents import PageRead, PageUnchanged, RawPage

PAGES, EACH = 276, 69


@pytest.fixture(scope="module")
def build(shared: Path) -> dict[str, bytes]:
    return built_files(shared)


@pytest.fixture(scope="module")
def site(build: dict[str, bytes]) -> Iterator[Site]:
    with serving(build) as site:
        yield site


@pytest.fixture(scope="module")
def read(site: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[PageRead], list[PageRead]]:
    """What came at first, and what came again. `localhost` is not what the sitemap says."""
    start = f"http://localhost:{urlsplit(site.url).port}/"
    source = source_of(start, tmp_path_factory.mktemp("built") / "crawl.sqlite", limits=site_limits())
    items = list(source.read({}))
    known = {item.key: item.source_hash for item in items if isinstance(item, RawPage)}
    return items, list(source.read(known))


def test_every_page_is_found_once_and_nothing_else(
    build: dict[str, bytes], site: Site, read: tuple[list[PageRead], list[PageRead]]
) -> None:
    origin = f"http://localhost:{urlsplit(site.url).port}"
    expected = {f"{origin}{path.removesuffix('/index.html')}" for path in build if path.endswith("/index.html")}
    assert len(expected) == PAGES
    assert [item.key for item in read[0]] == sorted(expected)
    assert all(isinstance(item, RawPage) for item in read[0])


def test_version_and_locale_are_right_on_every_page(read: tuple[list[PageRead], list[PageRead]]) -> None:
    found: Counter[tuple[object, ...]] = Counter()
    for page in read[0]:
        assert isinstance(page, RawPage)
        path = urlsplit(page.url).path
        locale = "fr" if path.startswith("/fr/") else "en"
        version = "next" if path.removeprefix("/fr").startswith("/docs/next/") else "2.0"
        assert (page.locale, page.version) == (locale, version)
        assert page.locale_is_default == (locale == "en")
        assert page.version_is_current == (version == "2.0")
        found[locale, version] += 1
    assert set(found.values()) == {EACH}
    assert len(found) == 4


def test_an_unchanged_build_is_not_fetched_again(read: tuple[list[PageRead], list[PageRead]]) -> None:
    assert len(read[1]) == PAGES
    assert all(isinstance(item, PageUnchanged) for item in read[1])
