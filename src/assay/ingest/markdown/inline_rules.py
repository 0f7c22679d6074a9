"""Inline rules in addition to CommonMark's: tags, formulas, and the inline syntax of MkDocs' extensions."""

import re

from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline

from assay.ingest.markdown.emoji import NAMED, emoji
from assay.ingest.markdown.macros import macro_end
from assay.ingest.markdown.scanning import charge, comment_end, declaration_end, tag_at

_FORMULA = re.compile(r"\$\$(?>[^$]+)\$\$|\$(?![\s$\d])(?>[^$\n`]{1,2000})(?<![\s\\])\$(?!\d)")
_ATTRIBUTE = r"""(?:[.#]?[\w:-]++=(?:"[^"\n]*+"|'[^'\n]*+'|[^\s{}"']++)|[.#][^\s{}.#]++)"""
_ATTRIBUTE_LIST = re.compile(rf"\{{:?[ ]*+(?:{_ATTRIBUTE}[ ]*+)++\}}|\{{:[^{{}}\n]*+\}}")
_SECOND_LABEL = re.compile(r"\s?\[([^\[\]]*)\]")
_EDIT = re.compile(r"\{(\+\+|--|~~|==|>>)([^{}\n]{1,1000}?)(?:\+\+|--|~~|==|<<)\}")
_RAISED = re.compile(r"(~|\^)(?!\1)((?:[^\s~^\\`]|\\ ){1,100})\1(?!\1)")
_ENDS_OF_ELEMENTS = frozenset("`*_)]>~=^+:$")
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple|custom|logos|twemoji)-[a-z0-9-]+:")
_KEY = r"(?:[a-z0-9-]+|\"[^\"+\n]+\")"
_KEYS = re.compile(rf"\+\+({_KEY}(?:\+{_KEY})*)\+\+")
_MARK = re.compile(r"(==|\^\^)(?=\S)(?>[^=^\n]{1,1000})(?<=\S)\1")


WIKI_LINKS = "wiki links"
"""Key in the parser's environment: whether `[[page]]` is a link."""

_WIKI_LINK = re.compile(r"(!?)\[\[(?=[\w#./])([^\[\]|\n,\"']{1,200})(?:\|([^\[\]\n]{0,300}))?\]\]")

RULES = "mkdocs rules"
"""Key in the parser's environment: the MkDocsRules of the page."""

IN_HEADING = "in a heading"
"""Key in the parser's environment: whether a heading is read, in which a list at the start is text."""


def special_characters(characters: str) -> re.Pattern[str]:
    """A pattern for the characters that can start anything but plain text; `]` ends a link's text.

    A colon counts only at a name between colons: most colons are ordinary text.
    """
    others = re.escape("".join(sorted({*characters, "]"} - {":"})))
    return re.compile(rf"[{others}]|:(?=[\w+-]+:)" if ":" in characters else f"[{others}]")


def inline_tag(state: StateInline, silent: bool) -> bool:
    """A tag in inline text; comments and declarations are ignored."""
    source, position = state.src, state.pos
    if source.startswith("<!--", position):
        after = comment_end(state.env, source, position, state.posMax)
        if after < 0:
            return False
    elif parsed := tag_at(state.env, source, position, state.posMax):
        tag, after = parsed
        if not silent:
            state.push("tag", "", 0).meta = {"tag": tag}
    elif (after := declaration_end(state.env, source, position, state.posMax)) < 0:
        return False
    state.pos = after
    return True


def formula(state: StateInline, silent: bool) -> bool:
    """A formula between dollar signs, unchanged."""
    return _match_pattern(state, _FORMULA, silent, "formula")


def macro(state: StateInline, silent: bool) -> bool:  # noqa: ARG001 - the signature of a rule
    """A Jinja macro; its output is known only to the site's build, so it is omitted."""
    is_macro = state.src[state.pos + 1 : state.pos + 2] in {"{", "%", "#"} and state.env[RULES].macros
    if not is_macro or not charge(state.env, 0):
        return False
    end = macro_end(state.src, state.pos, state.posMax)
    if end < 0:
        charge(state.env, state.posMax - state.pos)
        return False
    state.pos = end
    return True


def attribute_list(state: StateInline, silent: bool) -> bool:
    """An attribute list after an element or at the start of a line; elsewhere it is text."""
    before = state.src[state.pos - 1 : state.pos].strip(" ") or state.src[: state.pos].rstrip(" ")[-1:]
    follows = before in _ENDS_OF_ELEMENTS and state.src[state.pos - 1 : state.pos] != " "
    starts_line = before in {"", "\n"} and not state.env.get(IN_HEADING)
    if not state.env[RULES].attribute_lists or not (follows or starts_line):
        return False
    return _match_pattern(state, _ATTRIBUTE_LIST, silent, None)


def icon(state: StateInline, silent: bool) -> bool:
    """An icon by its short name; omitted."""
    return state.env[RULES].icons and _match_pattern(state, _ICON, silent, None)


def wiki_link(state: StateInline, silent: bool) -> bool:
    """`[[page]]` or `[[page|text]]`, with `!` if the page is embedded."""
    found = _WIKI_LINK.match(state.src, state.pos, state.posMax) if state.env[WIKI_LINKS] else None
    if not found:
        return False
    if not silent:
        token = state.push("wiki_link", "", 0)
        token.meta = {"name": found[2].strip(), "text": (found[3] or "").strip(), "embeds": bool(found[1])}
    state.pos = found.end()
    return True


def named_emoji(state: StateInline, silent: bool) -> bool:
    """An emoji by its name; the token has the character, and the name as info."""
    found = NAMED.match(state.src, state.pos, state.posMax)
    character = emoji(found[1]) if found else None
    if not found or character is None:
        return False
    if not silent:
        token = state.push("emoji", "", 0)
        token.content, token.info = character, found[1]
    state.pos = found.end()
    return True


def keys(state: StateInline, silent: bool) -> bool:
    """Keys to press together: `++ctrl+alt+del++` shows Ctrl+Alt+Del."""
    found = _KEYS.match(state.src, state.pos, state.posMax)
    if not found or state.src[state.pos - 1 : state.pos] == "{":
        return False
    if not silent:
        names = found[1].split("+")
        shown = (name.strip('"') if name.startswith('"') else name.replace("-", " ").title() for name in names)
        state.append_pending("+".join(shown))
    state.pos = found.end()
    return True


def reference_link(state: StateInline, silent: bool) -> bool:
    """A link by reference of Python-Markdown: with a blank before the second bracket, or before a footnote, `[a][^1]`.

    CommonMark's own rule has found none here.
    """
    references = state.env.get("references")
    closing = state.md.helpers.parseLinkLabel(state, state.pos, True) if references else -1
    if closing < 0 or not references:
        return False
    text = state.src[state.pos + 1 : closing]
    second = _SECOND_LABEL.match(state.src, closing + 1, state.posMax)
    end = second.end() if second else closing + 1
    reference = references.get(normalizeReference((second[1] if second else "") or text))
    if reference is None:
        reference, end = references.get(normalizeReference(text)), closing + 1
    if reference is None:
        return False
    if not silent:
        inside, last = (state.pos + 1, closing), state.posMax
        state.push("link_open", "a", 1).attrs = {"href": reference["href"]}
        state.pos, state.posMax = inside
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.push("link_close", "a", -1)
        state.posMax = last
    state.pos = end
    return True


def edited_text(state: StateInline, silent: bool) -> bool:
    """A change to the text, which the site shows with what it replaces: `{++new++}`, `{--old--}`, `{~~old~>new~~}`."""
    found = _EDIT.match(state.src, state.pos, state.posMax) if state.env[RULES].edits else None
    if not found:
        return False
    if not silent:
        state.append_pending(found[2].replace("~>", "", 1) if found[1] == "~~" else found[2])
    state.pos = found.end()
    return True


def raised_text(state: StateInline, silent: bool) -> bool:
    """Subscript `H~2~O` or superscript `x^2^`, without its marks."""
    found = _RAISED.match(state.src, state.pos, state.posMax)
    if not found or not (state.env[RULES].subscripts if found[1] == "~" else state.env[RULES].superscripts):
        return False
    if not silent:
        state.append_pending(found[2])
    state.pos = found.end()
    return True


def highlighted_text(state: StateInline, silent: bool) -> bool:
    """Marked (`==`) or inserted (`^^`) text, without its marks."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    inside, end = (found.start() + 2, found.end() - 2), state.posMax
    if not silent:
        state.pos, state.posMax = inside
        state.level += 1
        state.md.inline.tokenize(state)
        state.level -= 1
    state.pos, state.posMax = found.end(), end
    return True


def _match_pattern(state: StateInline, pattern: re.Pattern[str], silent: bool, token: str | None) -> bool:
    found = pattern.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if token and not silent:
        state.push(token, "", 0).content = found[0]
    state.pos = found.end()
    return True
