"""The exit code, the error code and the message of each error on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from assay.cli.terminal.output import print_json
from assay.errors import (
    AssayError,
    BuildInProgress,
    CatalogError,
    CatalogNotFound,
    CatalogSchemaError,
    ConfigurationError,
    EmbeddingError,
    FileUnwritable,
    GenerationError,
    GenerationNotFound,
    IdentityMismatch,
    InputError,
    InvalidTransition,
    LiveChanged,
    NoLiveGeneration,
    PromotionRefused,
    PromotionUndecided,
    RerankError,
    ServiceError,
    ServiceRefused,
    ServiceThrottled,
    SourceError,
    SourceUnavailable,
    VectorStoreError,
)

EXIT_FAIL = 1
EXIT_USAGE = 2
EXIT_UNDECIDED = 3
EXIT_UNREACHABLE = 4
EXIT_INTERNAL = 5
EXIT_INTERRUPTED = 130
EXIT_READER_GONE = 141
EXIT_TERMINATED = 143


@dataclass(frozen=True, slots=True)
class Failure:
    """The codes of an error for scripts. word: the error code of the HTTP API, if it has one."""

    exit_code: int
    word: str


FAILURES: tuple[tuple[type[AssayError], Failure], ...] = (
    (PromotionUndecided, Failure(EXIT_UNDECIDED, "promotion_undecided")),
    (LiveChanged, Failure(EXIT_UNREACHABLE, "live_changed")),
    (PromotionRefused, Failure(EXIT_FAIL, "promotion_refused")),
    (BuildInProgress, Failure(EXIT_UNREACHABLE, "build_in_progress")),
    (NoLiveGeneration, Failure(EXIT_USAGE, "nothing_live")),
    (GenerationNotFound, Failure(EXIT_USAGE, "not_found")),
    (InvalidTransition, Failure(EXIT_USAGE, "invalid_transition")),
    (GenerationError, Failure(EXIT_USAGE, "generation_error")),
    (FileUnwritable, Failure(EXIT_UNREACHABLE, "file_unwritable")),
    (InputError, Failure(EXIT_USAGE, "validation_error")),
    (ConfigurationError, Failure(EXIT_USAGE, "configuration_error")),
    (IdentityMismatch, Failure(EXIT_USAGE, "identity_mismatch")),
    (SourceUnavailable, Failure(EXIT_UNREACHABLE, "source_unavailable")),
    (SourceError, Failure(EXIT_USAGE, "source_error")),
    (CatalogNotFound, Failure(EXIT_USAGE, "nothing_ingested")),
    (CatalogSchemaError, Failure(EXIT_USAGE, "schema_mismatch")),
    (CatalogError, Failure(EXIT_UNREACHABLE, "service_unavailable")),
    (EmbeddingError, Failure(EXIT_UNREACHABLE, "upstream_error")),
    (RerankError, Failure(EXIT_UNREACHABLE, "upstream_error")),
    (VectorStoreError, Failure(EXIT_UNREACHABLE, "service_unavailable")),
    (ServiceThrottled, Failure(EXIT_UNREACHABLE, "rate_limited")),
    (ServiceRefused, Failure(EXIT_USAGE, "service_refused")),
    (ServiceError, Failure(EXIT_UNREACHABLE, "service_unavailable")),
)
"""The first matching class decides; an error that matches none is internal."""

WRONG_USE = Failure(EXIT_USAGE, "wrong_use")
INTERRUPTED = Failure(EXIT_INTERRUPTED, "interrupted")
TERMINATED = Failure(EXIT_TERMINATED, "terminated")
NO_MEMORY = Failure(EXIT_UNREACHABLE, "out_of_memory")
INTERNAL = Failure(EXIT_INTERNAL, "internal_error")


def failure_of(error: AssayError) -> Failure:
    """Return the codes of an error."""
    return next((failure for kind, failure in FAILURES if isinstance(error, kind)), INTERNAL)


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line has --json, even if it cannot be parsed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def show_error(console: Console, error: AssayError, *, as_json: bool) -> None:
    """Print the message and hint of an error; with as_json also as JSON on standard output."""
    console.print(f"[red bold]Error:[/] {escape(error.message)}")
    if error.hint:
        console.print(escape(error.hint))
    if as_json:
        print_error(failure_of(error), error.message, error.hint)


def print_error(failure: Failure, message: str, hint: str) -> None:
    """Print the JSON object of a failed command: the error body of the HTTP API and a hint."""
    print_json({"error": failure.word, "message": message, "hint": hint})
