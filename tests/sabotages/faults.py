"""The planted faults of the audit as sabotages: a gate that promises integrity has to find every one of them."""

from collections.abc import Callable, Iterable

from tests.sabotages.in_catalog import IN_THE_CATALOG, Plant
from tests.sabotages.in_index import IN_THE_FILES, IN_THE_INDEX
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import Workspace

_IN_SHARES = {"the_vectors_of_another_model", "a_vector_of_half_the_length", "keywords_of_another_chunk", "no_keywords"}
"""What `vectors.py` does too, there to any share of the index."""


def _damage(plant: Plant) -> Callable[[Workspace, float], Iterable[str]]:
    """Plant it; the kinds that the audit has to find are the checks that have to fail."""
    return lambda workspace, _: plant(workspace.stores)


SABOTAGES = tuple(
    Sabotage(plant.__name__.replace("_", " "), _damage(plant), Scenario.STORED, ("IdentityMismatch",), (0.0,))
    for plant in (*IN_THE_CATALOG, *IN_THE_INDEX, *IN_THE_FILES)
    if plant.__name__ not in _IN_SHARES
)
