"""Checks of the scores in a reranker's answer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.remote.unusable import UnusableAnswer


def results_in(answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
    """`results` of an answer's parsed JSON. Raises UnusableAnswer if there is none."""
    if not isinstance(answer, Mapping) or "results" not in answer:
        raise UnusableAnswer("it has no results")
    return answer["results"]


def scores_by_index(results: Any, texts: int, field: str) -> list[float]:  # noqa: ANN401 - a parsed JSON value
    """Scores in the order of the texts, from results in any order, each with the `index` of its text.

    field: name of the score.

    Raises UnusableAnswer unless each text has one finite score.
    """
    if not isinstance(results, list) or not all(isinstance(one, Mapping) for one in results):
        raise UnusableAnswer("the results are not a list of objects")
    if len(results) != texts:
        raise UnusableAnswer(f"it has {len(results)} results for {texts} texts")
    found: dict[int, float] = {}
    for one in results:
        index = one.get("index")
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < texts:
            raise UnusableAnswer(f"the index {index!r:.40} belongs to no text")
        if index in found:
            raise UnusableAnswer(f"the index {index} appears twice")
        found[index] = _finite(one.get(field), field)
    return [found[index] for index in range(texts)]


def finite_scores(scores: Sequence[Any], texts: int) -> list[float]:
    """Scores that are in the order of the texts already. Raises UnusableAnswer as scores_by_index does."""
    if len(scores) != texts:
        raise UnusableAnswer(f"it has {len(scores)} scores for {texts} texts")
    return [_finite(float(score), "score") for score in scores]


def _finite(score: Any, field: str) -> float:  # noqa: ANN401 - a parsed JSON value
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise UnusableAnswer(f"a {field} is not a number")
    try:
        number = float(score)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnusableAnswer(f"a {field} is not finite")
    return number
