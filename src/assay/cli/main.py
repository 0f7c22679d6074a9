"""The entry point of the command line: loads the commands, maps each error to a message and an exit code."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from assay.__main__ import STOPPED
from assay.adapters.telemetry.log_lines import CommandLines
from assay.cli.failures import (
    EXIT_READER_GONE,
    EXIT_UNREACHABLE,
    INTERNAL,
    INTERRUPTED,
    NO_MEMORY,
    TERMINATED,
    WRONG_USE,
    asks_for_json,
    failure_of,
    print_error,
    show_error,
)
from assay.cli.terminal.help_text import PlainGroup, PlainTyper
from assay.cli.terminal.output import err
from assay.cli.terminal.signals import Terminated, stopping_cleanly
from assay.cli.terminal.streams import OutputLost, discard_output, secure_streams
from assay.errors import AssayError
from assay.ports import INFORMATION
from assay.version import __version__

_WrongUse: Any = typer.BadParameter.__mro__[1]
"""The error for a command line that cannot be parsed; typer exports its subclasses only."""

_BUG = "This is a bug in Assay"
_NO_MEMORY = "There is not enough memory for this."
_LESS_MEMORY = "Set [ingest] workers to 1, leave out the largest pages, or use a machine with more memory."


class RootGroup(PlainGroup):
    """All commands. Reports wrong use and interrupts as JSON too with --json, which typer would not."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - handed on as they are
        """Parse the arguments before the command."""
        with _errors_as_json():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own classes have changed their home
        """Parse the remaining arguments and run the command."""
        with _errors_as_json():
            return super().invoke(ctx)


@contextmanager
def _errors_as_json() -> Iterator[None]:
    as_json = asks_for_json(sys.argv[1:])
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise typer.Exit(_report_interrupt(interrupt, as_json=as_json)) from None
    except Exception as error:
        if isinstance(error, _WrongUse):
            _add_advice(error)
        if as_json and isinstance(error, _WrongUse):
            print_error(WRONG_USE, error.format_message(), "--help lists the arguments and options.")
        raise


_ADVICE = (
    ("search", "extra argument", 'Put a query of several words in quotes: assay search "…".'),
    ("publish", "--dry-run", "`assay ingest --dry-run` shows what would change."),
    ("rollback", "", "`assay promote ID` goes back to any retired generation; `assay generations` lists them."),
    ("promote", "extra argument", "It takes the id of one generation; `assay generations` lists them."),
)
"""Advice for a command line that cannot be parsed: the command, a part of the error's message, the advice."""


def _add_advice(error: Any) -> None:  # noqa: ANN401 - typer's own class
    """Append advice to the message of a wrong use."""
    command = error.ctx.info_name if error.ctx else ""
    for name, part, advice in _ADVICE:
        if command == name and part in error.message:
            error.message = f"{error.message.rstrip('.')}. {advice}"


_MODULES = {
    "commands.setup": ("init", "doctor", "demo"),
    "commands.building": ("ingest", "publish"),
    "commands.searching": ("search",),
    "commands.releasing": ("promote", "rollback", "generations"),
    "commands.auditing": ("audit",),
    "commands.serving": ("serve", "mcp"),
    "commands.validating": ("validate",),
    "commands.comparing": ("compare",),
    "testsets.labelling": ("label",),
    "commands.calibrating": ("calibrate",),
    "commands.documentation": ("docs",),
    "commands.keys": ("keys",),
    "commands.queries": ("queries",),
    "testsets.commands": ("testset",),
}
"""The commands of each module of `assay.cli`, in the order of the help."""


@cache
def command_line(asked: str | None = None) -> typer.Typer:
    """The program.

    asked: the command that will run. Only its module is loaded, which takes half of the time; all for None or an
        unknown command.
    """
    app = PlainTyper(
        name="assay",
        cls=RootGroup,
        help="Retrieval for documentation whose index must prove itself before it goes live.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    home_of = {name: module for module, names in _MODULES.items() for name in names}
    for name in [asked] if asked in home_of else home_of:
        command = getattr(import_module(f"assay.cli.{home_of[name]}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command()(command)
    return app


def asked_command() -> str | None:
    """The command that the arguments of this process name, which need not exist; None if they name none."""
    return next((argument for argument in sys.argv[1:] if not argument.startswith("-")), None)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[  # noqa: ARG001 - the callback prints it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log each step to standard error; also after a command.")
    ] = False,
) -> None:
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING)
    for writer in logging.getLogger().handlers:
        writer.setFormatter(CommandLines())
    logging.getLogger(INFORMATION).setLevel(logging.INFO)
    logging.getLogger("alembic").setLevel(logging.WARNING)  # its setup lines are noise


def run(app: typer.Typer) -> None:
    """Run a command line and exit the process with its exit code."""
    secure_streams()
    as_json = asks_for_json(sys.argv[1:])
    try:
        with stopping_cleanly():
            try:
                _run(app, as_json=as_json)
            finally:
                sys.stdout.flush()
    except OutputLost as lost:
        discard_output()
        if lost.reader_gone:  # as after `| head`: no message, since the reader has what it wanted
            sys.exit(EXIT_READER_GONE)
        err().print(f"[red bold]Error:[/] The result cannot be written to standard output: {lost.reason}.")
        sys.exit(EXIT_UNREACHABLE)


def _run(app: typer.Typer, *, as_json: bool) -> None:
    try:
        app()  # exits the process itself, also after wrong use
    except AssayError as error:
        show_error(err(), error, as_json=as_json)
        sys.exit(failure_of(error).exit_code)
    except KeyboardInterrupt as interrupt:
        sys.exit(_report_interrupt(interrupt, as_json=as_json))
    except OutputLost:
        raise
    except MemoryError:
        err().print(f"[red bold]Error:[/] {_NO_MEMORY}")
        err().print(_LESS_MEMORY)
        if as_json:
            print_error(NO_MEMORY, _NO_MEMORY, _LESS_MEMORY)
        sys.exit(NO_MEMORY.exit_code)
    except Exception:  # the outermost edge: any other exception is a bug
        logging.getLogger("assay").exception("Internal error")
        err().print(f"[red bold]Internal error.[/] {_BUG}; please report it with the lines above.")
        if as_json:
            print_error(INTERNAL, "Internal error.", f"{_BUG}; please report it with the lines on standard error.")
        sys.exit(INTERNAL.exit_code)


def _report_interrupt(interrupt: KeyboardInterrupt, *, as_json: bool) -> int:
    """Print that the command was stopped. Return its exit code."""
    failure = TERMINATED if isinstance(interrupt, Terminated) else INTERRUPTED
    err().print(STOPPED)
    if as_json:
        print_error(failure, STOPPED, "")
    return failure.exit_code
