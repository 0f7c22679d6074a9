"""How the routes of the seeds select and order their hits."""

from dataclasses import dataclass, replace

from assay.model.ranking import ContractMode, Mode, Query, Ranking, by_similarity


@dataclass(frozen=True, slots=True)
class Shaping:
    """Selection and order of the hits of a seed's route.

    mode: search mode that selects the top k.
    sorts: whether to sort the hits by similarity; else they keep the order of the search.
    reranks: whether a reranker takes part in the selection.
    """

    mode: Mode
    sorts: bool = True
    reranks: bool = True

    @classmethod
    def of(cls, contract_mode: ContractMode, search_mode: Mode) -> "Shaping":
        """The shaping of a contract mode. search_mode: of the configured search."""
        mode = Mode.DENSE if contract_mode is ContractMode.DENSE else search_mode
        by_similarity = contract_mode is ContractMode.DENSE
        return cls(mode, sorts=contract_mode is not ContractMode.FUSED, reranks=not by_similarity)

    def query(self, query: Query) -> Query:
        """The query as the route searches it."""
        return query if self.reranks else replace(query, rerank=False)

    def reorder(self, ranking: Ranking) -> Ranking:
        """The ranking in the route's order, with ranks from 1."""
        return replace(ranking, hits=by_similarity(ranking.hits)) if self.sorts else ranking
