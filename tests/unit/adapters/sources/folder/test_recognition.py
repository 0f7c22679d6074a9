"""Folders of real layouts: recognised as what they are, with the folder of the built site, or read as plain Markdown.

The configurations and layouts are those of real repositories, with their pages in the places that these have.
"""

from pathlib import Path

import pytest
from tests.folders import folder, paths, plant, read, reasons

from assay.errors import ConfigurationError

JEKYLL = "---\nlayout: default\n---\nA"
SPHINX = "project = 'P'\nextensions = ['myst_parser']\nhtml_theme = 'furo'"
STARLIGHT = "import starlight from '@astrojs/starlight';\nexport default defineConfig({integrations: [starlight({})]})"


def planted(empty: str, files: dict[str, str] | None = None) -> dict[str, str]:
    """Files by path. empty: the paths of files without content, separated by blanks."""
    return dict.fromkeys(empty.split(), "") | (files or {})


ODD = [
    # name, folder of the built site, folder given, files
    ("VitePress", "docs/.vitepress/dist", "", planted("docs/.vitepress/config.mts docs/guide/a.md README.md")),
    ("VitePress", "docs/.vitepress/dist", "docs/guide/deep", planted("docs/.vitepress/config.ts docs/guide/deep/a.md")),
    ("VitePress", "out", "", planted("a.md", {".vitepress/config/index.ts": "export default {\n  outDir: './out'\n}"})),
    (
        "VitePress",
        ".vitepress/dist",
        "src",
        planted("src/a.md", {".vitepress/config.js": "module.exports = {\n  srcDir: 'src'\n}"}),
    ),
    (
        "VitePress",
        "packages/docs/.vitepress/dist",
        "",
        planted(
            "packages/docs/.vitepress/config.mjs packages/docs/a.md packages/docs/b.md packages/core/README.md",
            {"package.json": '{"workspaces": ["packages/*"]}'},
        ),
    ),
    ("VuePress", "docs/.vuepress/dist", "", planted("docs/.vuepress/config.ts docs/a.md docs/b.md")),
    ("VuePress", "src/.vuepress/dist", "src/guide", planted("src/.vuepress/config.js src/guide/a.md")),
    (
        "Starlight",
        "docs/dist",
        "",
        planted("docs/src/content/docs/a.mdx README.md", {"docs/astro.config.mjs": STARLIGHT}),
    ),
    ("Starlight", "dist", "src/content", planted("src/content/docs/de/a.md", {"astro.config.ts": STARLIGHT})),
    (
        "Starlight",
        "apps/docs/dist",
        "apps",
        planted("apps/docs/src/content/docs/a.md", {"apps/docs/astro.config.mjs": STARLIGHT}),
    ),
    ("Astro", "dist", "src/content", planted("src/content/blog/a.md", {"astro.config.mjs": "export default {}"})),
    ("Hugo", "public", "content/en", planted("hugo.yaml content/en/docs/a.md")),
    (
        "Hugo",
        "public",
        "",
        planted("config/_default/hugo.toml config/_default/params.toml content/a.md themes/t/README.md"),
    ),
    (
        "Hugo",
        "public",
        "",
        planted("content/docs/_index.md", {"config.toml": 'baseurl = "https://h.example"\ntheme = "book"'}),
    ),
    (
        "Hugo",
        "public",
        "content-de",
        planted(
            "content-en/a.md content-de/a.md",
            {"hugo.toml": "[languages.en]\ncontentDir = 'content-en'\n[languages.de]\ncontentDir = 'content-de'"},
        ),
    ),
    (
        "Hugo",
        "public",
        "",
        planted("pages/a.md", {"hugo.toml": '[[module.mounts]]\n  source = "pages"\n  target = "content"'}),
    ),
    ("Hugo", "site/html", "site", planted("site/content/a.md", {"site/config.yaml": "baseURL: /\npublishDir: html"})),
    (
        "Zola",
        "docs/public",
        "docs",
        planted("docs/content/_index.md", {"docs/config.toml": 'base_url = "https://z.example"'}),
    ),
    (
        "mdBook",
        "guide/book",
        "",
        planted("guide/src/SUMMARY.md guide/src/a.md Cargo.toml", {"guide/book.toml": "[book]\ntitle = 'G'"}),
    ),
    (
        "mdBook",
        "target/book",
        "manual",
        planted("manual/a.md", {"book.toml": '[book]\nsrc = "manual"\n[build]\nbuild-dir = "target/book"'}),
    ),
    (
        "Sphinx",
        "docs/source/_build/html",
        "",
        planted("docs/source/a.rst docs/Makefile README.md", {"docs/source/conf.py": SPHINX}),
    ),
    ("Sphinx", "doc/_build/html", "doc/user", planted("doc/user/a.md", {"doc/conf.py": SPHINX})),
    (
        "Sphinx",
        "docs/en/_build/html",
        "docs",
        planted("docs/en/a.rst docs/en/b.rst", {"docs/en/conf.py": "master_doc = 'index'"}),
    ),
    (
        "Jupyter Book",
        "book/_build/html",
        "",
        planted(
            "book/intro.md book/n.ipynb",
            {"book/_config.yml": "title: B", "book/_toc.yml": "format: jb-book\nroot: intro"},
        ),
    ),
    ("MyST", "docs/_build/html", "docs", planted("docs/a.md", {"docs/myst.yml": "version: 1\nproject:\n  title: A"})),
    (
        "Antora",
        "docs/build/site",
        "",
        planted("docs/modules/ROOT/pages/a.adoc README.md", {"docs/antora.yml": "name: a"}),
    ),
    (
        "Antora",
        "build/site",
        "modules/ROOT",
        planted("modules/ROOT/pages/a.adoc modules/ROOT/pages/b.md", {"antora.yml": "name: a"}),
    ),
    (
        "Antora",
        "build/site",
        "docs",
        planted("docs/modules/ROOT/pages/a.adoc antora-playbook.yml", {"docs/antora.yml": "name: a"}),
    ),
    (
        "Antora",
        "public",
        "docs/modules",
        planted(
            "docs/modules/ROOT/pages/a.adoc",
            {"docs/antora.yml": "name: a", "site-playbook.yml": "output:\n  clean: true\n  dir: ./public\n"},
        ),
    ),
    ("Eleventy", "_site", "", planted(".eleventy.cjs a.md", {"package.json": "{}"})),
    (
        "Eleventy",
        "www",
        "src",
        planted(
            "src/a.md", {"eleventy.config.mjs": "return {\n  dir: {\n    input: 'src',\n    output: 'www',\n  }\n}"}
        ),
    ),
    (
        "Nextra",
        "docs/out",
        "",
        planted(
            "docs/pages/a.mdx README.md", {"docs/next.config.js": "require('nextra')({theme: 'nextra-theme-docs'})"}
        ),
    ),
    ("Nextra", "out", "app", planted("app/a/page.mdx", {"next.config.ts": "import nextra from 'nextra'"})),
    (
        "Fumadocs",
        "apps/web/out",
        "apps/web/content",
        planted(
            "apps/web/content/docs/a.mdx",
            {"apps/web/source.config.ts": "import {defineDocs} from 'fumadocs-mdx/config'"},
        ),
    ),
    (
        "Next.js",
        "out",
        "",
        planted("src/app/docs/a/page.md README.md", {"next.config.mjs": "import withMarkdoc from '@markdoc/next.js'"}),
    ),
    (
        "DocFX",
        "docs/_site",
        "docs/articles",
        planted("docs/articles/a.md", {"docs/docfx.json": '{"build": {"dest": "_site"}}'}),
    ),
    (
        "DocFX",
        "public",
        "",
        planted("a.md", {"docfx.json": '{"metadata": [{"output": "api"}],\n "build": {\n  "output": "public"}}'}),
    ),
    (
        "Rspress",
        "doc_build",
        "",
        planted("docs/a.mdx doc_build/a.md doc_build/b.md doc_build/index.html", {"rspress.config.ts": "root: 'docs'"}),
    ),
    ("Quarto", "docs", "", planted("index.qmd a.md", {"_quarto.yml": "project:\n  type: website\n  output-dir: docs"})),
    ("Quarto", "book/_book", "book", planted("book/a.qmd", {"book/_quarto.yml": "project:\n  type: book"})),
    (
        "Jekyll",
        "docs/_site",
        "",
        planted(
            "docs/_layouts/default.html", {"docs/_config.yml": "title: A", "docs/a.md": JEKYLL, "README.md": "# R"}
        ),
    ),
    (
        "Jekyll",
        "_site",
        "",
        planted("", {"_config.yml": "remote_theme: just-the-docs/just-the-docs", "a.md": JEKYLL, "docs/b.md": JEKYLL}),
    ),
    (
        "Jekyll",
        "_site",
        "_docs",
        planted("", {"_config.yml": "collections:\n  docs:\n    output: true", "_docs/a.md": JEKYLL}),
    ),
    ("HonKit", "docs/_book", "", planted("docs/SUMMARY.md docs/a.md", {"docs/book.json": "{}"})),
    (
        "HonKit",
        "_book",
        "",
        planted("SUMMARY.md chapters/a.md", {"package.json": '{"devDependencies": {"honkit": "^6"}}'}),
    ),
    (
        "Rspress",
        "website/doc_build",
        "",
        planted("website/rspress.config.ts website/docs/en/a.mdx packages/a/README.md website/docs/en/b.mdx"),
    ),
    ("Zensical", "site", "docs", planted("docs/a.md", {"zensical.toml": "[project]\nsite_name = 'A'"})),
    (
        "Docusaurus",
        "",
        "",
        planted(
            "packages/website/docusaurus.config.ts packages/website/docs/a.md packages/website/docs/b.md README.md"
        ),
    ),
    ("MkDocs", "", "", planted("tools/docs/text/a.md", {"tools/docs/mkdocs.yml": "docs_dir: text"})),
]


@pytest.mark.parametrize(("name", "output", "given", "files"), ODD, ids=[row[0] for row in ODD])
def test_a_folder_of_a_generator_is_refused_with_the_folder_of_its_built_site(
    tmp_path: Path, name: str, output: str, given: str, files: dict[str, str]
) -> None:
    plant(tmp_path / "x", {".git/HEAD": "", **files})
    with pytest.raises(ConfigurationError, match=rf"written for {name} \(") as refused:
        read(tmp_path / "x" / given)
    if output:
        assert f"`assay publish {tmp_path / 'x' / output} --base-url https://docs.example.org`" in refused.value.hint


def test_a_site_that_is_read_from_source_is_refused_with_its_own_folder_where_only_its_repository_is_given(
    tmp_path: Path,
) -> None:
    plant(tmp_path, {"packages/website/docusaurus.config.ts": "", "packages/website/docs/a.md": ""})
    with pytest.raises(ConfigurationError) as refused:
        read(tmp_path)
    assert f"Run `assay publish {tmp_path / 'packages/website'}`" in refused.value.hint
    assert paths(read(tmp_path / "packages/website")) == {"docs/a.md": "/docs/a"}


SOURCE = [
    ("docusaurus", "", planted("website/docusaurus.config.ts website/docs/a.md packages/a/README.md")),
    ("docusaurus", "docs/b", planted("docusaurus.config.js docs/a.md docs/b/c.md")),
    (
        "docusaurus",
        "",
        planted("docusaurus.config.js docs/a.md", {"_config.yml": "theme: x", "package.json": '{"x": "honkit"}'}),
    ),
    ("docusaurus", "website", planted("website/docusaurus.config.js website/docs/a.md book.toml src/b.md")),
    ("mkdocs", "", planted("mkdocs.yml docs/a.md", {"conf.py": "extensions = []"})),
    ("mkdocs", "docs", planted("mkdocs.yml docs/a.md", {"docs/index.html": "docsify"})),
    ("mkdocs", "", planted("docs/src/a.md README.md", {"docs/mkdocs.yml": "docs_dir: src"})),
    ("mkdocs", "docs", planted("mkdocs.yml docs/.obsidian/app.json docs/a.md")),
    ("docusaurus", "docs", planted("docusaurus.config.js docs/.obsidian/app.json docs/a.md")),
]


@pytest.mark.parametrize(("convention", "given", "files"), SOURCE, ids=range(len(SOURCE)))
def test_a_site_that_is_read_from_source_stays_what_it_is_beside_other_configurations(
    tmp_path: Path, convention: str, given: str, files: dict[str, str]
) -> None:
    plant(tmp_path, {".git/HEAD": "", **files})
    assert folder(tmp_path / given).layout().convention == convention


PLAIN = {
    "a repository": ("", planted("README.md docs/a.md docs/b/c.md")),
    "only a README": ("", planted("README.md")),
    "a monorepo of packages": (
        "",
        planted("packages/a/README.md packages/b/README.md", {"package.json": '{"workspaces": []}'}),
    ),
    "a monorepo with a site of Docusaurus among its examples": (
        "",
        planted(
            "packages/a/docs/a.md examples/site/docusaurus.config.js examples/site/docs/a.md examples/site/docs/b.md"
        ),
    ),
    "a monorepo with templates of Starlight": (
        "",
        planted(
            "docs/a.md templates/x/src/content/docs/a.md templates/x/src/content/docs/b.md",
            {"templates/x/astro.config.mjs": STARLIGHT},
        ),
    ),
    "a theme of Hugo with an example site": (
        "",
        planted("README.md docs/a.md exampleSite/hugo.toml exampleSite/content/a.md exampleSite/content/b.md"),
    ),
    "docs beside a marketing site of Astro": (
        "",
        planted("src/pages/index.astro docs/a.md", {"astro.config.mjs": "export default {}"}),
    ),
    "docs beside a blog of Astro": ("", planted("astro.config.mjs src/content/blog/p.md docs/a.md docs/b.md")),
    "docs beside a site of Gatsby": ("guide", planted("gatsby-config.js src/pages/index.js guide/a.md")),
    "docs beside a book about something else": ("docs", planted("book/book.toml book/src/a.md docs/a.md")),
    "docs in a repository that tests generators": (
        "",
        planted("docs/a.md tests/fixtures/hugo.toml tests/fixtures/content/a.md tests/fixtures/content/b.md"),
    ),
    "GitHub Pages with a theme": (
        "",
        planted("docs/a.md index.md", {"_config.yml": "theme: jekyll-theme-minimal\ntitle: A"}),
    ),
    "GitHub Pages with a theme, docs given": (
        "docs",
        planted("docs/a.md", {"_config.yml": "plugins:\n  - jekyll-relative-links"}),
    ),
    "GitHub Pages in docs": ("", planted("docs/a.md docs/index.md", {"docs/_config.yml": "theme: jekyll-theme-slate"})),
    "a Python application with a conf.py": ("", planted("app/views.py docs/a.md", {"conf.py": "DEBUG = True"})),
    "a Rust workspace with a config.toml": (
        "",
        planted("Cargo.toml content/x.bin docs/a.md", {"config.toml": "[build]\nbase = 1"}),
    ),
    "an application of Next.js": ("", planted("app/page.tsx docs/a.md", {"next.config.js": "module.exports = {}"})),
    "an application of Nuxt": ("", planted("content/x.json docs/a.md", {"nuxt.config.ts": "export default {}"})),
    "an application with a docs.json of its own": ("", planted("docs/a.md", {"docs.json": '{"openapi": "3.1.0"}'})),
    "a Rails application": ("", planted("source/x.rb docs/a.md", {"config.rb": "run App", "Gemfile": "gem 'rails'"})),
    "a Node application with a SUMMARY": (
        "",
        planted("SUMMARY.md docs/a.md", {"package.json": '{"dependencies": {"express": "5"}}'}),
    ),
    "an application with an index.html": ("", planted("docs/a.md", {"index.html": "<html><div id=root></div></html>"})),
    "docs inside another repository's site": (
        "vendor/lib",
        planted("docusaurus.config.js vendor/lib/docs/a.md", {"vendor/lib/.git": "gitdir: x"}),
    ),
    "notes": ("", planted("2024/01/a.md 2024/02/b.md todo.md")),
    "a vault beside docs": ("docs", planted("notes/.obsidian/app.json notes/a.md docs/a.md")),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_folder_of_no_generator_is_plain_whatever_else_its_repository_has(tmp_path: Path, name: str) -> None:
    given, files = PLAIN[name]
    plant(tmp_path / "x", {".git/HEAD": "", **files})
    layout = folder(tmp_path / "x" / given).layout()
    assert (layout.convention, layout.notices) == ("plain", ())
    assert paths(read(tmp_path / "x" / given))


def test_pages_of_a_project_that_is_the_lesser_part_of_its_folder_are_left_out(tmp_path: Path) -> None:
    plant(tmp_path, {"astro.config.mjs": "", "src/content/p.md": "", "docs/a.md": "", "docs/b.md": ""})
    items = read(tmp_path)
    assert set(paths(items)) == {"docs/a.md", "docs/b.md"}
    assert reasons(items) == {"src/content/p.md": "written for Astro (astro.config.mjs), which is not read from source"}


def test_a_site_that_is_read_from_source_is_left_out_of_a_plain_folder_as_a_source_of_its_own(tmp_path: Path) -> None:
    site = {"packages/web/docusaurus.config.js": "", "packages/web/docs/p.md": "", "packages/web/README.md": ""}
    plant(tmp_path, {**site, "docs/a.md": "", "docs/b.md": ""})
    items = read(tmp_path)
    assert set(paths(items)) == {"docs/a.md", "docs/b.md", "packages/web/README.md"}
    why = "written for Docusaurus (packages/web/docusaurus.config.js), which is a separate source"
    assert reasons(items) == {"packages/web/docs/p.md": why}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("Docsify", planted("docs/a.md README.md", {"docs/index.html": "<script src='/docsify@4'></script>"})),
        ("Mintlify", {"docs/docs.json": '{"$schema": "https://mintlify.com/docs.json"}', "docs/a.mdx": ""}),
        ("Obsidian", {"vault/.obsidian/app.json": "{}", "vault/a.md": "", "README.md": ""}),
        ("GitBook", {".gitbook.yaml": "root: ./manual", "manual/SUMMARY.md": "", "manual/a.md": ""}),
    ],
)
def test_a_repository_of_what_nothing_builds_is_plain_with_a_notice(
    tmp_path: Path, name: str, files: dict[str, str]
) -> None:
    plant(tmp_path, {".git/HEAD": "", **files})
    layout = folder(tmp_path).layout()
    assert layout.convention == "plain"
    assert [f"written for {name} (" in notice for notice in layout.notices] == [True]
    assert paths(read(tmp_path))


EDITIONS = {
    "a book whose other folders have its earlier editions": (
        "This folder is written for mdBook (book.toml)",
        "src",
        planted(
            "book.toml src/a.md src/b.md src/c.md old/book.toml old/src/a.md old/src/b.md print/a.md print/b.md "
            "print/c.md print/d.md"
        ),
    ),
    "a repository of several books": (
        "are in projects of site generators. The largest, guide, is written for mdBook (book.toml)",
        "guide/src",
        planted("guide/book.toml guide/src/a.md guide/src/b.md api/book.toml api/src/a.md notes/a.md notes/b.md"),
    ),
    "sites of two generators": (
        "The largest, web, is written for Hugo (hugo.toml)",
        "web",
        planted("book/book.toml book/src/a.md web/hugo.toml web/content/a.md web/content/b.md x/a.md x/b.md"),
    ),
}


@pytest.mark.parametrize("name", EDITIONS)
def test_a_folder_whose_documents_are_mostly_of_several_projects_is_refused_with_the_largest(
    tmp_path: Path, name: str
) -> None:
    said, _, files = EDITIONS[name]
    plant(tmp_path, {".git/HEAD": "", **files})
    with pytest.raises(ConfigurationError) as refused:
        read(tmp_path)
    assert said in refused.value.message


@pytest.mark.parametrize("name", EDITIONS)
def test_with_as_many_other_documents_the_folder_is_plain_and_the_projects_are_left_out(
    tmp_path: Path, name: str
) -> None:
    _, pages_of_project, files = EDITIONS[name]
    plant(tmp_path, {".git/HEAD": "", **files, **{f"more/{number}.md": "" for number in range(9)}})
    items = read(tmp_path)
    assert "more/0.md" in paths(items)
    assert any(key.startswith(pages_of_project) for key in reasons(items))


def test_the_notice_does_not_advise_to_read_a_site_that_is_made_in_the_browser(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/index.html": "<script src='/docsify@4'></script>", "docs/a.md": ""})
    (notice,) = folder(tmp_path).layout().notices
    assert "assay publish https://" not in notice
    assert "cannot be read instead: its pages are made in the browser" in notice
