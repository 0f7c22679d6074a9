"""How the functions of seed 002 open Assay, which is above them: `assay/__init__.py` registers the opener.

Python loads the package before any of its modules, so the opener is registered whichever module is imported.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.contracts.retriever import Retriever

_openers: list[Callable[[], "Retriever"]] = []


def register_opener(opener: Callable[[], "Retriever"]) -> None:
    """Use this function to open the retriever of the process."""
    _openers.append(opener)


def open_retriever() -> "Retriever":
    """Open a retriever over the Assay that the environment names. Raises ConfigurationError."""
    return _openers[-1]()
