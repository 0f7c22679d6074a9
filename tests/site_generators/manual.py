"""The manual that every generator's site is made from, in a form that is nobody's dialect.

A page is a list of blocks, each a mapping with one kind as its first key (`p`, `h`, `ul`, `table`, `code`, `note`, …).
Its running text is Markdown in little: **strong**, *emphasis*, `code`, [link](page:slug#id), $formula$, ++Ctrl+C++ for
keys, H~2~O, ~~struck~~ and [^1].
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[1] / "fixtures" / "sites"
MANUAL = FOLDER / "manual"

Value = Any
"""What a YAML file holds."""

Block = Mapping[str, Value]

_TOKEN = re.compile(
    r"(?P<code>`[^`]+`)|(?P<keys>\+\+(?P<k>[^+]\S*?)\+\+)|(?P<math>\$[^$]+\$)|(?P<link>\[(?P<t>[^\]^]+)\]\((?P<u>[^)]+)\))"
    r"|(?P<struck>~~(?P<s>[^~]+)~~)|(?P<sub>~(?P<d>\w+)~)|(?P<strong>\*\*(?P<b>[^*]+)\*\*)|(?P<em>\*(?P<e>[^*]+)\*)"
    r"|(?P<note>\[\^(?P<n>\w+)\])|(?P<pipe>\\\|)"
)


@dataclass(frozen=True)
class ManualPage:
    """One page of the manual. short: what navigation calls it, a string that its content never has."""

    slug: str
    title: str
    short: str
    blocks: tuple[Block, ...]
    locale: str = "en"


def manual(*, locale: str = "en") -> list[ManualPage]:
    """The pages in the order of the manual."""
    names = ["start", "install", "usage", "tongues"] if locale == "en" else ["heim"]
    return [load(MANUAL / f"{name}.yaml") for name in names]


def load(path: Path) -> ManualPage:
    """A page from its file."""
    raw = yaml.safe_load(path.read_text("utf-8"))
    return ManualPage(raw["slug"], raw["title"], raw["short"], tuple(raw["blocks"]), raw.get("locale", "en"))


def tokens(text: str) -> Iterator[tuple[str, str, str]]:
    """(kind, text, extra) of each run of inline text; extra is a link's target."""
    at = 0
    for found in _TOKEN.finditer(text):
        if found.start() > at:
            yield "text", text[at : found.start()], ""
        kind = found.lastgroup or ""
        named = {name: value for name, value in found.groupdict().items() if value is not None}
        kind = next(name for name in named if len(name) > 1)
        inner = next((value for name, value in named.items() if len(name) == 1 and name != "u"), named[kind])
        yield kind, inner, named.get("u", "")
        at = found.end()
    if at < len(text):
        yield "text", text[at:], ""


def plain(text: str, *, in_cell: bool = False) -> str:
    """Inline text as the normalized text has it."""
    shown = ""
    for kind, inner, _ in tokens(text):
        if kind == "note":
            shown += f"[^{inner}]"
        elif kind == "pipe":
            shown += "|"
        elif kind == "link":
            shown += plain(inner)
        else:
            shown += inner
    return shown.replace("|", "\\|") if in_cell else shown


def item_parts(item: Value) -> tuple[str, list[Block]]:
    """A list item's own text, and the blocks under it."""
    if isinstance(item, str):
        return item, []
    return item["text"], [{kind: value} for kind, value in item.items() if kind != "text"]


def kind_of(block: Block) -> str:
    """The kind of a block: its first key."""
    return next(iter(block))
