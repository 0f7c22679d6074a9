"""Pages of the real corpora: of one with thousands in many versions, those that write something in a new way."""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from assay.adapters.sources.folder.source import FolderSource
from assay.model.documents import PageFailed, RawPage

WHOLE = "ASSAY_WHOLE_CORPORA" in os.environ
"""Whether every page is read, as `make soak` does."""

_MANY = 1_000
_CONSTRUCT = re.compile(
    r"^[ \t]*(?::::\S*|```\S*|~~~\S*|</?[A-Za-z][\w.]*|\{[%{#]|(?:im|ex)port\b|#{1,6} |[-*+] |\d+\. |\||>)",
    re.MULTILINE,
)
"""How a line may begin that is no running text: a container, a fence with its language, a tag, a list, and so on."""


@cache
def all_pages(folder: Path) -> tuple[RawPage, ...]:
    """Every page of a corpus; none of them fails."""
    source = FolderSource(folder, base_url=None, name=None, max_page_bytes=5_000_000)
    found = list(source.read({}))
    assert [page for page in found if isinstance(page, PageFailed)] == []
    return tuple(page for page in found if isinstance(page, RawPage))


def sampled_pages(folder: Path) -> tuple[RawPage, ...]:
    """The pages of a corpus; of more than a thousand, a sample in which every construct is."""
    pages = all_pages(folder)
    return pages if WHOLE or len(pages) < _MANY else tuple(_with_new_constructs(pages))


def _with_new_constructs(pages: Iterable[RawPage]) -> Iterable[RawPage]:
    seen: set[str] = set()
    for page in sorted(pages, key=lambda page: page.key):
        found = {construct.strip() for construct in _CONSTRUCT.findall(page.content)}
        if not found <= seen:
            seen |= found
            yield page
