"""Generations by name: an id, `live`, `candidate`, or no name at all."""

from collections.abc import Sequence

from assay.errors import GenerationError, GenerationNotFound, NoLiveGeneration
from assay.model.generations import Generation, State
from assay.ports import Catalog

LIVE = "live"
"""Names the generation that answers."""

CANDIDATE = "candidate"
"""Names the newest generation that waits to be promoted."""


def resolve_generation(
    catalog: Catalog, name: str | None, *, default: Sequence[str] = (LIVE, CANDIDATE), sealed: bool = False
) -> Generation:
    """Find the generation with this name.

    name: an id, LIVE, CANDIDATE, or None for the first of `default` that exists.
    sealed: refuse a generation whose index is not complete.

    Raises GenerationNotFound for a name without a generation, NoLiveGeneration if none of several defaults exists,
    GenerationError for one that is not sealed, CatalogError.
    """
    found = _first(catalog, default) if name is None else _named(catalog, name)
    if sealed and not found.state.is_sealed:
        raise GenerationError(
            f"Generation {found.id} is {found.state}, and has no whole index.",
            hint="`assay generations` lists every generation with its state.",
        )
    return found


def _first(catalog: Catalog, names: Sequence[str]) -> Generation:
    if len(names) == 1:
        return _named(catalog, names[0])
    for name in names:
        try:
            return _named(catalog, name)
        except GenerationNotFound:
            continue
    raise NoLiveGeneration("There is no candidate, and nothing is live.", hint="`assay ingest` builds one.")


def _named(catalog: Catalog, name: str) -> Generation:
    if name == LIVE:
        live_id = catalog.live_id()
        if live_id is None:
            raise GenerationNotFound("Nothing is live.", hint="`assay promote` makes the candidate live.")
        return catalog.generation(live_id)
    if name == CANDIDATE:
        for generation in catalog.generations():
            if generation.state is State.CANDIDATE:
                return generation
        raise GenerationNotFound("There is no candidate.", hint="`assay ingest` builds one.")
    return catalog.generation(name)
