"""A folder of built HTML is read as the site that it is, and bad input is named."""

import os
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.built_folders import BASE, built, page, plant, small_site
from tests.sites import known_of, links, pages, reasons, sitemap

from assay.errors import InputError, SourceError
from assay.ingest.reading import read_page
from assay.ingest.workers.early_reading import read_early
from assay.model.documents import Document, PageFailed, PageGone, PageRead, PageUnchanged, RawPage, UnreadFiles
from assay.ports import PageReader
from assay.redaction import hide
from assay.testing import EditablePlace, SourceConformance

T = TypeVar("T")

PLACE = ("guide/index.html", "guide/setup/index.html", "reference.html")


class TestBuiltSource(SourceConformance):
    @pytest.fixture
    def place(self, tmp_path: Path) -> EditablePlace:
        def file(key: str) -> Path:
            path = root / key.removeprefix(BASE).lstrip("/")
            return path if path.is_file() else path / "index.html"

        def edit(key: str) -> None:
            file(key).write_bytes(file(key).read_bytes().replace(b"</p>", b" More.</p>"))

        start = page(f"Start {links('/guide/', '/guide/setup/', '/reference.html')}")
        root = plant(tmp_path / "dist", {"index.html": start, **dict.fromkeys(PLACE, b"")})
        for path in PLACE:
            (root / path).write_bytes(page(f"{path} is a page"))
        return EditablePlace(
            source=built(root, tmp_path),
            edit=edit,
            remove=lambda key: file(key).unlink(),
            spoil=lambda key: file(key).write_bytes(b"<html>" + b"x" * 200_000) and None,
            unreadable=built(tmp_path / "missing", tmp_path),
        )


def test_a_site_has_each_page_once_and_names_the_others(tmp_path: Path) -> None:
    items = list(built(plant(tmp_path / "dist", small_site()), tmp_path).read({}))
    assert sorted(pages(items)) == [
        "/", "/fr", "/fr/guide", "/guide", "/guide/setup", "/guide/use", "/listed.html", "/reference.html",
        "/v1/a.html", "/v2/a.html",
    ]  # fmt: skip
    assert reasons(items) == {
        "/404.html": "no page links to it, and its name is that of an index, a search, an error page or a part of "
        "other pages",
        "/guide/setup/copy.html": f"duplicate of {BASE}/guide/setup, by its canonical link",
        "/guide/use?step=2": f"duplicate of {BASE}/guide/use at another address",
        "/hidden.html": "the page is marked noindex",
        "/old.html": f"moved to {BASE}/guide/setup",
        "/robots-only.html": "disallowed by robots.txt",
        "/unlisted.html": "no sitemap lists it and no page links to it",
    }
    assert items[-1] == UnreadFiles({"css": 1, "png": 1}, {})


def test_versions_and_locales_are_those_of_the_paths(tmp_path: Path) -> None:
    found = pages(list(built(plant(tmp_path / "dist", small_site()), tmp_path).read({})))
    assert {path: (page.version, page.version_is_current) for path, page in found.items() if page.version} == {
        "/v1/a.html": ("v1", False),
        "/v2/a.html": ("v2", True),
    }
    assert {path for path, page in found.items() if not page.locale_is_default} == {"/fr", "/fr/guide"}


def test_an_unchanged_folder_is_not_read_again(tmp_path: Path) -> None:
    source = built(plant(tmp_path / "dist", small_site()), tmp_path)
    known = known_of(list(source.read({})))
    again = [item for item in source.read(known) if isinstance(item, RawPage | PageUnchanged)]
    assert again == [PageUnchanged(key, known[key]) for key in sorted(known)]


def test_a_removed_page_is_gone_and_a_page_that_nothing_links_to_any_more_too(tmp_path: Path) -> None:
    root = plant(tmp_path / "dist", small_site())
    source = built(root, tmp_path)
    known = known_of(list(source.read({})))
    (root / "guide/use/index.html").unlink()
    (root / "fr/index.html").write_bytes(page("Bienvenue", lang="fr"))
    gone = {item.key: item.reason for item in source.read(known) if isinstance(item, PageGone)}
    assert gone == {
        f"{BASE}/fr/guide": "no sitemap lists it and no page links to it",
        f"{BASE}/guide/use": "the server returned 404",
    }


def test_without_a_sitemap_pages_that_nothing_links_to_are_read_too(tmp_path: Path) -> None:
    files = {
        "index.html": page(f"Start {links('a.html')}"),
        "a.html": page("Linked"),
        "b.html": page("Not linked"),
        "c/index.html": page("Not linked either"),
        "genindex.html": page("Index of terms"),
        "search.html": page("Search"),
        "search/classes_0.html": page("Results of Doxygen's search"),
        "_static/frame.html": page("A part of other pages"),
        "noindexed.html": page("Not for searches", head='<meta name="robots" content="noindex">'),
    }
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/", "/a.html", "/b.html", "/c"]
    indexes = ["/genindex.html", "/noindexed.html", "/search.html", "/search/classes_0.html"]
    assert sorted(reasons(items)) == ["/_static/frame.html", *indexes]


def test_prefixes_that_are_left_out_are_not_read_and_not_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"index.html": page(f"Start {links('a.html', 'old/b.html')}"), "a.html": page("A"), "old/b.html": page("B")}
    root = plant(tmp_path / "dist", files)
    assert sorted(pages(list(built(root, tmp_path, exclude=("/old",)).read({})))) == ["/", "/a.html"]
    assert sorted(pages(list(built(root, tmp_path / "2", include=("/old",)).read({})))) == ["/old/b.html"]
    assert "no page links to" not in caplog.text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (("guide.html", "use.html"), ["/", "/guide.html", "/other.html", "/use.html"]),
        (("guide", "use"), ["/", "/guide", "/other", "/use"]),
        (("guide/", "use/"), ["/", "/guide", "/other", "/use"]),
    ],
    ids=["with .html", "without", "with a slash"],
)
def test_the_suffix_is_kept_or_dropped_as_the_site_writes_it(
    tmp_path: Path, written: tuple[str, ...], expected: list[str]
) -> None:
    files = {
        "index.html": page(f"Start {links(*written)}"),
        **{f"{name}.html": page(f"About {name}") for name in ("guide", "use", "other")},
    }
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == expected


def test_without_a_start_page_the_links_of_the_first_page_show_how_addresses_are_written(tmp_path: Path) -> None:
    files = {f"{name}.html": page(f"About {name} {links('/b', '/c')}") for name in "abc"}
    items = list(built(plant(tmp_path / "dist", files | {"_not-found.html": page("Missing")}), tmp_path).read({}))
    assert sorted(pages(items)) == ["/a.html", "/b", "/c"]


def test_a_site_below_a_path_is_read_at_that_path(tmp_path: Path) -> None:
    files = {"index.html": page(f"Start {links('/docs/a/', '/other/')}"), "a/index.html": page("A page")}
    items = list(built(plant(tmp_path / "dist", files), tmp_path, f"{BASE}/docs").read({}))
    assert sorted(pages(items)) == ["/docs", "/docs/a"]


def test_a_sitemap_of_another_host_lists_the_pages_of_the_folder(tmp_path: Path) -> None:
    files = {"index.html": page("Start"), "a.html": page("A page")}
    files["sitemap.xml"] = sitemap("https://old.example.com/a.html").encode()
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/", "/a.html"]


def test_llms_txt_lists_pages_and_markdown_without_html(tmp_path: Path) -> None:
    files = {
        "index.html": page("Start"),
        "a/index.html": page("A page"),
        "a.md": b"# A page",
        "only.md": b"# Only Markdown",
        "llms.txt": b"# Site\n\n- [A](/a.md)\n- [Only](/only.md)\n",
    }
    found = pages(list(built(plant(tmp_path / "dist", files), tmp_path).read({})))
    assert {path: page.media_type.value for path, page in found.items()} == {
        "/": "text/html",
        "/a": "text/html",
        "/only.md": "text/markdown",
    }


# --- bad input ---


def test_without_a_base_url_it_is_asked_for(tmp_path: Path) -> None:
    source = built(plant(tmp_path / "dist", small_site()), tmp_path, None)
    with pytest.raises(InputError, match="its address is not known") as error:
        source.check()
    assert "--base-url https://docs.example.org/" in str(error.value.hint)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a/index.html": page("A"), "sitemap.xml": sitemap("https://x.example/manual/a/").encode()}, "/manual/"),
        ({"a.html": page("A"), "sitemap.xml": sitemap("https://x.example/a").encode()}, "/"),
        ({"a/b.html": page("A", head='<link href="https://x.example/v1/a/b.html" rel=canonical>')}, "/v1/"),
        ({"index.html": page("A", head='<link rel="canonical" href="https://x.example/v1/">')}, "/v1/"),
    ],
)
def test_the_address_that_the_site_names_is_offered(tmp_path: Path, files: dict[str, bytes], expected: str) -> None:
    with pytest.raises(InputError, match=f"name https://x.example{expected}"):
        built(plant(tmp_path / "dist", files), tmp_path, None).check()


def test_another_path_than_the_site_names_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = {"index.html": page("Start"), "a/index.html": page("A")}
    files["sitemap.xml"] = sitemap("https://x.example/manual/a/", "https://x.example/manual/").encode()
    root = plant(tmp_path / "dist", files)
    list(built(root, tmp_path, f"{BASE}/manual").read({}))
    assert "check --base-url" not in caplog.text
    list(built(root, tmp_path / "other", BASE).read({}))
    assert f"is published at https://x.example/manual/, not at {BASE}/; check --base-url" in caplog.text


@pytest.mark.parametrize(
    "base_url",
    [
        *("docs.example.org", "file:///srv/docs", "https://docs.example.org/?a=1", "", "https://"),
        *("https://[::1", "https://docs.example.org:99999", "https://docs exam.org"),
    ],
)
def test_a_base_url_that_is_none_is_refused(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(InputError) as raised:
        built(plant(tmp_path / "dist", small_site()), tmp_path, base_url).check()
    assert "https://docs.example.org" in raised.value.hint


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://пример.рф/док", "https://xn--e1afmkfd.xn--p1ai/%D0%B4%D0%BE%D0%BA"),
        ("https://user:secret@docs.example.org:443/a b/../c;d/", "https://docs.example.org/c;d"),
        ("HTTP://Docs.Example.org:8080#top", "http://docs.example.org:8080"),
    ],
)
def test_a_base_url_may_be_written_as_people_write_addresses(tmp_path: Path, base_url: str, expected: str) -> None:
    files = {"index.html": page(f"Start {links('a.html')}"), "a.html": page("A")}
    items = list(built(plant(tmp_path / "dist", files), tmp_path, base_url).read({}))
    assert {item.key.rstrip("/") for item in items if isinstance(item, RawPage)} == {expected, f"{expected}/a.html"}


@pytest.mark.parametrize("path", ["a/a/a/a.html", "/".join("abcdefghijklmnopqrstuvwxyz") + ".html"])
def test_a_file_is_no_crawler_trap_whatever_its_path(tmp_path: Path, path: str) -> None:
    files = {"index.html": page(f"Start {links(path)}"), path: page("A deep page")}
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/", f"/{path}"]


def test_an_empty_build_is_named_with_what_it_holds(tmp_path: Path) -> None:
    source = built(plant(tmp_path / "dist", {"app.js": b"", "style.css": b""}), tmp_path)
    with pytest.raises(SourceError, match=r"no HTML page in .*dist; it has 1 \.js, 1 \.css"):
        list(source.read({}))


def test_a_page_over_the_limit_fails_by_name_and_the_others_are_read(tmp_path: Path) -> None:
    files = {"index.html": page(f"Start {links('big.html')}"), "big.html": b"<html><body>" + b"<p>a</p>" * 50_000}
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/"]
    assert PageFailed(f"{BASE}/big.html", "400,012 bytes, over the limit of 100,000 (max_page_bytes)") in items


@pytest.mark.parametrize(
    "content",
    [
        "<html><body><p>Sixteen bits without a mark</p></body></html>".encode("utf-16-le"),
        bytes(range(256)) * 40,
        b"\x1f\x8b\x08\x00" + bytes(range(0, 256, 3)) * 20,
    ],
    ids=["UTF-16", "bytes", "gzip"],
)
def test_html_that_does_not_decode_fails_by_name(tmp_path: Path, content: bytes) -> None:
    root = plant(tmp_path / "dist", {"index.html": page(f"Start {links('bad.html')}"), "bad.html": content})
    failed = [item for item in built(root, tmp_path).read({}) if isinstance(item, PageFailed)]
    assert failed == [PageFailed(f"{BASE}/bad.html", "its bytes are not text in the encoding that it declares")]


def test_html_in_another_encoding_is_read(tmp_path: Path) -> None:
    latin = '<html><head><meta charset="windows-1252"></head><body><p>Größe und Maß</p></body></html>'
    files = {
        "index.html": page(f"Start {links('latin.html', 'wide.html')}"),
        "latin.html": latin.encode("cp1252"),
        "wide.html": "<html><body><p>Größe mit Marke</p></body></html>".encode("utf-16"),
    }
    found = pages(list(built(plant(tmp_path / "dist", files), tmp_path).read({})))
    assert "Größe und Maß" in found["/latin.html"].content
    assert "Größe mit Marke" in found["/wide.html"].content


def test_a_symlink_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    plant(tmp_path / "private", {"secret.html": page("Secret")})
    root = plant(tmp_path / "dist", {"index.html": page(f"Start {links('a.html', 'more/secret.html', 'own.html')}")})
    (root / "a.html").symlink_to(tmp_path / "private/secret.html")
    (root / "more").symlink_to(tmp_path / "private")
    (root / "own.html").symlink_to(root / "index.html")
    (root / "loop").symlink_to(root)
    (root / "self.html").symlink_to(root / "self.html")
    items = list(built(root, tmp_path).read({}))
    assert "Secret" not in "".join(item.content for item in items if isinstance(item, RawPage))
    outside = "a symlink that leads out of the folder"
    assert {item.key for item in items if getattr(item, "reason", "") == outside} == {"a.html", "more"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_fails_and_does_not_block(tmp_path: Path) -> None:
    root = plant(tmp_path / "dist", {"index.html": page(f"Start {links('pipe.html')}")})
    os.mkfifo(root / "pipe.html")
    items = list(built(root, tmp_path).read({}))
    assert [item for item in items if isinstance(item, PageFailed)] == [
        PageFailed(f"{BASE}/pipe.html", "not a regular file")
    ]


class Elsewhere:
    """Runs tasks as another process would, and keeps what would be sent there."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def expect(self, pages: int, characters: int = 0) -> None:
        assert pages > 0
        assert characters > 0

    def run(self, task: Callable[[PageReader], T], characters: int) -> Callable[[], T]:
        assert characters > 0
        self.sent.append(pickle.dumps(task))
        elsewhere: Callable[[PageReader], T] = pickle.loads(self.sent[-1])
        return lambda: pickle.loads(pickle.dumps(elsewhere(read_early)))


def _documents(items: Iterable[PageRead]) -> list[Document | PageRead]:
    return [read_page(item) if isinstance(item, RawPage) else item for item in items]


def test_pages_that_are_read_while_they_are_found_are_those_that_are_read_later(tmp_path: Path) -> None:
    root = plant(tmp_path / "dist", small_site() | {"changed.html": page("<script>x = 1</script> It has a script.")})
    (root / "index.html").write_bytes(page(links("/guide/", "/reference.html", "/fr/", "/old.html", "/changed.html")))
    tasks = Elsewhere()
    early = list(built(root, tmp_path / "early").read({}, None, tasks))
    assert len(tasks.sent) >= 10
    assert all(item.document and not item.content for item in early if isinstance(item, RawPage))
    later = list(built(root, tmp_path / "later").read({}))
    assert all(item.content for item in later if isinstance(item, RawPage))
    assert _documents(early) == _documents(later)


def test_secrets_are_masked_before_a_page_goes_to_another_process(tmp_path: Path) -> None:
    hide(["s3cret-of-the-site"])
    tasks = Elsewhere()
    source = built(plant(tmp_path / "dist", {"index.html": page("The key is s3cret-of-the-site.")}), tmp_path)
    (item,) = source.read({}, None, tasks)
    assert isinstance(item, RawPage)
    assert "The key is ***." in read_page(item).text
    assert not any(b"s3cret" in sent for sent in tasks.sent)


def test_progress_never_shows_more_files_than_there_are(tmp_path: Path) -> None:
    class Counted:
        """A progress that keeps its numbers at the end of the crawl."""

        done = total = 0
        at_end = (0, 0)

        def begin(self, stage: str, total: int | None) -> None: ...
        def remark(self, text: str) -> None: ...
        def end(self) -> None:
            self.at_end = (self.done, self.total)

        def expect(self, total: int) -> None:
            self.total = total

        def advance(self, steps: int = 1) -> None:
            self.done += steps

    counted = Counted()
    files = {"index.html": page(f"Start {links('a.html')}"), "a.html": page("A"), "404.html": page("Not found")}
    files["sitemap.xml"] = sitemap(f"{BASE}/", f"{BASE}/a.html").encode()
    list(built(plant(tmp_path / "dist", files), tmp_path).read({}, counted))
    assert counted.at_end == (3, 3)


@pytest.mark.parametrize("name", ["Index.html", "INDEX.HTM"])
def test_an_index_in_capitals_is_the_page_of_its_folder(tmp_path: Path, name: str) -> None:
    files = {"index.html": page("Start"), f"a/{name}": page("A")}
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/", "/a"]


@pytest.mark.parametrize("copy", ["/guide/use.md", f"{BASE}/guide/use.md", "/guide/use.html", f"{BASE}/guide/use"])
def test_a_page_that_names_its_own_address_or_its_copy_in_markdown_is_read_once(tmp_path: Path, copy: str) -> None:
    text = f"Use of the gripper in every hall. It is also at {copy} for programs."
    start = page(f"Start {links('/guide/use.html')}")
    files = {"index.html": start, "guide/use.html": page(text), "guide/use.md": b"# Use\n"}
    files["llms.txt"] = f"# Site\n\n- [Use]({BASE}/guide/use.md)\n".encode()
    files["sitemap.xml"] = sitemap(f"{BASE}/", f"{BASE}/guide/use.html").encode()
    items = list(built(plant(tmp_path / "dist", files), tmp_path).read({}))
    assert sorted(pages(items)) == ["/", "/guide/use.html"]
    assert reasons(items)["/guide/use"] == f"duplicate of {BASE}/guide/use.html at another address"
