"""Documents with their links and headings → a test set."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from urllib.parse import unquote, urldefrag

from assay.errors import InputError
from assay.model.documents import DocumentInfo, Link, Section
from assay.model.evaluation import Judgment, Passage, Quote, Span, TestSet, Topic, TopicType
from assay.model.ids import canonical_url, content_hash
from assay.validation.deriving.phrases import folded, gist, plain, why_no_query, why_no_question, words_of
from assay.validation.testsets.plain import make_test_set

SECTION_LABEL = 2
"""A link that names a section, and a heading that asks: that section answers."""

PAGE_LABEL = 1
"""A link that names a page: every passage of it helps, and which one answers is not known."""

MOST_PLACES = 3
"""A text that leads to more places than these names none of them."""

MOST_PAGES_SHARE = 0.2
FEWEST_NAVIGATION_PAGES = 4
"""A text with which more than this share of all pages link, and at least so many, is navigation."""

COMMON_SHARE = 0.5
FEWEST_PAGES_TO_COUNT = 10
"""A word on more than this share of the pages does not tell them apart; with fewer pages than these none is counted."""

LARGEST_PAGE = 50_000
"""A page of more characters is about many things, such as a list of all releases, and to be on it is no answer."""

_CONTEXT = 32
_FEWEST_BODY_CHARACTERS = 40
_SLUG_CHARACTERS = 40
_NOT_SLUG = re.compile(r"[^\w]+")


class LinkedDocument(Protocol):
    """A document with what its authors link from it; both Document and StoredDocument are one."""

    @property
    def info(self) -> DocumentInfo:
        """What is known of it besides its text."""

    @property
    def text(self) -> str:
        """Its normalized text."""

    @property
    def sections(self) -> tuple[Section, ...] | None:
        """In order; None where they were not kept."""

    @property
    def links(self) -> tuple[Link, ...] | None:
        """In order; None where they were not kept."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A test set with how it came about.

    test_set: None where no topic was found.
    pages: documents that were looked at: those of the current version in the default locale.
    links, questions: topics by what they were made from.
    left_out: how many links and headings were not used, by reason.
    """

    test_set: TestSet | None
    pages: int
    links: int
    questions: int
    left_out: Mapping[str, int]


class _Place(NamedTuple):
    """Where a text leads. anchor: None for a whole page."""

    url: str
    anchor: str | None


@dataclass(slots=True)
class _Found:
    """One link text or heading, from all pages that have it."""

    text: str
    origin: str
    places: dict[_Place, None] = field(default_factory=dict)
    excluded: list[Passage] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)

    def take(self, other: "_Found") -> None:
        """Lead to where another leads too."""
        self.places.update(other.places)
        self.excluded += other.excluded
        self.pages |= other.pages


class _Candidate(NamedTuple):
    """A link whose text is still to be judged. passage: where it stands."""

    written: str
    target: str
    passage: Passage


class _Survey:
    """What the documents link and ask, gathered page by page; texts are not kept."""

    def __init__(self) -> None:
        self.anchors: dict[str, dict[str, str]] = {}  # heading by anchor, by URL
        self.titles: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.bare: set[_Place] = set()  # where there is a heading and nothing to read
        self.pages_titled: dict[str, set[str]] = {}  # URLs of the pages that have a word in their title
        self.links: list[tuple[str, _Candidate]] = []
        self.headings: list[tuple[str, Section]] = []
        self.pages_with: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def add(self, document: LinkedDocument) -> None:
        url = document.info.url
        sections = document.sections or ()
        self.anchors[url] = {section.anchor: section.heading for section in sections if section.anchor}
        self.titles[url] = document.info.title
        self.sizes[url] = len(document.text)
        for word in words_of(document.info.title):
            self.pages_titled.setdefault(word, set()).add(url)
        self.pages_with.update(set(words_of(document.text)))
        text_hash = content_hash(document.text)
        for link in document.links or ():
            if link.text.strip() and link.start < link.end:
                self.links.append((url, _Candidate(link.text, link.target, _standing(document, link, text_hash))))
        if not any(_has_body(document.text, sections, number) for number in range(len(sections))):
            self.bare.add(_Place(url, None))
        for number, section in enumerate(sections):
            if not _has_body(document.text, sections, number):
                self.bare |= {_Place(url, section.anchor)} if section.anchor else set()
            elif section.heading:
                self.headings.append((url, section))

    def is_common(self, word: str) -> bool:
        """Whether a word is on so many pages that it does not tell them apart."""
        pages = len(self.anchors)
        return pages >= FEWEST_PAGES_TO_COUNT and self.pages_with[word] > COMMON_SHARE * pages

    def place(self, page: str, target: str) -> _Place | str:
        """Where a link leads, or why it is not used."""
        address, fragment = urldefrag(target)
        try:
            url = canonical_url(address)
        except InputError:
            return "leads to another site"
        if url not in self.anchors:
            return "leads to another site"
        if url == page:
            return "leads to its own page"
        anchor = unquote(fragment)
        if not anchor and self.sizes[url] > LARGEST_PAGE:
            return "leads to a page about many things"
        if anchor and anchor not in self.anchors[url]:
            return "leads to an anchor that is not there"
        place = _Place(url, anchor or None)
        return "leads to a heading without text" if place in self.bare else place

    def names_another(self, text: str, place: _Place) -> bool:
        """Whether the words of a text are the title of another page, and not of the place that it leads to."""
        told = set(gist(text, self.is_common))
        if not told or told <= set(words_of(f"{self.titles[place.url]} {self._heading(place)}")):
            return False
        return bool(set.intersection(*(self.pages_titled.get(word, set()) for word in told)) - {place.url})

    def names_page(self, text: str, place: _Place) -> bool:
        """Whether a text is about the page and not the section of it that the link happens to lead to."""
        told = set(gist(text, self.is_common))
        if place.anchor is None or not told:
            return False
        return told <= set(words_of(self.titles[place.url])) and not told <= set(words_of(self._heading(place)))

    def _heading(self, place: _Place) -> str:
        return "" if place.anchor is None else self.anchors[place.url][place.anchor]


def derive(documents: Iterable[LinkedDocument], name: str, most: int | None = None) -> Derivation:
    """A test set of the texts of links, and of headings that ask.

    A link's text is a query that its author wrote for the place it leads to: that section has SECTION_LABEL, or that
    page PAGE_LABEL; the passages that link are excluded from the answer, for they hold the query word for word. A
    heading that asks is answered by its section. Left out are texts that do not say what they are about by themselves,
    those that lead to more than MOST_PLACES places, those of navigation, links within a page and to other sites, and
    documents of other versions and locales than those that are met by default.

    documents: any order; each is looked at once and not kept.
    most: how many topics are wanted; of more, the same ones are taken every time.
    """
    survey = _Survey()
    for document in documents:
        if document.info.primary:
            survey.add(document)
    found: dict[str, _Found] = {}
    _gather_links(survey, found)
    _gather_questions(survey, found)
    found = _merged(survey, found)
    topics = _chosen(list(_topics(survey, found)), most, survey)
    return Derivation(
        test_set=make_test_set(name, topics) if topics else None,
        pages=len(survey.anchors),
        links=sum(topic.derived == "link" for topic in topics),
        questions=sum(topic.derived == "heading" for topic in topics),
        left_out=dict(sorted(survey.left_out.items(), key=lambda item: (-item[1], item[0]))),
    )


def _gather_links(survey: _Survey, found: dict[str, _Found]) -> None:
    for page, link in survey.links:
        place = survey.place(page, link.target)
        if isinstance(place, str):
            survey.left_out[place] += 1
            continue
        reason = why_no_query(link.written, survey.is_common)
        if reason is not None:
            survey.left_out[reason] += 1
            continue
        text = plain(link.written)
        if survey.names_another(text, place):
            survey.left_out["is the title of another page"] += 1
            continue
        one = found.setdefault(folded(text), _Found(text, "link"))
        one.places[place] = None
        if survey.names_page(text, place) and survey.sizes[place.url] <= LARGEST_PAGE:
            one.places[_Place(place.url, None)] = None
        one.excluded.append(link.passage)
        one.pages.add(page)


def _gather_questions(survey: _Survey, found: dict[str, _Found]) -> None:
    for page, section in survey.headings:
        reason = why_no_question(section.heading)
        if reason is not None:
            if reason != "no question":
                survey.left_out[reason] += 1
            continue
        text = plain(section.heading)
        one = found.setdefault(folded(text), _Found(text, "heading"))
        one.places[_Place(page, section.anchor)] = None


def _merged(survey: _Survey, found: Mapping[str, _Found]) -> dict[str, _Found]:
    """The texts without links that say the same about the same page: the text that most links have is kept."""
    kept: dict[str, _Found] = {}
    by_gist: dict[tuple[tuple[str, ...], str], _Found] = {}
    for key, one in sorted(found.items(), key=lambda item: -len(item[1].excluded)):
        told = gist(one.text, survey.is_common)
        if one.origin != "link":
            kept[key] = one
            continue
        same = [by_gist[told, place.url] for place in one.places if told and (told, place.url) in by_gist]
        if same:
            same[0].take(one)
            survey.left_out["says the same as another"] += 1
            continue
        kept[key] = one
        by_gist.update({(told, place.url): one for place in one.places})
    return {key: one for key, one in found.items() if key in kept}


def _topics(survey: _Survey, found: Mapping[str, _Found]) -> Iterator[Topic]:
    pages = len(survey.anchors)
    for key, one in found.items():
        if len(one.places) > MOST_PLACES:
            survey.left_out["leads to many places"] += 1
        elif len(one.pages) >= FEWEST_NAVIGATION_PAGES and len(one.pages) > MOST_PAGES_SHARE * pages:
            survey.left_out["navigation"] += 1
        else:
            yield _topic(key, one)


def _chosen(topics: list[Topic], most: int | None, survey: _Survey) -> list[Topic]:
    """So many of the topics, chosen by chance that does not change when others come and go."""
    if most is None or len(topics) <= most:
        return topics
    survey.left_out["more than were asked for"] += len(topics) - most
    kept = {topic.id for topic in sorted(topics, key=lambda topic: topic.id.rpartition("-")[2])[:most]}
    return [topic for topic in topics if topic.id in kept]


def _topic(key: str, found: _Found) -> Topic:
    judgments = tuple(
        Judgment(Passage(url=place.url, section=place.anchor), PAGE_LABEL if place.anchor is None else SECTION_LABEL)
        for place in found.places
    )
    whole_pages = all(place.anchor is None for place in found.places)
    return Topic(
        id=_id(found.origin, key),
        text=found.text,
        type=TopicType.BROAD if whole_pages else TopicType.SPECIFIC,
        judgments=judgments,
        excluded=tuple(dict.fromkeys(found.excluded)),
        derived=found.origin,
    )


def _id(origin: str, key: str) -> str:
    """An id that stays the same however many other topics there are."""
    slug = _NOT_SLUG.sub("-", key)[:_SLUG_CHARACTERS].strip("-")
    digest = hashlib.sha256(key.encode("utf-8")).hexdigest()[:6]
    return f"{origin}-{slug}-{digest}"


def _standing(document: LinkedDocument, link: Link, text_hash: str) -> Passage:
    """The passage of a link's text."""
    text = document.text
    quote = Quote(
        text[link.start : link.end],
        text[max(0, link.start - _CONTEXT) : link.start],
        text[link.end : link.end + _CONTEXT],
    )
    return Passage(document.info.url, quote, Span(link.start, link.end), text_hash)


def _has_body(text: str, sections: Sequence[Section], number: int) -> bool:
    """Whether more than the heading stands in a section, with what is nested in it."""
    section = sections[number]
    end = next((later.start for later in sections[number + 1 :] if later.level <= section.level), len(text))
    body = text[section.start : end]
    if section.heading:
        body = body.partition("\n")[2]
    return len(body.strip()) >= _FEWEST_BODY_CHARACTERS
