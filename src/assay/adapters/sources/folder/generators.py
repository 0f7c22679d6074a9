"""Site generators that are not read from source, and how their configuration is recognized.

To add a generator, add a `Generator` to GENERATORS.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from assay.adapters.sources.folder.files import read_head, sample_files

_CONFIG_BYTES = 65_536
_SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Generator:
    """One site generator.

    configs: glob patterns of its configuration, relative to the project's folder.
    build: the command that builds the site; None if there is no local build.
    output: folder that the command writes, relative to the project's folder.
    content: folders with pages, relative to the project's folder; "" for the folder itself.
    setting: finds another content folder in the configuration, as its first group.
    contains: must match the configuration's text, if other programs use the same file name.
    check: must hold for the project's folder, likewise.
    front_matter: only files with front matter are pages.
    """

    name: str
    configs: tuple[str, ...]
    build: str | None = None
    output: str = ""
    content: tuple[str, ...] = ("",)
    setting: re.Pattern[str] | None = None
    contains: re.Pattern[str] | None = None
    check: Callable[[Path], bool] | None = None
    front_matter: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """A folder configured for a generator.

    folder: of the configuration. config: its path relative to that. content: existing folders with pages.
    """

    generator: Generator
    folder: Path
    config: str
    content: tuple[Path, ...]

    def claims(self, folder: Path) -> bool:
        """Whether a folder contains pages of this project, or is inside its content."""
        if self.generator.front_matter and not _begin_with_front_matter(folder):
            return False
        return any(content.is_relative_to(folder) or folder.is_relative_to(content) for content in self.content)

    @property
    def title(self) -> str:
        """The generator and its configuration for a message: `VitePress (.vitepress/config.mjs)`."""
        return f"{self.generator.name} ({self.config})"


def _has_jekyll_parts(project: Path) -> bool:
    """Whether a folder has more than a `_config.yml`, which on its own selects a theme on GitHub Pages."""
    gemfile = read_head(str(project / "Gemfile"), _CONFIG_BYTES)
    has_parts = any((project / name).is_dir() for name in ("_layouts", "_includes", "_posts", "_sass", "_data"))
    return has_parts or "jekyll" in gemfile or "github-pages" in gemfile


def _begin_with_front_matter(folder: Path) -> bool:
    """Whether most of a folder's first pages start with front matter."""
    pages = [read_head(file.path, 4).startswith("---") for file in sample_files(folder, _SAMPLE)]
    return sum(pages) * 2 > len(pages)


def _has_hexo(project: Path) -> bool:
    return '"hexo"' in read_head(str(project / "package.json"), _CONFIG_BYTES)


def _has_summary(project: Path) -> bool:
    return next(iter([*project.glob("SUMMARY.md"), *project.glob("*/SUMMARY.md")]), None) is not None


def _value(name: str) -> re.Pattern[str]:
    """A pattern for the quoted or bare value of a setting in JavaScript, TOML, YAML or JSON."""
    return re.compile(
        rf"""^[^\n#]{{0,200}}?(?<![\w-])["']?{name}["']?[ \t]{{0,9}}[:=][ \t]{{0,9}}["']?([\w./-]{{1,200}})""",
        re.MULTILINE,
    )


GENERATORS = (
    Generator("VitePress", (".vitepress/config.*", ".vitepress/config/index.*"), "npx vitepress build",
              ".vitepress/dist", setting=_value("srcDir")),
    Generator("VuePress", (".vuepress/config.*",), "npx vuepress build", ".vuepress/dist"),
    Generator("Starlight", ("astro.config.*",), "npx astro build", "dist", ("src/content/docs",),
              contains=re.compile("starlight")),
    Generator("Astro", ("astro.config.*",), "npx astro build", "dist", ("src/content", "src/pages")),
    Generator("Hugo", ("hugo.toml", "hugo.y*ml", "hugo.json", "config/_default/hugo.*", "config/_default/config.*"),
              "hugo", "public", ("content",), _value("contentDir")),
    Generator("Hugo", ("config.toml", "config.y*ml"), "hugo", "public", ("content",), _value("contentDir"),
              re.compile("baseURL")),
    Generator("Zola", ("zola.toml", "config.toml"), "zola build", "public", ("content",),
              contains=re.compile("base_url")),
    Generator("mdBook", ("book.toml",), "mdbook build", "book", ("src",), _value("src")),
    Generator("Jupyter Book", ("_toc.yml",), "jupyter-book build .", "_build/html", contains=re.compile("root:|file:")),
    Generator("MyST", ("myst.yml",), "npx mystmd build --html", "_build/html", contains=re.compile("project:|site:")),
    Generator("Sphinx", ("conf.py",), "sphinx-build -b html . _build/html", "_build/html",
              contains=re.compile(r"sphinx|^(?:extensions|html_theme|master_doc|root_doc)\s*=", re.MULTILINE)),
    Generator("Antora", ("antora.yml", "antora-playbook.yml"), "npx antora antora-playbook.yml", "build/site",
              ("modules",)),
    Generator("Eleventy", (".eleventy.js", "eleventy.config.*"), "npx @11ty/eleventy", "_site",
              setting=_value("input")),
    Generator("Nextra", ("next.config.*",), "npx next build", "out", ("content", "src/content", "pages", "src/pages"),
              contains=re.compile("nextra")),
    Generator("Fumadocs", ("source.config.*",), "npx next build", "out", ("content/docs",), _value("dir"),
              re.compile("fumadocs")),
    Generator("DocFX", ("docfx.json",), "docfx docfx.json", "_site"),
    Generator("Quarto", ("_quarto.y*ml",), "quarto render", "_site"),
    Generator("bookdown", ("_bookdown.yml",), "Rscript -e 'bookdown::render_book()'", "_book"),
    Generator("Hexo", ("_config.yml",), "npx hexo generate", "public", ("source",), check=_has_hexo),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), "bundle exec jekyll build", "_site",
              check=_has_jekyll_parts, front_matter=True),
    Generator("HonKit", ("book.json", "book.js"), "npx honkit build", "_book", setting=_value("root"),
              check=_has_summary),
    Generator("Rspress", ("rspress.config.*",), "npx rspress build", "doc_build", ("docs",), _value("root")),
    Generator("Zensical", ("zensical.toml",), "zensical build", "site", ("docs",), _value("docs_dir")),
    Generator("Retype", ("retype.y*ml", "retype.json"), "npx retypeapp build", ".retype", setting=_value("input")),
    Generator("Vocs", ("vocs.config.*",), "npx vocs build", "docs/dist", ("docs/pages", "src/pages")),
    Generator("Pelican", ("pelicanconf.py",), "pelican content", "output", ("content",), _value("PATH")),
    Generator("Gatsby", ("gatsby-config.*",), "npx gatsby build", "public", ("content", "src/pages")),
    Generator("Nuxt Content", ("nuxt.config.*",), "npx nuxt generate", ".output/public", ("content",),
              contains=re.compile("@nuxt/content|docus")),
    Generator("Obsidian", (".obsidian",)),
    Generator("GitBook", (".gitbook.y*ml",), setting=_value("root")),
    Generator("Mintlify", ("mint.json",)),
    Generator("Mintlify", ("docs.json",), contains=re.compile("mintlify")),
    Generator("Docsify", ("index.html",), contains=re.compile("docsify")),
)  # fmt: skip
"""Generators that share a configuration's name are ordered from specific to general."""

_FIRST_NAMES = re.compile(
    "|".join(sorted({translate(pattern.split("/")[0]) for one in GENERATORS for pattern in one.configs}))
)


def projects_in(folder: Path, names: Collection[str]) -> Iterator[Project]:
    """The projects of other generators that are configured in a folder and have pages.

    names: of all entries of the folder.
    """
    if not any(map(_FIRST_NAMES.match, names)):
        return
    for generator in GENERATORS:
        configs = sorted(config for pattern in generator.configs for config in folder.glob(pattern))
        if not configs:
            continue
        text = read_head(str(configs[0]), _CONFIG_BYTES)
        if generator.contains is not None and not generator.contains.search(text):
            continue
        if generator.check is not None and not generator.check(folder):
            continue
        named = generator.setting.search(text) if generator.setting else None
        paths = [named[1].strip("/")] if named and (folder / named[1].strip("/")).is_dir() else generator.content
        existing = tuple((folder / path).resolve() for path in paths if (folder / path).is_dir())
        if existing:
            yield Project(generator, folder, configs[0].relative_to(folder).as_posix(), existing)
