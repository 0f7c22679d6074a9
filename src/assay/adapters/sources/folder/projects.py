"""Folders that are written for another site generator: which one claims a folder, and what to do then."""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from assay.adapters.sources.folder.files import (
    ForeignPages,
    document_paths,
    documentation_folders,
    inside,
    read_head,
    sample_files,
)
from assay.adapters.sources.folder.generators import CONFIG_BYTES, GENERATORS, Generator
from assay.errors import ConfigurationError

_SAMPLE = 50
_DEEPEST_PROJECT = 3
_SITE_LEVELS = 2
_NOT_THE_DOCUMENTATION = frozenset(
    {
        *("example", "examples", "exampleSite", "demo", "demos", "sample", "samples", "template", "templates"),
        *("starter", "starters", "test", "tests", "__tests__", "e2e", "fixtures", "testdata", "playground", "vendor"),
        *("third_party", "themes"),
    }
)
"""Folders whose documents and projects are not the repository's own documentation."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder configured for a generator.

    folder: of the configuration. config: its path relative to that. content: existing folders with documents.
    output: the folder of the built site. site_config: of the whole site, if it has a configuration of its own.
    """

    generator: Generator
    folder: Path
    config: str
    content: tuple[Path, ...]
    output: Path
    site_config: Path | None = None

    @property
    def build(self) -> str:
        """The command that builds the site."""
        command = self.generator.build or ""
        return command if self.site_config is None else f"{command.rpartition(' ')[0]} {self.site_config.name}"

    @property
    def build_folder(self) -> Path:
        """The folder in which the command is run."""
        return self.folder if self.site_config is None else self.site_config.parent

    def claims(self, folder: Path) -> bool:
        """Whether a folder is inside this project's content, or most of the folder's documents are."""
        if self.generator.front_matter and not _begin_with_front_matter(folder):
            return False
        if any(folder.is_relative_to(content) for content in self.content):
            return True
        return self.holds_most(folder, list(document_paths(folder)))

    def holds_most(self, folder: Path, documents: Collection[str]) -> bool:
        """Whether most of a folder's documents are in the content.

        documents: real paths.
        """
        return _hold_most([self], folder, documents)

    @property
    def title(self) -> str:
        """The generator and its configuration for a message: `VitePress (.vitepress/config.mjs)`."""
        return f"{self.generator.name} ({self.config})"


def _hold_most(projects: Collection[Project], folder: Path, documents: Collection[str]) -> bool:
    """Whether most of a folder's documents are in the content of these projects.

    A repository's README and examples do not count, and what the builds wrote.

    documents: real paths.
    """
    contents = {content for project in projects for content in project.content}
    outputs = {project.output.resolve() for project in projects}
    inner = [any(inside(content, path) for content in contents) for path in documents]
    others = (
        path
        for path, is_inner in zip(documents, inner, strict=True)
        if not (is_inner or any(inside(output, path) for output in outputs))
    )
    return sum(inner) > sum(_is_documentation(folder, Path(path)) for path in others)


def _is_documentation(folder: Path, path: Path) -> bool:
    """Whether a document counts: not the README, CHANGELOG etc. of the folder, and not in an example or a test."""
    is_repositorys_own = path.parent == folder and (path.stem.isupper() or path.stem.lower() == "readme")
    return not is_repositorys_own and _NOT_THE_DOCUMENTATION.isdisjoint(path.parts[len(folder.parts) :])


def _begin_with_front_matter(folder: Path) -> bool:
    """Whether most of a folder's first pages start with front matter."""
    pages = [read_head(file.path, 4).startswith("---") for file in sample_files(folder, _SAMPLE)]
    return sum(pages) * 2 > len(pages)


_FIRST_NAMES = re.compile(
    "|".join(sorted({translate(pattern.split("/")[0]) for one in GENERATORS for pattern in one.configs}))
)


def projects_in(folder: Path, names: Collection[str] | None = None) -> Iterator[Project]:
    """The projects that are configured in a folder and have documents, the likelier first.

    names: of all entries of the folder; None to list them.
    """
    if not any(map(_FIRST_NAMES.match, _entry_names(folder) if names is None else names)):
        return
    for generator in GENERATORS:
        configs = sorted(config for pattern in generator.configs for config in folder.glob(pattern))
        if not configs:
            continue
        text = read_head(str(configs[0]), CONFIG_BYTES)
        if generator.contains is not None and not generator.contains.search(text):
            continue
        if generator.check is not None and not generator.check(folder):
            continue
        content = tuple(_content(folder, generator, text))
        if content:
            config = configs[0].relative_to(folder).as_posix()
            site = _site_config(folder, generator)
            text = text if site is None else read_head(str(site), CONFIG_BYTES)
            output = (folder if site is None else site.parent) / _output(generator, text)
            yield Project(generator, folder, config, content, output, site)


def _site_config(folder: Path, generator: Generator) -> Path | None:
    """The configuration of the whole site, in a project's folder or at most two above; None if there is none."""
    for outer in (folder, *folder.parents[:_SITE_LEVELS]) if generator.site_configs else ():
        found = sorted(path for pattern in generator.site_configs for path in outer.glob(pattern))
        if found:
            return next((path for path in found if path.stem in {"playbook", "antora-playbook"}), found[0])
        if (outer / ".git").exists():
            break
    return None


def _entry_names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names only
    except OSError:
        return []


def _content(folder: Path, generator: Generator, config: str) -> Iterator[Path]:
    """The folders with a project's documents: those that its configuration names, else the usual ones."""
    named = [_first_group(match) for match in generator.setting.finditer(config)] if generator.setting else []
    existing = [path for path in dict.fromkeys(named) if path and (folder / path).is_dir()]
    for path in existing or generator.content:
        if next(document_paths(folder / path), None) is not None:
            yield (folder / path).resolve()


def _output(generator: Generator, config: str) -> str:
    """The folder that the build writes, relative to the project's."""
    found = generator.output_setting.search(config) if generator.output_setting else None
    named = "" if found is None else os.path.normpath(_first_group(found))
    return generator.output if named in {"", "."} else named


def _first_group(match: re.Match[str]) -> str:
    return next((group.strip("/") for group in match.groups() if group), "")


def main_project(root: Path) -> Project | None:
    """The project that most of a folder's documents are written for; None if there is none.

    One in a folder below may have most of them. Else several projects that are built may have most of them together,
    as the editions of a book do; then it is the one with the most documents.
    """
    documents: list[str] | None = None
    built: list[Project] = []
    for folder in (root, *documentation_folders(root, _DEEPEST_PROJECT, _NOT_THE_DOCUMENTATION)):
        for project in projects_in(folder):
            documents = list(document_paths(root)) if documents is None else documents
            if project.generator.front_matter and not project.claims(folder):
                continue
            if project.holds_most(root, documents):
                return project
            if project.generator.build is not None:
                built.append(project)
    if documents is None or len(built) < 2 or not _hold_most(built, root, documents):
        return None
    paths = documents
    return max(built, key=lambda one: sum(any(inside(content, path) for content in one.content) for path in paths))


def foreign_project(folder: str, names: Collection[str]) -> ForeignPages | None:
    """The pages of the generator that is configured in a folder (a ProjectDetector); None if nothing builds them."""
    for project in projects_in(Path(folder), names):
        if project.generator.build is None:
            continue
        if not project.generator.front_matter or _begin_with_front_matter(Path(folder)):
            own = project.generator.read_from_source
            reason = "which is a separate source" if own else "which is not read from source"
            return ForeignPages(project.generator.name, project.config, tuple(map(str, project.content)), reason)
    return None


# --- messages ------------------------------------------------------------------------------------------------------


def unbuildable_notice(project: Project, what: str = "This folder") -> str:
    """The notice that a folder is read as plain Markdown, because no command builds its site."""
    advice = "If it is published, read the site instead: `assay publish https://…`."
    if project.generator.remark:
        advice = f"Its site cannot be read instead: {project.generator.remark}."
    return (
        f"{what} is written for {project.title}, which has no local build. It is read as plain "
        f"Markdown, and {project.generator.name} syntax may stay in the text. {advice}"
    )


def refusal(project: Project, base_url: str | None, what: str = "This folder") -> ConfigurationError:
    """The error for a folder of a generator that is not read from source.

    base_url: as given; None if none was.
    """
    generator = project.generator
    if generator.read_from_source:
        return ConfigurationError(
            f"{what} is written for {project.title}. A site is read from its own folder.",
            hint=f"Run `assay publish {project.folder}`. Or list that folder and others as [[sources]] in assay.toml.",
        )
    remark = f" It needs {generator.remark}." if generator.remark and project.site_config is None else ""
    return ConfigurationError(
        f"{what} is written for {project.title}, and Assay does not read that generator's pages from source.",
        hint=f"Build the site in {project.build_folder} with `{project.build}`, then publish the built folder: `assay "
        f"publish {project.output} --base-url {base_url or 'https://…'}`.{remark} Or publish the site's address: "
        "`assay publish https://…`. `--convention plain` reads the folder as plain Markdown anyway: "
        f"addresses may be wrong, and {generator.name} syntax stays in the text.",
    )
