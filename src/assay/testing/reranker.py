"""The conformance kit for rerankers.

class TestMyReranker(RerankerConformance):
    @pytest.fixture
    def reranker(self):
        return MyReranker(...)
"""
# ruff: noqa: D102 - the name of a test is a sentence

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.ports import Reranker

QUERY = "How do I grease the gripper?"
TEXTS = (
    "Charge the battery before the first flight.",
    "Grease the gripper weekly: open it, and grease both fingers of the gripper.",
    "ロボットはトピックに接続する",
    "```python\nnode = create_node('talker')\n```",
    "wheel " * 400,
)


class RerankerConformance:
    """Tests of assay.ports.Reranker. Subclass it with a fixture `reranker`."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        """The reranker; it may be shared by the tests."""
        raise NotImplementedError("override the fixture `reranker`")

    def test_its_identity_is_the_same_every_time(self, reranker: Reranker) -> None:
        assert reranker.identity == reranker.identity
        assert reranker.identity.provider
        assert reranker.identity.model

    def test_each_text_has_one_finite_score(self, reranker: Reranker) -> None:
        scores = reranker.scores(QUERY, TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(map(math.isfinite, scores))

    def test_the_text_that_answers_has_the_highest_score(self, reranker: Reranker) -> None:
        scores = reranker.scores(QUERY, TEXTS)
        assert scores.index(max(scores)) == 1

    def test_scores_are_in_the_order_of_the_texts(self, reranker: Reranker) -> None:
        scores, backwards = reranker.scores(QUERY, TEXTS), reranker.scores(QUERY, TEXTS[::-1])
        assert backwards[::-1] == pytest.approx(scores, abs=1e-5)

    def test_equal_texts_have_equal_scores(self, reranker: Reranker) -> None:
        first, second = reranker.scores(QUERY, [TEXTS[1], TEXTS[1]])
        assert first == pytest.approx(second, abs=1e-5)

    def test_no_texts_have_no_scores(self, reranker: Reranker) -> None:
        assert reranker.scores(QUERY, []) == []

    def test_an_unpaired_surrogate_is_no_failure(self, reranker: Reranker) -> None:
        assert len(reranker.scores("grease \ud800", ["the gripper \udfff", "wheel"])) == 2

    def test_it_can_be_used_from_several_threads(self, reranker: Reranker) -> None:
        expected = reranker.scores(QUERY, TEXTS)
        with ThreadPoolExecutor(4) as threads:
            for scores in threads.map(lambda _: reranker.scores(QUERY, TEXTS), range(8)):
                assert scores == pytest.approx(expected, abs=1e-5)
