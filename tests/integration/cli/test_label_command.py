"""`assay label` as people use it: with keys from a pipe and from a terminal, interrupted, and beside each other."""

import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.folders import plant
from tests.forking import ForkedProgram
from tests.integration.cli.commands import PROGRAM, Run, Said, environment, forked, runner
from tests.integration.cli.conftest import PARTS
from tests.testset_samples import MACHINE

from assay.app import Assay, labelling
from assay.app.testsets import load_test_set
from assay.errors import InputError
from assay.settings import load_settings

HOSTILE = "# Hostile\\x07\n\nThe gripper \x1b[2J\x1b]0;owned\x07 is [red]checked[/red] \u202enever\u202c.\n"

posix = pytest.mark.skipif(sys.platform == "win32", reason="it needs a pseudo-terminal, or signals")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a test set, and a candidate of a few pages."""
    folder = tmp_path_factory.mktemp("published")
    pages = {f"docs/{part}.md": f"# The {part}\n\nThe {part} is checked every {len(part)} days.\n" for part in PARTS}
    toml = '[[sources]]\npath = "docs"\nname = "docs"\nbase_url = "https://docs.example"\nconvention = "plain"\n'
    toml += '[validation]\ntestset = "machine.testset.yaml"\n'
    lines = "\n\n".join(f"The gripper line {number}." for number in range(60))
    pages |= {"docs/hostile.md": HOSTILE, "docs/long.md": f"# Long\n\n{lines}\n"}
    plant(folder, {**pages, "assay.toml": toml, "machine.testset.yaml": MACHINE})
    with Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay"})) as made:
        made.builds.ingest()
    return folder


@pytest.fixture
def site(published: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copy_tree(published, tmp_path / "site")


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], site: Path) -> Run:
    """Runs commands there, in this process."""
    return runner(monkeypatch, capsys, site)


Label = Callable[..., Said]
Waiting = Callable[..., list[dict[str, str]]]


@pytest.fixture
def label(assay: Run, monkeypatch: pytest.MonkeyPatch) -> Label:
    """Labels with keys from a pipe."""

    def run(keys: str, *arguments: str) -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(keys))
        return assay("label", *arguments)

    return run


@pytest.fixture
def waiting(assay: Run) -> Waiting:
    """What is to be labelled."""
    return lambda *arguments: list(assay("label", "--json", *arguments).body["to_label"])


def labels(folder: Path) -> dict[str, list[int]]:
    topics = load_test_set(folder / "machine.testset.yaml").topics
    return {topic.id: [judgment.label for judgment in topic.judgments] for topic in topics}


def keyed(one: dict[str, str]) -> tuple[str, str]:
    return one["topic_id"], one["chunk_id"]


def text_of(folder: Path) -> str:
    return (folder / "machine.testset.yaml").read_text(encoding="utf-8")


def shown(said: str) -> list[str]:
    """The headings of the hits that were shown."""
    return re.findall(r"(\d+ of \d+ · [\w-]+)", said)


def test_every_key_is_in_the_file_at_once_and_the_rest_of_the_file_stays(site: Path, label: Label) -> None:
    said = label("0 1 q", "--topic", "motor")
    assert said.code == 0
    assert sorted(labels(site)["motor"]) == [0, 1]
    after = iter(text_of(site).splitlines())
    assert all(line in after for line in MACHINE.splitlines())  # in this order
    assert "2 labels in" in said.out
    assert "`assay label` continues" in said.out


def test_a_session_goes_on_where_the_last_one_ended(label: Label, waiting: Waiting) -> None:
    everything = waiting()
    first = label("00q")
    assert shown(first.out)[0].startswith(f"1 of {len(everything)} ")
    left = waiting()
    assert {keyed(one) for one in left} == {keyed(one) for one in everything[2:]}
    for topic in {one["topic_id"] for one in left}:  # topics change places as labels decide them
        before, after = ([keyed(one) for one in part if one["topic_id"] == topic] for part in (everything[2:], left))
        assert before == after


def test_what_is_judged_is_not_asked_again_and_counts_in_the_next_validation(
    label: Label, waiting: Waiting, assay: Run
) -> None:
    count = len(waiting())
    said = label("0" * count + "q")
    assert "That was the last one" in said.out
    assert "0 left" in said.out
    assert waiting() == []
    assert "Nothing is left to label" in label("").out
    report = assay("validate", "--no-report", "--json").body
    assert not report.get("unjudged")
    assert label("").code == 0


def test_undo_takes_the_label_out_of_the_file_again(site: Path, label: Label) -> None:
    said = label("0 1 u u u q")
    assert said.code == 0
    assert text_of(site) == MACHINE
    assert "nothing to undo" in said.out
    numbers = [one.split(" ", 1)[0] for one in shown(said.out)]
    assert numbers == ["1", "2", "3", "2", "1"]


def test_the_last_one_can_be_undone_too(site: Path, label: Label, waiting: Waiting) -> None:
    count = len(waiting())
    label("0" * count + "u" * count)
    assert text_of(site) == MACHINE


def test_what_is_skipped_is_asked_again_only_on_request(site: Path, label: Label, waiting: Waiting) -> None:
    everything = waiting()
    said = label("s s u q")
    assert "1 skipped" in said.out
    assert text_of(site) == MACHINE
    assert [one["chunk_id"] for one in waiting()] == [one["chunk_id"] for one in everything[1:]]
    assert waiting("--skipped") == everything


def test_paraphrases_that_share_judgments_are_labelled_with_their_original(
    site: Path, label: Label, waiting: Waiting
) -> None:
    assert {one["topic_id"] for one in waiting("--topic", "motor-2")} == {"motor"}
    label("1q", "--topic", "motor-2")
    assert labels(site)["motor"] == labels(site)["motor-2"] == [1]


def test_a_topic_without_an_answer_takes_no_good_label(site: Path, label: Label) -> None:
    said = label("2 1 0 q", "--topic", "nothing")
    assert labels(site)["nothing"] == [0]
    assert said.out.count("has `expect: no_answer`. If this passage") == 2


def test_neither_rank_nor_score_is_shown(label: Label, assay: Run) -> None:
    for said in (label("?oq"), assay("label", "--list"), assay("label", "--json")):
        assert not re.search(r"similarity|score|rank\"|\b0\.\d\d\b", said.out.replace("P@5 0.8", ""))


def test_text_of_a_page_does_nothing_to_the_terminal(label: Label, assay: Run) -> None:
    for said in (label("s" * 30), assay("label", "--list", "--skipped")):
        assert not set(said.out) & {"\x1b", "\x07", "\u202e", "\u202c"}
        assert "\u241b[2J" in said.out
        assert "[red]checked[/red]" in said.out


def test_unknown_keys_say_which_there_are_and_change_nothing(site: Path, label: Label) -> None:
    said = label("x 7 é q")
    assert said.out.count("0 no · 1 helps · 2 answers") == 4
    assert text_of(site) == MACHINE


def test_an_editor_that_changes_the_file_meanwhile_is_respected(site: Path) -> None:
    with session(site) as keys:
        keys.send("0")
        keys.wait_for("2 of")
        path = site / "machine.testset.yaml"
        edited = text_of(site).replace("# The end.", "# Edited.").replace("How often is the motor", "How seldom is it")
        path.write_text(edited, encoding="utf-8")
        keys.send("1")
        keys.wait_for("3 of")
        keys.send("u")
        keys.wait_for("undone")
        assert text_of(site) == edited
        keys.send("u")
        keys.wait_for("undone", times=2)
        expected = MACHINE.replace("# The end.", "# Edited.").replace("How often is the motor", "How seldom is it")
        assert text_of(site) == expected
        keys.send("q")
        assert keys.end() == 0


def test_two_sessions_at_the_same_time_lose_no_label_and_judge_nothing_twice(site: Path, waiting: Waiting) -> None:
    count = len(waiting())
    with session(site) as one, session(site) as other:
        one.wait_for("1 of")
        other.wait_for("1 of")
        for place in range(count):
            (one, other)[place % 2].send("0")
            time.sleep(0.02)
        other.send("0" * count)
        other.wait_for("That was the last one")
        for each in (one, other):
            each.send("q" * 2)
            assert each.end() == 0
    judged = sum(len(found) for topic, found in labels(site).items() if topic != "motor-2")
    assert judged == count + 1  # and the one that was there
    assert waiting() == []


def test_a_test_set_that_breaks_meanwhile_keeps_the_session(site: Path) -> None:
    with session(site) as keys:
        keys.wait_for("1 of")
        (site / "machine.testset.yaml").write_text("topics: [", encoding="utf-8")
        keys.send("0")
        keys.wait_for("machine.testset.yaml cannot be used")
        (site / "machine.testset.yaml").write_text(MACHINE, encoding="utf-8")
        keys.send("0")
        keys.wait_for("2 of")
        keys.send("q")
        assert keys.end() == 0
    assert sum(map(len, labels(site).values())) == 2


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_whole_file_with_every_label(site: Path, number: int, code: int) -> None:
    with session(site) as keys:
        keys.send("01")
        keys.wait_for("3 of")
        keys.process.send_signal(signal.Signals(number))
        assert keys.end() == code
        assert "2 labels in" in keys.out
    assert sum(map(len, labels(site).values())) == 3


def test_wrong_use_is_said_with_what_to_do(site: Path, label: Label) -> None:
    said = label("", "--topic", "moter")
    assert said.code == 2
    assert "no topic with the id moter" in said.err
    (site / "assay.toml").write_text((site / "assay.toml").read_text().partition("[validation]")[0])
    assert "--testset FILE" in label("").err
    assert label("", "--testset", "none.yaml").code == 2


def test_a_label_that_cannot_be_saved_is_an_error(
    assay: Run, site: Path, label: Label, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise InputError("The test set cannot be written: No space left on device.")

    monkeypatch.setattr(labelling, "add_judgment", full)
    said = label("0")
    assert said.code == 4
    assert "cannot be written" in said.out


def test_the_list_for_tools_has_the_judgment_that_a_label_makes(assay: Run) -> None:
    body = assay("label", "--json").body
    assert body["test_set"] == "machine"
    one = body["to_label"][0]
    assert one["text"]
    assert one["judgment"]["quote"] in one["text"]
    assert one["judgment"]["text_hash"]
    assert json.dumps(body)


# --- a terminal ----------------------------------------------------------------------------------------------------


class Keys:
    """A session that is still running."""

    def __init__(self, process: subprocess.Popen[bytes] | ForkedProgram, reading: int, writing: int) -> None:
        self.process = process
        self.out = ""
        self._reading = reading
        self._writing = writing

    def send(self, keys: str) -> None:
        """Press keys; what comes after the session has ended is nobody's."""
        with suppress(BrokenPipeError):
            os.write(self._writing, keys.encode())

    def wait_for(self, words: str, times: int = 1) -> None:
        deadline = time.monotonic() + 120
        while self.out.count(words) < times:
            assert time.monotonic() < deadline, f"{words!r} is not in:\n{self.out}"
            assert self._read(), f"it ended without {words!r}:\n{self.out}"

    def end(self) -> int | None:
        """Its exit code, when it has ended by itself."""
        while self._read():
            pass
        self.process.wait(60)
        return self.process.returncode

    def _read(self) -> bool:
        if not select.select([self._reading], [], [], 1)[0]:
            return True
        try:
            some = os.read(self._reading, 65_536)
        except OSError:  # the end of a pseudo-terminal
            return False
        self.out += some.decode("utf-8", "replace")
        return bool(some)


@contextmanager
def session(folder: Path, *arguments: str) -> Iterator[Keys]:
    """A session whose keys come one by one through a pipe."""
    if sys.platform == "win32":
        pytest.skip("select needs sockets there")
    with closing(forked(folder, "label", *arguments, COLUMNS="90")) as process:
        yield Keys(process, process.stdout.fileno(), process.stdin.fileno())


@contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Keys]:
    """A session at a pseudo-terminal of 90 by 30 characters."""
    import pty
    import termios

    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (30, 90))
    process = subprocess.Popen(
        [*PROGRAM, "label", *arguments],
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - the tests have no threads
        env=environment(TERM="xterm-256color"),
    )
    os.close(its)
    try:
        yield Keys(process, ours, ours)
    finally:
        process.kill()
        process.wait(60)
        os.close(ours)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@posix
def test_at_a_terminal_single_keys_do_without_enter(site: Path) -> None:
    with terminal(site) as keys:
        keys.send("0")  # before it is asked for: it waits
        keys.wait_for("2 of")
        keys.send("\x1b[A")  # an arrow key
        keys.send("1")
        keys.wait_for("3 of")
        keys.send("u")
        keys.wait_for("undone")
        keys.send("q")
        assert keys.end() == 0
    assert sum(map(len, labels(site).values())) == 2
    assert "\x1b]0;" not in keys.out
    assert "\x1b[2J" not in keys.out


@posix
@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 0)])
def test_at_a_terminal_control_c_and_control_d_leave_a_whole_file(site: Path, key: str, code: int) -> None:
    with terminal(site) as keys:
        keys.wait_for("1 of")
        keys.send("0")
        keys.wait_for("2 of")
        keys.send(key)
        assert keys.end() == code
        assert "1 label" in keys.out
    assert sum(map(len, labels(site).values())) == 2


@posix
def test_at_a_terminal_sigterm_gives_the_terminal_back(site: Path) -> None:
    with terminal(site) as keys:
        keys.wait_for("? help")
        keys.process.send_signal(signal.SIGTERM)
        assert keys.end() == 143
    assert text_of(site) == MACHINE


@posix
def test_a_long_passage_is_shown_as_far_as_the_screen_goes_and_whole_on_request(site: Path, assay: Run) -> None:
    with terminal(site, "--topic", "gripper") as keys:
        for _ in range(10):
            keys.wait_for("? help")
            if "more lines (o)" in keys.out:
                break
            keys.out = ""
            keys.send("s")
        keys.out = keys.out.partition("more lines (o)")[2]
        keys.send("o")
        keys.wait_for("line 30.")
        keys.send("q")
        assert keys.end() == 0


def test_input_without_an_end_ends_with_the_last_hit(label: Label) -> None:
    said = label("0" * 10_000)
    assert said.code == 0
    assert said.out.count("That was the last one") == 1
    assert len(said.out) < 100_000
