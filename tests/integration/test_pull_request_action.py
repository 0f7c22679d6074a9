"""The script of the GitHub Action in a repository with a pull request, and its commands with the real command line."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import runner

SCRIPT = Path(__file__).resolve().parents[2] / "action" / "measure.sh"
PARTS = {
    "gripper": "Fingers close with twelve newtons; replace their rubber once it is worn.",
    "camera": "Wipe both lenses, then calibrate against the printed chessboard.",
    "battery": "Never charge below freezing. Cells hold eighty percent after a year in the field.",
    "wheel": "Tighten the hub with a torque wrench and spin it freely before driving.",
    "motor": "Listen for a grinding noise: bearings fail long before windings do.",
    "sensor": "Distances over four metres are guesses, so treat them as unknown.",
}

pytestmark = pytest.mark.skipif(not (shutil.which("git") and shutil.which("bash")), reason="needs git and bash")


def _git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def _measure(repository: Path, base: str, **variables: str) -> tuple[int, str]:
    """Run the script in the repository. Returns its exit code and the comment."""
    comment = repository.parent / "comment.md"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", SCRIPT, comment],
        cwd=repository,
        env={
            **os.environ,
            "PATH": path,
            "BASE": base,
            "SOURCE": "docs",
            "BASE_URL": "https://docs.example",
            **variables,
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
    )
    return ended.returncode, comment.read_text(encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose one commit has seven pages."""
    pages = {f"docs/{part}.md": f"# The {part}\n\n{text}\n" for part, text in PARTS.items()}
    links = "\n".join(f"- [{part} instructions]({part}.md)" for part in PARTS)
    pages["docs/index.md"] = f"# Parts of the robot\n\nEach of these has a page of its own:\n\n{links}\n"
    repository = plant(tmp_path / "repository", pages)
    _git(repository, "init", "--quiet")
    _git(repository, "add", ".")
    _git(repository, "commit", "--quiet", "--message", "Base")
    return repository


def test_the_commands_of_the_script_judge_a_changed_page_and_compare_it_with_the_base(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys, repository)
    derived, reports = tmp_path / "derived.testset.yaml", tmp_path / "reports"
    variables = {
        '"${config[@]}"': "",
        '"${source[@]}"': "docs --name docs --base-url https://docs.example",
        '"${topics[@]}"': f"--testset {derived}",
        '"${rule[@]}"': "--fail-if-worse any",
        '"$testset"': str(derived),
        '"$work/reports"': str(reports),
    }
    lines = re.findall(r"^\s*(?:\(.*&& )?assay ([^>|;)\n]+)", SCRIPT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    said = {}
    for line in lines:
        if line.startswith("ingest"):
            plant(repository, {"docs/brake.md": "# The brake\n\n</details> ``` <!-- Pads wear out by distance.\n"})
        for variable, words in variables.items():
            line = line.replace(variable, words)  # noqa: PLW2901
        said[line.split()[0]] = run(*shlex.split(line))
    assert {name: ended.code for name, ended in said.items()} == dict.fromkeys(said, 0)
    assert said["ingest"].body["unchanged"] is False
    assert said["compare"].out.startswith("A: live")
    (comment,) = reports.glob("*.md")
    assert comment.read_text(encoding="utf-8").startswith("## ✅ PASS")


_STAND_IN = """#!/bin/bash
case $1 in
    publish) exit $PUBLISH ;;
    ingest) echo "{\\"unchanged\\": $UNCHANGED}"; exit $INGEST ;;
    testset) exit $DERIVE ;;
    validate) mkdir -p "${@: -1}"; echo "## report" > "${@: -1}/report.md"; exit $VALIDATE ;;
    compare) echo "</details> compared"; exit $COMPARE ;;
esac
"""
_FINE = {"PUBLISH": "0", "INGEST": "0", "UNCHANGED": "false", "DERIVE": "0", "VALIDATE": "0", "COMPARE": "0"}


@pytest.mark.parametrize(
    ("codes", "code", "said"),
    [
        ({}, 0, "<summary>Compared with the base</summary>\n\n    </details> compared\n\n</details>"),
        ({"VALIDATE": "1"}, 1, "compared"),
        ({"COMPARE": "1"}, 1, "compared"),
        ({"VALIDATE": "3"}, 0, "compared"),
        ({"VALIDATE": "3", "FAIL_IF_UNDECIDED": "true"}, 3, "compared"),
        ({"VALIDATE": "3", "COMPARE": "1"}, 1, "compared"),
        ({"COMPARE": "3", "FAIL_IF_UNDECIDED": "true"}, 3, "compared"),
        ({"VALIDATE": "1", "COMPARE": "3"}, 1, "compared"),
        ({"COMPARE": "4"}, 4, "compared"),
        ({"UNCHANGED": "true"}, 0, "no page changed"),
        ({"INGEST": "2"}, 2, "cannot be built"),
        ({"PUBLISH": "1"}, 0, "## report"),
        ({"DERIVE": "2"}, 0, "## report"),
    ],
    ids=str,
)
def test_the_exit_code_and_the_comment_follow_from_those_of_the_commands(
    repository: Path, tmp_path: Path, codes: dict[str, str], code: int, said: str
) -> None:
    plant(repository, {f"{name}.py": "raise SystemExit('code of the pull request')" for name in ("json", "pathlib")})
    stand_in = plant(tmp_path, {"bin/assay": _STAND_IN}) / "bin" / "assay"
    stand_in.chmod(0o755)
    summary = tmp_path / "summary.md"
    variables = {**_FINE, **codes, "GITHUB_STEP_SUMMARY": str(summary)}
    ended, comment = _measure(
        repository, "HEAD", PATH=f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}", **variables
    )
    assert ended == code
    assert said in comment
    assert summary.read_text(encoding="utf-8") == comment
    assert comment.startswith("<!-- assay -->\n")
    assert _git(repository, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize("length", [100, 200_000])
def test_a_comment_is_cut_to_what_github_takes(repository: Path, tmp_path: Path, length: int) -> None:
    plant(repository, {"pathlib.py": "raise SystemExit('code of the pull request')"})
    program = '#!/bin/bash\nfor last; do :; done\n[ "$2" = --paginate ] || cat "${last#body=@}" > "$SENT"\n'
    stand_in = plant(tmp_path, {"bin/gh": program, "comment.md": "<!-- assay -->\n" + "räder\n" * (length // 6)})
    (stand_in / "bin" / "gh").chmod(0o755)
    path = f"{stand_in / 'bin'}{os.pathsep}{os.environ['PATH']}"
    named = {"GITHUB_REPOSITORY": "a/b", "PULL_REQUEST": "1", "SENT": str(tmp_path / "sent")}
    command = ["bash", SCRIPT.with_name("comment.sh"), tmp_path / "comment.md"]
    subprocess.run(command, cwd=repository, env={**os.environ, "PATH": path, **named}, check=True, timeout=60)
    sent = (tmp_path / "sent").read_text(encoding="utf-8")
    assert sent.startswith("<!-- assay -->\nräder\n")
    assert len(sent) < 65_000
    assert ("cut here" in sent) == (length > 65_000)
