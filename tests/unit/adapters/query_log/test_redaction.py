"""Nothing that identifies a person or opens a door is stored with a query."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.query_log import own_patterns
from assay.adapters.query_log.redaction import QueryRedactor, grouping_key
from assay.errors import ConfigurationError
from assay.redaction import hide

redact = QueryRedactor()

WORDS = st.sampled_from(["reset", "for", "Räder", "api", "how", "the", "トピック", "mail", "?", "-", "(", "v2"])
SECRETS = st.one_of(
    st.emails().map(lambda address: ("[email]", address)),
    st.integers(10**6, 10**15).map(lambda number: ("[number]", str(number))),
    st.from_regex(r"\+?[1-9][0-9]{1,2}[ ./-][0-9]{3}[ ./-][0-9]{4,6}", fullmatch=True).map(lambda t: ("[number]", t)),
    st.uuids().map(lambda key: ("[key]", str(key))),
    st.from_regex(r"(ghp_|glpat-|sk-)[A-Za-z]{8}[0-9][A-Za-z]{8}", fullmatch=True).map(lambda key: ("[key]", key)),
    st.from_regex(r"[a-f]{10}[0-9]{6}[a-f]{10}", fullmatch=True).map(lambda key: ("[key]", key)),
    st.from_regex(r"(password|token|api_key)[=:] ?[a-z]{3,9}!", fullmatch=True).map(lambda pair: ("[key]", pair)),
)


@given(st.lists(WORDS, max_size=5), SECRETS, st.lists(WORDS, max_size=5))
def test_what_is_secret_is_replaced_and_the_words_around_it_stay(
    before: list[str], secret: tuple[str, str], after: list[str]
) -> None:
    mask, value = secret
    stored = redact(" ".join([*before, value, *after]))
    assert mask in stored
    assert unicodedata.normalize("NFKC", value) not in stored
    words = stored.split()
    assert words[: len(before)] == before
    assert words[len(words) - len(after) :] == after


@given(st.text(max_size=300))
def test_a_stored_text_is_one_printable_line_that_is_stored_unchanged_again(text: str) -> None:
    stored = redact(text)
    assert stored.replace("\u200c", "").replace("\u200d", "").isprintable()
    assert redact(stored) == stored


@pytest.mark.parametrize(
    "query",
    [
        "How do nodes talk over topics?",
        "error ORA-00942",
        "react@18.2.0 and actions/checkout@v4",
        "released on 2026-11-29",
        "127.0.0.1:8080",
        "@angular/core",
        "getServerSidePropsForEveryPage",
        "what is a secret",
        "bearer authentication in OAuth2",
        "secrets: where",
        "docs/guides/Installing/2/and/upgrading/it/again",
        "sk-learn pipelines",
        "ImportError in module_name_with_underscores_2",
        "می‌خواهم",
    ],
)
def test_an_ordinary_query_stays_as_it_is(query: str) -> None:
    assert redact(query) == unicodedata.normalize("NFKC", query)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("mail ada@ex", "mail [email]"),
        ("a\u200bda@example.org", "[email]"),
        ("\uff41da\uff20example.org", "[email]"),
        ("postgres://ada:pw@db/x", "postgres://[key]@db/x"),
        ("token: abc", "token [key]"),
        ("DB_PASSWORD=abc clientSecret: 'a b'.", "DB_PASSWORD [key] clientSecret [key]."),
        ("Authorization: Basic YWRhOng= fails", "Authorization [key] fails"),
        ("bearer abcdefgh-12345678 fails", "bearer [key] fails"),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[key]"),
        ("?user=ada%40example.org", "[email]"),
        ("two\nlines\tand\x1b[31m colour", "two lines and [31m colour"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_d x", "[key] x"),
    ],
)
def test_disguised_and_unfinished_secrets_are_found(typed: str, stored: str) -> None:
    assert redact(typed) == stored


def test_secrets_of_the_settings_and_own_patterns_are_replaced() -> None:
    hide(["hunter2!x"])
    assert QueryRedactor([r"CASE-\d+"])("CASE-12 has hunter2!x, hun\u200bter2!x") == "[redacted] has ***, ***"


def test_an_expression_that_takes_too_long_hides_the_whole_text(caplog: pytest.LogCaptureFixture) -> None:
    slow = r"(?:a|aa)+$"
    own = QueryRedactor([r"CASE-\d+", slow])
    assert own(f"CASE-12 {'a' * 80}b") == "[redacted]"
    assert own(f"{'a' * 90}b") == "[redacted]"
    assert own("CASE-12 of a robot") == "[redacted] of a robot"
    assert [repr(slow) in record.getMessage() for record in caplog.records] == [True]


def test_other_threads_run_while_an_expression_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_patterns, "_SECONDS", 2.0)
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(QueryRedactor([r"(?:a|aa)+$"]), "a" * 80 + "b")
        turns = 0
        while not slow.done():
            sleep(0.001)
            turns += 1
    assert slow.result() == "[redacted]"
    assert turns > 20


def test_an_expression_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\[queries\] redact: .* is not a regular expression"):
        QueryRedactor(["(?P<a"])


def test_a_long_text_is_cut_and_takes_no_long_time() -> None:
    for text in (
        "a" * 10_000,
        "1-" * 5_000,
        "a@" * 5_000,
        "x." * 5_000,
        "\u200b" * 10_000,
        "eyJ" * 3_000,
        "sk-" * 3_000,
    ):
        assert len(redact(text)) <= 2_000


def test_equal_queries_have_one_key() -> None:
    assert grouping_key("Wie GROSS ist es?!") == grouping_key("wie groß ist es")
    assert grouping_key("???") == "???"
