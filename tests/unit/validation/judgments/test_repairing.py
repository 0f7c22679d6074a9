"""Only what is proven is offered to be written, and what is written is found again."""

from dataclasses import replace

import pytest
from tests.judged import PUMPS, PUMPS_URL, VALVES, VALVES_URL, Site, quote

from assay.model.evaluation import Anchoring, Judgment, Passage, Quote, Span, TestSet, Topic
from assay.model.ids import content_hash
from assay.testing.catalog_samples import SITE
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.repairing import RepairPlan, by_topic, plan_repairs

HUMS = "A valve that hums has a loose seat."
PAGES = {"valves": VALVES, "pumps": PUMPS}
MOVED = {"parts/valves": VALVES, "pumps": PUMPS}


@pytest.fixture
def site() -> Site:
    site = Site()
    site.publish("g1", PAGES)
    return site


def plan(site: Site, name: str, *passages: Passage, everything: bool = False) -> RepairPlan:
    topics = (Topic("t", "?", judgments=tuple(Judgment(each, 2) for each in passages)),)
    return plan_repairs(TestSet("s", topics, ""), CatalogCorpus(site.catalog, name), everything=everything)


def repaired(site: Site, name: str, passage: Passage, *, everything: bool = False) -> Passage:
    """The one passage as it should be written; it has to be found where the old one was."""
    before = site.words(name, site.resolve(name, passage))
    [one] = plan(site, name, passage, everything=everything).repairs
    assert one.repaired is not None, one.resolution.reason
    assert one.repaired.label == 2
    topic = site.resolve(name, one.repaired.passage)
    assert (topic.resolutions[0].anchoring, site.words(name, topic)) == (Anchoring.EXACT, before)
    assert plan(site, name, one.repaired.passage, everything=everything).repairs == ()
    return one.repaired.passage


def anchored(site: Site, words: str, url: str = VALVES_URL) -> Passage:
    text = site.documents["g1"][url].text
    span = Span(text.index(words), text.index(words) + len(words))
    return Passage(url, quote_at(SearchedText(text), span), span, content_hash(text))


def test_what_is_exact_stays_as_it_is(site: Site) -> None:
    found = plan(site, "g1", quote(HUMS), Passage(url=VALVES_URL, section="care"), Passage(url=VALVES_URL))
    assert found.repairs == ()
    assert found.outcomes == {**dict.fromkeys(Anchoring, 0), Anchoring.EXACT: 3}


def test_everything_gives_exact_quotes_what_makes_them_last(site: Site) -> None:
    after = repaired(site, "g1", quote(HUMS), everything=True)
    assert after == anchored(site, HUMS)


def test_words_in_a_changed_page_get_its_hash_and_their_new_position(site: Site) -> None:
    before = anchored(site, HUMS)
    site.publish("g2", {"valves": VALVES.replace("Grease the stem", "Oil the stem and the seat")})
    after = repaired(site, "g2", before)
    assert after.position != before.position
    assert after.text_hash == content_hash(site.documents["g2"][VALVES_URL].text)
    assert after.quote == before.quote


def test_words_of_a_page_that_moved_get_its_address(site: Site) -> None:
    before = anchored(site, HUMS)
    site.publish("g2", MOVED)
    assert repaired(site, "g2", before) == replace(before, url=f"{SITE}/parts/valves")


def test_chunks_get_the_words_that_they_were(site: Site) -> None:
    chunk = site.chunks["g1"][2]
    for named in (Passage(chunk_id=chunk.id), Passage(content_hash=chunk.content_hash)):
        after = repaired(site, "g1", named)
        assert after.quote is not None
        assert (after.quote.exact, after.url) == (chunk.text, chunk.document.url)
        assert (after.chunk_id, after.content_hash) == (named.chunk_id, named.content_hash)


def test_a_position_gets_its_words(site: Site) -> None:
    whole = anchored(site, HUMS)
    assert repaired(site, "g1", replace(whole, quote=None)) == whole


def test_a_section_and_a_page_that_moved_get_the_address(site: Site) -> None:
    section, page = Passage(url=VALVES_URL, section="faults"), Passage(url=VALVES_URL)
    site.resolve("g1", section, page)
    site.publish("g2", MOVED)
    found = plan(site, "g2", section, page)
    assert [one.repaired and one.repaired.passage for one in found.repairs] == [
        Passage(url=f"{SITE}/parts/valves", section="faults"),
        Passage(url=f"{SITE}/parts/valves"),
    ]


def test_a_section_whose_anchor_changed_gets_the_new_one(site: Site) -> None:
    pages = "# P\n\n## Example\n\nThe old example is long enough.\n"
    site.publish("g2", {"p": pages})
    named = Passage(url=f"{SITE}/p", section="example")
    site.resolve("g2", named)
    site.publish("g3", {"p": pages.replace("# P\n\n", "# P\n\n## Example\n\nA new example came first.\n\n")})
    [one] = plan(site, "g3", named).repairs
    assert one.repaired is not None
    assert one.repaired.passage == Passage(url=f"{SITE}/p", section="example-1")


def test_what_is_lost_is_listed_and_nothing_is_offered(site: Site) -> None:
    found = plan(site, "g1", quote("nowhere"), quote("Close the line first.", PUMPS_URL), quote(HUMS))
    assert found.proven == ()
    assert [one.number for one in found.lost] == [0, 1]
    assert found.outcomes == {
        Anchoring.EXACT: 1,
        Anchoring.RE_ANCHORED: 0,
        Anchoring.AMBIGUOUS: 1,
        Anchoring.ORPHANED: 1,
    }


def test_the_words_of_a_person_are_never_rewritten(site: Site) -> None:
    copied = quote('A pump moves "water" from the tank - up\nto 40 litres a minute...', PUMPS_URL)
    after = repaired(site, "g1", copied, everything=True)
    assert after.quote is not None
    assert after.quote.exact == copied.quote.exact  # type: ignore[union-attr]


def test_words_that_stand_twice_get_sides_that_tell_them_apart() -> None:
    same = "the same words stand here and here again " * 12
    site = Site()
    site.publish("g1", {"p": f"# P\n\nA {same}MARK one.\n\nB {same}MARK two.\n"})
    given = Passage(f"{SITE}/p", Quote("MARK", same[-60:], " two."))
    after = repaired(site, "g1", given, everything=True)
    assert after.quote is not None
    assert after.quote.prefix.startswith("B the same")
    site.publish("g2", {"p": f"# P\n\nA {same}MARK one.\n\nIt is gone.\n"})
    assert not site.resolve("g2", after).resolutions[0].anchoring.scores


def test_changes_are_grouped_by_topic(site: Site) -> None:
    topics = tuple(
        Topic(name, "?", judgments=(Judgment(quote(HUMS), 1), Judgment(quote("nowhere"), 0))) for name in "ab"
    )
    found = plan_repairs(TestSet("s", topics, ""), CatalogCorpus(site.catalog, "g1"), everything=True)
    grouped = by_topic(found.repairs)
    assert {topic: list(places) for topic, places in grouped.items()} == {"a": [0], "b": [0]}
    assert grouped["a"][0].label == 1
