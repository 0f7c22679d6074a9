"""Command lines of docs, scripts and files, parsed by the real command line."""

import shlex

import typer
from typer.core import TyperGroup

from assay.cli.main import app

_GROUP = typer.main.get_command(app)
assert isinstance(_GROUP, TyperGroup)


def parse(arguments: str | list[str]) -> str:
    """Parse what follows `assay`, without running it. Returns the command's name.

    Raises the parser's error for a command, option or argument that does not exist or is missing.
    """
    rest = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
    group, names = _GROUP, []
    while True:
        context = group.make_context("assay", rest)
        rest = [*context._protected_args, *context.args]
        name, command, rest = group.resolve_command(context, rest)
        names.append(name)
        if not isinstance(command, TyperGroup):
            command.make_context(name, rest, parent=context)
            return " ".join(names)
        group = command
