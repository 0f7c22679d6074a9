"""The walk finds pages, and nothing in a folder can mislead it."""

import os
from pathlib import Path

import pytest
from tests.folders import plant

from assay.adapters.sources.folder.files import Findings, find_files, read_head, read_text, sample_files
from assay.errors import InputError, SourceError


def walk(root: Path, start: str = "", **options: object) -> Findings:
    return find_files(root.resolve(), start, **options)  # type: ignore[arg-type]  # options of any test


def keys(root: Path, start: str = "") -> list[str]:
    return [file.key for file in walk(root, start).files]


def test_markdown_files_come_in_ascending_order_of_their_paths(tmp_path: Path) -> None:
    names = ["b.md", "a/z.mdx", "a.md", "a/b/c.markdown", "B.MD", "a-1.md", "x.txt", "y.md.bak", "md"]
    plant(tmp_path, dict.fromkeys(names, ""))
    assert keys(tmp_path) == sorted(["b.md", "a/z.mdx", "a.md", "a/b/c.markdown", "B.MD", "a-1.md"])


def test_keys_are_relative_to_the_root_wherever_the_walk_starts(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "docs/b/c.md": "", "other.md": ""})
    assert keys(tmp_path, "docs") == ["docs/a.md", "docs/b/c.md"]
    assert keys(tmp_path, "docs/b") == ["docs/b/c.md"]


@pytest.mark.parametrize(
    "path",
    [
        ".hidden/a.md",
        ".hidden.md",
        "node_modules/p/README.md",
        "x/node_modules/a.md",
        ".docusaurus/a.md",
        "__pycache__/a.md",
    ],
)
def test_hidden_and_foreign_folders_are_passed_over(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {path: "", "a.md": ""})
    assert keys(tmp_path) == ["a.md"]


@pytest.mark.parametrize("name", ["build", "site", "dist", "public"])
def test_a_built_site_is_passed_over_and_docs_of_that_name_are_not(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {f"{name}/a.md": "", f"x/{name}/b.md": "", f"x/{name}/index.html": ""})
    assert keys(tmp_path) == [f"{name}/a.md"]


def test_a_virtual_environment_is_passed_over(tmp_path: Path) -> None:
    plant(tmp_path, {"env/pyvenv.cfg": "", "env/lib/site-packages/p/README.md": "", "a.md": ""})
    assert keys(tmp_path) == ["a.md"]


def test_folders_can_be_left_out(tmp_path: Path) -> None:
    plant(tmp_path, {"a/x.md": "", "b/x.md": "", "c/b/x.md": ""})
    assert [file.key for file in walk(tmp_path, skipped_folders={"b"}).files] == ["a/x.md", "c/b/x.md"]


def test_symlinks_that_go_round_are_followed_no_further(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b/x.md": ""})
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    findings = walk(tmp_path)
    assert [file.key for file in findings.files] == ["a/b/x.md"]
    assert [key for key, _ in findings.excluded] == ["a/b/up"]


def test_symlinks_that_multiply_do_not_make_the_walk_grow(tmp_path: Path) -> None:
    for level in range(30):
        plant(tmp_path, {f"l{level}/x.md": ""})
        for link in "ab":
            (tmp_path / f"l{level}" / link).symlink_to(tmp_path / f"l{level + 1}")
    assert keys(tmp_path) == sorted(f"l{level}/x.md" for level in range(30))


def test_a_folder_is_read_under_its_own_name_rather_than_a_links(tmp_path: Path) -> None:
    plant(tmp_path, {"z/x.md": ""})
    (tmp_path / "a").symlink_to(tmp_path / "z")
    assert keys(tmp_path) == ["z/x.md"]


def test_a_link_to_a_folder_elsewhere_in_the_root_is_followed(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "shared/x.md": ""})
    (tmp_path / "docs" / "common").symlink_to(tmp_path / "shared")
    assert keys(tmp_path, "docs") == ["docs/a.md", "docs/common/x.md"]


def test_symlinks_that_lead_out_are_refused(tmp_path: Path) -> None:
    plant(tmp_path, {"secret/s.md": "", "root/a.md": ""})
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "secret")
    (tmp_path / "root" / "file.md").symlink_to(tmp_path / "secret" / "s.md")
    (tmp_path / "rooted").mkdir()
    (tmp_path / "root" / "neighbour").symlink_to(tmp_path / "rooted")
    findings = walk(tmp_path / "root")
    assert [file.key for file in findings.files] == ["a.md"]
    assert {key for key, _ in findings.excluded} == {"folder", "file.md", "neighbour"}
    assert all("leads out" in reason for _, reason in findings.excluded)


def test_a_folder_named_like_a_page_is_a_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"x.md/y.md": ""})
    assert keys(tmp_path) == ["x.md/y.md"]


def test_a_name_that_is_not_utf_8_is_reported_readably(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    findings = walk(tmp_path)
    assert findings.files == []
    assert findings.failed == [("caf\\xe9.md", "the name is not UTF-8; rename it")]


def test_a_folder_that_vanishes_is_reported_with_a_slash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, {"a/x.md": "", "b/x.md": ""})
    scandir = os.scandir

    def failing(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", failing)
    findings = walk(tmp_path)
    assert [file.key for file in findings.files] == ["b/x.md"]
    assert findings.failed == [("a/", "the folder cannot be read: Permission denied")]


def test_a_start_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        walk(tmp_path, "nowhere")


# --- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain", "plain"),
        (b"", ""),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("naïve 日本 🤖".encode(), "naïve 日本 🤖"),
    ],
)
def test_text_is_utf_8_with_plain_line_ends(tmp_path: Path, content: bytes, text: str) -> None:
    plant(tmp_path, {"a.md": content})
    assert read_text(str(tmp_path / "a.md"), 100) == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"ab\xff", "not UTF-8: byte 0xff at position 2"),
        (b"\xef\xbb\xbfa\xc3", "not UTF-8: byte 0xc3 at position 4"),
        (b"\xed\xa0\x80", "not UTF-8: byte 0xed at position 0"),
        ("text".encode("utf-16"), "the file is UTF-16"),
        (b"ab\x00c", "a NUL character at position 2"),
        (b"x" * 101, "101 bytes, over the limit of 100"),
    ],
)
def test_what_is_no_text_is_refused_with_reason_and_position(tmp_path: Path, content: bytes, reason: str) -> None:
    plant(tmp_path, {"a.md": content})
    with pytest.raises(InputError, match=reason):
        read_text(str(tmp_path / "a.md"), 100)


def test_a_page_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": b"x" * 100})
    assert len(read_text(str(tmp_path / "a.md"), 100)) == 100


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(InputError, match="not a regular file"):
        read_text(str(tmp_path / "a.md"), 100)
    assert read_head(str(tmp_path / "a.md"), 100) == ""


def test_a_file_that_grows_without_end_is_given_up_after_the_size_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.md": "x" * 50})
    seen = (tmp_path / "a.md").stat()
    monkeypatch.setattr(os, "fstat", lambda _: seen)
    with pytest.raises(InputError, match="grew during the read"):
        read_text("/dev/zero", 100)


def test_a_device_is_refused_without_reading_it() -> None:
    with pytest.raises(InputError, match="not a regular file"):
        read_text("/dev/zero", 100)
    assert read_head("/dev/zero", 100) == ""


def test_what_cannot_be_opened_is_refused_with_the_systems_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        read_text(str(tmp_path / "a.md"), 100)
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_text(str(tmp_path), 100)


def test_a_head_is_the_beginning_as_far_as_it_is_text(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "\ufeffnaïve".encode(), "b.md": b"a\xffb"})
    assert read_head(str(tmp_path / "a.md"), 6) == "na"
    assert read_head(str(tmp_path / "b.md"), 9) == "ab"
    assert read_head(str(tmp_path / "c.md"), 9) == ""


def test_a_sample_is_the_first_files(tmp_path: Path) -> None:
    plant(tmp_path, dict.fromkeys(["b/1.md", "a/1.md", "c.md", ".x/1.md", "a/2.mdx"], ""))
    assert [file.key for file in sample_files(tmp_path, 3)] == ["c.md", "a/1.md", "a/2.mdx"]
    assert len(list(sample_files(tmp_path, 100))) == 4
