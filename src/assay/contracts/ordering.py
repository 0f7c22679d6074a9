"""How the seeds' shapes choose their hits and order them."""

from dataclasses import dataclass, replace

from assay.model.ranking import ContractMode, Mode, Ranking, by_similarity


@dataclass(frozen=True, slots=True)
class Shaping:
    """What chooses the hits of a seed's shape, and what orders them.

    mode: of the search that chooses the top k.
    sorts: whether the chosen hits are ordered by similarity; else they keep the order of the search.
    """

    mode: Mode
    sorts: bool = True

    @classmethod
    def of(cls, contract_mode: ContractMode, search_mode: Mode) -> "Shaping":
        """The choice and order of a contract mode. search_mode: of the configured search."""
        mode = Mode.DENSE if contract_mode is ContractMode.DENSE else search_mode
        return cls(mode, sorts=contract_mode is not ContractMode.FUSED)

    def arranged(self, ranking: Ranking) -> Ranking:
        """The ranking in the order of the shape, its hits ranked anew."""
        return replace(ranking, hits=by_similarity(ranking.hits)) if self.sorts else ranking
