"""Facts that an earlier version read are read anew, from the store and not from the site."""

import sqlite3
from pathlib import Path

from tests.sites import Site, html, known_of, links, served, source_of

from assay.adapters.sources.site.pages import facts


def test_after_a_change_of_revision_unmodified_pages_are_read_anew_from_the_store(tmp_path: Path) -> None:
    pages = {"/": html(f"Start {links('/a')}"), "/a": html(f"A {links('/b')}"), "/b": html("B")}
    with served(Site(pages)) as site:
        source = source_of(site.url, tmp_path / "crawl.sqlite")
        first = known_of(list(source.read({})))
        store = sqlite3.connect(tmp_path / "crawl.sqlite", isolation_level=None)
        store.execute("UPDATE page SET revision = 0, links = x'', facts = '{\"version\": \"wrong\"}'")
        site.forget()
        assert known_of(list(source.read({}))) == first
        assert site.statuses[304] == 3
        assert {revision for (revision,) in store.execute("SELECT revision FROM page")} == {facts.REVISION}
        store.close()
