"""The docs site has every page, and a place for every file that pages link to."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


class _Loader(yaml.SafeLoader):
    """Reads MkDocs's own tag for variables."""


_Loader.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node)[-1])
CONFIG = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hooks, without MkDocs, which the tests do not need."""
    for name in ("mkdocs", "mkdocs.structure", "mkdocs.structure.files"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["mkdocs.structure.files"].File = sys.modules["mkdocs.structure.files"].Files = object  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs_site" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _pages(nav: Any) -> list[str]:  # noqa: ANN401 - any YAML
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in _pages(part)]


def test_every_page_is_in_the_navigation_once(hooks: ModuleType) -> None:
    beside = [place for place in hooks.BESIDE.values() if place.endswith(".md")]
    assert sorted(_pages(CONFIG["nav"])) == sorted(
        [*(page.name for page in DOCS.glob("*.md")), *beside, "decisions/index.md"]
    )


def test_every_file_beside_the_docs_that_a_page_links_to_has_a_place(hooks: ModuleType) -> None:
    assert all((ROOT / source).is_file() for source in hooks.BESIDE)
    for page in DOCS.glob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(\.\./([^)#\s]+)", text):
            assert link in hooks.BESIDE, page.name


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("index.md", "../README.md", "overview.md"),
        ("index.md", "decisions/", "decisions/index.md"),
        ("overview.md", "docs/settings.md#qdrant", "settings.md#qdrant"),
        ("overview.md", "docs/decisions", "decisions/index.md"),
        ("contributing.md", "docs/contracts.md", "contracts.md"),
        ("decisions/0001-a.md", "../scaling.md", "../scaling.md"),
        ("operations.md", "../examples/backup.sh", "examples/backup.sh"),
        ("operations.md", "#upgrade", "#upgrade"),
        ("operations.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_a_link_leads_where_it_leads_in_the_repository(hooks: ModuleType, page: str, link: str, expected: str) -> None:
    class Page:
        class file:  # noqa: N801
            src_uri = page

    text = f"[a]({link}) and `[a]({link})`"
    assert hooks.on_page_markdown(text, Page) == f"[a]({expected}) and `[a]({link})`"


def test_links_that_lead_nowhere_fail_the_build() -> None:
    assert CONFIG["strict"] is True
    assert set(CONFIG["validation"]["links"].values()) == {"warn"}
    assert CONFIG["plugins"] == []


def test_a_topic_of_the_site_s_test_set_names_a_page_and_a_section_that_there_are() -> None:
    topics = yaml.safe_load((ROOT / "docs_site" / "docs.testset.yaml").read_text(encoding="utf-8"))["topics"]
    assert len({topic["id"] for topic in topics}) == len(topics) > 25
    for topic in topics:
        for judgment in topic.get("judgments", ()):
            page = DOCS / f"{judgment['url'].rstrip('/').rpartition('/')[2]}.md"
            headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
            assert judgment.get("section", next(iter(anchors))) in anchors, topic["id"]
