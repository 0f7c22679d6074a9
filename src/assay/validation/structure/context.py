"""The limits, input and result of a structural check."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.errors import VectorStoreError
from assay.model.documents import DocumentInfo, PageFailed
from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome
from assay.model.generations import Generation
from assay.model.ranking import Query, Ranking
from assay.ports import Catalog, Embedder, Progress, VectorIndex
from assay.validation.integrity import Recheck
from assay.validation.structure.collecting import SharedContent
from assay.validation.structure.pairing import pair_pages


@dataclass(frozen=True, slots=True)
class StructuralLimits:
    """Limits on the structure of a generation. Shares are 0 to 1.

    max_failed_pages: largest share of failed pages.
    max_unread_files: largest share of documents in formats without a reader.
    max_page_fall: largest share of the live generation's pages that may be gone or lose their content, and of its text
        that may be lost.
    max_page_rise: largest number of new pages of a source, version and locale, as a multiple of the live ones; None
        for any number.
    max_anchor_fall: largest share of anchors that may disappear from remaining pages.
    title_top_k: a title must find its document among this number of hits.
    max_unreachable: largest share of documents not found by their own title.
    title_sample: largest number of documents to search by title.
    max_empty_pages: largest share of a source's pages with almost no text.
    max_alike_pages: largest share of a source's pages with nearly the same text as two others of their version and
        locale.
    max_leftovers: largest share of a source's chunks with leftovers of templates and markup.
    max_repeated: largest share of a source's pages with one title, and of its text on many pages.
    max_boilerplate: largest share of a source's text in lines that more than half of its pages have.
    min_recall: smallest share of the exact nearest chunks that dense search finds.
    embedded_again: number of texts to embed again with a paid embedder; 0 for none.
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
    min_recall: float
    embedded_again: int


MOST_SAMPLED = 1_000
"""Maximum number of points that a check draws."""


@dataclass(frozen=True)
class CheckContext:
    """The input of a structural check.

    live: the live generation; None before the first promotion.
    index: None if it could not be opened.
    search: the production searcher opened on the generation; raises its errors, or the reason why there is none.
    prefetch_queries: embeds the next queries in batches.
    recheck: the encoders to recompute vectors with; see integrity.audit.
    embedder: of the generation, to search by vectors only; None skips those checks.
    threshold, top_k: the defaults of users' searches; None for no limit of hits.
    unopened: why the index could not be opened; None if it was.
    failed: the pages that could not be read; empty if they are not known any more.
    threads: number of searches at a time.
    process_from: chunks from which another process checks the content; None for none.
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
    failed: tuple[PageFailed, ...] = ()
    threads: int = 1
    process_from: int | None = None

    @cached_property
    def content(self) -> SharedContent:
        """Collects from pages and chunks for the checks of content."""
        return SharedContent(self.catalog, self.generation)

    @cached_property
    def remaining_pages(self) -> dict[str, str]:
        """By URL, each live page that the candidate still has, with its URL there; see pair_pages.

        Read once for all checks. Raises CatalogError.
        """
        if self.live is None:
            return {}
        live, now = ((at.info for at in self.catalog.listing(one.id)) for one in (self.live, self.generation))
        return pair_pages(live, now)

    @cached_property
    def sampled_ids(self) -> list[str]:
        """A uniform sample of the index's ids, of at most MOST_SAMPLED: the same for equal content.

        Read once for all checks, a page of ids at a time (algorithm R: Vitter, TOMS 1985). Raises VectorStoreError.
        """
        dice = random.Random(f"{self.generation.content_fingerprint} sample")  # noqa: S311 - to be repeated
        sample: list[str] = []
        for number, identity in enumerate(self.index.ids() if self.index else ()):
            if number < MOST_SAMPLED:
                sample.append(identity)
            elif (place := int(dice.random() * (number + 1))) < MOST_SAMPLED:
                sample[place] = identity
        return sample


Check = Callable[[CheckContext, StructuralLimits, Progress], Iterable[Finding]]
"""Checks one aspect of a generation. Its name, with spaces, names the finding if it could not run.

Raises AssayError, which `structure_findings` turns into a finding."""


Edition = tuple[str, str | None, str | None]
"""Source, version and locale: the pages that a page is compared with."""


def edition_of(info: DocumentInfo) -> Edition:
    """The edition that a page belongs to."""
    return info.source, info.version, info.locale


def finding(
    check: str,
    passed: bool,
    value: float,
    limit: str,
    detail: str,
    examples: Sequence[str] = (),
    count: int | None = None,
) -> Finding:
    """Build a finding; a passed one drops its detail and keeps its examples.

    count: number of cases that the examples are from; None if the examples are all.
    """
    outcome, shown = Outcome.PASS if passed else Outcome.FAIL, tuple(examples)[:MOST_EXAMPLES]
    return Finding(
        check, outcome, value, limit, "" if passed else detail, shown, len(examples) if count is None else count
    )
