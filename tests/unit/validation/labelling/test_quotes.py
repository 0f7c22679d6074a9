"""A label is kept by words that lead back to the chunk it was given to, and stay true when pages are cut anew."""

from pathlib import Path

import pytest
from tests.judged import PUMPS, VALVES, VALVES_URL, Site

from assay.contracts.passages.highlights import highlights
from assay.model.documents import Chunk
from assay.model.evaluation import Anchoring, Passage, Topic
from assay.model.labelling import ToLabel
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.resolving import Resolver
from assay.validation.labelling.quotes import MOST, add_quotes

HANDBOOK = Path(__file__).resolve().parents[4] / "examples" / "handbook"


def items_of(chunks: list[Chunk], query: str) -> list[ToLabel]:
    return [ToLabel(Topic("t", query), chunk, "") for chunk in chunks]


def kept(site: Site, name: str, query: str = "seals") -> list[ToLabel]:
    items, problems = add_quotes(CatalogCorpus(site.catalog, name), items_of(site.chunks[name], query), highlights)
    assert problems == []
    return items


def handbook() -> dict[str, str]:
    texts = {page.stem: page.read_text(encoding="utf-8") for page in sorted(HANDBOOK.rglob("*.md"))}
    return {name: text.split("---\n", 2)[-1] for name, text in texts.items()}


@pytest.mark.parametrize("overlap", [0, 80])
@pytest.mark.parametrize("size", [300, 2_000])
def test_every_chunk_is_found_again_by_its_passage_and_no_other_is(size: int, overlap: int) -> None:
    site = Site()
    pages = handbook()
    assert len(pages) > 10
    site.publish("a", {"valves": VALVES, "pumps": PUMPS, **pages}, size=size, overlap=overlap)
    corpus = CatalogCorpus(site.catalog, "a")
    items = kept(site, "a", "How are topics and services used by the robot?")
    found = Resolver(corpus).find([item.passage for item in items])
    several = 0
    for item in items:
        one = found[item.passage]
        assert one.resolution.anchoring is Anchoring.EXACT
        assert item.chunk.id in one.resolution.chunk_ids
        several += len(one.resolution.chunk_ids) > 1
        assert item.passage.quote
        assert 0 < len(item.passage.quote.exact) <= MOST
        assert item.passage.quote.exact in item.chunk.text
    assert several <= len(items) * 0.02  # a chunk that lies within its neighbours has no words of its own


def test_a_label_stays_on_its_words_when_the_page_is_cut_anew() -> None:
    site = Site()
    site.publish("a", {"valves": VALVES}, size=2_000)
    (item,) = [one for one in kept(site, "a", "when are seals replaced") if "Seals are replaced" in one.chunk.text]
    site.publish("b", {"valves": VALVES}, size=300)
    resolution = Resolver(CatalogCorpus(site.catalog, "b")).find([item.passage])[item.passage].resolution
    chunks = [chunk for chunk in site.chunks["b"] if chunk.id in resolution.chunk_ids]
    assert len(chunks) == 1
    assert "Seals are replaced" in chunks[0].text


def test_a_label_stays_when_another_part_of_the_page_changes() -> None:
    site = Site()
    site.publish("a", {"valves": VALVES})
    item = next(one for one in kept(site, "a", "a valve that hums") if "hums has" in one.chunk.text)
    site.publish("b", {"valves": VALVES.replace("once a month", "twice a year") + "\n\nMore.\n"})
    resolution = Resolver(CatalogCorpus(site.catalog, "b")).find([item.passage])[item.passage].resolution
    assert resolution.anchoring is Anchoring.RE_ANCHORED
    assert any("hums has" in chunk.text for chunk in site.chunks["b"] if chunk.id in resolution.chunk_ids)


def test_the_quote_is_the_part_that_speaks_of_the_query() -> None:
    filler = "The weather is fine and nothing else is known about it today. " * 3
    page = f"# Page\n\n{filler}\n\nGrease the stem of the valve once a month. Do it slowly.\n\n{filler}\n"
    site = Site()
    site.publish("a", {"p": page}, size=2_000)
    (item,) = kept(site, "a", "how often is the stem greased?")
    assert item.passage.quote
    assert item.passage.quote.exact == "Grease the stem of the valve once a month. Do it slowly."


def test_without_a_word_of_the_query_the_quote_is_prose_and_not_code() -> None:
    page = "# Page\n\n```bash\nsystemctl restart everything --now --quietly --without-asking\n```\n\n"
    page += "Nothing here has a word in common with it.\n"
    site = Site()
    site.publish("a", {"p": page}, size=2_000)
    (item,) = kept(site, "a", "zebra")
    assert item.passage.quote
    assert item.passage.quote.exact == "Nothing here has a word in common with it."


@pytest.mark.parametrize(
    "page",
    [
        "# T\n\n" + "## A heading and nothing else beneath it\n\n" * 12,
        "# T\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n",
        "# T\n\n" + "x" * 500 + "\n",
        "# T\n\n" + "漢字かな交じり文です。" * 60 + "\n",
        "# T\n\n" + "Twice the same sentence stands here. " * 8 + "\n",
        '# T\n\n```python\nprint("a: b # c")\n```\n',
        "# T\n\nA “quoted” word — and\u00a0a\ttab, 👩‍🚒 and e\u0301.\n",
    ],
)
def test_odd_chunks_have_a_passage_too(page: str) -> None:
    site = Site()
    site.publish("a", {"p": page}, size=600)
    items = kept(site, "a", "漢字 sentence")
    assert items
    found = Resolver(CatalogCorpus(site.catalog, "a")).find([item.passage for item in items])
    assert all(item.chunk.id in found[item.passage].resolution.chunk_ids for item in items)


def test_equal_words_on_a_page_are_told_apart() -> None:
    site = Site()
    filler = "There is something else to be said between the two of them. "
    page = f"# P\n\nClose the line first.\n\n{filler * 3}\n\nClose the line first.\n\n{filler}\n"
    site.publish("a", {"p": page}, size=120)
    items = [one for one in kept(site, "a", "close the line") if "Close the line first." in one.chunk.text]
    assert len(items) == 2
    found = Resolver(CatalogCorpus(site.catalog, "a")).find([one.passage for one in items])
    assert [found[one.passage].resolution.chunk_ids for one in items] == [(one.chunk.id,) for one in items]


def test_a_chunk_whose_page_is_not_known_is_kept_by_its_text() -> None:
    class WithoutPages(CatalogCorpus):
        def pages(self, urls: object) -> object:  # type: ignore[override]
            return iter(())

    site = Site()
    site.publish("a", {"valves": VALVES})
    item = items_of(site.chunks["a"], "?")[0]
    _, problems = add_quotes(WithoutPages(site.catalog, "a"), [item], highlights)
    # It would be found by its text, but there is no page to find it on: said, and not written.
    assert problems
    assert item.chunk.id in problems[0]


def test_a_hit_that_is_not_of_this_generation_is_said_to_be_unfindable() -> None:
    site = Site()
    site.publish("a", {"valves": VALVES})
    site.publish("b", {"pumps": PUMPS})
    items, problems = add_quotes(CatalogCorpus(site.catalog, "b"), items_of(site.chunks["a"], "?"), highlights)
    assert items == []
    assert len(problems) == len(site.chunks["a"])
    assert VALVES_URL in problems[0]


def test_nothing_is_read_for_no_hits() -> None:
    site = Site()
    site.publish("a", {"valves": VALVES})
    assert add_quotes(CatalogCorpus(site.catalog, "a"), [], highlights) == ([], [])
    assert Passage() == ToLabel(Topic("t", "?"), site.chunks["a"][0], "").passage
