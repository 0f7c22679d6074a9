"""A section of a page by its anchor, with what is nested in it."""

import difflib
from collections import Counter
from collections.abc import Sequence

from assay.model.documents import Section
from assay.model.evaluation import Span


def find_section(text: str, sections: Sequence[Section], anchor: str) -> Span | None:
    """From a section's heading to the next that is not below it, without blanks at its end; None where there is none.

    Of several with the same anchor it is the first, as in a browser.
    """
    for number, section in enumerate(sections):
        if section.anchor == anchor:
            following = (other for other in sections[number + 1 :] if other.level <= section.level)
            end = next((other.start for other in following), len(text))
            start = section.start
            return Span(start, start + max(1, len(text[start:end].rstrip())))
    return None


def still_the_same(before: str, text: str, sections: Sequence[Section], anchor: str) -> bool:
    """Whether a section that was edited is the one that had this text before.

    It is, when its heading is the same and no other's on the page, and at least half of the lines are. An anchor alone
    proves nothing: where headings are equal the page numbers them, and another may have come before.

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
    """The anchors that may have been meant, as a sentence to add; "" where there are none."""
    known = [section.anchor for section in sections if section.anchor]
    near = difflib.get_close_matches(anchor, known, n=3)
    shown = near or known[:3]
    if not shown:
        return " It has no section with an anchor."
    return f" {'Near are' if near else 'It has'} {', '.join(f'#{name}' for name in shown)}."


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
