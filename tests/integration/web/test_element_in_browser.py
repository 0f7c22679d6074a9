"""`<assay-search>` in another site, in a real Chromium."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browsing import BASE_URL, HOSTILE, other_site, served_site, violations
from tests.integration.web.wire import make_key

from assay.model.access import Scope

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route
sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[dev]'")
expect = sync_api.expect

HOSTILE_CSS = """
  * { all: revert; color: red !important; font: 40px cursive !important; display: inline !important;
      letter-spacing: 9px !important; text-transform: uppercase !important; visibility: visible !important; }
  html { font-size: 4px; }
  .header { height: 60px; overflow: hidden; position: relative; transform: scale(1); z-index: 1; }
  .cover { position: fixed; inset: 100px 0 0 0; background: navy; z-index: 2147483647; }
"""


@dataclass(frozen=True)
class Site:
    """Another site, whose pages may use the server."""

    pages: dict[str, str]
    origin: str
    server: str

    def write(
        self, element: str, *, head: str = "", body: str = "", script: str = "<script src='{}assay.js'></script>"
    ) -> str:
        """Write the page, and give its URL."""
        scripts = script.format(self.server)
        content = f"<body><main><h1>Site</h1>{element}{body}</main>"
        self.pages["/"] = f"<!doctype html><html lang='en'><title>Site</title>{head}{scripts}{content}"
        return f"{self.origin}/"


@pytest.fixture(scope="module")
def site(browsed_site: Path) -> Iterator[Site]:
    pages: dict[str, str] = {}
    with other_site(pages) as origin, served_site(browsed_site, cors_origins=[origin]) as server:
        yield Site(pages, origin, server)


@pytest.fixture
def page(tab_page: "Page") -> "Page":
    return tab_page


def box(page: "Page") -> "Locator":
    return page.get_by_role("combobox", name="Search")


def options(page: "Page") -> "Locator":
    return page.locator("[role=listbox] [role=option]")


@pytest.mark.parametrize(
    "script", ["<script src='{}assay.js'></script>", "<script type='module' src='{}assay.js'></script>"]
)
def test_a_search_box_in_another_site_searches_the_server_of_its_script(page: "Page", site: Site, script: str) -> None:
    page.goto(site.write("<assay-search placeholder='Find it'></assay-search>", script=script))
    expect(box(page)).to_have_attribute("placeholder", "Find it")
    expect(page.get_by_role("listbox")).to_be_hidden()
    box(page).press_sequentially("nodes communic")
    expect(options(page).filter(has_text="Topics").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    with page.expect_navigation(url=re.compile(re.escape(BASE_URL)), wait_until="commit"):
        page.route(f"{BASE_URL}/**", lambda route: route.fulfill(body="There"))
        page.keyboard.press("Enter")


def test_the_styles_of_the_site_do_not_reach_the_box_and_nothing_covers_its_results(page: "Page", site: Site) -> None:
    element = "<div class='header'><assay-search></assay-search></div><div class='cover'></div>"
    page.goto(site.write(element, head=f"<style>{HOSTILE_CSS}</style>"))
    box(page).fill("gyroscope")
    expect(options(page).first).to_be_visible()
    style = (
        options(page)
        .first.locator(".snippet")
        .evaluate("node => { const s = getComputedStyle(node); return [s.fontSize, s.letterSpacing, s.textTransform] }")
    )
    assert style == ["14px", "normal", "none"]
    options(page).first.click(trial=True)  # fails if anything covers it
    bottom = page.get_by_role("listbox").bounding_box()
    assert bottom["y"] + bottom["height"] > 100


def test_the_site_can_style_the_box(page: "Page", site: Site) -> None:
    style = "assay-search { --assay-text: rgb(1, 2, 3); color-scheme: dark } ::part(field) { border: 7px solid }"
    page.goto(site.write("<assay-search></assay-search>", head=f"<style>{style}</style>"))
    assert box(page).evaluate("node => getComputedStyle(node).color") == "rgb(1, 2, 3)"
    field = box(page).locator("..")
    assert field.evaluate("node => getComputedStyle(node).borderTopWidth") == "7px"
    assert field.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(22, 25, 31)"


def test_a_click_outside_and_escape_close_the_results_and_the_arrow_brings_them_back(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search></assay-search>", body="<p style='margin-top: 700px'>Below</p>"))
    results = page.get_by_role("listbox")
    for close in (lambda: page.mouse.click(5, 5), lambda: page.keyboard.press("Escape")):
        box(page).fill("gyroscope")
        expect(results).to_be_visible()
        close()
        expect(results).to_be_hidden()
        expect(box(page)).to_have_attribute("aria-expanded", "false")
        expect(box(page)).to_have_value("gyroscope")
        box(page).focus()
        page.keyboard.press("ArrowDown")
        expect(results).to_be_visible()
        box(page).fill("")
    page.keyboard.press("Alt+ArrowUp")
    expect(results).to_be_hidden()


def test_attributes_restrict_the_search_and_hide_their_filters(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search source='docs' version='1.0'></assay-search>"))
    box(page).fill("how do nodes communicate")
    expect(options(page)).to_have_count(1)
    expect(options(page).first).to_contain_text("serial cable")
    expect(page.get_by_label("Language")).to_be_visible()
    expect(page.get_by_label("Version")).to_be_hidden()
    page.locator("assay-search").evaluate("node => node.setAttribute('version', '2.0')")
    expect(options(page).nth(1)).to_be_visible()


def test_keys_focus_the_box_unless_they_are_text_or_switched_off(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search></assay-search>", body="<input aria-label='Other'>"))
    page.get_by_label("Other").press("/")
    expect(page.get_by_label("Other")).to_have_value("/")
    page.get_by_label("Other").press("Control+k")
    expect(box(page)).to_be_focused()
    page.goto(site.write("<assay-search hotkey='off'></assay-search>"))
    page.keyboard.press("/")
    expect(box(page)).not_to_be_focused()


def test_a_site_with_a_router_can_open_results_itself(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search></assay-search>"))
    page.evaluate(
        "addEventListener('assay-open', event => { event.preventDefault(); document.title = event.detail.url })"
    )
    box(page).fill("gyroscope")
    expect(options(page).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile(re.escape(BASE_URL)))
    assert page.url == f"{site.origin}/"


def test_an_opened_result_is_reported_to_a_server_that_logs_queries(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search></assay-search>"))

    def with_id(route: "Route") -> None:
        assert route.request.post_data_json["clicks"] is True
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "query_id": "ab" * 16})

    page.route("**/v1/search", with_id)
    box(page).fill("gyroscope")
    expect(options(page).first).to_be_visible()
    page.route(f"{BASE_URL}/**", lambda route: route.fulfill(body="There"))
    with page.expect_response("**/v1/clicks") as reported:
        options(page).nth(1).click(modifiers=["ControlOrMeta"])
    assert reported.value.status == 200
    sent = reported.value.request.post_data_json
    assert sent["query_id"] == "ab" * 16
    assert re.fullmatch(r"[0-9a-f-]{36}", sent["chunk_id"])
    with page.expect_request("**/v1/clicks"):
        options(page).first.click(button="middle")


def test_hostile_pages_are_text_in_another_site_too(page: "Page", site: Site) -> None:
    page.goto(site.write("<assay-search></assay-search>"))
    box(page).fill("zebra hooves")
    expect(page.get_by_role("group").first).to_contain_text(f"Zebra {HOSTILE}")
    assert page.locator("assay-search img, assay-search script").count() == 0


def test_a_site_that_the_server_does_not_know_is_told_which_setting_to_change(
    page: "Page", browsed: str, site: Site
) -> None:
    page.goto(site.write("<assay-search></assay-search>", script=f"<script src='{browsed}assay.js'></script>"))
    box(page).fill("gyroscope")
    expect(page.get_by_role("alert")).to_contain_text(f"is {site.origin} in [server] cors_origins of Assay?")


def test_a_key_in_the_attribute_is_sent(page: "Page", browsed_site: Path, tmp_path: Path, site: Site) -> None:
    key = make_key(tmp_path / "keys.json", "website", Scope.SEARCH)
    closed = {"search": "key", "keys_file": tmp_path / "keys.json", "cors_origins": [site.origin]}
    with served_site(browsed_site, **closed) as server:
        script = f"<script src='{server}assay.js'></script>"
        page.goto(site.write("<assay-search></assay-search>", script=script))
        box(page).fill("gyroscope")
        expect(page.get_by_role("alert")).to_contain_text("API key")
        page.locator("assay-search").evaluate(f"node => node.setAttribute('api-key', '{key}')")
        expect(options(page).first).to_be_visible()
        expect(page.locator("[role=alert]")).to_be_empty()


def test_axe_finds_nothing_in_another_site(page: "Page", site: Site) -> None:
    style = "<style>body { background: Canvas; color: CanvasText; color-scheme: light dark }</style>"
    page.goto(site.write("<assay-search></assay-search>", head=style))
    box(page).fill("Replcaing the gyroscope")
    expect(options(page).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Save result")).to_be_visible()
    assert violations(page) == []


def test_the_results_fit_into_the_window(page: "Page", site: Site) -> None:
    page.goto(site.write("<div style='margin-left: 60%; width: 35%'><assay-search></assay-search></div>"))
    box(page).fill("robot")
    expect(options(page).first).to_be_visible()
    for width in (320, 768, 1920):
        page.set_viewport_size({"width": width, "height": 600})
        page.evaluate("new Promise(requestAnimationFrame)")
        panel = page.locator("assay-search .panel").bounding_box()
        assert panel["x"] >= 0
        assert panel["x"] + panel["width"] <= width
        assert panel["y"] + panel["height"] <= 600
