"""docs/crawling.md says the limits and the number of traps that there are."""

from pathlib import Path

from assay.adapters.sources.site.crawling.frontier import MIN_ENDLESS_SERIES
from assay.adapters.sources.site.crawling.soft_404 import MAX_PROBES
from assay.settings.sources import SourceSettings
from tests.site_traps import traps
from tests.sites import politeness, site_limits

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "crawling.md").read_text(encoding="utf-8")


def test_the_default_limits_are_those_of_the_settings() -> None:
    settings, limits = SourceSettings(url="https://docs.example.org"), site_limits()
    for row in (
        f"| `max_pages` | {settings.max_pages:,} |",
        f"| `max_depth` | {settings.max_depth} links |",
        f"| `max_page_bytes` | {settings.max_page_bytes:,}, unpacked |",
        f"| `max_total_bytes` | {settings.max_total_bytes:,} |",
        f"| `max_seconds` | {settings.max_seconds:,.0f} ({settings.max_seconds / 3600:.0f} hours) |",
        f"without a byte | {limits.page_seconds:.0f}, {limits.read_seconds:.0f} |",
        f"differ in their query | {limits.query_pages} |",
        f"| sitemaps | {limits.sitemap_files}, of {limits.sitemap_bytes:,} bytes",
        f"to {limits.query_pages} for each path",
    ):
        assert row in TEXT, row


def test_the_manners_are_those_of_the_code() -> None:
    polite = politeness()
    limits = (polite.max_wait_seconds, polite.max_total_wait_seconds, polite.retries, polite.resume_hours)
    assert limits == (120, 900, 3, 24)
    assert "up to two minutes at once and 15 minutes in all" in " ".join(TEXT.split())
    assert "up to three times" in TEXT
    assert "within the last 24 hours" in TEXT
    assert MIN_ENDLESS_SERIES == 8
    assert "Eight pages of a series" in TEXT
    assert MAX_PROBES == 8
    assert "up to 8 parts" in TEXT


def test_the_number_of_traps_is_right() -> None:
    assert f"a site with {len(traps(''))} traps" in TEXT
