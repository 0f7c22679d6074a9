"""Borders in text: sentences, clauses, words, and finally visible characters.

Positions are offsets in the given text. A border is where the next part starts; it is never at a blank.
"""

# ruff: noqa: RUF001 - punctuation of other scripts

import re
import unicodedata
from bisect import bisect_right

from assay.errors import InputError

# Possessive, and starting only at the start of a run of marks: linear time even for a page of only marks.
_CLOSERS = r"[\"'”’»›)\]}*_`」』）】》〉］｣]*+"
_MARKS = "[.!?…‽؟۔։።፧]"
_FULL_MARKS = "[。！？．｡।॥။។༎]"  # no blank needs to follow
_SENTENCE_END = re.compile(rf"(?<!{_MARKS}){_MARKS}++{_CLOSERS}(?=\s)|{_FULL_MARKS}++{_CLOSERS}")
_CLAUSE_END = re.compile(rf"[;:,؛،]{_CLOSERS}(?=\s)|[，、；：]{_CLOSERS}")
_CODE_PUNCTUATION = re.compile(r"[;,{}()\[\]>]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^`](?:.{0,300}?)(?<!`)\1(?!`)", re.DOTALL)
_BLANKS = re.compile(r"\s*")
_WORD_BEFORE = re.compile(r"(?<![^\s(\[{\"'“‘«*_`])[^\s(\[{\"'“‘«*_`]*+\Z")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_LINE_NUMBER = re.compile(r"(?:^|\n)[ \t>]*\d{1,9}\Z")

_ABBREVIATION = re.compile(
    r"approx|bzw|ca|cf|co|corp|dept|dr|eds?|est|etc|ex|excl|fa|inc|incl|jr|ltd|max|min|mme|mrs?|ms|mt|prof|resp"
    r"|sr|sra|st|usw|vgl|vs"
)
"""Abbreviations: their full stop does not end a sentence."""

_NUMBERED = re.compile(r"abb|abs|art|ch|eq|figs?|nos?|nr|pp?|pt|sec|tab|vol")
"""Abbreviations before a number: `Fig. 3`, but not `He said no. Then`."""

LEAD_INS = (":", "：")
"""The end of a sentence that introduces a list, code or a table."""

_MAX_LOOK_BACK = 64
"""Longest word before a full stop that is examined, and longest cluster that is kept whole."""


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """The offsets in (start, end) where a sentence starts, ascending.

    Latin, Cyrillic, Greek, Arabic and Urdu marks count if a blank follows; Chinese, Japanese, Devanagari, Burmese and
    Khmer marks always. Full stops of abbreviations, initials and list numbers, and marks in `code`, do not count. Thai
    has no sentence mark; its spaces are word borders for `fine_borders`.
    """
    borders: list[int] = []
    spans = _code_spans(text, start, end)
    for match in _SENTENCE_END.finditer(text, start, end):
        border = _next_visible(text, match.end())
        if border >= end:
            break
        if not _continues(text, match, border) and not _is_inside(spans, match.start()):
            borders.append(border)
    return borders


def _continues(text: str, mark: re.Match[str], border: int) -> bool:
    """Whether the sentence continues after this mark."""
    first, following = text[mark.start()], text[border]
    if first in ".!?…‽" and following.islower():
        return True
    if first == "．":
        return following.isdigit()
    if first != "." or text.startswith("..", mark.start()):
        return False
    return _is_abbreviation(text, mark.start(), following)


def _is_abbreviation(text: str, stop: int, following: str) -> bool:
    """Whether the full stop belongs to an abbreviation, an initial or a list number."""
    before = text[max(0, stop - _MAX_LOOK_BACK) : stop]
    match = _WORD_BEFORE.search(before)
    word = match.group().lower() if match else ""
    if _ABBREVIATION.fullmatch(word) or (_NUMBERED.fullmatch(word) and following.isdigit()):
        return True
    return bool(_INITIALS.match(word)) or bool(word.isdigit() and _LINE_NUMBER.search(before))


def _code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of inline code, in order."""
    if text.find("`", start, end) < 0:
        return []
    return [match.span() for match in _CODE_SPAN.finditer(text, start, end)]


def _is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset is inside one of the spans (ordered, not overlapping)."""
    index = bisect_right(spans, (offset, offset)) - 1
    return index >= 0 and offset < spans[index][1] - 1


def _next_visible(text: str, offset: int) -> int:
    """The next offset that is not a blank."""
    match = _BLANKS.match(text, offset)
    return match.end() if match else offset


def fine_borders(text: str, start: int, end: int, size: int, *, code: bool = False) -> list[int]:
    """Borders that cut text[start:end] into parts of at most `size` characters, ascending; for text without sentences.

    Each part ends at the last clause mark in its second half, else after the last word there, else between two visible
    characters. In code the clause marks are brackets, commas and semicolons.

    Raises InputError when size is not positive.
    """
    if size < 1:
        raise InputError(f"A part needs at least one character, not {size}.")
    borders: list[int] = []
    position = start
    while end - position > size:
        border = _best_border(text, position, position + size, code=code)
        position = _next_visible(text, border)
        if position >= end:
            break
        borders.append(position)
    return borders


def _best_border(text: str, start: int, limit: int, *, code: bool) -> int:
    """The best end of a part that starts at `start` and ends at `limit` at the latest."""
    middle = start + max(1, (limit - start) // 2)
    pattern = _CODE_PUNCTUATION if code else _CLAUSE_END
    clauses = [match.end() for match in pattern.finditer(text, middle, min(limit + 1, len(text)))]
    for border in reversed(clauses):
        if border <= limit and (not code or is_visible_border(text, border)):
            return border
    for border in range(limit, middle, -1):
        if text[border : border + 1].isspace():
            return border
    for border in range(limit, max(start, limit - _MAX_LOOK_BACK), -1):
        if is_visible_border(text, border):
            return border
    return limit


def is_visible_border(text: str, offset: int) -> bool:
    r"""Whether a cut at this offset does not split a visible character.

    Keeps together combining marks, joined and modified emoji, flags, Hangul jamo, conjuncts after a virama, Thai and
    Lao vowels with their consonant, and `\r\n`: the extended grapheme clusters of Unicode TR29 as far as the standard
    library knows their properties.
    """
    if offset <= 0 or offset >= len(text):
        return True
    before, after = text[offset - 1], text[offset]
    if before.isascii() and after.isascii():
        return not (before == "\r" and after == "\n")
    if _extends(after) or before in _PREPENDED or before == _JOINER:
        return False
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, offset) % 2 == 0
    return not _is_one_syllable(before, after)


_JOINER = "\u200d"
_VIRAMA = 9  # canonical combining class of the sign that joins two consonants
_PREPENDED = frozenset("เแโใไເແໂໃໄ")


def _extends(character: str) -> bool:
    """Whether a character extends the one before it."""
    code = ord(character)
    if character == _JOINER or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True
    return character in "ะาำຳະາ" or unicodedata.category(character) in {"Mn", "Me", "Mc"}


def _is_flag_letter(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _flag_letters_before(text: str, offset: int) -> int:
    """Number of consecutive flag letters before this offset, within the look-back limit."""
    count = 0
    while count < _MAX_LOOK_BACK and count < offset and _is_flag_letter(text[offset - 1 - count]):
        count += 1
    return count


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two Hangul characters form one syllable: a leading consonant continues, vowels and finals go on."""
    leading, continuing = "\u1100" <= before <= "\u115f", "\u1160" <= after <= "\u11ff"
    return (leading and _is_hangul(after)) or (continuing and _is_hangul(before))


def _is_hangul(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff" or "\uac00" <= character <= "\ud7a3"
