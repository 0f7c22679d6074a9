"""Detect the language of prose by its most common words or its script. Pure.

Deliberately rough: it distinguishes English from German, but not Danish from Norwegian.
"""

import re
from collections import Counter

from assay.validation.content.fences import split_code

_COMMON = {
    "cs": "že není pro jako která jsou nebo při také který lze",
    "de": "der und das nicht mit ein eine den auf für werden oder wird",
    "en": "the of and to is that with for this are from which",
    "es": "el los las una para con por como esta pero más puede",
    "fr": "les des est une pour dans que vous pas sur avec cette",
    "it": "il che di per una con non sono della nel gli questo",
    "nl": "het een van voor niet zijn wordt deze ook naar worden met",
    "pl": "nie się jest że dla aby przez może jak lub oraz są",
    "pt": "os uma para com não são como você mais pelo esta também",
    "ru": "и в не на что для это как или при по",
    "sv": "och att det som är för med inte den till på kan",
    "tr": "ve bir bu için ile olarak olan daha gibi veya değil",
}
_LANGUAGES = {
    word: [code for code, words in _COMMON.items() if word in words.split()]
    for word in {word for words in _COMMON.values() for word in words.split()}
}
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]+"),
    "ko": re.compile("[\uac00-\ud7af]+"),
    "zh": re.compile("[\u4e00-\u9fff]+"),
}
"""Scripts without spaces between words, or of one language only; each run of characters counts."""

_WORD = re.compile(r"[^\W\d_]+")

LANGUAGES = frozenset([*_COMMON, *_SCRIPTS])
"""ISO 639-1 codes of the detected languages."""


def signs_of_languages(text: str) -> Counter[str]:
    """Count the common words, or the runs of the script, of each language outside of code."""
    prose = "\n".join(split_code(text)[0])
    signs = Counter[str]()
    for word, count in Counter(_WORD.findall(prose.lower())).items():
        for code in _LANGUAGES.get(word, ()):
            signs[code] += count
    for code, script in _SCRIPTS.items():
        signs[code] = 0 if prose.isascii() else len(script.findall(prose))
    return signs
