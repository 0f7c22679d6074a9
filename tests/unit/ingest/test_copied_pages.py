"""Pages with the content of an earlier page come out as if they had been read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.pages import page

from assay.adapters.stores.bm25 import Bm25Encoder
from assay.errors import InputError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.indexing.counting import PageCounter
from assay.ingest.reading import read_page
from assay.model.documents import MediaType, RawPage

RULES = ChunkingRules(120, None, 40, "words")
COUNTER = PageCounter(Bm25Encoder("english"), None)
LINKS = {f"{folder}/{name}.md": f"https://docs.example/{folder}/{name}" for folder in ("1.0", "2.0") for name in "abc"}

BODIES = [
    "# Motors\n\nTurn it.\n\n## Wiring\n\nRed is plus.\n\n## Wiring\n\nRed is plus.",
    "No heading at all, in one line.",
    "Repeated.\n\n" * 30,
    "See [b](b.md), [its part](./b.md#part), [up](../c), [top](/top), [here](#here), [out](https://example.org/x).",
    '<a href="b.md">in HTML</a> and <a href="../x">above</a>, ![image](pic.png), [nowhere](javascript:alert(1)).',
    "[one][r] and [two][r]\n\n[r]: b.md 'title'\n\n| a | b |\n|---|---|\n| [cell](c.md) | x |",
    "```py\nx = 1\n```\n\n- [item](a.md)\n  1. [sub](#s)\n\n> [quoted](b.md)",
]


def _version(body: str, version: str | None, **changes: Any) -> RawPage:  # noqa: ANN401 - any field
    changes = {"source_path": f"{version}/a.md", "generator": "docusaurus", "links": LINKS, "locale": "en"} | changes
    return page(
        body,
        key=f"{version}/a.md",
        url=f"https://docs.example/{version}/a",
        version=version,
        version_is_current=version == "2.0",
        slug=f"version-{version}-a",
        source_hash=(version or "x")[0] * 64,
        **changes,
    )


def _read(raw: RawPage) -> Cut:
    document = read_page(raw)
    chunks = chunk_document(document, RULES, _words)
    return Cut(document, chunks, COUNTER.count(chunks))


def _words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def _kept(*pages: RawPage) -> CopiedPages:
    copies = CopiedPages()
    for raw in pages:
        assert not copies.is_copy(raw)
        copies.keep(raw, _read(raw))
    return copies


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
@pytest.mark.parametrize("body", BODIES)
def test_a_copy_in_another_version_is_as_if_it_had_been_read(body: str, generator: str | None) -> None:
    first, copy = (_version(body, version, generator=generator) for version in ("1.0", "2.0"))
    copies = _kept(first)
    assert copies.is_copy(copy)
    cut = copies.cut(copy)
    assert cut == _read(copy)
    assert cut.document.links == read_page(copy).links


def test_each_of_the_references_of_a_page_is_followed_anew() -> None:
    body = "[b](b.md) [up](../c) [here](#h) [out](https://example.org/x) [site](/y)"
    first, copy = (_version(body, version) for version in ("1.0", "2.0"))
    cut = _kept(first).cut(copy)
    assert cut is not None
    assert [link.target for link in cut.document.links] == [
        "https://docs.example/2.0/b",
        "https://docs.example/c",
        "https://docs.example/2.0/a#h",
        "https://example.org/x",
        "https://docs.example.org/y",
    ]


def test_links_that_part_in_the_copy_make_it_be_read() -> None:
    first, copy = (_version("[one](b.md) [two](/1.0/b)", v, site_root="https://docs.example") for v in ("1.0", "2.0"))
    copies = _kept(first)
    assert read_page(first).links[0].target == read_page(first).links[1].target
    assert read_page(copy).links[0].target != read_page(copy).links[1].target
    assert copies.cut(copy) is None


def test_links_that_only_one_of_the_pages_can_have() -> None:
    near, far = (_version(f"[long]({'x' * 1_950})", version) for version in ("1.0", "2.0"))
    far = replace(far, url=f"https://docs.example/{'y' * 100}/z")
    assert (len(read_page(near).links), len(read_page(far).links)) == (1, 0)
    assert _kept(near).cut(far) == _read(far)
    assert _kept(far).cut(near) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "Other"},
        {"title": "Other"},
        {"tags": ("other",)},
        {"front_matter": {"title": "Other"}},
        {"generator": "mkdocs"},
        {"is_commonmark": True},
        {"media_type": MediaType.MDX},
        {"source_path": "2.0/other.md"},
    ],
)
def test_a_page_that_differs_is_no_copy(changes: dict[str, Any]) -> None:
    copies = _kept(_version("Text", "1.0"))
    assert not copies.is_copy(replace(_version("Text", "2.0"), **changes))


def test_an_index_without_a_title_has_the_name_of_its_own_folder() -> None:
    first = _version("Text", "1.0", source_path="1.0/motors/index.md")
    assert not _kept(first).is_copy(_version("Text", "2.0", source_path="2.0/wheels/index.md"))
    assert _kept(first).cut(same := _version("Text", "2.0", source_path="2.0/motors/index.md")) == _read(same)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": None, "locale": None},
        {"includes": {"./_part.md": "Included."}},
        {"media_type": MediaType.HTML, "content": "<main><p>Text</p></main>"},
    ],
)
def test_pages_without_variants_or_with_other_files_are_never_copies(changes: dict[str, Any]) -> None:
    copies = CopiedPages()
    first, second = (replace(_version("Text", version), **changes) for version in ("1.0", "2.0"))
    copies.keep(first, _read(first))
    assert not copies.is_copy(first)
    assert not copies.is_copy(second)
    assert not copies.has_read(second)
    assert copies.cut(second) is None


def test_wiki_links_depend_on_the_names_of_pages_so_the_copy_is_read() -> None:
    first, copy = (_version("See [[b]].", version, generator=None) for version in ("1.0", "2.0"))
    copies = CopiedPages()
    assert not copies.is_copy(first)
    copies.keep(first, _read(first))
    assert not copies.is_copy(copy)


def test_no_more_pages_are_kept_than_there_is_room_for() -> None:
    bodies = ["a" * 60, "b" * 60, "c" * 30]
    copies = CopiedPages(300)
    for body in bodies:
        raw = _version(body, "1.0")
        assert not copies.is_copy(raw)
        copies.keep(raw, _read(raw))
    assert [copies.has_read(_version(body, "2.0")) for body in bodies] == [True, False, True]
    assert not copies.is_copy(_version(bodies[1], "2.0"))


def test_pages_without_content_take_room_too() -> None:
    copies, pages = CopiedPages(1_000), [_version("", "1.0", title=f"Title {number}") for number in range(50)]
    for raw in pages:
        if not copies.is_copy(raw):
            copies.keep(raw, _read(raw))
    assert 1 < sum(map(copies.has_read, pages)) < 20


def test_nothing_is_kept_when_reading_has_ended() -> None:
    copies = _kept(_version("Text", "1.0"))
    copies.clear()
    assert not copies.has_read(_version("Text", "2.0"))
    assert not copies.is_copy(_version("Text", "2.0"))
    assert not copies.is_copy(_version("Text", "3.0"))


def test_a_page_that_could_not_be_read_has_no_copies() -> None:
    copies = CopiedPages()
    first, copy = (_version("Text", version) for version in ("1.0", "2.0"))
    assert not copies.is_copy(first)
    assert copies.is_copy(copy)
    assert not copies.has_read(copy)
    copies.forget(first)
    assert not copies.is_copy(copy)


def test_a_copy_with_an_address_that_is_too_long_is_refused_as_when_it_is_read() -> None:
    copy = replace(_version("Text", "2.0"), url="https://docs.example/" + "x" * 3_000)
    with pytest.raises(InputError, match="characters, over the limit"):
        _kept(_version("Text", "1.0")).cut(copy)
