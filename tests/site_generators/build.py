"""Makes the fixture sites anew: `python -m tests.site_generators.build SCRATCH [NAME …]`.

For each generator it writes the manual in the generator's dialect into tests/fixtures/sites/NAME/site, installs the
pinned tools into SCRATCH/NAME, builds there, and keeps the pages: HTML alone, with what draws and runs them emptied.
What is expected of each page is written beside it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.site_generators import asciidoc, dialects, plain_dialects, rst
from tests.site_generators.dialect import Dialect
from tests.site_generators.expected import expected_text
from tests.site_generators.manual import FOLDER, ManualPage, manual

_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)
_EMPTIED = re.compile(r"(<(script|style)\b[^>]*>).*?(</\2>)", re.DOTALL)
_DRAWN = re.compile(r"(<svg\b[^>]*>)(?:(?!<svg\b).)*?(</svg>)", re.DOTALL)
_EMBEDDED = re.compile(r"data:[a-z/+-]+;base64,[A-Za-z0-9+/=]+")
_PRELOAD = re.compile(r"<link\b[^>]*\brel=\"?(?:modulepreload|preload|prefetch|stylesheet|icon|shortcut icon)\b[^>]*>")


@dataclass(frozen=True)
class Site:
    """How one generator builds.

    docs: where its pages are written, in its site folder; assets: where the picture is.
    built: where a page is found afterwards, `{}` for its slug; elsewhere: the same for the slugs that it names.
    german: where the German pages are written, and where the one that is kept is found.
    """

    dialect: Dialect
    docs: str
    assets: str
    command: tuple[str, ...]
    built: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    german: tuple[str, str] | None = None
    before: Callable[[Path, "Site"], None] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.dialect.name


def _summary(root: Path, site: Site) -> None:
    folder = root / site.docs
    lines = ["# Summary", "", *(f"- [{page.short}]({page.slug}.md)" for page in manual())]
    (folder / "SUMMARY.md").write_text("\n".join(lines) + "\n", "utf-8")
    if site.name == "honkit":
        (folder / "README.md").write_text("# The manual\n\nIt begins on the next page.\n", "utf-8")


def _version(root: Path, site: Site) -> None:
    """A released version beside the one that is written: the same pages."""
    old = root / "versioned_docs" / "version-2.0"
    shutil.copytree(root / "docs", old, dirs_exist_ok=True)
    (root / "versions.json").write_text('["2.0"]\n', "utf-8")
    (root / "versioned_sidebars").mkdir(exist_ok=True)
    items = '[{"type": "category", "label": "Section nav", "items": ["start", "install", "usage", "tongues"]}]'
    (root / "versioned_sidebars" / "version-2.0-sidebars.json").write_text(f'{{"manual": {items}}}\n', "utf-8")


def _repository(root: Path, site: Site) -> None:
    """The pages in a repository of their own, because Antora takes pages from repositories alone."""
    by = ("-c", "user.name=shelf", "-c", "user.email=shelf@larder.example")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), (*by, "commit", "-q", "--allow-empty", "-m", "pages")):
        subprocess.run(["git", *command], cwd=root / site.docs.partition("/")[0], check=True)


_NPM = ("npm", "run", "build")
_SPHINX = ("sphinx-build", "-q", ".", "out")

SITES = {
    site.name: site
    for site in (
        Site(dialects.Material(), "docs", "docs", ("mkdocs", "build", "-q", "-d", "out"), "out/{}/index.html"),
        Site(dialects.Myst(), ".", ".", _SPHINX, "out/{}.html"),
        Site(rst.Rst(), ".", ".", _SPHINX, "out/{}.html"),
        Site(
            dialects.VitePress(),
            docs=".",
            assets=".",
            command=_NPM,
            built=".vitepress/dist/{}.html",
            german=("de", ".vitepress/dist/de/start.html"),
        ),
        Site(
            dialects.Starlight(),
            docs="src/content/docs",
            assets="src/assets",
            command=_NPM,
            built="dist/{}/index.html",
            german=("src/content/docs/de", "dist/de/start/index.html"),
            environment={"ASTRO_TELEMETRY_DISABLED": "1"},
        ),
        Site(
            dialects.Docusaurus(),
            docs="docs",
            assets="docs",
            command=_NPM,
            built="build/docs/{}/index.html",
            # One page of the version that is still written, which has a banner.
            elsewhere={"usage": "build/docs/next/usage/index.html"},
            german=("i18n/de/docusaurus-plugin-content-docs/version-2.0", "build/de/docs/start/index.html"),
            before=_version,
        ),
        Site(
            dialects.Nextra(),
            docs="content",
            assets="public",
            command=_NPM,
            built="out/{}.html",
            environment={"NEXT_TELEMETRY_DISABLED": "1"},
        ),
        Site(
            asciidoc.Antora(),
            docs="docs/modules/ROOT/pages",
            assets="docs/modules/ROOT/images",
            command=_NPM,
            built="build/site/larder/stable/{}/index.html",
            before=_repository,
        ),
        Site(
            dialects.VuePress(),
            docs="docs",
            assets="docs",
            command=_NPM,
            built="docs/.vuepress/dist/{}.html",
            german=("docs/de", "docs/.vuepress/dist/de/start.html"),
        ),
        Site(dialects.Rspress(), "docs", "docs", _NPM, "doc_build/{}.html"),
        Site(plain_dialects.JustTheDocs(), ".", ".", ("jekyll", "build", "-q", "-d", "out"), "out/{}.html"),
        Site(plain_dialects.MdBook(), "src", "src", ("mdbook", "build", "-d", "out"), "out/{}.html", before=_summary),
        Site(plain_dialects.HonKit(), ".", ".", _NPM, "_book/{}.html", before=_summary),
        Site(
            plain_dialects.Docsy(), "content/docs", "static", ("hugo", "--quiet", "-d", "out"), "out/docs/{}/index.html"
        ),
    )
}


def write_sources(site: Site) -> None:
    """The manual in the generator's dialect."""
    root = FOLDER / site.name / "site"
    pages = [(site.docs, page) for page in manual()]
    if site.german:
        pages += [(site.german[0], page) for page in manual(locale="de")]
    for folder, page in pages:
        path = root / folder / f"{page.slug}{site.dialect.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(site.dialect.page(page).rstrip() + "\n", "utf-8")
    if site.before is _summary:
        _summary(root, site)


def build(site: Site, scratch: Path) -> None:
    """Build the site in a scratch folder, with its tools there or installed there."""
    root = scratch / site.name
    shutil.copytree(FOLDER / site.name / "site", root, dirs_exist_ok=True)
    (root / site.assets).mkdir(parents=True, exist_ok=True)
    (root / site.assets / "shelf.png").write_bytes(_PICTURE)
    if site.before is not None:
        site.before(root, site)
    environment = {**os.environ, **site.environment, "CI": "true", "SOURCE_DATE_EPOCH": "1714953600", "TZ": "UTC"}
    environment["PATH"] = os.pathsep.join([str(_tools(root, scratch)), environment["PATH"]])
    subprocess.run(site.command, cwd=root, env=environment, check=True)


def _tools(root: Path, scratch: Path) -> Path:
    """Where the generator's program is; installed when it is not there yet, except for Ruby's."""
    if (root / "_config.yml").exists():
        return Path(found).parent if (found := shutil.which("jekyll")) else root
    if (root / "package.json").exists():
        if not (root / "node_modules").exists():
            subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=root, check=True)
        return root / "node_modules" / ".bin"
    venv = scratch / "venv"
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    if not (root / ".installed").exists():
        subprocess.run([venv / "bin" / "pip", "install", "-q", "-r", root / "requirements.txt"], check=True)
        (root / ".installed").touch()
    return venv / "bin"


def keep(site: Site, scratch: Path) -> None:
    """Keep the built pages and what is expected of them."""
    pages = [(page, site.elsewhere.get(page.slug, site.built.format(page.slug)), page.slug) for page in manual()]
    if site.german:
        pages += [(page, site.german[1], f"de.{page.slug}") for page in manual(locale="de")]
    for page, built, name in pages:
        _keep_page(site, page, scratch / site.name / built, name)


def _keep_page(site: Site, page: ManualPage, built: Path, name: str) -> None:
    folder = FOLDER / site.name
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "expected").mkdir(exist_ok=True)
    (folder / "pages" / f"{name}.html").write_text(lightened(built.read_text("utf-8")), "utf-8")
    (folder / "expected" / f"{name}.md").write_text(expected_text(page, site.dialect), "utf-8")


def lightened(html: str) -> str:
    """A page without what draws it and runs in it; elements and attributes stay."""
    html = _EMPTIED.sub(_emptied, html)
    html = _DRAWN.sub(lambda found: found[0] if "<text" in found[0] else found[1] + found[2], html)
    html = _PRELOAD.sub("", html)
    return _EMBEDDED.sub("data:,", html).rstrip() + "\n"


def _emptied(found: re.Match[str]) -> str:
    return found[0] if 'type="math/' in found[1] else found[1] + found[3]


def main(arguments: list[str]) -> None:
    scratch = Path(arguments[0]).resolve()
    for name in arguments[1:] or list(SITES):
        write_sources(SITES[name])
        build(SITES[name], scratch)
        keep(SITES[name], scratch)


if __name__ == "__main__":
    main(sys.argv[1:])
