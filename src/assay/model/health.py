"""The health of a running Assay."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Health:
    """Reachability of the parts that a search needs.

    generation: id of the served generation; None if there is none.
    problems: for the log only, since they name addresses and paths.
    """

    vector_store: bool
    catalog: bool
    generation: str | None
    problems: tuple[str, ...]
