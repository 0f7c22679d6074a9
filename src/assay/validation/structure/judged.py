"""What a check of the structure is given, and what it gives back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assay.errors import VectorStoreError
from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome
from assay.model.generations import Generation
from assay.model.ranking import Query, Ranking
from assay.ports import Catalog, Embedder, Progress, VectorIndex
from assay.validation.integrity import Recheck


@dataclass(frozen=True, slots=True)
class StructuralLimits:
    """What a generation has to reach without any labelled query.

    max_failed_pages: largest share of pages that failed, 0 to 1.
    max_unread_files: largest share of the documents that no reader took, 0 to 1.
    max_page_fall: largest share of the live generation's pages that may be gone, or lose what they said, and of its
        text that may be lost, 0 to 1.
    max_page_rise: the most new pages of a source, version and locale, as a multiple of those that are live; None for
        any number.
    max_anchor_fall: largest share of the anchors that may be gone from pages that stay, 0 to 1.
    title_top_k: a title has to find its document in so many hits.
    max_unreachable: largest share of documents that their own title may fail to find, 0 to 1.
    title_sample: the most documents whose titles are tried.
    max_empty_pages: largest share of a source's pages that may say almost nothing, 0 to 1.
    max_alike_pages: largest share of a source's pages that may say the same as others of their version and locale.
    max_leftovers: largest share of a source's chunks that may show leftovers of templates and markup.
    max_repeated: largest share of a source's pages that may have one title, and of its text that may be on many pages.
    max_boilerplate: largest share of a source's text in lines that more than half of its pages have, 0 to 1.
    embedded_again: texts that are embedded again where each costs something; 0 for none.
    """

    max_failed_pages: float
    max_unread_files: float
    max_page_fall: float
    max_page_rise: float | None
    max_anchor_fall: float
    title_top_k: int
    max_unreachable: float
    title_sample: int
    max_empty_pages: float
    max_alike_pages: float
    max_leftovers: float
    max_repeated: float
    max_boilerplate: float
    embedded_again: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What a structural judgment looks at.

    live: the generation that is live now; None before the first promotion.
    index: None where it could not be opened.
    search: asks the production searcher opened on the generation; raises what it raises, or why there is none.
    prefetch_queries: tells the embedder what will be asked next.
    recheck: what vectors of the generation are made anew with, to compare; see integrity.audit.
    embedder: of the generation, to ask by vectors alone; None leaves those checks out.
    threshold, top_k: of a search that names none, as users make it; None for no limit of hits.
    unopened: why the index could not be opened; None where it was.
    """

    generation: Generation
    live: Generation | None
    catalog: Catalog
    index: VectorIndex | None
    search: Callable[[Query], Ranking]
    prefetch_queries: Callable[[Sequence[str]], None]
    recheck: Recheck | None = None
    unopened: VectorStoreError | None = None
    embedder: Embedder | None = None
    threshold: float = 0.0
    top_k: int | None = None


Check = Callable[[Judged, StructuralLimits, Progress], Iterable[Finding]]
"""Holds one side of a generation against its limits. Its name, with blanks, names the finding where it could not run.

Raises AssayError: `structure_findings` makes a finding of it, and runs the other checks."""


def finding(
    check: str,
    passed: bool,
    value: float,
    limit: str,
    detail: str,
    examples: Sequence[str] = (),
    count: int | None = None,
) -> Finding:
    """Make a finding of what was measured; its detail is kept where it failed.

    count: of all that the examples are from, None when they are all.
    """
    outcome = Outcome.PASS if passed else Outcome.FAIL
    shown = tuple(examples)[:MOST_EXAMPLES]
    return Finding(
        check, outcome, value, limit, "" if passed else detail, shown, len(examples) if count is None else count
    )
