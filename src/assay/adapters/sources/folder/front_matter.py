"""Front matter: the YAML block at the start of a page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from assay.adapters.sources.folder.bounded_yaml import load_yaml
from assay.errors import InputError

_TEXT_KEYS = frozenset({"title", "id", "slug", "sidebar_label", "tags"})
_MKDOCS_BLOCK = re.compile(r"-{3}[ \t]*\n(.*?\n)(?:\.{3}|-{3})[ \t]*\n", re.DOTALL)
_MULTIMARKDOWN = re.compile(r"[ ]{0,3}([A-Za-z0-9_-]+):\s*(.*)")
_CLOSING = re.compile(r"\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A page's metadata and content.

    values: the metadata; title, id, slug, sidebar_label and tags as written, others as YAML types. Empty when there is
        none.
    content: the text after the front matter; the whole text when there is none.
    first_line: line of the file where content starts, from 1.
    """

    values: Mapping[str, object]
    content: str
    first_line: int


def split_front_matter(text: str, *, required: bool = False, lenient: bool = False) -> FrontMatter:
    """Split front matter from a text with LF line ends.

    required: a block between two rules that is YAML but not a mapping is an error, as in Docusaurus; otherwise it is
        Markdown (a rule, text, another rule), as in MkDocs.
    lenient: a block of lines `key: value` that is not YAML has these values, as text; GitHub shows such a page too.

    Raises InputError, which names the line, for a block that is not YAML.
    """
    none = FrontMatter({}, text, 1)
    opening = text.find("\n")
    if not text.startswith("---") or text[: max(opening, 3)].rstrip(" \t") != "---":
        return none
    closing = _CLOSING.search(text, opening) if opening > 0 else None
    if closing is None:
        return none
    block = text[opening + 1 : closing.start() + 1]
    try:
        values = _parse(block)
    except InputError:
        values = _text_values(block) if lenient else {}
        if not values:
            raise
    if isinstance(values, Mapping):
        first_line = text.count("\n", 0, closing.end()) + 1
        return FrontMatter(dict(values), text[closing.end() :], first_line)
    if required:
        raise InputError(f"line 2: front matter must be a mapping of names to values, not a {_kind(values)}")
    return none


def split_mkdocs_front_matter(text: str) -> FrontMatter:
    """Split front matter from a text with LF line ends as MkDocs does.

    A block between two rules that is not a YAML mapping is Markdown. A page without such a block may begin with lines
    `key: value`, up to the first blank line (MultiMarkdown).
    """
    if block := _MKDOCS_BLOCK.match(text):
        try:
            values = _parse(block[1])
        except InputError:
            return FrontMatter({}, text, 1)
        if not isinstance(values, Mapping) or not values:
            return FrontMatter({}, text, 1)
        return _rest(dict(values), text, block.end())
    return _split_multimarkdown(text)


def _split_multimarkdown(text: str) -> FrontMatter:
    values: dict[str, object] = {}
    position, key = 0, ""
    while position < len(text):
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        found = _MULTIMARKDOWN.fullmatch(line)
        if found:
            key = found[1].lower()
            values[key] = f"{values[key]} {found[2].strip()}" if key in values else found[2].strip()
        elif key and line.startswith(("    ", "\t")) and line.strip():
            values[key] = f"{values[key]} {line.strip()}"
        elif line.strip():
            break
        position = end + 1 if end >= 0 else len(text)
        if not line.strip():
            break
    return _rest(values, text, position)


def _rest(values: Mapping[str, object], text: str, position: int) -> FrontMatter:
    content = text[position:].lstrip("\n")
    return FrontMatter(values, content, text.count("\n", 0, len(text) - len(content)) + 1)


def _text_values(block: str) -> dict[str, str]:
    """The values of lines `key: value` as text; {} if the block begins with another line."""
    matches = [_MULTIMARKDOWN.fullmatch(line) for line in block.splitlines() if line.strip()]
    if not matches or matches[0] is None:
        return {}
    return {match[1]: match[2].strip().strip("\"'") for match in matches if match is not None}


@lru_cache(maxsize=4096)  # versions of one page often share their front matter
def _parse(block: str) -> object:
    if not block.strip():
        return {}
    values = load_yaml(block, first_line=2, text_keys=_TEXT_KEYS)
    return {} if values is None else values


def _kind(values: object) -> str:
    return "list" if isinstance(values, list) else "single value"


def page_title(values: Mapping[str, object]) -> str | None:
    """The title in front matter; None when it is missing, empty or not a string."""
    title = values.get("title")
    return title.strip() or None if isinstance(title, str) else None


def page_tags(values: Mapping[str, object]) -> tuple[str, ...]:
    """The tags in front matter without duplicates: strings, or mappings with a label."""
    tags = values.get("tags")
    found: list[str] = []
    for tag in tags if isinstance(tags, list) else [tags]:
        label = tag.get("label") if isinstance(tag, Mapping) else tag
        if isinstance(label, str) and label.strip():
            found.append(label.strip())
    return tuple(dict.fromkeys(found))


def is_true(values: Mapping[str, object], name: str) -> bool:
    """Whether a front-matter value is true; the text "true" counts, as in Docusaurus."""
    value = values.get(name)
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")
