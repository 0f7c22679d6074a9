"""Texts that try to make a reader slow: every delimiter repeated, nested, unclosed, alternated, opened once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

_MARKS = (
    "<", ">", "[", "]", "(", ")", "{", "}", "`", "``", "```", "~~~", "*", "**", "_", "__", "~", "$", "$$", "|",
    "!", "![", "[^", "](", "[[", "]]", "&", "&#", "&amp;", ":", ":::", "///", "////", '"', "'", '\\', "=", "-",
    "+", "#", "%", "@", "^^", "==", "++", "+-", "{{", "{%", "{#", "%}", "{/*", "{/**", "/*", "*/", "//", "${",
    "`${", "{`${", "=>", "<>", "</", "</>", "/>", "<a", "<A", "<a>", "</a>", "<a/>", "<A/>", "<!--", "-->",
    "<!", "<!A", "<!>", "<?", "?>", "<![CDATA[", "]]>", "<!DOCTYPE", '<a b="', "<a b='", "<a b={", '<a b={"',
    "<A b={<B c={", "<a b", "[a](b)", "[a](", "[a](<", "[a][", "[a][b]", "![a](", "[^a]", "[^a]:", "*[a]:",
    "[!NOTE]", "{.a", "{:", "{:.a}", "{#a}", "{#a", "--8<--", "8<-", "{!", "{! a", "{*", "{* a", "++a++",
    "++a+", "==a", "==a==", ":material-a", ":material-a:", "https://a.", "www.a", "a@b", "<https://a", "<a@b>",
    "'.", '."', "a.", "A.b.c.", "1.", '\u3002', ",", ";", "highlight-next-line", "[TOC]", "\u00ad", "\u200b",
    "\ufeff", "\u0301", "\U0001f469\u200d", "é",
)  # fmt: skip
_BLANKS = (" ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2028", " \n", "a \n", "  \n", "\\\n", "a\n", "a\n\n", "    a\n")
_LINES = (
    "- a", "* a", "+ a", "1. a", "1) a", "- ", "> a", ">", "# a", "## a", "###### a", "#", "a\n=", "a\n-", "a\n---\n",
    "---", "***", "===", "a\n: b\n", ": b", "|a|", "|a|\n|-|", "|", "|-|", "a|b\n-|-", "```a", "```\na\n```", "~~~",
    "\ta", "      a", "[a]: b", "[a]: <", "[a]:\n", '[a]: b "', "[^a]: b\n", "[^a]:", "*[a]: b", "!!! a", "!!!",
    "??? a",
    '=== "a"', "=== ", ':::a', ":::", ":::a[b", ":::a{", '--8<-- "a"', "--8<--", "{! a !}", "{* a *}", "::: a.b",
    "/// a", "/// a | b", "///", "import a from 'a'", "import {a", "import a", "export const a = 1",
    "export const a = {",
    "export {", "<a>", "<a", "</a>", "<div>", "<div markdown>", "<div\nmarkdown", "<Tabs>", "<TabItem value='a'>",
    "<Tabs values={[{label: 'a', value: 'b'}]}>", "<details>\n<summary>a", "<pre>", "<pre><code>", "<script>", "<!--",
    "<?", "<![CDATA[", "$$", "$$\na\n$$", "{/*", "{a", "{'a'}", "<table><tr><td>", "<td>", "[x] a", "- [ ] a", "> - a",
    "- > a", "- - a", "> [!NOTE]\n> a", "a: b", "a: [", "? a", "- a: b", "&a b", "*a", "---\na: b\n---", "%TAG",
    "title: '",
    'title: "', "title: |", "location: a", "Sitemap: a", "User-agent: a", "Disallow: /*a*$", "Allow: /a",
    "https://a.b/c",
)  # fmt: skip
_ELEMENTS = (
    "a", "abbr", "address", "area", "article", "aside", "b", "base", "blockquote", "body", "br", "button",
    "caption", "code", "col", "colgroup", "dd", "details", "dialog", "div", "dl", "dt", "em", "embed",
    "fieldset", "figcaption", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2", "head",
    "header", "hr", "html", "i", "iframe", "img", "input", "label", "legend", "li", "link", "main", "map",
    "math", "menu", "meta", "nav", "nobr", "noscript", "object", "ol", "optgroup", "option", "p", "param",
    "path", "plaintext", "pre", "q", "rp", "rt", "ruby", "s", "samp", "script", "section", "select", "small",
    "source", "span", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template",
    "textarea", "tfoot", "th", "thead", "title", "tr", "track", "tt", "u", "ul", "var", "video", "wbr", "xmp",
    "mi", "mrow", "foreignObject", "x-y",
)  # fmt: skip
_ATTRIBUTES = (
    "id=a", "class='admonition note'", "class='tabbed-set'", "class=highlight", "class=language-js", "role=tab",
    "role=tabpanel", "href=#a", "href=/a", "name=a", "style='display:none'", "class='footnote-ref'", "hidden",
    "aria-hidden=true", "class=headerlink", "class=toctree-wrapper", "data-a=b", "for=a",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hostile:
    """A family of hostile texts.

    text: makes a text of about the given length in characters.
    is_extra: similar to another family; used only with `--all`.
    """

    name: str
    text: Callable[[int], str]
    is_extra: bool = False


def _repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda length: before + unit * (length // len(unit)) + after


def _mirrored(opening: str, closing: str, inner: str = "a") -> Callable[[int], str]:
    def text(length: int) -> str:
        depth = length // (len(opening) + len(closing))
        return opening * depth + inner + closing * depth

    return text


def _numbered(unit: str, *rest: str) -> Callable[[int], str]:
    """Repeated units, numbered in place of N: all of the first, then all of the second."""

    def text(length: int) -> str:
        count = length // sum(len(part) + 5 for part in (unit, *rest))
        return "".join(part.replace("N", str(number)) for part in (unit, *rest) for number in range(count))

    return text


def of_text() -> Iterator[Hostile]:
    """Texts for readers of Markdown, markup or configuration."""
    for mark in (*_MARKS, *_BLANKS):
        for unit in (mark, f"a {mark} ", f"{mark}a", f"{mark}\n", f"a{mark}\n\n"):
            yield Hostile(repr(unit), _repeated(unit), unit not in {mark, f"a {mark} "})
        yield Hostile(f"{mark!r} once", _repeated("a ", mark))
        yield Hostile(f"{mark!r} once, lines", _repeated("a\n", mark), is_extra=True)
        yield Hostile(f"{mark!r} once, blanks", _repeated(" ", f"a{mark}", "b"), is_extra=True)
    for line in _LINES:
        yield Hostile(f"{line!r} lines", _repeated(line + "\n"))
        yield Hostile(f"{line!r} apart", _repeated(line + "\n\n"), is_extra=True)
        yield Hostile(f"{line!r} blank", _repeated(line + " "), is_extra=True)
        yield Hostile(f"{line!r} once", _repeated("a b\n", line + "\n"))
        yield Hostile(f"{line!r} once, indented", _repeated("    a\n", line + "\n"), is_extra=True)
    for opening, closing in (
        ("[", "]"),
        ("[", "](a)"),
        ("![", "](a)"),
        ("(", ")"),
        ("{", "}"),
        ("<a>", "</a>"),
        ("*", "*"),
        ("**a", "**"),
        ("_", "_"),
        ("~~", "~~"),
        ("`", "`"),
        ("<A b={", "}>"),
        ("$", "$"),
        ("<div>\n", "\n</div>"),
        (":::a\n", "\n:::"),
        ("> ", ""),
        ("- ", ""),
        ("[^a", "]"),
        ("<b>", "</i>"),
        ("<ul><li>", "</li></ul>"),
        ("<!--", "-->"),
        ("`a", "``"),
        ('"', "'"),
    ):
        yield Hostile(f"{opening!r} in each other", _mirrored(opening, closing))
    for first in ("*", "_", "[", "`", "<", "{", "(", "!", "$", "~", '"', "\\"):
        for second in ("*", "_", "]", "``", ">", "}", ")", "(", "$$", "~~", "'", "a "):
            yield Hostile(f"{first + second!r} by turns", _repeated(f"{first}a{second}"), is_extra=True)
    yield from (
        Hostile("backticks that grow", lambda n: "".join("`" * k + " " for k in range(1, int((2 * n) ** 0.5)))),
        Hostile("colons that grow", lambda n: "".join(":" * k + "a\n" for k in range(3, int((2 * n) ** 0.5)))),
        Hostile("quotations that deepen", lambda n: "".join(">" * k + " a\n" for k in range(1, int((2 * n) ** 0.5)))),
        Hostile("lists that deepen", lambda n: "".join("  " * k + "- a\n" for k in range(int(n**0.5)))),
        Hostile("admonitions that deepen",
        lambda n: "".join(" " * 4 * k + "!!! a\n" for k in range(int((n / 2) ** 0.5)))),
        Hostile("references and their use", _numbered("[N]: a\n", "[N] ")),
        Hostile("footnotes and their use", _numbered("[^N]: a\n\n", "[^N] ")),
        Hostile("footnotes in footnotes", _numbered("[^N]: [^N1]\n\n")),
        Hostile("ids and headings", _numbered("## a\n", "## a_N\n", "## a-N\n")),
        Hostile("ids given", _numbered("## a {#a_N}\n", "## a\n")),
        Hostile("imports and their use", _numbered("import AN from './N.mdx'\n", "<AN/>\n")),
        Hostile("a wide table", lambda n: f"{'|a' * (n // 8)}\n{'|-' * (n // 8)}\n" + "|a\n" * (n // 8)),
        Hostile("a long heading of a long page", lambda n: "a " * (n // 4) + "\n---\n" + "a\n\n" * (n // 6)),
        Hostile("a long label of a footnote", lambda n: f"[^{'a' * (n // 2)}]: b\n" + "    b\n\n" * (n // 16)),
        Hostile("a long item", lambda n: "- " + "a\n  " * (n // 4)),
        Hostile("words", _repeated("word ")),
        Hostile("letters", _repeated("a")),
        Hostile("digits", _repeated("9")),
        Hostile("wide letters", _repeated("語")),
        Hostile("camel case", _repeated("aB")),
    )  # fmt: skip


def of_html() -> Iterator[Hostile]:
    """Further texts for readers of HTML."""
    for name in _ELEMENTS:
        yield Hostile(f"<{name}> open", _repeated(f"<{name}>"))
        yield Hostile(f"<{name}> with text", _repeated(f"<{name}>a b "), is_extra=True)
        yield Hostile(f"</{name}>", _repeated(f"</{name}>", "<p>a"), is_extra=True)
        yield Hostile(f"<{name}> closed", _repeated(f"<{name}>a</{name}> "), is_extra=True)
        yield Hostile(f"<{name}> in each other", _mirrored(f"<{name}>", f"</{name}>"))
        yield Hostile(f"<{name}> in a table", _repeated(f"<{name}>a", "<table>"), is_extra=True)
        yield Hostile(f"<{name}> in a heading", _repeated(f"<{name}>a", "<h2>"), is_extra=True)
        yield Hostile(f"<{name}> and paragraphs", _repeated("<p>a", f"<main><{name}>"))
    for name in ("a", "p", "div", "li", "td", "pre", "span", "h2", "section", "table", "sup", "button", "label"):
        for attribute in _ATTRIBUTES:
            yield Hostile(f"<{name} {attribute}>", _repeated(f"<{name} {attribute}>a</{name}>"))
            yield Hostile(f"<{name} {attribute}> open", _repeated(f"<{name} {attribute}>a"), is_extra=True)
    for outer, inner in (
        ("select", "option"),
        ("select", "a"),
        ("ul", "li"),
        ("ol", "li"),
        ("dl", "dt"),
        ("dl", "dd"),
        ("table", "tr"),
        ("table", "td"),
        ("table", "a"),
        ("pre", "span"),
        ("code", "a"),
        ("p", "b"),
        ("details", "summary"),
        ("body", "body"),
        ("svg", "path"),
        ("math", "mi"),
        ("h1", "h2"),
        ("nav", "a"),
        ("figure", "img"),
        ("ruby", "rt"),
        ("b", "p"),
        ("a", "div"),
        ("form", "input"),
    ):
        yield Hostile(f"<{outer}> of <{inner}>", _repeated(f"<{inner}>a</{inner}>", f"<{outer}>", f"</{outer}>"))
        yield Hostile(f"<{outer}> of open <{inner}>", _repeated(f"<{inner}>a", f"<{outer}>"))
        yield Hostile(f"<{outer}><{inner}> by turns", _repeated(f"<{outer}><{inner}>a</{outer}></{inner}>"))
    yield from (
        Hostile("attributes", _numbered("<p aN=b>a</p>")),
        Hostile("attributes of one tag", lambda n: "<p " + " ".join(f"a{k}=b" for k in range(n // 8)) + ">a</p>"),
        Hostile("classes of one tag", lambda n: "<p class='" + "a-b " * (n // 4) + "'>a</p>"),
        Hostile("a wide row", lambda n: f"<table><tr>{'<td>a' * (n // 10)}{'<tr><td>a' * (n // 18)}</table>"),
        Hostile("spans of cells", _repeated("<td colspan=1000 rowspan=1000>a", "<table><tr>")),
        Hostile("links to ids", _numbered("<a href=#N>a</a> ", "<p id=N>a</p>")),
        Hostile("tabs and panels", _numbered("<a role=tab aria-controls=N>a</a>", "<div role=tabpanel id=N>a</div>")),
        Hostile("labels and inputs", _numbered("<label for=N>a</label>", "<input id=N type=radio>")),
        Hostile("footnotes", _numbered("<a class=footnote-ref href=#fnN>1</a>", "<li id=fnN>a</li>")),
        Hostile("a long base", lambda n: f"<base href='/{'a' * (n // 2)}/'>" + "<a href=b>b</a> " * (n // 32)),
        Hostile("a long heading", lambda n: f"<h2>{'a ' * (n // 4)}</h2>" + "<p>a" * (n // 8)),
        Hostile("metas", _numbered("<meta name=N content=a>")),
        Hostile("keywords", _repeated("<meta name=keywords content='a,b'>", "<head>")),
    )  # fmt: skip
