"""Derive a test set from documents with their links and headings."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote, urldefrag

from assay.errors import InputError
from assay.model.documents import Document, Link, Section
from assay.model.evaluation import Judgment, Passage, Quote, Span, TestSet, Topic, TopicType
from assay.model.ids import canonical_url, content_hash
from assay.ports import StoredDocument
from assay.validation.deriving.phrases import folded, gist, plain, why_no_query, why_no_question, words_of
from assay.validation.testsets.plain import make_test_set

SECTION_LABEL = 2
"""Label of a section that a link points to, or that a question heading begins."""

PAGE_LABEL = 1
"""Label of a page that a link points to: any of its passages may answer."""

MOST_PLACES = 3
"""A link text with more targets is left out."""

MOST_PAGES_SHARE = 0.2
FEWEST_NAVIGATION_PAGES = 4
"""A link text on more than this share of all pages, and on at least this number, is navigation."""

COMMON_SHARE = 0.5
FEWEST_PAGES_TO_COUNT = 10
"""A word on more than this share of the pages is common; with fewer pages, no word is."""

LARGEST_PAGE = 50_000
"""A longer page in characters has many subjects, such as a list of all releases, and is no answer as a whole."""

_CONTEXT = 32
_FEWEST_BODY_CHARACTERS = 40
_SLUG_CHARACTERS = 40
_NOT_SLUG = re.compile(r"[^\w]+")


LinkedDocument = Document | StoredDocument
"""A document with its links."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derived test set, with statistics.

    test_set: None if no topic was found.
    pages: number of documents that were read: those of the current version in the default locale.
    links, questions: number of topics by origin.
    left_out: number of unused links and headings, by reason.
    """

    test_set: TestSet | None
    pages: int
    links: int
    questions: int
    left_out: Mapping[str, int]


class _Place(NamedTuple):
    """The target of a link. anchor: None for a whole page."""

    url: str
    anchor: str | None


@dataclass(slots=True)
class _Found:
    """One link text or heading, merged over all pages that have it."""

    text: str
    origin: str
    places: dict[_Place, None] = field(default_factory=dict)
    excluded: list[Passage] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)

    def take(self, other: "_Found") -> None:
        """Merge the targets of another."""
        self.places.update(other.places)
        self.excluded += other.excluded
        self.pages |= other.pages


class _Candidate(NamedTuple):
    """A link that is not filtered yet. passage: of its text."""

    written: str
    target: str
    passage: Passage


class _Survey:
    """Collects the links and headings of the documents; texts are not kept."""

    def __init__(self) -> None:
        self.anchors: dict[str, dict[str, str]] = {}  # heading by anchor, by URL
        self.titles: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self.bare: set[_Place] = set()  # headings without text
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
        """Whether a word is on too many pages to distinguish them."""
        pages = len(self.anchors)
        return pages >= FEWEST_PAGES_TO_COUNT and self.pages_with[word] > COMMON_SHARE * pages

    def place(self, page: str, target: str) -> _Place | str:
        """The target of a link, or the reason why it is not used."""
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
        """Whether a link text matches the title of another page, and not its target."""
        told = set(gist(text, self.is_common))
        if not told or told <= set(words_of(f"{self.titles[place.url]} {self._heading(place)}")):
            return False
        return bool(set.intersection(*(self.pages_titled.get(word, set()) for word in told)) - {place.url})

    def names_page(self, text: str, place: _Place) -> bool:
        """Whether a link text names the page of its target, and not the section."""
        told = set(gist(text, self.is_common))
        if place.anchor is None or not told:
            return False
        return told <= set(words_of(self.titles[place.url])) and not told <= set(words_of(self._heading(place)))

    def _heading(self, place: _Place) -> str:
        return "" if place.anchor is None else self.anchors[place.url][place.anchor]


def derive(documents: Iterable[LinkedDocument], name: str, most: int | None = None) -> Derivation:
    """Derive a test set from link texts and question headings.

    A link text is a query that its author wrote for its target: the section gets SECTION_LABEL, or the page
    PAGE_LABEL. The linking passages are excluded from the rankings, because they contain the query. A question heading
    is answered by its section. Left out are texts that are unclear without context, texts with more than MOST_PLACES
    targets, navigation, links within a page or to other sites, and documents that are not of the current version in
    the default locale.

    documents: any order; each is read once and not kept.
    most: largest number of topics; the selection is repeatable.
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
    """Merge links with the same meaning and target page; the most frequent text is kept."""
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
    """A sample of the topics by hash, stable when other topics are added or removed."""
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
    """An id that does not depend on the other topics."""
    slug = _NOT_SLUG.sub("-", key)[:_SLUG_CHARACTERS].strip("-")
    digest = hashlib.sha256(key.encode("utf-8")).hexdigest()[:6]
    return f"{origin}-{slug}-{digest}"


def _standing(document: LinkedDocument, link: Link, text_hash: str) -> Passage:
    """The passage of a link text."""
    text = document.text
    quote = Quote(
        text[link.start : link.end],
        text[max(0, link.start - _CONTEXT) : link.start],
        text[link.end : link.end + _CONTEXT],
    )
    return Passage(document.info.url, quote, Span(link.start, link.end), text_hash)


def _has_body(text: str, sections: Sequence[Section], number: int) -> bool:
    """Whether a section, with its subsections, has text besides the heading."""
    section = sections[number]
    end = next((later.start for later in sections[number + 1 :] if later.level <= section.level), len(text))
    body = text[section.start : end]
    if section.heading:
        body = body.partition("\n")[2]
    return len(body.strip()) >= _FEWEST_BODY_CHARACTERS
