"""A folder's convention is found out by its configuration, its layout, or how it is written."""

from pathlib import Path

import pytest
from tests.folders import plant

from assay.adapters.sources.folder.layout import convention_of, file_layout, find_layout
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import LayoutOptions, is_repository
from assay.errors import ConfigurationError


@pytest.mark.parametrize(
    ("files", "convention"),
    [
        (["docusaurus.config.js", "docs/a.md"], "docusaurus"),
        (["docusaurus.config.js", "mkdocs.yml", "docs/a.md"], "docusaurus"),
        (["website/docusaurus.config.mjs", "docs/a.md"], "docusaurus"),
        (["versioned_docs/version-1/a.md"], "docusaurus"),
        (["website/versioned_docs/version-1/a.md"], "docusaurus"),
        (["website/i18n/fr/docusaurus-plugin-content-docs/current/a.md"], "docusaurus"),
        (["mkdocs.yml", "docs/a.md"], "mkdocs"),
        (["mkdocs.yaml", "website/docusaurus.config.js", "docs/a.md"], "mkdocs"),
        (["manual/mkdocs.yml", "manual/docs/a.md"], "mkdocs"),
        (["docs/en/docs/a.md"], "mkdocs"),
        (["docs/api/docs/a.md"], "plain"),
        (["a.md", "b/c.mdx"], "plain"),
        ([".git/mkdocs.yml", "a.md"], "plain"),
    ],
)
def test_configuration_and_layout_decide_first(tmp_path: Path, files: list[str], convention: str) -> None:
    plant(tmp_path, dict.fromkeys(files, ""))
    (tmp_path / "docs").mkdir(exist_ok=True)
    assert find_layout(tmp_path.resolve(), LayoutOptions("n", None)).convention == convention


@pytest.mark.parametrize(
    "text",
    [
        "---\nsidebar_label: A\n---\n",
        "---\nid: a\nhide_title: true\n---\n",
        "import Tabs from '@theme/Tabs';\n",
        'import X from "@site/src/x"\n',
    ],
)
def test_the_syntax_of_docusaurus_is_known(text: str) -> None:
    assert convention_of(["# A\n\n" + text if not text.startswith("---") else text]) is Convention.DOCUSAURUS


@pytest.mark.parametrize(
    "text",
    [
        '!!! note "A"\n    text',
        "??? tip\n",
        "???+ tip\n",
        '=== "Tab"\n',
        '--8<-- "a.py"',
        "/// note | A\n///",
        "{* a.py *}",
        "{!a.md!}",
        "::: package.module",
    ],
)
def test_the_syntax_of_mkdocs_is_known(text: str) -> None:
    assert convention_of([f"# A\n\n{text}\n"]) is Convention.MKDOCS


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":::note\nText\n:::",
        ":::tip",
        "# A\n\n> note",
        "title: x",
        "::: warning\n:::",
        "a !!! b",
        "import os\n",
        "===\n",
        "///",
    ],
)
def test_ordinary_markdown_is_plain(text: str) -> None:
    assert convention_of([text]) is Convention.PLAIN


def test_most_pages_decide() -> None:
    assert convention_of(["!!! note\n", "!!! note\n", "import X from '@site/x'"]) is Convention.MKDOCS
    assert convention_of(["!!! note\n", "import X from '@site/x'", "", ""]) is Convention.DOCUSAURUS


def test_signs_on_a_few_pages_of_many_decide_nothing() -> None:
    sign = "import X from '@site/x'"
    assert convention_of([sign, *[""] * 19]) is Convention.DOCUSAURUS
    assert convention_of([sign, *[""] * 20]) is Convention.PLAIN


def test_a_repository_is_judged_by_its_docs(tmp_path: Path) -> None:
    sign = "import X from '@site/x'"
    plant(tmp_path, {"README.md": "", "docs/a.md": "", **{f"examples/{number}.md": sign for number in range(9)}})
    assert find_layout(tmp_path.resolve(), LayoutOptions("n", None)).convention is Convention.PLAIN
    plant(tmp_path, {"docs/a.md": sign})
    assert find_layout(tmp_path.resolve(), LayoutOptions("n", None)).convention is Convention.DOCUSAURUS


def test_a_plain_folder_has_one_tree_and_no_versions(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "A"})
    layout = find_layout(tmp_path.resolve(), LayoutOptions("n", "https://h.example/x", default_locale="fr"))
    assert [(tree.folder, tree.address, tree.locale) for tree in layout.trees] == [("", "https://h.example/x", "fr")]
    with pytest.raises(ConfigurationError, match="no version '1'"):
        find_layout(tmp_path.resolve(), LayoutOptions("n", None, current_version="1"))


@pytest.mark.parametrize("convention", list(Convention))
def test_the_caller_may_name_the_convention(tmp_path: Path, convention: Convention) -> None:
    plant(tmp_path, {"a.md": "!!! note\n", "b.md": ""})
    assert find_layout(tmp_path.resolve(), LayoutOptions("n", None, convention)).convention is convention
    assert file_layout(tmp_path / "a.md", LayoutOptions("n", None, convention)).convention is convention


def test_one_file_is_read_by_its_own_syntax(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "!!! note\n", "b.md": "import X from '@site/x'", "c.md": "", "mkdocs.yml": ""})
    found = [file_layout(tmp_path / name, LayoutOptions("n", None)).convention for name in ("a.md", "b.md", "c.md")]
    assert found == ["mkdocs", "docusaurus", "plain"]


@pytest.mark.parametrize(
    "name", ["README.md", "readme.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", ".hidden.md", "notes.txt"]
)
def test_a_folder_with_docs_and_only_a_repositorys_own_files_is_a_repository(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {"docs/a.md": "", name: ""})
    assert is_repository(tmp_path)


@pytest.mark.parametrize("names", [["docs/a.md", "intro.md"], ["docs/a.md", "01.md"], ["README.md"], ["docs"]])
def test_other_folders_are_not(tmp_path: Path, names: list[str]) -> None:
    plant(tmp_path, dict.fromkeys(names, ""))
    assert not is_repository(tmp_path)
