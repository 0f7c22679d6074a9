"""The search page in a real Chromium, against a real server."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.browsing import BASE_URL, HOSTILE, alone, served_site, violations
from tests.integration.web.wire import make_key

from assay.model.access import Scope
from assay.web.page.search import Search

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route
sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[dev]'")
expect = sync_api.expect

WIDTHS = (320, 768, 1280, 1920)


@pytest.fixture
def page(tab_page: "Page", browsed: str) -> "Page":
    tab_page.goto(browsed)
    return tab_page


def box(page: "Page") -> "Locator":
    return page.get_by_role("combobox", name="Search")


def options(page: "Page") -> "Locator":
    return page.locator("[role=listbox] [role=option]")


def active(page: "Page") -> "Locator":
    """The option that aria-activedescendant names, if it is the selected one."""
    return page.locator(f"#{box(page).get_attribute('aria-activedescendant')}[aria-selected=true]")


def asked(page: "Page") -> dict[str, list[str]]:
    """The parameters of the page's address."""
    return parse_qs(urlsplit(page.url).query)


def expect_address(page: "Page", **values: str) -> None:
    page.wait_for_function(
        "wanted => JSON.stringify([...new URLSearchParams(location.search)].sort()) === wanted",
        arg=json.dumps(sorted(map(list, values.items())), separators=(",", ":"), ensure_ascii=False),
    )


def search(page: "Page", text: str) -> None:
    """Type a query, and wait for results."""
    box(page).fill(text)
    expect(page.get_by_role("listbox", name="Results")).to_be_visible()


# --- what is shown -------------------------------------------------------------------------------------------------


def test_results_come_while_somebody_types_grouped_by_page_with_words_marked(page: "Page") -> None:
    expect(box(page)).to_be_focused()
    box(page).press_sequentially("nodes communic")
    group = page.get_by_role("group").first
    expect(group).to_have_accessible_name(re.compile(r"^Nodes docs\.example\.org › docs › nodes · 2\.0 · en$"))
    expect(options(page).filter(has_text="Topics").first).to_contain_text("Nodes communicate by topics")
    expect(page.locator("mark").filter(has_text="communicate").first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ results on \d+ pages?$"))


def test_an_option_is_a_link_to_the_heading_of_its_passage(page: "Page") -> None:
    search(page, "reliability durability queue")
    link = options(page).filter(has_text="Quality of service").first
    href = link.get_attribute("href")
    assert href.startswith(f"{BASE_URL}/docs/nodes#quality-of-service:~:text=")
    assert "reliability" in href
    assert link.evaluate("node => [node.tagName, node.tabIndex]") == ["A", -1]


def test_the_roles_and_states_are_those_of_the_apg(page: "Page") -> None:
    search(page, "gyroscope")
    attributes = {"aria-autocomplete": "list", "aria-controls": "listbox", "aria-expanded": "true"}
    for name, value in attributes.items():
        expect(box(page)).to_have_attribute(name, value)
    page.keyboard.press("ArrowDown")
    assert page.locator("[role=listbox] > [role=group] > [role=option]").count() == options(page).count()
    assert [one.get_attribute("aria-selected") for one in options(page).all()].count("true") == 1
    ids = page.locator("[role=listbox] [id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert len(set(ids)) == len(ids)


def test_hostile_titles_headings_and_texts_are_text(page: "Page") -> None:
    search(page, "zebra hooves")
    expect(page.get_by_role("group").first).to_contain_text(f"Zebra {HOSTILE}")
    expect(options(page).filter(has_text=f"Hooves {HOSTILE}").first).to_be_visible()
    assert page.locator("assay-search img, assay-search script").count() == 0


@pytest.mark.parametrize("scripts", [True, False], ids=["box", "form"])
def test_a_tower_of_accents_stays_in_its_line(browser: "Browser", browsed: str, scripts: bool) -> None:
    with alone(browser, java_script_enabled=scripts) as page:
        page.goto(f"{browsed}?q=giraffe+necks")
        results = page.locator("[role=listbox]" if scripts else "[slot=results]")
        expect(results).to_contain_text("Necks")
        top = {"x": 0, "y": 0, "width": 1280, "height": 24}  # blank, above the page's heading
        shown = page.screenshot(clip=top)
        results.evaluate("node => { node.style.visibility = 'hidden'; }")
        assert page.screenshot(clip=top) == shown


def test_a_hostile_query_is_text_too(page: "Page") -> None:
    page.goto(f"{page.url}?{'q=' + HOSTILE.replace('&', '%26')}")
    expect(box(page)).to_have_value(HOSTILE)
    expect(page).to_have_title(f"{HOSTILE} – Search")


def test_a_corrected_query_says_so_and_can_be_searched_as_it_was_typed(page: "Page") -> None:
    search(page, "Replcaing the gyroscope")
    expect(page.get_by_text("Results for Replacing the gyroscope. Search instead for")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Results for Replacing the gyroscope")
    expect(options(page).first).to_contain_text("Replacing the gyroscope")
    page.get_by_role("button", name="Replcaing the gyroscope").click()
    expect(page.get_by_text("Search instead for")).to_have_count(0)
    expect_address(page, q="Replcaing the gyroscope", exact="1")


def test_a_query_that_nothing_answers_is_said_to_have_no_good_answer(page: "Page") -> None:
    search(page, "quarterly dividends of shareholders")
    expect(page.get_by_text("Probably nothing answers this. The closest passages are:")).to_be_visible()


def test_more_results_are_loaded_by_a_button(page: "Page") -> None:
    search(page, "robot")
    expect(page.get_by_role("group")).to_have_count(10)
    page.get_by_role("button", name="More results").click()
    expect(page.get_by_role("group").nth(10)).to_be_visible()
    expect_address(page, q="robot", pages="20")


# --- keys ----------------------------------------------------------------------------------------------------------


def test_arrows_move_through_the_options_and_the_box_as_the_apg_says(page: "Page") -> None:
    search(page, "gyroscope")
    count = options(page).count()
    expect(box(page)).to_have_attribute("aria-expanded", "true")
    assert box(page).get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowDown")
    assert active(page).inner_text() == options(page).first.inner_text()
    page.keyboard.press("ArrowUp")
    assert box(page).get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowUp")
    assert active(page).inner_text() == options(page).nth(count - 1).inner_text()
    page.keyboard.press("Home")
    assert box(page).get_attribute("aria-activedescendant") is None
    assert box(page).evaluate("node => node.selectionStart") == 0
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    assert box(page).get_attribute("aria-activedescendant") is None
    assert box(page).evaluate("node => node.selectionStart") == len("gyroscope")
    expect(box(page)).to_be_focused()


def test_enter_opens_the_chosen_result_and_back_returns_to_the_search(page: "Page") -> None:
    page.route(f"{BASE_URL}/**", lambda route: route.fulfill(body="<title>There</title>", content_type="text/html"))
    search(page, "reliability durability queue")
    page.keyboard.press("ArrowDown")
    target = active(page).get_attribute("href")
    page.keyboard.press("Enter")
    expect(page).to_have_title("There")
    assert page.url.partition(":~:")[0] == target.partition(":~:")[0]
    page.go_back()
    expect(box(page)).to_have_value("reliability durability queue")
    expect(options(page).first).to_be_visible()


def test_a_result_can_be_opened_in_a_new_tab(page: "Page", browsed: str) -> None:
    def answer_with_a_page_that_is_there(route: "Route") -> None:
        route.fulfill(body=route.fetch().text().replace(f"{BASE_URL}/", f"{browsed}?"))

    page.route("**/v1/search", answer_with_a_page_that_is_there)
    search(page, "gyroscope")
    page.keyboard.press("ArrowDown")
    for open_it in (
        lambda: page.keyboard.press("Control+Enter"),
        lambda: options(page).first.click(modifiers=["Control"]),
        lambda: options(page).first.click(button="middle"),
    ):
        with page.context.expect_page() as opened:
            open_it()
        expect(opened.value).to_have_url(re.compile(re.escape(f"{browsed}?handbook/gyroscope")))
    expect(box(page)).to_have_value("gyroscope")


def test_escape_leaves_the_option_and_then_empties_the_box(page: "Page") -> None:
    search(page, "gyroscope")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert box(page).get_attribute("aria-activedescendant") is None
    expect(box(page)).to_have_value("gyroscope")
    page.keyboard.press("Escape")
    expect(box(page)).to_have_value("")
    expect(box(page)).to_have_attribute("aria-expanded", "false")


def test_keys_go_to_the_box_from_anywhere(page: "Page") -> None:
    for key in ("/", "Control+k", "Meta+k"):
        page.evaluate("document.activeElement.shadowRoot.activeElement.blur()")
        expect(box(page)).not_to_be_focused()
        page.keyboard.press(key)
        expect(box(page)).to_be_focused()
    expect(box(page)).to_have_value("")


def test_everything_can_be_reached_and_done_with_the_keyboard_alone(page: "Page") -> None:
    page.keyboard.type("gyroscope")
    expect(options(page).first).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        focused = page.evaluate("(document.activeElement.shadowRoot?.activeElement ?? document.body).textContent")
        names.append(focused)
    assert {"Save result"} <= set(names), names
    while page.evaluate("document.activeElement.shadowRoot?.activeElement?.textContent") != "Save result":
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove from saved")).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox", name="Saved and recent")).to_be_visible()
    page.keyboard.press("ArrowUp")
    assert active(page).inner_text().startswith("gyroscope")
    page.keyboard.press("Enter")
    expect(box(page)).to_have_value("gyroscope")


# --- what is kept --------------------------------------------------------------------------------------------------


def test_searches_and_saved_results_stay_in_the_browser_and_can_be_removed(page: "Page") -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(urlsplit(request.url).path))
    search(page, "gyroscope")
    page.keyboard.press("Enter")
    options(page).first.hover()
    options(page).first.locator("[data-tool=save]").click()
    page.reload()
    box(page).fill("")
    kept = page.get_by_role("listbox", name="Saved and recent")
    expect(kept.get_by_role("group", name="Saved")).to_contain_text("gyroscope")
    expect(kept.get_by_role("group", name="Recent searches")).to_contain_text("gyroscope")
    page.get_by_role("button", name="Forget all searches").click()
    expect(kept.get_by_role("group", name="Recent searches")).to_have_count(0)
    kept.get_by_role("option").hover()
    kept.locator("[data-tool=save]").click()
    expect(options(page)).to_have_count(0)
    assert {path for path in sent if not path.startswith("/page/")} <= {"/", "/v1/search", "/v1/facets"}


def test_damaged_storage_is_no_trouble(page: "Page", browsed: str) -> None:
    for value in ("{", "null", "[]", '{"recent": [1, null], "saved": [{"url": "javascript:alert(1)"}]}'):
        page.evaluate(f"localStorage.setItem('assay {browsed}', {json.dumps(value)})")
        page.reload()
        search(page, "gyroscope")
        page.keyboard.press("Enter")
        box(page).fill("")
        expect(options(page)).to_have_count(1)
        page.evaluate("localStorage.clear()")


# --- the address ---------------------------------------------------------------------------------------------------


def test_the_address_follows_the_search_and_back_and_forward_bring_it_back(page: "Page") -> None:
    search(page, "gyroscope")
    page.keyboard.press("Enter")
    expect_address(page, q="gyroscope")
    box(page).press_sequentially(" camera")
    expect_address(page, q="gyroscope camera")
    page.get_by_label("Version").select_option("1.0")
    expect_address(page, q="gyroscope camera", version="1.0")
    page.go_back()
    expect_address(page, q="gyroscope camera")
    expect(page.get_by_label("Version")).to_have_value("")
    page.go_back()
    expect(box(page)).to_have_value("gyroscope")
    page.go_forward()
    page.go_forward()
    expect(page.get_by_label("Version")).to_have_value("1.0")


def test_filters_restrict_the_results_and_keep_the_focus(page: "Page") -> None:
    search(page, "how do nodes communicate")
    assert page.get_by_label("Version").locator("option").all_inner_texts() == [
        *("Current version", "2.0", "1.0", "next", "All versions"),
    ]
    page.get_by_label("Version").focus()
    page.get_by_label("Version").select_option("1.0")
    expect(options(page)).to_have_count(1)
    expect(options(page).first).to_contain_text("serial cable")
    expect(page.get_by_label("Version")).to_be_focused()
    page.get_by_label("Source").select_option("handbook")
    expect(page.get_by_text("No results for")).to_be_visible()
    page.get_by_role("button", name="Search without filters").click()
    expect(options(page).nth(1)).to_be_visible()
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_role("group").first).to_contain_text("Knoten")


def test_the_page_and_its_form_read_an_address_alike(page: "Page", browsed: str) -> None:
    facets = page.request.get(f"{browsed}v1/facets").json()
    states = [
        {"source": "docs", "version": "1.0", "locale": "de"},
        *({"version": "*"}, {"locale": "*"}, {"version": "*", "locale": "*"}, {"version": "*", "locale": "de"}),
        *({"source": "docs", "version": "*"}, {"source": "docs", "locale": "*"}, {"version": "1.0, 2.0"}),
    ]
    module = page.locator("script").get_attribute("src").replace("page.js", "filters.js")
    for state in states:
        whole = {"source": "", "version": "", "locale": ""} | state
        found = page.evaluate(
            "async ([path, state, facets]) => (await import(new URL(path, location))).filtersOf(state, facets)",
            [module, whole, facets],
        )
        assert found == Search("x", **state).body(facets)["filters"], state


# --- when things go wrong ------------------------------------------------------------------------------------------


def test_an_answer_that_arrives_late_is_never_shown(page: "Page") -> None:
    held: list[Route] = []

    def hold(route: "Route") -> None:
        query = json.loads(route.request.post_data)["query"]
        if query == "gripper":
            held.append(route)
        else:
            route.continue_()

    # Without aborting, so that the answer does come.
    page.evaluate("AbortController.prototype.abort = () => {}")
    page.route("**/v1/search", hold)
    box(page).fill("gripper")
    page.wait_for_timeout(100)
    search(page, "camera")
    expect(options(page).first).to_contain_text("camera")
    shown = options(page).all_inner_texts()
    with page.expect_response("**/v1/search"):
        held[0].continue_()
    page.wait_for_timeout(100)
    assert options(page).all_inner_texts() == shown


def test_a_server_that_is_gone_and_one_that_refuses_are_said_with_what_to_do(page: "Page") -> None:
    page.route("**/v1/search", lambda route: route.abort())
    box(page).fill("gripper")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached. Check your connection")
    page.unroute("**/v1/search")
    page.get_by_role("button", name="Try again").click()
    expect(options(page).first).to_be_visible()
    expect(page.locator("[role=alert]")).to_be_empty()
    refusal = {"error": "rate_limited", "message": "Too many requests; try again in 2 seconds."}
    page.route("**/v1/search", lambda route: route.fulfill(status=429, json=refusal))
    box(page).fill("camera")
    expect(page.get_by_role("alert")).to_contain_text(refusal["message"])
    expect(options(page)).to_have_count(0)


def test_without_javascript_the_page_is_a_form(browser: "Browser", browsed: str) -> None:
    with alone(browser, java_script_enabled=False) as page:
        page.goto(browsed)
        page.get_by_role("textbox", name="Search").fill("Replcaing the gyroscope")
        page.get_by_role("button", name="Search").click()
        assert asked(page)["q"] == ["Replcaing the gyroscope"]
        expect(page.get_by_role("heading", level=2).first).to_contain_text("Replacing the gyroscope")
        page.get_by_role("link", name="Replcaing the gyroscope").click()
        assert asked(page) == {"q": ["Replcaing the gyroscope"], "exact": ["1"]}
        page.goto(f"{browsed}?q=robot")
        page.get_by_role("link", name="More results").click()
        expect(page.get_by_role("heading", level=2).nth(10)).to_be_visible()
        page.get_by_label("Version").select_option("1.0")
        page.get_by_role("button", name="Search").click()
        assert (asked(page)["q"], asked(page)["version"]) == (["robot"], ["1.0"])


def test_where_a_key_is_needed_the_page_asks_for_it_and_keeps_it_in_memory(
    browser: "Browser", browsed_site: Path, tmp_path: Path
) -> None:
    key = make_key(tmp_path / "keys.json", "reader", Scope.SEARCH)
    with served_site(browsed_site, search="key", keys_file=tmp_path / "keys.json") as url, alone(browser) as page:
        page.goto(f"{url}?q=gyroscope")
        expect(page.get_by_role("alert")).to_contain_text("Searching here needs an API key.")
        page.get_by_label("API key").fill("assay_wrong")
        page.get_by_role("button", name="Search with this key").click()
        expect(page.get_by_role("alert")).to_contain_text("Unknown or expired API key.")
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Search with this key").click()
        expect(options(page).first).to_be_visible()
        expect(page.get_by_label("Version")).to_be_visible()
        expect(page.get_by_label("API key")).to_be_hidden()
        assert key not in page.url
        assert key not in str(page.evaluate("[JSON.stringify(localStorage), document.cookie, document.body.outerHTML]"))


# --- for everybody -------------------------------------------------------------------------------------------------


def test_axe_finds_nothing_in_any_state(page: "Page") -> None:
    search(page, "Replcaing the gyroscope")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Save result")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Save result").click()
    box(page).fill("")
    expect(page.get_by_role("listbox", name="Saved and recent")).to_be_visible()
    assert violations(page) == []
    page.route("**/v1/search", lambda route: route.abort())
    box(page).fill("camera")
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert violations(page) == []


def test_axe_finds_nothing_in_the_plain_form(browser: "Browser", browsed: str) -> None:
    with alone(browser) as page:
        page.route("**/*.js", lambda route: route.abort())
        page.goto(f"{browsed}?q=gyroscope")
        expect(page.get_by_role("heading", level=2).first).to_be_visible()
        assert violations(page) == []


def test_nothing_is_wider_than_the_screen(page: "Page") -> None:
    for query in ("zebra hooves", "Replcaing the gyroscope", "x" * 300):
        box(page).fill(query)
        expect(page.get_by_role("status")).not_to_be_empty()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
