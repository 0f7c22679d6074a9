"""Consoles for results and messages, and JSON output."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from assay.cli.terminal.visible import visible
from assay.model.counting import counted
from assay.redaction import redacted, redacted_json


class _SafeConsole(Console):
    """A console that masks secrets, escapes control characters (see `visible`), and prints `:key:` as it is."""

    def __init__(self, **named: Any) -> None:  # noqa: ANN401 - passed on unchanged
        super().__init__(emoji=False, highlight=False, **named)

    def render_str(self, text: str, **named: Any) -> Text:  # noqa: ANN401 - passed on unchanged
        """Escape text before it is printed. Text printed without markup is a result and stays unchanged."""
        return super().render_str(text if named.get("markup") is False else visible(redacted(text)), **named)


def out() -> Console:
    """Return the console for results."""
    return _SafeConsole(soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """Return the console for everything else."""
    return _SafeConsole(stderr=True, soft_wrap=not sys.stderr.isatty())


def on_one_line(text: str) -> str:
    """Escape untrusted text for use within a line: line breaks become spaces, and brackets are no markup."""
    return escape(visible(text, lines=False))


def pages_and_chunks(pages: int, chunks: int) -> str:
    """Format the size of a generation: `6 pages, 1 chunk`."""
    return f"{counted(pages, 'page')}, {counted(chunks, 'chunk')}"


def print_json(body: Mapping[str, object]) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(redacted_json(body), ensure_ascii=False, indent=2) + "\n")
