"""docs/crawling.md says the limits and the number of traps that there are."""

from pathlib import Path

from assay.adapters.site.frontier import SERIES
from assay.adapters.site.options import Politeness, SiteLimits
from tests.site_traps import traps

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "crawling.md").read_text(encoding="utf-8")


def test_the_default_limits_are_those_of_the_code() -> None:
    limits = SiteLimits()
    for row in (
        f"| pages | {limits.pages:,} |",
        f"| depth | {limits.depth} links |",
        f"| bytes of a page | {limits.page_bytes:,}, unpacked |",
        f"| bytes in all | {limits.total_bytes:,} |",
        f"in all | {limits.page_seconds:.0f}, {limits.read_seconds:.0f}, {limits.seconds / 3600:.0f} hours |",
        f"| sitemaps | {limits.sitemaps}, of {limits.sitemap_bytes:,} bytes",
        f"to {limits.query_pages} for each path",
    ):
        assert row in TEXT, row


def test_the_manners_are_those_of_the_code() -> None:
    polite = Politeness()
    assert (polite.longest_wait, polite.patience, polite.retries, polite.resume_hours) == (120, 900, 3, 24)
    assert "up to two minutes at once and 15 minutes in\nall" in TEXT
    assert "up to three times" in TEXT
    assert "within the last 24 hours" in TEXT
    assert SERIES == 8
    assert "Eight pages of a series" in TEXT


def test_the_number_of_traps_is_right() -> None:
    assert f"a site with {len(traps(''))} traps" in TEXT
