"""A normalized text taken apart into what a reader can be right or wrong about: sentences, rows, headings, code."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<before>[ >]*?)(?P<marks>`{3,})(?P<info>[^`]*)$")
_RULE = re.compile(r"^\|(?: --- \|)+$")
_OWN_ID = re.compile(r" \{#([^}]*)\}$")
_BARE = re.compile(r"^(?:-|\d+\.|>)$")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。])\s+(?=\S)")
_UNNAMED = {"text", "plaintext", "plain", "default", "none", "txt"}


@dataclass(frozen=True)
class Score:
    """How much of what is expected was read, and how much of what was read is expected: shares from 0 to 1."""

    precision: float
    recall: float


def units(text: str) -> list[str]:
    """Each sentence with the mark of its item, each row, each heading, each code block whole."""
    found: list[str] = []
    lines = iter(_OWN_ID.sub("", line) if line.startswith("#") else line for line in text.split("\n"))
    for line in lines:
        if fence := _FENCE.match(line):
            found.append(_code(fence, lines))
            continue
        shown = " ".join(line.split())
        if not shown or _RULE.match(shown) or _BARE.match(shown):
            continue
        if shown.startswith(("#", "|")):
            found.append(shown)
        else:
            found += _SENTENCE_ENDS.split(shown)
    return found


def _code(fence: re.Match[str], lines: Iterable[str]) -> str:
    before = len(fence["before"])
    content = []
    for line in lines:
        if line[before:].startswith(fence["marks"]):
            break
        content.append(line[before:])
    language, _, more = fence["info"].strip().partition(" ")
    head = " ".join(part for part in ("" if language in _UNNAMED else language, more) if part)
    return f"```{head}\n" + "\n".join(content)


def own_ids(text: str) -> dict[str, str]:
    """Id by heading, of the headings whose id the author chose."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("#") and (named := _OWN_ID.search(line)):
            found[_OWN_ID.sub("", line).lstrip("# ").replace("`", "")] = named[1]
    return found


def score(read: list[str], expected: list[str]) -> Score:
    """Each unit counts as often as it stands there."""
    common = (Counter(read) & Counter(expected)).total()
    return Score(common / len(read) if read else 0.0, common / len(expected) if expected else 0.0)
