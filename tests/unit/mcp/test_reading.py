"""Texts of the answers that read pages."""

import pytest

from assay.mcp.reading import age_in_words


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0.0, "less than an hour"),
        (0.01, "less than an hour"),
        (0.05, "1 hour"),
        (1.99, "47 hours"),
        (2.0, "2 days"),
        (400.9, "400 days"),
    ],
)
def test_an_age_is_in_hours_and_from_two_days_on_in_days(days: float, words: str) -> None:
    assert age_in_words(days) == words
