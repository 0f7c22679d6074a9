"""What a person sees: tables, messages; and what a program reads: one JSON object."""

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


class _Screen(Console):
    """A console on which text of others is but text: secrets are masked, control characters shown, see `visible`."""

    def render_str(self, text: str, **named: Any) -> Text:  # noqa: ANN401 - handed on as they are
        """Every text that is printed comes by here. Without markup it is a result, which stays as it is."""
        return super().render_str(text if named.get("markup") is False else visible(redacted(text)), **named)


def out() -> Console:
    """The console for results."""
    return _Screen(highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """The console for everything else."""
    return _Screen(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def on_one_line(text: str) -> str:
    """Text of others within a line of ours: its line breaks are blanks, and its brackets no markup."""
    return escape(visible(text, lines=False))


def pages_and_chunks(pages: int, chunks: int) -> str:
    """The size of a generation: `6 pages, 1 chunk`."""
    return f"{counted(pages, 'page')}, {counted(chunks, 'chunk')}"


def print_json(body: Mapping[str, object]) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(redacted_json(body), ensure_ascii=False, indent=2) + "\n")
