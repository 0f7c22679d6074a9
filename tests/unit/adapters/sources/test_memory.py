"""The source in memory does what the kit says, and what tests need of it."""

import pytest
from tests.memory_source import MemorySource

from assay.errors import InputError, SourceError
from assay.model.documents import PageExcluded, PageFailed, RawPage
from assay.testing import EditablePlace, SourceConformance

BASE = "https://docs.example.org"


class TestMemorySource(SourceConformance):
    @pytest.fixture
    def place(self) -> EditablePlace:
        pages: dict[str, str | RawPage | PageFailed | PageExcluded] = {
            "intro.md": "# Intro\n",
            "guide/setup.mdx": "---\ntitle: Set up\n---\nText\n",
            "guide/index.md": "# Guide\n",
            "draft.md": PageExcluded("draft.md", "a draft"),
        }

        def edit(key: str) -> None:
            pages[key] = f"{pages[key]}\nMore.\n"

        def spoil(key: str) -> None:
            pages[key] = PageFailed(key, "spoiled")

        return EditablePlace(
            source=MemorySource(pages, name="memory", base_url=BASE),
            edit=edit,
            remove=pages.__delitem__,
            spoil=spoil,
            unreadable=MemorySource(pages, name="memory", base_url=BASE, failure=SourceError("out of reach")),
        )


def test_a_text_becomes_a_page_as_in_a_plain_folder() -> None:
    source = MemorySource(
        {"guide/index.md": "---\ntitle: Guide\ntags: [a]\n---\nText\n"}, name="m", base_url=f"{BASE}/x/"
    )
    (page,) = source.read({})
    assert isinstance(page, RawPage)
    assert (page.url, page.title, page.tags, page.content, page.first_line) == (
        f"{BASE}/x/guide",
        "Guide",
        ("a",),
        "Text\n",
        5,
    )


def test_pages_at_the_root_of_a_host_have_canonical_urls() -> None:
    source = MemorySource({"index.md": "a", "b.md": "b"}, name="m", base_url=BASE)
    assert [page.url for page in source.read({}) if isinstance(page, RawPage)] == [f"{BASE}/b", f"{BASE}/"]


def test_a_text_with_broken_front_matter_fails() -> None:
    (page,) = MemorySource({"a.md": "---\na: b: c\n---\n"}, name="m", base_url=BASE).read({})
    assert page == PageFailed("a.md", "line 2: not valid YAML (mapping values are not allowed in this context)")


def test_a_page_under_another_key_is_refused() -> None:
    source = MemorySource({"a.md": PageFailed("b.md", "why")}, name="m", base_url=BASE)
    with pytest.raises(InputError, match=r"'b\.md' is stored under the key 'a\.md'"):
        list(source.read({}))
