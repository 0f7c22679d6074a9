"""Half-typed and misspelt titles: share of queries whose page is first, and among the first five.

Run as `python -m benchmarks.typing_queries [FOLDER=BASE_URL ...]`; the shared corpora by default. With MINISEARCH set
to a folder in which `npm install minisearch` was run, a MiniSearch index with VitePress's settings ranks the same pages
for the same queries.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.app import Assay
from assay.model.ranking import Query
from assay.settings import load_settings
from benchmarks.corpora import CORPORA
from benchmarks.shared import shared_folder
from benchmarks.typed_queries import TypedQuery, ceiling, look_alikes, typed_queries

_PLACES = 5
_DEPTH = 25
"""Hits of which the pages are counted: more than _PLACES, because a page may have several."""

Rankings = list[list[str]]
"""URLs of pages for each query, best first."""


def ranked_by_assay(assay: Assay, queries: Sequence[TypedQuery], *, typing: bool) -> Rankings:
    """Pages of the live generation for each query."""
    rankings = []
    for query in queries:
        hits = assay.search(Query(query.text, _DEPTH, typing=typing)).hits
        rankings.append(list(dict.fromkeys(hit.chunk.document.url for hit in hits))[:_PLACES])
    return rankings


def ranked_by_minisearch(folder: str, sections: Sequence[Mapping[str, object]], queries: Sequence[str]) -> Rankings:
    """Pages in MiniSearch's order for each query. folder: where minisearch is installed."""
    script = Path(__file__).with_name("minisearch.mjs")
    asked = json.dumps({"sections": sections, "queries": queries})
    run = subprocess.run(["node", script, folder], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    rankings: Rankings = json.loads(run.stdout)
    return rankings


def sections_of(assay: Assay, generation: str) -> list[dict[str, object]]:
    """The sections of the primary pages, as VitePress indexes them."""
    return [
        {
            "id": f"{stored.info.url}#{number}",
            "url": stored.info.url,
            "title": section.heading or stored.info.title,
            "titles": [stored.info.title, *section.path[:-1]] if section.heading else [],
            "text": stored.text[section.start : section.end],
        }
        for stored in assay.parts.catalog.documents(generation)
        if stored.info.primary
        for number, section in enumerate(stored.sections or ())
    ]


def found(rankings: Rankings, queries: Sequence[TypedQuery], places: int) -> float:
    """Share of queries whose page is in the first places."""
    return sum(query.url in ranking[:places] for query, ranking in zip(queries, rankings, strict=True)) / len(queries)


def measure(folder: Path, base_url: str, minisearch: str | None) -> None:
    """Build one corpus and print a row for each kind of query."""
    with tempfile.TemporaryDirectory() as work:
        source = {"path": folder, "base_url": base_url, "name": "corpus"}
        settings = load_settings(None, {"data_dir": work, "sources": [source]})
        with Assay.open(settings) as assay:
            generation = assay.builds.ingest().generation
        with Assay.open(settings, generation=generation.id) as assay:
            listed = assay.parts.catalog.listing(generation.id)
            titles = {one.info.url: one.info.title for one in listed if one.info.primary}
            kinds = typed_queries(titles)
            print(f"{folder.name}: {len(titles)} pages, {generation.chunks} chunks")
            peers: dict[str, Rankings] = {}
            if minisearch:
                sections = sections_of(assay, generation.id)
                texts = [query.text for queries in kinds.values() for query in queries]
                rankings = iter(ranked_by_minisearch(minisearch, sections, texts))
                peers = {kind: [next(rankings) for _ in queries] for kind, queries in kinds.items()}
            print(f"  {'':16}{'queries':>8}{'ceiling':>16}{'Assay, typing':>16}{'Assay':>16}{'MiniSearch':>16}")
            for kind, queries in kinds.items():
                if not queries:
                    continue
                ours = [ranked_by_assay(assay, queries, typing=typing) for typing in (True, False)]
                rows = [*ours, *([peers[kind]] if peers else [])]
                shares = [f"{ceiling(queries, 1):.2f} / {ceiling(queries, _PLACES):.2f}"]
                shares += [f"{found(row, queries, 1):.2f} / {found(row, queries, _PLACES):.2f}" for row in rows]
                print(f"  {kind:16}{len(queries):8}" + "".join(f"{share:>16}" for share in shares), flush=True)
            pairs, changed = count_changed_look_alikes(assay, generation.id)
            print(f"  {changed} of {pairs} words that look like a misspelt other word were changed", flush=True)


def count_changed_look_alikes(assay: Assay, generation: str) -> tuple[int, int]:
    """Number of rare words that differ from a frequent one by a letter, and how many of them a search changes.

    Each is searched alone, before the frequent word, and after it.
    """
    vocabulary = assay.parts.catalog.vocabulary(generation)
    assert vocabulary is not None
    pairs = list(look_alikes(vocabulary.words))
    queries = [(rare, f"{rare} {frequent}", f"{frequent} {rare}") for rare, frequent in pairs]
    return len(pairs), sum(any(assay.search(Query(text, 1)).corrections for text in texts) for texts in queries)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure each corpus, at rank 1 / within the first five."""
    minisearch = os.environ.get("MINISEARCH")
    if arguments:
        corpora = [(Path(folder), url) for folder, _, url in (argument.partition("=") for argument in arguments)]
    elif shared := shared_folder():
        corpora = [(shared / "corpora" / name, url) for name, url in CORPORA.items()]
    else:
        return
    for folder, url in corpora:
        measure(folder, url, minisearch)


if __name__ == "__main__":
    main(sys.argv[1:])
