"""What robots.txt, headers and meta elements say to this crawler, and to others alone."""

from datetime import UTC, datetime

import pytest

from assay.adapters.sources.site.discovery.robots import Robots, header_directives, meta_directives

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_rules_of_our_own_name_come_before_those_for_all() -> None:
    robots = Robots(
        "User-agent: assay\nDisallow: /a/*.tmp$\nAllow: /a\nCrawl-delay: 2.5\n\nUser-agent: *\nDisallow: /\n"
    )
    assert robots.allows("https://x.org/b")
    assert robots.allows("https://x.org/a/x")
    assert not robots.allows("https://x.org/a/x.tmp")
    assert robots.delay == 2.5


def test_the_longer_rule_wins_and_sitemaps_are_for_everybody() -> None:
    robots = Robots("User-agent: *\nDisallow: /docs\nAllow: /docs/public\nSitemap: /s.xml\nRequest-rate: 1/5\n")
    assert robots.allows("https://x.org/docs/public/a")
    assert not robots.allows("https://x.org/docs/a")
    assert robots.sitemaps == ["/s.xml"]
    assert robots.delay == 5.0


@pytest.mark.parametrize("text", ["", "<html>no rules</html>", "\ufeffUser-agent: *\nDisallow:\n", "a: b\n" * 1_000])
def test_a_file_without_rules_allows_everything(text: str) -> None:
    assert Robots(text).allows("https://x.org/a")
    assert Robots(text).delay == 0.0


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("noindex", {"noindex"}),
        ("noindex, nofollow", {"noindex", "nofollow"}),
        ("none", {"noindex", "nofollow"}),
        ("googlebot: noindex", set()),
        ("Assay: noindex", {"noindex"}),
        ("googlebot: none\nnofollow", {"nofollow"}),
        ("max-image-preview: none", set()),
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", {"noindex"}),
        ("unavailable_after: 2030-01-01", set()),
        ("unavailable_after: someday", set()),
        ("", set()),
    ],
)
def test_what_a_header_says_counts_if_it_is_for_us(value: str, said: set[str]) -> None:
    assert header_directives(value, NOW) == said


def test_what_a_meta_element_says_may_be_parted_by_commas_or_blanks() -> None:
    assert meta_directives("NOINDEX,follow", NOW) == {"noindex"}
    assert meta_directives("index nofollow", NOW) == {"nofollow"}
    assert meta_directives("max-snippet:-1, index", NOW) == frozenset()
