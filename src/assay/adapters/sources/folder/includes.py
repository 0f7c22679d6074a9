"""Files that a page imports or embeds, and the files that it may link to.

Supported statements: MDX `import Part from './_part.mdx'` and `import code from '!!raw-loader!./code.js'`, snippets
(`--8<-- "file"`, also as a block of files), `{! file !}` and `{* file hl[1] *}`.

An include is keyed by its path as written, without the selected lines or section. If two includes write the same path
for different files, the text of the later one is changed to `@root/` and the path from the root, so that a path has one
meaning within a page.
"""

import os
import posixpath
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from assay.adapters.sources.folder.files import inside, read_text
from assay.errors import InputError

_IMPORT = re.compile(
    r"""from[ \t]*(?P<quote>["'])(?P<path>(?:[^"'\n\\]|\\.){1,500}?\.mdx?"""
    r"""|!{0,2}raw-loader!(?:[^"'\n\\]|\\.){1,500})(?P=quote)"""
)
_IMPORTABLE = re.compile(r"""\.mdx?["']""")
_SNIPPET = re.compile(r"""^[ \t]*-{1,9}8<-{1,9}[ \t]+(?P<quote>["'])(?P<path>[^"'\n]{1,500})(?P=quote)""", re.MULTILINE)
_SNIPPET_BLOCK = re.compile(
    r"^[ \t]*-{1,9}8<-{1,9}[ \t]*\n(?P<paths>(?:(?![ \t]*-{1,9}8<-)[^\n]*\n){1,200}?)[ \t]*-{1,9}8<-", re.MULTILINE
)
_EMBED = re.compile(r"\{(?P<mark>[*!])>?[ \t]*(?P<path>[^\s!*{}][^\s!{}]{0,500})[^{}\n]{0,500}(?P=mark)\}")
_SELECTION_REVERSED = re.compile(r"(?:(?:\d*+-?:)?\d*+-?(?:,(?:\d*+-?:)?\d*+-?)*|[\w-]++):")
"""Lines or a section, backwards: so they end where the path does, and are looked for once."""
MAX_PATH_LENGTH = 500
"""Longest path as written, in characters."""
_MAX_NAMED = 3
"""Missing includes listed in a warning."""
_LOADER = re.compile(r"!{0,2}raw-loader!")
_FENCED = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=fence)|\Z)", re.MULTILINE | re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class IncludeRules:
    """Where included files are found. Paths are posix and relative to the root.

    root: resolved; nothing outside it is read.
    site: folder that `@site` means.
    folders: searched for embedded files, in this order, before the page's own folder.
    limit: most bytes of one file, and most characters of all files included in one page.
    imports, embeds: pages use MDX imports, and the other statements.
    """

    root: Path
    site: str
    folders: tuple[str, ...]
    limit: int
    imports: bool = True
    embeds: bool = True


@dataclass(frozen=True, slots=True)
class _Statement:
    """One include statement. written: its path. imported: it is an MDX import."""

    written: str
    imported: bool


def find_includes(rules: IncludeRules, key: str, text: str) -> dict[str, str]:
    """Read every file that a page includes, directly or through another, by its path as written.

    key: the page's path relative to the root. A file that is missing, not text, or outside the root is omitted.

    Raises InputError when their total size is over the limit.
    """
    found: dict[str, str] = {}
    targets: dict[str, str] = {}
    queue = deque([(key, _statements(rules, text))])
    size = 0
    while queue:
        origin, statements = queue.popleft()
        for statement in statements:
            _resolve_target(rules, origin, statement, targets)
        for statement in statements:
            target = targets.get(statement.written)
            content = None if target is None or statement.written in found else _load(rules, target)
            if content is None or target is None:
                continue
            size += len(content)
            if size > rules.limit:
                raise InputError(f"the files it includes are together over {rules.limit:,} characters (max_page_bytes)")
            found[statement.written] = content = _rename_ambiguous(rules, target, content, targets)
            queue.append((target, _statements(rules, content)))
    return found


def missing_includes(rules: IncludeRules, text: str, found: Mapping[str, str]) -> tuple[str, ...]:
    """The included paths that find_includes did not find, without duplicates.

    Of the imports, those of Markdown outside code count, whose text the page shows; also those of a package, which are
    no files of the folder.
    """
    named: list[_Statement] = []
    for part in (text, *found.values()):
        statements = _statements(rules, part)
        shown = _imported_markdown(part) if any(one.imported for one in statements) else set()
        named += [one for one in statements if not one.imported or one.written in shown]
    return tuple(dict.fromkeys(one.written for one in named if one.written not in found))


def _imported_markdown(text: str) -> set[str]:
    """The paths of Markdown that a text imports, except in fenced code."""
    lines = _FENCED.sub("", text).splitlines()
    imports = (_IMPORT.search(line) for line in lines if line.startswith("import "))
    return {match["path"] for match in imports if match is not None and "!" not in match["path"]}


def describe_missing(missing: Sequence[tuple[str, str]], root: Path) -> str:
    """A message with the number of missing includes and the first of them. missing: page and path of each."""
    first = ", ".join(f"{path} (in {page})" for page, path in missing[:_MAX_NAMED])
    more = ", …" if len(missing) > _MAX_NAMED else ""
    return (
        f"includes not found: {len(missing)}. Their text is missing in the pages: {first}{more}. "
        f"Only files inside {root} are included. If the build of the site makes them, publish the built site instead."
    )


def _statements(rules: IncludeRules, text: str) -> list[_Statement]:
    """The include statements of a text without duplicates; those in code examples cost a file check."""
    found: list[_Statement] = []
    if rules.imports and (_IMPORTABLE.search(text) or "raw-loader!" in text):
        found += [_Statement(match["path"], imported=True) for match in _IMPORT.finditer(text)]
    if rules.embeds and "8<-" in text:
        found += [_Statement(_file_of(match["path"]), imported=False) for match in _SNIPPET.finditer(text)]
        for block in _SNIPPET_BLOCK.finditer(text):
            names = (line.strip() for line in block["paths"].splitlines())
            found += [
                _Statement(_file_of(name), imported=False)
                for name in names
                if 0 < len(name) <= MAX_PATH_LENGTH and name[0] != ";"
            ]
    if rules.embeds and ("!}" in text or "*}" in text):
        found += [_Statement(match["path"], imported=False) for match in _EMBED.finditer(text)]
    return list(dict.fromkeys(found))


def _file_of(written: str) -> str:
    """A snippet's path without the selected lines or section."""
    named = written.strip()
    selection = _SELECTION_REVERSED.match(named[::-1])
    return (named[: -selection.end()] if selection else named) or named


def _resolve_target(rules: IncludeRules, origin: str, statement: _Statement, targets: dict[str, str]) -> None:
    if statement.written not in targets:
        target = _locate(rules, origin, statement)
        if target is not None:
            targets[statement.written] = target


def _locate(rules: IncludeRules, origin: str, statement: _Statement) -> str | None:
    """The file that a statement in `origin` refers to, relative to the root; None if there is none inside it."""
    for candidate in _candidates(rules, origin, statement):
        normal = posixpath.normpath(candidate)
        if normal.startswith(("../", "/")) or normal in {".", ".."} or "\x00" in normal:
            continue
        path = os.path.join(rules.root, normal)  # noqa: PTH118 - a Path would cost more than the check
        if os.path.isfile(path) and inside(rules.root, os.path.realpath(path)):  # noqa: PTH113 - as above
            return normal
    return None


def _candidates(rules: IncludeRules, origin: str, statement: _Statement) -> Iterator[str]:
    here = posixpath.dirname(origin)
    if statement.written.startswith("@root/"):
        yield statement.written.removeprefix("@root/")
    elif statement.imported:
        path = _ESCAPED.sub(r"\1", _LOADER.sub("", statement.written))
        if path.startswith("@site/"):
            yield posixpath.join(rules.site, path.removeprefix("@site/"))
        elif path.startswith(("./", "../")):
            yield posixpath.join(here, path)
    elif "://" not in statement.written:
        for folder in (*rules.folders, here):
            yield posixpath.join(folder, statement.written)


def read_inside(rules: IncludeRules, path: str) -> str | None:
    """Read a file by its path relative to the root; None when it is missing, not text, or outside the root."""
    if "\x00" in path or not inside(rules.root, os.path.realpath(rules.root / path)):
        return None
    return _load(rules, path)


def _load(rules: IncludeRules, target: str) -> str | None:
    try:
        return read_text(str(rules.root / target), rules.limit)
    except InputError:
        return None


def _rename_ambiguous(rules: IncludeRules, origin: str, text: str, targets: dict[str, str]) -> str:
    """Rename paths in an include's text that already refer to another file."""
    for statement in _statements(rules, text):
        target = _locate(rules, origin, statement)
        if target is not None and targets.setdefault(statement.written, target) != target:
            pattern = re.compile(rf"(?<![\w./@-]){re.escape(statement.written)}(?![\w/.-])")
            text = pattern.sub(lambda _match, alias=f"@root/{target}": alias, text)  # type: ignore[misc]  # a bound default
    return text


# --- links ---------------------------------------------------------------------------------------------------------

_FILE_NAME_END = re.compile(r"\.m(?:dx?|arkdown)\b", re.IGNORECASE)
_MAX_LINK_LENGTH = 300


def _delimiters(characters: str) -> dict[int, str]:
    return dict.fromkeys(map(ord, characters), "\0")


_ANY_END = _delimiters(" \t\n()<>\"'=[]{}|")
_ENDS_WITH_BRACKETS = _delimiters(" \t\n<>\"'[]")  # in [a](b(c).md) the name has brackets
_ENDS_WITH_SPACES = _delimiters("\n()<>\"'[]")  # in [a](<b c.md>) it has spaces
_SURE_BEGINNINGS = ("](", '"', "'", "<")


def mentioned_files(text: str) -> tuple[str, ...]:
    """Every path of a Markdown file that a text could link to, as written but unescaped, without duplicates.

    This is a superset: names in running text or code count, and a name with an unclear start is listed in each form.
    """
    found: dict[str, None] = {}
    for match in _FILE_NAME_END.finditer(text):
        head = text[max(0, match.start() - _MAX_LINK_LENGTH) : match.end()]
        path = head.translate(_ANY_END).rpartition("\0")[2]
        paths = [path]
        if not head[: len(head) - len(path)].endswith(_SURE_BEGINNINGS):
            paths += [head.translate(ends).rpartition("\0")[2] for ends in (_ENDS_WITH_BRACKETS, _ENDS_WITH_SPACES)]
        for path in paths:
            name = path.lstrip("( ")
            if name != match[0] and "://" not in name:
                found[unquote(name)] = None
    return tuple(found)


def link_candidates(key: str, path: str, site: str) -> Iterator[str]:
    """The keys that a link may refer to: from the page's folder, the root and the site's folder."""
    if path.startswith("@site/"):
        yield posixpath.normpath(path.removeprefix("@site/"))
        yield posixpath.normpath(posixpath.join(site, path.removeprefix("@site/")))
    else:
        yield posixpath.normpath(posixpath.join(posixpath.dirname(key), path))
        yield posixpath.normpath(path.lstrip("/"))
