"""A built site in an archive is read as its folder is, within limits and without a path outside."""

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.built_folders import BASE, LIMIT, built, page, plant, small_site
from tests.sites import known_of, pages

from assay.adapters.sources.built import archive
from assay.errors import SourceError
from assay.model.documents import PageFailed, PageRead, PageUnchanged, RawPage

HTML = page("A page")


def _zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def _tar(path: Path, files: dict[str, bytes], *special: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in {".gz", ".tgz"} else "w") as made:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
        for member in special:
            made.addfile(member)
    return path


def _special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def _read(path: Path, store: Path) -> list[PageRead]:
    return list(built(path, store).read({}))


@pytest.mark.parametrize("name", ["dist.zip", "dist.tar.gz", "dist.tgz", "dist.tar"])
def test_an_archive_gives_what_its_folder_gives(tmp_path: Path, name: str) -> None:
    make = _zip if name.endswith(".zip") else _tar
    path = make(tmp_path / name, small_site())
    folder = plant(tmp_path / "dist", small_site())
    assert _read(path, tmp_path) == _read(folder, tmp_path / "other")


def test_an_unchanged_archive_is_not_read_again_and_leaves_nothing_unpacked(tmp_path: Path) -> None:
    source = built(_zip(tmp_path / "dist.zip", small_site()), tmp_path, data_dir=tmp_path / "data")
    known = known_of(list(source.read({})))
    assert not [item for item in source.read(known) if isinstance(item, RawPage)]
    assert {item.key for item in source.read(known) if isinstance(item, PageUnchanged)} == known.keys()
    assert list((tmp_path / "data").rglob("unpacked-*")) == []


def test_a_folder_that_holds_the_whole_site_is_its_root(tmp_path: Path) -> None:
    files = {f"manual-1.0/{path}": content for path, content in small_site().items()}
    assert "/guide/setup" in pages(_read(_zip(tmp_path / "a.zip", files), tmp_path))


def test_a_folder_below_the_address_stays_in_it(tmp_path: Path) -> None:
    files = {"docs/a.html": HTML, "docs/b.html": page("B")}
    assert sorted(pages(_read(_tar(tmp_path / "a.tar.gz", files), tmp_path))) == ["/docs/a.html", "/docs/b.html"]


@pytest.mark.parametrize("name", ["../out.html", "/etc/out.html", "a/../../out.html", "..\\out.html", "C:/out.html"])
def test_a_path_outside_is_excluded_and_never_written(tmp_path: Path, name: str) -> None:
    for make, suffix in ((_zip, "zip"), (_tar, "tar.gz")):
        items = _read(make(tmp_path / f"a.{suffix}", {"index.html": HTML, name: HTML}), tmp_path)
        assert sorted(pages(items)) == ["/"]
        assert "its path leads out of the archive" in {getattr(item, "reason", "") for item in items}
    assert list(tmp_path.rglob("out.html")) == []


def test_links_and_devices_are_excluded(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_bytes(page("Secret"))
    special = (
        _special("link.html", tarfile.SYMTYPE, str(tmp_path / "secret.html")),
        _special("hard.html", tarfile.LNKTYPE, "index.html"),
        _special("device.html", tarfile.CHRTYPE),
        _special("pipe.html", tarfile.FIFOTYPE),
    )
    items = _read(_tar(tmp_path / "a.tar.gz", {"index.html": HTML}, *special), tmp_path)
    linked = zipfile.ZipInfo("link.html")
    linked.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("index.html", HTML)
        made.writestr(linked, str(tmp_path / "secret.html"))
    zipped = _read(tmp_path / "a.zip", tmp_path)
    why = "a link or a device in the archive"
    assert sorted(pages(items)) == sorted(pages(zipped)) == ["/"]
    assert {item.key for item in items if getattr(item, "reason", "") == why} == {member.name for member in special}
    assert {item.key for item in zipped if getattr(item, "reason", "") == why} == {"link.html"}


def test_a_page_over_the_limit_fails_by_name(tmp_path: Path) -> None:
    files = {"index.html": HTML, "big.html": b"<html>" + b" " * LIMIT}
    for make, suffix in ((_zip, "zip"), (_tar, "tgz")):
        items = _read(make(tmp_path / f"a.{suffix}", files), tmp_path)
        failed = [item for item in items if isinstance(item, PageFailed)]
        assert failed == [
            PageFailed(f"{BASE}/big.html", f"100,006 bytes, over the limit of {LIMIT:,} (max_page_bytes)")
        ]


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("_MAX_MEMBERS", 3, "more than 3 files"),
        ("_MAX_BYTES", 200_000, "unpacks to more than 200,000 bytes"),
        ("_SMALL_BYTES", 100_000, "unpacks to more than 200 times its size"),
    ],
)
def test_an_archive_over_a_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, reason: str
) -> None:
    monkeypatch.setattr(archive, limit, value)
    files = {f"{number}.html": b"<html>" + b" " * (LIMIT - 10) for number in range(20)}
    for make, suffix in ((_zip, "zip"), (_tar, "tar.gz")):
        with pytest.raises(SourceError, match=reason):
            _read(make(tmp_path / f"a.{suffix}", files), tmp_path)


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar"])
@pytest.mark.parametrize("content", [b"", b"no archive at all", b"\x1f\x8b\x08\x00 cut", b"PK\x03\x04 cut"])
def test_a_damaged_archive_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.\w+(\.gz)? cannot be unpacked|no HTML page"):
        _read(tmp_path / name, tmp_path)


def test_a_truncated_archive_is_named(tmp_path: Path) -> None:
    path = _tar(tmp_path / "a.tar.gz", small_site())
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(SourceError, match="cannot be unpacked"):
        _read(path, tmp_path)


def test_a_damaged_member_fails_and_the_others_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("index.html", HTML)
        made.writestr("bad.html", page("Damaged"))
    raw = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(raw.replace(b"Damaged", b"Changed"))
    items = _read(tmp_path / "a.zip", tmp_path)
    assert sorted(pages(items)) == ["/"]
    assert [item.key for item in items if isinstance(item, PageFailed)] == ["bad.html"]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_whose_compressed_bytes_are_damaged_fails_and_the_others_are_read(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as made:
        made.writestr("bad.html", page("Damaged " * 100))
        made.writestr("index.html", HTML)
        size = made.getinfo("bad.html").compress_size
    raw = bytearray(path.read_bytes())
    start = len("bad.html") + 30  # the length of a member's header without its name
    raw[start + 12 : start + size] = b"\xff" * (size - 12)
    path.write_bytes(raw)
    items = _read(path, tmp_path)
    assert sorted(pages(items)) == ["/"]
    assert [item.key for item in items if isinstance(item, PageFailed)] == ["bad.html"]


def test_the_last_file_of_a_name_counts_and_no_other_page_gets_its_text(tmp_path: Path) -> None:
    members = (("index.html", "Old"), ("./index.html", "New"), ("b.html", "Page B"), ("c.html", "Page C"))
    with tarfile.open(tmp_path / "a.tar", "w") as tar, zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        for name, text in members:
            member = tarfile.TarInfo(name)
            member.size = len(page(text))
            tar.addfile(member, io.BytesIO(page(text)))
            zipped.writestr(name, page(text))
    for name in ("a.tar", "a.zip"):
        found = pages(_read(tmp_path / name, tmp_path / name.removeprefix("a.")))
        assert {path: text for path, one in found.items() for _, text in members if text in one.content} == {
            "/": "New",
            "/b.html": "Page B",
            "/c.html": "Page C",
        }


def test_a_member_without_a_name_is_left_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("index.html", HTML)
        made.writestr("x", "no name")
    raw = (tmp_path / "a.zip").read_bytes()
    head, _, tail = raw.rpartition(b"PK\x01\x02")
    (tmp_path / "a.zip").write_bytes(head + b"PK\x01\x02" + tail.replace(b"x", b"\0", 1))
    assert sorted(pages(_read(tmp_path / "a.zip", tmp_path))) == ["/"]
