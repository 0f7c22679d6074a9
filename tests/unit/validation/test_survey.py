"""What is found in a collection that others made."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.adopted.mapping import PointReader
from assay.adapters.stores.adopted.presets import PRESETS
from assay.errors import InvalidEmbedding
from assay.model.ids import content_hash
from assay.ports import AdoptedPoint, Silence, Vector, Vectors
from assay.validation.survey import KINDS, Survey, check_model, survey

TEXTS = (
    "The gripper opens wide and holds a glass.",
    "Charge the battery before the robot walks.",
    "Nodes publish messages to topics.",
    "A fall is detected by the gyroscope.",
    "The camera sees colours in daylight.",
    "Speakers announce every movement of the arm.",
)
EMBEDDER = StaticEmbedder()


class Limited(StaticEmbedder):
    """The same model, that reads no more than four tokens."""

    @property
    def max_tokens(self) -> int | None:
        return 4


class Knowing(StaticEmbedder):
    """The same model, that knows nothing of nodes."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any("Nodes" in text for text in texts):
            raise InvalidEmbedding("nothing is known in it")
        return super().embed_documents(texts)


def point(
    number: int,
    *,
    text: str | None = None,
    vector: Vector | None = None,
    **payload: Any,  # noqa: ANN401 - JSON
) -> AdoptedPoint:
    """A point of seed 001 of a page of its own, with nothing wrong but what is given."""
    content = TEXTS[number] if text is None else text
    whole = {
        "content": content,
        "url": f"https://x.dev/{number}",
        "title": f"Page {number}",
        "chunk_index": 0,
        "timestamp": "2025-12-15T10:00:00Z",
        "content_hash": content_hash(content),
    }
    reader = PointReader(PRESETS["validation_report"].mapping, "docs")
    made = EMBEDDER.embed_documents([content])[0] if vector is None and content else vector
    return reader.read(str(number), whole | payload, made)


def look(points: Sequence[AdoptedPoint], **options: Any) -> Survey:  # noqa: ANN401 - options of survey
    return survey(points, len(points), 256, options.pop("embedder", EMBEDDER), Silence(), **options)


def found(report: Survey) -> dict[str, int]:
    return {kind: fault.count for kind, fault in report.faults.items() if fault.count}


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    report = look([point(number) for number in range(6)])
    assert found(report) == {}
    assert (report.points, report.documents, report.whole) == (6, 6, True)
    assert set(report.faults) == set(KINDS)


def test_missing_fields_are_counted_by_name() -> None:
    report = look([point(0, title=None), point(1, title="", timestamp=None), point(2)])
    assert report.missing["title"] == 2
    assert report.missing["created_at"] == 1
    assert "url" not in report.missing


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        (np.zeros(256, np.float32), "all numbers are 0"),
        (np.full(256, np.nan, np.float32), "some numbers are not finite"),
        (np.full(256, np.inf, np.float32), "some numbers are not finite"),
        (np.ones(3, np.float32), "3 dimensions"),
    ],
)
def test_a_vector_that_is_no_direction_is_found(vector: Vector, words: str) -> None:
    report = look([point(0), point(1, vector=vector)])
    assert found(report) == {"vectors": 1}
    assert words in report.faults["vectors"].examples[0]


def test_a_point_without_a_vector_is_found() -> None:
    assert found(look([replace(point(0), vector=None)])) == {"vectors": 1}


def test_lengths_of_vectors_matter_only_where_the_server_does_not_compare_by_cosine() -> None:
    long = point(0, vector=2 * EMBEDDER.embed_documents([TEXTS[0]])[0])
    assert found(look([long])) == {}
    assert found(look([long], by_cosine=False)) == {"directions": 1}


def test_a_hash_that_is_not_the_passages_is_found_in_whatever_case_it_is_written() -> None:
    right = content_hash(TEXTS[0]).upper()
    assert found(look([point(0, content_hash=right)])) == {}
    assert found(look([point(0, content_hash=content_hash("something else"))])) == {"hashes": 1}


def test_positions_that_have_a_gap_are_found_and_pages_that_lack_some_are_not_judged() -> None:
    page = {"url": "https://x.dev/a", "title": "A"}
    whole = [point(0, **page), point(1, **page, chunk_index=1)]
    assert found(look(whole)) == {}
    assert found(look([*whole, point(2, **page, chunk_index=3)])) == {"positions": 1}
    assert found(look([*whole, point(2, **page, chunk_index=1)])) == {"positions": 1}
    assert found(look([*whole, point(2, **page, chunk_index=None)])) == {}


def test_a_title_that_is_missing_is_no_other_title() -> None:
    page = {"url": "https://x.dev/a"}
    for titles in ((None, "A"), ("A", None)):
        points = [point(n, **page, title=title, chunk_index=n) for n, title in enumerate(titles)]
        assert found(look(points)) == {}


def test_titles_that_differ_on_one_page_are_found() -> None:
    page = {"url": "https://x.dev/a"}
    assert found(look([point(0, **page, title="A"), point(1, **page, title="B", chunk_index=1)])) == {"titles": 1}


def test_pages_that_are_named_by_a_path_only_are_pages() -> None:
    paths = [point(n, url=f"guide/{n % 2}.md", title=f"Page {n}", chunk_index=0) for n in range(3)]
    report = look([*paths, point(3, url=None)])
    assert (report.documents, report.paths_only, report.missing["url"]) == (2, 3, 4)
    assert {kind: count for kind, count in found(report).items() if kind != "lengths"} == {"positions": 1, "titles": 1}


def test_a_passage_that_stands_twice_on_a_page_is_found_and_on_two_pages_it_is_not() -> None:
    twice = {"text": "The same.", "url": "https://x.dev/a", "title": "A"}
    assert found(look([point(0, **twice), point(1, **twice, chunk_index=1)])) == {"duplicates": 1}
    assert found(look([point(0, text="The same."), point(1, text="The same.")])) == {}


def test_chunk_ids_that_two_points_have_are_found() -> None:
    reader = PointReader(PRESETS["retrieval_layer"].mapping, "docs")
    payload = {"text": "a", "url": "https://x.dev", "chunk_id": "c-1", "position": 0, "title": "T"}
    vector = EMBEDDER.embed_documents(["gripper"])[0]
    points = [reader.read("1", payload, vector), reader.read("2", payload | {"text": "b", "position": 1}, vector)]
    assert found(look(points)) == {"ids": 1}


def test_passages_longer_than_the_model_reads_are_found() -> None:
    report = look([point(0, text="Short."), point(1)], embedder=Limited())
    assert found(report) == {"lengths": 1}
    assert "the model reads 4" in report.faults["lengths"].examples[0]


def test_a_sample_is_said_to_be_one_and_its_pages_are_not_counted_through() -> None:
    page = {"url": "https://x.dev/a", "title": "A"}
    report = look([point(0, **page, chunk_index=1), point(1, **page)], limit=1)
    assert (report.points, report.whole, found(report)) == (1, False, {})


# --- the model -----------------------------------------------------------------------------------------------------


def test_the_model_that_made_the_vectors_is_known_again() -> None:
    result = check_model([point(number) for number in range(6)], EMBEDDER)
    assert result.verdict == "same"
    assert result.compared == 6
    assert result.same == pytest.approx(1.0, abs=1e-5)


def test_the_length_of_the_stored_vectors_does_not_matter() -> None:
    points = [point(n, vector=3 * EMBEDDER.embed_documents([TEXTS[n]])[0]) for n in range(6)]
    assert check_model(points, EMBEDDER).verdict == "same"


def test_another_model_of_the_same_length_is_told_apart() -> None:
    chance = np.random.default_rng(7)
    turn = np.linalg.qr(chance.normal(size=(256, 256)))[0].astype(np.float32)
    points = [point(n, vector=EMBEDDER.embed_documents([TEXTS[n]])[0] @ turn) for n in range(6)]
    result = check_model(points, EMBEDDER)
    assert result.verdict == "other"
    assert result.same is not None
    assert abs(result.same) < 0.25


def test_vectors_of_two_models_are_told_apart_however_many_each_made() -> None:
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(256, 256)))[0].astype(np.float32)
    for foreign in (1, 3, 5):
        points = [
            point(n, vector=EMBEDDER.embed_documents([TEXTS[n]])[0] @ (turn if n < foreign else np.eye(256)))
            for n in range(6)
        ]
        result = check_model(points, EMBEDDER)
        assert (result.verdict, result.unlike) == ("mixed", foreign)


class Cone(StaticEmbedder):
    """A model whose vectors are all near each other, as those of E5 and ada are: different texts have 0.8."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed_documents(texts)
        middle = np.full(vectors.shape[1], 2.0 / math.sqrt(vectors.shape[1]), dtype=np.float32)
        moved = vectors + middle
        cone: Vectors = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
        return cone


@pytest.mark.parametrize("size", [1, 2, 4, 6])
def test_a_model_whose_vectors_are_all_alike_is_known_again_from_any_number_of_texts(size: int) -> None:
    points = [point(n, vector=Cone().embed_documents([TEXTS[n]])[0]) for n in range(size)]
    result = check_model(points, Cone())
    assert size == 1 or (result.other is not None and result.other > 0.75)
    assert (result.verdict, result.unlike) == ("same", 0)


def test_a_model_whose_vectors_are_all_alike_is_related_to_its_view_of_nearly_the_same_words() -> None:
    near = [
        point(n, vector=Cone().embed_documents([f"Robot handbook of the northern works. {TEXTS[n]}"])[0])
        for n in range(6)
    ]
    assert check_model(near, Cone()).verdict == "related"
    swapped = [point(n, vector=Cone().embed_documents([TEXTS[n - 1]])[0]) for n in range(6)]
    assert check_model(swapped, Cone()).verdict == "other"


def test_the_sample_is_from_all_over_the_collection_and_the_same_each_time() -> None:
    points = [replace(point(number % 6), point=str(number)) for number in range(600)]
    chosen = [int(one.point) for one in look(points, keep=24).sample]
    assert chosen == [int(one.point) for one in look(points[::-1], keep=24).sample]
    assert len(chosen) == 24
    assert min(chosen) < 200 < 400 < max(chosen)
    assert look([replace(point(0), vector=None), point(1, text="")]).sample == ()


def test_the_model_with_other_words_in_front_is_said_to_be_related() -> None:
    points = [
        point(n, vector=EMBEDDER.embed_documents([f"Robot handbook of the northern works. {TEXTS[n]}"])[0])
        for n in range(6)
    ]
    assert check_model(points, EMBEDDER).verdict == "related"


def test_texts_that_the_model_cannot_take_are_left_out() -> None:
    assert check_model([point(number) for number in range(6)], Knowing()).compared == 5
    assert check_model([point(number) for number in range(6)], Limited()).verdict == "unknown"
    assert check_model([], EMBEDDER).verdict == "unknown"
