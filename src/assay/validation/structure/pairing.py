"""Pair the live generation's pages with the candidate's: a page may have got its first public address. No I/O."""

from collections.abc import Iterable

from assay.model.documents import DocumentInfo
from assay.model.ids import is_placeholder
from assay.validation.structure.hosts import is_provisional


def pair_pages(live: Iterable[DocumentInfo], candidate: Iterable[DocumentInfo]) -> dict[str, str]:
    """By URL, each live page that the candidate still has, with its URL in the candidate.

    A page is the same under the same URL. A page with a placeholder or another provisional address is also the same if
    its file is: giving it an address breaks no link.
    """
    live, now = list(live), list(candidate)
    urls = {info.url for info in now}
    same = {info.url: info.url for info in live if info.url in urls}
    files = {_file(info): info.url for info in now}
    named = {info.url: files[_file(info)] for info in live if is_placeholder(info.url) and _file(info) in files}
    taken = set(same.values())
    moved = {old: new for old, new in {**named, **first_real_addresses(live, now)}.items() if new not in taken}
    return {**moved, **same}


def first_real_addresses(live: Iterable[DocumentInfo], candidate: Iterable[DocumentInfo]) -> dict[str, str]:
    """The new address of each live page whose address was provisional, if its file is now at a public one."""
    now = {_file(info): info.url for info in candidate if not is_provisional(info.url)}
    provisional = (info for info in live if is_provisional(info.url) and not is_placeholder(info.url))
    return {info.url: now[_file(info)] for info in provisional if _file(info) in now}


def _file(info: DocumentInfo) -> tuple[str, str]:
    return info.source, info.source_path
