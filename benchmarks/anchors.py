"""Anchors as read, against the pages that MkDocs and Docusaurus build.

Run as `python -m benchmarks.anchors mkdocs MKDOCS` or `… docusaurus FOLDER`. MKDOCS is the program of an environment
with mkdocs-material and pymdown-extensions; FOLDER is a project with @docusaurus/core and its classic preset installed.
`--write` keeps the built anchors for the tests. The exit code is 1 if an anchor differs.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.anchor_pages import (
    DOCUSAURUS,
    HEADINGS,
    MKDOCS,
    built_anchors,
    docusaurus_headings,
    docusaurus_page,
    first_of_each,
    page,
    read_anchors,
    write_golden,
)

from assay.adapters.sources.folder.source import FolderSource
from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import RawPage

_DOCUSAURUS_CONFIG = """module.exports = {
  title: 'T', url: 'https://h.example', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  presets: [['classic', {docs: {routeBasePath: '/'}, blog: false, pages: false}]],
};
"""


def build_mkdocs(program: str, folder: Path) -> dict[str, Path]:
    """A site for each of the settings; the built page by the settings' name."""
    numbered = dict(enumerate(HEADINGS))
    built = {}
    for number, (name, extensions) in enumerate(MKDOCS.items()):
        site = folder / str(number)
        (site / "docs").mkdir(parents=True)
        (site / "mkdocs.yml").write_text(f"site_name: T\nplugins: []\n{extensions}\n", encoding="utf-8")
        (site / "docs" / "page.md").write_text(page(numbered), encoding="utf-8")
        subprocess.run([program, "-q", "build"], cwd=site, check=True)
        built[name] = site / "site" / "page" / "index.html"
    return built


def build_docusaurus(folder: Path) -> dict[str, Path]:
    """One site with a page for each format; the built page by its name."""
    (folder / "docusaurus.config.js").write_text(_DOCUSAURUS_CONFIG, encoding="utf-8")
    (folder / "docs").mkdir(exist_ok=True)
    for name in DOCUSAURUS:
        (folder / "docs" / f"{name}.md").write_text(docusaurus_page(name), encoding="utf-8")
    subprocess.run(["npx", "docusaurus", "build"], cwd=folder, check=True)
    return {name: folder / "build" / name / "index.html" for name in DOCUSAURUS}


def read_source(site: Path, name: str) -> dict[int, str | None]:
    """The anchors of the site's page of this name, as Assay reads it."""
    pages = FolderSource(site, base_url="https://h.example", name="x", max_page_bytes=10_000_000).read({})
    found = next(one for one in pages if isinstance(one, RawPage) and Path(one.key).stem == name)
    return read_anchors(read_markdown(found))


def main() -> int:
    """Build, compare and print the differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("generator", choices=["mkdocs", "docusaurus"])
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    wrong = 0
    golden = {}
    with TemporaryDirectory() as scratch:
        is_mkdocs = options.generator == "mkdocs"
        folder = Path(scratch) if is_mkdocs else Path(options.program)
        built = build_mkdocs(options.program, folder) if is_mkdocs else build_docusaurus(folder)
        for name, path in built.items():
            anchors = built_anchors(path.read_text(encoding="utf-8"), 'role="main"' if is_mkdocs else "<article")
            site = path.parents[2] if is_mkdocs else folder
            read = read_source(site, "page" if is_mkdocs else name)
            differing = {number: anchor for number, anchor in first_of_each(anchors) if read.get(number) != anchor}
            for number, anchor in differing.items():
                heading = HEADINGS[number] if is_mkdocs else docusaurus_headings(name)[number]
                print(f"{name}: {heading!r}: built {anchor!r}, read {read.get(number)!r}")
            print(f"{name}: {len(anchors) - len(differing)} of {len(anchors)} equal")
            wrong += len(differing)
            golden[name] = anchors
    if options.write:
        write_golden(options.generator, golden)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
