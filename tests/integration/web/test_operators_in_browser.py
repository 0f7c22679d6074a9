"""The operators' page in a real Chromium: explanations, labels and reports, by keyboard, on all widths."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks import labelling_session as sessions
from tests.browsing import alone, tab, violations
from tests.copies import copy_tree
from tests.forking import ForkedProgram

from assay.model.queries import LoggedQuery
from assay.model.ranking import Filters
from assay.web.serving.server import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page
sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[dev]'")
expect = sync_api.expect

WIDTHS = (320, 768, 1280, 1920)
HOSTILE = "<img src=x onerror=alert(1)>"


def _serve(folder: Path, port: int) -> None:
    with sessions.opened(folder) as assay:
        serve(assay, "127.0.0.1", port)


class Server:
    """A server process over a folder of benchmarks.labelling_session."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self._process = ForkedProgram(folder / "log", _serve, folder, port)
        found = re.search(r"http://\S+", self._process.stdout.readline())
        assert found, (folder / "log").read_text(encoding="utf-8")
        self.url = f"{found[0]}/"

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(timeout=30)
        self._process.close()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a candidate, a live generation and reports, and an admin key."""
    folder = tmp_path_factory.mktemp("operators") / "site"
    key = sessions.build(folder, topics=8)
    return folder, key


@pytest.fixture(scope="module")
def labelled(built: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, Server]]:
    """A copy that is live, with a candidate that has a hostile page, a report of it, and a server."""
    folder = copy_tree(built[0], tmp_path_factory.mktemp("labelled") / "site")
    with sessions.opened(folder) as assay:
        assay.parts.catalog.promote(assay.generations()[0].id, datetime.now(UTC))
        page = f"# Zebra {HOSTILE.replace('<', chr(92) + '<')}\n\nThe zebra gripper says `{HOSTILE}`.\n"
        (folder / "docs" / "zebra.md").write_text(page, encoding="utf-8")
        assay.builds.ingest()
        assay.write_report(assay.evaluation.validate(store_verdict=False))
    server = Server(folder)
    yield folder, built[1], server
    server.kill()


@pytest.fixture
def page(context: "BrowserContext", labelled: tuple[Path, str, Server]) -> Iterator["Page"]:
    with tab(context) as opened:
        enter(opened, labelled)
        yield opened


def enter(page: "Page", labelled: tuple[Path, str, Server], view: str = "explain") -> None:
    """Open the page, and type the key."""
    page.goto(f"{labelled[2].url}admin#{view}")
    page.get_by_label("Admin key").fill(labelled[1])
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation")).to_be_visible()


def view(page: "Page", name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")


def explain(page: "Page", query: str) -> None:
    page.get_by_label("Query").fill(query)
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").first).to_be_visible()


def start(page: "Page", judge: str = "", **chosen: bool) -> None:
    view(page, "Label")
    if judge:
        page.get_by_role("textbox", name="Judge").fill(judge)
    for name, value in chosen.items():
        page.get_by_role("checkbox", name=name).set_checked(value)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".card")).to_be_visible()


# --- the key -------------------------------------------------------------------------------------------------------


def test_the_key_is_checked_and_nowhere_but_in_memory(
    context: "BrowserContext", labelled: tuple[Path, str, Server]
) -> None:
    with tab(context) as page:
        page.goto(f"{labelled[2].url}admin")
        page.get_by_label("Admin key").fill("assay_wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Unknown or expired API key")
        enter(page, labelled)
        kept = page.evaluate("() => [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)]")
        assert kept == ["", "{}", "{}"]
        assert labelled[1] not in page.content()
        page.reload()
        expect(page.get_by_label("Admin key")).to_be_visible()


# --- explanations --------------------------------------------------------------------------------------------------


def test_the_parts_of_each_score_are_shown(page: "Page") -> None:
    explain(page, "How do I clean the gripper?")
    first = page.get_by_role("listitem").filter(has_text="Cleaning the gripper").first
    expect(first).to_contain_text(re.compile(r"Score1\.0000Keywords0\.\d{4} \(BM25 \d+\.\d{3}, rank 1\)"))
    first.get_by_text(re.compile("terms, BM25")).click()
    table = first.get_by_role("table")
    expect(table.get_by_role("row").filter(has_text="gripper").filter(has_text="text")).to_be_visible()
    expect(page.get_by_text("Stage times")).to_be_visible()


def test_two_modes_are_shown_next_to_each_other(page: "Page") -> None:
    page.get_by_label("Compare with").check()
    page.get_by_label("Mode").nth(1).select_option("sparse")
    page.get_by_label("Generation").nth(1).select_option(index=1)
    explain(page, "Cleaning the gripper")
    columns = page.get_by_role("article")
    expect(columns).to_have_count(2)
    expect(columns.nth(1)).to_have_accessible_name(re.compile("^sparse, generation "))
    expect(columns.first.locator(".moved").first).to_have_text("rank 1 there")
    boxes = [columns.nth(at).bounding_box() for at in range(2)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_a_search_is_copied_without_the_key(
    browser: "Browser",
    labelled: tuple[Path, str, Server],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", labelled[1])
    with alone(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        enter(page, labelled)
        query = "Replacing the 'gripper' \"quickly\" $HOME `id` \\"
        page.get_by_label("Correct misspelt words").uncheck()
        for generation in (0, 1):
            page.get_by_label("Generation").first.select_option(index=generation)
            explain(page, query)
            for name, run in (("curl", ["sh", "-c"]), ("Python", [sys.executable, "-c"])):
                page.get_by_role("button", name=f"Copy as {name}").click()
                expect(page.get_by_text("Copied.").first).to_be_visible()
                text = page.evaluate("() => navigator.clipboard.readText()")
                assert labelled[1] not in text
                said = subprocess.run([*run, text], capture_output=True, text=True, check=True, timeout=60)
                assert "replacing-gripper" in said.stdout
            page.reload()
            enter(page, labelled)


def test_markup_of_pages_and_queries_is_shown_as_text(page: "Page") -> None:
    explain(page, f"zebra {HOSTILE}")
    view(page, "Label")
    assert page.locator("main img").count() == 0
    assert page.locator("main script").count() == 0
    view(page, "Explain")
    page.get_by_label("Generation").first.select_option(index=1)
    explain(page, f"zebra {HOSTILE}")
    expect(page.get_by_role("listitem").first).to_contain_text(HOSTILE)
    assert page.locator("main img").count() == 0


# --- labels --------------------------------------------------------------------------------------------------------


def test_keys_label_skip_and_undo_and_say_what_changed(page: "Page") -> None:
    start(page)
    said, card = page.locator(".said"), page.locator(".card")
    query = card.get_by_role("heading").text_content()
    expect(card).to_be_focused()
    expect(card).to_have_accessible_name(re.compile(rf"^1 of \d+: {re.escape(query or '')}$"))
    first = card.locator(".whole").text_content()
    page.keyboard.press("2")
    expect(said).to_contain_text(re.compile(r"^2: answers it\. .*P@5 0\.00 → 0\.20\."))
    page.keyboard.press("s")
    expect(said).to_have_text("Skipped.")
    page.keyboard.press("u")
    expect(said).to_have_text("Undone.")
    page.keyboard.press("u")
    expect(card.locator(".whole")).to_have_text(first or "")
    expect(card.get_by_role("heading")).to_have_text(query or "")
    page.keyboard.press("u")
    expect(said).to_have_text("There is nothing to undo.")


def test_a_key_in_a_field_is_text_and_no_label(page: "Page", labelled: tuple[Path, str, Server]) -> None:
    start(page)
    before = sessions.judgments_of(labelled[0])
    page.get_by_text("Which hits").click()
    page.get_by_role("textbox", name="Judge").press_sequentially("0120")
    assert sessions.judgments_of(labelled[0]) == before


def test_the_label_of_another_page_stays_and_two_judges_get_their_kappa(page: "Page") -> None:
    start(page, judge="ada")
    for key in "02":
        page.keyboard.press(key)
        expect(page.locator(".said")).to_contain_text(f"{key}: ")
    page.get_by_text("Which hits").click()
    page.get_by_role("textbox", name="Judge").fill("bob")
    page.get_by_role("checkbox", name="Second opinion").check()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".card")).to_contain_text("1 of 2")
    for key in "22":
        page.keyboard.press(key)
        expect(page.locator(".said")).to_contain_text(f"{key}: ")
    expect(page.get_by_role("heading", name="ada and bob")).to_be_visible()
    expect(page.get_by_text("2 passages labelled by both, 1 equally. κ 0.00")).to_be_visible()
    expect(page.get_by_role("table", name="Different labels of ada and bob").get_by_role("row")).to_have_count(2)
    for _ in "22":
        page.keyboard.press("u")
        expect(page.locator(".said")).to_have_text("Undone.")


def test_selected_text_of_the_page_is_labelled(page: "Page", labelled: tuple[Path, str, Server]) -> None:
    start(page)
    page.get_by_role("button", name="Select text on the page").click()
    text = page.get_by_role("region", name="Text of the page")
    expect(text).to_be_visible()
    page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.querySelector("pre"), NodeFilter.SHOW_TEXT);
          let node;
          while ((node = walker.nextNode())) {
            const at = node.data.indexOf("Two people");
            if (at >= 0) getSelection().setBaseAndExtent(node, at, node, at + "Two people".length);
          }
        }"""
    )
    expect(page.get_by_text("now label the selected text")).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator(".said")).to_contain_text("1: helps.")
    assert "Two people" in (labelled[0] / sessions.TEST_SET).read_text(encoding="utf-8")
    page.keyboard.press("u")
    expect(page.locator(".said")).to_contain_text("Undone.")


def test_no_judgment_is_lost_when_the_page_is_reloaded_and_the_server_killed(
    context: "BrowserContext", built: tuple[Path, str], tmp_path: Path
) -> None:
    folder, other = (copy_tree(built[0], tmp_path / name) for name in ("browser", "terminal"))
    with tab(context) as page:
        outcome = sessions.label_in_browser(page, folder, built[1], 12, Server)
    assert len(outcome.given) == sessions.judgments_of(folder) == 12
    assert sessions.written_by_assay_label(other, outcome.given) == (folder / sessions.TEST_SET).read_bytes()


# --- reports -------------------------------------------------------------------------------------------------------


def test_a_report_opens_in_a_tab_of_its_own(page: "Page") -> None:
    view(page, "Reports")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name=re.compile("^Open report_")).click()
    report = opened.value
    expect(report.locator("h1")).to_be_visible()
    assert "/reports/" in report.url
    assert report.evaluate("() => self.origin") == "null"


# --- for everybody -------------------------------------------------------------------------------------------------


def test_every_view_is_accessible_and_fits(context: "BrowserContext", labelled: tuple[Path, str, Server]) -> None:
    with tab(context) as page:
        page.goto(f"{labelled[2].url}admin")
        page.get_by_label("Admin key").wait_for()
        check_view(page)
        enter(page, labelled)
        page.get_by_label("Compare with").check()
        explain(page, "Cleaning the gripper")
        page.locator("details").first.evaluate("node => { node.open = true; }")
        check_view(page)
        start(page)
        page.get_by_role("button", name="Select text on the page").click()
        page.locator("section:not([hidden]) details").first.evaluate("node => { node.open = true; }")
        check_view(page)
        view(page, "Reports")
        page.get_by_role("button", name=re.compile("^Open report_")).wait_for()
        check_view(page)


def check_view(page: "Page") -> None:
    """It fits into every width; axe-core finds nothing on a small and a large screen, in light and in dark colours."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        if width in {320, 1280}:
            assert violations(page) == [], width


def test_queries_of_readers_are_listed_as_text_and_added_to_the_queue(
    page: "Page", labelled: tuple[Path, str, Server]
) -> None:
    folder, texts = labelled[0], (f"zebra {HOSTILE}", "polishing the lidar")
    with sessions.opened(folder) as assay:
        at, one = datetime.now(UTC), Filters()
        searches = [LoggedQuery(f"{n:032x}", at, text, "/", one, "g", ("a",), True) for n, text in enumerate(texts)]
        assay.parts.query_log.append(searches, [], str)
    view(page, "Queries")
    row = page.get_by_role("row").filter(has_text=HOSTILE)
    expect(row).to_be_visible()
    assert page.locator("main img").count() == 0
    assert violations(page) == []
    page.get_by_role("button", name="Add to the test set").click()
    expect(page.locator(".said").last).to_have_text("Choose queries first.")
    page.get_by_role("checkbox", name="polishing the lidar").check()
    page.get_by_role("button", name="Add to the test set").click()
    expect(page.get_by_text("1 topic added to the test set")).to_be_visible()
    page.get_by_role("link", name="Label their hits").click()
    expect(page.get_by_role("link", name="Label", exact=True)).to_have_attribute("aria-current", "page")
    assert "polishing the lidar" in (folder / sessions.TEST_SET).read_text(encoding="utf-8")
