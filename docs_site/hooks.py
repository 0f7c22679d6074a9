"""MkDocs hooks: the files beside docs/ that pages link to, and links that lead where they lead in the repository."""

import re
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]

BESIDE = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "LICENSE",
    "examples/backup.sh": "examples/backup.sh",
    "examples/alerts.yaml": "examples/alerts.yaml",
    "examples/handbook.testset.yaml": "examples/handbook.testset.yaml",
    "examples/notebook.ipynb": "examples/notebook.ipynb",
}
"""Where each file of the repository is in the site. A README would be the index of its folder."""

_LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", flags=re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 - MkDocs's own type has none of its own
    """Add the files beside docs/, and a list of the decisions."""
    for source, target in BESIDE.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, "decisions/index.md", content=_decisions()))
    for file in files:
        if file.src_uri.startswith("decisions/0"):
            file.inclusion = file.inclusion.NOT_IN_NAV
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401
    """Rewrite the links of a page, which are relative to its place in the repository."""
    site = page.file.src_uri
    of_site = {target: source for source, target in BESIDE.items()}
    place = of_site.get(site, f"docs/{site}")
    parts = _CODE.split(markdown)
    return "".join(
        part if number % 2 else _LINK.sub(lambda found: _moved(found, place, site), part)
        for number, part in enumerate(parts)
    )


def _moved(found: re.Match[str], place: str, site: str) -> str:
    path = normpath(f"{place}/../{found[2]}")
    target = "docs/decisions/index.md" if path == "docs/decisions" else path
    target = BESIDE.get(target, target.removeprefix("docs/"))
    return f"{found[1]}{relpath(target, normpath(f'{site}/..'))}{found[3]}"


def _decisions() -> str:
    """A page that lists the decision records by their titles."""
    lines = [
        f"- [{path.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}]({path.name})"
        for path in sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    ]
    # An escaped point: a list of numbers would count by itself.
    return "# Decisions\n\n" + "\n".join(re.sub(r"^- \[(\d+)\.", r"- [\1\\.", line) for line in lines) + "\n"
