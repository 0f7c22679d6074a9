"""Which texts of links could be a query, and which headings ask."""

import pytest

from assay.validation.deriving.phrases import MOST_CHARACTERS, folded, gist, plain, why_no_query, why_no_question


def common(word: str) -> bool:
    return word in {"fastapi", "redux", "toolkit"}


@pytest.mark.parametrize(
    "text",
    [
        "optimistic updates",
        "`createReducer` API",
        "the `configureStore.middleware` option",
        'the "Builder Callback Notation" section',
        "RTK Query is not a normalized cache",
        "using mutations to send updates to the server",
        "SQL tutorial with SQLAlchemy",
        "FastAPI in Containers - Docker",
        "Next.js tutorial",
        "C++ modules",
        "Is concurrency better?",
        "話題で通信する",
        "安装指南和配置",
        "Datenbanken einrichten",
        "Étapes de déploiement",
    ],
)
def test_a_text_that_says_what_it_is_about_is_a_query(text: str) -> None:
    assert why_no_query(text, common) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no text"),
        ("``", "no text"),
        ("https://docs.example/a", "an address or a file name"),
        ("www.example.org", "an address or a file name"),
        ("docs.example.com/guide", "an address or a file name"),
        ("somebody@example.org", "an address or a file name"),
        ("package.json", "an address or a file name"),
        ("src/app/main.py", "an address or a file name"),
        (".env", "an address or a file name"),
        ("./scripts/", "an address or a file name"),
        ("#1234", "a number"),
        ("v2.0", "a number"),
        ("`useQuery`", "code only"),
        ("`base query`", "code only"),
        ("`a`, `b`", "code only"),
        ("createSlice", "code only"),
        ("createReducer()", "code only"),
        ("configureStore.middleware", "code only"),
        ("--workers", "code only"),
        ("<ApiProvider />", "code only"),
        ("Immer", "a single word"),
        ("here", "needs the text around it"),
        ("click here", "needs the text around it"),
        ("this page", "needs the text around it"),
        ("described above", "needs the text around it"),
        ("the next chapter", "needs the text around it"),
        ("swap our client with your own", "needs the text around it"),
        ("the allowed time", "needs the text around it"),
        ("see the tutorials", "needs the text around it"),
        ("still be faster", "needs the text around it"),
        ("in the Direct Manipulation section", "needs the text around it"),
        ("read more", "needs the text around it"),
        ("learn more", "a single word"),
        ("the `current` one", "a single word"),
        ("API reference", "fits any page"),
        ("Tutorial - User Guide", "fits any page"),
        ("examples page", "fits any page"),
        ("FastAPI docs", "fits any page"),
        ("Redux Toolkit", "fits any page"),
        ("安装", "a single word"),
        ("word " * 17, "too long"),
        ("a" * 60 + " " + "b" * 60, "too long"),
    ],
)
def test_a_text_that_does_not_is_left_out(text: str, reason: str) -> None:
    assert why_no_query(text, common) == reason


@pytest.mark.parametrize(
    "heading",
    [
        "What is Redux Toolkit?",
        "How a Response Model Works",
        "When to use streaming updates",
        "Why Immer is Built In",
        "What is a Process",
        "What Does the Redux Core Do?",
        "Sparse or dense?",
        "节点如何通信\uff1f",
    ],
)
def test_a_heading_that_asks_is_a_question(heading: str) -> None:
    assert why_no_question(heading) is None


@pytest.mark.parametrize(
    ("heading", "reason"),
    [
        ("Installation", "no question"),
        ("Isolation levels", "no question"),
        ("Showing results", "no question"),
        ("Who: the people", "no question"),
        ("How it works", "needs the text around it"),
        ("What's next?", "needs the text around it"),
        ("How the importing works", "needs the text around it"),
        ("How to read this guide", "needs the text around it"),
        ("What's included", "fits any page"),
        ("What you've learned", "fits any page"),
        ("How to use", "a single word"),
    ],
)
def test_a_heading_that_does_not_is_left_out(heading: str, reason: str) -> None:
    assert why_no_question(heading) == reason


def test_a_query_has_no_marks_of_markdown() -> None:
    assert plain("the  `a_b` *and* __bold__\n“text” of snake_case \\* x") == "the a_b and bold “text” of snake_case x"


def test_texts_that_differ_in_case_punctuation_and_articles_only_are_one() -> None:
    assert folded('The "Response Model"!') == folded("response model") == "response model"
    assert folded("don’t") == folded("don't")
    assert folded("response models") != folded("response model")


def test_the_gist_leaves_out_what_fits_any_page() -> None:
    assert gist("the documentation for `createReducer` in Redux", common) == ("createreducer",)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["`" * 200_000, "``a`" * 50_000, " ".join("`" * n for n in range(1, 600))])
def test_marks_of_code_take_no_more_than_linear_time(text: str) -> None:
    assert "`" not in plain(text)


def test_code_in_a_text_is_shown_without_its_marks() -> None:
    assert plain("Use `a_b` and ``c`d``") == "Use a_b and cd"


@pytest.mark.parametrize("text", ["a_" * 58 + "-", "a" + "_" * 100_000 + "b", "a" + ".com" * 50_000 + " b"])
def test_a_text_with_very_many_ways_to_be_a_name_is_judged_in_linear_time(text: str) -> None:
    assert why_no_query(plain(text), common) or len(text) <= MOST_CHARACTERS
