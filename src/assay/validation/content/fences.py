"""Separate fenced code from prose. Pure."""

import re

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})")


def split_code(text: str) -> tuple[list[str], list[str]]:
    """The lines outside of fenced code, with a blank line for each block, and the lines inside."""
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            else:
                code.append(line)
        elif mark:
            fence = mark[1]
            prose.append("")
        else:
            prose.append(line)
    return prose, code
