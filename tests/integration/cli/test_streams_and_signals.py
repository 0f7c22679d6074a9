"""Streams that are closed, full or no longer read, and signals, as a shell's users meet them."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import PROGRAM, Run, Said, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell's redirections are those of POSIX")

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


def shell(folder: Path, line: str) -> Said:
    """Run a line of shell in which `assay` is the program."""
    script = f'assay() {{ {shlex.join(PROGRAM)} "$@"; }}\n{line}'
    ran = subprocess.run(
        ["/bin/sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False, env=environment()
    )
    assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
    assert "Exception ignored" not in ran.stderr
    return Said(ran.returncode, ran.stdout, ran.stderr)


@needs_full
@pytest.mark.parametrize("form", ["", "--json"])
def test_a_full_standard_output_is_exit_code_4_and_said(published: Path, form: str) -> None:
    said = shell(published, f"assay search gripper {form} >/dev/full")
    assert said.code == 4
    assert said.err == "Error: The result cannot be written to standard output: no space left on device.\n"


def test_a_closed_standard_output_is_exit_code_4_and_said(published: Path) -> None:
    said = shell(published, "assay search gripper >&-")
    assert said.code == 4
    assert said.err == "Error: The result cannot be written to standard output: closed.\n"


@pytest.mark.parametrize("form", ["--full", "--json"])
def test_a_reader_that_goes_away_is_exit_code_141_and_no_word(published: Path, form: str) -> None:
    said = shell(published, f"exec 3>&1; {{ {{ assay search gripper {form}; echo $? >&3; }} | true; }}")
    assert said.out.strip() == "141"
    assert said.err == ""


@pytest.mark.parametrize("errors", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_a_build_does_not_need_standard_error(folder: Path, errors: str) -> None:
    said = shell(folder, f"assay --verbose publish --json {errors}")
    assert said.code == 0
    assert json.loads(said.out)["promoted"]


def test_a_closed_stream_does_not_lend_its_number_to_a_file(folder: Path, assay: Run) -> None:
    assert shell(folder, "assay publish <&- >&- 2>&-").code == 4
    assert assay("doctor").code == 0
    assert assay("search", "gripper").code == 0


def stopped_while_reading(folder: Path, number: int) -> Said:
    """Publish, and send a signal when the first stage has begun."""
    plant(folder, {f"docs/many/{page}.md": f"# Page {page}\n\nText {page}.\n" * 40 for page in range(500)})
    command = [*PROGRAM, "publish", "--json"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as build:
        assert build.stderr
        assert build.stdout
        assert "Reading" in build.stderr.readline()
        build.send_signal(number)
        out, err = build.communicate(timeout=60)
    assert "Traceback" not in err
    return Said(build.returncode, out, err)


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
def test_a_build_that_is_stopped_gives_its_generation_up(
    folder: Path, assay: Run, number: int, code: int, word: str
) -> None:
    said = stopped_while_reading(folder, number)
    assert (said.code, said.body["error"]) == (code, word)
    assert "The live generation is unchanged" in said.err
    (left,) = assay("generations", "--json").body["generations"]
    assert left["state"] == "failed"
    assert left["reason"] == ("terminated by SIGTERM" if number == signal.SIGTERM else "interrupted")


def stopped_while_loading(folder: Path, number: int, *arguments: str) -> Said:
    """A command that was sent the signal before its own handler was there."""
    slow = plant(folder / "slow", {"typer.py": "import time\nprint('loading', flush=True)\ntime.sleep(60)\n"})
    with subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(slow), os.environ.get("PYTHONPATH", "")])),
    ) as loading:
        assert loading.stdout
        assert loading.stdout.readline() == "loading\n"
        loading.send_signal(number)
        out, err = loading.communicate(timeout=60)
    return Said(loading.returncode, out, err)


def test_an_interrupt_while_the_program_loads_shows_no_traceback(folder: Path) -> None:
    said = stopped_while_loading(folder, signal.SIGINT)
    assert (said.code, said.err) == (-signal.SIGINT, "")


def test_a_sigterm_while_the_program_loads_is_told_as_one_later_is(folder: Path) -> None:
    said = stopped_while_loading(folder, signal.SIGTERM, "publish", "--json")
    assert (said.code, said.body["error"]) == (143, "terminated")
    assert said.err.startswith("Stopped. The live generation is unchanged")
