"""YAML that nobody vouches for is read within bounds."""

import pytest

from assay.adapters.sources.folder.bounded_yaml import MAX_CHARACTERS, MAX_DEPTH, PythonName, load_yaml
from assay.errors import InputError

NINE = ", ".join(["*a"] * 9)


def laughing(levels: int, form: str) -> str:
    """Levels of aliases, each standing for nine of the one before."""
    nines = (form.format(NINE.replace("*a", f"*a{level - 1}")) for level in range(1, levels))
    return "\n".join(["a0: &a0 {x: 1}", *(f"a{level}: &a{level} {nine}" for level, nine in enumerate(nines, 1))])


def test_values_are_yamls_and_empty_text_is_none() -> None:
    assert load_yaml("a: 1\nb: [x, 2.5, true, null]") == {"a": 1, "b": ["x", 2.5, True, None]}
    assert load_yaml("") is None
    assert load_yaml("# nothing") is None


def test_named_keys_are_kept_as_they_are_written() -> None:
    text = "title: yes\nid: 010\nslug: 1.10\nother: 1.10\ntags: [2024, on, ~, {label: 1}]\nempty:\nnull_title: ~"
    keys = {"title", "id", "slug", "tags", "empty"}
    assert load_yaml(text, text_keys=keys) == {
        "title": "yes",
        "id": "010",
        "slug": "1.10",
        "other": 1.1,
        "tags": ["2024", "on", None, {"label": 1}],
        "empty": None,
        "null_title": None,
    }


def test_keys_are_strings() -> None:
    assert load_yaml("1: a\nyes: b\n~: c\n2024-01-01: d") == {"1": "a", "yes": "b", "~": "c", "2024-01-01": "d"}


@pytest.mark.parametrize("form", ["[{}]", "{{<<: [{}]}}"])
def test_a_billion_laughs_are_refused_at_once(form: str) -> None:
    with pytest.raises(InputError, match="aliases expand to more than 10,000"):
        load_yaml(laughing(30, form))  # without the bound it would not end


def test_a_few_aliases_are_fine() -> None:
    assert load_yaml("a: &x [1, 2]\nb: *x\nc:\n  <<: {d: 1}\n  e: 2") == {
        "a": [1, 2],
        "b": [1, 2],
        "c": {"d": 1, "e": 2},
    }


def test_an_alias_within_itself_is_refused() -> None:
    with pytest.raises(InputError, match="is inside the value it refers to"):
        load_yaml("a: &a [*a]")


@pytest.mark.parametrize("text", ["[" * 60 + "]" * 60, "- " * 60 + "x", "[" * 100_000, "{a: " * 900 + "1" + "}" * 900])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        load_yaml(text)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert load_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None


def test_too_much_text_is_refused_with_its_length() -> None:
    with pytest.raises(InputError, match="262,145 characters"):
        load_yaml("#" * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: x: y", 11),
        ("a: 1\n\tb: 2", 11),
        ('a: "open', 10),
        ("? [a]\n: b", 10),
        ("---\na: 1\n---\nb: 2", 12),
    ],
)
def test_what_is_not_yaml_is_refused_with_the_line_in_the_file(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"^line {line}: not valid YAML"):
        load_yaml(text, first_line=10)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!int x",
        "a: !!int ''",
        "a: !!float _",
        "a: !!bool maybe",
        "a: !!timestamp now",
        "a: 2024-13-45",
        "a: " + "9" * 5000,
        "a: !!binary x",
        "a: !!set [1]",
        "a: \x00",
        "<<: 3",
    ],
)
def test_a_value_that_does_not_fit_its_type_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^line 1: "):
        load_yaml(text)


def test_a_lone_equals_sign_is_text() -> None:
    assert load_yaml("a: =") == {"a": "="}


@pytest.mark.parametrize("text", ["a: !!python/name:os.system", "a: !!python/object/apply:os.getcwd []", "a: !ENV X"])
def test_unknown_tags_are_refused_unless_they_are_tolerated(text: str) -> None:
    with pytest.raises(InputError, match="could not determine a constructor"):
        load_yaml(text)
    read = load_yaml(text, tolerant=True)
    assert isinstance(read, dict)
    assert read["a"] is None or isinstance(read["a"], PythonName)


def test_a_python_name_is_read_as_its_name_and_keywords() -> None:
    applied = "!!python/object/apply:a.b {kwds: {case: lower}}"
    assert load_yaml(f"- !!python/name:a.b\n- {applied}\n- !!python/tuple [1]", tolerant=True) == [
        PythonName("a.b"),
        PythonName("a.b", {"case": "lower"}),
        None,
    ]


def test_an_environment_tag_reads_as_its_default() -> None:
    assert load_yaml("a: !ENV [SITE, OTHER, https://x.example]", tolerant=True) == {"a": "https://x.example"}
    assert load_yaml("a: !ENV [SITE]", tolerant=True) == {"a": None}
