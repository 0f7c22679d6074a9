"""The help as it is printed has all that the page about the command line has."""

import re
import sys

import pytest
import typer
from typer.core import TyperGroup

from assay.cli.main import command_line, run
from tests.docs.pages import _commands, _meaning, _spelling

GROUP = typer.main.get_command(command_line())
assert isinstance(GROUP, TyperGroup)
COMMANDS = dict(_commands(GROUP))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_every_word_of_the_page(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.setattr(sys, "argv", ["assay", *name.split(), "--help"])
    with pytest.raises(SystemExit):
        run(command_line())
    printed = _words(capsys.readouterr().out)
    command = COMMANDS[name]
    for paragraph in (command.help or "").split("\n\n"):
        assert _words(paragraph) in printed
    _, *further = (command.help or "").strip().split("\n\n")
    assert not any("\n" in paragraph for paragraph in further), "their line breaks are printed as they are"
    for parameter in command.params:
        assert _words(_meaning(parameter)) in printed, _spelling(parameter)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_the_whole_name_of_each_option_at_80_columns(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["assay", *name.split(), "--help"])
    with pytest.raises(SystemExit):
        run(command_line())
    printed = capsys.readouterr().out
    spellings = [one for each in COMMANDS[name].params for one in (*each.opts, *each.secondary_opts)]
    assert [one for one in spellings if one.startswith("-") and f" {one} " not in printed.replace(",", " ")] == []


def test_the_list_of_commands_has_the_first_sentence_of_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.setattr(sys, "argv", ["assay", "--help"])
    with pytest.raises(SystemExit):
        run(command_line())
    printed = _words(capsys.readouterr().out)
    assert all(name in printed for name in GROUP.commands)
    assert all(_words(_meaning(parameter)) in printed for parameter in GROUP.params)


def _words(text: str) -> str:
    """The text without line breaks and the frames around it."""
    return " ".join(re.sub(r"[│─╭╮╰╯]", " ", text).split())
