"""Test sets as people write them by hand: block and flow mixed, comments, blank lines, any indentation and quotes."""

import json
from collections.abc import Mapping

from hypothesis import strategies as st

from assay.adapters.testset_files.yaml_writing import quoted, scalar

_COMMENTS = ["", "", "", "  # a note", " # why: {see} [there], it's fine", "   "]
_LINES = ["", "", "# a comment", "   ", "    # - {url: not a judgment}"]


class _Pen:
    """Writes values as YAML in a way that is drawn anew for each."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one_of(self, *choices: str) -> str:
        return self._draw(st.sampled_from(choices))

    def flip(self) -> bool:
        return self._draw(st.booleans())

    def text(self, value: str) -> str:
        """In one line, in one of the ways in which it can be quoted."""
        ways = [quoted(value), scalar(value)]
        if value.isprintable() and value.isascii():
            ways.append("'" + value.replace("'", "''") + "'")
        return self.one_of(*ways)

    def flow(self, value: object, *, over_lines: bool, lead: str) -> str:
        """In brackets; over_lines: each item on a line of its own."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, dict | list):
            return json.dumps(value)
        items = (
            [self.flow(one, over_lines=False, lead="") for one in value]
            if isinstance(value, list)
            else [f"{self.text(key)}: {self.flow(one, over_lines=False, lead='')}" for key, one in value.items()]
        )
        opening, closing = "[]" if isinstance(value, list) else "{}"
        if over_lines and items:
            inner = lead + "  "
            last = self.one_of("", ",")
            body = ",\n".join(f"{inner}{item}" for item in items)
            return f"{opening}\n{body}{last}{self.one_of('', ' # the last')}\n{lead}{closing}"
        pad = self.one_of("", " ")
        return f"{opening}{pad}{self.one_of(', ', ' , ').join(items)}{pad}{closing}"

    def gap(self) -> list[str]:
        return [self.one_of(*_LINES)] if self.flip() else []

    def mapping(self, fields: Mapping[str, object], column: int, first_lead: str) -> list[str]:
        """A block mapping whose first line begins with first_lead."""
        lines: list[str] = []
        for key, value in fields.items():
            lead = " " * column if lines else first_lead
            lines += self.entry(lead, column, key, value)
            lines += self.gap()
        return lines

    def entry(self, lead: str, column: int, key: str, value: object) -> list[str]:
        name = f"{lead}{self.text(key)}:"
        if isinstance(value, str) and value.isprintable() and value == value.strip() and self.flip():
            return [f"{name} {self.one_of('|', '>', '|-', '|+')[0]}-", f"{' ' * (column + 3)}{value}"]
        if isinstance(value, list) and value and self.flip():
            dash = column + self._draw(st.integers(0, 3))
            lines = [name + self.one_of(*_COMMENTS)]
            for one in value:
                lines += self.gap()
                lines += self.item(one, dash)
            return lines
        over_lines = isinstance(value, list | dict) and self.flip()
        return [name + " " + self.flow(value, over_lines=over_lines, lead=" " * (column + 1)) + self.one_of(*_COMMENTS)]

    def item(self, value: object, dash: int) -> list[str]:
        space = self.one_of(" ", "  ")
        lead = f"{' ' * dash}-{space}"
        if isinstance(value, dict) and value and self.flip():
            return self.mapping(value, dash + 1 + len(space), lead)
        over_lines = isinstance(value, dict) and self.flip()
        return [lead + self.flow(value, over_lines=over_lines, lead=" " * (dash + 2)) + self.one_of(*_COMMENTS)]


@st.composite
def yaml_by_hand(draw: st.DrawFn, body: Mapping[str, object]) -> str:
    """A test set's plain values as somebody's YAML file."""
    pen = _Pen(draw)
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    begin = draw(st.sampled_from([[], ["# labelled by hand", ""], ["---"]]))
    end = draw(st.sampled_from([[], ["# the end"], ["..."], ["", ""]]))
    lines = [*begin, *pen.mapping(body, 0, ""), *end]
    text = newline.join("\n".join(lines).split("\n"))
    return text if draw(st.booleans()) else text + newline


@st.composite
def json_by_hand(draw: st.DrawFn, body: Mapping[str, object]) -> str:
    """The same as JSON."""
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    text = json.dumps(body, ensure_ascii=draw(st.booleans()), indent=indent)
    return text + draw(st.sampled_from(["", "\n", "\r\n  "]))
