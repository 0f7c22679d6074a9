"""Generations of a few pages, and the structural verdict on them."""

from collections.abc import Callable
from dataclasses import replace

from assay.app import gate_of
from assay.model.documents import PageFailed
from assay.model.evaluation import Finding, Verdict
from assay.model.generations import Generation
from assay.model.ids import chunk_id
from assay.model.ranking import Query, Ranking
from assay.ports import Silence
from assay.settings import GateSettings
from assay.testing.catalog_samples import Stored, page
from assay.validation.gate.policy import Gate, verdict
from assay.validation.integrity import Recheck
from assay.validation.structure import CheckContext, StructuralLimits, structure_findings, structure_notes
from tests.worlds import World

LIMITS = StructuralLimits(
    max_failed_pages=0.05,
    max_unread_files=0.2,
    max_page_fall=0.2,
    max_page_rise=3.0,
    max_anchor_fall=0.2,
    title_top_k=5,
    max_unreachable=0.0,
    title_sample=1_000,
    max_empty_pages=1.0,  # the pages of these tests say next to nothing
    max_alike_pages=0.1,
    embedded_again=20,
    max_leftovers=0.02,
    max_repeated=0.3,
    min_recall=0.95,
    max_boilerplate=1.0,  # and they say it in the same words
)
QUALITY = gate_of(GateSettings()).quality
WORDS = ("gripper", "camera", "battery", "wheel", "motor", "sensor", "radio", "screen", "cable", "frame")


def some_pages(count: int) -> list[Stored]:
    return [page(word, f"How the {word} works.", title=f"The {word}") for word in WORDS[:count]]


def verdict_on(
    world: World,
    generation: Generation,
    limits: StructuralLimits = LIMITS,
    live: Generation | None = None,
    search: Callable[[Query], Ranking] | None = None,
    threshold: float = 0.0,
    top_k: int | None = None,
    failed: tuple[PageFailed, ...] = (),
) -> Verdict:
    searcher = world.searcher(generation.id)
    asked = search or searcher.search, world.embedder.prefetch_queries
    recheck = Recheck(world.embedder, world.encoder)
    opened = generation, live, world.catalog, searcher.index
    judged = CheckContext(*opened, *asked, recheck, None, world.embedder, threshold, top_k, failed)
    findings = structure_findings(judged, limits, Silence())
    return verdict(
        generation.id, generation.content_fingerprint, Gate(limits, QUALITY), findings, structure_notes(judged)
    )


def finding_of(verdict: Verdict, check: str) -> Finding:
    return next(finding for finding in verdict.findings if finding.check == check)


def moved(stored: Stored, url: str) -> Stored:
    document, chunks = stored
    info = replace(document.info, url=url)
    return replace(document, info=info), [
        replace(chunk, document=info, id=chunk_id(url, chunk.content_hash, 0)) for chunk in chunks
    ]
