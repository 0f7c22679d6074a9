"""docs/tutorial.md, done as it says."""

import re
import shlex
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run, Said, runner
from tests.snippets import ROOT, Snippet, snippets

STEPS = [snippet for snippet in snippets() if snippet.page == "tutorial.md" and snippet.language == "console"]


def _done(run: Run, step: Snippet) -> list[Said]:
    return [run(*shlex.split(command)) for command in step.commands]


def test_the_tutorial_goes_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    pages = dict(re.findall(r"^`(docs/\S+)`:\n\n```markdown\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
    plant(tmp_path, pages)
    run = runner(monkeypatch, capsys, tmp_path)

    _, published = _done(run, STEPS[0])
    assert published.code == 0
    assert "PASS" in published.out
    assert "is live" in published.out

    slow, red = _done(run, STEPS[1])
    assert "https://robot.example.org/charging" in slow.out
    assert "https://robot.example.org/lights#colours" in red.out

    derived, measured = _done(run, STEPS[2])
    assert "what the lights mean" in (tmp_path / "robot.testset.yaml").read_text(encoding="utf-8")
    assert (derived.code, measured.code) == (0, 0), measured.out + measured.err

    (tmp_path / "docs" / "lights.md").unlink()
    rejected, generations = _done(run, STEPS[3])
    assert rejected.code == 1
    assert "rejected" in generations.out
    assert "lights#colours" in run("search", "what does red mean").out

    plant(tmp_path, {**pages, "docs/charging.md": pages["docs/charging.md"].replace("two hours", "three hours")})
    changed, back, found = _done(run, STEPS[4])
    assert (changed.code, back.code) == (0, 0), changed.out + changed.err
    assert "two hours" in found.out
    assert "three hours" not in found.out
