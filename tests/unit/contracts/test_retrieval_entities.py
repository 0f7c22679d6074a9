"""The entities of seed 002: their fields, defaults and rules."""

from dataclasses import fields

import numpy as np
import pytest

from assay.contracts.retrieval_entities import ConfigurationCheck, QueryEmbedding, RetrievalResult

VECTOR = [1.0] + [0.0] * 1_023
URL = "https://docs.example.org/concepts/nodes"


def result(**changes: object) -> RetrievalResult:
    whole = {"text": "Nodes talk.", "source_url": URL, "relevance_score": 0.5, "chunk_id": "6f0c", **changes}
    return RetrievalResult(**whole)  # type: ignore[arg-type]  # wrong kinds are what some tests are about


def test_the_entities_have_the_fields_of_the_seed_in_its_order() -> None:
    assert [field.name for field in fields(QueryEmbedding)] == ["vector", "query_text", "model"]
    assert [field.name for field in fields(RetrievalResult)] == [
        "text",
        "source_url",
        "relevance_score",
        "chunk_id",
        "position",
        "title",
    ]


@pytest.mark.contract("002.3")
def test_model_is_embed_english_v3_by_default() -> None:
    assert QueryEmbedding(VECTOR, "nodes").model == "embed-english-v3.0"


@pytest.mark.contract("002.1", "002.11")
@pytest.mark.parametrize(
    ("length", "accepted"), [(0, False), (1, False), (1_023, False), (1_024, True), (1_025, False)]
)
def test_a_vector_of_the_seeds_model_has_exactly_1024_elements(length: int, accepted: bool) -> None:
    vector = [1.0] * length
    if accepted:
        assert QueryEmbedding(vector, "nodes").vector == vector
    else:
        with pytest.raises(ValueError, match=r"^vector: (it is empty|embed-english-v3\.0 has 1,024 dimensions)"):
            QueryEmbedding(vector, "nodes")


def test_a_vector_of_another_model_has_that_models_length() -> None:
    assert len(QueryEmbedding([0.6, 0.8], "nodes", "tiny").vector) == 2


@pytest.mark.contract("002.1")
@pytest.mark.parametrize(
    "element",
    [float("nan"), float("inf"), float("-inf"), None, "1", True, [1.0], 10**400],
    ids=lambda value: str(value)[:10],
)
def test_a_vector_has_finite_numbers_only(element: object) -> None:
    with pytest.raises(ValueError, match=r"^vector\[1\]: it must be a finite number; "):
        QueryEmbedding([1.0, element], "nodes", "tiny")  # type: ignore[list-item]  # what the test is about


@pytest.mark.parametrize("vector", [None, "1.0", 1.0, {"0": 1.0}], ids=str)
def test_a_vector_is_a_list(vector: object) -> None:
    with pytest.raises(ValueError, match=r"^vector: it must be a list of numbers; "):
        QueryEmbedding(vector, "nodes", "tiny")  # type: ignore[arg-type]  # what the test is about


def test_a_numpy_vector_is_taken_too() -> None:
    assert len(QueryEmbedding(np.ones(2, dtype=np.float32), "nodes", "tiny").vector) == 2  # type: ignore[arg-type]


@pytest.mark.contract("002.2")
@pytest.mark.parametrize("query_text", ["", " ", "\n\t"])
def test_query_text_is_not_empty(query_text: str) -> None:
    with pytest.raises(ValueError, match=r"^query_text: it is empty"):
        QueryEmbedding(VECTOR, query_text)


def test_model_is_not_empty() -> None:
    with pytest.raises(ValueError, match=r"^model: it is empty"):
        QueryEmbedding(VECTOR, "nodes", "")


@pytest.mark.contract("002.8", "002.9")
def test_position_is_0_and_title_empty_by_default() -> None:
    assert (result().position, result().title) == (0, "")


@pytest.mark.contract("002.4", "002.5", "002.6", "002.12", "002.13", "002.14")
@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ({"text": ""}, "text: it is empty"),
        ({"text": " \n"}, "text: it is empty"),
        ({"text": None}, "text: it must be a string"),
        ({"title": None}, "title: it must be a string"),
        ({"title": 7}, "title: it must be a string"),
        ({"chunk_id": 7}, "chunk_id: it must be a string"),
        ({"source_url": None}, "source_url: it must be a string"),
        ({"position": True}, "position: it must be a whole number"),
        ({"position": 1.5}, "position: it must be a whole number"),
        ({"position": "1"}, "position: it must be a whole number"),
        ({"relevance_score": True}, "relevance_score: "),
        ({"relevance_score": "0.5"}, "relevance_score: "),
        ({"source_url": "file:///srv/docs/a.md"}, "source_url: it must be an absolute http or https URL"),
        ({"source_url": "ftp://docs.example.org/"}, "source_url: "),
        ({"source_url": ""}, "source_url: it must be an absolute http or https URL"),
        ({"source_url": "/docs/nodes"}, "source_url: "),
        ({"source_url": "docs.example.org"}, "source_url: "),
        ({"source_url": "https://"}, "source_url: "),
        ({"source_url": "http://["}, "source_url: "),
        ({"source_url": "https://a b.org/"}, "source_url: "),
        ({"relevance_score": -0.01}, "relevance_score: it must be a number from 0 to 1"),
        ({"relevance_score": 1.01}, "relevance_score: "),
        ({"relevance_score": float("nan")}, "relevance_score: "),
        ({"chunk_id": ""}, "chunk_id: it is empty"),
        ({"position": -1}, "position: it must be 0 or more"),
    ],
    ids=str,
)
def test_a_result_that_breaks_a_rule_cannot_be_made(bad: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}"):
        result(**bad)


@pytest.mark.contract("002.13")
@pytest.mark.parametrize(
    "good",
    [
        {"relevance_score": 0.0},
        {"relevance_score": 1.0},
        {"source_url": "http://localhost:3000/"},
        {"position": 10_000},
    ],
    ids=str,
)
def test_a_result_at_the_borders_can_be_made(good: dict[str, object]) -> None:
    assert {name: getattr(result(**good), name) for name in good} == good


def test_to_dict_is_a_method_with_the_fields_of_the_seed() -> None:
    assert list(result().to_dict()) == ["text", "source_url", "relevance_score", "chunk_id", "position", "title"]
    assert result(title="Nodes").to_dict()["title"] == "Nodes"


def test_a_configuration_without_problems_is_ok() -> None:
    assert ConfigurationCheck(()).ok
    assert not ConfigurationCheck(("no key",)).ok
