"""Judgments a minute in a scripted browser session, and none lost when the page is reloaded or the server is killed.

Run as `python -m benchmarks.labelling_session [JUDGMENTS]` (60 by default). It builds a manual with a test set, and
labels its hits in Chromium. It reloads the page after a third, and kills the server while a label is sent after two
thirds. Then it compares the test set with the one that `assay label` writes for the same judgments.
"""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, sleep
from typing import Protocol

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from tests.browsing import chromium_path

from assay.adapters.access.key_file import KeyFile
from assay.app import Assay
from assay.app.testsets import load_test_set
from assay.cli.testsets.labelling import Session
from assay.model.access import Scope
from assay.settings import load_settings

TEST_SET = "robot.testset.yaml"
_PARTS = ("gripper", "camera", "battery", "lidar", "ankle", "wrist", "speaker", "gyroscope", "motor", "display")
_TASKS = {
    "Calibrating": "turn the dial until the lamp is green",
    "Replacing": "loosen both screws and pull the old one out",
    "Cleaning": "wipe it with a dry cloth every week",
    "Testing": "start the self test and read the result",
}
_LABELS = "/v1/admin/labels"

Given = tuple[str, str, int]
"""Topic, hash of the text, and label."""


class Server(Protocol):
    """A running server."""

    url: str

    def kill(self) -> None:
        """End it by SIGKILL, and wait until it has ended."""


Start = Callable[[Path, int], Server]
"""Starts a server over a folder; the port is 0 for any free one."""


@dataclass(slots=True)
class Outcome:
    """What a session did.

    given: the labels that the page showed as saved, and those that a killed server had saved, in their order.
    seconds: of each judgment, from the hit on the screen to the next one.
    total_seconds: with the reload and the restart.
    """

    given: list[Given] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    total_seconds: float = 0.0


def build(folder: Path, topics: int = 20) -> str:
    """Write a manual and a test set without labels, and build a candidate. Returns an admin key."""
    (folder / "docs").mkdir(parents=True)
    for part in _PARTS:
        for task, how in _TASKS.items():
            text = f"# {task} the {part}\n\nTo work on the {part}, {how}. Two people are needed.\n"
            (folder / "docs" / f"{task.lower()}-{part}.md").write_text(text, encoding="utf-8")
    asked = [(part, task) for task in _TASKS for part in _PARTS][:topics]
    lines = [
        f"  - id: {part}-{task.lower()}\n    text: How to do {task.lower()} of the {part}?\n" for part, task in asked
    ]
    (folder / TEST_SET).write_text(f"# Questions of people\nname: robot\ntopics:\n{''.join(lines)}", encoding="utf-8")
    (folder / "assay.toml").write_text(
        '[[sources]]\npath = "docs"\nname = "manual"\nbase_url = "https://docs.example.org"\nconvention = "plain"\n'
        f'[validation]\ntestset = "{TEST_SET}"\noutput_dir = "reports"\n[server]\nkeys_file = "keys.json"\n',
        encoding="utf-8",
    )
    with opened(folder) as assay:
        assay.builds.ingest()
    return KeyFile(folder / "keys.json").add("operator", (Scope.ADMIN,))[1]


def opened(folder: Path) -> Assay:
    """Assay over the folder."""
    return Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay"}))


def label_in_browser(page: Page, folder: Path, key: str, judgments: int, start: Start) -> Outcome:
    """Give that many labels; reload after a third of them, and kill the server after two thirds."""
    outcome = Outcome()
    server = start(folder, 0)
    port = int(server.url.rstrip("/").rpartition(":")[2])
    begun = perf_counter()
    try:
        _begin(page, server.url, key)
        while len(outcome.given) < judgments:
            if len(outcome.given) == judgments // 3:
                page.reload()
                _begin(page, server.url, key)
            _judge(page, outcome)
            if len(outcome.given) == 2 * judgments // 3:
                _killed_while_saving(page, folder, server, outcome)
                server = start(folder, port)
                page.reload()
                _begin(page, server.url, key)
    finally:
        server.kill()
    outcome.total_seconds = perf_counter() - begun
    return outcome


def written_by_assay_label(folder: Path, given: list[Given]) -> bytes:
    """The test set after `assay label` got the same labels in the same order."""
    with opened(folder) as assay:
        sheet = assay.labels.sheet(load_test_set(folder / TEST_SET))
        items = {item.key: item for item in sheet.items}
        console = Console(file=io.StringIO())
        session = Session(assay, sheet, [items[topic, text] for topic, text, _ in given], folder / TEST_SET, console)
        session.run(iter("".join(str(label) for _, _, label in given)))
    return (folder / TEST_SET).read_bytes()


def judgments_of(folder: Path) -> int:
    """Number of judgments in the test set."""
    return sum(len(topic.judgments) for topic in load_test_set(folder / TEST_SET).topics)


def label_of(topic: str, text: str) -> int:
    """The label that the script gives to a hit."""
    return hashlib.sha256(f"{topic} {text}".encode()).digest()[0] % 3


def _begin(page: Page, url: str, key: str) -> None:
    """Open the page, type the key, and start."""
    page.goto(f"{url.rstrip('/')}/admin#label")
    page.get_by_label("Admin key").fill(key)
    page.get_by_role("button", name="Continue").click()
    with page.expect_response(lambda response: response.url.endswith(f"{_LABELS}/queue")) as answer:
        page.get_by_role("button", name="Start", exact=True).click()
    page.evaluate("items => { window.waiting = items; }", answer.value.json()["items"])
    page.locator(".card h3").wait_for()


def _shown(page: Page) -> dict[str, str]:
    """The hit on the screen. The page shows no hash, so it is found by its text."""
    found: dict[str, str] = page.evaluate(
        "() => window.waiting.find(({ topic_id: id, text }) => text === document.querySelector('.whole').textContent"
        " && document.querySelector('.card p').textContent.endsWith(id))"
    )
    return found


def _judge(page: Page, outcome: Outcome) -> None:
    """Press the key of one label, and wait for the next hit."""
    began = perf_counter()
    card = page.locator(".card p").first
    before = card.text_content()
    item = _shown(page)
    label = label_of(item["topic_id"], item["content_hash"])
    with page.expect_response(lambda response: response.url.endswith(_LABELS)) as answer:
        page.keyboard.press(str(label))
    assert answer.value.status == 200, answer.value.text()
    sent = json.loads(answer.value.request.post_data or "{}")
    outcome.given.append((sent["topic_id"], sent["content_hash"], sent["label"]))
    page.wait_for_function("before => document.querySelector('.card p').textContent !== before", arg=before)
    outcome.seconds.append(perf_counter() - began)


def _killed_while_saving(page: Page, folder: Path, server: Server, outcome: Outcome) -> None:
    """Kill the server while it saves a label. The label counts if the file has it."""
    item, before = _shown(page), judgments_of(folder)
    label = label_of(item["topic_id"], item["content_hash"])
    with page.expect_request(lambda request: request.url.endswith(_LABELS)):
        page.keyboard.press(str(label))
    sleep(0.004)
    server.kill()
    page.locator(".error:not(:empty), .said:not(:empty)").first.wait_for()
    if judgments_of(folder) > before:
        outcome.given.append((item["topic_id"], item["content_hash"], label))


class _Process:
    """`assay serve` in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        command = [sys.executable, "-m", "assay", "serve", "--port", str(port), "--config", "assay.toml"]
        command += ["--data-dir", ".assay"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
        )
        assert self._process.stdout is not None
        found = re.search(r"http://\S+", self._process.stdout.readline())
        self.url = found[0] if found else sys.exit("The server did not start.")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def main(judgments: int) -> None:
    """Run the session and print what it measured."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch) / "browser"
        key = build(folder)
        shutil.copytree(folder, Path(scratch) / "terminal")
        path = chromium_path() or sys.exit("There is no Chromium.")
        browser = playwright.chromium.launch(executable_path=path)
        outcome = label_in_browser(browser.new_page(), folder, key, judgments, _Process)
        browser.close()
        saved = judgments_of(folder)
        same = written_by_assay_label(Path(scratch) / "terminal", outcome.given) == (folder / TEST_SET).read_bytes()
    seconds = sorted(outcome.seconds)
    print(f"{saved} judgments in the file, {len(outcome.given)} given, {len(outcome.given) - saved} lost")
    print(f"{60 / (sum(seconds) / len(seconds)):.0f} a minute; median {1000 * seconds[len(seconds) // 2]:.0f} ms each")
    print(f"{outcome.total_seconds:.1f} s in all, with a reload and a killed server")
    print(f"the file is the one of `assay label`: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
