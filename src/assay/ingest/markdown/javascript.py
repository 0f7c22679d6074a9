"""A minimal JavaScript scanner: the ends of expressions and statements in MDX, and their visible text."""

import re

_FLAT_BRACES = re.compile(r"\{[^{}\"'`/<]*\}")
_MARK = re.compile(r"[{}()\[\]\"'`\n]|//|/\*")
_TEMPLATE_MARK = re.compile(r"\\.|`|\$\{", re.DOTALL)
_STRINGS = {quote: re.compile(rf"{quote}(?:[^{quote}\\\n]|\\.)*+{quote}") for quote in "\"'"}
_STRING_LITERAL = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`|(\d[\d.]*))\s*""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_PAIRS = {"{": "}", "(": ")", "[": "]"}
_DEEPEST = 200

_IMPORT = re.compile(
    r"""import\s*(?:
        (?P<bare>["'][^"'\n]+["'])
        |(?P<names>[\w$*{][^;"'`]{0,2000}?)\sfrom\s*["'](?P<path>[^"'\n]+)["']
        |(?P<spread>\{[^;"'`]{0,2000}?\})\s*from\s*["'](?P<spread_path>[^"'\n]+)["']
        )[ \t]*(?:with\s*\{[^}]*\}[ \t]*)?;?""",
    re.VERBOSE,
)
_EXPORT = re.compile(r"export\s*(?:default\b|const\b|let\b|var\b|function\b|async\b|class\b|type\b|interface\b|\{|\*)")
_DEFAULT_NAME = re.compile(r"([A-Za-z_$][\w$]*)")


def flat_end(source: str, position: int, end: int) -> int:
    """The end of an expression without quotes, tags and braces; -1 when it is not one."""
    flat = _FLAT_BRACES.match(source, position, end)
    return flat.end() if flat else -1


def skip_braces(source: str, position: int, end: int) -> int:
    """The end of the expression that starts with a brace, brace included; -1 when it does not end before `end`."""
    flat = flat_end(source, position, end)
    return flat if flat >= 0 else _skip_balanced(source, position, end, 0)


def _skip_balanced(source: str, position: int, end: int, depth: int) -> int:
    """The position of the matching bracket; brackets of other kinds need not match."""
    if depth > _DEEPEST:
        return -1
    opened = 0
    while found := _MARK.search(source, position, end):
        mark, position = found[0], found.end()
        if mark == "{":
            opened += 1
        elif mark == "}":
            opened -= 1
            if opened == 0:
                return position
        elif mark not in "()[]\n":
            position = _skip_literal(source, found.start(), end, depth)
            if position < 0:
                return -1
    return -1


def _skip_literal(source: str, position: int, end: int, depth: int) -> int:
    """The end of the string, template or comment that starts here; just after its first character when it is none."""
    mark = source[position]
    if mark == "`":
        return _skip_template(source, position, end, depth)
    if mark in _STRINGS:
        string = _STRINGS[mark].match(source, position, end)
        return string.end() if string else position + 1  # an apostrophe in text between tags
    if source.startswith("/*", position):
        close = source.find("*/", position + 2, end)
        return close + 2 if close >= 0 else -1
    if position and source[position - 1] == ":":  # https://
        return position + 2
    newline = source.find("\n", position, end)
    return newline if newline >= 0 else end


def _skip_template(source: str, position: int, end: int, depth: int) -> int:
    position += 1
    while found := _TEMPLATE_MARK.search(source, position, end):
        position = found.end()
        if found[0] == "`":
            return position
        if found[0] == "${":
            position = _skip_balanced(source, position - 1, end, depth + 1)
            if position < 0:
                return -1
    return -1


def skip_statement(source: str, position: int, end: int) -> tuple[int, bool]:
    """The end of the export that starts here: the first blank line outside its brackets, or `end`.

    The second value is False if its brackets are never closed; it then ends at its first blank line.
    """
    opened, first_blank = 0, -1
    while found := _MARK.search(source, position, end):
        mark, position = found[0], found.end()
        if mark == "\n":
            if _is_blank_line(source, position, end):
                if opened <= 0:
                    return position, True
                first_blank = position if first_blank < 0 else first_blank
        elif mark in _PAIRS:
            opened += 1
        elif mark in "})]":
            opened -= 1
        else:
            after = _skip_literal(source, found.start(), end, 0)
            position = after if after >= 0 else position
    return (end, True) if opened <= 0 else (first_blank if first_blank >= 0 else end, False)


def _is_blank_line(source: str, position: int, end: int) -> bool:
    newline = source.find("\n", position, end)
    return not source[position : newline if newline >= 0 else end].strip()


def match_import(source: str, position: int, end: int) -> tuple[int, str, str] | None:
    """Match an import statement: its end, the name of its default import ("" for none) and its path."""
    found = _IMPORT.match(source, position, end)
    if not found:
        return None
    name = _DEFAULT_NAME.match(found["names"] or "")
    path = found["path"] or found["spread_path"] or (found["bare"] or "").strip("\"'")
    return found.end(), name[1] if name else "", path


def is_export(source: str, position: int) -> bool:
    """Whether an export statement starts here."""
    return _EXPORT.match(source, position) is not None


def shown_text(expression: str) -> str:
    """The visible text of an expression without its braces, if known: a string or a number, else ""."""
    literal = _STRING_LITERAL.fullmatch(expression)
    if not literal:
        return ""
    if literal[4]:
        return literal[4]
    return unescaped(next(group for group in literal.groups() if group is not None))


def unescaped(written: str) -> str:
    """A string's text, from between its quotes; U+FFFD for NUL and for half a surrogate pair."""
    if "\\" not in written:
        return written
    text = _ESCAPE.sub(_character, written).replace("\0", "\ufffd")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(match: re.Match[str]) -> str:
    code = match[2] or match[3] or match[4]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return _ESCAPED.get(match[1], match[1])
