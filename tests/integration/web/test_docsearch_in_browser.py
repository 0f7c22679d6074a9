"""The search boxes of other makers in a real Chromium: `@docsearch/js` 3, 4 and 5, and Docusaurus with its search page.

They need the folder of ASSAY_TEST_DOCSEARCH, which tests/search_boxes.py writes; CONTRIBUTING.md says how.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browsing import BASE_URL, HOSTILE, alone, chromium, new_context, served_site
from tests.built_folders import hosted
from tests.certificates import self_signed
from tests.search_boxes import APP_ID, BOXES, SEARCH_HOST
from tests.tls_proxy import tls_proxy

from assay.app import Assay
from assay.contracts.passages.marking import escape
from assay.settings import load_settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page
sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[dev]'")
expect = sync_api.expect

DOCS_HOST = BASE_URL.removeprefix("https://")
CLOSED_HOST = "closed.example.org"

_NODES = "<h1>Nodes</h1><h2 id='topics'>Topics</h2><h3 id='quality-of-service'>Quality of service</h3>"


@dataclass(frozen=True)
class Web:
    """Hosts behind a proxy with a certificate.

    servers: URL of each on loopback, by host name. port: of the proxy. site: folder of the pages with boxes.
    """

    servers: dict[str, str]
    port: int
    site: Path

    def write_box(self, version: int, app_id: str = APP_ID, tags: Sequence[str] = (), language: str = "en") -> str:
        """Write a page with a box that asks for these tags and this language, as Docusaurus does; its URL."""
        filters = [f"language:{language}", [f"docusaurus_tag:{tag}" for tag in tags]] if tags else []
        parameters = {"searchParameters": {"facetFilters": filters}}
        of_version = (
            {"indices": [{"name": "docs", **parameters}]} if version == 5 else {"indexName": "docs", **parameters}
        )
        options = {"container": "#box", "appId": app_id, "apiKey": "public", **of_version}
        page = self.site / f"box-{version}.html"
        page.write_text(
            f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Box</title><link rel='icon' href='data:,'>"
            f"<div id='box'></div><script src='/{BOXES[version]}.js'></script>"
            f"<script>docsearch({json.dumps(options)})</script>",
            encoding="utf-8",
        )
        return f"{BASE_URL}/{page.name}"


@pytest.fixture(scope="module")
def boxes() -> Path:
    """The folder with the boxes."""
    folder = Path(os.environ.get("ASSAY_TEST_DOCSEARCH", ""))
    if not folder.is_absolute():
        pytest.skip("needs search boxes: set ASSAY_TEST_DOCSEARCH to the folder that CONTRIBUTING.md describes")
    return folder


@pytest.fixture(scope="module")
def web(boxes: Path, browsed_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site with boxes, and servers that they search over a proxy with a certificate."""
    site = tmp_path_factory.mktemp("site")
    for name in BOXES.values():
        shutil.copy(boxes / "node_modules" / name / "dist/umd/index.js", site / f"{name}.js")
    for place in ("docs/nodes", "docs/1.0/nodes"):
        (site / place).mkdir(parents=True)
        (site / place / "index.html").write_text(f"<!doctype html><title>Nodes</title>{_NODES}", encoding="utf-8")
    servers: dict[str, str] = {}
    options = {"cors_origins": [BASE_URL], "allowed_hosts": [SEARCH_HOST, CLOSED_HOST]}
    with (
        hosted(site) as pages,
        served_site(browsed_site, **options) as search,
        served_site(browsed_site, search="key", **options) as closed,
        tls_proxy(self_signed(tmp_path_factory.mktemp("certificate")), servers) as port,
    ):
        servers.update({DOCS_HOST: pages, SEARCH_HOST: search, CLOSED_HOST: closed})
        yield Web(servers, port, site)


@pytest.fixture(scope="module")
def browser(web: Web) -> Iterator["Browser"]:
    """A Chromium that finds these hosts at their names."""
    rules = ",".join(f"MAP {host}:443 127.0.0.1:{web.port}" for host in web.servers)
    with chromium(f"--host-resolver-rules={rules}") as started:
        yield started


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """A tab in a profile of its own."""
    with alone(browser, ignore_https_errors=True) as opened:
        yield opened


def type_into_box(page: "Page", text: str) -> None:
    """Open the box and type."""
    page.locator(".DocSearch-Button").click()
    page.locator(".DocSearch-Input").press_sequentially(text)


def links(page: "Page") -> "Locator":
    """The hits of the box."""
    return page.locator(".DocSearch-Hits a")


def link_to(page: "Page", path: str) -> "Locator":
    return page.locator(f".DocSearch-Hits a[href$='{path}']")


def addresses(found: "Locator") -> set[str]:
    """Where links lead to, without the site."""
    return {(link.get_attribute("href") or "").removeprefix(BASE_URL) for link in found.all()}


# --- the boxes alone -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", BOXES)
def test_typing_and_keys_lead_to_the_heading(page: "Page", web: Web, version: int) -> None:
    page.goto(web.write_box(version))
    type_into_box(page, "nodes communic")
    expect(links(page).first).to_have_attribute("href", f"{BASE_URL}/docs/nodes#topics")
    expect(links(page).first.locator("mark")).to_have_text(["Nodes", "communicate"])
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[aria-selected=true] a")
    expect(chosen).to_have_attribute("href", f"{BASE_URL}/docs/nodes#quality-of-service")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{BASE_URL}/docs/nodes/#quality-of-service")
    expect(page.locator(":target")).to_have_text("Quality of service")


@pytest.mark.parametrize("version", BOXES)
def test_a_box_for_a_version_finds_it_and_pages_without_a_version(page: "Page", web: Web, version: int) -> None:
    page.goto(web.write_box(version, tags=["default", "docs-default-1.0"]))
    type_into_box(page, "serial cable")
    expect(link_to(page, "/docs/1.0/nodes")).to_contain_text("serial cable")
    page.locator(".DocSearch-Input").fill("nodes")
    expect(link_to(page, "/docs/1.0/nodes")).to_contain_text("Nodes")
    expect(link_to(page, "/docs/nodes")).to_have_count(0)
    page.locator(".DocSearch-Input").fill("testing the gripper")
    expect(link_to(page, "/handbook/gripper#testing-the-gripper")).to_be_visible()


@pytest.mark.parametrize("version", BOXES)
def test_a_box_for_a_locale_finds_its_pages(page: "Page", web: Web, version: int) -> None:
    page.goto(web.write_box(version, tags=["default", "docs-default-2.0"], language="de"))
    type_into_box(page, "Programme")
    expect(links(page).first).to_contain_text("Knoten sind Programme")
    assert {path.partition("#")[0] for path in addresses(links(page))} == {"/de/docs/nodes"}


@pytest.mark.parametrize("version", BOXES)
def test_a_hostile_title_is_text(page: "Page", web: Web, version: int) -> None:
    page.goto(web.write_box(version))
    type_into_box(page, "zebra")
    expect(links(page).first).to_be_visible()
    shown = page.locator(".DocSearch-Hits").first
    expect(shown).to_contain_text(f"Zebra {HOSTILE}")
    heading = page.locator(".DocSearch-Hit-source").first
    expect(heading).to_have_text(f"Zebra {escape(HOSTILE) if version == 3 else HOSTILE}")
    assert shown.locator("img, script").count() == 0


@pytest.mark.parametrize("version", BOXES)
def test_a_refused_search_reads_as_no_results_and_the_console_has_the_reason(
    browser: "Browser", web: Web, version: int
) -> None:
    context = new_context(browser, ignore_https_errors=True)
    page = context.new_page()
    page.goto(web.write_box(version, app_id=f"{CLOSED_HOST}/"))
    with page.expect_event("pageerror", lambda error: "An API key with scope `search` is required" in str(error)):
        type_into_box(page, "nodes")
    expect(page.locator(".DocSearch-NoResults")).to_be_visible()
    expect(links(page)).to_have_count(0)
    context.close()


# --- Docusaurus ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def docusaurus(boxes: Path, web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The built Docusaurus site in place of the site with boxes, and a server over its pages."""
    build = boxes / "build"
    if not build.is_dir():
        pytest.skip(f"needs a built Docusaurus site in {build}: `npm run build` there")
    folder = tmp_path_factory.mktemp("docusaurus")
    source = {"path": build, "name": "docs", "base_url": BASE_URL}
    with Assay.open(load_settings(None, {"data_dir": folder / "index", "sources": [source]})) as assay:
        assert assay.publish().promoted
    with (
        hosted(build) as pages,
        served_site(folder, cors_origins=[BASE_URL], allowed_hosts=[SEARCH_HOST]) as search,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setitem(web.servers, DOCS_HOST, pages)
        patch.setitem(web.servers, SEARCH_HOST, search)
        yield


@pytest.mark.usefixtures("docusaurus")
@pytest.mark.parametrize(
    ("path", "version"), [("/docs/1.0/nodes", "/docs/1.0"), ("/docs/nodes", "/docs"), ("/blog", "/docs")]
)
def test_the_box_of_a_page_finds_its_version_and_pages_without_one(page: "Page", path: str, version: str) -> None:
    page.goto(f"{BASE_URL}{path}")
    type_into_box(page, "cable")
    expect(link_to(page, f"{version}/nodes#topics")).to_be_visible()
    expect(link_to(page, "/blog/2024/05/01/cable")).to_be_visible()
    expect(link_to(page, "/team#workshop")).to_be_visible()
    docs = {found for found in addresses(links(page)) if found.startswith("/docs")}
    assert all(re.fullmatch(rf"{version}/\w+(#.*)?", found) for found in docs)


@pytest.mark.usefixtures("docusaurus")
@pytest.mark.parametrize(
    ("query", "path", "heading"),
    [
        ("publisher and subscriber agree", "/docs/1.0/nodes#quality-of-service", "Quality of service"),
        ("people solder", "/team#workshop", "Workshop"),
    ],
    ids=["docs", "standalone page"],
)
def test_keys_lead_to_the_heading_on_the_page(page: "Page", query: str, path: str, heading: str) -> None:
    page.goto(f"{BASE_URL}/docs/1.0/gripper")
    type_into_box(page, query)
    expect(links(page).first).to_have_attribute("href", path)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{BASE_URL}{path}")
    there = page.locator(f"[id='{path.partition('#')[2]}']")
    expect(there).to_contain_text(heading)
    expect(there).to_be_in_viewport()


@pytest.mark.usefixtures("docusaurus")
def test_the_box_of_a_translated_page_finds_its_language(page: "Page") -> None:
    page.goto(f"{BASE_URL}/de/docs/nodes")
    type_into_box(page, "Kabel")
    expect(link_to(page, "/de/docs/nodes#themen")).to_be_visible()
    assert all(path.startswith("/de/") for path in addresses(links(page)))


@pytest.mark.usefixtures("docusaurus")
def test_the_search_page_finds_and_restricts_to_a_version(page: "Page") -> None:
    page.goto(f"{BASE_URL}/search?q=cable")
    results = page.locator("main article h2 a")
    expect(results.and_(page.locator("[href$='/docs/nodes#topics']"))).to_be_visible()
    expect(results.and_(page.locator("[href$='/blog/2024/05/01/cable']"))).to_be_visible()
    page.locator("form select").select_option("1.0")
    expect(results.and_(page.locator("[href$='/docs/1.0/nodes#topics']"))).to_be_visible()
    expect(results.and_(page.locator("[href$='/docs/nodes#topics']"))).to_have_count(0)
    expect(results.and_(page.locator("[href$='/blog/2024/05/01/cable']"))).to_be_visible()


@pytest.mark.usefixtures("docusaurus")
def test_a_hostile_title_is_text_in_the_box_and_on_the_search_page(page: "Page") -> None:
    page.goto(f"{BASE_URL}/search?q=zebra")
    expect(page.locator("main article").first).to_contain_text(HOSTILE)
    assert page.locator("main article img, main article script").count() == 0
    type_into_box(page, "zebra")
    expect(page.locator(".DocSearch-Hits").first).to_contain_text(HOSTILE)
    assert page.locator(".DocSearch-Hits img, .DocSearch-Hits script").count() == 0
