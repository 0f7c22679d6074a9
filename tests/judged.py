"""Generations of small pages, for tests of what becomes of judgments."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.adapters.catalog.memory import MemoryCatalog
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.documents import Chunk, Document
from assay.model.evaluation import Judgment, Passage, Quote, ResolvedTopic, TestSet, Topic
from assay.ports import Catalog
from assay.testing.catalog_samples import SITE, generation
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.resolving import resolve
from tests.pages import read

VALVES = f"""# Valves

A valve opens when the pressure in the line is higher than the spring allows.

## Care

Grease the stem once a month. {"The seat is checked with a lamp. " * 12}

### Seals

{"Seals are replaced in pairs, never one by one, and never by hand. " * 10}

## Faults

A valve that hums has a loose seat. Close the line first.

| fault | remedy |
| --- | --- |
| hums | tighten the `seat` |
| leaks | replace the seal |
"""

PUMPS = """# Pumps

A pump moves “water” from the tank — up to 40 litres a minute…

- Check the filter
- Close the line first.

Close the line first.
"""

VALVES_URL = f"{SITE}/valves"
PUMPS_URL = f"{SITE}/pumps"


def url_of(path: str) -> str:
    return f"{SITE}/{path}"


@dataclass
class Site:
    """A site that changes: each state of it is a generation."""

    catalog: Catalog = field(default_factory=MemoryCatalog)
    chunks: dict[str, list[Chunk]] = field(default_factory=dict)
    documents: dict[str, dict[str, Document]] = field(default_factory=dict)

    def publish(self, name: str, pages: Mapping[str, str], *, size: int = 300, overlap: int = 0) -> None:
        """Make a generation of pages by path, in chunks of at most so many characters."""
        rules = ChunkingRules(size, None, overlap, "none")
        documents = [read(content, url=url_of(path), key=path) for path, content in pages.items()]
        self.catalog.add_generation(generation(name))
        self.catalog.add_documents(
            name, [(each, chunk_document(each, rules, lambda texts: [0] * len(texts))) for each in documents]
        )
        self.chunks[name] = list(self.catalog.chunks(name))
        self.documents[name] = {each.info.url: each for each in documents}

    def resolve(self, name: str, *passages: Passage, excluded: Sequence[Passage] = ()) -> ResolvedTopic:
        """One topic with these passages, each of label 2, in a generation."""
        topic = Topic("t", "?", judgments=tuple(Judgment(each, 2) for each in passages), excluded=tuple(excluded))
        return resolve(TestSet("s", (topic,), ""), CatalogCorpus(self.catalog, name))[0]

    def words(self, name: str, topic: ResolvedTopic, number: int = 0) -> str:
        """The words that a judgment was found at."""
        found = topic.resolutions[number]
        assert found.url is not None, found.reason
        assert found.span is not None, found.reason
        return self.documents[name][found.url].text[found.span.start : found.span.end]

    def on(self, name: str, chunk_ids: Sequence[str]) -> list[str]:
        """The texts of chunks."""
        by_id = {chunk.id: chunk for chunk in self.chunks[name]}
        return [by_id[one].text for one in chunk_ids]


def quote(words: str, url: str = VALVES_URL, prefix: str = "", suffix: str = "", **fields: str) -> Passage:
    """A passage by its words."""
    return Passage(url=url, quote=Quote(words, prefix, suffix), **fields)


def shuffled(text: str, seed: int) -> str:
    """The words in another order."""
    words = text.split()
    random.Random(seed).shuffle(words)
    return " ".join(words)
