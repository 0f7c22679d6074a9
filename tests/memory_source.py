"""An in-memory source, for tests of code that reads a source."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from assay.adapters.sources.folder.front_matter import page_tags, page_title, split_front_matter
from assay.adapters.sources.folder.routing import REVISION, page_url, plain_route
from assay.errors import InputError, SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage
from assay.model.ids import canonical_url, slug_from_path
from assay.ports import Progress, TaskRunner


class MemorySource:
    """Documents from a mapping, which may be changed between reads.

    pages: by key, a path such as `guide/intro.md`: Markdown with or without front matter, or the item to yield.
    name: of the source. base_url: prefix of a page's URL; the rest is its path without the suffix.
    failure: raised by every read; None for none.
    """

    def __init__(
        self,
        pages: Mapping[str, str | RawPage | PageFailed | PageExcluded],
        *,
        name: str,
        base_url: str,
        failure: SourceError | None = None,
    ) -> None:
        self.pages = pages
        self.failure = failure
        self._name = name
        self._base_url = canonical_url(base_url)

    @property
    def name(self) -> str:
        """Short name; stored with every document."""
        return self._name

    def read(
        self, known: Mapping[str, str], progress: Progress | None = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        """Yield every page in ascending order of keys.

        Raises SourceError if `failure` is set, InputError for a page under a key that is not its own.
        """
        if self.failure is not None:
            raise self.failure
        for key, page in sorted(self.pages.items()):
            item = self._from_text(key, page) if isinstance(page, str) else page
            if item.key != key:
                raise InputError(
                    f"The page {item.key!r} is stored under the key {key!r}.", hint="Use the page's own key."
                )
            if isinstance(item, RawPage) and known.get(key) == item.source_hash:
                yield PageUnchanged(key, item.source_hash)
            else:
                yield item

    def _from_text(self, key: str, text: str) -> RawPage | PageFailed:
        try:
            front = split_front_matter(text)
            url = page_url(self._base_url, plain_route(key))
        except InputError as error:
            return PageFailed(key, error.message)
        return RawPage(
            key=key,
            url=url,
            content=front.content,
            media_type=MediaType.MDX if key.endswith(".mdx") else MediaType.MARKDOWN,
            source=self._name,
            source_path=key,
            source_hash=hashlib.sha256(json.dumps([REVISION, self._name, url, key, text]).encode()).hexdigest(),
            slug=slug_from_path(key),
            title=page_title(front.values),
            first_line=front.first_line,
            site_root=self._base_url,
            tags=page_tags(front.values),
            front_matter=front.values,
        )
