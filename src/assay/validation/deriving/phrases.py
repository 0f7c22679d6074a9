"""Select link texts and headings that work as queries: those that are clear without context."""

import re
from collections.abc import Callable

FEWEST_WORDS = 2
"""Smallest number of words of a link text, stop words left out. A question needs one."""

MOST_WORDS = 16
MOST_CHARACTERS = 120

_ARTICLES = frozenset({"a", "an", "the", "our", "your"})
_CODE = re.compile(r"(?<!`)(`++)(.{1,300}?)(?<!`)\1(?!`)", re.DOTALL)
_MARKUP = re.compile(r"[`*]+|(?<!\w)_++|(?<!_)_++(?!\w)|\\(?=[^\w\s])")
_WORD = re.compile(r"[^\W_]+(?:['’.+#/_-]*[^\W_]+)*[+#]*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_ADDRESS = re.compile(
    r"(?=\S++\Z)"  # or each ending of a host would be tried up to the next blank
    r"(?:(?:[a-z][a-z0-9+.-]*://|www\.)\S+|[\w.+-]+@[\w-]+\.\w+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\S*)",
    re.IGNORECASE,
)
_FILE = re.compile(r"[.~]?/?(?:[\w.@-]+/)*[\w.@-]*\.\w{1,5}|[.~]?/\S*|\.\w+")
_NUMBER = re.compile(r"[#@v]?[\d.,:/-]+\w?")
_NAME = re.compile(r"[A-Za-z_$][\w$]*+(?:\.[\w$]++)*+(?:\(.*\))?|<.*>|@[\w/.-]+|--?[\w-]+(?:=\S*)?")
_LIKE_CODE = re.compile(r"[a-z][A-Z]|[\d_.$(<@]|^-")
_NAMED = re.compile(r"[`\"“A-Z]|\w\.\w")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")  # of Latin, of Chinese and Japanese, of Arabic script
_QUESTION = re.compile(r"(?:how|what|why|when|where|which|who|can|could|should|does|is|are)\b(?!.*:)", re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP = _words(
    "a an the and any as at be been but by can could did do does doing for from get gets getting had has "
    "have having how i if in into is just like may me might more most much must my need needs no nor not "
    "of off on or our out over per should so some such than then to too under up use used uses using via "
    "was we were what when where which while who why will with would you your us am are let lets also "
    "both each other another one ones all there what's that's you've don't doesn't isn't i'm we're you're "
)
"""English stop words."""

_GENERIC = _words(
    "here click read see view learn link links page pages doc docs documentation guide guides section "
    "sections chapter chapters tutorial tutorials article articles example examples reference references "
    "overview introduction intro details detail info information usage description summary notes note "
    "full list table source code api part website site web book manual content contents recipe recipes "
    "hurry next now included includes expect learned going looks look works work working about user "
    "internal external advanced basic updated new hier mehr weiter weiterlesen siehe seite dokumentation "
    "beispiel abschnitt ici plus suite lire voir exemple aqui aquí mas más ver leer página pagina ejemplo "
    "documentación qui leggi esempio mais veja leia exemplo здесь тут подробнее далее документация пример "
    "这里 此处 点击这里 查看 文档 更多 こちら ここ 詳細 参照 여기 문서 더보기 "
)
"""Words that fit any page."""

_POINTING = _words(
    "here above below this these those that earlier previously previous next following later former "
    "latter same similar similarly described mentioned explained discussed covered shown noted listed "
    "supplied stored wrapped defined documented it its they them he she his their own whole few many several various "
)
"""Words that need context."""

_OPENING = _words(
    "still already also even only now then not be is are was were will can must may might should has have "
    "had do does see read check visit follow refer look in on at of by into"
)
"""First words of a part of a sentence, or of an instruction to read on."""


def plain(text: str) -> str:
    """Remove the Markdown markup of a text, and join its lines."""
    without_code = _CODE.sub(r"\2", text)
    return " ".join(_MARKUP.sub("", without_code).split())


def folded(text: str) -> str:
    """A key that ignores case, punctuation and articles."""
    return " ".join(word for word in words_of(text) if word not in _ARTICLES)


def gist(text: str, is_common: Callable[[str], bool]) -> tuple[str, ...]:
    """The specific words of a text: without stop words, generic words and common words."""
    telling = [word for word in words_of(plain(text)) if word not in _STOP and word not in _GENERIC]
    return tuple(word for word in telling if not is_common(word))


def words_of(text: str) -> list[str]:
    """The casefolded words of a text, with straight apostrophes."""
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def why_no_query(text: str, is_common: Callable[[str], bool]) -> str | None:
    """The reason why a link text is no query; None if it can be one.

    is_common: whether a word is on too many pages to distinguish them.
    """
    shown = plain(text)
    reason = _why_no_words(text, shown) or _why_too_long(shown)
    if reason is not None:
        return reason
    first = words_of(shown)[:1]
    is_part = first and (first[0] in _OPENING or (first[0] == "the" and not _NAMED.search(text, 3)))
    if is_part and not shown.endswith(_QUESTION_MARKS):
        return "needs the text around it"
    return _why_too_general(shown, is_common, FEWEST_WORDS)


def _why_no_words(text: str, shown: str) -> str | None:
    if not shown:
        return "no text"
    if _NUMBER.fullmatch(shown):
        return "a number"
    if _ADDRESS.fullmatch(shown) or _FILE.fullmatch(shown):
        return "an address or a file name"
    return "code only" if _is_code(text) else None


def _why_too_long(shown: str) -> str | None:
    return "too long" if len(shown) > MOST_CHARACTERS or len(shown.split()) > MOST_WORDS else None


def why_no_question(text: str) -> str | None:
    """The reason why a heading is no question that is clear without context; None if it is one."""
    shown = plain(text)
    if not (shown.endswith(_QUESTION_MARKS) or _QUESTION.match(shown)):
        return "no question"
    if "the" in words_of(shown)[:3] and not _NAMED.search(text, 1):  # refers to the page's subject
        return "needs the text around it"
    return _why_too_long(shown) or _why_too_general(shown, lambda _: False, 1)


def _why_too_general(shown: str, is_common: Callable[[str], bool], fewest: int) -> str | None:
    words = words_of(shown)
    if _POINTING & set(words):
        return "needs the text around it"
    telling = [word for word in words if word not in _STOP]
    if _length(telling) < fewest:
        return "a single word"
    if all(word in _GENERIC or is_common(word) for word in telling):
        return "fits any page"
    return None


def _length(words: list[str]) -> int:
    """Number of words; in scripts without spaces, two characters count as one."""
    unspaced = sum(len(run) for word in words for run in _UNSPACED.findall(word))
    return sum(1 for word in words if not _UNSPACED.fullmatch(word)) + unspaced // 2


def _is_code(text: str) -> bool:
    """Whether a text is only code, or only an identifier."""
    rest = _CODE.sub("", text)
    if rest != text and not _WORD.search(rest):
        return True
    shown = plain(text)
    return _NAME.fullmatch(shown) is not None and _LIKE_CODE.search(shown) is not None
