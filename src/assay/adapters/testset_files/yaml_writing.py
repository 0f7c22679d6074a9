"""Formats test sets as editable YAML: a block per topic, a line per judgment."""

import json
import math
import re
from collections.abc import Mapping, Sequence

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)*")
_BARE_URL = re.compile(r"https?://[A-Za-z0-9_.-]+(?::[0-9]+)?(?:/[A-Za-z0-9_.~%+=@-]*)*")
_RESERVED_WORDS = re.compile(r"(?:true|false|null|yes|no|on|off|y|n|nan|inf)", re.IGNORECASE)
_NEEDS_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def write_yaml(body: Mapping[str, object], heading: str = "") -> str:
    """Format a test set as YAML. heading: comment at the beginning, without number signs."""
    lines = [f"# {line}".rstrip() for line in heading.splitlines()]
    if lines:
        lines.append("")
    for key, value in body.items():
        if key == "topics" and isinstance(value, list) and value:
            lines.append("topics:")
            for topic in value:
                lines += _topic(topic)
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


def flow(value: object) -> str:
    """Format a value on one line."""
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(key))}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


def scalar(text: str) -> str:
    """Format a text, quoted unless every YAML parser reads it as text without quotes."""
    if _BARE_URL.fullmatch(text) or (_BARE.fullmatch(text) and not _RESERVED_WORDS.fullmatch(text)):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """Format a text in double quotes."""
    return _NEEDS_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def block_item(fields: Mapping[str, object], indent: int) -> list[str]:
    """Format a mapping as an item of a block list, a line per key. indent: spaces before the dash."""
    lead = " " * indent
    return [
        f"{lead}{'  ' if number else '- '}{scalar(str(key))}: {flow(value)}"
        for number, (key, value) in enumerate(fields.items())
    ]


def _topic(topic: object) -> list[str]:
    if not isinstance(topic, Mapping):
        return [f"  - {flow(topic)}"]
    lines: list[str] = []
    for key, value in topic.items():
        lead = "    " if lines else "  - "
        if key in {"judgments", "exclude"} and isinstance(value, Sequence) and value:
            lines.append(f"{lead}{key}:")
            lines += [f"      - {flow(one)}" for one in value]
        elif key in {"text", "id"} and isinstance(value, str):
            lines.append(f"{lead}{key}: {quoted(value) if key == 'text' else scalar(value)}")
        else:
            lines.append(f"{lead}{key}: {flow(value)}")
    return lines or ["  - {}"]
