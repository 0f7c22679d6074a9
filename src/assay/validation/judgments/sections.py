"""Find a section of a page by its anchor, with its subsections."""

import difflib
from collections import Counter
from collections.abc import Sequence

from assay.model.documents import Section
from assay.model.evaluation import Span


def find_section(text: str, sections: Sequence[Section], anchor: str) -> Span | None:
    """The span from a section's heading to the next of its level or above, stripped at the end; None if not found.

    The first of several with the same anchor, as in a browser.
    """
    for number, section in enumerate(sections):
        if section.anchor == anchor:
            following = (other for other in sections[number + 1 :] if other.level <= section.level)
            end = next((other.start for other in following), len(text))
            start = section.start
            return Span(start, start + max(1, len(text[start:end].rstrip())))
    return None


def still_the_same(before: str, text: str, sections: Sequence[Section], anchor: str) -> bool:
    """Whether an edited section is the one that had this text before.

    It is if its heading is the same and unique on the page, and at least half of its lines are the same. An anchor
    proves nothing: equal headings are numbered, and a new one may have come before.

    before: the section's text when it was judged, heading first.
    """
    span = find_section(text, sections, anchor)
    if span is None:
        return False
    now = _lines(text[span.start : span.end])
    then = _lines(before)
    if not then or not now or now[0] != then[0]:
        return False
    headings = [section.heading for section in sections if section.anchor is not None]
    heading = next(section.heading for section in sections if section.anchor == anchor)
    if headings.count(heading) > 1:
        return False
    kept = sum((Counter(then[1:]) & Counter(now[1:])).values())
    return 2 * kept >= max(len(then), len(now)) - 1


def section_names(sections: Sequence[Section], anchor: str) -> str:
    """Suggest similar anchors, as a sentence to append."""
    known = [section.anchor for section in sections if section.anchor]
    near = difflib.get_close_matches(anchor, known, n=3)
    shown = near or known[:3]
    if not shown:
        return " It has no section with an anchor."
    return f" {'Similar are' if near else 'It has'} {', '.join(f'#{name}' for name in shown)}."


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
