"""Whatever a tree of files looks like, its pages have good URLs, and the same ones every time."""

import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.folders import folder, plant

from assay.adapters.sources.folder.mkdocs.config import is_excluded, path_patterns
from assay.adapters.sources.folder.routing import docusaurus_route, mkdocs_route, page_url, plain_route, strip_number
from assay.errors import InputError
from assay.model.documents import PageExcluded, PageFailed, RawPage
from assay.model.ids import canonical_url

BASE = "https://docs.example.org/base"
NAMES = st.one_of(
    st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.sampled_from(["index", "README", "01-a", "1. b", "7.0-x", "2021-11-y", "_p", "a b", "%2e%2e", "docs", "a", "b"]),
)
FILE_NAMES = NAMES.filter(lambda name: len(name.encode()) < 100 and name not in {".", ".."})
PATHS = st.builds(
    lambda folders, name, suffix: "/".join([*folders, name + suffix]),
    st.lists(FILE_NAMES, max_size=3),
    FILE_NAMES,
    st.sampled_from([".md", ".mdx"]),
)
SLUGS = st.one_of(st.none(), st.text(max_size=15), st.sampled_from(["/", "../x", "/a/../..", "./b", "%2e%2e/c", "//d"]))


def is_good(url: str) -> bool:
    """Canonical, under the base, and without any segment that leads elsewhere."""
    segments = urlsplit(url).path.split("/")
    is_below = url == BASE or url.startswith(f"{BASE}/")
    return is_below and url == canonical_url(url) and not {".", ".."} & {unquote(segment) for segment in segments}


@given(PATHS, SLUGS, st.booleans())
def test_a_docusaurus_route_is_a_good_url_or_refused(path: str, slug: str | None, numbers: bool) -> None:
    try:
        route = docusaurus_route(path, {"slug": slug}, numbers=numbers)
    except InputError:
        assert slug is not None
        assert {"?", "#"} & set(slug)
        return
    assert is_good(page_url(BASE, route))


@given(PATHS, st.booleans())
def test_mkdocs_and_plain_routes_are_good_urls(path: str, directory_urls: bool) -> None:
    assert is_good(page_url(BASE, mkdocs_route(path, directory_urls=directory_urls)))
    assert is_good(page_url(BASE, plain_route(path)))


@given(FILE_NAMES, FILE_NAMES)
def test_two_names_share_a_url_only_as_indexes(one: str, other: str) -> None:
    urls = [page_url(BASE, plain_route(f"f/{name}.md")) for name in (one, other)]
    if urls[0] == urls[1] and one != other:
        assert {one.lower(), other.lower()} <= {"index", "readme"}


@given(FILE_NAMES)
def test_stripping_a_number_leaves_the_end_of_the_name(name: str) -> None:
    stripped = strip_number(name)
    assert stripped
    assert name.endswith(stripped)


@given(st.text(max_size=30), PATHS)
def test_any_list_of_patterns_gives_an_answer(lines: str, path: str) -> None:
    assert is_excluded(path, path_patterns(lines)) in {True, False}


CONTENTS = st.sampled_from(
    ["", "# A\n", "---\nslug: /x\n---\n", "---\ndraft: true\n---\n", "---\na: b: c\n---\n", "[a](a.md)"]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(PATHS, CONTENTS, min_size=1, max_size=8), st.sampled_from(["docusaurus", "mkdocs", "plain"]))
def test_a_tree_gives_each_file_once_with_a_url_of_its_own(files: dict[str, str], convention: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "docs"
        kept = {}
        for path, content in files.items():
            try:
                plant(root, {path: content})
            except (NotADirectoryError, IsADirectoryError, FileExistsError):
                continue  # one file's name is another's folder
            if not any(part.startswith(".") for part in path.split("/")):
                kept[path] = content
        plant(root, {"last page.md": "# Last\n"})  # a page of its own, so that the folder is no repository
        source = folder(root, BASE, convention=convention)
        items = list(source.read({}))
        pages = [item for item in items if isinstance(item, RawPage)]
        assert items == list(source.read({}))
        assert len({item.key for item in items}) == len(items)
        assert kept.keys() <= {item.key for item in items}
        assert len({page.url for page in pages}) == len(pages)
        assert all(is_good(page.url) for page in pages)
        assert all(item.reason for item in items if isinstance(item, PageFailed | PageExcluded))
        assert all(page.links[page.key] == page.url for page in pages)
