"""Builds and previews of builds, as JSON bodies and as text for a terminal."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from assay.cli.terminal.output import on_one_line, pages_and_chunks
from assay.ingest.pipeline import BuildReport
from assay.ingest.preview import Preview
from assay.model.counting import counted
from assay.model.documents import PageExcluded, PageFailed, PageGone, list_formats
from assay.model.generations import Generation, State

_SHOWN = 10


def build_body(build: BuildReport, generation: Generation) -> dict[str, Any]:
    """Return the JSON body of `ingest`. generation: in its present state, possibly after a promotion."""
    return {
        "generation": generation.id,
        "state": generation.state.value,
        "built": not build.unchanged,
        "unchanged": build.unchanged,
        "documents": generation.documents,
        "chunks": generation.chunks,
        "embedded": build.embedded,
        "reused": build.reused,
        "added": len(build.added),
        "changed": len(build.changed),
        "kept": build.kept,
        "removed": len(build.removed),
        "against": build.base.id if build.base else None,
        "dropped": list(build.dropped),
    } | _pages(build)


def preview_body(found: Preview) -> dict[str, Any]:
    """Return the JSON body of `ingest --dry-run`."""
    return {
        "dry_run": True,
        "against": found.base.id if found.base else None,
        "differs": found.differs,
        "documents": found.documents,
        "chunks": found.chunks,
        "embedded": found.embedded,
        "tokens": found.tokens,
        "added": len(found.added),
        "added_pages": list(found.added),
        "changed": len(found.changed),
        "changed_pages": list(found.changed),
        "kept": found.kept,
        "removed": len(found.removed),
    } | _pages(found)


def _pages(found: BuildReport | Preview) -> dict[str, Any]:
    """Return the pages of each kind with their reasons, and the time taken."""
    return {
        "moved": len(found.moved),
        "moved_pages": [{"from": before, "to": now} for before, now in found.moved],
        "removed_pages": list(found.removed),
        "gone": _with_reasons(found.gone),
        "carried": list(found.carried),
        "failed": _with_reasons(found.failed),
        "excluded": _with_reasons(found.excluded),
        "empty": list(found.empty),
        "unread": {
            "documents": dict(found.unread.documents),
            "files": dict(found.unread.files),
            "folders": list(found.unread.folders),
        },
        "seconds": round(sum(found.seconds.values()), 3),
        "seconds_by_stage": {stage: round(seconds, 3) for stage, seconds in found.seconds.items()},
    }


def _with_reasons(pages: Iterable[PageExcluded | PageFailed | PageGone]) -> list[dict[str, str]]:
    return [{"page": page.key, "reason": page.reason} for page in pages]


def show_build(console: Console, build: BuildReport) -> None:
    """Print the results of a build in a few lines."""
    generation = build.generation
    if build.unchanged and generation.state is State.CANDIDATE:
        pages = counted(generation.documents, "page")
        console.print(f"Nothing was built: the candidate [bold]{generation.id}[/] has the same {pages}.")
    elif build.unchanged:
        console.print(
            f"Nothing has changed: the {generation.state.value} generation [bold]{generation.id}[/] "
            f"has the same {counted(generation.documents, 'page')}."
        )
        if build.dropped:
            console.print(
                f"The waiting candidate {', '.join(build.dropped)} was dropped: "
                "the pages are those of the live generation again."
            )
    else:
        seconds = sum(build.seconds.values())
        stages = ", ".join(f"{stage} {spent:.1f}" for stage, spent in build.seconds.items())
        console.print(
            f"Generation [bold]{generation.id}[/]: {pages_and_chunks(generation.documents, generation.chunks)}; "
            f"{build.embedded} embedded, {build.reused} reused; {seconds:.1f} s ({stages})."
        )
        against = build.base if build.base and build.base.state is State.CANDIDATE else None
        console.print(_counts(build, f" compared with the earlier candidate {against.id}" if against else ""))
        if build.base and build.base.sources and set(build.base.sources).isdisjoint(generation.sources):
            before, now = ", ".join(build.base.sources), ", ".join(generation.sources)
            console.print(
                f"[yellow]The source has changed[/] to {escape(now)}; the live pages come from {escape(before)}."
            )
    _show_pages(console, build)


def show_preview(console: Console, found: Preview) -> None:
    """Print what a build would do, page by page."""
    against = f"generation [bold]{found.base.id}[/]" if found.base else "nothing, since there is no generation yet"
    console.print(f"Nothing was built. Compared with {against}:")
    console.print(_counts(found))
    console.print(
        f"A build would have {counted(found.documents, 'page')} and {counted(found.chunks, 'chunk')}; "
        f"{counted(found.embedded, 'text')} would be embedded ({counted(found.tokens, 'token')})."
    )
    _show_list(console, "New", found.added, "green")
    _show_list(console, "Changed", found.changed, "yellow")
    _show_pages(console, found)


def _counts(found: BuildReport | Preview, against: str = "") -> str:
    moved = f"{len(found.moved)} moved, " if found.moved else ""
    return (
        f"Pages{against}: {len(found.added)} new, {len(found.changed)} changed, {moved}{found.kept} unchanged, "
        f"{len(found.removed)} removed, {len(found.failed)} failed, {len(found.excluded)} left out."
    )


def _show_pages(console: Console, found: BuildReport | Preview) -> None:
    """Print the moved, removed, failed and empty pages, and the reasons for leaving others out."""
    reasons = {page.key: page.reason for page in found.gone}
    _show_list(console, "Moved", [f"{before} → {now}" for before, now in found.moved], "yellow")
    removed = [f"{url}: {reasons[url]}" if url in reasons else url for url in found.removed]
    _show_list(console, "Removed", removed, "yellow")
    _show_list(console, "Failed", [f"{page.key}: {page.reason}" for page in found.failed], "red")
    _show_list(console, "Nothing to search for in", found.empty, "yellow")
    first = {page.reason.split(";")[0]: page.key for page in reversed(found.excluded)}
    for reason, count in Counter(page.reason.split(";")[0] for page in found.excluded).most_common(_SHOWN):
        more = f" and {count - 1} more (--json lists all)" if count > 1 else ""
        console.print(f"[dim]Left out: {on_one_line(first[reason])}{more}: {on_one_line(reason)}[/]")
    if found.unread.documents:
        console.print(f"[yellow]Not read, unsupported formats:[/] {escape(list_formats(found.unread.documents))}")


def _show_list(console: Console, heading: str, lines: Sequence[str], colour: str) -> None:
    for line in lines[:_SHOWN]:
        console.print(f"[{colour}]{heading}:[/] {on_one_line(line)}")
    if len(lines) > _SHOWN:
        console.print(f"[{colour}]{heading}:[/] … and {len(lines) - _SHOWN} more (--json lists all)")
