"""Help text without markup: typer parses it as Rich markup, in which `[default: 5]` would vanish as a style."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

_VERBOSE = frozenset({"-v", "--verbose"})


@contextmanager
def _escaped(command: Any) -> Iterator[None]:  # noqa: ANN401 - a command or a parameter; typer exports neither
    """Escape the help of a command, its parameters and its subcommands within the block."""
    described = [command, *command.params, *getattr(command, "commands", {}).values()]
    texts = [(each, name, getattr(each, name, None)) for each in described for name in ("help", "short_help")]
    for each, name, text in texts:
        if text:
            setattr(each, name, escape(text))
    try:
        yield
    finally:
        for each, name, text in texts:
            if text:
                setattr(each, name, text)


class PlainCommand(TyperCommand):
    """A command whose help is printed without markup, and that takes `-v` like the program itself."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - passed on unchanged
        """Parse the arguments; `-v` among the options logs each step."""
        options = args[: args.index("--")] if "--" in args else args
        if not _VERBOSE.isdisjoint(options):
            logging.getLogger().setLevel(logging.INFO)
            args = [one for one in options if one not in _VERBOSE] + args[len(options) :]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - passed on unchanged
        """Write the help."""
        with _escaped(self):
            super().format_help(ctx, formatter)


class PlainGroup(TyperGroup):
    """A group whose help is printed without markup."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - passed on unchanged
        """Write the help."""
        with _escaped(self):
            super().format_help(ctx, formatter)


class PlainTyper(typer.Typer):
    """A Typer with plain commands and groups."""

    def __init__(self, **named: Any) -> None:  # noqa: ANN401 - passed on unchanged
        super().__init__(**{"cls": PlainGroup, **named})

    def command(self, name: str | None = None, **named: Any) -> Any:  # noqa: ANN401 - likewise
        """Add a command."""
        return super().command(name, **{"cls": PlainCommand, **named})
