"""Lets the functions of seed 002 open Assay without importing `app`: `assay/__init__.py` registers the opener.

Python imports the package before any of its modules, so the opener is always registered.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.contracts.retriever import Retriever

_openers: list[Callable[[], "Retriever"]] = []


def register_opener(opener: Callable[[], "Retriever"]) -> None:
    """Set the function that opens the retriever of the process."""
    _openers.append(opener)


def open_retriever() -> "Retriever":
    """Open a retriever with the settings of the environment. Raises ConfigurationError."""
    return _openers[-1]()
