"""A folder gives its pages as its site would, and says what it does not give and why."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.folders import LIMIT, failures, folder, pages, paths, plant, read, reasons

from assay.adapters.sources.folder.source import FolderSource
from assay.errors import ConfigurationError, InputError, SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageUnchanged, RawPage, UnreadFiles
from assay.ports import PageReader
from assay.testing import EditablePlace, SourceConformance

T = TypeVar("T")


def docusaurus(root: Path, files: dict[str, str | bytes]) -> Path:
    """A repository with a Docusaurus site, its files in docs."""
    plant(root, {"docusaurus.config.js": "", **{f"docs/{path}": content for path, content in files.items()}})
    return root


class TestFolderSource(SourceConformance):
    @pytest.fixture
    def place(self, tmp_path: Path) -> EditablePlace:
        root = docusaurus(
            tmp_path / "site",
            {
                "intro.md": "---\ntitle: Intro\n---\n# Intro\n\nSee [setup](./guides/setup.mdx).\n",
                "guides/setup.mdx": "import Part from './_part.mdx'\n\n<Part />\n",
                "guides/_part.mdx": "A part.\n",
                "guides/use.md": "# Use\n",
                "draft.md": "---\ndraft: true\n---\n",
            },
        )
        return EditablePlace(
            source=folder(root),
            edit=lambda key: (root / key).write_text((root / key).read_text() + "\nMore.\n"),
            remove=lambda key: (root / key).unlink(),
            spoil=lambda key: (root / key).write_bytes(b"\xff"),
            unreadable=folder(tmp_path / "nowhere"),
        )


# --- what a page has -----------------------------------------------------------------------------------------------


def test_a_page_has_everything_that_its_conventions_decide(tmp_path: Path) -> None:
    text = "---\ntitle: Set up\ntags: [a, b]\nsidebar_position: 2\n---\n\n# Set up\n"
    docusaurus(tmp_path, {"01-guides/02-setup.mdx": text, "index.md": ""})
    page = pages(read(tmp_path, name="handbook"))["docs/01-guides/02-setup.mdx"]
    assert page == RawPage(
        key="docs/01-guides/02-setup.mdx",
        url="https://docs.example.org/docs/guides/setup",
        content="\n# Set up\n",
        media_type=MediaType.MDX,
        source="handbook",
        source_path="docs/01-guides/02-setup.mdx",
        source_hash=page.source_hash,
        slug="01-guides-02-setup",
        title="Set up",
        generator="docusaurus",
        first_line=6,
        site_root="https://docs.example.org",
        tags=("a", "b"),
        front_matter={"title": "Set up", "tags": ["a", "b"], "sidebar_position": 2},
        links=page.links,
    )


@pytest.mark.parametrize(
    ("convention", "generator"), [("docusaurus", "docusaurus"), ("mkdocs", "mkdocs"), ("plain", None)]
)
def test_the_generator_is_the_convention(tmp_path: Path, convention: str, generator: str | None) -> None:
    plant(tmp_path, {"a.md": "A", "b.markdown": "B"})
    found = pages(read(tmp_path, convention=convention))
    assert found["a.md"].generator == generator
    assert found["a.md"].media_type is MediaType.MARKDOWN


def test_pages_of_one_tree_share_one_mapping_of_links(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "", "b/c.mdx": ""})
    found = list(pages(read(tmp_path)).values())
    assert found[0].links is found[1].links
    assert found[0].links == {
        "docs/a.md": "https://docs.example.org/docs/a",
        "a.md": "https://docs.example.org/docs/a",
        "docs/b/c.mdx": "https://docs.example.org/docs/b/c",
        "b/c.mdx": "https://docs.example.org/docs/b/c",
    }


def test_a_page_that_a_locale_lacks_is_linked_in_the_default_one(tmp_path: Path) -> None:
    plugin = "i18n/fr/docusaurus-plugin-content-docs/current"
    docusaurus(tmp_path, {"a.md": "", "b.md": ""})
    plant(tmp_path, {f"{plugin}/a.md": "[b](./b.md)"})
    links = pages(read(tmp_path))[f"{plugin}/a.md"].links
    assert links[f"{plugin}/b.md"] == links["b.md"] == "https://docs.example.org/docs/b"
    assert links[f"{plugin}/a.md"] == links["a.md"] == "https://docs.example.org/fr/docs/a"


def test_links_can_be_named_from_the_sites_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"website/docusaurus.config.js": "", "website/docs/a.md": ""})
    links = pages(read(tmp_path))["website/docs/a.md"].links
    assert links.keys() == {"website/docs/a.md", "docs/a.md", "a.md"}


def test_includes_come_with_the_page(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.mdx": "import P from './_p.mdx'\n\n<P />", "_p.mdx": "Part", "b.md": "{* a.mdx *}"})
    found = pages(read(tmp_path))
    assert found["docs/a.mdx"].includes == {"./_p.mdx": "Part"}
    assert found["docs/b.md"].includes == {}


def test_versions_and_locales_come_with_the_page(tmp_path: Path) -> None:
    plugin = "i18n/fr/docusaurus-plugin-content-docs/version-1.0"
    docusaurus(tmp_path, {"a.md": ""})
    plant(tmp_path, {"versioned_docs/version-1.0/a.md": "", f"{plugin}/a.md": ""})
    found = {key: (page.version, page.locale, page.primary) for key, page in pages(read(tmp_path)).items()}
    assert found == {
        "versioned_docs/version-1.0/a.md": ("1.0", "en", True),
        f"{plugin}/a.md": ("1.0", "fr", False),
        "docs/a.md": ("next", "en", False),
    }


def test_translations_by_suffix_are_pages_of_their_locale(tmp_path: Path) -> None:
    config = "plugins: [{i18n: {languages: [{locale: en, default: true}, {locale: fr}]}}]"
    names = ["docs/index.md", "docs/index.fr.md", "docs/a.en.md", "docs/v1.0.md"]
    plant(tmp_path, {"mkdocs.yml": config, **dict.fromkeys(names, "")})
    found = read(tmp_path)
    assert paths(found) == {
        "docs/index.md": "/",
        "docs/index.fr.md": "/fr",
        "docs/a.en.md": "/a",
        "docs/v1.0.md": "/v1.0",
    }
    assert pages(found)["docs/index.fr.md"].locale == "fr"
    assert pages(found)["docs/index.fr.md"].links["docs/a.md"] == "https://docs.example.org/a"


def test_one_file_is_a_source(tmp_path: Path) -> None:
    plant(tmp_path, {"guide.md": "import P from './_p.mdx'", "other.md": "", "_p.mdx": "Part"})
    source = folder(tmp_path / "guide.md")
    assert source.name == "guide"
    assert paths(list(source.read({}))) == {"guide.md": "/guide"}
    assert pages(list(source.read({})))["guide.md"].includes == {"./_p.mdx": "Part"}


def test_the_name_is_the_folders_own_unless_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "handbook")
    assert folder(tmp_path / "handbook").name == "handbook"
    assert folder(tmp_path / "handbook" / ".." / "handbook").name == "handbook"
    assert folder(tmp_path / "link").name == "link"
    assert folder(tmp_path, name="given").name == "given"
    assert folder(Path("/")).name == "root"


def test_without_a_base_url_a_page_has_the_same_url_on_every_machine(tmp_path: Path) -> None:
    urls = []
    for machine in ("one", "two/deep"):
        plant(tmp_path / machine / "handbook", {"a/b c.md": "A"})
        source = folder(tmp_path / machine / "handbook", None)
        urls.append([page.url for page in pages(list(source.read({}))).values()])
        assert "--base-url" in source.layout().notices[0]
    assert urls == [["https://docs.invalid/handbook/a/b%20c"]] * 2


# --- what is left out ----------------------------------------------------------------------------------------------


def test_partials_drafts_and_unlisted_pages_are_left_out_with_the_reason(tmp_path: Path) -> None:
    docusaurus(
        tmp_path,
        {
            "_part.md": "",
            "_parts/x.md": "",
            "draft.md": "---\ndraft: true\n---\n",
            "unlisted.mdx": "---\nunlisted: true\n---\n",
            "old.markdown": "",
            "not-a-draft.md": "---\ndraft: false\nunlisted: no\n---\n",
        },
    )
    items = read(tmp_path)
    assert paths(items) == {"docs/not-a-draft.md": "/docs/not-a-draft"}
    assert {key: reason.split(":")[0] for key, reason in reasons(items).items()} == {
        "docs/_part.md": "a partial",
        "docs/_parts/x.md": "in _parts/",
        "docs/draft.md": "a draft",
        "docs/unlisted.mdx": "unlisted",
        "docs/old.markdown": "Docusaurus reads only .md and .mdx",
    }
    assert not failures(items)


def test_what_mkdocs_is_configured_to_leave_out_is_left_out(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "exclude_docs: internal/", "docs/internal/a.md": "", "docs/_b.md": ""})
    items = read(tmp_path)
    assert paths(items) == {"docs/_b.md": "/_b"}
    assert reasons(items) == {"docs/internal/a.md": "excluded by the site's configuration"}


@pytest.mark.parametrize(("value", "left_out"), [("true", True), ("false", False), ("x", False)])
def test_what_an_mkdocs_page_keeps_out_of_the_sites_search_is_left_out(
    tmp_path: Path, value: str, left_out: bool
) -> None:
    plant(tmp_path, {"mkdocs.yml": "", "docs/a.md": f"---\nsearch:\n  exclude: {value}\n---\nA", "docs/b.md": ""})
    items = read(tmp_path)
    assert reasons(items) == ({"docs/a.md": "excluded from the site's search"} if left_out else {})
    assert "docs/b.md" in paths(items)


def test_of_two_pages_with_one_url_the_first_is_kept_and_both_are_named(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"b.md": "---\nslug: /a\n---\n", "a.md": "", "c.mdx": "---\nslug: a\n---\n"})
    items = read(tmp_path)
    assert paths(items) == {"docs/a.md": "/docs/a"}
    for key in ("docs/b.md", "docs/c.mdx"):
        assert isinstance(next(item for item in items if getattr(item, "key", "") == key), PageExcluded)
        assert key in reasons(items)[key]
        assert "docs/a.md" in reasons(items)[key]


def test_an_index_goes_before_a_readme(tmp_path: Path) -> None:
    plant(tmp_path, {"README.md": "readme", "index.md": "index"})
    assert list(pages(read(tmp_path))) == ["index.md"]


def test_a_translation_into_the_default_locale_takes_the_place_of_the_doc(tmp_path: Path) -> None:
    translated = "i18n/en/docusaurus-plugin-content-docs/current/a.md"
    docusaurus(tmp_path, {"a.md": "", "b.md": "[a](a.md)"})
    plant(tmp_path, {translated: ""})
    items = read(tmp_path)
    assert paths(items) == {translated: "/docs/a", "docs/b.md": "/docs/b"}
    assert pages(items)["docs/b.md"].links["docs/a.md"] == "https://docs.example.org/docs/a"


def test_only_the_docs_of_a_site_are_read(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": ""})
    plant(tmp_path, {"README.md": "", "blog/post.md": "", "packages/p/README.md": "", "src/pages/x.md": ""})
    assert [item.key for item in read(tmp_path) if isinstance(item, RawPage)] == ["docs/a.md"]


# --- what fails ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"caf\xe9", "not UTF-8: byte 0xe9 at position 3"),
        (b"a\x00b", "NUL character at position 1"),
        (b"x" * (LIMIT + 1), "over the limit of 100,000"),
        ("---\ntitle: a: b\n---\n", "line 2: not valid YAML"),
        ("---\n- a\n---\n", "front matter must be a mapping"),
        ("---\na: &a [*a]\n---\n", "is inside the value it refers to"),
        ("---\nid: a/b\n---\n", "id 'a/b' has a slash"),
        ("---\nslug: a?b\n---\n", "slug 'a?b' is not a path"),
    ],
)
def test_a_page_that_cannot_be_read_fails_alone_and_says_why(tmp_path: Path, content: str | bytes, reason: str) -> None:
    docusaurus(tmp_path, {"bad.md": content, "good.md": "Good"})
    items = read(tmp_path)
    assert list(pages(items)) == ["docs/good.md"]
    assert list(failures(items)) == ["docs/bad.md"]
    assert reason in failures(items)["docs/bad.md"]


def test_what_is_no_file_fails_alone(tmp_path: Path) -> None:
    plant(tmp_path, {"good.md": "Good", "folder.md/inner.md": "Inner"})
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "dangling.md").symlink_to("gone.md")
    items = read(tmp_path)
    assert list(pages(items)) == ["folder.md/inner.md", "good.md"]
    assert failures(items) == {
        "dangling.md": "cannot be read: No such file or directory",
        "loop.md": "cannot be read: Too many levels of symbolic links",
        "pipe.md": "not a regular file",
    }


def test_odd_front_matter_is_no_failure(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "---\ntitle: yes\n2024: x\ntags: {a: b}\n---\nA", "b.md": "---\n- list\n---\nB"})
    found = pages(read(tmp_path, convention="plain"))
    assert found["a.md"].title == "yes"
    assert found["a.md"].front_matter == {"title": "yes", "2024": "x", "tags": {"a": "b"}}
    assert found["b.md"].content == "---\n- list\n---\nB"


@pytest.mark.parametrize(
    "name", ["a b", "a#b", "a?b", "100%", "a%2Fb", "naïve", "日本語", "new\nline", "q'\"", "a..", "x" * 240]
)
def test_any_file_name_makes_a_page(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {f"f/{name}x.md": "Text"})
    page = pages(read(tmp_path))[f"f/{name}x.md"]
    assert page.url.startswith("https://docs.example.org/f/")
    assert len(page.url.split("/")) == 5
    assert len(page.slug) <= 100


def test_pages_of_a_folder_that_cannot_be_listed_are_not_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, {"a/x.md": "X", "a/b/y.md": "Y", "c.md": "C"})
    source = folder(tmp_path)
    known = {page.key: page.source_hash for page in pages(list(source.read({}))).values()}
    scandir = os.scandir

    def failing(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", failing)
    again = list(source.read(known))
    assert [item.key for item in again] == ["a/", "a/b/y.md", "a/x.md", "c.md"]
    assert [type(item) for item in again] == [PageFailed, PageFailed, PageFailed, PageUnchanged]


def test_a_page_that_changes_while_the_folder_is_read_fails(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "A", "b.md": "B", "c.md": "C"})
    reading = folder(tmp_path).read({})
    assert next(reading).key == "a.md"
    plant(tmp_path, {"b.md": "changed"})
    (tmp_path / "c.md").unlink()
    rest = list(reading)
    assert [type(item) for item in rest] == [PageFailed, PageFailed]
    assert "changed during the read" in failures(rest)["b.md"]


# --- what cannot be read at all ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["nowhere", "notes.txt", "empty", "pipe.md", "loop", "nul\x00"])
def test_what_is_no_folder_of_pages_is_an_error(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {"notes.txt": "", "empty/x.txt": ""})
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceError) as caught:
        read(tmp_path / path)
    assert caught.value.hint


def test_a_folder_in_which_every_page_is_left_out_is_no_error(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"_a.md": ""})
    assert list(reasons(read(tmp_path))) == ["docs/_a.md"]


@pytest.mark.parametrize(
    "url", ["docs.example.org", "ftp://docs.example.org", "", "https://", "https://h.example/?v=1"]
)
def test_a_base_url_that_pages_cannot_be_under_is_refused_at_once(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError):
        folder(tmp_path, url)


def test_a_convention_that_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sphinx"):
        folder(tmp_path, convention="sphinx")


def test_a_version_that_is_not_there_is_an_error_of_configuration(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": ""})
    with pytest.raises(ConfigurationError):
        read(tmp_path, current_version="9")


# --- what is unchanged ---------------------------------------------------------------------------------------------


def changed(source: FolderSource, known: dict[str, str]) -> set[str]:
    """Keys of the pages that do not come as unchanged."""
    return {item.key for item in source.read(known) if not isinstance(item, PageUnchanged | PageExcluded | UnreadFiles)}


def remembered(source: FolderSource) -> dict[str, str]:
    return {page.key: page.source_hash for page in pages(list(source.read({}))).values()}


def test_a_page_changes_when_what_it_includes_does(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.mdx": "import P from './_p.mdx'", "_p.mdx": "one", "b.md": "b"})
    source = folder(tmp_path)
    known = remembered(source)
    plant(tmp_path, {"docs/_p.mdx": "two"})
    assert changed(source, known) == {"docs/a.mdx"}


def test_a_page_changes_when_a_file_that_it_includes_appears(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.mdx": "import P from './_p.mdx'", "b.md": "b"})
    source = folder(tmp_path)
    known = remembered(source)
    plant(tmp_path, {"docs/_p.mdx": "new"})
    assert changed(source, known) == {"docs/a.mdx"}


def test_a_page_changes_when_one_that_it_links_to_moves(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "[b](./b.md#x) [c](c.md)", "b.md": "B", "c.md": "C", "d.md": "no links"})
    source = folder(tmp_path)
    known = remembered(source)
    plant(tmp_path, {"docs/b.md": "---\nslug: /moved\n---\nB"})
    assert changed(source, known) == {"docs/a.md", "docs/b.md"}


def test_pages_that_link_to_a_removed_page_change_and_no_others(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "[b](b.md)", "b.md": "B", "d.md": "D"})
    source = folder(tmp_path)
    known = remembered(source)
    (tmp_path / "docs/b.md").unlink()
    assert changed(source, known) == {"docs/a.md"}


def test_a_new_page_changes_no_page_that_does_not_link_to_it(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "A", "b.md": "[later](later.md)"})
    source = folder(tmp_path)
    known = remembered(source)
    plant(tmp_path, {"docs/later.md": "L", "docs/other.md": "O"})
    assert changed(source, known) == {"docs/b.md", "docs/later.md", "docs/other.md"}


def test_a_page_with_wiki_links_changes_when_any_page_comes_or_moves(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "[[B]]", "b.md": "", "c.md": "none"})
    before = pages(read(tmp_path))
    plant(tmp_path, {"d/e.md": ""})
    after = pages(read(tmp_path))
    assert [key for key in before if before[key].source_hash != after[key].source_hash] == ["a.md"]


def test_every_page_changes_when_its_address_version_or_convention_does(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "A"})
    known = remembered(folder(tmp_path))
    assert changed(folder(tmp_path), known) == set()
    assert changed(folder(tmp_path, "https://other.example"), known) == {"docs/a.md"}
    assert changed(folder(tmp_path, convention="plain", base_url="https://docs.example.org"), known) == {"docs/a.md"}
    assert changed(folder(tmp_path, name="other"), known) == {"docs/a.md"}
    plant(tmp_path, {"versioned_docs/version-1/a.md": "A"})
    assert "docs/a.md" in changed(folder(tmp_path), known)


def test_a_release_changes_which_pages_are_current(tmp_path: Path) -> None:
    plant(tmp_path, {f"versioned_docs/version-{number}/a.md": "A" for number in (1, 2)})
    plant(tmp_path, {"versions.json": '["1", "2"]'})
    known = remembered(folder(tmp_path))
    assert changed(folder(tmp_path, current_version="2"), known) == set(known)


def test_a_touched_or_rewritten_file_is_unchanged(tmp_path: Path) -> None:
    docusaurus(tmp_path, {"a.md": "A\nB\n"})
    known = remembered(folder(tmp_path))
    os.utime(tmp_path / "docs/a.md", (1, 1))
    assert changed(folder(tmp_path), known) == set()
    plant(tmp_path, {"docs/a.md": b"\xef\xbb\xbfA\r\nB\r\n"})
    assert changed(folder(tmp_path), known) == set()


def test_a_folder_that_the_system_refuses_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, {"a.md": ""})

    def refusing(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refusing)
    with pytest.raises(SourceError, match="cannot be read: Permission denied"):
        read(tmp_path)


class Announced:
    """A TaskRunner that keeps how many pages were announced."""

    def __init__(self) -> None:
        self.pages: list[int] = []

    def expect(self, pages: int, characters: int = 0) -> None:
        self.pages.append(pages)

    def run(self, task: Callable[[PageReader], T], characters: int) -> Callable[[], T]:
        raise NotImplementedError


def test_only_a_first_build_announces_its_pages(tmp_path: Path) -> None:
    source = folder(docusaurus(tmp_path, {"a.md": "# A\n", "b.md": "# B\n", "_part.md": "A part.\n"}))
    tasks = Announced()
    found = [one for one in source.read({}, None, tasks) if isinstance(one, RawPage)]
    assert tasks.pages == [3]
    known = {page.key: page.source_hash for page in found}
    assert [type(one) for one in source.read(known, None, tasks)].count(PageUnchanged) == 2
    assert tasks.pages == [3]
