"""A folder or archive of built HTML as a source, read by the rules of a crawled site and without a server."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from assay.adapters.sources.built.archive import ARCHIVES, is_archive, unpacked
from assay.adapters.sources.built.declared import declared_base
from assay.adapters.sources.built.files import SiteFiles, walk
from assay.adapters.sources.built.host import FolderHost
from assay.adapters.sources.folder.files import inside
from assay.adapters.sources.site.addresses import normalize_url
from assay.adapters.sources.site.options import DefaultVariant, Politeness, SiteLimits, SiteRequest, SiteScope
from assay.adapters.sources.site.source import SiteSource
from assay.errors import InputError, SourceError
from assay.model.documents import PageExcluded, PageFailed, PageRead, UnreadFiles
from assay.model.ids import canonical_url
from assay.ports import Progress, Silence, TaskRunner

logger = logging.getLogger(__name__)

_UNLIMITED = 1_000_000_000_000
_NO_PAGES_HINT = (
    "Give the folder that the site generator writes (such as build, dist, site, public, _site, book or _build/html)."
)


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """Everything that defines the reading of a built site.

    path: folder or archive. base_url: address of the site's root; None if it is not known.
    name: of the source; None for the host of base_url, as for a crawled site, so that both have the same documents.
    scope: prefixes to read. obeys_robots: whether robots.txt and `noindex` count. max_page_bytes: larger pages fail.
    """

    path: Path
    base_url: str | None
    name: str | None
    scope: SiteScope
    variants: DefaultVariant
    max_page_bytes: int
    obeys_robots: bool = True


class BuiltSource:
    """Documents from the HTML that a site generator wrote.

    store_path: file that keeps what was found on each page between reads.
    data_dir: Assay's own folder, which is never read.
    """

    def __init__(self, request: BuiltRequest, store_path: Path, data_dir: Path | None = None) -> None:
        self._given = request
        self._store_path = store_path
        self._data_dir = data_dir
        self.name = request.name or urlsplit(request.base_url or "").hostname or request.path.name or "root"

    def check(self) -> None:
        """Raise SourceError unless the folder exists, InputError without a usable base URL."""
        self._resolve_root()
        self._base_url()

    def read(
        self, known: Mapping[str, str], progress: Progress | None = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        """Yield every page once, in ascending order of keys, then the number of other files.

        known: source hash by page key; an unchanged page is yielded without its content.

        Raises SourceError when the folder cannot be read or has no pages, ConfigurationError when it lacks the
        requested version or locale, InputError without a usable base URL.
        """
        base_url = self._base_url()
        with self._open(self._resolve_root()) as files:
            self._require_pages(files)
            if tasks is not None and not known:
                tasks.expect(len(files.pages), files.bytes_of_pages())
            self._warn_of_another_base(files, base_url)
            site = SiteSource(self._site_request(base_url), self._store_path, lambda _: FolderHost(files, base_url))
            yield from site.read(known, progress or Silence(), tasks)
        yield from (PageFailed(path, reason) for path, reason in files.failed)
        yield from (PageExcluded(path, reason) for path, reason in files.excluded)
        if files.others:
            yield UnreadFiles(dict(sorted(files.others.items())), {})

    def _open(self, root: Path) -> AbstractContextManager[SiteFiles]:
        """The files of the site. Raises SourceError."""
        if root.is_dir():
            return nullcontext(walk(root, self._data_dir))
        return unpacked(root, self._data_dir, self._given.max_page_bytes)

    def _base_url(self) -> str:
        """The address of the site's root, with a trailing slash. Raises InputError."""
        given = self._given.base_url
        if given is None:
            with self._open(self._resolve_root()) as files:
                declared = declared_base(files)
            said = "" if declared is None else f" Its sitemap or its canonical links name {declared}."
            raise InputError(
                f"{self._given.path} is a built site, and its address is not known.{said}",
                hint=f"Give the URL at which it is published: `--base-url {declared or 'https://docs.example.org'}`, "
                "or base_url in [[sources]].",
            )
        base = normalize_url(canonical_url(given))  # with the host in ASCII, as in the addresses of pages
        if base is None or "?" in base or not base.startswith("http"):
            raise InputError(
                f"The base URL {given!r} is not the address of a site.", hint="Write it as https://docs.example.org."
            )
        return base.rstrip("/") + "/"

    def _resolve_root(self) -> Path:
        """The folder or archive. Raises SourceError."""
        path = self._given.path
        try:
            root = path.resolve(strict=True)
        except FileNotFoundError:
            raise SourceError(f"There is no folder or archive {path}.", hint="Check the path.") from None
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of symlinks, before Python 3.13
            raise SourceError(f"{path} cannot be read: {error}.", hint="Check the path.") from None
        if not root.is_dir() and not (root.is_file() and is_archive(path)):
            raise SourceError(
                f"{path} is neither a folder nor an archive ({', '.join(ARCHIVES)}).", hint=_NO_PAGES_HINT
            )
        if self._data_dir is not None and inside(self._data_dir.resolve(), str(root)):
            raise SourceError(f"{path} is Assay's own folder.", hint=_NO_PAGES_HINT)
        return root

    def _require_pages(self, files: SiteFiles) -> None:
        if files.pages:
            return
        others = ", ".join(f"{count} .{suffix or 'other'}" for suffix, count in files.others.most_common(5))
        raise SourceError(
            f"There is no HTML page in {self._given.path}{f'; it has {others}' if others else ''}.",
            hint=f"Run the build first. {_NO_PAGES_HINT}",
        )

    def _warn_of_another_base(self, files: SiteFiles, base_url: str) -> None:
        """Warn if the site says that its root has another path: links within it would lead nowhere."""
        declared = declared_base(files)
        if declared is not None and urlsplit(declared).path != urlsplit(base_url).path:
            logger.warning(
                "%s: its sitemap or its canonical links say that %s is published at %s, not at %s; check --base-url.",
                self.name,
                self._given.path,
                declared,
                base_url,
            )

    def _site_request(self, base_url: str) -> SiteRequest:
        """The request of a crawl without the limits and the politeness that only a network needs."""
        given = self._given
        limits = SiteLimits(
            max_pages=_UNLIMITED,
            max_depth=_UNLIMITED,
            max_page_bytes=given.max_page_bytes,
            max_total_bytes=_UNLIMITED,
            max_seconds=float(_UNLIMITED),
        )
        politeness = Politeness(
            concurrency=None, delay_seconds=0.0, retries=0, robots=given.obeys_robots, max_wait_seconds=0.0
        )
        return SiteRequest(base_url, self.name, given.scope, limits, politeness, given.variants)
