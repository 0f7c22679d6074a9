"""The limit on looking ahead in vain."""

from typing import Any

from assay.ingest.markdown.scanning import allow_scanning, charge, comment_end, expression_end, tag_at


def account(source: str) -> dict[str, Any]:
    environment: dict[str, Any] = {}
    allow_scanning(environment, source)
    return environment


def test_a_page_that_spent_its_account_still_reads_what_is_simple() -> None:
    source = "{a} {'b'}"
    environment = account(source)
    charge(environment, 10**9)
    assert expression_end(environment, source, 0, len(source)) == 3
    assert expression_end(environment, source, 4, len(source)) == -1
    assert tag_at(environment, "<A b={1}>", 0, 9) is not None
    assert tag_at(environment, "<A b={1}" + " " * 1000 + ">", 0, 1009) is None


def test_scanning_in_vain_is_charged_and_finding_is_free() -> None:
    source = "{a} {b"
    environment = account(source)
    before = dict(environment)
    expression_end(environment, source, 0, len(source))
    assert environment == before
    expression_end(environment, source, 4, len(source))
    assert environment != before


def test_a_comment_without_an_end_is_looked_for_once() -> None:
    source = "<!-- a <!-- b"
    environment = account(source)
    assert comment_end(environment, source, 0, len(source)) == -1
    assert comment_end(environment, source + "-->", 0, len(source) + 3) == len(source) + 3
    assert comment_end(environment, source, 7, len(source)) == -1


def test_a_comment_that_does_not_end_nearby_may_end_further_on() -> None:
    source = "<!-- a -->"
    environment = account(source)
    assert comment_end(environment, source, 0, 5) == -1
    assert comment_end(environment, source, 0, len(source)) == len(source)


def test_an_account_says_whether_something_was_left() -> None:
    environment = account("")
    assert charge(environment, 10**9)
    assert not charge(environment, 0)
