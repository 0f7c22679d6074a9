"""The code blocks of the pages: every command exists, every file can be read, and the rest is counted."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from assay.settings import load_settings
from tests.command_lines import parse, unknown_options
from tests.snippets import PAGES, Snippet, snippets

SHELLS = {"", "sh", "bash", "console", "cron"}
SNIPPETS = snippets()
UNCHECKED = {"caddy": 1, "css": 1, "html": 2, "ini": 3, "js": 3, "markdown": 4, "nginx": 1, "sql": 1}
"""How many blocks there are of other languages: units are read by test_running_docs.py and
Markdown by test_tutorial.py, the others by nothing."""


def _of(*languages: str) -> list[Snippet]:
    return [snippet for snippet in SNIPPETS if snippet.language in languages]


COMMANDS = [(str(snippet), command) for snippet in _of(*SHELLS) for command in snippet.commands]


@pytest.mark.parametrize(("place", "command"), COMMANDS, ids=lambda value: value)
def test_a_command_in_a_block_exists_with_its_options(place: str, command: str) -> None:
    if "…" not in command:  # the rest is a drawing
        parse(re.sub(r"\[.*?\]", "", command))


def test_every_block_is_checked_or_counted() -> None:
    others: dict[str, int] = {}
    for snippet in SNIPPETS:
        if snippet.language not in SHELLS | {"json", "yaml", "toml", "python"}:
            others[snippet.language] = others.get(snippet.language, 0) + 1
    assert others == UNCHECKED


@pytest.mark.parametrize("snippet", _of("json"), ids=str)
def test_json_can_be_read(snippet: Snippet) -> None:
    json.loads(snippet.text)


@pytest.mark.parametrize("snippet", _of("yaml"), ids=str)
def test_yaml_can_be_read(snippet: Snippet) -> None:
    assert list(yaml.safe_load_all(snippet.text))


@pytest.mark.parametrize("snippet", _of("toml"), ids=str)
def test_settings_are_settings_that_there_are(
    snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if snippet.page == "sweeping.md":  # not settings, but a grid of them
        assert tomllib.loads(snippet.text)
        return
    (tmp_path / "assay.toml").write_text(snippet.text, encoding="utf-8")
    load_settings(tmp_path / "assay.toml")


@pytest.mark.parametrize("snippet", _of("python"), ids=str)
def test_python_is_python(snippet: Snippet) -> None:
    compile(snippet.text, str(snippet), "exec")


INLINE = sorted(
    {
        (page.name, command)
        for page in PAGES
        for command in re.findall(
            r"`assay ([a-z][^`]*)`", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        )
        if "…" not in command
    }
)


@pytest.mark.parametrize(("page", "command"), INLINE, ids=lambda value: value)
def test_a_command_in_a_sentence_exists_with_its_options(page: str, command: str) -> None:
    assert unknown_options(command) == set()
