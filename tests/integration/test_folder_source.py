"""Real documentation gets the URLs that its real site has."""

import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from assay.adapters.sources.folder.source import FolderSource
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage, UnreadFiles

LIMIT = 5_000_000


def read(root: Path, base_url: str) -> list[PageRead]:
    source = FolderSource(root, base_url=base_url, name=None, max_page_bytes=LIMIT)
    return [item for item in source.read({}) if not isinstance(item, UnreadFiles)]


def pages(items: list[PageRead]) -> list[RawPage]:
    return [item for item in items if isinstance(item, RawPage)]


@pytest.fixture(scope="module")
def built(shared: Path) -> dict[str, set[str]]:
    """The URLs in the sitemaps of the real build, by locale: two versions of each page."""
    with tarfile.open(shared / "sites" / "redux-toolkit-docusaurus-3.10.tar.gz") as archive:
        names = [name for name in archive.getnames() if name.endswith("sitemap.xml")]
        files = {"fr" if "fr/" in name else "en": archive.extractfile(name) for name in names}
        return {
            locale: set(re.findall(r"<loc>([^<]+)</loc>", file.read().decode()))
            for locale, file in files.items()
            if file is not None
        }


@pytest.fixture(scope="module")
def built_urls(built: dict[str, set[str]]) -> set[str]:
    """The URLs of the released version in English."""
    return {url for url in built["en"] if "/docs/next/" not in url}


def test_versions_and_translations_have_the_urls_of_the_build(
    shared: Path, built: dict[str, set[str]], tmp_path: Path
) -> None:
    docs = shared / "corpora" / "redux-toolkit" / "docs"
    plugin = "i18n/fr/docusaurus-plugin-content-docs"
    for folder in ("docs", "versioned_docs/version-2.0", f"{plugin}/current", f"{plugin}/version-2.0"):
        for file in docs.rglob("*.md*"):
            copy = tmp_path / folder / file.relative_to(docs)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    found = pages(read(tmp_path, "http://127.0.0.1:3111"))
    assert {locale: {page.url for page in found if page.locale == locale} for locale in ("en", "fr")} == built
    assert {page.url for page in found if page.primary} == {url for url in built["en"] if "/docs/next/" not in url}
    assert len(found) == 276


@pytest.mark.parametrize(("folder", "base"), [("", ""), ("", "/docs"), ("docs", "/docs")])
def test_redux_toolkit_has_the_urls_of_its_build(shared: Path, built_urls: set[str], folder: str, base: str) -> None:
    items = read(shared / "corpora" / "redux-toolkit" / folder, f"http://127.0.0.1:3111{base}")
    assert {page.url for page in pages(items)} == built_urls
    assert len(built_urls) == len(items) == 69
    assert Counter(page.media_type for page in pages(items)) == {MediaType.MDX: 59, MediaType.MARKDOWN: 10}
    assert {page.generator for page in pages(items)} == {"docusaurus"}


def test_react_native_has_eleven_versions_and_no_failure(shared: Path) -> None:
    items = read(shared / "corpora" / "react-native", "https://reactnative.dev")
    found = pages(items)
    assert Counter(type(item) for item in items) == {RawPage: 2219, PageExcluded: 122}
    assert len({page.url for page in found}) == len(found)
    addresses = {
        version: next(page.url for page in found if page.version == version and page.key.endswith("/actionsheetios.md"))
        for version in ("0.86", "next", "0.77")
    }
    assert addresses == {
        "0.86": "https://reactnative.dev/docs/actionsheetios",
        "next": "https://reactnative.dev/docs/next/actionsheetios",
        "0.77": "https://reactnative.dev/docs/0.77/actionsheetios",
    }
    assert {page.version for page in found if page.primary} == {"0.86"}
    assert len({page.version for page in found}) == 11


def test_react_natives_partials_are_includes_of_the_pages_that_import_them(shared: Path) -> None:
    items = read(shared / "corpora" / "react-native", "https://reactnative.dev")
    statement = re.compile(r"""from ['"]([^'"]+\.mdx?)['"]""")
    imports = Counter(path in page.includes for page in pages(items) for path in statement.findall(page.content))
    assert imports[True] > 150
    assert imports[False] == 0


def test_fastapi_has_the_urls_of_its_site(shared: Path) -> None:
    items = read(shared / "corpora" / "fastapi", "https://fastapi.tiangolo.com")
    urls = {page.url for page in pages(items)}
    assert len(urls) == len(items) == 155
    assert urls >= {
        "https://fastapi.tiangolo.com/",
        "https://fastapi.tiangolo.com/tutorial",
        "https://fastapi.tiangolo.com/tutorial/first-steps",
        "https://fastapi.tiangolo.com/advanced/security/oauth2-scopes",
        "https://fastapi.tiangolo.com/reference/openapi/models",
    }
    assert {(page.generator, page.locale) for page in pages(items)} == {("mkdocs", "en")}


@pytest.mark.parametrize("corpus", ["redux-toolkit", "fastapi", "react-native"])
def test_a_second_reading_finds_every_page_unchanged(shared: Path, corpus: str) -> None:
    source = FolderSource(shared / "corpora" / corpus, base_url=None, name=None, max_page_bytes=LIMIT)
    known = {page.key: page.source_hash for page in pages(list(source.read({})))}
    again = list(source.read(known))
    assert {item.key: item.source_hash for item in again if isinstance(item, PageUnchanged)} == known
    assert not [item for item in again if isinstance(item, RawPage | PageFailed)]


@pytest.mark.parametrize("corpus", ["redux-toolkit", "react-native", "fastapi"])
def test_links_between_files_lead_to_pages_that_exist(shared: Path, corpus: str) -> None:
    found = pages(read(shared / "corpora" / corpus, "https://h.example"))
    urls = {page.url for page in found}
    assert all(url in urls for page in found for url in page.links.values())
