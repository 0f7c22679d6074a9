"""The JSON of other validation suites: seed 001's test cases and reports, seed 004's validation tests."""

import json
import math
from collections.abc import Mapping
from typing import Any

from assay.adapters.testset_files.exchange import Draft, Grades, Imported, grade
from assay.adapters.testset_files.json_text import read_json
from assay.adapters.testset_files.text_file import TextFile
from assay.model.located import Place, Problem, Unparsed, refuse

EXPECTED_LABEL = 2
"""Label of a chunk that seed 004 expects; it has no grades."""

_CRITERIA = ("min_accuracy", "min_similarity_score")
_LISTS = ("test_cases", "validation_tests", "tests")
_CASE = {"query", "expected_criteria", "actual_results", "relevance_labels", "precision_at_k", "rank_of_best", "id"}
_TEST = {
    *("test_id", "query_text", "expected_results", "success_criteria", "test_category"),
    *("executed_at", "result_accuracy"),
}


def read_suite(file: TextFile, grades: Grades) -> Imported:
    """Read test cases or validation tests: a list of them, or an object with the list.

    A test case's results and labels become judgments with URL, quote and hash; without an id it is named q1, q2, … by
    its position. A validation test's expected chunks get EXPECTED_LABEL; its success_criteria become
    expected_criteria.

    Raises InputError with the lines for other content.
    """
    located = read_json(file.text, file.name)
    if located.problems:
        raise refuse(file.name, located.problems)
    listed, path = _listed(located.value)
    if listed is None or not listed:
        words = (
            "there are neither test cases (`query`, `relevance_labels`) nor validation tests (`test_id`, `query_text`)"
        )
        raise Unparsed(Problem(Place(file.name), "", words))
    places = located.locate([(*path, number) for number in range(len(listed))])
    draft = Draft(file.name)
    for number, entry in enumerate(listed):
        place = places[(*path, number)]
        if not isinstance(entry, dict):
            raise Unparsed(Problem(place, "", "has to be an object"))
        if "query" in entry:
            _add_case(draft, entry, number, place, grades)
        else:
            _add_test(draft, entry, place)
    return draft.to_imported()


def _listed(value: object) -> tuple[list[object] | None, tuple[str, ...]]:
    if isinstance(value, list):
        return value, ()
    if isinstance(value, Mapping):
        for key in _LISTS:
            if isinstance(value.get(key), list):
                return value[key], (key,)
    return None, ()


def _add_case(draft: Draft, case: Mapping[str, Any], number: int, place: Place, grades: Grades) -> None:
    _check_keys(case, _CASE, place)
    query = case["query"]
    if not isinstance(query, Mapping):
        raise Unparsed(Problem(place, "query", "has to be an object with `text`, `top_k` and `query_type`"))
    _check_keys(query, {"text", "top_k", "query_type"}, place)
    topic: dict[str, object] = {"id": case.get("id", f"q{number + 1}"), "text": query.get("text")}
    topic |= {key: query[name] for key, name in (("top_k", "top_k"), ("type", "query_type")) if name in query}
    if case.get("expected_criteria"):
        topic["expected_criteria"] = case["expected_criteria"]
    draft.add_topic(topic, place)
    results, labels = case.get("actual_results") or [], case.get("relevance_labels") or []
    if not isinstance(results, list) or not isinstance(labels, list) or len(results) != len(labels):
        words = "`relevance_labels` has to have a label for each of `actual_results`"
        raise Unparsed(Problem(place, f"case {number + 1}", words))
    for result, label in zip(results, labels, strict=True):
        said = {"url": "url", "content": "quote", "content_hash": "content_hash"}
        found = result if isinstance(result, Mapping) else {}
        passage = {key: found[name] for name, key in said.items() if found.get(name)}
        mapped = grade(str(label), grades) if type(label) is int else label
        draft.add_judgment(str(topic["id"]), {**passage, "label": mapped}, place)


def _add_test(draft: Draft, test: Mapping[str, Any], place: Place) -> None:
    _check_keys(test, _TEST, place)
    for key in ("executed_at", "result_accuracy"):
        draft.left_out[f"`{key}` of validation tests"] += key in test
    topic: dict[str, object] = {"id": test.get("test_id"), "text": test.get("query_text")}
    if test.get("test_category") is not None:
        topic["category"] = test["test_category"]
    if test.get("success_criteria"):
        _check_criteria(test["success_criteria"], place)
        topic["expected_criteria"] = test["success_criteria"]
    draft.add_topic(topic, place)
    expected = test.get("expected_results") or []
    if not isinstance(expected, list):
        raise Unparsed(Problem(place, "expected_results", "has to be a list of chunk ids"))
    for chunk_id in expected:
        draft.add_judgment(str(topic["id"]), {"chunk_id": chunk_id, "label": EXPECTED_LABEL}, place)


def _check_criteria(criteria: object, place: Place) -> None:
    """Raise Unparsed for criteria of a validation test that are not from 0 to 1."""
    for name in _CRITERIA:
        value = criteria.get(name) if isinstance(criteria, Mapping) else None
        if value is None:
            continue
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not 0.0 <= number <= 1.0:
            advice = f"; divide a percentage by 100: {number / 100:g}" if 1.0 < number <= 100.0 else ""
            words = f"has to be a number from 0 to 1, not {json.dumps(value)[:40]}{advice}"
            raise Unparsed(Problem(place, f"success_criteria.{name}", words))


def _check_keys(fields: Mapping[str, object], known: set[str], place: Place) -> None:
    unknown = sorted(fields.keys() - known)
    if unknown:
        words = f"unknown key `{unknown[0]}`; it can be {', '.join(sorted(known))}"
        raise Unparsed(Problem(place, "", words))
