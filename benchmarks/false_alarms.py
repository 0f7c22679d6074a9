"""False alarms of the structural gate, at the first publish of sound documentation.

Run as `python -m benchmarks.false_alarms [FOLDER…]`; given folders replace the default cases. Every alarm is printed.
The exit code is 1 if a default case raises one.

The default cases are the handbook, each manual of tests/fixtures/sites (the built pages, and the source if it is
supported), and the corpora, the built site and the labelled collections of the shared folder. A source folder that is
refused with its build command is printed, but is no alarm.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from tests.built_site import built_files, serving
from tests.site_generators.kept import kept_pages
from tests.sites import HTML, Reply, Site, served, sitemap, xml

from assay.app import Assay
from assay.errors import AssayError, ConfigurationError
from assay.model.evaluation import Finding, Outcome
from assay.settings import load_settings
from benchmarks.corpora import CORPORA
from benchmarks.labelled_collections import LabelledCollection, anthropic_docs, chunking_evaluation, xquad_en
from benchmarks.reading_sites import GENERATORS
from benchmarks.shared import shared_folder

_PROJECT = Path(__file__).resolve().parent.parent
_MANUALS = _PROJECT / "tests" / "fixtures" / "sites"
_CANONICAL = re.compile(r'<link[^>]+rel="canonical"[^>]*>')

SourceOf = dict[str, object]
Case = tuple[str, Callable[[Path], "Iterator[SourceOf]"]]


def kept_cases() -> Iterator[Case]:
    """The default cases, all known to be sound, by name."""
    yield "handbook", lambda _: _folder(_PROJECT / "examples" / "handbook")
    for generator in GENERATORS:
        yield f"{generator}, built", lambda _, name=generator: _built_manual(name)
        if (_MANUALS / generator / "site").is_dir():
            yield f"{generator}, source", lambda _, name=generator: _folder(_MANUALS / name / "site")
    shared = shared_folder()
    if shared is None:
        return
    for name, url in CORPORA.items():
        yield name, lambda _, name=name, url=url: _folder(shared / "corpora" / name, url)
    yield "redux-toolkit, built", lambda _: _real_site(shared)
    for load in (anthropic_docs, xquad_en, chunking_evaluation):
        yield load.__name__, lambda scratch, load=load: _collection(load(shared), scratch)


def named_cases(folders: Sequence[str]) -> Iterator[Case]:
    """Cases of the command line; the path may be followed by `:` and a convention."""
    for folder in folders:
        path, _, convention = folder.partition(":")
        yield folder, lambda _, path=path, convention=convention: _folder(Path(path), convention=convention)


def _folder(path: Path, url: str = "https://docs.example.org", convention: str = "") -> Iterator[SourceOf]:
    yield {"path": path, "base_url": url, "name": "docs"} | ({"convention": convention} if convention else {})


def _built_manual(generator: str) -> Iterator[SourceOf]:
    pages = {page.name.partition("/")[2]: page.html for page in kept_pages() if page.name.startswith(f"{generator}/")}
    site = Site({f"/{name}.html": _reply(html) for name, html in pages.items()})
    with served(site) as running:
        site.pages["/sitemap.xml"] = xml(sitemap(*(f"{running.url}/{name}.html" for name in pages)))
        yield {"url": f"{running.url}/", "name": "docs", "retries": 0}


def _reply(html: str) -> Reply:
    """The page without its original URL."""
    return Reply(200, _CANONICAL.sub("", html).encode(), {"Content-Type": HTML})


def _real_site(shared: Path) -> Iterator[SourceOf]:
    with serving(built_files(shared)) as running:
        yield {"url": f"{running.url}/", "name": "docs", "retries": 0}


def _collection(collection: LabelledCollection, scratch: Path) -> Iterator[SourceOf]:
    folder = scratch / "collection"
    folder.mkdir()
    for number, document in enumerate(collection.documents):
        text = f"# {document.info.title}\n\n{document.text}\n"
        (folder / f"document-{number}.md").write_text(text, encoding="utf-8")
    yield from _folder(folder, convention="plain")


def alarms_of(case: Callable[[Path], Iterator[SourceOf]]) -> tuple[str, list[Finding], str]:
    """Publish a case; return the counts of the build, the findings that did not pass, and the reason of a refusal."""
    with tempfile.TemporaryDirectory(prefix="assay-alarms-") as scratch, contextmanager(case)(Path(scratch)) as source:
        overrides: Mapping[str, object] = {"data_dir": Path(scratch) / "data", "sources": [source]}
        try:
            with Assay.open(load_settings(None, dict(overrides))) as assay:
                report = assay.publish()
        except ConfigurationError as error:
            return "refused", [], error.message
        except AssayError as error:
            return "failed", [], f"{type(error).__name__}: {error.message}"
    built = report.build.generation
    findings = report.verdict.findings if report.verdict else ()
    bad = [one for one in findings if one.outcome is not Outcome.PASS]
    return f"{built.documents:,} pages, {built.chunks:,} chunks", bad, ""


def main(arguments: Sequence[str] = ()) -> int:
    """Print each case with its alarms; return 1 if a default case raises one."""
    raised = 0
    for name, case in named_cases(arguments) if arguments else kept_cases():
        started = perf_counter()
        built, findings, reason = alarms_of(case)
        raised += len(findings) + (built == "failed")
        outcome = built if reason else ("alarm" if findings else "no alarm")
        print(f"{name}: {outcome}{'' if reason else f', {built}'}, {perf_counter() - started:.1f} s", flush=True)
        for said in [reason] if reason else [f"{one.check}: {one.detail[:300]}" for one in findings]:
            print(f"    {said}")
    print(f"{raised} alarms")
    return 1 if raised and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
