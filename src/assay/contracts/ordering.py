"""How the routes of the seeds select and order their hits."""

from dataclasses import dataclass, replace

from assay.model.ranking import ContractMode, Mode, Ranking, by_similarity


@dataclass(frozen=True, slots=True)
class Shaping:
    """Selection and order of the hits of a seed's route.

    mode: search mode that selects the top k.
    sorts: whether to sort the hits by similarity; else they keep the order of the search.
    """

    mode: Mode
    sorts: bool = True

    @classmethod
    def of(cls, contract_mode: ContractMode, search_mode: Mode) -> "Shaping":
        """The shaping of a contract mode. search_mode: of the configured search."""
        mode = Mode.DENSE if contract_mode is ContractMode.DENSE else search_mode
        return cls(mode, sorts=contract_mode is not ContractMode.FUSED)

    def reorder(self, ranking: Ranking) -> Ranking:
        """The ranking in the route's order, with ranks from 1."""
        return replace(ranking, hits=by_similarity(ranking.hits)) if self.sorts else ranking
