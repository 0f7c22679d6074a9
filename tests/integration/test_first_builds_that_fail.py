"""Folders and sites that were read wrongly, or that say nothing, do not go live: judged at the first build."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.folders import pages, plant
from tests.folders import read as read_folder
from tests.sites import HTML, Reply, Site, served

from assay.app import Assay, PublishReport
from assay.errors import SourceError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.reading import read_page
from assay.model.evaluation import Finding, Outcome
from assay.settings import load_settings
from assay.validation.content.leftovers import KINDS, leftovers

DIALECTS: Mapping[str, str] = {
    "Hugo": '# Pages\n\n{{< tabpane >}}\n{{< tab "Go" >}}\nTab words.\n{{< /tab >}}\n{{< /tabpane >}}\n',
    "Jekyll": "# Pages\n\nUse {% data variables.product %} here.\n\n{% note %}\n\nRead this first.\n\n{% endnote %}\n",
    "mdBook": "# Pages\n\nBefore the part.\n\n{{#include part.md}}\n\nAfter the part.\n",
    "VitePress": "# Pages\n\nThe code of this page:\n\n<<< @/snippets/code.js\n\n[[toc]]\n",
    "MyST": "(my-target)=\n# Pages\n\n:::{note}\n:class: dropdown\nRead this first.\n:::\n\nSee {ref}`Label <it>`.\n",
    "Obsidian": "# Pages\n\nWords of the page. %% words that nobody sees %% More of them.\n",
    "DocFX": "# Pages\n\nBefore the part.\n\n[!INCLUDE [Shared text](includes/shared.md)]\n\nAfter the part.\n",
}


def _sound(count: int) -> dict[str, str]:
    parts = (
        "gripper",
        "camera",
        "battery",
        "wheel",
        "motor",
        "sensor",
        "radio",
        "screen",
        "cable",
        "frame",
        "fan",
        "lamp",
    )
    names = [f"{part}-{n}" for n in range(1 + count // len(parts)) for part in parts][:count]
    return {
        f"{name}.md": f"# The {name}\n\nThe {name} is checked by two people, and {place} days later again.\n"
        for place, name in enumerate(names)
    }


def _publish(data: Path, source: Mapping[str, object], **overrides: Any) -> PublishReport:  # noqa: ANN401 - settings
    with Assay.open(load_settings(None, {"data_dir": data, "sources": [source], **overrides})) as assay:
        return assay.publish()


def _of_folder(tmp_path: Path, files: Mapping[str, str], **overrides: Any) -> PublishReport:  # noqa: ANN401 - settings
    docs = plant(tmp_path / "docs", files)
    source = {"path": docs, "convention": "plain", "base_url": "https://docs.example.org"}
    return _publish(tmp_path / "data", source, **overrides)


def _failed(report: PublishReport) -> dict[str, Finding]:
    assert report.verdict
    assert (report.promoted is None) == (report.verdict.outcome is not Outcome.PASS)
    return {one.check: one for one in report.verdict.findings if one.outcome is not Outcome.PASS}


def _shell(body: str) -> Reply:
    page = (
        f"<!doctype html><html><head><title>Docs</title></head><body>{body}<script src='/a.js'></script></body></html>"
    )
    return Reply(200, page.encode(), {"Content-Type": HTML})


def _chunks_of(files: Mapping[str, str], root: Path) -> list[str]:
    """The folder read as plain Markdown and cut, in short: a test of every dialect needs no index."""
    read = pages(read_folder(plant(root, files), convention="plain"))
    documents = [read_page(page) for page in read.values()]
    rules = ChunkingRules(2_000, None, 0, "characters")
    cut = [chunk_document(document, rules, lambda texts: [len(text) for text in texts]) for document in documents]
    return [chunk.text for chunks in cut for chunk in chunks]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_page_of_another_generator_read_as_plain_markdown_shows_its_markup(dialect: str, tmp_path: Path) -> None:
    assert any(map(leftovers, _chunks_of({"page.md": DIALECTS[dialect]}, tmp_path)))


def test_docs_that_show_a_template_language_in_code_show_none(tmp_path: Path) -> None:
    shown = {f"{name}.md": f"# {name}\n\nSo:\n\n````md\n{text}````\n\nOr:\n" for name, text in DIALECTS.items()}
    chunks = _chunks_of(shown | {"one.md": "Write `{% raw %}`, `{{ x }}` and `:::note` so.\n"}, tmp_path)
    assert len(chunks) == len(DIALECTS) + 1
    kinds = [kind for chunk in chunks for kind in leftovers(chunk)]
    assert all(KINDS[kind].in_fences for kind in kinds)  # mdBook's includes are found in code, and count from three on


def test_a_folder_of_another_generator_read_as_plain_markdown_fails(tmp_path: Path) -> None:
    failed = _failed(_of_folder(tmp_path, _sound(12) | {"pages.md": DIALECTS["Hugo"]}))
    assert failed.keys() == {"leftover markup"}
    assert "https://docs.example.org/pages" in failed["leftover markup"].examples[0]


def test_a_fifth_of_equal_login_pages_fails_at_the_first_build(tmp_path: Path) -> None:
    login = "# Sign in to continue\n\nPlease sign in with your account to read the documentation of this product.\n"
    files = _sound(20) | {f"closed-{n}.md": login for n in range(5)}
    failed = _failed(_of_folder(tmp_path, files))
    assert (failed["pages alike"].value, failed["pages alike"].count) == (0.2, 5)
    lifted = _of_folder(tmp_path, files, gate={"max_alike_pages": 0.2, "max_unreachable": 1.0})
    assert "pages alike" not in _failed(lifted)


@pytest.mark.parametrize(
    "body",
    [
        '<div id="app">Please wait...</div>',
        '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>',
        "<noscript><main><h1>Docs</h1><p>Our documentation has many pages about robots.</p></main></noscript>",
    ],
    ids=["please wait", "an empty root", "all of it without scripts only"],
)
def test_a_site_that_a_browser_has_to_make_does_not_go_live(body: str, tmp_path: Path) -> None:
    with served(Site({"/": _shell(body)})) as site:
        try:
            failed = _failed(_publish(tmp_path / "data", {"url": f"{site.url}/", "retries": 0}))
        except SourceError as error:
            assert "JavaScript" in f"{error.message} {error.hint}"  # noqa: PT017 - either way it is told
        else:
            assert "JavaScript" in failed["pages with text"].detail


def test_no_case_that_was_read_wrongly_goes_live_as_plain_markdown(tmp_path: Path) -> None:
    cases = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
    if not cases.is_dir():
        pytest.skip(f"the cases are not at {cases}")
    wrong = ("02", "04", "05", "06")
    for number in wrong:
        folder = next(cases.glob(f"{number}-*"))
        source = {"path": folder, "convention": "plain", "base_url": "https://docs.example.org"}
        assert "leftover markup" in _failed(_publish(tmp_path / number, source)), folder.name
