"""Document → chunks: whole sections where they fit, within the limits. No I/O.

1. `units_of` makes one unit of each block.
2. `group_sections` joins short neighbouring sections under one parent, and attaches bare headings to their content.
3. `partition` divides a group over the limit at the cheapest borders, and cuts a unit only if it is over the limit.
4. The embedded text is counted in tokens, and a chunk with too many is divided again.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.errors import ConfigurationError
from assay.ingest.chunking.grouping import group_sections
from assay.ingest.chunking.partition import partition
from assay.ingest.chunking.splitting import sentence_starts
from assay.ingest.chunking.units import Unit, units_of
from assay.model.documents import BlockKind, Chunk, Document, DocumentInfo, Section
from assay.model.headings import InnerHeading
from assay.model.ids import chunk_id, content_hash
from assay.ports import TokenCounter

CHUNKER_REVISION = "2"
"""Increase when the same document and rules would give other chunks."""


_MIN_CHARACTERS = 100
_MIN_TOKENS = 64
_SAFETY_SHARE = 0.9  # a chunk with too many tokens is divided to this share of the limit


@dataclass(frozen=True, slots=True)
class ChunkingRules:
    """The chunking rules.

    max_characters: of a chunk's text, at least 100.
    max_tokens: of the embedded text (title, heading path and text), at least 64; None for no limit.
    overlap: most characters repeated from the previous chunk of the same section; up to half of max_characters.
    tokenizer: name of the tokenizer that counts.

    Raises ConfigurationError when a limit is out of range.
    """

    max_characters: int
    max_tokens: int | None
    overlap: int
    tokenizer: str

    def __post_init__(self) -> None:
        if self.max_characters < _MIN_CHARACTERS:
            raise ConfigurationError(
                f"Chunks of at most {self.max_characters} characters are too short.",
                hint=f"Set [chunking] max_characters to {_MIN_CHARACTERS} or more.",
            )
        if self.max_tokens is not None and self.max_tokens < _MIN_TOKENS:
            raise ConfigurationError(
                f"An embedder that takes {self.max_tokens} tokens leaves no room for text.",
                hint=f"Choose a model that takes {_MIN_TOKENS} tokens or more.",
            )
        if not 0 <= self.overlap <= self.max_characters // 2:
            raise ConfigurationError(
                f"An overlap of {self.overlap} characters does not fit chunks of at most {self.max_characters}.",
                hint=f"Set [chunking] overlap to a value from 0 to {self.max_characters // 2}.",
            )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A chunk without id and position.

    units: its units, without the overlap.
    embedded: its embedded text.
    tokens: of the embedded text; None until counted.
    """

    units: tuple[Unit, ...]
    chunk: Chunk
    embedded: str
    tokens: int | None = None

    @property
    def overlaps(self) -> bool:
        """Whether it starts with text of the previous chunk."""
        return self.chunk.start < self.units[0].start


def chunk_document(document: Document, rules: ChunkingRules, count_tokens: TokenCounter) -> tuple[Chunk, ...]:
    """Cut a document into chunks, in order. Deterministic.

    Every visible character is in exactly one chunk, except overlaps and the repeated text around parts of code blocks
    and tables. A document that is only one heading has no chunks.

    count_tokens: called once for all chunks, and again for those that had too many tokens.

    Raises ConfigurationError when title and headings alone exceed the embedder's token limit.
    """
    drafter = _Drafter(document, rules)
    drafts = _count_and_shrink(list(drafter.drafts()), drafter, count_tokens, rules.max_tokens)
    return _number(drafts)


def chunks_of_copy(chunks: Sequence[Chunk], info: DocumentInfo) -> tuple[Chunk, ...]:
    """The chunks of a document that differs only in its metadata and links. info: of that document, same title."""
    ids = _ids(info.url, [chunk.content_hash for chunk in chunks])
    return tuple(
        replace(chunk, document=info, id=ids[place], previous_id=_at(ids, place - 1), next_id=_at(ids, place + 1))
        for place, chunk in enumerate(chunks)
    )


class _Drafter:
    """Drafts the chunks of one document."""

    def __init__(self, document: Document, rules: ChunkingRules) -> None:
        self._document = document
        self._rules = rules
        self._section_starts = [section.start for section in document.sections]

    def drafts(self) -> Iterable[_Draft]:
        """Yield drafts within the character limit, in order."""
        text, limit = self._document.text, self._rules.max_characters
        for group in group_sections(self._document.sections, units_of(self._document), limit):
            if group.is_bare and len(group.units) == 1:
                continue
            previous: tuple[Unit, ...] = ()
            for units in partition(text, group.units, limit):
                yield self._draft(units, self._overlap_start(previous, units))
                previous = units

    def smaller(self, draft: _Draft) -> list[_Draft]:
        """Replace a draft with too many tokens: by itself without overlap, or by parts."""
        if draft.overlaps:
            return [self._draft(draft.units, draft.units[0].start)]
        most, tokens = self._rules.max_tokens or 0, draft.tokens or 1
        length = len(draft.chunk.text)
        limit = int(length * _SAFETY_SHARE * most / tokens)
        parts = partition(self._document.text, draft.units, limit) if limit > 0 else []
        smaller = [self._draft(units, units[0].start) for units in parts]
        if not smaller or len(smaller[0].chunk.text) == length:
            raise ConfigurationError(
                f"Title and headings leave no room for text in {most} tokens: {draft.chunk.section_url}"
                f" takes {tokens} with {length} characters of text.",
                hint="Choose an embedder that takes longer texts, or shorten the page's title and headings.",
            )
        return smaller

    def _draft(self, units: tuple[Unit, ...], start: int) -> _Draft:
        """Draft the chunk of these units. start: before the first unit if the chunk overlaps."""
        first, last = units[0], units[-1]
        section = self._section_at(start)
        text = first.before + self._document.text[start : last.end] + last.after
        chunk = Chunk(
            id="",
            document=self._document.info,
            text=text,
            start=start,
            end=last.end,
            position=0,
            section=section.heading if section else "",
            heading_path=section.path if section else (),
            anchor=section.anchor if section else None,
            token_count=0,
            tokenizer=self._rules.tokenizer,
            content_hash="",
            embedded_hash="",
            repeated_before=first.before,
            repeated_after=last.after,
            inner_headings=self._inner_headings(start, last.end, len(first.before)),
        )
        return _Draft(units, chunk, chunk.embedded_text)

    def _section_at(self, offset: int) -> Section | None:
        """The section at an offset of the text."""
        index = bisect_right(self._section_starts, offset) - 1
        return self._document.sections[index] if index >= 0 else None

    def _inner_headings(self, start: int, end: int, repeated: int) -> tuple[InnerHeading, ...]:
        """The headings after the start of a span. repeated: characters in front of the span in its chunk's text."""
        first, last = bisect_right(self._section_starts, start), bisect_left(self._section_starts, end)
        return tuple(
            InnerHeading(section.start - start + repeated, len(section.path), section.heading, section.anchor)
            for section in self._document.sections[first:last]
        )

    def _overlap_start(self, previous: Sequence[Unit], units: Sequence[Unit]) -> int:
        """The start of a chunk with as much overlap as the rules allow.

        Only text of the same section is repeated, from the start of a sentence, paragraph or list item, and never a
        whole chunk.
        """
        first, last = units[0], units[-1]
        section = self._section_at(first.start)
        if not (self._rules.overlap and previous and section) or first.before or first.kind is BlockKind.HEADING:
            return first.start
        room = self._rules.max_characters - (last.end - first.start) - len(last.after)
        lowest = max(first.start - min(self._rules.overlap, room), previous[0].start + 1, section.start)
        starts: list[int] = []
        for unit in reversed(previous):
            if unit.kind is not BlockKind.TEXT or unit.end <= lowest:
                break
            starts.append(unit.start)
            starts.extend(sentence_starts(self._document.text, unit.start, unit.end))
        return min((start for start in starts if start >= lowest), default=first.start)


def _count_and_shrink(
    drafts: list[_Draft], drafter: _Drafter, count_tokens: TokenCounter, most: int | None
) -> list[_Draft]:
    """Count the tokens of drafts, and replace those with too many."""
    while uncounted := [index for index, draft in enumerate(drafts) if draft.tokens is None]:
        counts = count_tokens([drafts[index].embedded for index in uncounted])
        for index, count in zip(uncounted, counts, strict=True):
            draft = drafts[index]
            drafts[index] = _Draft(draft.units, draft.chunk, draft.embedded, count)
        if most is None:
            break
        drafts = [
            smaller
            for draft in drafts
            for smaller in (drafter.smaller(draft) if (draft.tokens or 0) > most else [draft])
        ]
    return drafts


def _number(drafts: Sequence[_Draft]) -> tuple[Chunk, ...]:
    """Set ids, hashes, positions and neighbours of a document's chunks."""
    hashes = [content_hash(draft.chunk.text) for draft in drafts]
    ids = _ids(drafts[0].chunk.document.url, hashes) if drafts else []
    return tuple(
        replace(
            draft.chunk,
            id=ids[position],
            position=position,
            token_count=draft.tokens or 0,
            content_hash=hashes[position],
            embedded_hash=content_hash(draft.embedded),
            previous_id=_at(ids, position - 1),
            next_id=_at(ids, position + 1),
        )
        for position, draft in enumerate(drafts)
    )


def _ids(url: str, hashes: Iterable[str]) -> list[str]:
    """The ids of a page's chunks, by the hashes of their texts."""
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for text_hash in hashes:
        ids.append(chunk_id(url, text_hash, seen[text_hash]))
        seen[text_hash] += 1
    return ids


def _at(ids: Sequence[str], place: int) -> str | None:
    return ids[place] if 0 <= place < len(ids) else None
