"""`[[sources]]`: a folder or a site, and what belongs to each."""

from pathlib import Path
from typing import Any

import pytest

from assay.errors import ConfigurationError
from assay.settings import load_settings

SITE = "https://docs.example.org/guide/"


def _load(**source: Any) -> Any:  # noqa: ANN401 - a settings table
    return load_settings(None, {"sources": [source]}).sources[0]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_source_is_a_folder_or_a_site() -> None:
    assert _load(path="docs").path == Path("docs")
    assert _load(url=SITE).url == SITE


@pytest.mark.parametrize("source", [{}, {"name": "docs"}, {"path": "docs", "url": SITE}])
def test_a_source_with_no_place_or_two_is_refused(source: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"either path \(a folder\) or url \(a site\)"):
        _load(**source)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ({"path": "docs", "include": ["/a"], "max_pages": 3}, "include, max_pages: only for sites"),
        ({"url": SITE, "base_url": SITE}, "base_url: only for folders"),
        ({"url": SITE, "convention": "mkdocs"}, "convention: only for folders"),
    ],
)
def test_what_belongs_to_the_other_kind_is_refused_by_name(source: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        _load(**source)


@pytest.mark.parametrize(
    "url", ["ftp://docs.example.org", "docs.example.org", "https://", "https://[::1", "https://a:b@docs.example.org/"]
)
def test_what_is_no_address_of_a_site_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"sources\.0\.url"):
        _load(url=url)


@pytest.mark.parametrize("boost", [0, -1, 10.5, float("nan"), float("inf")])
def test_a_boost_is_more_than_0_and_at_most_10(boost: float) -> None:
    with pytest.raises(ConfigurationError, match="boost"):
        _load(path="docs", boost=boost)


@pytest.mark.parametrize("name", ["Host", "content-length", "a b", "", "X:Y"])
def test_a_header_that_would_break_the_transport_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="not a header that can be set"):
        _load(url=SITE, headers={name: "x"})


@pytest.mark.parametrize("value", ["a\r\nX: y", "schlüssel"])
def test_a_header_value_that_cannot_be_sent_is_refused_and_never_repeated(value: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        _load(url=SITE, headers={"Authorization": value})
    assert value not in str(caught.value)


def test_a_table_that_is_refused_as_a_whole_shows_no_header() -> None:
    with pytest.raises(ConfigurationError) as caught:
        _load(url=SITE, path="docs", headers={"Authorization": "Bearer secret-1"})
    assert "secret-1" not in str(caught.value)


@pytest.mark.parametrize("source", [{"path": "docs"}, {"url": SITE}])
def test_a_source_can_be_written_out_with_all_its_defaults(source: dict[str, str]) -> None:
    assert _load(**_load(**source).model_dump()) == _load(**source)


def test_headers_do_not_show_in_the_settings() -> None:
    settings = load_settings(None, {"sources": [{"url": SITE, "headers": {"Authorization": "Bearer secret-1"}}]})
    assert "secret-1" not in repr(settings)


def test_a_site_of_the_command_line_takes_what_the_file_says_of_it(tmp_path: Path) -> None:
    from assay.cli.options import settings_from, source_overrides

    (tmp_path / "assay.toml").write_text(f'[[sources]]\nurl = "{SITE}"\nexclude = ["/guide/old"]\nboost = 2.0\n')
    overrides = source_overrides([SITE.rstrip("/")], None, "guide", None, None, None)
    (source,) = settings_from(None, None, overrides).sources
    assert (source.name, source.exclude, source.boost) == ("guide", ("/guide/old",), 2.0)
