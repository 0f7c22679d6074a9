"""URLs are those that the site generators make."""

import pytest

from assay.adapters.sources.folder.routing import (
    docusaurus_route,
    excluded_path,
    mkdocs_route,
    page_url,
    plain_route,
    strip_locale,
    strip_number,
)
from assay.errors import InputError


@pytest.mark.parametrize(
    ("name", "stripped"),
    [
        ("01-intro", "intro"),
        ("1-intro", "intro"),
        ("001 - My Doc", "My Doc"),
        ("1. First", "First"),
        ("02_setup", "setup"),
        ("3.deploy", "deploy"),
        ("1---intro", "intro"),
        ("0-zero", "zero"),
        ("999   -   far", "far"),
        ("01-intro\nbreak", "intro\nbreak"),
    ],
)
def test_a_number_that_only_orders_is_dropped(name: str, stripped: str) -> None:
    assert strip_number(name) == stripped


@pytest.mark.parametrize(
    "name",
    [
        "intro",
        "a1-intro",
        "My Doc - 02",
        "01",
        "2021",
        "01-",
        "01 intro",
        "2021-11-foo",
        "2021-01-31 - Doc",
        "31.01.2021 - Doc",
        "01_31",
        "7.0-foo",
        "8.0",
        "14.2.16",
        "8_0_0",
    ],
)
def test_dates_versions_and_names_keep_their_numbers(name: str) -> None:
    assert strip_number(name) == name


@pytest.mark.parametrize(
    ("path", "front_matter", "route"),
    [
        ("intro.md", {}, "intro"),
        ("guides/setup.mdx", {}, "guides/setup"),
        ("01-guides/02-setup.md", {}, "guides/setup"),
        ("7.0-guides/2021-11-news.md", {}, "7.0-guides/2021-11-news"),
        ("01-guides/02-setup.md", {"parse_number_prefixes": False}, "01-guides/02-setup"),
        ("guides/setup.md", {"id": "installation"}, "guides/installation"),
        ("guides/otherExports.mdx", {"id": "other-exports"}, "guides/other-exports"),
        ("guides/setup.md", {"id": "  "}, "guides/setup"),
    ],
)
def test_a_doc_is_served_at_its_folder_and_id(path: str, front_matter: dict[str, object], route: str) -> None:
    assert docusaurus_route(path, front_matter) == route


@pytest.mark.parametrize(
    "path",
    ["guides/index.md", "guides/README.md", "guides/readme.mdx", "guides/Guides.md", "01-guides/01-guides.md"],
)
def test_the_index_of_a_folder_is_served_at_the_folder(path: str) -> None:
    assert docusaurus_route(path, {"id": "ignored"}) == "guides"


def test_a_numbered_index_is_an_ordinary_doc() -> None:
    assert docusaurus_route("guides/01-index.md", {}) == "guides/index"
    assert docusaurus_route("01-guides/guides.md", {}) == "guides/guides"


def test_the_index_of_the_docs_is_the_start_page() -> None:
    assert docusaurus_route("index.md", {}) == ""
    assert docusaurus_route("README.md", {}) == ""
    assert docusaurus_route("index/setup.md", {}) == "index/setup"


@pytest.mark.parametrize(
    ("slug", "route"),
    [
        ("/", ""),
        ("/start", "start"),
        ("/start/", "start"),
        ("start", "guides/start"),
        ("./start", "guides/start"),
        ("../start", "start"),
        ("../../../../start", "start"),
        ("/a/../../b", "b"),
        ("/%2e%2e/%2E/b", "b"),
        ("/deep//path", "deep/path"),
        ("/mit leer", "mit%20leer"),
        ("/caf%C3%A9", "caf%C3%A9"),
    ],
)
def test_a_slug_is_resolved_against_the_folder_and_stays_in_the_docs(slug: str, route: str) -> None:
    assert docusaurus_route("01-guides/index.md", {"slug": slug, "id": "ignored"}) == route


@pytest.mark.parametrize("slug", ["/a?b", "a#b"])
def test_a_slug_that_is_no_path_is_refused_by_name(slug: str) -> None:
    with pytest.raises(InputError, match=r"slug '/?a[?#]b'"):
        docusaurus_route("a.md", {"slug": slug})


def test_an_id_with_a_slash_is_refused() -> None:
    with pytest.raises(InputError, match="id 'a/b'"):
        docusaurus_route("x.md", {"id": "a/b"})


def test_number_prefixes_can_be_turned_off_for_a_site() -> None:
    assert docusaurus_route("01-guides/02-setup.md", {}, numbers=False) == "01-guides/02-setup"


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("index.md", ""),
        ("README.md", ""),
        ("tutorial/index.md", "tutorial"),
        ("tutorial/README.md", "tutorial"),
        ("tutorial/first-steps.md", "tutorial/first-steps"),
        ("tutorial/Index.md", "tutorial/Index"),
        ("01-intro.md", "01-intro"),
        ("_private.md", "_private"),
    ],
)
def test_mkdocs_serves_pages_as_folders(path: str, route: str) -> None:
    assert mkdocs_route(path) == route


def test_mkdocs_without_directory_urls_serves_html_files() -> None:
    assert mkdocs_route("a/b.md", directory_urls=False) == "a/b.html"
    assert mkdocs_route("a/index.md", directory_urls=False) == "a"


@pytest.mark.parametrize(
    ("path", "route"),
    [("a/b.md", "a/b"), ("a/README.markdown", "a"), ("INDEX.MD", ""), ("01-a/_b.mdx", "01-a/_b"), ("a.b.md", "a.b")],
)
def test_a_plain_folder_is_served_at_its_paths(path: str, route: str) -> None:
    assert plain_route(path) == route


@pytest.mark.parametrize(
    "name", ["a b", "a#b", "a?b", "100%", "a%20b", "naïve", "日本", "a\nb", 'q"uote', "a;b", "%2e%2e"]
)
def test_every_file_name_makes_a_url_of_its_own_that_says_it(name: str) -> None:
    url = page_url("https://h.example/docs", plain_route(f"x/{name}.md"))
    assert page_url("https://h.example/docs", plain_route(f"x/{name}.md")) == url
    assert url.startswith("https://h.example/docs/x/")
    assert not set(url) & set(' #?\n"')
    assert ".." not in url


def test_names_that_differ_only_in_escapes_stay_apart() -> None:
    names = ["a b", "a%20b", "a%2520b", "a+b"]
    assert len({page_url("https://h.example", plain_route(f"{name}.md")) for name in names}) == len(names)


@pytest.mark.parametrize("path", ["_part.md", "a/_part.mdx", "_parts/x.md", "a/_b/c/x.md"])
def test_docusaurus_makes_no_page_of_partials(path: str) -> None:
    assert "underscore" in (excluded_path(path) or "")


def test_docusaurus_makes_a_page_of_everything_else_that_it_reads() -> None:
    assert excluded_path("a/b_c.md") is None
    assert excluded_path("a/x.mdx") is None
    assert "only .md and .mdx" in (excluded_path("a/x.markdown") or "")


def test_a_locale_suffix_is_taken_off_once() -> None:
    assert strip_locale("a/guide.fr.md", "fr") == "a/guide.md"
    assert strip_locale("a/guide.md", "fr") == "a/guide.md"
    assert strip_locale("a/fr.md", "fr") == "a/fr.md"
