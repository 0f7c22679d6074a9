"""The answer of GET /v1/facets."""

from assay.app.pages import SourceSummary
from assay.contracts.facets import to_body


def test_the_default_version_and_locale_of_a_source_come_first() -> None:
    docs = SourceSummary("docs", 9, {"1.0": 5, "2.0": 3, "1.5": 1}, {"fr": 1, "en": 7, "de": 1}, ("2.0",), ("en",))
    assert to_body([SourceSummary("blog", 3, {}, {}, (), ()), docs], "g1") == {
        "sources": [
            {"name": "blog", "pages": 3, "versions": [], "locales": []},
            {
                "name": "docs",
                "pages": 9,
                "versions": [
                    {"name": "2.0", "pages": 3, "default": True},
                    {"name": "1.0", "pages": 5, "default": False},
                    {"name": "1.5", "pages": 1, "default": False},
                ],
                "locales": [
                    {"name": "en", "pages": 7, "default": True},
                    {"name": "de", "pages": 1, "default": False},
                    {"name": "fr", "pages": 1, "default": False},
                ],
            },
        ],
        "generation": "g1",
    }


def test_a_generation_without_pages_has_no_sources() -> None:
    assert to_body([], "g1") == {"sources": [], "generation": "g1"}
