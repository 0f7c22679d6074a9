"""docs/contracts.md names every field and rule of the seeds, and a marked test proves each."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from assay.contracts import retrieval_testing
from assay.contracts.json_object import read_json_object
from assay.model.ranking import Mode
from assay.web.routes import examples
from tests.docs.pages import DOCS
from tests.docs.seed_fields import CRITERIA, FIELDS, RULES, fields_of, rules_of

PAGE = (DOCS / "contracts.md").read_text(encoding="utf-8")
TESTS = DOCS.parent / "tests"
ANSWERED = tuple(FIELDS)


def section(title: str) -> str:
    """What stands under a heading of the second level."""
    start = PAGE.index(f"\n## {title}")
    end = PAGE.find("\n## ", start + 1)
    return PAGE[start : end if end >= 0 else len(PAGE)]


def rows(seed: str) -> list[tuple[str, str, str]]:
    """The rows of a seed's table: number, field or rule, what it is."""
    lines = [line for line in section(f"Seed {seed}").splitlines() if line.startswith(f"| {seed}.")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [(number, name, meaning) for number, name, meaning in cells]


def numbers_of_the_page() -> list[str]:
    return re.findall(r"^\| ((?:\d{3}|adopted)\.\d+) \|", PAGE, re.MULTILINE)


@cache
def marked() -> frozenset[str]:
    """The numbers in the marks of all tests, read without importing them."""
    texts = [file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py")]
    return frozenset(
        argument.value
        for text in texts
        if "mark.contract(" in text
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
        for mark in function.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.contract"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )


def test_every_row_has_a_number_of_its_own() -> None:
    numbers = numbers_of_the_page()
    assert len(numbers) > 200
    assert len(set(numbers)) == len(numbers)


def test_every_row_is_proved_by_a_test_that_is_marked_with_its_number() -> None:
    assert set(numbers_of_the_page()) - marked() == set()


def test_every_mark_names_a_row() -> None:
    assert marked() - set(numbers_of_the_page()) == set()


def test_the_example_at_the_top_is_what_its_route_takes_and_gives() -> None:
    (body,) = re.findall(r"-d '(.*)'", PAGE)
    (answer,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert retrieval_testing.parse(read_json_object(body.encode()), Mode.DENSE)
    retrieval_testing.QueryResponse.model_validate_json(answer)
    assert json.loads(answer)["results"] == [
        {name: value for name, value in result.items() if name != "metadata"}
        for result in examples.QUERY_ANSWER["results"]  # type: ignore[union-attr]  # a literal whose type is an object
    ]


@pytest.mark.parametrize("seed", ANSWERED)
def test_every_field_of_a_seed_has_its_row(seed: str) -> None:
    wanted = {f"`{entity}.{name}`" for entity, names in FIELDS[seed].items() for name in names}
    assert wanted - {name for _, name, _ in rows(seed)} == set()


@pytest.mark.parametrize("seed", ANSWERED)
def test_there_are_as_many_rules_as_the_seed_has(seed: str) -> None:
    told = [name for _, name, _ in rows(seed) if name.startswith("*")]
    assert len(told) >= RULES[seed]
    assert len(set(told)) == len(told)


def test_the_criteria_for_a_pass_and_the_formulas_have_their_rows() -> None:
    told = [name for _, name, _ in rows("001")]
    criteria = " ".join(name for name in told if name.startswith("*PASS: "))
    assert all(number in criteria for number in CRITERIA)
    assert "*FAIL otherwise*" in told
    for formula in ("Precision@K", "Mean Reciprocal Rank", "Metadata Completeness Rate", "Hash Validation Pass Rate"):
        assert f"*{formula}*" in told


@pytest.mark.parametrize("seed", FIELDS)
def test_the_list_of_fields_and_rules_is_that_of_the_seeds(shared: Path, seed: str) -> None:
    (file,) = (shared / "seeds").glob(f"{seed}_*.txt")
    text = file.read_text(encoding="utf-8")
    assert fields_of(seed, text) == FIELDS[seed]
    if seed in RULES:
        assert rules_of(text) == RULES[seed]
