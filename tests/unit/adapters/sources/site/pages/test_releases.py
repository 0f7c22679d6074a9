"""What a site's list of versions says, and what becomes of a version that is served by two names."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sites import Reply, Site, html, known_of, links, pages, reasons, redirect, served, source_of

from assay.adapters.sources.site.options import SiteScope
from assay.adapters.sources.site.pages.releases import Release, read_releases, version_roots
from assay.errors import ConfigurationError

ROOT = "https://x.org/docs"
MIKE = [
    {"version": "3.0-dev", "title": "3.0-dev", "aliases": ["dev"]},
    {"version": "2.1", "title": "2.1.0", "aliases": ["latest"]},
    {"version": "2.0", "title": "2.0.4", "aliases": []},
]


@pytest.mark.parametrize(
    ("entries", "releases"),
    [
        (MIKE, (Release(("dev", "3.0-dev")), Release(("latest", "2.1")), Release(("2.0",)))),
        (
            [{"name": "2.1 (stable)", "version": "2.1", "url": "https://x.org/docs/stable/", "preferred": True}],
            (Release(("stable", "2.1"), is_preferred=True),),
        ),
        ([{"version": "2.1", "url": "../docs/v2.1/index.html"}], (Release(("2.1",)),)),
        ([{"version": "2.1", "url": "https://elsewhere.org/other/"}], (Release(("2.1",)),)),
        ([{"version": "2.1", "aliases": ["latest"]}, {"version": "2.0", "aliases": ["latest"]}],
         (Release(("latest", "2.1")), Release(("2.0",)))),
        ([{"version": "2.1", "aliases": ["big", "latest", "stable"]}], (Release(("stable", "latest", "big", "2.1")),)),
        ([7, None, {}, {"version": 2.1}, {"version": ""}, {"version": "../../etc", "aliases": "latest"}], ()),
        ({"2.1": "latest"}, ()),
    ],
)  # fmt: skip
def test_a_list_names_versions_in_the_form_of_mike_and_of_sphinx_themes(
    entries: Any,  # noqa: ANN401 - JSON
    releases: tuple[Release, ...],
) -> None:
    assert read_releases(json.dumps(entries), ROOT) == releases


@pytest.mark.parametrize("text", ["", "<!doctype html>", "[" * 100_000, '[{"version": '])
def test_what_is_no_list_names_no_version(text: str) -> None:
    assert read_releases(text, ROOT) == ()


def test_versions_lie_where_the_paths_of_most_pages_say_it() -> None:
    keys = [f"https://x.org/{path}" for path in ("docs/2.1/a", "docs/latest/a", "api/v1/b", "about", "docs")]
    assert version_roots(keys) == ["https://x.org/docs", "https://x.org/api"]


# --- a site of mike's ---


def _version(folder: str, *names: str, head: str = "") -> dict[str, Reply]:
    """The pages of one folder, as mike copies them for an alias."""
    found = {f"/{folder}/": html(f"Home {links(*names)}", head=head.format("") if head else "")}
    return found | {f"/{folder}/{name}": html(f"Page {name}", head=head.format(name) if head else "") for name in names}


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site({"/versions.json": Reply(200, json.dumps(MIKE).encode(), {"Content-Type": "application/json"})})
    for folder, names in (("latest", "abc"), ("2.1", "abcd"), ("2.0", "ab"), ("dev", "ab"), ("3.0-dev", "ab")):
        site.pages |= _version(folder, *names)
    site.pages["/"] = html(f"Versions. {links('/latest/', '/2.1/', '/2.0/', '/dev/', '/3.0-dev/')}")
    with served(site) as site:
        yield site


def _versions(site: Site, store: Path, **given: Any) -> dict[str, tuple[str | None, bool]]:  # noqa: ANN401
    found = pages(list(source_of(site.url, store / "crawl.sqlite", **given).read({})))
    return {path: (page.version, page.version_is_current) for path, page in found.items()}


def test_a_version_and_its_alias_are_one_version_with_each_page_once(site: Site, tmp_path: Path) -> None:
    assert _versions(site, tmp_path) == {
        "/": (None, True),
        **dict.fromkeys(("/latest", "/latest/a", "/latest/b", "/latest/c"), ("latest", True)),
        "/2.1/d": ("latest", True),  # the alias has no such page
        **dict.fromkeys(("/2.0", "/2.0/a", "/2.0/b"), ("2.0", False)),
        **dict.fromkeys(("/dev", "/dev/a", "/dev/b"), ("dev", False)),
    }


def test_what_is_folded_says_why(site: Site, tmp_path: Path) -> None:
    why = reasons(list(source_of(site.url, tmp_path / "crawl.sqlite").read({})))
    assert why["/2.1/a"] == (
        f"duplicate of {site.url}/latest/a: {site.url}/versions.json lists latest and 2.1 as one version"
    )


def test_the_number_is_kept_where_the_root_leads_to_it(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = html("Moved", head='<meta http-equiv="refresh" content="1; url=2.1/">')
    site.pages["/2.1/"] = html(f"Home {links('a', 'b', 'c', 'd', '/latest/', '/dev/')}")
    found = _versions(site, tmp_path)
    assert found["/2.1/a"] == ("2.1", True)
    assert "/latest/a" not in found
    assert found["/dev/a"] == ("dev", False)


def test_the_number_is_kept_where_canonical_links_lead_to_it(site: Site, tmp_path: Path) -> None:
    site.pages |= _version("latest", "a", "b", "c", head='<link rel="canonical" href="/2.1/{}">')
    found = _versions(site, tmp_path)
    assert {path: said for path, said in found.items() if path.startswith("/2.1/")} == {
        f"/2.1/{name}": ("2.1", True) for name in "abcd"
    }
    assert not any(path.startswith("/latest") for path in found)


def test_a_page_that_fails_in_the_kept_folder_is_not_taken_from_the_other(site: Site, tmp_path: Path) -> None:
    site.pages["/latest/a"] = Reply(500)
    found = _versions(site, tmp_path)
    assert not {"/latest/a", "/2.1/a"} & set(found)


def test_redirected_aliases_tell_which_number_is_current(site: Site, tmp_path: Path) -> None:
    for name in ("", "a", "b", "c"):
        site.pages[f"/dev/{name}"] = redirect(f"/3.0-dev/{name}")
        site.pages[f"/latest/{name}"] = redirect(f"/2.0/{name}")
    listed: list[dict[str, object]] = [{"version": "2.1", "aliases": []}, {"version": "2.0", "aliases": ["latest"]}]
    site.pages["/versions.json"] = Reply(200, json.dumps(listed).encode())
    found = _versions(site, tmp_path)
    assert (found["/2.0/a"], found["/2.1/a"]) == (("2.0", True), ("2.1", False))


def test_the_preferred_version_of_a_list_is_current(site: Site, tmp_path: Path) -> None:
    listed = [{"version": "2.1", "url": "/2.1/"}, {"version": "2.0", "url": "/2.0/", "preferred": True}]
    site.pages["/versions.json"] = Reply(200, json.dumps(listed).encode())
    assert _versions(site, tmp_path)["/2.0/a"] == ("2.0", True)


def test_the_version_that_the_root_leads_to_is_current_though_there_is_a_later_one(site: Site, tmp_path: Path) -> None:
    listed = [{"version": name} for name in ("2.1", "2.0")]
    site.pages = {"/versions.json": Reply(200, json.dumps(listed).encode()), "/": redirect("/2.0/")}
    site.pages |= _version("2.0", "a", "b") | _version("2.1", "a", "b")
    site.pages["/2.0/a"] = html(f"Page a {links('/2.1/')}")
    found = _versions(site, tmp_path, scope=SiteScope(include=("/",)))
    assert (found["/2.0/a"], found["/2.1/a"]) == (("2.0", True), ("2.1", False))


def test_a_listed_version_needs_no_number(site: Site, tmp_path: Path) -> None:
    site.pages |= _version("jazzy", "a", "z")
    site.pages["/latest/a"] = html(f"Page a {links('/jazzy/')}")
    site.pages["/versions.json"] = Reply(200, json.dumps([*MIKE, {"version": "jazzy", "aliases": []}]).encode())
    assert _versions(site, tmp_path)["/jazzy/z"] == ("jazzy", False)


def test_a_person_may_name_the_current_version_by_either_name(site: Site, tmp_path: Path) -> None:
    by_number = _versions(site, tmp_path, current_version="2.1")
    assert by_number == _versions(site, tmp_path, current_version="latest")
    assert by_number["/latest/a"] == ("latest", True)
    assert _versions(site, tmp_path, current_version="2.0")["/2.0/a"] == ("2.0", True)
    with pytest.raises(ConfigurationError, match="no version '9'"):
        _versions(site, tmp_path, current_version="9")


def test_a_list_that_fails_for_a_moment_is_that_of_before_and_one_that_is_gone_is_none(
    site: Site, tmp_path: Path
) -> None:
    source = source_of(site.url, tmp_path / "crawl.sqlite")
    known = known_of(list(source.read({})))
    listed, site.pages["/versions.json"] = site.pages["/versions.json"], Reply(503)
    for _ in range(2):
        assert known_of(list(source.read(known))) == known
    site.pages["/versions.json"] = Reply(404)
    assert any("/2.1/a" in key for key in known_of(list(source.read(known))))
    site.pages["/versions.json"] = listed
    assert known_of(list(source.read({}))) == known
