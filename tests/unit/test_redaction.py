"""Which texts lose what, and which stay as they are."""

import base64
import json
from urllib.parse import quote

import pytest

from assay.errors import AssayError
from assay.redaction import (
    hide,
    peer_words,
    redacted,
    redacted_bytes,
    redacted_content,
    redacted_json,
    secrets_in_header,
    secrets_in_url,
)
from assay.settings import Settings

SECRET = 'pa/ss "wörd"\\%4'

FORMS = {
    "as it is": SECRET,
    "in capitals": SECRET.upper(),
    "percent-encoded": quote(SECRET, safe=""),
    "percent-encoded, as a path": quote(SECRET),
    "in JSON": json.dumps(SECRET)[1:-1],
    "in JSON with its letters": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in base64": base64.b64encode(SECRET.encode()).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "in HTML": SECRET.replace('"', "&quot;"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_secret_is_masked_in_every_usual_encoding(form: str) -> None:
    hide([SECRET])
    for masked in (
        redacted(f"it said <{form}>"),
        redacted_content(f"it said <{form}>"),
        redacted_bytes(f"it said <{form}>".encode()).decode(),
    ):
        assert masked.startswith("it said <***")
        assert form.rstrip("=") not in masked


@pytest.mark.parametrize(
    ("url", "leaks"),
    [
        ("postgresql://bob:S3cr3t@pw@host/db", ["S3cr3t@pw", "S3cr3t"]),
        ("postgresql://bob:S3cr3t%40pw@host/db", ["S3cr3t%40pw", "S3cr3t@pw"]),
        ("postgresql://bob:S3c/r3t@host/db", ["S3c/r3t"]),
        ("postgresql://bob:S3c?r3t#x@host/db", ["S3c?r3t#x"]),
        ("postgres+psycopg://bob:S3cr3t!@host/db", ["S3cr3t!", base64.b64encode(b"bob:S3cr3t!").decode()]),
        ("postgresql://host/db?user=bob&password=S3cr3t!", ["S3cr3t!"]),
        ("https://user:S3cr3t!@example.org/guide", ["S3cr3t!"]),
    ],
)
def test_the_password_of_a_url_is_masked_however_it_is_written(url: str, leaks: list[str]) -> None:
    hide(secrets_in_url(url))
    for leak in leaks:
        assert leak not in redacted(f"could not reach {leak} there")


@pytest.mark.parametrize("url", ["https://example.org:8080/@scope/page", "sqlite:///a/b@c.db", "http://[::1]:6333"])
def test_a_url_without_a_password_hides_nothing(url: str) -> None:
    assert list(secrets_in_url(url)) == []


@pytest.mark.parametrize(
    ("value", "leaks"),
    [
        ("Bearer abc-123-def", ["abc-123-def", "Bearer abc-123-def"]),
        ("Basic " + base64.b64encode(b"bob:S3cr3t!").decode(), ["S3cr3t!", base64.b64encode(b"bob:S3cr3t!").decode()]),
        ("session=4f2a9c; theme=dark-blue-2", ["4f2a9c"]),
    ],
)
def test_the_credentials_in_a_header_are_masked(value: str, leaks: list[str]) -> None:
    hide(secrets_in_header(value))
    for leak in leaks:
        assert leak not in redacted(f"it repeats {leak}")


def test_a_weak_password_is_masked_in_messages_as_a_word_and_never_in_content() -> None:
    hide(["docs"])
    assert redacted("the user or docs is wrong in docstrings") == "the user or *** is wrong in docstrings"
    assert redacted_content("read the docs") == "read the docs"


@pytest.mark.parametrize("word", ["assay", "postgres", "abc", ""])
def test_words_that_messages_are_made_of_and_very_short_ones_stay(word: str) -> None:
    hide([word])
    assert redacted("run `assay ingest` on postgres, abc") == "run `assay ingest` on postgres, abc"


def test_names_and_values_of_json_are_masked() -> None:
    hide([SECRET])
    assert redacted_json({SECRET: [SECRET, {"n": 1, "t": f"x{SECRET}"}], "k": None}) == {
        "***": ["***", {"n": 1, "t": "x***"}],
        "k": None,
    }


def test_words_of_a_peer_are_masked_before_they_are_cut() -> None:
    hide([SECRET])
    words = peer_words("x" * 290 + SECRET + "\n\n y")
    assert words.endswith(("***…", "*** y"))
    assert len(words) <= 300


def test_an_error_has_no_secret_in_its_message_or_its_hint() -> None:
    hide([SECRET])
    error = AssayError(f"refused {SECRET}.", hint=f"Set {SECRET}.")
    assert (error.message, error.hint, str(error)) == ("refused ***.", "Set ***.", "refused ***. Set ***.")


def test_every_secret_of_the_settings_is_registered() -> None:
    secrets = {
        "qdrant": {"api_key": "qdrant-key-1"},
        "embedding": {"cohere_api_key": "cohere-key-1", "openai_api_key": "openai-key-1", "azure_api_key": "azure-k-1"},
        "catalog": {"url": "postgresql://bob:db-pass-1@host/db"},
        "sources": [
            {"url": "https://example.org", "headers": {"Cookie": "a=cookie-1", "Authorization": "Bearer tok-1"}}
        ],
    }
    Settings(**secrets)
    told = redacted("qdrant-key-1 cohere-key-1 openai-key-1 azure-k-1 db-pass-1 cookie-1 tok-1")
    assert told == " ".join(["***"] * 7)


def test_an_api_key_of_assay_is_cut_down_to_its_id_in_messages_and_shown_to_who_made_it() -> None:
    token = f"assay_abcdefgh_{'A1' * 21}z"
    assert redacted(f"GET /x?key={token} twice {token}.") == "GET /x?key=assay_abcdefgh_… twice assay_abcdefgh_…."
    assert redacted("assay_ is no key") == "assay_ is no key"
    assert redacted_content(token) == token
