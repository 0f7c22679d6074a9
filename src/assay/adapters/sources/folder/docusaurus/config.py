"""Reads the values that decide URLs from docusaurus.config.*, without running it.

The file is a program. Only its literals are read: objects, arrays, strings, numbers, true, false and null, and strings
in constants (`const base = '/docs'`), also where a template literal names them (`${base}/`). A computed value
(`process.env.X`, a call) is unknown, and Docusaurus's default is used.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

CONFIG_NAMES = tuple(f"docusaurus.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs", "mts", "cts"))

Literal = str | float | bool | None


@dataclass(slots=True)
class Bracketed:
    """A bracketed part of the program: an object, an array, or anything else in brackets.

    name: the property whose value it is; None if none.
    literals: literal properties by name.
    groups: properties that are groups, by name.
    items: literals and groups without a name, in order.
    complete: every item of an array could be read.
    names: of all properties, also of those with computed values.
    """

    bracket: str
    name: str | None
    parent: "Bracketed | None"
    literals: dict[str, Literal] = field(default_factory=dict)
    groups: dict[str, "Bracketed"] = field(default_factory=dict)
    items: "list[Literal | Bracketed]" = field(default_factory=list)
    complete: bool = True
    names: set[str] = field(default_factory=set)

    def text(self, name: str) -> str | None:
        """A string property; None when it is missing or of another type."""
        value = self.literals.get(name)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class DocsInstance:
    """One docs plugin of a site. Paths are relative to the site's folder; None and empty mean unknown or default.

    id: "default" for the preset's.
    route: routeBasePath without slashes around it; None when not configured.
    numbers: number prefixes of file names are removed.
    version_paths: name and URL segment of each version with a configured segment.
    only_versions: the versions that are built; None for all.
    """

    id: str = "default"
    path: str = "docs"
    route: str | None = None
    last_version: str | None = None
    include_current: bool = True
    versioned: bool = True
    numbers: bool = True
    version_paths: tuple[tuple[str, str], ...] = ()
    only_versions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DocusaurusConfig:
    """The readable values of a Docusaurus configuration.

    url: scheme and host of the site. base_path: path it is served under.
    locales: those that are built; None when unknown.
    trailing_slash: pages have addresses with a slash at the end.
    instances: its docs plugins; empty when docs are turned off.
    markdown_format: "mdx", "md" or "detect".
    computed: which of `url` and `baseUrl` have values that are not known.
    """

    url: str | None = None
    base_path: str | None = None
    default_locale: str | None = None
    locales: tuple[str, ...] | None = None
    instances: tuple[DocsInstance, ...] = (DocsInstance(),)
    markdown_format: str = "mdx"
    trailing_slash: bool = False
    computed: tuple[str, ...] = ()


_MAX_PARENTHESES = 8


def read_config(program: str) -> DocusaurusConfig:
    """Read the text of a docusaurus.config.* file; unknown values keep their default."""
    groups = list(_groups(program))
    site = _site(groups)
    i18n = next((group for group in groups if group.name == "i18n" and group.bracket == "{"), None)
    locales = i18n.groups.get("locales") if i18n else None
    markdown = site.groups.get("markdown") if site else None
    return DocusaurusConfig(
        url=site.text("url") if site else None,
        base_path=site.text("baseUrl") if site else None,
        default_locale=i18n.text("defaultLocale") if i18n else None,
        locales=_string_list(locales),
        instances=tuple(_instances(groups)),
        markdown_format=(markdown.text("format") if markdown else None) or "mdx",
        trailing_slash=site is not None and site.literals.get("trailingSlash") is True,
        computed=tuple(name for name in ("url", "baseUrl") if site and name in site.names and site.text(name) is None),
    )


def _site(groups: list[Bracketed]) -> Bracketed | None:
    """The configuration object: the one with url and baseUrl, else with either."""
    objects = [group for group in groups if group.bracket == "{"]
    both = [group for group in objects if {"url", "baseUrl"} <= {*group.literals, *group.groups}]
    titled = [group for group in objects if {"url", "baseUrl"} & group.names and "title" in group.names]
    titled.sort(key=lambda group: {"url", "baseUrl"} <= group.names, reverse=True)
    return next(iter([*both, *titled]), None)


def _instances(groups: list[Bracketed]) -> Iterator[DocsInstance]:
    preset = [group for group in groups if "docs" in {*group.groups, *group.literals} and _in_preset(group)]
    if not preset:
        replaced = any((options.text("id") or "default") == "default" for options in _plugin_options(groups))
        yield from () if replaced else (DocsInstance(),)
    for group in preset[:1]:
        if group.literals.get("docs") is not False:
            options = group.groups.get("docs")
            yield _instance(options) if options else DocsInstance()
    for options in _plugin_options(groups):
        yield _instance(options)


def _in_preset(group: Bracketed) -> bool:
    """Whether a group holds a preset's options, `["classic", {docs: …}]`; themeConfig has a docs property too."""
    pair = group.parent
    for _ in range(_MAX_PARENTHESES):  # `({docs: …})` under a type comment
        if pair is not None and pair.bracket == "(":
            pair = pair.parent
    first = _first_text(pair) if pair is not None and pair.bracket == "[" else None
    return first is not None and ("classic" in first or "preset" in first)


def _first_text(group: Bracketed) -> str | None:
    """The first string of an array: `"classic"`, or the argument of `require.resolve("classic")`."""
    first = group.items[0] if group.items else None
    if isinstance(first, Bracketed):
        first = first.items[0] if first.bracket == "(" and first.items else None
    return first if isinstance(first, str) else None


def _plugin_options(groups: list[Bracketed]) -> Iterator[Bracketed]:
    for group in groups:
        first = _first_text(group) if group.bracket == "[" else None
        if first is not None and first.endswith("content-docs"):
            options = next((item for item in group.items[1:] if isinstance(item, Bracketed)), None)
            while options is not None and options.bracket == "(":
                options = next((item for item in options.items if isinstance(item, Bracketed)), None)
            yield options or Bracketed("{", None, group)


def _instance(options: Bracketed) -> DocsInstance:
    route = options.text("routeBasePath")
    versions = options.groups.get("versions")
    paths = [(name, group.text("path")) for name, group in versions.groups.items()] if versions else []
    return DocsInstance(
        id=options.text("id") or "default",
        path=options.text("path") or "docs",
        route=None if route is None else route.strip("/"),
        last_version=options.text("lastVersion"),
        include_current=options.literals.get("includeCurrentVersion") is not False,
        versioned=options.literals.get("disableVersioning") is not True,
        numbers=options.literals.get("numberPrefixParser") is not False,
        version_paths=tuple((name, path.strip("/")) for name, path in paths if path is not None),
        only_versions=_string_list(options.groups.get("onlyIncludeVersions")),
    )


def _string_list(group: Bracketed | None) -> tuple[str, ...] | None:
    if group is None or group.bracket != "[" or not group.complete:
        return None
    texts = tuple(item for item in group.items if isinstance(item, str))
    return texts if texts and len(texts) == len(group.items) else None


# --- the program's literals ----------------------------------------------------------------------------------------

# Possessive repetitions, and unclosed strings end with their line: no text takes quadratic time.
_TOKEN = re.compile(
    r"""
      (?P<skip>\s++|//[^\n]*+|/\*.*?(?:\*/|\Z))
    | (?P<string>'(?:[^'\\\n]|\\.)*+'?|"(?:[^"\\\n]|\\.)*+"?|`(?:[^`\\]|\\.)*+`?)
    | (?P<number>\d[\w.]*+)
    | (?P<word>[A-Za-z_$][\w$]*+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,99}+\]){1,99}+/\w*+")
_WORDS: dict[str, Literal] = {"true": True, "false": False, "null": None}
_CLOSES = {")": "(", "]": "[", "}": "{"}
_DECLARES = frozenset({"const", "let", "var"})
_TYPED = 3
"""Tokens of a name and its type: `base: string`."""

_NAMED_PART = re.compile(r"\$\{\s{0,9}([A-Za-z_$][\w$]{0,99})\s{0,9}\}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def _tokens(program: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token; a regular expression is one token of kind "other"."""
    position, before = 0, ""
    while position < len(program):
        match = _TOKEN.match(program, position)
        if match is None:  # unreachable: the last branch matches any character
            return
        # A slash after a value divides; anywhere else it starts a regular expression.
        pattern = _PATTERN.match(program, position) if match[0] == "/" and before in set("(,=:[!&|?{};") else None
        position = (pattern or match).end()
        if match.lastgroup == "skip":
            continue
        before = "/" if pattern else match[0]
        yield (match.lastgroup or "other", before)


def _groups(program: str) -> Iterator[Bracketed]:
    """Every bracketed group of a program, outer before inner."""
    tokens = [("other", ";"), *_tokens(program), ("other", ";")]
    constants = _constants(tokens)
    top = Bracketed("", None, None)
    found, current, name = [top], top, None
    for index in range(1, len(tokens) - 1):
        (kind, text), before, after = tokens[index], tokens[index - 1][1], tokens[index + 1][1]
        if kind == "other" and text in "([{":
            current = _open(text, name if before == ":" else None, current)
            found.append(current)
        elif kind == "other" and text in _CLOSES:
            while current.parent is not None and current.bracket != _CLOSES[text]:
                current = current.parent
            current = current.parent or top
        elif current.bracket == "{" and before in {"{", ","} and after == ":" and kind in {"string", "word"}:
            name = _value(kind, text, constants) if kind == "string" else text
            current.names.update([name] if isinstance(name, str) else [])
            continue
        elif before in {"{", ","} and after in {",", "}"} and current.bracket == "{" and text in constants:
            current.names.add(text)
            _add_literal(current, text, kind, text, constants)
        elif before in {":", "[", ",", "("} and after in {",", "}", "]", ")"}:
            _add_literal(current, name if before == ":" else None, kind, text, constants)
        elif current.bracket == "[" and text != ",":
            current.complete = False
        if text != ":":
            name = None
    return iter(found)


def _open(bracket: str, name: Literal, parent: Bracketed) -> Bracketed:
    group = Bracketed(bracket, name if isinstance(name, str) else None, parent)
    if group.name is not None and parent.bracket == "{":
        parent.groups.setdefault(group.name, group)
    else:
        parent.items.append(group)
    return group


def _constants(tokens: list[tuple[str, str]]) -> dict[str, str]:
    """The strings that `const name = "…"` defines; a name with several values is unknown."""
    found: dict[str, set[Literal]] = {}
    for index, (_, text) in enumerate(tokens):
        if text not in _DECLARES:
            continue
        rest = tokens[index + 1 : index + 7]
        if len(rest) > _TYPED and [one[1] for one in rest[1:_TYPED]] == [":", "string"]:
            rest = [rest[0], *rest[_TYPED:]]
        if len(rest) < len("n=s;") or rest[0][0] != "word" or rest[1][1] != "=":
            continue
        (kind, value), (after_kind, after) = rest[2], rest[3]
        is_whole = kind == "string" and (after == ";" or after_kind == "word")
        known = {name: one for name, values in found.items() for one in values if isinstance(one, str)}
        found.setdefault(rest[0][1], set()).add(_value(kind, value, known) if is_whole else None)
    return {name: value for name, (value, *more) in found.items() if isinstance(value, str) and not more}


def _add_literal(group: Bracketed, name: Literal, kind: str, text: str, constants: Mapping[str, str]) -> None:
    if kind not in {"string", "number"} and text not in _WORDS and text not in constants:
        group.complete = False
    elif isinstance(name, str) and group.bracket == "{":
        group.literals.setdefault(name, _value(kind, text, constants))
    else:
        group.items.append(_value(kind, text, constants))


def _value(kind: str, text: str, constants: Mapping[str, str]) -> Literal:
    if kind == "string":
        value = _ESCAPE.sub(r"\1", text[1:-1])
        return _interpolated(value, constants) if text[0] == "`" else value
    if kind == "number":
        return 0.0
    return _WORDS[text] if text in _WORDS else constants[text]


def _interpolated(template: str, constants: Mapping[str, str]) -> str | None:
    """A template literal with the constants that it names; None if another part is computed."""
    value = _NAMED_PART.sub(lambda part: constants.get(part[1], part[0]), template)
    return None if "${" in value else value
