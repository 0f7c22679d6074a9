"""What is printed for people: markup of others is text, and so is what a terminal would obey."""

import pytest

from assay.cli.commands.searching import show_ranking
from assay.cli.failures import show_error
from assay.cli.terminal.output import err, out
from assay.errors import EmbedderRefused
from assay.model.ranking import Query, Ranking, Timings

NASTY = "[search] \x1b[31mred\x07 \x9b2J"


def test_a_message_of_others_is_told_letter_by_letter(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(err(), EmbedderRefused(f"it said {NASTY}", hint=f"See {NASTY}."), as_json=False)
    told = capsys.readouterr().err
    assert told.count("[search] ␛[31mred␇") == 2
    assert not {"\x1b", "\x07", "\x9b"} & set(told)


def test_a_warning_keeps_its_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    ranking = Ranking(Query("lamp", 5), (), "g1", Timings(0, 0, 0, 0, 0), ("Set [search] top_k.",))
    show_ranking(out(), ranking, full=False)
    assert "Set [search] top_k." in capsys.readouterr().err


def test_a_result_for_programs_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    out().print("right\u200fto left", markup=False)
    assert capsys.readouterr().out == "right\u200fto left\n"


def test_names_of_emoji_stay_names(capsys: pytest.CaptureFixture[str]) -> None:
    err().print("std:key: and :smile:")
    assert capsys.readouterr().err == "std:key: and :smile:\n"
