# ruff: noqa: RUF001 - the punctuation of other scripts is meant
import itertools

import pytest

from assay.errors import InputError
from assay.ingest.chunking.splitting import fine_borders, is_visible_border, sentence_starts


def sentences(text: str) -> list[str]:
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    return [text[start:end].strip() for start, end in itertools.pairwise(starts)]


def parts(text: str, size: int, *, code: bool = False) -> list[str]:
    starts = [0, *fine_borders(text, 0, len(text), size, code=code), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One.", "Two!", "Three?", "Four…", "Five"],
        ['He said "Stop."', "(It stopped.)", "**Now.**", "Then `x`."],
        ["Дерево узлов.", "Что это?", "Конец."],
        ["ما هذا؟", "هذه عقدة.", "نعم"],
        ["یہ کیا ہے؟", "یہ ایک نوڈ ہے۔", "ہاں"],
        ["यह एक नोड है।", "यह क्या है?"],
        ["Wait...", "What?", "Go on..."],
    ],
)
def test_a_sentence_ends_at_its_mark(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["节点通过话题通信。", "这是什么？", "好！", "完"],
        ["「終わりです。」", "次の文です。", "終"],
        ["版本１．５很好。", "用它。"],
        ["请运行 npm install。", "then start。"],
    ],
)
def test_chinese_and_japanese_sentences_need_no_blank_between_them(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Use a server, e.g. Nginx or Traefik.",
        "Use a server, i.e. Nginx.",
        "Nginx, Traefik, etc. They work.",
        "Ask Dr. Smith or Mrs. Jones.",
        "J. R. Smith wrote it.",
        "See Fig. 3 and No. 7 below.",
        "Python 3.11.4 and v1.2 differ by 0.5 percent.",
        "Open docs.example.org/a.html now",
        "The U.S. Navy has one.",
        "Yahoo! is a name, and so is why? not.",
        "Call `foo. Bar` with it",
        "It goes on ... and on.",
        "1. The first item",
    ],
)
def test_a_mark_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


def test_a_word_that_is_only_sometimes_an_abbreviation_ends_a_sentence() -> None:
    assert sentences("The answer is no. Then stop.") == ["The answer is no.", "Then stop."]


def test_a_version_can_end_a_sentence() -> None:
    assert sentences("Upgrade to v1.2. Then restart.") == ["Upgrade to v1.2.", "Then restart."]


def test_only_the_span_is_looked_at() -> None:
    text = "One. Two. Three. Four."
    assert sentence_starts(text, 5, 16) == [10]


@pytest.mark.parametrize(
    "repeated", [".", '."', ")", "`", "` ", "`a", "。」", "!?", ",", "a.", "\u0301", "🇩", "\n", "  "]
)
def test_text_of_nothing_but_marks_takes_no_more_than_linear_time(repeated: str) -> None:
    text = repeated * (200_000 // len(repeated))
    assert all(0 < start < len(text) for start in sentence_starts(text, 0, len(text)))
    assert max(len(part.strip()) for part in parts(text + "x", 1_000)) <= 1_000


def test_parts_end_at_the_last_clause_mark_of_their_second_half() -> None:
    assert parts("aaaa, bbbb, cccc dddd eeee", 16) == ["aaaa, bbbb, ", "cccc dddd eeee"]


def test_parts_without_a_clause_mark_end_after_a_word() -> None:
    assert parts("aaaa bbbb cccc dddd", 11) == ["aaaa bbbb ", "cccc dddd"]


def test_parts_of_code_end_after_brackets_and_semicolons() -> None:
    assert parts("let a=1;let b=2;let c=3;x", 10, code=True) == ["let a=1;", "let b=2;", "let c=3;x"]


def test_thai_is_cut_at_its_spaces() -> None:
    assert parts("โหนดสื่อสาร กันผ่านหัวข้อ เริ่มต้น", 20) == ["โหนดสื่อสาร ", "กันผ่านหัวข้อ ", "เริ่มต้น"]


def test_text_without_any_border_is_cut_to_size() -> None:
    assert [len(part) for part in parts("x" * 25, 10)] == [10, 10, 5]


CLUSTERS = ["e\u0301", "\u1100\u1161\u11a8", "\uac00\u11a8", "กำ", "เก", "क्ष"]
EMOJI = ["👩🏽‍🚀", "🇩🇪", "👨‍👩‍👧‍👦", "❤️", "🏴\U000e0067\U000e0062\U000e007f"]


@pytest.mark.parametrize("cluster", CLUSTERS + EMOJI)
def test_what_a_reader_sees_as_one_character_is_not_cut(cluster: str) -> None:
    for size in range(len(cluster) * 2, len(cluster) * 3 + 1):
        for part in parts(cluster * 12, size):
            assert len(part) % len(cluster) == 0
    assert not any(is_visible_border(cluster, offset) for offset in range(1, len(cluster)))


def test_a_row_of_flags_is_cut_between_flags() -> None:
    flags = "🇩🇪🇫🇷"
    assert [is_visible_border(flags, offset) for offset in range(5)] == [True, False, True, False, True]


def test_a_run_of_marks_without_end_is_cut_all_the_same() -> None:
    assert max(len(part) for part in parts("a" + "\u0301" * 500, 100)) == 100


def test_a_part_without_characters_is_refused() -> None:
    with pytest.raises(InputError):
        fine_borders("text", 0, 4, 0)


def test_only_a_full_stop_can_belong_to_an_abbreviation() -> None:
    assert sentences("Ask the Dr! Smith knows. See etc.. Then go.") == [
        "Ask the Dr!",
        "Smith knows.",
        "See etc..",
        "Then go.",
    ]


def test_no_sentence_ends_within_a_code_span() -> None:
    assert sentences("Type `a. B`. Then `c.` Done.") == ["Type `a. B`.", "Then `c.` Done."]
