"""docs/contracts.md names every field and rule of the seeds, and tests that are there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

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
    """The rows of a seed's table: field or rule, what it is, tests."""
    lines = [line for line in section(f"Seed {seed}").splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [(name, meaning, tests) for name, meaning, tests in cells]


@cache
def functions_of(file: Path) -> set[str]:
    """The tests in a file, those of its classes included."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def files_named(name: str) -> list[Path]:
    return [DOCS.parent / name] if "/" in name else list(TESTS.rglob(name))


ROWS = [pytest.param(seed, *row, id=f"{seed} {row[0]}") for seed in ANSWERED for row in rows(seed)]


@pytest.mark.parametrize(("_seed", "_name", "meaning", "tests"), ROWS)
def test_every_row_names_tests_that_are_there(_seed: str, _name: str, meaning: str, tests: str) -> None:
    assert meaning
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", tests)
    assert named, "no row without a test"
    assert len(named) == tests.count("<br>") + 1
    for file, function in named:
        found = files_named(file)
        assert len(found) == 1, f"{file} is {len(found)} files"
        assert function in functions_of(found[0]), f"there is no {function} in {file}"


@pytest.mark.parametrize("seed", ANSWERED)
def test_every_field_of_a_seed_has_its_row(seed: str) -> None:
    wanted = {f"`{entity}.{name}`" for entity, names in FIELDS[seed].items() for name in names}
    assert wanted - {name for name, _, _ in rows(seed)} == set()


@pytest.mark.parametrize("seed", ANSWERED)
def test_there_are_as_many_rules_as_the_seed_has(seed: str) -> None:
    told = [name for name, _, _ in rows(seed) if name.startswith("*")]
    assert len(told) >= RULES[seed]
    assert len(set(told)) == len(told)


def test_the_criteria_for_a_pass_and_the_formulas_have_their_rows() -> None:
    told = [name for name, _, _ in rows("001")]
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
