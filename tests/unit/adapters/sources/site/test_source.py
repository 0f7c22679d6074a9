"""A site passes the conformance kit of sources."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sites import Reply, Site, html, links, served, sitemap, source_of, xml

from assay.testing import EditablePlace, SourceConformance

PAGES = ("/docs", "/docs/setup", "/docs/use", "/docs/mend")


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site({path: html(f"{path} is a page {links(*PAGES)}") for path in PAGES})
    with served(site):
        yield site


class TestSiteSource(SourceConformance):
    @pytest.fixture
    def place(self, site: Site, tmp_path: Path) -> EditablePlace:
        def edit(key: str) -> None:
            page = site.pages[key.removeprefix(site.url)]
            assert isinstance(page, Reply)
            site.pages[key.removeprefix(site.url)] = replace(page, body=page.body.replace(b"</p>", b" More.</p>"))

        site.pages["/sitemap.xml"] = xml(sitemap(*(site.url + path for path in PAGES)))
        return EditablePlace(
            source=source_of(site.url + "/docs", tmp_path / "crawl.sqlite"),
            edit=edit,
            remove=lambda key: site.pages.pop(key.removeprefix(site.url)) and None,
            spoil=lambda key: site.pages.update({key.removeprefix(site.url): Reply(500)}),
            unreadable=source_of("http://127.0.0.1:9/docs", tmp_path / "nothing.sqlite"),
        )
