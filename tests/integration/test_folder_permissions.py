"""Folders that the reader may not list: nothing in them looks as if it were gone."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.disks import bound_by_permissions
from tests.folders import folder, pages, plant

from assay.errors import SourceError
from assay.model.documents import PageFailed, PageRead, UnreadFiles

SITE = {
    "docusaurus.config.js": "module.exports = {url: 'https://docs.example.org', i18n: {locales: ['en', 'fr']}};",
    "docs/a.md": "# A",
    "docs/deep/b.md": "# B",
    "i18n/fr/docusaurus-plugin-content-docs/current/a.md": "# A en français",
    "versioned_docs/version-1.0/a.md": "# A before",
}


@pytest.fixture
def site() -> Iterator[Path]:
    """A folder that other users may enter; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def read_while_closed(site: Path, closed: str) -> list[PageRead]:
    """Read a site that was read before, with a folder in it that may not be entered now."""
    source = folder(site)
    known = {page.key: page.source_hash for page in pages(list(source.read({}))).values()}
    (site / closed).chmod(0o000)
    try:
        with bound_by_permissions():
            return [item for item in source.read(known) if not isinstance(item, UnreadFiles)]
    finally:
        (site / closed).chmod(0o755)


@pytest.mark.parametrize("convention", ["docusaurus", "plain"])
def test_a_closed_folder_of_pages_is_reported_and_the_rest_is_read(site: Path, convention: str) -> None:
    files = SITE if convention == "docusaurus" else {"a.md": "# A", "deep/b.md": "# B", "other/c.md": "# C"}
    plant(site, files)
    closed = "docs/deep" if convention == "docusaurus" else "deep"
    items = read_while_closed(site, closed)
    failed = {item.key: item.reason for item in items if isinstance(item, PageFailed)}
    assert failed[f"{closed}/"] == "the folder cannot be read: Permission denied"
    assert set(failed) == {f"{closed}/", f"{closed}/b.md"}
    assert {item.key for item in items} - failed.keys() == {
        name for name in files if name.endswith(".md") and not name.startswith(closed)
    }


@pytest.mark.parametrize("closed", ["i18n", "i18n/fr", "versioned_docs", "versioned_docs/version-1.0", "docs"])
def test_a_closed_folder_of_a_whole_version_or_locale_stops_the_reading_and_is_named(site: Path, closed: str) -> None:
    plant(site, SITE)
    with pytest.raises(SourceError) as raised:
        read_while_closed(site, closed)
    named = raised.value.message.removeprefix("The folder ").split(" cannot be read")[0]
    assert Path(named) == site / closed
