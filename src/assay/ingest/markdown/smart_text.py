"""The changes of smarty and pymdownx.smartsymbols to a heading's text, as far as they change the anchor."""

import re

from assay.model.documents import MkDocsRules

_FRACTIONS = {
    "1/4": "¼", "1/2": "½", "3/4": "¾", "1/3": "⅓", "2/3": "⅔", "1/5": "⅕", "2/5": "⅖", "3/5": "⅗", "4/5": "⅘",
    "1/6": "⅙", "5/6": "⅚", "1/8": "⅛", "3/8": "⅜", "5/8": "⅝", "7/8": "⅞",
}  # fmt: skip
_SYMBOLS = {
    "(tm)": "™",
    "(c)": "©",
    "(r)": "®",
    "+/-": "±",
    "=/=": "≠",
    "c/o": "℅",
    "<-->": "↔",
    "-->": "→",
    "<--": "←",
}
_SYMBOL = re.compile(
    r"\(tm\)|\(c\)|\(r\)|\+/-|=/=|\bc/o\b|<-{2}>|(?<!-)-{2}>|<-{2}(?!-)|(?<!\d)(?:" + "|".join(_FRACTIONS) + r")(?!\d)"
)
_DASHES = re.compile(r"-{2,3}")


def smart_text(text: str, rules: MkDocsRules) -> str:
    """Replace symbols and dashes in text that is not code, as the configured extensions do."""
    if rules.smart_symbols:
        text = _SYMBOL.sub(lambda found: _FRACTIONS.get(found[0]) or _SYMBOLS[found[0]], text)
    if rules.smart_dashes:
        text = _DASHES.sub(lambda found: "\u2014" if len(found[0]) == 3 else "\u2013", text)
    return text
