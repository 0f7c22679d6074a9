"""A page of headings in every form, the settings of MkDocs for it, and the anchors that are read from a built page."""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.model.documents import Document

GOLDEN = Path(__file__).parent / "golden" / "anchors"

HEADINGS = GOLDEN.joinpath("headings.txt").read_text(encoding="utf-8").split("\n")[:-1]

_EMOJI = """
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
      emoji_generator: !!python/name:material.extensions.emoji.to_svg"""
_PYMDOWNX = "!!python/object/apply:pymdownx.slugs.slugify"

MKDOCS = {
    "no extensions": "",
    "attribute lists": "markdown_extensions: [attr_list]",
    "many extensions": f"""markdown_extensions:
  - attr_list
  - footnotes
  - md_in_html{_EMOJI}
  - pymdownx.keys
  - pymdownx.caret
  - pymdownx.tilde
  - pymdownx.mark
  - pymdownx.smartsymbols
  - pymdownx.inlinehilite
  - pymdownx.critic
  - pymdownx.magiclink
  - pymdownx.betterem
  - pymdownx.superfences
  - pymdownx.arithmatex: {{generic: true}}
  - toc: {{permalink: true}}""",
    "slugify_unicode and a separator": """markdown_extensions:
  - attr_list
  - toc:
      slugify: !!python/name:markdown.extensions.toc.slugify_unicode
      separator: "_"
      toc_depth: 2""",
    "lower": f"""markdown_extensions:
  - extra
  - toc:
      permalink: "#"
      slugify: {_PYMDOWNX} {{kwds: {{case: lower}}}}""",
    "lower-ascii and encoded": f"""markdown_extensions:
  - attr_list
  - smarty
  - pymdownx.emoji:
      emoji_generator: !!python/name:pymdownx.emoji.to_alt
  - toc:
      slugify: {_PYMDOWNX}
        kwds:
          case: lower-ascii
          percent_encode: true""",
    "folded and decomposed": f"""markdown_extensions:
  markdown.extensions.attr_list: {{}}
  markdown.extensions.toc:
    anchorlink: true
    baselevel: 2
    slugify: {_PYMDOWNX} {{kwds: {{case: fold, normalize: NFKD}}}}""",
}
"""markdown_extensions of a mkdocs.yml by a name for them."""


def page(headings: Mapping[int, str]) -> str:
    """Markdown with a paragraph `Body N words.` under each heading, by number; some headings are underlined."""
    lines: list[str] = []
    for number, heading in headings.items():
        is_underlined = number % 9 == 4 and re.fullmatch(r"\w.{2,}", heading) and not re.match(r"\d+\.", heading)
        lines += [heading, "-----"] if is_underlined else ["#" * (2 + number % 4) + f" {heading}"]
        lines += ["", f"Body {number} words.", ""]
    return "\n".join([*lines, "[r]: https://example.org", "", "[^1]: Note.", ""])


def built_anchors(page: str, main: str) -> dict[int, str | None]:
    """The id of the heading over each paragraph of a built page. main: text at which the content starts."""
    found: dict[int, str | None] = {}
    current: str | None = None
    for match in re.finditer(r"<h[1-6]([^>]*)>|Body (\d+) words\.", page[page.index(main) :]):
        if match[2]:
            found.setdefault(int(match[2]), current)
        else:
            named = re.search(r'\bid="([^"]*)"', match[1])
            current = html.unescape(named[1]) if named else None
    return found


def read_anchors(document: Document) -> dict[int, str | None]:
    """The same of a document."""
    found: dict[int, str | None] = {}
    for section in document.sections:
        for match in re.finditer(r"Body (\d+) words\.", document.text[section.start : section.end]):
            found.setdefault(int(match[1]), section.anchor)
    return found


def first_of_each(anchors: Mapping[int, str | None]) -> Iterator[tuple[int, str | None]]:
    """The headings whose anchor no earlier one has: a browser goes to the first one only."""
    seen: set[str] = set()
    for number, anchor in anchors.items():
        if anchor is None or anchor not in seen:
            yield number, anchor
        seen.add(anchor or "")


_NONE = "(none)"


def write_golden(generator: str, built: Mapping[str, Mapping[int, str | None]]) -> None:
    """Keep built anchors: a column for each settings, a line for each heading; empty where there is no heading."""
    numbers = sorted({number for anchors in built.values() for number in anchors})
    rows = [["", *built], *([str(n), *(_cell(anchors, n) for anchors in built.values())] for n in numbers)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    GOLDEN.joinpath(f"{generator}.tsv").write_text(text, encoding="utf-8")


def _cell(anchors: Mapping[int, str | None], number: int) -> str:
    return (anchors[number] or _NONE) if number in anchors else ""


def golden(generator: str) -> dict[str, dict[int, str | None]]:
    """The anchors of the generator's own build, by the settings' name and the number of the heading."""
    lines = GOLDEN.joinpath(f"{generator}.tsv").read_text(encoding="utf-8").split("\n")
    _, *names = lines[0].split("\t")
    rows = [line.split("\t") for line in lines[1:-1]]
    return {
        name: {int(row[0]): None if row[at] == _NONE else row[at] for row in rows if row[at]}
        for at, name in enumerate(names, start=1)
    }


_NOT_IN_MDX = re.compile(r"[{}<]|&unknown")
_OF_DOCUSAURUS = (
    "Title {#custom}", "Title {#Custom.Id_1}", "Again {#custom-2}", "Text `code` {#code-id}",
    "中文 {#zh}", "dup", "Comment {/* #cid */}", "JSX <b>bold</b> end", "Expr {1 + 1} end", "Expr {'text'} end",
    "`List<T>`", "`{x}` braces", "\\{esc\\}", "\\<T\\>", "[link *em*](https://e.org) x", "**b** _i_ ~~s~~",
    "<kbd>K</kbd>", "Title", "Title", "Title 1", "Title-1", "https://bare.example/x y", "www.example.org z",
)  # fmt: skip
_NO_FILE = re.compile(r"!\[|\(\w\.md|^\[TOC\]")
DOCUSAURUS = ("mdx", "md")
"""The formats of a page of Docusaurus."""


def docusaurus_headings(name: str) -> dict[int, str]:
    """The headings that can be in a page of a format, by number."""
    headings = dict(enumerate([*HEADINGS, *_OF_DOCUSAURUS]))
    is_any = name == "md"
    return {
        number: heading
        for number, heading in headings.items()
        if not _NO_FILE.search(heading) and (is_any or number >= len(HEADINGS) or not _NOT_IN_MDX.search(heading))
    }


def docusaurus_page(name: str) -> str:
    """The Markdown of a page of a format."""
    front_matter = "---\ntitle: T\nmdx:\n  format: md\n---\n\n" if name == "md" else "---\ntitle: T\n---\n\n"
    return front_matter + page(docusaurus_headings(name))
