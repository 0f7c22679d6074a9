"""Edits that insert or change judgments in YAML or JSON text, in the style of the existing ones."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.adapters.testset_files.positions import MarkKind, Node
from assay.adapters.testset_files.yaml_writing import block_item, flow, scalar
from assay.errors import InputError

Fields = Mapping[str, object]
"""The keys and values of a judgment."""

JUDGMENTS = "judgments"

_COMMA = re.compile(r"\s*,")
_REST_OF_LINE = re.compile(r"[ \t]*+,?[ \t]*+(?:#[^\r\n]*+)?(?=\r?\n)")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the characters from start to end by text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text to edit. newline: its line ending."""

    text: str
    newline: str
    is_json: bool


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits, which do not overlap."""
    parts = []
    done = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])


def append_edits(page: EditedText, topic: Node, judgments: Sequence[Fields], key: str = JUDGMENTS) -> list[Edit]:
    """Edits that add judgments to a topic. Raises InputError for a list that is an alias.

    key: of the list; `topics` to add topics to a test set, whose list is not empty.
    """
    listed = topic.at(key)
    if listed is None:
        return _new_list(page, topic, judgments)
    if listed.mark.kind is MarkKind.ALIAS:
        raise InputError("they are an alias of others; write them out")
    if listed.mark.kind is MarkKind.SCALAR:  # empty or null
        return _replace_null(page, topic, listed, judgments)
    if listed.mark.flow:
        return _insert_in_brackets(page, listed, [_inline(page, one) for one in judgments], judgments)
    return _insert_lines(page, listed.content_end, _block_lines(page, listed, judgments))


def change_edits(page: EditedText, judgment: Node, fields: Fields) -> list[Edit]:
    """Edits that set these values of a judgment."""
    edits = []
    added: dict[str, object] = {}
    for key, value in fields.items():
        present = judgment.at(key)
        if present is None:
            added[key] = value
        else:
            end = present.content_end
            written = page.text[present.mark.start : end]
            kept = len(written) - len(written.rstrip()) if present.mark.block_scalar else 0
            edits.append(Edit(present.mark.start, end - kept, _value(page, value)))
    if added and judgment.mark.flow:
        pairs = [f"{_key(page, key)}: {_value(page, value)}" for key, value in added.items()]
        edits += _insert_in_brackets(page, judgment, pairs, ())
    elif added:
        lead = " " * judgment.keys[0].mark.column
        lines = [f"{lead}{_key(page, key)}: {_value(page, value)}" for key, value in added.items()]
        edits += _insert_lines(page, judgment.content_end, lines)
    return edits


def _new_list(page: EditedText, topic: Node, judgments: Sequence[Fields]) -> list[Edit]:
    """Append the key `judgments` with its list to a topic."""
    if topic.mark.flow:
        listed = ", ".join(_inline(page, one) for one in judgments)
        return _insert_in_brackets(page, topic, [f"{_key(page, JUDGMENTS)}: [{listed}]"], ())
    column = topic.keys[0].mark.column
    lines = [f"{' ' * column}{JUDGMENTS}:", *_flow_lines(column + 2, judgments)]
    return _insert_lines(page, topic.content_end, lines)


def _replace_null(page: EditedText, topic: Node, nothing: Node, judgments: Sequence[Fields]) -> list[Edit]:
    if topic.mark.flow or nothing.mark.start < nothing.end:
        listed = ", ".join(_inline(page, one) for one in judgments)
        space = " " if page.text[nothing.mark.start - 1] == ":" else ""
        return [Edit(nothing.mark.start, nothing.end, f"{space}[{listed}]")]
    key = next(key for key, value in zip(topic.keys, topic.items, strict=True) if value is nothing)
    return _insert_lines(page, key.end + 1, _flow_lines(key.mark.column + 2, judgments))


def _insert_in_brackets(
    page: EditedText, node: Node, written: Sequence[str], judgments: Sequence[Fields]
) -> list[Edit]:
    """Insert before the closing bracket: on separate lines if the last item is on its own line, else inline."""
    if not node.items:
        return [Edit(node.mark.end, node.mark.end, ", ".join(written))]
    first = node.keys[-1] if node.keys else node.items[-1]
    last = node.items[-1]
    start, end = first.mark.start, last.content_end
    line_start = page.text.rfind("\n", 0, start) + 1
    lead = page.text[line_start:start]
    rest = _REST_OF_LINE.match(page.text, end)
    if lead.strip(" \t") or line_start <= node.mark.start or rest is None:
        return [Edit(end, end, "".join(f", {one}" for one in written))]
    if judgments and page.is_json and "\n" in page.text[last.mark.start : end]:
        written = [_multiline(page, one, lead, last) for one in judgments]
    ends_with_comma = _COMMA.match(page.text, end) is not None
    lines = [f"{page.newline}{lead}{one}" for one in written]
    if ends_with_comma:
        return [Edit(rest.end(), rest.end(), "".join(f"{line}," for line in lines))]
    inserted = ",".join(lines)
    if rest.end() == end:
        return [Edit(end, end, f",{inserted}")]
    return [Edit(end, end, ","), Edit(rest.end(), rest.end(), inserted)]


def _insert_lines(page: EditedText, position: int, lines: Sequence[str]) -> list[Edit]:
    """Insert lines after the line of a position, or before it if the position is at its beginning."""
    text = page.text
    written = "".join(f"{line}{page.newline}" for line in lines)
    if position > 0 and text[position - 1] == "\n":
        return [Edit(position, position, written)]
    end = text.find("\n", position)
    if end < 0:
        return [Edit(len(text), len(text), page.newline + written.removesuffix(page.newline))]
    return [Edit(end + 1, end + 1, written)]


def _block_lines(page: EditedText, listed: Node, judgments: Sequence[Fields]) -> list[str]:
    last = listed.items[-1]
    column = _dash_column(page.text, listed)
    if last.mark.kind is MarkKind.MAPPING and not last.mark.flow:
        return [line for one in judgments for line in block_item(one, column)]
    return _flow_lines(column, judgments)


def _dash_column(text: str, listed: Node) -> int:
    """Column of the dashes of a block list, which may follow an anchor."""
    first = listed.items[0].mark.start
    dash = text.rfind("-", listed.mark.start, first)
    if text.startswith("-", listed.mark.start):
        return listed.mark.column
    return dash - (text.rfind("\n", 0, dash) + 1)


def _flow_lines(column: int, judgments: Sequence[Fields]) -> list[str]:
    return [f"{' ' * column}- {flow(one)}" for one in judgments]


def _inline(page: EditedText, fields: Fields) -> str:
    return json.dumps(fields, ensure_ascii=False) if page.is_json else flow(fields)


def _multiline(page: EditedText, fields: Fields, lead: str, like: Node) -> str:
    """Format a judgment with a line per key, indented like another one."""
    inner = page.text[page.text.rfind("\n", 0, like.keys[0].mark.start) + 1 : like.keys[0].mark.start]
    step = inner.removeprefix(lead) if not inner.strip(" \t") and inner.startswith(lead) else "  "
    return json.dumps(fields, ensure_ascii=False, indent=step).replace("\n", page.newline + lead)


def _key(page: EditedText, key: str) -> str:
    return json.dumps(key) if page.is_json else scalar(key)


def _value(page: EditedText, value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if page.is_json else flow(value)
