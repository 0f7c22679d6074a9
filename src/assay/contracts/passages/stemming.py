"""English stems, equal to those of the keyword index.

The algorithm is Snowball's English stemmer (Porter2): https://snowballstem.org/algorithms/english/stemmer.html
"""

import re
from functools import lru_cache

_EXCEPTIONS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_KEPT_AFTER_PLURAL = frozenset({"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"})

_CONSONANT_Y = re.compile(r"^y|(?<=[aeiouy])y")
_PLURAL = re.compile(r"[aeiouy].")
_VOWEL = re.compile(r"[aeiouy]")
_REGION = re.compile(r"[aeiouy][^aeiouy]")
_FIRST_REGION = re.compile(r"gener|commun|arsen")
_SHORT_END = re.compile(r"(?:^|.*[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = "cdeghkmnrt"

_SECOND = (
    *(("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"), ("ousness", "ous")),
    *(("biliti", "ble"), ("lessli", "less"), ("tional", "tion"), ("alism", "al"), ("aliti", "al"), ("ation", "ate")),
    *(("entli", "ent"), ("fulli", "ful"), ("iviti", "ive"), ("ousli", "ous"), ("abli", "able"), ("alli", "al")),
    *(("anci", "ance"), ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("bli", "ble"), ("ogi", "og"), ("li", "")),
)
_THIRD = (
    *(("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("ative", ""), ("icate", "ic"), ("iciti", "ic")),
    *(("ical", "ic"), ("ness", ""), ("ful", "")),
)
_FOURTH = (
    *("ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous"),
    *("al", "er", "ic"),
)


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """The stem of a lower-case word: `queries`, `query` → `queri`; `hoping` → `hope`."""
    if len(word) <= 2:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    word = _without_plural(_CONSONANT_Y.sub("Y", word))
    if word in _KEPT_AFTER_PLURAL:
        return word
    first = _first_region(word)
    second = _region(word, first)
    word = _without_tense(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy":
        word = f"{word[:-1]}i"
    word = _second_step(word, first)
    word = _third_step(word, first, second)
    word = _fourth_step(word, second)
    return _last_step(word, first, second).lower()


def _region(word: str, start: int) -> int:
    """The place after the first consonant that follows a vowel; the word's end without one."""
    found = _REGION.search(word, start)
    return found.end() if found else len(word)


def _first_region(word: str) -> int:
    exception = _FIRST_REGION.match(word)
    return exception.end() if exception else _region(word, 0)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _PLURAL.search(word, 0, len(word) - 1):
        return word[:-1]
    return word


def _without_tense(word: str, first: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            at = len(word) - len(ending)
            return f"{word[:at]}ee" if at >= first else word
    ending = next((each for each in ("ingly", "edly", "ing", "ed") if word.endswith(each)), "")
    base = word.removesuffix(ending)
    if not ending or not _VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if base.endswith(_DOUBLES):
        return base[:-1]
    return f"{base}e" if len(base) <= first and _SHORT_END.match(base) else base


def _second_step(word: str, first: int) -> str:
    for ending, other in _SECOND:
        if word.endswith(ending):
            base = word[: -len(ending)]
            fits = base[-1:] == "l" if ending == "ogi" else ending != "li" or base[-1:] in _BEFORE_LI
            return base + other if fits and len(base) >= first else word
    return word


def _third_step(word: str, first: int, second: int) -> str:
    for ending, other in _THIRD:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + other if len(base) >= (second if ending == "ative" else first) else word
    return word


def _fourth_step(word: str, second: int) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            base = word[: -len(ending)]
            fits = len(base) >= second and (ending != "ion" or base[-1:] in "st")
            return base if fits else word
    return word


def _last_step(word: str, first: int, second: int) -> str:
    at = len(word) - 1
    if word.endswith("e") and (at >= second or (at >= first and not _SHORT_END.match(word[:-1]))):
        return word[:-1]
    if word.endswith("ll") and at >= second:
        return word[:-1]
    return word
