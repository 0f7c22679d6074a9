"""Site generators that a folder may be written for, and how their configuration is recognized.

To add a generator, add a `Generator` to GENERATORS.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.sources.folder.docusaurus.config import CONFIG_NAMES as DOCUSAURUS_CONFIGS
from assay.adapters.sources.folder.files import read_head
from assay.adapters.sources.folder.mkdocs.config import CONFIG_NAMES as MKDOCS_CONFIGS

CONFIG_BYTES = 65_536
"""Most bytes of a configuration that are searched."""

_JEKYLL_FOLDERS = ("_layouts", "_includes", "_posts", "_sass", "_data", "_plugins")
_JEKYLL_CONFIG = re.compile(r"^(?:collections|defaults|permalink|aux_links)[ \t]*:|just-the-docs", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Generator:
    """One site generator.

    configs: glob patterns of its configuration, relative to the project's folder.
    build: the command that builds the site; None if there is no local build.
    output: folder that the command writes, relative to the project's folder.
    content: folders with pages, relative to the project's folder; "" for the folder itself.
    setting, output_setting: find other folders in the configuration, as the group that matches.
    contains: must match the configuration's text, if other programs use the same file name.
    check: must hold for the project's folder, likewise.
    front_matter: only files with front matter are pages.
    remark: what the build needs, as the end of a sentence; without a build, why the site cannot be read either, as a
        clause.
    site_configs: glob patterns of the configuration of a whole site, which may be above the project's folder; the build
        runs there. Its name replaces the last word of the command, and no remark is needed.
    read_from_source: Assay reads its pages from source, if the project's folder is given.
    """

    name: str
    configs: tuple[str, ...]
    build: str | None = None
    output: str = ""
    content: tuple[str, ...] = ("",)
    setting: re.Pattern[str] | None = None
    output_setting: re.Pattern[str] | None = None
    contains: re.Pattern[str] | None = None
    check: Callable[[Path], bool] | None = None
    front_matter: bool = False
    remark: str = ""
    site_configs: tuple[str, ...] = ()
    read_from_source: bool = False


def _has_jekyll_parts(project: Path) -> bool:
    """Whether a folder has more than a `_config.yml`, which on its own selects a theme on GitHub Pages."""
    gemfile = read_head(str(project / "Gemfile"), CONFIG_BYTES)
    configs = (read_head(str(project / name), CONFIG_BYTES) for name in ("_config.yml", "_config.yaml"))
    has_folders = any((project / name).is_dir() for name in _JEKYLL_FOLDERS)
    return has_folders or "jekyll" in gemfile or "github-pages" in gemfile or any(map(_JEKYLL_CONFIG.search, configs))


def _has_hexo(project: Path) -> bool:
    return '"hexo"' in read_head(str(project / "package.json"), CONFIG_BYTES)


def _has_summary(project: Path) -> bool:
    return next(iter([*project.glob("SUMMARY.md"), *project.glob("*/SUMMARY.md")]), None) is not None


def _value(name: str) -> re.Pattern[str]:
    """A pattern for the quoted or bare value of a setting in JavaScript, TOML, YAML or JSON."""
    return re.compile(
        rf"""^[^\n#]{{0,200}}?(?<![\w-])["']?{name}["']?[ \t]{{0,9}}[:=][ \t]{{0,9}}["']?([\w./-]{{1,200}})""",
        re.MULTILINE,
    )


_HUGO_CONTENT = re.compile(
    _value("(?i:contentDir)").pattern
    + r"""|^[ \t]*["']?source["']?[ \t]{0,9}[:=][ \t]{0,9}["']?([\w./-]{1,200})["']?,?\s{1,40}"""
    r"""["']?target["']?[ \t]{0,9}[:=][ \t]{0,9}["']?content\b""",
    re.MULTILINE,
)
"""The content folder, of each language too, and the folders that a module mounts as content."""

_HUGO_CONFIG = re.compile(
    r"^[ \t]*[\"']?(?:baseurl|languagecode|contentdir|enablegitinfo)\b", re.MULTILINE | re.IGNORECASE
)
_DOCFX_OUTPUT = re.compile(r'"build"[ \t]*:[^\x00]{1,20000}?"output"[ \t]*:[ \t]*"([\w./-]{1,200})"')
_ANTORA_OUTPUT = re.compile(r"^output:\s+(?:clean:.*\s+)?dir:[ \t]*([\w./-]{1,200})", re.MULTILINE)
_EXPORT = "`output: 'export'` in its configuration"

GENERATORS = (
    Generator("Docusaurus", DOCUSAURUS_CONFIGS, "npx docusaurus build", "build", ("docs", "blog", "src/pages"),
              _value("path"), read_from_source=True),
    Generator("MkDocs", MKDOCS_CONFIGS, "mkdocs build", "site", ("docs",), _value("docs_dir"), _value("site_dir"),
              read_from_source=True),
    Generator("VitePress", (".vitepress/config.*", ".vitepress/config/index.*", ".vitepress/theme/index.*"),
              "npx vitepress build", ".vitepress/dist", setting=_value("srcDir"), output_setting=_value("outDir")),
    Generator("VuePress", (".vuepress/config.*",), "npx vuepress build", ".vuepress/dist",
              output_setting=_value("dest")),
    Generator("Starlight", ("astro.config.*",), "npx astro build", "dist", ("src/content/docs",),
              output_setting=_value("outDir"), contains=re.compile("starlight")),
    Generator("Astro", ("astro.config.*",), "npx astro build", "dist", ("src/content", "src/pages"),
              output_setting=_value("outDir")),
    Generator("Hugo", ("hugo.toml", "hugo.y*ml", "hugo.json", "config/_default/hugo.*", "config/_default/config.*"),
              "hugo", "public", ("content",), _HUGO_CONTENT, _value("publishDir")),
    Generator("Hugo", ("config.toml", "config.y*ml", "config.json"), "hugo", "public", ("content",), _HUGO_CONTENT,
              _value("publishDir"), _HUGO_CONFIG),
    Generator("Zola", ("zola.toml", "config.toml"), "zola build", "public", ("content",),
              output_setting=_value("output_dir"), contains=re.compile("base_url")),
    Generator("mdBook", ("book.toml",), "mdbook build", "book", ("src",), _value("src"), _value("build-dir")),
    Generator("Jupyter Book", ("_toc.yml",), "jupyter-book build .", "_build/html", contains=re.compile("root:|file:")),
    Generator("MyST", ("myst.yml",), "npx mystmd build --html", "_build/html", contains=re.compile("project:|site:")),
    Generator("Sphinx", ("conf.py",), "sphinx-build -b html . _build/html", "_build/html",
              contains=re.compile(r"sphinx|^(?:extensions|html_theme|master_doc|root_doc)\s*=", re.MULTILINE)),
    Generator("Antora", ("antora.yml", "*antora-playbook.yml"), "npx antora antora-playbook.yml", "build/site",
              ("modules",), output_setting=_ANTORA_OUTPUT,
              site_configs=("*playbook*.yml",), remark="the playbook of the site, which may be in another repository"),
    Generator("Eleventy", (".eleventy.*js", "eleventy.config.*"), "npx @11ty/eleventy", "_site",
              setting=_value("input"), output_setting=_value("output")),
    Generator("Nextra", ("next.config.*",), "npx next build", "out",
              ("content", "src/content", "pages", "src/pages", "app", "src/app"),
              output_setting=_value("distDir"), contains=re.compile("nextra"), remark=_EXPORT),
    Generator("Fumadocs", ("source.config.*",), "npx next build", "out", ("content/docs",), _value("dir"),
              contains=re.compile("fumadocs"), remark=_EXPORT),
    Generator("Next.js", ("next.config.*",), "npx next build", "out",
              ("content", "src/content", "pages", "src/pages", "app", "src/app"), output_setting=_value("distDir"),
              contains=re.compile("@next/mdx|markdoc|contentlayer|velite|next-mdx"), remark=_EXPORT),
    Generator("DocFX", ("docfx.json",), "docfx docfx.json", "_site", output_setting=_DOCFX_OUTPUT),
    Generator("Quarto", ("_quarto.y*ml",), "quarto render", "_book", output_setting=_value("output-dir"),
              contains=re.compile(r"^[^#\n]*\btype: *['\"]?book", re.MULTILINE)),
    Generator("Quarto", ("_quarto.y*ml",), "quarto render", "_site", output_setting=_value("output-dir")),
    Generator("bookdown", ("_bookdown.yml",), "Rscript -e 'bookdown::render_book()'", "_book",
              output_setting=_value("output_dir")),
    Generator("Hexo", ("_config.yml",), "npx hexo generate", "public", ("source",), _value("source_dir"),
              _value("public_dir"), check=_has_hexo),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), "bundle exec jekyll build", "_site",
              output_setting=_value("destination"), check=_has_jekyll_parts, front_matter=True),
    Generator("HonKit", ("book.json", "book.js"), "npx honkit build", "_book", setting=_value("root"),
              check=_has_summary),
    Generator("HonKit", ("package.json",), "npx honkit build", "_book",
              contains=re.compile('"(?:honkit|gitbook-cli)"'), check=_has_summary),
    Generator("Rspress", ("rspress.config.*",), "npx rspress build", "doc_build", ("docs",), _value("root"),
              _value("outDir")),
    Generator("Zensical", ("zensical.toml",), "zensical build", "site", ("docs",), _value("docs_dir"),
              _value("site_dir")),
    Generator("Retype", ("retype.y*ml", "retype.json"), "npx retypeapp build", ".retype", setting=_value("input"),
              output_setting=_value("output")),
    Generator("Vocs", ("vocs.config.*",), "npx vocs build", "docs/dist", ("docs/pages", "src/pages")),
    Generator("Pelican", ("pelicanconf.py",), "pelican content", "output", ("content",), _value("PATH"),
              _value("OUTPUT_PATH")),
    Generator("Gatsby", ("gatsby-config.*",), "npx gatsby build", "public", ("content", "src/pages", "docs")),
    Generator("Nuxt Content", ("nuxt.config.*",), "npx nuxt generate", ".output/public", ("content",),
              contains=re.compile("@nuxt/content|docus")),
    Generator("Nanoc", ("nanoc.yaml",), "nanoc", "output", ("content",), output_setting=_value("output_dir")),
    Generator("Middleman", ("config.rb",), "middleman build", "build", ("source",), _value("source"),
              contains=re.compile(r"middleman|^activate :|^set :(?:markdown|source)", re.MULTILINE)),
    Generator("Lume", ("_config.ts", "_config.js"), "deno task lume", "_site", setting=_value("src"),
              output_setting=_value("dest"), contains=re.compile("lume")),
    Generator("Doctave", ("doctave.yaml",), "doctave build --release", "site", ("docs",)),
    Generator("dumi", (".dumirc.*",), "npx dumi build", "dist", ("docs",), _value("docDirs")),
    Generator("Obsidian", (".obsidian",)),
    Generator("GitBook", (".gitbook.y*ml",), setting=_value("root")),
    Generator("Mintlify", ("mint.json",)),
    Generator("Mintlify", ("docs.json",), contains=re.compile("mintlify")),
    Generator("Docsify", ("index.html",), contains=re.compile("docsify"),
              remark="its pages are made in the browser, at addresses like `#/guide` unless `routerMode` is history"),
    Generator("Writerside", ("writerside.cfg",), content=("topics", "")),
)  # fmt: skip
"""Generators that share a configuration's name are ordered from specific to general."""
