"""What becomes of judgments when pages are cut anew, edited, moved and taken away."""

from dataclasses import replace

import pytest
from tests.judged import PUMPS, PUMPS_URL, VALVES, VALVES_URL, Site, quote, url_of
from tests.pages import read

from assay.adapters.catalog.memory import MemoryCatalog
from assay.errors import CatalogUnavailable
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.evaluation import Anchoring, Judgment, Passage, Quote, Span, TestSet, Topic
from assay.model.ids import content_hash
from assay.testing.catalog_samples import SITE, generation
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.resolving import resolve

EXACT, RE_ANCHORED, AMBIGUOUS, ORPHANED = Anchoring
HUMS = "A valve that hums has a loose seat."
PAGES = {"valves": VALVES, "pumps": PUMPS}


@pytest.fixture
def site() -> Site:
    site = Site()
    site.publish("g1", PAGES)
    return site


def anchored(site: Site, words: str, name: str = "g1", url: str = VALVES_URL, nth: int = 0) -> Passage:
    """A passage with everything that can be said of it."""
    text = site.documents[name][url].text
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    span = Span(start, start + len(words))
    return Passage(url=url, quote=quote_at(SearchedText(text), span), position=span, text_hash=content_hash(text))


# --- quotes --------------------------------------------------------------------------------------------------------


def test_a_quote_that_stands_once_is_exact_and_falls_on_its_chunk(site: Site) -> None:
    topic = site.resolve("g1", quote(HUMS))
    [found] = topic.resolutions
    assert (found.anchoring, found.url, found.reason) == (EXACT, VALVES_URL, "")
    assert site.words("g1", topic) == HUMS
    [text] = site.on("g1", found.chunk_ids)
    assert HUMS in text
    assert topic.labels == {found.chunk_ids[0]: 2}


@pytest.mark.parametrize("size", [150, 300, 1_000, 4_000])
@pytest.mark.parametrize("overlap", [0, 40])
def test_a_label_survives_every_chunking(site: Site, size: int, overlap: int) -> None:
    site.publish("g2", PAGES, size=size, overlap=overlap)
    sentence = "Seals are replaced in pairs, never one by one, and never by hand. Seals are replaced in pairs, never"
    passages = [quote(HUMS), anchored(site, sentence, nth=3), quote("a spring", VALVES_URL), quote("Grease the stem")]
    topic = site.resolve("g2", *passages)
    assert [found.anchoring for found in topic.resolutions] == [EXACT, EXACT, ORPHANED, EXACT]
    assert [site.words("g2", topic, number) for number in (0, 1, 3)] == [HUMS, sentence, "Grease the stem"]
    assert all(topic.resolutions[number].chunk_ids for number in (0, 1, 3))


def test_a_quote_that_stands_several_times_is_ambiguous_and_no_chunk_is_chosen(site: Site) -> None:
    topic = site.resolve("g1", quote("Close the line first.", PUMPS_URL))
    [found] = topic.resolutions
    assert (found.anchoring, found.span, found.chunk_ids) == (AMBIGUOUS, None, ())
    assert "occur 2 times" in found.reason
    assert "`prefix`" in found.reason
    assert topic.labels == {}


def test_position_and_hash_tell_equal_words_apart_in_the_same_text(site: Site) -> None:
    text = site.documents["g1"][PUMPS_URL].text
    start = text.rindex("Close")
    said = Passage(url=PUMPS_URL, quote=Quote("Close the line"), position=Span(start, start + 14))
    assert site.resolve("g1", said).resolutions[0].anchoring is AMBIGUOUS
    [found] = site.resolve("g1", replace(said, text_hash=content_hash(text))).resolutions
    assert (found.anchoring, found.span) == (EXACT, said.position)


def test_a_position_at_which_other_words_stand_does_not_count(site: Site) -> None:
    text = site.documents["g1"][PUMPS_URL].text
    said = Passage(PUMPS_URL, Quote("Check the filter"), Span(0, 16), content_hash(text))
    topic = site.resolve("g1", said)
    assert (topic.resolutions[0].anchoring, site.words("g1", topic)) == (EXACT, "Check the filter")


def test_words_are_found_as_they_are_copied_from_the_browser(site: Site) -> None:
    words = 'A pump moves "water" from the tank - up\nto 40 litres a minute...'
    topic = site.resolve("g1", quote(words, PUMPS_URL), quote("hums tighten the seat", VALVES_URL))
    assert [found.anchoring for found in topic.resolutions] == [EXACT, EXACT]
    assert site.words("g1", topic).startswith("A pump moves “water” from the tank — up")
    assert site.words("g1", topic, 1) == "hums | tighten the `seat"


def test_edited_words_are_orphaned_with_the_nearest_place(site: Site) -> None:
    [found] = site.resolve("g1", quote("A valve that often hums has a loose seat and a crack.")).resolutions
    assert (found.anchoring, found.chunk_ids) == (ORPHANED, ())
    assert "“hums has a loose seat." in found.reason


def test_a_quote_in_a_section_is_looked_for_there(site: Site) -> None:
    topic = site.resolve("g1", quote("valve", section="faults"), quote("valve", section="care"), quote("valve"))
    assert [found.anchoring for found in topic.resolutions] == [EXACT, ORPHANED, AMBIGUOUS]
    assert "not in its section #care" in topic.resolutions[1].reason
    span = topic.resolutions[0].span
    assert span is not None
    assert span.start == site.documents["g1"][VALVES_URL].text.index("valve that hums")


def test_a_quote_with_a_wrong_context_is_not_taken_on_trust(site: Site) -> None:
    topic = site.resolve(
        "g1",
        quote(HUMS, prefix="Something that is not there. "),
        quote(HUMS, prefix="Something that is not there. ", suffix=" Close the line first."),
    )
    assert [found.anchoring for found in topic.resolutions] == [ORPHANED, RE_ANCHORED]
    assert "one side" in topic.resolutions[1].reason


def test_a_page_that_is_not_there_is_named(site: Site) -> None:
    [found] = site.resolve("g1", quote("zzz", f"{SITE}/none")).resolutions
    assert (found.anchoring, found.reason) == (ORPHANED, f"There is no page {SITE}/none.")


def test_words_in_no_chunk_do_not_score() -> None:
    site = Site()
    site.publish("g1", {"bare": "# Only a heading\n"})
    [found] = site.resolve("g1", quote("Only a heading", f"{SITE}/bare")).resolutions
    assert (found.anchoring, found.span, found.chunk_ids) == (ORPHANED, Span(2, 16), ())
    assert "none of its chunks" in found.reason


def test_what_is_repeated_around_the_parts_of_a_table_is_not_judged() -> None:
    rows = "".join(f"| fault number {number} | {'remedy ' * 12} |\n" for number in range(20))
    site = Site()
    site.publish("g1", {"table": f"# Faults\n\n| fault name | remedy name |\n| --- | --- |\n{rows}"})
    topic = site.resolve("g1", quote("fault name", f"{SITE}/table"))
    [found] = topic.resolutions
    assert len(found.chunk_ids) == 1
    assert sum("fault name" in chunk.text for chunk in site.chunks["g1"]) > 1


# --- edited pages --------------------------------------------------------------------------------------------------


def test_an_edit_elsewhere_re_anchors(site: Site) -> None:
    passage = anchored(site, HUMS)
    site.publish("g2", {"valves": VALVES.replace("Grease the stem", "Oil the stem and the seat")})
    topic = site.resolve("g2", passage)
    [found] = topic.resolutions
    assert (found.anchoring, site.words("g2", topic)) == (RE_ANCHORED, HUMS)
    assert "has changed" in found.reason


def test_an_edit_of_the_words_orphans(site: Site) -> None:
    passage = anchored(site, HUMS)
    site.publish("g2", {"valves": VALVES.replace("a loose seat", "a worn seat")})
    assert site.resolve("g2", passage).resolutions[0].anchoring is ORPHANED


def test_equal_words_elsewhere_are_not_taken_for_those_that_are_gone(site: Site) -> None:
    passage = anchored(site, "Close the line first.", url=PUMPS_URL, nth=1)
    site.publish("g2", {"pumps": PUMPS.replace("\n\nClose the line first.\n", "\n")})
    [found] = site.resolve("g2", passage).resolutions
    assert (found.anchoring, found.chunk_ids) == (ORPHANED, ())
    site.catalog.transition("g1", site.catalog.generation("g1").state.FAILED)
    site.catalog.forget("g1")
    [found] = site.resolve("g2", passage).resolutions
    assert found.anchoring is ORPHANED


def test_without_context_the_text_that_was_judged_tells_whether_words_stood_there_once(site: Site) -> None:
    """The first of two equal sentences is gone, and nothing but the old text says that there were two."""
    text = site.documents["g1"][PUMPS_URL].text
    several = Passage(PUMPS_URL, Quote("Close the line first."), None, content_hash(text))
    once = Passage(PUMPS_URL, Quote("Check the filter"), None, content_hash(text))
    site.publish("g2", {"pumps": PUMPS.replace("- Close the line first.\n", "")})
    topic = site.resolve("g2", several, once)
    assert [found.anchoring for found in topic.resolutions] == [AMBIGUOUS, RE_ANCHORED]


def test_a_paragraph_that_moved_is_found_as_long_as_the_text_that_was_judged_is_known(site: Site) -> None:
    words = "A valve that hums has a loose seat. Close the line first."
    passage = anchored(site, words)
    moved = VALVES.replace(f"{words}\n\n", "").replace("# Valves\n\n", f"# Valves\n\n{words}\n\n")
    site.publish("g2", {"valves": moved})
    topic = site.resolve("g2", passage)
    assert (topic.resolutions[0].anchoring, site.words("g2", topic)) == (RE_ANCHORED, words)
    assert "context is gone" in topic.resolutions[0].reason
    site.catalog.transition("g1", site.catalog.generation("g1").state.FAILED)
    site.catalog.forget("g1")
    [found] = site.resolve("g2", passage).resolutions
    assert found.anchoring is ORPHANED
    assert "update the quote" in found.reason


def test_a_paragraph_that_was_duplicated_is_told_by_what_stands_around_it(site: Site) -> None:
    passage = anchored(site, HUMS)
    site.publish("g2", {"valves": VALVES + f"\n## Again\n\n{HUMS}\n"})
    topic = site.resolve("g2", passage, quote(HUMS))
    assert [found.anchoring for found in topic.resolutions] == [RE_ANCHORED, AMBIGUOUS]
    assert topic.resolutions[0].span is not None
    assert topic.resolutions[0].span.start == site.documents["g2"][VALVES_URL].text.index(HUMS)


# --- moved pages ---------------------------------------------------------------------------------------------------


def test_a_page_that_moved_as_it_is_takes_its_judgments_along(site: Site) -> None:
    passages = [anchored(site, HUMS), Passage(url=VALVES_URL, text_hash=anchored(site, HUMS).text_hash)]
    site.publish("g2", {"parts/valves": VALVES, "pumps": PUMPS})
    topic = site.resolve("g2", *passages)
    assert [found.anchoring for found in topic.resolutions] == [RE_ANCHORED, RE_ANCHORED]
    assert {found.url for found in topic.resolutions} == {f"{SITE}/parts/valves"}
    assert "is gone; its text is at" in topic.resolutions[0].reason
    assert site.words("g2", topic) == HUMS


def test_a_page_that_stands_under_two_other_addresses_is_ambiguous(site: Site) -> None:
    passage = anchored(site, HUMS)
    site.publish("g2", {"one": VALVES, "two": VALVES})
    [found] = site.resolve("g2", passage).resolutions
    assert (found.anchoring, found.chunk_ids) == (AMBIGUOUS, ())
    assert f"{SITE}/one, {SITE}/two" in found.reason


def test_a_quote_whose_page_moved_and_changed_is_found_with_both_sides(site: Site) -> None:
    passage = anchored(site, "the pressure in the line")
    changed = VALVES.replace("hums", "sings")
    site.publish("g2", {"parts/valves": changed, "pumps": PUMPS})
    topic = site.resolve("g2", passage)
    assert (topic.resolutions[0].anchoring, site.words("g2", topic)) == (RE_ANCHORED, "the pressure in the line")


def test_a_quote_that_stands_twice_on_another_page_did_not_move_there(site: Site) -> None:
    passage = anchored(site, "the pressure in the line")
    start = VALVES[: VALVES.index("The seat")].rstrip()
    for name, content in (("once", start), ("twice", f"{start}\n\n{start}\n")):
        site.publish(name, {"more": content})
        found = site.resolve(name, passage).resolutions[0]
        assert found.anchoring is (RE_ANCHORED if name == "once" else AMBIGUOUS)


def test_words_of_a_page_that_is_gone_are_only_a_hint_where_they_stand_elsewhere(site: Site) -> None:
    site.publish("g2", {"pumps": PUMPS, "more": f"# More\n\nIndeed: {HUMS}\n"})
    for passage in (quote(HUMS), anchored(site, HUMS)):
        [found] = site.resolve("g2", passage).resolutions
        assert (found.anchoring, found.chunk_ids) == (ORPHANED, ())
        assert f"The same words are at {SITE}/more" in found.reason


# --- judgments by chunk, text, section and page --------------------------------------------------------------------


def test_a_judgment_by_chunk_id_survives_another_chunking(site: Site) -> None:
    chunk = site.chunks["g1"][2]
    named = Passage(chunk_id=chunk.id)
    assert site.resolve("g1", named).labels == {chunk.id: 2}
    site.publish("g2", PAGES, size=150)
    topic = site.resolve("g2", named)
    [found] = topic.resolutions
    assert (found.anchoring, site.words("g2", topic)) == (EXACT, chunk.text)
    assert len(found.chunk_ids) > 1
    assert all(text in chunk.text for text in site.on("g2", found.chunk_ids))


def test_a_judgment_by_content_hash_survives_another_chunking(site: Site) -> None:
    chunk = site.chunks["g1"][2]
    named = Passage(content_hash=chunk.content_hash)
    assert site.resolve("g1", named).labels == {chunk.id: 2}
    site.publish("g2", PAGES, size=150)
    assert site.words("g2", site.resolve("g2", named)) == chunk.text


@pytest.mark.parametrize("named", [Passage(chunk_id="none"), Passage(content_hash="0" * 64)])
def test_a_chunk_that_was_never_there_is_orphaned_with_what_to_do(site: Site, named: Passage) -> None:
    [found] = site.resolve("g1", named).resolutions
    assert found.anchoring is ORPHANED
    assert "--generation" in found.reason


def test_a_chunk_that_still_is_one_is_found_whatever_changed_around_it(site: Site) -> None:
    chunk = next(chunk for chunk in site.chunks["g1"] if HUMS in chunk.text)
    named = Passage(chunk_id=chunk.id)
    site.resolve("g1", named)
    site.publish("g2", {"valves": f"# Valves\n\nAll is new.\n\n{chunk.text}\n\n## End\n\nAll is new here too.\n"})
    site.catalog.transition("g1", site.catalog.generation("g1").state.FAILED)
    site.catalog.forget("g1")
    [found] = site.resolve("g2", named).resolutions
    assert (found.anchoring, found.chunk_ids) == (RE_ANCHORED, (chunk.id,))


def test_an_id_that_names_another_text_now_is_not_believed(site: Site) -> None:
    first, second = site.chunks["g1"][0], site.chunks["g1"][1]
    named = Passage(chunk_id=first.id)
    site.resolve("g1", named)
    document = site.documents["g1"][VALVES_URL]
    site.catalog.add_generation(replace(site.catalog.generation("g1"), id="g2"))
    of_page = [chunk for chunk in site.chunks["g1"] if chunk.document.url == first.document.url]
    swapped = {first.id: second.id, second.id: first.id}
    chunks = [replace(chunk, id=swapped.get(chunk.id, chunk.id)) for chunk in of_page]
    page = site.documents["g1"][first.document.url]
    site.catalog.add_documents("g2", [(page, chunks)])
    assert document is not None
    [found] = site.resolve("g2", named).resolutions
    assert found.chunk_ids == (second.id,)


def test_an_id_whose_text_is_gone_is_not_believed(site: Site) -> None:
    chunk = site.chunks["g1"][2]
    named = Passage(chunk_id=chunk.id)
    site.resolve("g1", named)
    site.publish("g2", {"valves": "# Valves\n\nAll is new.\n"})
    [new] = [replace(each, id=chunk.id) for each in site.chunks["g2"]]
    site.catalog.add_generation(replace(site.catalog.generation("g1"), id="g3"))
    site.catalog.add_documents("g3", [(site.documents["g2"][VALVES_URL], [replace(new, document=new.document)])])
    [found] = site.resolve("g3", replace(named)).resolutions
    assert (found.anchoring, found.chunk_ids) == (ORPHANED, ())


def test_a_section_is_judged_with_what_is_nested_in_it(site: Site) -> None:
    topic = site.resolve("g1", Passage(url=VALVES_URL, section="care"), Passage(url=VALVES_URL, section="seals"))
    care, seals = site.words("g1", topic, 0), site.words("g1", topic, 1)
    assert care.startswith("## Care\n")
    assert care.endswith(seals)
    assert seals.startswith("### Seals\n")
    assert set(topic.resolutions[1].chunk_ids) < set(topic.resolutions[0].chunk_ids)
    again = site.resolve("g1", Passage(url=VALVES_URL, section="care"), Passage(url=VALVES_URL, section="seals"))
    assert again.resolutions == topic.resolutions


def test_a_section_that_is_not_there_is_named_with_those_near(site: Site) -> None:
    [found] = site.resolve("g1", Passage(url=VALVES_URL, section="cares")).resolutions
    assert (found.anchoring, found.reason) == (ORPHANED, "The page has no section #cares. Similar are #care.")


def test_a_section_keeps_its_judgment_when_its_heading_is_renamed(site: Site) -> None:
    named = Passage(url=VALVES_URL, section="faults")
    before = site.words("g1", site.resolve("g1", named))
    site.publish("g2", {"valves": VALVES.replace("## Care", "## Upkeep").replace("## Faults", "## Faults")})
    topic = site.resolve("g2", named)
    assert (topic.resolutions[0].anchoring, site.words("g2", topic)) == (RE_ANCHORED, before)


def test_a_section_that_was_edited_is_the_same_section(site: Site) -> None:
    named = Passage(url=VALVES_URL, section="faults")
    site.resolve("g1", named)
    site.publish("g2", {"valves": VALVES.replace("| leaks | replace the seal |", "| leaks | call us |")})
    topic = site.resolve("g2", named)
    assert topic.resolutions[0].anchoring is RE_ANCHORED
    assert "call us" in site.words("g2", topic)


def test_another_section_that_took_the_anchor_is_not_taken_for_it(site: Site) -> None:
    """Where headings are equal the page numbers their anchors, and a new one in front takes the first."""
    pages = "# P\n\n## Example\n\nThe old example is long enough.\n"
    site.publish("g2", {"p": pages})
    named = Passage(url=f"{SITE}/p", section="example")
    site.resolve("g2", named)
    added = pages.replace("# P\n\n", "# P\n\n## Example\n\nA new example came first.\n\n")
    site.publish("g3", {"p": added})
    topic = site.resolve("g3", named)
    assert "old example" in site.words("g3", topic)
    site.publish("g4", {"p": added.replace("long enough", "edited")})
    assert site.resolve("g4", named).resolutions[0].anchoring is ORPHANED


def test_an_edited_section_is_not_known_by_an_anchor_that_another_may_have_had(site: Site) -> None:
    """Two examples that are nearly alike: without the first, the second has its anchor."""
    lines = "".join(f"\nLine {number} of the example.\n" for number in range(6))
    first, second = f"## Example\n{lines}\nThe first.\n\n", f"## Example\n{lines}\nThe second.\n\n"
    site.publish("g2", {"p": f"# P\n\n{first}{second}"})
    named = Passage(url=f"{SITE}/p", section="example")
    site.resolve("g2", named)
    site.publish("g3", {"p": f"# P\n\n{first.replace('The first.', 'It was edited.')}{second}"})
    assert site.resolve("g3", named).resolutions[0].anchoring is ORPHANED


def test_a_section_that_became_something_else_is_orphaned(site: Site) -> None:
    named = Passage(url=VALVES_URL, section="faults")
    site.resolve("g1", named)
    site.publish("g2", {"valves": "# Valves\n\n## Faults\n\nNothing of what was here is left.\n"})
    assert site.resolve("g2", named).resolutions[0].anchoring is ORPHANED


def test_a_page_alone_is_judged_as_a_whole_and_stays_so_when_it_is_edited(site: Site) -> None:
    named = Passage(url=PUMPS_URL)
    topic = site.resolve("g1", named)
    of_page = [chunk.id for chunk in site.chunks["g1"] if chunk.document.url == PUMPS_URL]
    assert (topic.resolutions[0].anchoring, topic.resolutions[0].chunk_ids) == (EXACT, tuple(of_page))
    site.publish("g2", {"pumps": PUMPS + "\nNew.\n"})
    [found] = site.resolve("g2", named).resolutions
    assert (found.anchoring, found.reason) == (RE_ANCHORED, "The page has changed; all of it is judged.")


def test_a_page_that_moved_keeps_a_judgment_of_all_of_it(site: Site) -> None:
    named = Passage(url=PUMPS_URL)
    site.resolve("g1", named)
    site.publish("g2", {"machines/pumps": PUMPS})
    [found] = site.resolve("g2", named).resolutions
    assert (found.anchoring, found.url) == (RE_ANCHORED, f"{SITE}/machines/pumps")


def test_a_position_without_words_is_kept_with_them(site: Site) -> None:
    whole = anchored(site, HUMS)
    named = replace(whole, quote=None)
    assert site.words("g1", site.resolve("g1", named)) == HUMS
    site.publish("g2", {"valves": VALVES.replace("Grease", "Oil")}, size=150)
    topic = site.resolve("g2", named)
    assert (topic.resolutions[0].anchoring, site.words("g2", topic)) == (RE_ANCHORED, HUMS)
    [found] = site.resolve("g1", replace(named, text_hash="0" * 64)).resolutions
    assert (found.anchoring, "no longer known" in found.reason) == (ORPHANED, True)
    for span in (Span(10**6, 10**6 + 1), Span(0, 10**6)):
        [found] = site.resolve("g1", replace(named, position=span)).resolutions
        assert (found.anchoring, "no words at" in found.reason) == (ORPHANED, True)


def test_the_first_resolution_stays(site: Site) -> None:
    named = Passage(url=VALVES_URL, section="faults")
    before = site.words("g1", site.resolve("g1", named))
    swapped = VALVES.replace("## Faults", "## Trouble").replace("## Care", "## Faults")
    site.publish("g2", {"valves": swapped})
    topic = site.resolve("g2", named)
    assert topic.resolutions[0].anchoring is ORPHANED
    site.publish("g3", {"valves": f"# Valves\n\n## Faults\n\nAnother.\n\n# Old\n\n{before}\n"})
    topic = site.resolve("g3", named)
    assert (topic.resolutions[0].anchoring, site.words("g3", topic)) == (RE_ANCHORED, before)


def test_a_generation_without_outlines_says_how_to_get_them(site: Site) -> None:
    corpus = CatalogCorpus(site.catalog, "g1")
    bare = [replace(page, sections=None) for page in corpus.pages([VALVES_URL])]
    corpus.pages = lambda _: iter(bare)  # type: ignore[method-assign]
    topic = Topic("t", "?", judgments=(Judgment(Passage(url=VALVES_URL, section="care"), 2),))
    [found] = resolve(TestSet("s", (topic,), ""), corpus)[0].resolutions
    assert (found.anchoring, "assay publish" in found.reason) == (ORPHANED, True)


def test_a_catalog_that_cannot_be_written_is_no_hindrance(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    corpus = CatalogCorpus(site.catalog, "g1")

    def refuse(anchors: object) -> None:
        raise CatalogUnavailable("The disk is full.")

    corpus.keep_anchors = refuse  # type: ignore[method-assign]
    topic = Topic("t", "?", judgments=(Judgment(Passage(url=VALVES_URL, section="care"), 2),))
    [found] = resolve(TestSet("s", (topic,), ""), corpus)[0].resolutions
    assert found.anchoring is EXACT
    assert "The disk is full." in caplog.text


def test_what_is_known_is_not_kept_again(site: Site) -> None:
    passages = (
        Passage(url=VALVES_URL, section="care"),
        Passage(url=PUMPS_URL),
        Passage(chunk_id=site.chunks["g1"][0].id),
    )
    topic = Topic("t", "?", judgments=tuple(Judgment(each, 2) for each in passages))
    corpus = CatalogCorpus(site.catalog, "g1")
    kept: list[int] = []
    keep = corpus.keep_anchors

    def counted(anchors: dict[str, Passage]) -> None:
        kept.append(len(anchors))
        keep(anchors)

    corpus.keep_anchors = counted  # type: ignore[method-assign,assignment]
    for _ in range(2):
        resolve(TestSet("s", (topic,), ""), corpus)
    assert kept == [3]


def test_a_passage_that_points_at_nothing_is_orphaned(site: Site) -> None:
    assert site.resolve("g1", Passage(section="care")).resolutions[0].anchoring is ORPHANED


# --- labels --------------------------------------------------------------------------------------------------------


def test_the_highest_label_counts_and_zeros_are_labels(site: Site) -> None:
    whole = quote(HUMS)
    part = quote("a loose seat")
    other = quote("Grease the stem")
    judgments = (Judgment(part, 1), Judgment(whole, 2), Judgment(part, 0), Judgment(other, 0))
    [topic] = resolve(TestSet("s", (Topic("t", "?", judgments=judgments),), ""), CatalogCorpus(site.catalog, "g1"))
    by_text = {site.on("g1", [one])[0]: label for one, label in topic.labels.items()}
    assert {HUMS in text: label for text, label in by_text.items()} == {True: 2, False: 0}
    assert len(topic.resolutions) == 4


def test_chunks_that_say_the_same_are_judged_together() -> None:
    site = Site()
    site.publish("g1", {"b": PUMPS, "a": PUMPS, "c": VALVES})
    ids = {chunk.document.url[-1]: chunk.id for chunk in site.chunks["g1"] if "Check the filter" in chunk.text}
    topic = site.resolve("g1", quote("Check the filter", f"{SITE}/b"))
    assert topic.labels == {ids["b"]: 2}
    assert topic.same_text == {ids["a"]: ids["b"]}
    assert topic.labels_of_all == {ids["a"]: 2, ids["b"]: 2}
    assert [topic.judged_id(one) for one in (ids["a"], ids["b"], "x")] == [ids["b"], ids["b"], "x"]
    for order in ("ba", "ab"):
        both = site.resolve("g1", *(quote("Check the filter", f"{SITE}/{path}") for path in order))
        assert (both.labels, both.same_text) == ({ids["a"]: 2}, {ids["b"]: ids["a"]})
        assert [found.chunk_ids for found in both.resolutions] == [(ids[path],) for path in order]


def test_what_is_excluded_is_excluded_with_all_that_says_the_same_and_has_no_label() -> None:
    site = Site()
    site.publish("g1", {"b": PUMPS, "a": PUMPS, "c": VALVES})
    filters = {chunk.id for chunk in site.chunks["g1"] if "Check the filter" in chunk.text}
    topic = site.resolve(
        "g1",
        quote("Check the filter", f"{SITE}/b"),
        quote(HUMS, f"{SITE}/c"),
        excluded=[quote("40 litres", f"{SITE}/a"), quote("nowhere", f"{SITE}/a")],
    )
    assert topic.excluded == filters
    assert [HUMS in text for text in site.on("g1", list(topic.labels))] == [True]
    assert [found.anchoring for found in topic.exclusions] == [EXACT, ORPHANED]
    assert [found.anchoring for found in topic.resolutions] == [EXACT, EXACT]


def test_topics_come_back_in_order_and_each_page_is_read_once(site: Site) -> None:
    corpus = CatalogCorpus(site.catalog, "g1")
    read: list[str] = []
    pages = corpus.pages

    def counted(urls: list[str]) -> object:
        for page in pages(urls):
            read.append(page.url)
            yield page

    corpus.pages = counted  # type: ignore[method-assign,assignment]
    topics = tuple(
        Topic(str(number), "?", judgments=(Judgment(quote((HUMS, "Grease")[number % 2]), 2),)) for number in range(50)
    )
    found = resolve(TestSet("s", topics, ""), corpus)
    assert [one.topic for one in found] == list(topics)
    assert read == [VALVES_URL]
    assert resolve(TestSet("s", (), ""), corpus) == ()


@pytest.mark.parametrize("current", ["zebra", "apple", "mango"])
def test_a_text_by_its_hash_is_that_of_the_current_version(current: str) -> None:
    """Whatever the addresses are called: the alphabet says nothing of versions."""
    catalog = MemoryCatalog()
    rules = ChunkingRules(300, None, 0, "none")
    documents = [
        read(
            "# Valves\n\nA valve opens when it has to.\n",
            url=url_of(path),
            key=path,
            version_is_current=path == current,
        )
        for path in ("apple", "mango", "zebra")
    ]
    catalog.add_generation(generation("g1"))
    catalog.add_documents(
        "g1", [(one, chunk_document(one, rules, lambda texts: [0] * len(texts))) for one in documents]
    )
    [chunk, *_] = catalog.chunks("g1")
    topic = Topic("t", "?", judgments=(Judgment(Passage(content_hash=chunk.content_hash), 2),))
    [found] = resolve(TestSet("s", (topic,), ""), CatalogCorpus(catalog, "g1"))[0].resolutions
    assert found.url == url_of(current)
