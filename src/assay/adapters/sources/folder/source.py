"""A folder of Markdown or MDX as a source: each page with the URL, version and locale that its site gives it.

The steps, each in a module of its own: `layout` finds the site's convention and trees, `tree_files` and `files` find
and read the files, `front_matter` splits off their metadata, `routing` makes their URLs, `includes` finds embedded
and linked files.

A folder is read twice. The first pass reads every page for its URL and hash, because links need the URLs of all pages.
The second reads the content of changed pages. One page's text at a time is in memory.
"""

import hashlib
import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from assay.adapters.sources.folder.files import SUFFIXES, FoundFile, read_text
from assay.adapters.sources.folder.found_pages import (
    FoundPage,
    Item,
    ItemsByTree,
    exclude_duplicate_urls,
    key_of,
    links_by_tree,
)
from assay.adapters.sources.folder.front_matter import (
    FrontMatter,
    page_tags,
    page_title,
    split_front_matter,
    split_mkdocs_front_matter,
)
from assay.adapters.sources.folder.includes import (
    IncludeRules,
    describe_missing,
    find_includes,
    link_candidates,
    mentioned_files,
    missing_includes,
    read_inside,
)
from assay.adapters.sources.folder.layout import file_layout, find_layout
from assay.adapters.sources.folder.mkdocs.include_markdown import MarkdownIncludes
from assay.adapters.sources.folder.page_rules import (
    contents_reason,
    default_title,
    exclusion_reason,
    is_commonmark,
    path_in_tree,
    route_of,
    unpublished_reason,
)
from assay.adapters.sources.folder.projects import foreign_project
from assay.adapters.sources.folder.routing import REVISION, Convention, page_url
from assay.adapters.sources.folder.tree import Layout, LayoutOptions, Tree, unreadable_folder
from assay.adapters.sources.folder.tree_files import TreeFiles
from assay.errors import InputError, SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage, list_formats
from assay.model.ids import canonical_url, slug_from_path
from assay.ports import INFORMATION, Progress, Silence, TaskRunner

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A page's file after reading.

    fingerprint: SHA-256 of its text and everything it includes. missing: files that its plugins did not find.
    """

    front: FrontMatter
    includes: Mapping[str, str]
    fingerprint: str
    missing: tuple[str, ...] = ()


_CHECK_PATH = "Check the path: the argument of the command, or `path` of [[sources]] in assay.toml."
_CHECK = "Check the path and its permissions."
_WIKI_LINK = "[["
"""In a page's mentions: it has links to pages by their names."""


class FolderSource:
    """Documents from a folder or one file.

    root: a site, a repository with a site in it, a docs folder, or a single file.
    base_url: where the site is served, or the docs folder if only that is given. None: as the site is configured, else
        addresses under `https://docs.invalid/<name>`, which are the same on every machine.
    name: of the source; None: the name of the folder or file.
    max_page_bytes: larger pages are reported as failed.
    current_version, default_locale: searched by default; None: the site's own.
    convention: None to detect it.
    data_dir: Assay's own folder, which is never read.
    """

    def __init__(
        self,
        root: Path,
        *,
        base_url: str | None,
        name: str | None,
        max_page_bytes: int,
        current_version: str | None = None,
        default_locale: str | None = None,
        convention: Literal["docusaurus", "mkdocs", "plain"] | None = None,
        data_dir: Path | None = None,
    ) -> None:
        self._data_dir = data_dir
        self._given = root
        self._limit = max_page_bytes
        self.name = name or _name_of(root)
        self._options = LayoutOptions(
            name=self.name,
            base_url=None if base_url is None else _validated_base_url(base_url),
            convention=None if convention is None else Convention(convention),
            current_version=current_version,
            default_locale=default_locale,
        )

    def check(self) -> None:
        """Raise SourceError unless the folder or file exists."""
        _resolve_root(self._given)

    def layout(self) -> Layout:
        """Detect how the folder is served, with notices for the user. Raises SourceError, ConfigurationError."""
        root, only_file = _resolve_root(self._given)
        try:
            return (
                find_layout(root, self._options) if only_file is None else file_layout(root / only_file, self._options)
            )
        except OSError as error:
            reason = error.strerror or type(error).__name__
            named = unreadable_folder(Path(error.filename or root))
            raise SourceError(f"{named} cannot be read: {reason}.", hint=_CHECK) from None

    def read(
        self,
        known: Mapping[str, str],
        progress: Progress | None = None,
        tasks: TaskRunner | None = None,
    ) -> Iterator[PageRead]:
        """Yield every page once, tree by tree in ascending order of keys.

        known: source hash by page key; an unchanged page is yielded without its content.

        Raises SourceError when the folder cannot be read or has no pages, ConfigurationError when it lacks the
        requested version or locale.
        """
        _, only_file = _resolve_root(self._given)
        layout = self.layout()
        told = logger if known else logging.getLogger(INFORMATION)  # only with -v once it was built
        for message in layout.information:
            told.info("%s: %s", self.name, message)
        for notice in layout.notices:
            logger.warning("%s: %s", self.name, notice)
        detect_project = (
            foreign_project if layout.convention is Convention.PLAIN and not self._options.convention else None
        )
        tree_files = TreeFiles(layout, only_file, detect_project, self._data_dir)
        yield from _FolderReader(only_file, layout, self.name, self._limit, tree_files).read(
            known, progress or Silence(), tasks
        )


class _FolderReader:
    """Reads a folder once."""

    def __init__(self, only_file: str | None, layout: Layout, name: str, limit: int, tree_files: TreeFiles) -> None:
        self._root = root = layout.root
        self._only_file = only_file
        self._tree_files = tree_files
        self._layout = layout
        self._name = name
        self._limit = limit
        self._rules = IncludeRules(
            root=root,
            site=layout.site,
            folders=layout.include_folders,
            limit=limit,
            imports=layout.convention is not Convention.MKDOCS,
            embeds=layout.convention is not Convention.DOCUSAURUS,
        )
        self._digested: tuple[Mapping[str, str], str] = ({}, "")
        self._generator = None if layout.convention is Convention.PLAIN else layout.convention.value

    def read(self, known: Mapping[str, str], progress: Progress, tasks: TaskRunner | None) -> Iterator[PageRead]:
        if tasks is not None and not known:
            tasks.expect(
                len({file.key for tree in self._layout.trees for file in self._tree_files.in_tree(tree).files})
            )
        found = [self._scan(tree, known) for tree in self._layout.trees]
        found.append({key: PageExcluded(key, reason) for key, reason in self._tree_files.outside_trees()})
        unread = self._tree_files.unread_files()
        if not any(found):
            others = f"; it has {list_formats(unread.documents)}" if unread.documents else ""
            raise SourceError(
                f"There are no Markdown files in {self._root / self._layout.within}{others}.",
                hint=f"Pages end in {', '.join(SUFFIXES)}; hidden and generated folders are skipped. "
                "A folder of built HTML is read with `--convention html`.",
            )
        if unread.documents:
            formats = list_formats(unread.documents)
            logger.warning("%s: documents in unsupported formats are not in the index: %s.", self._name, formats)
        links = links_by_tree(found, self._layout.site)
        exclude_duplicate_urls(found)
        self._warn_of_missing(found)
        progress.expect(len({key_of(item) for items in found for item in items.values()}) + bool(unread))
        seen: set[str] = set()
        for number, items in enumerate(found):
            for item in items.values():
                key = key_of(item)
                if key not in seen:
                    seen.add(key)
                    yield self._read_page(item, links[number], known) if isinstance(item, FoundPage) else item
        if unread:
            yield unread

    # --- first pass ---

    def _scan(self, tree: Tree, known: Mapping[str, str]) -> dict[str, Item]:
        """Every page of a tree by its key, in ascending order."""
        findings = self._tree_files.in_tree(tree)
        items: list[Item] = []
        items += [PageExcluded(key, reason) for key, reason in findings.excluded]
        for key, reason in findings.failed:
            items.append(PageFailed(key, reason))
            if key.endswith("/"):  # a folder that cannot be listed: its pages are not gone
                items += [PageFailed(page, f"{key}: {reason}") for page in known if page.startswith(key)]
        for file in findings.files:
            path = path_in_tree(tree, file.key)
            if path is not None:
                items.append(self._scan_file(tree, file, path))
        by_key = {key_of(item): item for item in items}
        return dict(sorted(by_key.items()))

    def _scan_file(self, tree: Tree, file: FoundFile, path: str) -> Item:
        reason = exclusion_reason(tree, path)
        if reason is not None:
            return PageExcluded(file.key, reason)
        try:
            loaded = self._load(tree, file)
            front = loaded.front
            reason = unpublished_reason(tree, path, front.values) or contents_reason(tree, path, front.content)
            if reason is not None:
                return PageExcluded(file.key, reason)
            url = page_url(tree.address, route_of(tree, path, front))
        except InputError as error:
            return PageFailed(file.key, error.message)
        texts = [loaded.front.content, *loaded.includes.values()]
        mentions = tuple(dict.fromkeys(mention for text in texts for mention in mentioned_files(text)))
        if tree.convention is Convention.PLAIN and _WIKI_LINK in loaded.front.content:
            mentions = (*mentions, _WIKI_LINK)
        missing = missing_includes(self._rules, loaded.front.content, loaded.includes)
        return FoundPage(file, tree, path, url, loaded.fingerprint, mentions, (*loaded.missing, *missing))

    def _warn_of_missing(self, found: ItemsByTree) -> None:
        pages = [item for items in found for item in items.values() if isinstance(item, FoundPage)]
        missing = [(page.file.key, path) for page in pages for path in page.missing]
        if missing:
            logger.warning("%s: %s", self._name, describe_missing(missing, self._root))

    def _load(self, tree: Tree, file: FoundFile) -> _Loaded:
        """Read one page. Raises InputError with the reason."""
        text = read_text(file.path, self._limit)
        missing: tuple[str, ...] = ()
        if tree.convention is Convention.MKDOCS:
            front = split_mkdocs_front_matter(text)
            included = MarkdownIncludes(self._read_file, tree.folder, self._limit)
            content = included.put_in(file.key, front.content) if tree.plugins.includes_markdown else front.content
            appended = "".join(f'\n\n--8<-- "{path}"\n' for path in self._layout.appended)
            front, missing = replace(front, content=content + appended), tuple(included.missing)
        else:
            is_strict = tree.convention is Convention.DOCUSAURUS
            front = split_front_matter(text, required=is_strict, lenient=not is_strict)
        includes = find_includes(self._rules, file.key, front.content)
        digest = hashlib.sha256(text.encode("utf-8"))
        if tree.convention is Convention.MKDOCS:
            digest.update(front.content.encode("utf-8"))
        for path, content in sorted(includes.items()):
            digest.update(json.dumps([path, content]).encode())
        return _Loaded(front, includes, digest.hexdigest(), missing)

    def _read_file(self, path: str) -> str | None:
        return read_inside(self._rules, path)

    # --- second pass ---

    def _read_page(self, page: FoundPage, links: Mapping[str, str], known: Mapping[str, str]) -> PageRead:
        key, tree = page.file.key, page.tree
        source_hash = self._hash(page, links)
        if known.get(key) == source_hash:
            return PageUnchanged(key, source_hash)
        try:
            loaded = self._load(tree, page.file)
        except InputError as error:
            return PageFailed(key, error.message)
        if loaded.fingerprint != page.fingerprint:
            return PageFailed(key, "the file changed during the read; run again")
        values = loaded.front.values
        return RawPage(
            key=key,
            url=page.url,
            content=loaded.front.content,
            media_type=MediaType.MDX if key.lower().endswith(".mdx") else MediaType.MARKDOWN,
            source=self._name,
            source_path=key,
            source_hash=source_hash,
            slug=slug_from_path(key),
            title=page_title(values) or default_title(tree, page.path, values),
            version=tree.version,
            locale=tree.locale,
            version_is_current=tree.version_is_current,
            locale_is_default=tree.locale_is_default,
            generator=self._generator,
            first_line=loaded.front.first_line,
            site_root=tree.site_root,
            address=_address(page),
            tags=page_tags(values),
            front_matter=values,
            includes=loaded.includes,
            links=links,
            mkdocs=tree.rules,
            is_commonmark=tree.convention is Convention.DOCUSAURUS and is_commonmark(tree, page.path, values),
        )

    def _hash(self, page: FoundPage, links: Mapping[str, str]) -> str:
        """SHA-256 of everything that could change the document: text, includes, routing and link targets."""
        tree = page.tree
        targets = {
            candidate: links[candidate]
            for mention in page.mentions
            for candidate in link_candidates(page.file.key, mention, self._layout.site)
            if candidate in links
        }
        variant = [tree.version, tree.locale, tree.version_is_current, tree.locale_is_default]
        identity = [REVISION, self._name, self._generator, page.file.key, page.url, _address(page), tree.site_root]
        rules = asdict(tree.rules) if tree.convention is Convention.MKDOCS else tree.markdown_format
        titles = tree.titles.get(page.path)
        named = self._digest_of(links) if _WIKI_LINK in page.mentions else ""
        parts = [*identity, *variant, page.fingerprint, sorted(targets.items()), rules, titles, named]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _digest_of(self, links: Mapping[str, str]) -> str:
        """SHA-256 of all pages that a wiki link may mean; the pages of a tree share one mapping."""
        if self._digested[0] is not links:
            digest = hashlib.sha256(json.dumps(sorted(links.items())).encode()).hexdigest()
            self._digested = (links, digest)
        return self._digested[1]


def _address(page: FoundPage) -> str:
    """The page's URL as its site writes it; "" if that is the canonical one."""
    return f"{page.url}/" if page.tree.trailing_slash and not page.url.endswith(("/", ".html")) else ""


def _name_of(root: Path) -> str:
    resolved = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would give the name of a symlink's target
    return (resolved.stem if resolved.suffix.lower() in SUFFIXES else resolved.name) or "root"


def _validated_base_url(url: str) -> str:
    """The canonical base URL. Raises InputError when pages cannot be under it."""
    base = canonical_url(url)
    if "?" in base:
        raise InputError(f"The base URL {url!r} has a query.", hint="Remove '?' and the rest.")
    return base


def _resolve_root(given: Path) -> tuple[Path, str | None]:
    """The resolved folder to read, and the single file in it; None for all. Raises SourceError."""
    try:
        path = given.resolve(strict=True)
    except FileNotFoundError:
        raise SourceError(f"There is no folder or file {given}.", hint=_CHECK_PATH) from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of symlinks, before Python 3.13
        raise SourceError(f"{given} cannot be read: {error}.", hint=_CHECK) from None
    if path.is_dir():
        return path, None
    if path.is_file() and path.suffix.lower() in SUFFIXES:
        return path.parent, path.name
    raise SourceError(
        f"{given} is neither a folder nor a Markdown file.",
        hint=f"Give a folder, a file in {', '.join(SUFFIXES)}, or an archive of a built site (.zip, .tar.gz, .tar).",
    )
