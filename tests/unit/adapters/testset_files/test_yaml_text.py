"""YAML of test sets: which values it gives, and what it refuses with which line."""

import math
from pathlib import Path

import pytest
import yaml
from tests.testset_samples import load_file

from assay.adapters.testset_files import yaml_text
from assay.adapters.testset_files.yaml_text import MAX_DEPTH, read_yaml, yaml_marks
from assay.model.located import Unparsed

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__, autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds with libyaml and without it."""
    monkeypatch.setattr(yaml_text, "_LOADER", request.param)


def value_of(text: str) -> object:
    located = read_yaml(text, "set.yaml", text_keys={"id", "versions"}, free_key="free")
    assert not located.problems
    return located.value


def refusal(text: str) -> str:
    with pytest.raises(Unparsed) as refused:
        read_yaml(text, "set.yaml")
    return refused.value.message


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
        ("+", "+"),
        (".", "."),
        ('"12"', "12"),
        ("'~'", "~"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
        ("!!float 12", 12.0),
        ("|\n  12\n", "12\n"),
        ("a plain\n  text", "a plain text"),
    ],
)
def test_scalars_follow_the_core_schema(written: str, value: object) -> None:
    found = value_of(f"key: {written}\n")
    assert found == {"key": value}
    assert type(found["key"]) is type(value)  # type: ignore[index]


def test_nan_is_a_number_that_is_none() -> None:
    found = value_of("[.nan]")
    assert isinstance(found, list)
    assert math.isnan(found[0])


def test_a_number_of_too_many_digits_is_no_integer() -> None:
    assert value_of("key: " + "1" * 5_000) == {"key": math.inf}


def test_keys_that_hold_text_keep_it_as_it_is_written() -> None:
    text = "{id: 0012, versions: [1.10, no, ~], other: 0012, free: {id: 0012, versions: [1.10]}}"
    assert value_of(text) == {
        "id": "0012",
        "versions": ["1.10", "no", None],
        "other": 12,
        "free": {"id": 12, "versions": [1.1]},
    }


def test_keys_are_text_whatever_they_look_like() -> None:
    assert value_of("{1: a, true: b, null: c, 'd': e}") == {"1": "a", "true": "b", "null": "c", "d": "e"}


def test_an_alias_is_what_it_names() -> None:
    assert value_of("{a: &x [1, &y 2], b: *x, c: *y}") == {"a": [1, 2], "b": [1, 2], "c": 2}


def test_an_anchor_may_be_given_anew() -> None:
    assert value_of("[&x 1, *x, &x 2, *x]") == [1, 1, 2, 2]


def test_no_text_is_no_document() -> None:
    assert value_of("") is None
    assert value_of("# only a comment\n") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: [1\n", "set.yaml:3: not valid YAML"),
        ("a: 1\nb: x: y\n", "set.yaml:2: not valid YAML (mapping values are not allowed"),
        ("a:\n\t- b\n", "set.yaml:2: not valid YAML"),
        ("a: 1\n---\nb: 2\n", "set.yaml:2: a second YAML document begins here"),
        ("a: 1\nb: !!python/object:os.x y\n", "set.yaml:2: the YAML tag !!python/object:os.x is not supported"),
        ("a: 1\nb: !mine [x]\n", "set.yaml:2: the YAML tag !mine is not supported"),
        ("a: !!int x\n", "set.yaml:1: 'x' is not !!int"),
        ("a: !!int true\n", "set.yaml:1: 'true' is not !!int"),
        ("a: &x [1]\nb:\n  <<: *x\n", "set.yaml:3: merge keys (`<<`) are not supported; write the keys out"),
        ("a: 1\nb: *x\n", "set.yaml:2: "),
        ("a: &x [*x]\n", "set.yaml:1: "),
        ("? [a, b]\n: 1\n", "set.yaml:1: a key has to be text, not a list or a mapping"),
        ("{a: &x y, *x : 1}", "set.yaml:1: an alias cannot be a key"),
        ("a: 1\nb: x\x01y\n", "set.yaml:2: the character U+0001 is not allowed in YAML"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, words: str) -> None:
    assert refusal(text).startswith(words)


def test_nesting_has_a_limit() -> None:
    assert value_of("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    assert refusal("\n" + "[" * (MAX_DEPTH + 1)) == f"set.yaml:2: it is nested more than {MAX_DEPTH} deep."


def test_aliases_cannot_grow_without_limit() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9))
    assert refusal(bomb) == "set.yaml:6: aliases repeat more than 1,000,000 values."


def test_a_key_that_is_there_twice_is_told_with_both_lines() -> None:
    located = read_yaml("a: 1\nb:\n  - c: 1\n    d: 2\n    c: 3\na: 4\n", "set.yaml")
    assert [str(problem) for problem in located.problems] == [
        "set.yaml:5: the key `c` repeats the one on line 3",
        "set.yaml:6: the key `a` repeats the one on line 1",
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_places_are_those_of_keys_and_items(newline: str) -> None:
    text = newline.join(
        ["# é 😀", "a:", "  - {b: 1,", "     c: 2}", "", "  - |", "    x", "", "  - d:", "      e: 1", "f: 2"]
    )
    located = read_yaml(text, "set.yaml")
    wanted = {
        ("a",): 2,
        ("a", 0): 3,
        ("a", 0, "b"): 3,
        ("a", 0, "c"): 4,
        ("a", 1): 6,
        ("a", 2, "d", "e"): 10,
        ("f",): 11,
    }
    assert {path: place.line for path, place in located.locate(wanted).items()} == wanted


def test_lines_are_counted_as_editors_do() -> None:
    text = "z: 'a\u2028b\x85c'\na: 1\nb: 2\na: 3\n"
    located = read_yaml(text, "set.yaml")
    assert [str(problem) for problem in located.problems] == ["set.yaml:4: the key `a` repeats the one on line 2"]
    assert located.locate([("b",)])["b",].line == 3
    assert refusal(text + "c: [\n").startswith("set.yaml:6: not valid YAML")
    assert refusal(text + "c: !mine d\n").startswith("set.yaml:5: the YAML tag !mine is not supported")


def test_the_place_of_what_is_not_there_is_that_of_what_is_around_it() -> None:
    located = read_yaml("a:\n  - b: 1\n  - c: 2\n", "set.yaml")
    paths = [("a", 1, "label"), ("a", 9), ("z",), ()]
    assert [place.line for place in located.locate(paths).values()] == [3, 1, 1, 1]


def test_a_bom_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(b"\xef\xbb\xbftopics: []\r\n")
    assert load_file(path).value == {"topics": []}


def test_marks_are_places_in_the_text() -> None:
    text = "é: '😀'\r\nb: [x, \"y\"]\r\n"
    scalars = [text[mark.start : mark.end] for mark in yaml_marks(text) if mark.value]
    assert scalars == ["é", "'😀'", "b", "x", '"y"']
