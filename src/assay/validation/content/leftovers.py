"""Leftovers of templates and markup in a chunk's text: signs that the page needs another reader. Pure.

Code in fences and backticks is left out, because documentation of a template language shows its tags there.
"""

import re
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.bounds import shortened
from assay.validation.content.fences import split_code

_CODE = "\x00"
"""Replaces code in backticks; no stored text has this character."""

_BACKTICKS = re.compile("`+")
_LONGEST_EXAMPLE = 60


@dataclass(frozen=True, slots=True)
class LeftoverKind:
    """One kind of leftover.

    signs: literal prefilter: a text without any of them has no such leftover.
    pattern: matches in prose, where each code span is one NUL.
    ambiguous: whether it can be ordinary prose, so that one or two matches do not count.
    in_fences: whether it is searched in fenced code instead of prose.
    never: whether a single match fails the check, because it is never intended.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    ambiguous: bool = False
    in_fences: bool = False
    never: bool = False


def _kind(signs: str, pattern: str, *, ambiguous: bool = False, in_fences: bool = False) -> LeftoverKind:
    return LeftoverKind(tuple(signs.split()), _pattern(pattern), ambiguous, in_fences)


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE | re.IGNORECASE)


_HTML = "div|span|p|table|thead|tbody|tr|td|th|a|img|details|summary|iframe|video|figure|section|center|font|sup|sub"

_ENTITIES = "amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|[lr][sd]quo|copy"

_PLACEHOLDER = r"(?-i:[A-Z][A-Z0-9_]{2,40})"
_WINDOWS = "(?:local)?appdata|(?:system|user|all|home|temp|tmp|windir|win|program|common|comspec|path|os|java)"
"""Beginnings of Windows variables, which are also written with percent signs."""

_SIDE = r"(?:HEAD\b|main\b|master\b|(?:Updated|Stashed) \w|[\w.-]{1,80}/|[0-9a-f]{7,40}\b)"
"""Beginnings of the name of a merge conflict's side."""

_BROKEN_LINE = r"(?-i:\\n(?=\\n|[ \t]|[A-Z0-9#*|>-]|$))"

_KEYS = "title|layout|date|weight|permalink|sidebar_position|slug|description|tags|author"

KINDS: Mapping[str, LeftoverKind] = {
    "Hugo shortcodes": _kind("{{< {{%", r"\{\{[<%]\s{0,9}/?\s{0,9}\\?\"?[\w./-][^\n]{0,300}?[>%]\}\}"),
    "template tags": _kind("{%", r"(?<!\{)\{%[-+]?\s*/?[a-z][^{}\n]{0,200}%\}"),
    "template expressions": _kind(
        "{{",
        r"(?<![a-z]{2})(?<![\^_}\\$])\{\{-?\s{0,9}(?-i:(?![A-Z0-9_ ]+\}\}))[a-z$.\"'(][^{}\n]{0,200}\}\}",
        ambiguous=True,
    ),
    "mdBook directives": _kind("{{#", r"(?<!\\)\{\{#[a-z_]+\b[^{}\n]{0,200}\}\}"),
    "mdBook includes in code": _kind(
        "{{#", r"^\{\{#(?:rustdoc_)?include\s[^{}\n]{1,200}\}\}$", ambiguous=True, in_fences=True
    ),
    "snippets to include": _kind("<<< --8<-- -8<-", r"^<<< ?[@./~]\S*|^[ \t]*-+8<-+\s"),
    "marks of a table of contents": _kind("[toc [[toc [[_toc", r"^\[\[?_?toc_?\]?\]$"),
    "containers": _kind(":::", r"(?:^|(?<=\s)):{3,}(?:[ {]?[a-z{][\w-]*|$)"),
    "admonitions": _kind("!!! ??? ???+", r"^[ \t]*(?:!!!|\?\?\?\+?)\s+[a-z]"),
    "MyST roles and targets": _kind("}` )=", rf"\{{[a-z][\w:.+-]*\}}{_CODE}|^\([\w .:/-]+\)=$"),
    "Obsidian embeds": _kind("![[", r"!\[\[[^\[\]\n]+\]\]"),
    "wiki links": _kind("[[", r"(?<!!)\[\[[a-z][^\[\]\n,\"']*\]\]", ambiguous=True),
    "Obsidian comments": _kind("%%", r"(?:^|(?<=\s))%%[^%\n]+%%(?=\s|$)", ambiguous=True),
    "DocFX directives": _kind("[!", r"\[!(?:include|div|code|video|tab)\b[^\n\]]{0,200}"),
    "imports of components": _kind(
        "import export",
        r"^import\s(?:[^\n]{1,200}\sfrom\s+)?['\"][^'\"\n]+['\"]|^export (?:const|default|function)\s",
    ),
    "components": _kind(
        "/> </ =\" =' ={",
        r"(?<![\w\x00])(?-i:<[A-Z])[\w.]*(?:\s[^<>\n]{0,200})?/>|(?-i:</[A-Z])[\w.]*>"
        r"|(?<![\w\x00])(?-i:<[A-Z])[\w.]*\s+[\w-]+=[\"'{]",
        ambiguous=True,
    ),
    "HTML tags": _kind(
        "<", rf"<(?:{_HTML})\s+[\w-]+=[\"'][^<>\n]{{0,300}}>|</(?:{_HTML})>|<br\s*/?>", ambiguous=True
    ),
    "reStructuredText directives": _kind(".. ", r"^\.\. [\w:-]+::(?:\s|$)"),
    "reStructuredText roles and links": _kind(
        ":` `_", rf"(?<![\w:]):[a-z][a-z:+-]{{0,40}}:{_CODE}|{_CODE}__?(?!\w)", ambiguous=True
    ),
    "AsciiDoc": _kind(
        "[ ::",
        r"^\[(?:source|cols|options|quote|NOTE|TIP|discrete)[,=%.][^\]\n]{0,200}\]$|^(?:include|image|toc)::\S{0,200}\[[^\]\n]{0,200}\]",
    ),
    "attribute lists": _kind("{:", r"(?<!\{)\{:\s?[.#]?[a-z][^{}\n]{0,100}\}"),
    "attributes": LeftoverKind(
        ("{.", "{#", "{ .", "{ #"),
        _pattern(r"(?<![\w{$])\{ ?[.#][a-z][\w-]*(?:\s[^{}\n]{0,80})?\}"),
        ambiguous=True,
    ),
    "broken characters": _kind(
        "ã â ï¿½ \ufffd", r"(?-i:[ÃÂ][\x80-\xbf]|â(?:\x80|€)[\x80-\xbf\u2013-\u2122])|ï¿½|\ufffd", ambiguous=True
    ),
    "merge conflicts": LeftoverKind(
        ("<<<<<<<", ">>>>>>>", "> > > > > > >"),
        _pattern(
            r"^(?:#{1,6} )?(?:<{7}|>{7})(?= \w|$)|^(?:> ){7}(?![> ])"
            rf"|(?<![<\w])<{{7}} {_SIDE}|(?<![>\w])(?<!> )>{{7}} {_SIDE}"
        ),
        never=True,
    ),
    "objects written as text": _kind("[object", r"\[object (?-i:[A-Z])\w{2,40}\]", ambiguous=True),
    "placeholders without a value": _kind(
        "% @",
        rf"(?<![\w%])%{{1,2}}(?!{_WINDOWS}){_PLACEHOLDER}%{{1,2}}(?![\w%])"
        rf"|(?<![\w@])@{{1,2}}{_PLACEHOLDER}@{{1,2}}(?![\w@])",
        ambiguous=True,
    ),
    "entities escaped twice": _kind(
        "&#x &#0 &#1 &#2 &#3 &#4 &#5 &#6 &#7 &#8 &#9 &amp; &lt; &gt; &quot; &apos; &nbsp; dash; &hellip; quo; &copy;",
        rf"&(?:#\d{{2,6}}|#x[0-9a-f]{{2,6}}|{_ENTITIES});",
        ambiguous=True,
    ),
    "ends of lines written as text": _kind(
        "\\n", rf"{_BROKEN_LINE}(?:[^\n]{{0,300}}?{_BROKEN_LINE}){{2}}"
    ),
    "headings without a value": _kind("undefined nan null", r"^#{1,6} (?-i:undefined|NaN|null)$", ambiguous=True),
    "front matter": _kind("+++ title: layout:", rf"\A\+\+\+\s|\A#{{1,2}} (?:{_KEYS}): [^\n]*\s(?:{_KEYS}): "),
}  # fmt: skip
"""By name in reports. Repetitions are bounded wherever a match could start again within them, so that all patterns are
linear."""


def _signs() -> dict[str, dict[str, list[str]]]:
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, kind in KINDS.items():
        for sign in kind.signs:
            found[sign[0]][sign].append(name)
    return {first: dict(signs) for first, signs in found.items()}


_SIGNS = _signs()
"""The kinds that have each sign, by its first character, which most texts lack."""


def leftovers(text: str) -> dict[str, str]:
    """The kinds of leftover in a chunk's text, each with its first example on one line, truncated."""
    lowered = text.lower()
    signs = [sign for first, signs in _SIGNS.items() if first in lowered for sign in signs.items()]
    names = {name for sign, of_sign in signs if sign in lowered for name in of_sign}
    if not names:
        return {}
    suspected = [(name, kind) for name, kind in KINDS.items() if name in names]
    lines, code = split_code(text)
    prose, fenced = _without_code_spans("\n".join(lines)), "\n".join(code)
    found: dict[str, str] = {}
    for name, kind in suspected:
        match = kind.pattern.search(fenced if kind.in_fences else prose)
        if match is not None:
            found[name] = shortened(" ".join(match[0].replace(_CODE, "`…`").split()), _LONGEST_EXAMPLE)
    return found


def _without_code_spans(prose: str) -> str:
    """Replace each code span by a NUL: from a run of backticks to the next run of that length in its paragraph."""
    if "`" not in prose:
        return prose
    runs = list(_BACKTICKS.finditer(prose))
    later: defaultdict[int, deque[int]] = defaultdict(deque)
    for index, run in enumerate(runs):
        later[len(run[0])].append(index)
    parts: list[str] = []
    shown = index = 0
    while index < len(runs):
        same = later[len(runs[index][0])]
        while same and same[0] <= index:
            same.popleft()
        if same and "\n\n" not in prose[runs[index].end() : runs[same[0]].start()]:
            parts += [prose[shown : runs[index].start()], _CODE]
            index = same[0]
            shown = runs[index].end()
        index += 1
    return "".join([*parts, prose[shown:]])
