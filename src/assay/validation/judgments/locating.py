"""Locate a passage on an existing page."""

from collections.abc import Callable
from dataclasses import replace

from assay.model.documents import Section
from assay.model.evaluation import Anchoring, Passage, Quote, Resolution, Span
from assay.ports import ChunkPlace
from assay.validation.judgments.anchoring import AnchorKind, Found, PassageQuery, lost
from assay.validation.judgments.corpus import Page
from assay.validation.judgments.coverage import chunks_on
from assay.validation.judgments.hints import nearest
from assay.validation.judgments.quoting import Doubt, QuoteLocation, SearchedText, locate, quote_at
from assay.validation.judgments.sections import find_section, section_names, still_the_same

EarlierText = Callable[[str], SearchedText | None]
"""Returns the text with a hash, if it is still known."""

CHANGED = "The page has changed; the quoted words are unchanged."


class PageSearch:
    """Locates passages on one page. earlier: returns earlier texts of pages."""

    def __init__(self, page: Page, earlier: EarlierText) -> None:
        self._page = page
        self._searched = SearchedText(page.text)
        self._earlier = earlier

    def find(self, one: PassageQuery) -> Found:
        """Locate a passage, or give the reason why it is uncertain."""
        if one.chunk is not None:  # take the chunk's span on this page
            chunk_id = one.chunk.chunk_id
            one = replace(one, chunk=next((own for own in self._page.chunks if own.chunk_id == chunk_id), None))
        if one.kind is AnchorKind.PAGE:
            return self._whole(one)
        if one.kind is AnchorKind.SECTION:
            return self._section(one)
        if one.quote is None:
            return self._position(one) if one.chunk is None else self._at_chunk(one, one.chunk)
        found = self._quoted(one, one.quote)
        if not found.resolution.anchoring.scores and one.chunk is not None and self._is_only(one.chunk, one.quote):
            return self._at_chunk(one, one.chunk)
        return found

    # --- by kind ---------------------------------------------------------------------------------------------------

    def _whole(self, one: PassageQuery) -> Found:
        changed = one.text_hash is not None and one.text_hash != self._page.text_hash
        reason = "The page has changed; all of it is judged." if changed else ""
        anchor = Passage(url=self._page.url, text_hash=self._page.text_hash) if one.text_hash is None else None
        return self._at(one, Span(0, len(self._page.text)), reason, anchor)

    def _at_chunk(self, one: PassageQuery, chunk: ChunkPlace) -> Found:
        changed = one.text_hash is not None and one.text_hash != self._page.text_hash
        span = Span(chunk.start, chunk.end)
        anchor = None if one.is_anchored else self._anchor(span)
        anchoring = Anchoring.RE_ANCHORED if changed else Anchoring.EXACT
        reason = CHANGED if changed else ""
        return Found(
            one.passage, Resolution(anchoring, self._page.url, span, (chunk.chunk_id,), reason), (chunk,), anchor
        )

    def _section(self, one: PassageQuery) -> Found:
        name = one.passage.section or ""
        sections = self._page.sections
        if one.quote is not None:
            found = self._quoted(one, one.quote)
            if found.resolution.anchoring.scores or sections is None:
                return found
            span = find_section(self._page.text, sections, name)
            if span is None or not still_the_same(one.quote.exact, self._page.text, sections, name):
                return found
            return self._at(one, span, f"The section #{name} has changed; most of it is the same.", None)
        if sections is None:
            return lost(
                one.passage,
                "This generation has no sections, because an earlier version built it. Run `assay publish`.",
                url=self._page.url,
            )
        span = find_section(self._page.text, sections, name)
        if span is None:
            return lost(
                one.passage, f"The page has no section #{name}.{section_names(sections, name)}", url=self._page.url
            )
        return self._at(one, span, "", replace(self._anchor(span), section=name))

    def _position(self, one: PassageQuery) -> Found:
        """Locate a position without a quote, by the words at it in the text of its hash."""
        position, text_hash = one.position, one.text_hash
        assert position is not None
        assert text_hash is not None
        searched = self._searched if text_hash == self._page.text_hash else self._earlier(text_hash)
        if searched is None:
            reason = "The text of the position's `text_hash` is no longer known."
            return lost(one.passage, reason, url=self._page.url)
        there = searched.text[position.start : position.end]
        if not there.strip() or position.end > len(searched.text):
            reason = f"There are no words at [{position.start}, {position.end}] in the text of its `text_hash`."
            return lost(one.passage, reason, url=self._page.url)
        quote = quote_at(searched, position)
        anchor = Passage(url=one.url, quote=quote, position=position, text_hash=text_hash)
        return replace(self._quoted(one, quote), anchor=anchor)

    def _quoted(self, one: PassageQuery, quote: Quote) -> Found:
        same = one.text_hash == self._page.text_hash
        if same and one.position is not None and self._searched.says(one.position, quote.exact):
            return self._at(one, one.position, "", None)
        was_unique = False
        if not same and one.text_hash is not None:
            asked = self._in_earlier_text(one, quote, one.text_hash)
            if asked is None:
                return lost(
                    one.passage,
                    "The words occurred several times in the judged text, and no context tells which were meant.",
                    url=self._page.url,
                    anchoring=Anchoring.AMBIGUOUS,
                )
            quote, was_unique = asked
        located = locate(self._searched, quote, changed=not same, within=self._within(one.passage))
        if located.span is not None:
            return self._at(one, located.span, self._why(one, located, same=same), None)
        if was_unique and located.doubt is Doubt.OTHER_CONTEXT:
            [place] = self._searched.places(quote.exact)
            return self._at(one, place, f"{CHANGED} Their context is gone.", None)
        return self._doubtful(one, quote, located)

    # --- what they share -------------------------------------------------------------------------------------------

    def _in_earlier_text(self, one: PassageQuery, quote: Quote, text_hash: str) -> tuple[Quote, bool] | None:
        """The quote with context from the judged text, and whether its words occurred there once.

        The given quote if that text is unknown; None if the words occurred several times and no context tells which
        were meant.
        """
        searched = self._earlier(text_hash)
        if searched is None:
            return quote, False
        if one.position is not None and searched.says(one.position, quote.exact):
            place = one.position
        else:
            located = locate(searched, quote, changed=False)
            if located.doubt is Doubt.SEVERAL:
                return None
            if located.span is None:
                return quote, False
            place = located.span
        told = quote_at(searched, place)
        return told, len(searched.places(told.exact)) == 1

    def _why(self, one: PassageQuery, located: QuoteLocation, *, same: bool) -> str:
        """The reason why it is not exact; "" if it is."""
        if same:
            return ""
        if one.text_hash is not None:
            return CHANGED
        return "The context on one side of the words differs from the quote." if located.is_partly_proven else ""

    def _doubtful(self, one: PassageQuery, quote: Quote, located: QuoteLocation) -> Found:
        url = self._page.url
        if located.doubt is Doubt.SEVERAL:
            return lost(
                one.passage,
                f"The words occur {located.count} times on the page, and no context tells which are meant. Add a "
                "`prefix` or a `suffix` to the quote.",
                url=url,
                anchoring=Anchoring.AMBIGUOUS,
            )
        if located.doubt is Doubt.OTHER_CONTEXT:
            return lost(
                one.passage,
                "The words occur on the page once, but neither the text before nor the text after them matches. If "
                "they are the right ones, update the quote.",
                url=url,
            )
        if one.passage.section is not None and self._searched.places(quote.exact):
            return lost(
                one.passage, f"The words are on the page, but not in its section #{one.passage.section}.", url=url
            )
        return lost(one.passage, f"The words are not on the page.{nearest(self._searched, quote.exact)}", url=url)

    def _at(self, one: PassageQuery, span: Span, reason: str, anchor: Passage | None) -> Found:
        chunks = chunks_on(self._page, span)
        if not chunks:
            reason = "It is on the page, but in none of its chunks."
            return Found(one.passage, Resolution(Anchoring.ORPHANED, self._page.url, span, reason=reason))
        anchoring = Anchoring.RE_ANCHORED if reason else Anchoring.EXACT
        ids = tuple(chunk.chunk_id for chunk in chunks)
        return Found(
            one.passage,
            Resolution(anchoring, self._page.url, span, ids, reason),
            chunks,
            anchor,
        )

    def _anchor(self, span: Span) -> Passage:
        page = self._page
        return Passage(url=page.url, quote=quote_at(self._searched, span), position=span, text_hash=page.text_hash)

    def _is_only(self, chunk: ChunkPlace, quote: Quote) -> bool:
        """Whether the chunk with the judged id is the only place of the quote."""
        return self._searched.places(quote.exact) == [Span(chunk.start, chunk.end)]

    def _within(self, passage: Passage) -> Span | None:
        """The section that the quote must be in; None if it names none."""
        sections: tuple[Section, ...] | None = self._page.sections
        if passage.section is None or passage.quote is None or sections is None:
            return None
        return find_section(self._page.text, sections, passage.section)
