"""Messages between the parent of a server and its workers, and the task of a worker."""

from dataclasses import dataclass, field
from enum import StrEnum

from assay.errors import AssayError
from assay.model.workers import WorkerShare


@dataclass(frozen=True, slots=True)
class Task:
    """The task of a worker.

    settings: from pickle_settings; they contain secrets.
    generation: id of the generation to search; None for the live one.
    listener: descriptor of the listening socket.
    """

    share: WorkerShare
    settings: bytes = field(repr=False)
    generation: str | None
    host: str
    listener: int


class Order(StrEnum):
    """The messages of the parent to a worker. A closed connection is a DRAIN, because the parent is gone."""

    NOTICE_AND_DRAIN = "notice and drain"
    DRAIN = "drain"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker accepts requests."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker cannot start."""

    error: AssayError
