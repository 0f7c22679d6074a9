"""Command lines of docs, scripts and files, parsed by the real command line."""

import shlex

import typer
from typer.core import TyperGroup

from assay.cli.main import command_line

_GROUP = typer.main.get_command(command_line())
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


def unknown_options(arguments: str) -> set[str]:
    """The options of a command line in prose that its command does not have; arguments may be missing.

    Raises LookupError for a command that does not exist.
    """
    words = shlex.split(arguments)
    group, rest = _GROUP, words
    while True:
        context = group.make_context("assay", rest, resilient_parsing=True)
        _, command, rest = group.resolve_command(context, [word for word in rest if not word.startswith("-")])
        if command is None:
            raise LookupError(arguments)
        if not isinstance(command, TyperGroup) or not rest:
            break
        group = command
    known = {"--help", *(spelling for parameter in command.params for spelling in parameter.opts)}
    return {word.partition("=")[0] for word in words if word.startswith("-")} - known
