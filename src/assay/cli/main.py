"""The command line's front door: collects the commands, and turns every error into a message and an exit code."""

import logging
import sys
from typing import Annotated

import typer
from rich.markup import escape

from assay import __version__
from assay.cli import building, releasing, searching, serving, setup
from assay.cli.output import err
from assay.errors import (
    AssayError,
    BuildInProgress,
    CatalogError,
    CatalogSchemaError,
    ConfigurationError,
    EmbeddingError,
    GenerationError,
    IdentityMismatch,
    InputError,
    PromotionRefused,
    SourceError,
    VectorStoreError,
)

EXIT_FAIL = 1
EXIT_USAGE = 2
EXIT_UNREACHABLE = 4
EXIT_INTERNAL = 5
EXIT_INTERRUPTED = 130

_EXIT_CODES: tuple[tuple[type[AssayError], int], ...] = (
    (PromotionRefused, EXIT_FAIL),
    (BuildInProgress, EXIT_UNREACHABLE),
    (GenerationError, EXIT_USAGE),
    (InputError, EXIT_USAGE),
    (ConfigurationError, EXIT_USAGE),
    (IdentityMismatch, EXIT_USAGE),
    (SourceError, EXIT_USAGE),
    (CatalogSchemaError, EXIT_USAGE),
    (CatalogError, EXIT_UNREACHABLE),
    (EmbeddingError, EXIT_UNREACHABLE),
    (VectorStoreError, EXIT_UNREACHABLE),
)

app = typer.Typer(
    name="assay",
    help="Retrieval for documentation whose index must prove itself before it goes live.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # noqa: ARG001 - the callback prints it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what is going on to standard error.")] = False,
) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("alembic").setLevel(logging.WARNING)  # its set-up lines say nothing of what is asked


for _module in (setup, building, searching, releasing, serving):
    _module.register(app)


def exit_code(error: AssayError) -> int:
    """The exit code that tells a script what kind of failure this is."""
    return next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), EXIT_INTERNAL)


def run() -> None:
    """Run the command line and leave the process with its exit code."""
    console = err()
    try:
        app()  # ends the process itself, also with the message and code of wrong use
    except KeyboardInterrupt:
        console.print("Stopped. What was live is live still; the next run clears what this one left.")
        sys.exit(EXIT_INTERRUPTED)
    except AssayError as error:
        console.print(f"[red bold]Error:[/] {escape(error.message)}")
        if error.hint:
            console.print(escape(error.hint))
        sys.exit(exit_code(error))
    except BrokenPipeError:
        # Whoever read our output has gone away, as `| head` does.
        sys.stderr.close()
        sys.exit(EXIT_UNREACHABLE)
    except Exception:  # the outermost edge: whatever it is, it is a bug
        logging.getLogger("assay").exception("Internal error")
        console.print("[red bold]Internal error.[/] This is a bug in Assay; the lines above belong in a report of it.")
        sys.exit(EXIT_INTERNAL)
