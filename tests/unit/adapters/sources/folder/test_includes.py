"""What a page embeds is found, kept under the path as written, and never from outside the root."""

import logging
from pathlib import Path

import pytest
from tests.folders import plant, read

from assay.adapters.sources.folder.includes import IncludeRules, find_includes, link_candidates, mentioned_files
from assay.errors import InputError


def rules(root: Path, *, site: str = "", folders: tuple[str, ...] = (), limit: int = 10_000) -> IncludeRules:
    return IncludeRules(root.resolve(), site, folders, limit)


def find(root: Path, key: str, text: str, **options: object) -> dict[str, str]:
    return find_includes(rules(root, **options), key, text)  # type: ignore[arg-type]  # options of any test


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("import Part from './_part.mdx'", "./_part.mdx"),
        ('import Part from "./_part.mdx";', "./_part.mdx"),
        ("import Part, {toc as parts} from './_part.mdx'", "./_part.mdx"),
        ("import {\n  toc,\n} from './_part.mdx'", "./_part.mdx"),
        ("export {default} from './_part.mdx'", "./_part.mdx"),
        ("import Tabs from '@theme/Tabs'; import Part from './_part.mdx';", "./_part.mdx"),
        (r"import Part from './\_part.mdx'", r"./\_part.mdx"),
        ("import Part from '../docs/_part.mdx'", "../docs/_part.mdx"),
        ("import Part from '@site/docs/_part.mdx'", "@site/docs/_part.mdx"),
        ("import code from '!!raw-loader!./_part.mdx'", "!!raw-loader!./_part.mdx"),
    ],
)
def test_an_import_is_kept_under_its_path_as_written(tmp_path: Path, statement: str, written: str) -> None:
    plant(tmp_path, {"docs/_part.mdx": "Part"})
    assert find(tmp_path, "docs/page.mdx", f"{statement}\n\n<Part />\n") == {written: "Part"}


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ('--8<-- "code/x.py"', "code/x.py"),
        ("  --8<-- 'code/x.py'", "code/x.py"),
        ('-8<- "code/x.py"', "code/x.py"),
        ('--8<-- "code/x.py:2:4"', "code/x.py"),
        ('--8<-- "code/x.py:2"', "code/x.py"),
        ('--8<-- "code/x.py:setup"', "code/x.py"),
        ("--8<--\ncode/x.py\n--8<--", "code/x.py"),
        ("--8<--\n; code/y.py\ncode/x.py:setup\n--8<--\n", "code/x.py"),
        ("{!code/x.py!}", "code/x.py"),
        ("{!> code/x.py!}", "code/x.py"),
        ("{* code/x.py *}", "code/x.py"),
        ("{* code/x.py ln[1:3] hl[2] *}", "code/x.py"),
        ("```python\n{!code/x.py!}\n```", "code/x.py"),
    ],
)
def test_an_embedded_file_is_kept_under_its_path_without_the_selection(
    tmp_path: Path, statement: str, written: str
) -> None:
    plant(tmp_path, {"site/code/x.py": "a = 1\n", "site/code/y.py": "b\n"})
    text = f"# Page\n\n{statement}\n\nText\n"
    assert find(tmp_path, "site/docs/page.md", text, folders=("site",)) == {written: "a = 1\n"}


def test_embedded_files_are_looked_for_in_order_and_last_beside_the_page(tmp_path: Path) -> None:
    plant(tmp_path, {"one/a.md": "first", "two/a.md": "second", "two/b.md": "second", "docs/c.md": "beside"})
    text = '--8<-- "a.md"\n--8<-- "b.md"\n--8<-- "c.md"\n--8<-- "d.md"\n'
    found = find(tmp_path, "docs/page.md", text, folders=("one", "two"))
    assert found == {"a.md": "first", "b.md": "second", "c.md": "beside"}


def test_a_path_above_the_folder_is_fine_inside_the_root(tmp_path: Path) -> None:
    plant(tmp_path, {"docs_src/x.py": "x"})
    text = "{* ../../docs_src/x.py *}"
    assert find(tmp_path, "docs/en/docs/page.md", text, folders=("docs/en",)) == {"../../docs_src/x.py": "x"}


@pytest.mark.parametrize(
    "statement",
    [
        "import P from '../secret.mdx'",
        "import P from '../../secret.mdx'",
        "import P from '@site/../secret.mdx'",
        "import P from './link.mdx'",
        "import P from './folder/secret.mdx'",
        '--8<-- "../secret.mdx"',
        '--8<-- "/etc/passwd"',
        "{!../../../../../../etc/passwd!}",
        "{* /etc/passwd *}",
        '--8<-- "https://x.example/a.md"',
        "import P from '@root/../secret.mdx'",
        "import P from 'package/secret.mdx'",
    ],
)
def test_nothing_outside_the_root_is_included(tmp_path: Path, statement: str) -> None:
    plant(tmp_path, {"secret.mdx": "secret", "root/docs/page.mdx": ""})
    (tmp_path / "root/docs/link.mdx").symlink_to(tmp_path / "secret.mdx")
    (tmp_path / "root/docs/folder").symlink_to(tmp_path)
    assert find(tmp_path / "root", "docs/page.mdx", statement, folders=("docs", "")) == {}


@pytest.mark.parametrize("content", [b"\xff", b"a\x00", b"x" * 200])
def test_what_is_missing_or_no_text_is_left_out(tmp_path: Path, content: bytes) -> None:
    plant(tmp_path, {"_bad.mdx": content, "_good.mdx": "good"})
    text = "import A from './_bad.mdx'\nimport B from './_gone.mdx'\nimport C from './_good.mdx'\n"
    assert find(tmp_path, "page.mdx", text, limit=100) == {"./_good.mdx": "good"}


def test_includes_of_includes_are_there_each_relative_to_its_own_file(tmp_path: Path) -> None:
    plant(tmp_path, {"a/_one.mdx": "import Two from './b/_two.mdx'\n\n<Two />", "a/b/_two.mdx": "{/* end */} two"})
    found = find(tmp_path, "page.mdx", "import One from './a/_one.mdx'")
    assert found.keys() == {"./a/_one.mdx", "./b/_two.mdx"}
    assert found["./b/_two.mdx"] == "{/* end */} two"


def test_a_path_that_means_two_files_is_renamed_in_the_include(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "_note.mdx": "the page's note",
            "a/_part.mdx": "import Note from './_note.mdx'\nimport Up from '../_note.mdx'\n\n<Note /><Up />",
            "a/_note.mdx": "the part's note",
        },
    )
    text = "import Part from './a/_part.mdx'\nimport Note from './_note.mdx'\n"
    found = find(tmp_path, "page.mdx", text)
    assert found["./_note.mdx"] == "the page's note"
    assert found["@root/a/_note.mdx"] == "the part's note"
    assert found["../_note.mdx"] == "the page's note"
    assert "import Note from '@root/a/_note.mdx'" in found["./a/_part.mdx"]
    assert "import Up from '../_note.mdx'" in found["./a/_part.mdx"]


def test_includes_that_go_round_end(tmp_path: Path) -> None:
    plant(
        tmp_path, {"_a.mdx": "import B from './_b.mdx'", "_b.mdx": "import A from './_a.mdx'\nimport B from './_b.mdx'"}
    )
    assert find(tmp_path, "page.mdx", "import A from './_a.mdx'").keys() == {"./_a.mdx", "./_b.mdx"}


def test_too_much_that_is_included_fails_the_page(tmp_path: Path) -> None:
    plant(tmp_path, {f"_{number}.mdx": "x" * 60 for number in range(3)})
    text = "".join(f"import P{number} from './_{number}.mdx'\n" for number in range(3))
    with pytest.raises(InputError, match="together over 150 characters"):
        find(tmp_path, "page.mdx", text, limit=150)


def test_statements_of_another_dialect_can_be_ignored(tmp_path: Path) -> None:
    plant(tmp_path, {"_a.mdx": "a", "b.py": "b"})
    text = "import A from './_a.mdx'\n{* b.py *}\n"
    root = tmp_path.resolve()
    assert find_includes(IncludeRules(root, "", ("",), 100, imports=False), "p.md", text) == {"b.py": "b"}
    assert find_includes(IncludeRules(root, "", ("",), 100, embeds=False), "p.md", text) == {"./_a.mdx": "a"}


@pytest.mark.parametrize(
    "evil",
    [
        "from '" * 9_000 + ".md'",
        "{*" * 9_000 + "*}",
        "--8<--\n" * 9_000,
        "--8<--\n" + "x\n" * 9_000,
        "{!a " * 9_000 + "!}",
    ],
)
def test_hostile_statements_end(tmp_path: Path, evil: str) -> None:
    assert find(tmp_path, "page.mdx", evil) == {}


NOT_THERE = {
    "a snippet": '--8<-- "none.md"',
    "a snippet's section": '--8<-- "none.md:part"',
    "a block of snippets": "--8<--\nb.py\nnone.md\n--8<--\n",
    "an address": '--8<-- "https://h.example/x.md"',
    "an embed": "{!none.md!}",
    "an embed of lines": "{* ../none.py hl[1:2] *}",
    "in a fence": '```python\n--8<-- "none.py"\n```\n',
    "in an include": '--8<-- "deep.txt"',
    "not text": "{!raw.bin!}",
    "out of the root": "{!../../../none.md!}",
}


@pytest.mark.parametrize("form", NOT_THERE)
def test_an_include_that_is_not_found_is_said_of_every_form(
    tmp_path: Path, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"b.py": "b", "deep.txt": "{!none.md!}", "raw.bin": b"\xff\x00", "p.md": NOT_THERE[form]}
    plant(tmp_path, files)
    with caplog.at_level(logging.WARNING):
        read(tmp_path, convention="mkdocs")
    (line,) = [one for one in caplog.messages if "includes not found" in one]
    assert "includes not found: 1." in line
    assert "(in p.md)" in line


def test_many_includes_that_are_not_found_are_one_line_that_names_the_first(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plant(tmp_path, {f"p{number}.md": "{!x.md!}\n{!y.md!}\n{!x.md!}\n" for number in range(9)})
    with caplog.at_level(logging.WARNING):
        read(tmp_path, convention="mkdocs")
    (line,) = [one for one in caplog.messages if "includes not found" in one]
    assert "includes not found: 18." in line
    assert "x.md (in p0.md), y.md (in p0.md), x.md (in p1.md), …" in line


@pytest.mark.parametrize(
    ("text", "convention"),
    [('--8<-- "b.py"\n{!b.py!}', "mkdocs"), (';--8<-- "none.md"', "mkdocs"), ("{!none.md!}", "docusaurus")],
)
def test_includes_that_are_there_or_mean_nothing_are_not_said(
    tmp_path: Path, text: str, convention: str, caplog: pytest.LogCaptureFixture
) -> None:
    plant(tmp_path, {"b.py": "b", "p.md": text})
    with caplog.at_level(logging.WARNING):
        read(tmp_path, convention=convention)
    assert "not found" not in caplog.text


# --- links ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[a](b.md)", "b.md"),
        ("[a](./b.md#c)", "./b.md"),
        ("[a](../x/b.mdx?q=1)", "../x/b.mdx"),
        ("[a](/docs/b.markdown)", "/docs/b.markdown"),
        ("[a](@site/docs/b.md)", "@site/docs/b.md"),
        ("[a](b%20c.md)", "b c.md"),
        ("[a](<b c.md>)", "b c.md"),
        ("[a](b(c).md)", "b(c).md"),
        ('[a](b.md "title")', "b.md"),
        ("[a]: b.md", "b.md"),
        ('<Link to="b.md">', "b.md"),
        ("<a href='b.md'>", "b.md"),
        ("<a href=b.md>", "b.md"),
        ("[a](B.MD)", "B.MD"),
        ("[![i](i.png)](b.md)", "b.md"),
    ],
)
def test_every_form_of_a_link_to_a_file_is_among_the_mentions(text: str, path: str) -> None:
    assert path in mentioned_files(f"Before\n{text} after")


@pytest.mark.parametrize("text", ["no links", "[a](https://x.example/b.md)", "a.mdown and md", "[a](b.mdd)", ".md"])
def test_what_is_no_file_link_is_not(text: str) -> None:
    assert mentioned_files(text) == ()


def test_a_link_is_looked_up_from_the_page_the_top_and_the_site() -> None:
    assert list(link_candidates("docs/a/x.md", "../b.md", "")) == ["docs/b.md", "../b.md"]
    assert list(link_candidates("docs/a/x.md", "/docs/b.md", "")) == ["/docs/b.md", "docs/b.md"]
    assert "website/docs/b.md" in link_candidates("docs/a/x.md", "@site/docs/b.md", "website")
    assert "docs/b.md" in link_candidates("docs/a/x.md", "@site/docs/b.md", "website")


@pytest.mark.parametrize("path", ["@package/api/props.md", "@site/none.mdx", "./none.md", "package/none.mdx"])
def test_imported_markdown_that_is_not_found_is_said_once_a_page(
    tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    shown = f"import Part from '{path}';\n\n# A\n\n<Part />\n"
    code = f"# B\n\n```mdx\nimport Part from '{path}';\n```\n"
    other = "import Part from '@theme/Part';\nimport data from './none.json';\n\n# C\n"
    plant(tmp_path, {"a.mdx": shown, "b.mdx": code, "c.mdx": other, "d.mdx": shown.replace(path, "./_there.md")})
    plant(tmp_path, {"_there.md": "text"})
    with caplog.at_level(logging.WARNING):
        read(tmp_path, convention="docusaurus")
    (line,) = [one for one in caplog.messages if "includes not found" in one]
    assert f"includes not found: 1. Their text is missing in the pages: {path} (in a.mdx)." in line
