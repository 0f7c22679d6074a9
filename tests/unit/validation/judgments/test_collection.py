"""Judgments on a collection of which only the chunks are known."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from tests.judged import PUMPS, PUMPS_URL, VALVES, VALVES_URL, Site, quote

from assay.model.documents import Chunk
from assay.model.evaluation import Anchoring, Judgment, Passage, ResolvedTopic, TestSet, Topic
from assay.model.ids import content_hash
from assay.testing.catalog_samples import SITE
from assay.validation.judgments.collection import CollectionCorpus, overlap, page_of
from assay.validation.judgments.resolving import resolve

EXACT, RE_ANCHORED, AMBIGUOUS, ORPHANED = Anchoring
STEPS = "".join(
    f"## Step {number}\n\nTurn screw {number} by {number * 7} degrees, then look at gauge {number * 3}.\n\n"
    for number in range(40)
).strip()
HUMS = "A valve that hums has a loose seat."


class Collection:
    """The index of somebody else: chunks, and nothing besides. reads: how often each chunk was read."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.held = {chunk.id: chunk for chunk in chunks}
        self.reads = 0

    def ids(self) -> Iterator[str]:
        return iter(sorted(self.held))

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        self.reads += len(chunk_ids)
        return {one: self.held[one] for one in chunk_ids if one in self.held}


def windows(text: str, url: str, size: int, shared: int, *, numbered: bool = True) -> list[Chunk]:
    """Windows over a text, as splitters make them that know no structure."""
    site = Site()
    site.publish("g", {"x": "# X\n\nx\n"})
    [one] = site.chunks["g"]
    document = replace(one.document, url=url)
    return [
        replace(
            one,
            id=content_hash(f"{url} {start}")[:36],
            document=document,
            text=text[start : start + size],
            start=0,
            end=min(size, len(text) - start),
            position=number if numbered else 0,
            anchor=None,
            section="",
            heading_path=(),
        )
        for number, start in enumerate(range(0, len(text) - shared, size - shared))
    ]


def ask(collection: Collection, *passages: Passage) -> ResolvedTopic:
    topic = Topic("t", "?", judgments=tuple(Judgment(each, 2) for each in passages))
    return resolve(TestSet("s", (topic,), ""), CollectionCorpus(collection))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("numbered", [True, False])
def test_a_page_is_put_together_from_chunks_that_overlap(numbered: bool) -> None:
    chunks = windows(STEPS, VALVES_URL, 200, 40, numbered=numbered)
    page = page_of(VALVES_URL, chunks)
    assert page.text == STEPS
    assert [page.text[place.start : place.end] for place in page.chunks] == [chunk.text for chunk in chunks]


def test_chunks_that_do_not_overlap_follow_each_other() -> None:
    site = Site()
    site.publish("g1", {"valves": STEPS})
    page = page_of(VALVES_URL, site.chunks["g1"])
    assert page.text == "\n\n".join(chunk.text for chunk in site.chunks["g1"])


@pytest.mark.parametrize(
    ("before", "after", "shared"),
    [
        ("a" * 100, "a" * 100, 100),
        ("x one two three four five", "one two three four five six", 23),
        ("short", "short", 0),
        ("one two three four", "another text of its own", 0),
        ("say it say it say it say it ", "say it say it say it say it again", 28),
        ("", "one two three four five", 0),
    ],
)
def test_the_longest_overlap_counts(before: str, after: str, shared: int) -> None:
    assert overlap(before, after) == shared


def test_a_quote_is_found_also_where_it_crosses_chunks_or_stands_in_their_overlap() -> None:
    collection = Collection([*windows(STEPS, VALVES_URL, 200, 40), *windows(PUMPS, PUMPS_URL, 200, 40)])
    across = STEPS[130:230]
    shared = STEPS[165:195]
    topic = ask(collection, quote(across), quote(shared), quote("Close the line first.", PUMPS_URL))
    assert [found.anchoring for found in topic.resolutions] == [EXACT, EXACT, AMBIGUOUS]
    texts = [[collection.held[one].text for one in found.chunk_ids] for found in topic.resolutions]
    assert all(shared in text for text in texts[1])
    assert [len(of_one) for of_one in texts] == [2, 2, 0]


def test_chunks_are_judged_by_their_id_and_by_their_text() -> None:
    chunks = windows(VALVES, VALVES_URL, 200, 40)
    twin = replace(chunks[3], id="twin", document=replace(chunks[3].document, url=f"{SITE}/copy"))
    collection = Collection([*chunks, twin])
    topic = ask(collection, Passage(chunk_id=chunks[2].id), Passage(content_hash=content_hash(chunks[3].text)))
    assert [found.anchoring for found in topic.resolutions] == [EXACT, EXACT]
    assert topic.resolutions[0].chunk_ids == (chunks[2].id,)
    assert set(topic.labels) | set(topic.same_text) == {chunks[2].id, chunks[3].id, "twin"}
    assert len(topic.labels) == 2
    assert ask(collection, Passage(chunk_id="none")).resolutions[0].anchoring is ORPHANED


def test_sections_are_those_that_chunks_begin_in() -> None:
    site = Site()
    site.publish("g1", {"valves": VALVES})
    collection = Collection(site.chunks["g1"])
    topic = ask(collection, Passage(url=VALVES_URL, section="seals"), Passage(url=VALVES_URL, section="none"))
    assert [found.anchoring for found in topic.resolutions] == [EXACT, ORPHANED]
    texts = [collection.held[one].text for one in topic.resolutions[0].chunk_ids]
    assert all("Seals are replaced" in text for text in texts)
    assert len(texts) == sum(chunk.anchor == "seals" for chunk in site.chunks["g1"])


def test_a_whole_page_is_all_of_its_chunks() -> None:
    chunks = windows(VALVES, VALVES_URL, 200, 40)
    topic = ask(Collection(chunks), Passage(url=VALVES_URL))
    assert topic.resolutions[0].chunk_ids == tuple(chunk.id for chunk in chunks)


def test_words_of_a_page_that_is_not_there_are_a_hint() -> None:
    collection = Collection(windows(VALVES, VALVES_URL, 400, 40))
    [found] = ask(collection, quote(HUMS, f"{SITE}/gone")).resolutions
    assert (found.anchoring, VALVES_URL in found.reason) == (ORPHANED, True)


def test_the_collection_is_read_once_for_any_number_of_judgments() -> None:
    collection = Collection(windows(VALVES, VALVES_URL, 200, 40))
    ask(collection, *(quote(VALVES[start : start + 60]) for start in range(0, 900, 30)))
    assert collection.reads == len(collection.held)
