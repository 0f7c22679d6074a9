"""Test sets derived from the documents: their topics, and search quality on them.

    python -m benchmarks.derived [NAME…]            the table
    python -m benchmarks.derived --sample 30 NAME   a random sample of topics with a fixed seed, for review

Each corpus is published with the default settings. Topics whose text equals the title or heading of their answer are
measured separately: they are easy, and only show that search finds titles.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import stdev

from assay.app import Assay
from assay.model.evaluation import MeasureValue, ResolvedTopic, TestSet
from assay.model.ranking import Mode
from assay.model.validations import TopicResult
from assay.ports import Silence
from assay.settings import load_settings
from assay.validation.deriving.deriving import LinkedDocument, derive
from assay.validation.deriving.phrases import folded
from assay.validation.running.measuring import Measures, measure_topics, summarize
from assay.validation.running.runner import SearchSetup, run_topics
from assay.validation.statistics import compare
from benchmarks.corpora import CORPORA
from benchmarks.shared import shared_folder

SHOWN = ("nDCG@10", "RR", "Success@5", "Recall@10")
MODES = (Mode.SPARSE, Mode.DENSE, Mode.HYBRID)


def names_of(documents: Sequence[LinkedDocument]) -> Mapping[tuple[str, str | None], set[str]]:
    """The case-folded names of each page and section, by URL and anchor; None is the anchor of a page."""
    names: dict[tuple[str, str | None], set[str]] = {}
    for document in documents:
        url = document.info.url
        names.setdefault((url, None), set()).add(folded(document.info.title))
        for section in document.sections or ():
            if section.anchor:
                names.setdefault((url, section.anchor), set()).add(folded(section.heading))
    return names


def named_topics(test_set: TestSet, documents: Sequence[LinkedDocument]) -> set[str]:
    """Ids of the topics whose text is the name of their answer's page or section."""
    names = names_of(documents)
    return {
        topic.id
        for topic in test_set.topics
        if any(
            folded(topic.text) in names.get((str(one.passage.url), one.passage.section), ()) for one in topic.judgments
        )
    }


def results_by_mode(assay: Assay, topics: Sequence[ResolvedTopic]) -> dict[Mode, list[TopicResult]]:
    """The results of all topics in all modes."""
    measures = Measures.parse(SHOWN)
    found = {}
    with assay.searches.live.lease() as searcher:
        for mode in MODES:
            setup = SearchSetup(searcher.search, None, mode, 0.0)
            report = run_topics(topics, setup, searcher.generation.id, Silence())
            found[mode] = measure_topics(report.run, topics, measures)
    return found


def report(name: str, folder: Path) -> None:
    """Publish a corpus, derive topics, search, and print."""
    with tempfile.TemporaryDirectory() as work:
        source = {"path": folder, "base_url": CORPORA[name], "name": name}
        settings = load_settings(None, {"data_dir": Path(work), "sources": [source], "gate": {"max_unreachable": 1.0}})
        with Assay.open(settings) as assay:
            assay.publish()
            documents = list(assay.labels.linked_documents())
            derivation = derive(documents, name)
            assert derivation.test_set is not None
            generation, topics = assay.labels.resolve(derivation.test_set)
            found = results_by_mode(assay, topics)
            chunks = assay.parts.catalog.generation(generation).chunks
    left_out = ", ".join(f"{reason} {count:,}" for reason, count in derivation.left_out.items())
    print(f"\n## {name}\n")
    print(
        f"{derivation.pages} pages, {chunks:,} chunks: {len(topics)} topics, {derivation.links} from links and "
        f"{derivation.questions} from headings; left out: {left_out}"
    )
    lost = sum(not one.anchoring.scores for topic in topics for one in topic.resolutions)
    empty = sum(not any(topic.labels.values()) for topic in topics)
    print(f"judgments whose passage is lost: {lost}; topics without any judgment left: {empty}")
    named = named_topics(derivation.test_set, documents)
    print(f"spread of differences in {SHOWN[0]}: {spreads(found)}")
    parts = {
        "all": [topic.topic.id for topic in topics],
        "called as their place": [topic.topic.id for topic in topics if topic.topic.id in named],
        "in other words": [topic.topic.id for topic in topics if topic.topic.id not in named],
    }
    by_id = {topic.topic.id: topic for topic in topics}
    for part, ids in parts.items():
        if ids:
            print_table(part, set(ids), found, by_id)


def print_table(
    part: str, ids: set[str], found: Mapping[Mode, Sequence[TopicResult]], topics: Mapping[str, ResolvedTopic]
) -> None:
    """Print measures of some topics by mode, and whether hybrid is better than the better of its parts."""
    print(f"\n  {f'{part}, {len(ids)} topics':<36}" + "".join(f"{measure:>20}" for measure in SHOWN))
    measures = Measures.parse(SHOWN)
    means = {}
    for mode in MODES:
        results = [result for result in found[mode] if result.topic.id in ids]
        values = {value.name: value for value in summarize(results, topics, measures)}
        means[mode] = values[SHOWN[0]].value or 0.0
        print(f"  {mode.value:<36}" + "".join(f"{cell(values[measure]):>20}" for measure in SHOWN))
    better = max(Mode.SPARSE, Mode.DENSE, key=means.__getitem__)
    for one in compare(SHOWN[:1], values_of(found[better], ids), values_of(found[Mode.HYBRID], ids)):
        interval = f" [{one.interval.low:+.3f}, {one.interval.high:+.3f}]" if one.interval else ""
        shows = f"; so many topics show {one.detectable:.3f}" if one.detectable else ""
        print(f"  hybrid - {better} in {one.measure}: {one.difference:+.3f}{interval}, p {one.p:.3f}{shows}")


def spreads(found: Mapping[Mode, Sequence[TopicResult]]) -> str:
    """Standard deviation over topics of the difference between each pair of modes."""
    told = []
    for a, b in combinations(found, 2):
        pairs = zip(values_of(found[a]).values(), values_of(found[b]).values(), strict=True)
        known = [(x.get(SHOWN[0]), y.get(SHOWN[0])) for x, y in pairs]
        told.append(f"{a} and {b} {stdev(x - y for x, y in known if x is not None and y is not None):.3f}")
    return ", ".join(told)


def values_of(
    results: Sequence[TopicResult], ids: Container[str] | None = None
) -> dict[str, Mapping[str, float | None]]:
    """Measures over some topics, or over all."""
    return {result.topic.id: result.values for result in results if ids is None or result.topic.id in ids}


def cell(value: MeasureValue) -> str:
    """Format a mean with its interval."""
    if value.value is None:
        return "-"
    interval = f" [{value.interval.low:.3f}, {value.interval.high:.3f}]" if value.interval else ""
    return f"{value.value:.3f}{interval}"


def sampled(test_set: TestSet, size: int, seed: int) -> Iterator[str]:
    """A sample of topics, for review."""
    for topic in random.Random(seed).sample(test_set.topics, min(size, len(test_set.topics))):
        places = "; ".join(
            f"{one.passage.url}{f'#{one.passage.section}' if one.passage.section else ''} ({one.label})"
            for one in topic.judgments
        )
        yield f"{topic.derived:<8} {topic.text}  →  {places}"


def print_sample(name: str, folder: Path, size: int, seed: int) -> None:
    """Derive topics from the folder without an index, and print a sample."""
    settings = load_settings(None, {"sources": [{"path": folder, "base_url": CORPORA[name], "name": name}]})
    with Assay.open(settings) as assay:
        test_set = derive(assay.builds.read_documents(), name).test_set
    assert test_set is not None
    print(f"\n## {name}: {size} of {len(test_set.topics)} topics\n")
    for line in sampled(test_set, size, seed):
        print(line)


def main(arguments: Sequence[str]) -> None:
    """Report on the named corpora, or on all."""
    parser = argparse.ArgumentParser(description="Measure on test sets derived from documents.")
    parser.add_argument("--sample", type=int, help="print so many topics instead")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CORPORA)}")
    options = parser.parse_args(arguments)
    shared = shared_folder()
    if shared is None:
        return
    for name in options.names or CORPORA:
        if options.sample:
            print_sample(name, shared / "corpora" / name, options.sample, options.seed)
        else:
            report(name, shared / "corpora" / name)


if __name__ == "__main__":
    main(sys.argv[1:])
