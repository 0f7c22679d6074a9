"""Worker processes in a real program: without a main guard, when it is killed, and when it is interrupted."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

# No main guard, on purpose: a worker that ran this again would print "begun" a second time, and start workers.
SCRIPT = """\
import itertools
import signal, sys
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.workers.messages import Setup
from tests.page_limits import PAGE_LIMITS
from tests.pages import page
from tests.workers import PatientReadAhead, never_done, pids

print("begun", flush=True)
rules = ChunkingRules(400, None, 0, "words")
last = " never" if sys.argv[1] == "stuck" else ""
signal.signal(signal.SIGINT, signal.default_int_handler)  # in a shell's background they are ignored
text = "# Robots\\n\\n" + "A robot **turns** its `wheel`.\\n\\n" * 200
pages = (("docs", page(text + last * (n > 150), key=str(n))) for n in itertools.count())
setup = Setup(rules, never_done, PAGE_LIMITS, None)
with PatientReadAhead(setup, CopiedPages(), workers=2, start_after=0) as ahead:
    cut = 0
    for _, _, result in ahead.read(pages):
        cut += result is not None
        if cut == 30:
            print(*pids(ahead), flush=True)
            if sys.argv[1] == "stop":
                break
print("done", flush=True)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def _start(script: Path, mode: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # A session of its own: what interrupts its process group is what Ctrl-C does on its terminal.
    return subprocess.Popen(
        [sys.executable, script, mode],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


@pytest.fixture
def endless(script: Path) -> Iterator[tuple["subprocess.Popen[str]", list[int]]]:
    """A program that reads on and on, and its workers."""
    program = _start(script, "forever")
    assert program.stdout
    assert program.stdout.readline() == "begun\n"
    pids = [int(pid) for pid in program.stdout.readline().split()]
    assert len(pids) == 2
    yield program, pids
    program.kill()
    program.communicate()


def _is_running(pid: int) -> bool:
    """Whether a process is there and not merely waiting for someone to ask how it ended."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


def _end(pids: list[int]) -> bool:
    deadline = time.monotonic() + 120
    while any(map(_is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(_is_running, pids))


def test_a_program_without_a_main_guard_has_workers(script: Path) -> None:
    program = _start(script, "stop")
    out, err = program.communicate(timeout=120)
    begun, pids, done = out.splitlines()
    assert (begun, done, program.returncode, err) == ("begun", "done", 0, "")
    assert _end([int(pid) for pid in pids.split()])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_workers_do_not_outlive_a_program_that_is_killed(endless: tuple["subprocess.Popen[str]", list[int]]) -> None:
    program, pids = endless
    assert all(map(_is_running, pids))
    program.kill()
    program.wait()
    assert _end(pids)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups of this kind on Windows")
def test_an_interrupted_program_ends_its_workers_and_they_say_nothing(
    endless: tuple["subprocess.Popen[str]", list[int]],
) -> None:
    program, pids = endless
    os.killpg(program.pid, signal.SIGINT)
    _, err = program.communicate(timeout=60)
    assert err.count("Traceback") == 1
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert program.returncode != 0
    assert _end(pids)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_workers_that_never_finish_a_page_notice_that_the_program_was_killed(script: Path) -> None:
    program = _start(script, "stuck")
    assert program.stdout
    assert program.stdout.readline() == "begun\n"
    pids = [int(pid) for pid in program.stdout.readline().split()]
    time.sleep(1)  # by now both count the words of a page for ever, and the program waits for them
    assert all(map(_is_running, pids))
    program.kill()
    program.communicate()
    assert _end(pids)
