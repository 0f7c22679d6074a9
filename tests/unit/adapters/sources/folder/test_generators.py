"""A folder that is written for another generator is known by its configuration, and never read as something else."""

import logging
import re
from pathlib import Path

import pytest
from tests.folders import folder, paths, plant, read, reasons, unread

from assay.adapters.sources.folder.generators import GENERATORS
from assay.errors import ConfigurationError

BUILT = {
    "VitePress": {".vitepress/config.mjs": "export default {srcDir: './manual'}", "manual/a.md": ":::tip\nA\n:::"},
    "VuePress": {".vuepress/config.js": "", "a.md": ""},
    "Starlight": {"astro.config.mjs": "import starlight from '@astrojs/starlight'", "src/content/docs/a.md": ""},
    "Astro": {"astro.config.ts": "", "src/pages/a.md": ""},
    "Hugo": {"hugo.toml": "contentDir = 'pages'", "pages/a.md": ""},
    "Zola": {"config.toml": "base_url = 'https://h.example'", "content/a.md": ""},
    "mdBook": {"book.toml": '[book]\nsrc = "text"', "text/a.md": ""},
    "Jupyter Book": {"_config.yml": "title: A", "_toc.yml": "format: jb-book\nroot: a", "a.md": ""},
    "MyST": {"myst.yml": "version: 1\nproject:\n  title: A", "a.md": ""},
    "Sphinx": {"conf.py": "extensions = ['myst_parser']", "a.md": ""},
    "Antora": {"antora.yml": "name: a", "modules/ROOT/a.md": "", "modules/ROOT/pages/a.adoc": ""},
    "Eleventy": {"eleventy.config.js": "return {dir: {input: 'pages'}}", "pages/a.md": ""},
    "Nextra": {"next.config.mjs": "import nextra from 'nextra'", "content/a.mdx": ""},
    "Fumadocs": {"source.config.ts": "from 'fumadocs-mdx/config'; {dir: 'manual'}", "manual/a.mdx": ""},
    "DocFX": {"docfx.json": "{}", "a.md": ""},
    "Quarto": {"_quarto.yml": "project: {type: website}", "a.md": ""},
    "bookdown": {"_bookdown.yml": "", "a.md": ""},
    "Hexo": {"_config.yml": "title: A", "package.json": '{"dependencies": {"hexo": "7"}}', "source/a.md": ""},
    "Jekyll": {"_config.yml": "title: A", "Gemfile": "gem 'jekyll'", "a.md": "---\nlayout: page\n---\nA"},
    "HonKit": {"book.json": '{"title": "A"}', "a.md": "", "SUMMARY.md": ""},
    "Rspress": {"rspress.config.ts": "{root: path.join(__dirname, 'docs')}", "docs/a.md": ""},
    "Zensical": {"zensical.toml": "", "docs/a.md": ""},
    "Retype": {"retype.yml": "input: pages", "pages/a.md": ""},
    "Vocs": {"vocs.config.ts": "", "docs/pages/a.mdx": ""},
    "Pelican": {"pelicanconf.py": "PATH = 'content'", "content/a.md": ""},
    "Gatsby": {"gatsby-config.js": "", "content/a.md": ""},
    "Nuxt Content": {"nuxt.config.ts": "modules: ['@nuxt/content']", "content/a.md": ""},
    "Next.js": {"next.config.mjs": "import createMDX from '@next/mdx'", "app/a.mdx": ""},
    "Nanoc": {"nanoc.yaml": "", "content/a.md": ""},
    "Middleman": {"config.rb": "activate :directory_indexes", "source/a.md": ""},
    "Lume": {"_config.ts": "import lume from 'lume/mod.ts'", "a.md": ""},
    "Doctave": {"doctave.yaml": "", "docs/a.md": ""},
    "dumi": {".dumirc.ts": "", "docs/a.md": ""},
}
HOSTED = {
    "Obsidian": {".obsidian/app.json": "{}", "a.md": "[[b]]"},
    "GitBook": {".gitbook.yaml": "root: ./docs/", "docs/a.md": ":::tip"},
    "Mintlify": {"docs.json": '{"$schema": "https://mintlify.com/docs.json"}', "a.mdx": "import X from '@site/x'"},
    "Docsify": {"index.html": "<html><script src=//cdn.example/docsify.js></script></html>", "a.md": ""},
    "Writerside": {"writerside.cfg": "<ihp/>", "topics/a.md": ""},
}


def content_of(files: dict[str, str]) -> str:
    """The folder of the pages in a project."""
    return next(path.rpartition("/")[0] for path in files if path.endswith(("a.md", "a.mdx", "a.adoc")))


def test_every_generator_is_tried_here() -> None:
    assert {one.name for one in GENERATORS if one.build and not one.read_from_source} == BUILT.keys()
    assert {one.name for one in GENERATORS if not one.build} == HOSTED.keys()


def test_the_manual_names_every_generator() -> None:
    manual = (Path(__file__).parents[5] / "docs" / "reading.md").read_text(encoding="utf-8")
    assert [one.name for one in GENERATORS if not re.search(rf"\b{one.name}\b", manual)] == []


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("given", ["project", "content"])
def test_its_folder_is_refused_with_the_command_that_builds_it(tmp_path: Path, name: str, given: str) -> None:
    plant(tmp_path / "x", {".git/HEAD": "", **BUILT[name]})
    root = tmp_path / "x" / (content_of(BUILT[name]) if given == "content" else "")
    with pytest.raises(ConfigurationError, match=rf"written for {name} \(") as refused:
        read(root)
    generator = [one for one in GENERATORS if one.name == name][-1]
    assert generator.build is not None
    built = f"`assay publish {(tmp_path / 'x' / generator.output)} --base-url https://docs.example.org`"
    for said in (f"`{generator.build}`", built, "`assay publish https://…`", "--convention plain", generator.remark):
        assert said in refused.value.hint


@pytest.mark.parametrize("name", BUILT)
def test_it_is_read_as_plain_markdown_where_that_is_asked_for(tmp_path: Path, name: str) -> None:
    plant(tmp_path, BUILT[name])
    assert any(key.endswith(("a.md", "a.mdx")) for key in paths(read(tmp_path, convention="plain")))


@pytest.mark.parametrize("name", HOSTED)
def test_what_nothing_builds_here_is_plain_and_said_so(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    plant(tmp_path, HOSTED[name])
    with caplog.at_level(logging.WARNING):
        assert len(paths(read(tmp_path))) == 1
    assert f"written for {name} (" in caplog.text
    assert folder(tmp_path).layout().convention == "plain"


@pytest.mark.parametrize(
    "files",
    [
        {"_config.yml": "theme: jekyll-theme-cayman", "docs/a.md": "# A"},
        {"_config.yml": "theme: x", "Gemfile": "gem 'github-pages'", "docs/a.md": "# A", "README.md": "# R"},
        {"conf.py": "DEBUG = True", "docs/a.md": "# A"},
        {"config.toml": "[server]\nport = 1", "content/x.txt": "", "docs/a.md": "# A"},
        {"next.config.js": "module.exports = {}", "content/x.txt": "", "docs/a.md": "# A"},
        {"docs.json": "{}", "docs/a.md": "# A"},
        {"index.html": "<html></html>", "docs/a.md": "# A"},
        {"hugo.toml": "", "docs/a.md": "# A"},
        {"astro.config.mjs": "starlight", "src/content/docs/x.txt": "", "docs/a.md": "# A"},
    ],
    ids=lambda files: next(iter(files)),
)
def test_a_configuration_of_another_program_or_of_another_folder_claims_nothing(
    tmp_path: Path, files: dict[str, str]
) -> None:
    plant(tmp_path, {".git/HEAD": "", **files})
    assert paths(read(tmp_path / "docs")) == {"a.md": "/a"}


def test_a_github_pages_repository_is_plain(tmp_path: Path) -> None:
    plant(tmp_path, {"_config.yml": "theme: x", "Gemfile": "gem 'github-pages'", "docs/a.md": "# A", "README.md": "R"})
    assert paths(read(tmp_path)) == {"README.md": "/", "docs/a.md": "/docs/a"}


@pytest.mark.parametrize(("given", "refused"), [("p/a", True), ("p/a/b", True), ("p/a/b/c", False)])
def test_it_is_looked_for_two_folders_above(tmp_path: Path, given: str, refused: bool) -> None:
    plant(tmp_path, {"p/book.toml": "", "p/src/x.md": "", "p/conf.py": "extensions = []", "p/a/b/c/a.md": ""})
    if refused:
        with pytest.raises(ConfigurationError, match="Sphinx"):
            read(tmp_path / given)
    else:
        assert paths(read(tmp_path / given)) == {"a.md": "/a"}


def test_it_is_not_looked_for_beyond_the_repositorys_root(tmp_path: Path) -> None:
    plant(tmp_path, {"conf.py": "extensions = []", "repo/.git": "gitdir: elsewhere", "repo/docs/a.md": ""})
    assert paths(read(tmp_path / "repo" / "docs")) == {"a.md": "/a"}
    assert paths(read(tmp_path / "repo")) == {"docs/a.md": "/docs/a"}


def test_a_project_within_a_plain_folder_is_left_out_by_name_and_counted(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "a.md": "A",
            "manual/.vitepress/config.ts": "",
            "manual/b.md": "B",
            "manual/deep/c.md": "C",
            "notes/.obsidian/app.json": "{}",
            "notes/d.md": "D",
        },
    )
    items = read(tmp_path)
    assert paths(items) == {"a.md": "/a", "notes/d.md": "/notes/d"}
    why = "written for VitePress (manual/.vitepress/config.ts), which is not read from source"
    assert reasons(items) == {"manual/b.md": why, "manual/deep/c.md": why}
    assert unread(tmp_path).documents == {"VitePress (manual/.vitepress/config.ts)": 2}
    assert len(paths(read(tmp_path, convention="plain"))) == 4


@pytest.mark.parametrize("place", ["docs", "website", "site", "doc"])
@pytest.mark.parametrize("name", BUILT)
def test_a_root_whose_documents_are_mostly_in_such_a_project_is_refused_as_the_project_is(
    tmp_path: Path, name: str, place: str
) -> None:
    project = {f"{place}/{path}": text for path, text in BUILT[name].items()}
    suffix = next(path.rpartition(".")[2] for path in project if path.endswith((".md", ".mdx", ".adoc")))
    content = f"{place}/{content_of(BUILT[name])}".rstrip("/")
    more = {f"{content}/b.{suffix}": "---\n---", f"{content}/c.{suffix}": "---\n---"}
    root = plant(tmp_path / "x", {".git/HEAD": "", "package.json": "{}", "README.md": "# R", **project, **more})
    with pytest.raises(ConfigurationError) as of_project:
        read(root / place)
    with pytest.raises(ConfigurationError, match=rf"in {place}, which is written for {name} \(") as refused:
        read(root)
    assert refused.value.hint == of_project.value.hint


def test_a_root_of_a_sphinx_project_in_other_formats_is_refused(tmp_path: Path) -> None:
    pages = {f"docs/{name}.rst": "" for name in "abc"}
    plant(tmp_path, {"README.md": "", "docs/conf.py": "extensions = []", **pages})
    with pytest.raises(ConfigurationError, match="written for Sphinx"):
        read(tmp_path)


def test_a_root_with_more_documents_of_its_own_is_read_without_the_project(tmp_path: Path) -> None:
    names = [f"guide/{name}.md" for name in "abc"]
    plant(tmp_path, {"docs/.vitepress/config.ts": "", "docs/a.md": "", "docs/b.md": "", **dict.fromkeys(names, "")})
    assert set(paths(read(tmp_path))) == set(names)


def test_a_root_is_read_as_plain_markdown_where_that_is_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/.vitepress/config.ts": "", "docs/a.md": "", "README.md": ""})
    assert set(paths(read(tmp_path, convention="plain"))) == {"README.md", "docs/a.md"}


def test_a_vitepress_site_without_a_configuration_is_known_by_its_theme(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"VitePress \(\.vitepress/theme/index\.ts\)"):
        read(plant(tmp_path, {".vitepress/theme/index.ts": "export default {}", "a.md": ""}))
