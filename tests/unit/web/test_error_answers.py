"""Which status and words each failure has, and what never leaves."""

import json

import pytest

from assay import errors
from assay.web.errors import INTERNAL, error_response, refusal_of

EXPECTED = {
    "InputError": (400, "validation_error"),
    "EmbeddingError": (502, "upstream_error"),
    "EmbedderUnavailable": (502, "upstream_error"),
    "EmbedderRefused": (502, "upstream_error"),
    "InvalidEmbedding": (502, "upstream_error"),
    "RerankError": (502, "upstream_error"),
    "RerankerUnavailable": (502, "upstream_error"),
    "RerankerRefused": (502, "upstream_error"),
    "VectorStoreError": (503, "service_unavailable"),
    "StoreUnavailable": (503, "service_unavailable"),
    "StorageFull": (503, "service_unavailable"),
    "IndexNotFound": (503, "service_unavailable"),
    "RequestForbidden": (503, "service_unavailable"),
    "IndexCorrupt": (503, "service_unavailable"),
    "PointCorrupt": (503, "service_unavailable"),
    "CatalogError": (503, "service_unavailable"),
    "CatalogNotFound": (503, "service_unavailable"),
    "CatalogUnavailable": (503, "service_unavailable"),
    "CatalogCorrupt": (503, "service_unavailable"),
    "CatalogSchemaError": (503, "service_unavailable"),
    "NoLiveGeneration": (503, "service_unavailable"),
    "IdentityMismatch": (503, "service_unavailable"),
    # None of these can come from a search; if one does, it is a mistake of ours.
    "AssayError": (500, "internal_error"),
    "ConfigurationError": (500, "internal_error"),
    "FileUnwritable": (500, "internal_error"),
    "SourceError": (500, "internal_error"),
    "SourceUnavailable": (500, "internal_error"),
    "GenerationError": (500, "internal_error"),
    "GenerationNotFound": (500, "internal_error"),
    "InvalidTransition": (500, "internal_error"),
    "BuildInProgress": (500, "internal_error"),
    "PromotionRefused": (500, "internal_error"),
    "PromotionUndecided": (500, "internal_error"),
    "LiveChanged": (500, "internal_error"),
    "ServiceError": (500, "internal_error"),
    "ServiceUnavailable": (500, "internal_error"),
    "ServiceThrottled": (500, "internal_error"),
    "ServiceRefused": (500, "internal_error"),
    "IndexNotOurs": (500, "internal_error"),
}
TREE = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}


def test_every_error_of_the_tree_has_an_expectation_here() -> None:
    assert set(TREE) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_error_has_its_status_and_word(name: str) -> None:
    refusal = refusal_of(TREE[name]("what happened"))
    assert (refusal.status, refusal.error) == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "status", "word"),
    [
        ("GenerationNotFound", 404, "not_found"),
        ("InvalidTransition", 409, "conflict"),
        ("BuildInProgress", 409, "conflict"),
        ("PromotionRefused", 409, "conflict"),
        ("PromotionUndecided", 409, "conflict"),
        ("LiveChanged", 409, "conflict"),
        ("StoreUnavailable", 503, "service_unavailable"),
    ],
)
def test_administrators_see_messages_about_generations(name: str, status: int, word: str) -> None:
    refusal = refusal_of(TREE[name]("what happened"), "/v1/admin/promote")
    assert (refusal.status, refusal.error) == (status, word)


def test_a_damaged_point_is_named_with_what_to_do_for_trying_again_mends_nothing() -> None:
    assert refusal_of(errors.PointCorrupt("The point 7 is damaged.", hint="Build it anew.")).message is None
    for name in ("IndexCorrupt", "IndexNotFound", "CatalogCorrupt"):
        said = str(refusal_of(TREE[name]("what happened")).message)
        assert "try again" not in said
        assert "`assay rollback`" in said
        assert "`assay publish --rebuild`" in said


OWN_WORDS = {"PointCorrupt"}
"""Errors that adapters write without paths and values."""


@pytest.mark.parametrize(
    "name", [name for name, (status, _) in EXPECTED.items() if status >= 500 and name not in OWN_WORDS]
)
def test_an_error_that_is_not_the_callers_has_a_message_of_its_own(name: str) -> None:
    assert refusal_of(TREE[name]("/srv/assay/catalog.sqlite", hint="sk-123")).message


def test_only_the_callers_error_is_explained_in_its_own_words() -> None:
    assert refusal_of(errors.InputError("top_k: 7")).message is None


def test_an_error_body_can_always_be_sent() -> None:
    response = error_response(400, "validation_error", 'räder 🤖 \ud800 "\n')
    assert json.loads(bytes(response.body)) == {"error": "validation_error", "message": 'räder 🤖 ? "\n'}


def test_the_message_of_an_internal_error_says_where_to_look() -> None:
    assert "request id" in str(INTERNAL.message)
