"""A test set of what documents link and ask."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.pages import read

from assay.model.documents import Document
from assay.model.evaluation import Judgment, Passage, Topic, TopicType
from assay.model.ids import content_hash
from assay.validation.deriving import deriving
from assay.validation.deriving.deriving import Derivation, derive

SITE = "https://docs.example.org"
BODY = "Words that stand there so that the section has something to say, and more than a little of it."


def document(path: str, text: str) -> Document:
    url = f"{SITE}/{path}"
    return read(text, "docusaurus", url=url, key=f"{path}.md", source_path=f"{path}.md")


def pages(**texts: str) -> list[Document]:
    """Documents by path; `__` in a name is a slash."""
    return [document(name.replace("__", "/"), text) for name, text in texts.items()]


TARGET = f"# Caching\n\n{BODY}\n\n## Optimistic updates\n\n{BODY}\n\n### Rolling back\n\n{BODY}\n"


def derived(*documents: Document) -> Mapping[str, Topic]:
    """The topics by their text."""
    found = derive(documents, "derived").test_set
    return {topic.text: topic for topic in found.topics} if found else {}


def test_a_link_to_a_section_is_a_query_that_the_section_answers() -> None:
    link = f"# Start\n\nThere are [updates before the server answers](/caching#optimistic-updates) too. {BODY}\n"
    start, target = pages(start=link, caching=TARGET)
    (topic,) = derived(start, target).values()
    assert topic.text == "updates before the server answers"
    assert (topic.derived, topic.type, topic.expects_answer) == ("link", TopicType.SPECIFIC, True)
    assert topic.judgments == (Judgment(Passage(f"{SITE}/caching", section="optimistic-updates"), 2),)


def test_a_link_to_a_page_is_a_query_that_all_of_it_helps_with() -> None:
    (topic,) = derived(*pages(start=f"See [keeping answers around](/caching). {BODY}\n", caching=TARGET)).values()
    assert topic.type is TopicType.BROAD
    assert topic.judgments == (Judgment(Passage(f"{SITE}/caching"), 1),)


def test_the_passage_that_links_is_excluded_with_what_finds_it_again() -> None:
    start, target = pages(start="# Start\n\nRead about [keeping `answers` around](/caching) now.\n", caching=TARGET)
    (topic,) = derived(start, target).values()
    (excluded,) = topic.excluded
    assert excluded.quote is not None
    assert excluded.position is not None
    assert (
        start.text[excluded.position.start : excluded.position.end]
        == excluded.quote.exact
        == "keeping `answers` around"
    )
    assert start.text.startswith(
        excluded.quote.prefix + excluded.quote.exact, excluded.position.start - len(excluded.quote.prefix)
    )
    assert excluded.quote.prefix.endswith("Read about ")
    assert excluded.quote.suffix == " now."
    assert (excluded.url, excluded.text_hash) == (start.info.url, content_hash(start.text))
    assert topic.text == "keeping answers around"


def test_links_of_one_text_to_one_place_are_one_topic_and_all_of_them_excluded() -> None:
    links = {f"p{number}": f"About [Keeping answers](/caching). {BODY}\n" for number in range(2)}
    (topic,) = derived(*pages(**links, other="About [keeping answers!](/caching).\n", caching=TARGET)).values()
    assert len(topic.judgments) == 1
    assert len(topic.excluded) == 3


def test_links_of_one_text_to_several_places_have_all_of_them_as_answers() -> None:
    links = {f"p{number}": f"About [keeping answers](/t{number}). {BODY}\n" for number in range(3)}
    targets = {f"t{number}": f"# Target {number}\n\n{BODY}\n" for number in range(4)}
    (topic,) = derived(*pages(**links, **targets)).values()
    assert [judgment.passage.url for judgment in topic.judgments] == [f"{SITE}/t{number}" for number in range(3)]
    ambiguous = derive(pages(**links, p3="About [keeping answers](/t3).\n", **targets), "derived")
    assert ambiguous.test_set is None
    assert ambiguous.left_out["leads to many places"] == 1


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("[keeping answers](https://elsewhere.example/caching)", "leads to another site"),
        ("[keeping answers](mailto:somebody@example.org)", "leads to another site"),
        ("[keeping answers](/nowhere)", "leads to another site"),
        ("[keeping answers](/caching#gone)", "leads to an anchor that is not there"),
        ("[keeping answers](#start)", "leads to its own page"),
        ("[here](/caching)", "needs the text around it"),
        ("[`createCache`](/caching)", "code only"),
        ("[read this](/caching)", "needs the text around it"),
    ],
)
def test_links_that_are_no_query_are_left_out_and_counted(link: str, reason: str) -> None:
    found = derive(pages(start=f"# Start\n\nAbout {link}.\n\n## Start\n\n{BODY}\n", caching=TARGET), "derived")
    assert found.test_set is None
    assert found.left_out == {reason: 1}


def test_a_text_that_links_from_many_pages_is_navigation() -> None:
    def site(linking: int, others: int) -> Derivation:
        links = {f"p{number}": f"About [keeping answers](/caching). {BODY}\n" for number in range(linking)}
        return derive(pages(**links, **{f"o{number}": BODY for number in range(others)}, caching=TARGET), "derived")

    assert site(4, 15).test_set is not None  # 4 of 20 pages are not more than a fifth
    assert site(4, 14).left_out == {"navigation": 1}
    assert site(3, 0).test_set is not None  # on a small site a few links are no navigation


def test_words_that_are_on_most_pages_do_not_tell_them_apart() -> None:
    filler = {f"p{number}": f"Meridian robots walk. {BODY}\n" for number in range(11)}
    start = f"About [Meridian robots](/caching) and [Meridian hands](/hands). {BODY}\n"
    documents = pages(**filler, start=start, caching=TARGET, hands=f"# Hands\n\n{BODY}\n")
    assert set(derived(*documents)) == {"Meridian hands"}
    assert set(derived(*documents[-3:])) == {"Meridian robots", "Meridian hands"}


def test_links_that_say_the_same_about_one_page_are_one_topic() -> None:
    start = f"""About [optimistic updates](/caching#optimistic-updates), [docs for optimistic updates](/caching) and
[the "Optimistic Updates" guide](/caching#optimistic-updates). {BODY}
"""
    other = f"About [optimistic updates](/caching#optimistic-updates). {BODY}\n"
    found = derived(*pages(start=start, other=other, caching=TARGET))
    assert list(found) == ["optimistic updates"]
    assert len(found["optimistic updates"].excluded) == 4
    assert [judgment.label for judgment in found["optimistic updates"].judgments] == [2, 1]


def test_a_text_that_names_the_page_has_the_page_as_answer_besides_the_section() -> None:
    target = f"# Keeping answers\n\n{BODY}\n\n## Details of storage\n\n{BODY}\n"
    (topic,) = derived(*pages(start="About [keeping answers](/cache#details-of-storage).\n", cache=target)).values()
    assert topic.judgments == (
        Judgment(Passage(f"{SITE}/cache", section="details-of-storage"), 2),
        Judgment(Passage(f"{SITE}/cache"), 1),
    )


def test_a_text_that_is_the_title_of_another_page_is_left_out() -> None:
    start = f"About [quick beginnings](/caching). {BODY}\n"
    found = derive(pages(start=start, caching=TARGET, quick=f"# Quick beginnings\n\n{BODY}\n"), "derived")
    assert found.left_out == {"is the title of another page": 1}


def test_a_page_about_many_things_is_no_answer_but_its_sections_are() -> None:
    long = TARGET + f"\n## More\n\n{BODY} " * (deriving.LARGEST_PAGE // 80)
    start = "About [keeping answers](/caching) and [careful guessing](/caching#optimistic-updates).\n"
    found = derive(pages(start=start, caching=long), "derived")
    assert found.test_set is not None
    assert [topic.text for topic in found.test_set.topics] == ["careful guessing"]
    assert found.left_out["leads to a page about many things"] == 1


def test_a_heading_that_asks_is_a_query_that_its_section_answers() -> None:
    text = f"# Start\n\n{BODY}\n\n## What is a *generation*?\n\n{BODY}\n\n## What's next?\n\n{BODY}\n"
    (topic,) = derived(*pages(start=text)).values()
    assert (topic.text, topic.derived, topic.excluded) == ("What is a generation?", "heading", ())
    assert topic.judgments == (Judgment(Passage(f"{SITE}/start", section="what-is-a-generation"), 2),)


def test_questions_are_told_apart_by_every_word() -> None:
    text = f"# Start\n\n{BODY}\n\n## What is a generation?\n\n{BODY}\n\n## How do generations work?\n\n{BODY}\n"
    text += f"\n## When is a generation used?\n\n{BODY}\n"
    assert len(derived(*pages(start=text))) == 3


def test_a_heading_with_nothing_under_it_asks_in_vain() -> None:
    text = f"# Start\n\n{BODY}\n\n## What is a generation?\n\n## Other things\n\n{BODY}\n"
    assert derived(*pages(start=text)) == {}
    nested = f"# Start\n\n{BODY}\n\n## What is a generation?\n\n### Its states\n\n{BODY}\n"
    assert list(derived(*pages(start=nested))) == ["What is a generation?"]


def test_a_place_without_text_is_no_answer() -> None:
    bare = f"# Frames\n\n## Empty frames\n\n## Full frames\n\n{BODY}\n"
    links = "[keeping answers](/bare) and [careful guessing](/frames#empty-frames) and [pictures in frames](/frames)"
    found = derive(pages(start=f"About {links}.\n", bare="# Newsletter\n", frames=bare), "derived")
    assert found.left_out == {"leads to a heading without text": 2}
    assert found.test_set is not None
    assert [topic.text for topic in found.test_set.topics] == ["pictures in frames"]


def test_only_the_current_version_in_the_default_locale_counts() -> None:
    start, target = pages(start=f"About [keeping answers](/caching). {BODY}\n", caching=TARGET)
    for change in ({"version_is_current": False}, {"locale_is_default": False}):
        old = replace(start, info=replace(start.info, **change))
        assert derive([old, target], "derived").test_set is None
        gone = replace(target, info=replace(target.info, **change))
        assert derive([start, gone], "derived").left_out == {"leads to another site": 1}


def test_an_id_stays_when_other_topics_come_and_go() -> None:
    start, target = pages(start=f"About [keeping answers](/caching). {BODY}\n", caching=TARGET)
    more = document("more", "About [careful guessing](/caching) and [keeping `answers`](/start).\n")
    few, many = derived(start, target), derived(more, start, target)
    assert few["keeping answers"].id in {topic.id for topic in many.values()}
    assert few["keeping answers"].id.startswith("link-keeping-answers-")


def test_of_more_topics_than_asked_for_the_same_ones_are_taken() -> None:
    links = " ".join(f"[keeping answer number{number}](/caching)" for number in range(20))
    documents = pages(start=links, caching=TARGET)
    few, more = (derive(documents, "derived", most=most) for most in (5, 10))
    assert few.test_set is not None
    assert more.test_set is not None
    assert (len(few.test_set.topics), few.left_out["more than were asked for"]) == (5, 15)
    assert all(topic in more.test_set.topics for topic in few.test_set.topics)


def test_the_name_and_what_was_looked_at_are_told() -> None:
    found = derive(
        pages(
            start=f"# Start\n\nAbout [keeping answers](/caching).\n\n## Why is the Sky blue?\n\n{BODY}\n",
            caching=TARGET,
        ),
        "mine",
    )
    assert found.test_set is not None
    assert (found.test_set.name, found.pages, found.links, found.questions) == ("mine", 2, 1, 1)
