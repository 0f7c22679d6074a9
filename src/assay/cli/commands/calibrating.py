"""`assay calibrate`: find the similarity threshold that separates relevant from irrelevant hits."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import Assay, CalibrationReport
from assay.app.testsets import load_test_set
from assay.cli import options
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.visible import visible
from assay.errors import InputError
from assay.model.counting import counted
from assay.model.evaluation import Interval
from assay.model.ranking import Mode
from assay.validation.calibration import KEPT, SEEDS, Abstention, AtThreshold, Calibration, Separation

EXIT_UNKNOWN = 3
_BIN = 0.05
_BAR = 24


def calibrate(
    testset: options.TestSetFile = None,
    generation: options.MeasuredGeneration = None,
    mode: Annotated[Mode | None, typer.Option(help="Vectors to search [default: [search] mode].")] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, max=100, help="Hits of each topic [default: [validation] depth].")
    ] = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Find the similarity threshold that best separates relevant from irrelevant hits of this embedder.

    Uses hits labelled 0 against 1 and 2, and topics with `expect: no_answer`.

    Exit code 3 if there are too few, or no threshold separates them.
    """
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        path = testset or assay.evaluation.test_set_path()
        if path is None:
            raise InputError(
                "There is no test set with labels.",
                hint="Set one with --testset FILE or [validation] testset.",
            )
        report = assay.labels.calibrate(load_test_set(path), generation, mode=mode, depth=depth, progress=progress())
    for topic_id, reason in report.failed.items():
        err().print(f"[yellow]{escape(visible(topic_id))} could not be searched: {escape(visible(reason))}[/]")
    if as_json:
        print_json(calibration_body(report))
    else:
        show_calibration(out(), report)
    if report.calibration.separation.threshold is None:
        raise typer.Exit(EXIT_UNKNOWN)


def calibration_body(report: CalibrationReport) -> dict[str, Any]:
    """Return the JSON body of `calibrate`."""
    found, embedder = report.calibration, report.generation.embedder
    return {
        "generation": report.generation.id,
        "embedder": {"provider": embedder.provider, "model": embedder.model, "dimension": embedder.dimension},
        "mode": report.mode.value,
        "depth": report.depth,
        "topics": found.topics,
        "relevant": len(found.relevant),
        "irrelevant": len(found.irrelevant),
        "unjudged": report.unjudged,
        "answerable_topics": found.answerable,
        "unanswerable_topics": found.unanswerable,
        "failed": dict(report.failed),
        "separation": _part(found.separation),
        "abstention": _part(found.abstention),
        "thresholds": [asdict(one) for one in found.table],
        "settings": settings_toml(found) or None,
        "similarities": {"relevant": list(found.relevant), "irrelevant": list(found.irrelevant)},
    }


def _part(part: Separation | Abstention) -> dict[str, object]:
    """A threshold with its figures; intervals become pairs."""
    values = {one.name: getattr(part, one.name) for one in fields(part)}
    pairs = {name: [one.low, one.high] for name, one in values.items() if isinstance(one, Interval)}
    return values | pairs | {"why_not": part.why_not or None}


def show_calibration(console: Console, report: CalibrationReport) -> None:
    """Print the data used, the distribution of both classes, the effect of thresholds, and the settings to use."""
    found, embedder = report.calibration, report.generation.embedder
    console.print(
        f"[bold]{escape(f'{embedder.provider} {embedder.model}')}[/] in {escape(report.generation.id)}: of the first "
        f"{counted(report.depth, 'hit')} of {counted(found.topics, 'topic')} ({report.mode.value}) "
        f"{len(found.relevant)} are judged 1 or 2, {len(found.irrelevant)} are irrelevant"
    )
    note = f"; {report.unjudged} unjudged hits are left out (`assay label --depth {report.depth}`)"
    console.print(
        "[dim]Irrelevant: hits judged 0, and the first top_k hits of topics with `expect: no_answer`"
        f"{note if report.unjudged else ''}.[/]"
    )
    _show_histogram(console, found)
    _show_table(console, found)
    _show_separation(console, found.separation)
    _show_abstention(console, found.abstention)
    toml = settings_toml(found)
    if toml:
        console.print("\nFor assay.toml; valid only for this model and for pages like these:\n")
        console.print(toml, markup=False)
    if found.abstention.threshold is not None:
        console.print(
            f"or for single topics of the test set: `expected_criteria: {{min_score: {found.abstention.threshold:g}}}`",
            markup=False,
        )


def settings_toml(found: Calibration) -> str:
    """Return the settings for assay.toml; empty if no threshold was found."""
    lines: list[str] = []
    separation, abstention = found.separation, found.abstention
    if separation.threshold is not None:
        here = next(one for one in found.table if one.threshold == separation.threshold)
        kept = f"keeps {_percent(here.recall)} of the relevant and {_percent(here.fallout)} of the irrelevant hits"
        lines += ["[search]", f"threshold = {separation.threshold:g}  # {kept}"]
    if abstention.threshold is not None:
        done = (
            f"answers {_percent(abstention.answered)} of the topics that have an answer, refuses "
            f"{_percent(abstention.refused)} of the others"
        )
        lines += [""] if lines else []
        lines += ["[gate]", 'edge_topics = "abstain"', f"abstain_below = {abstention.threshold:g}  # {done}"]
    return "\n".join(lines)


def _show_histogram(console: Console, found: Calibration) -> None:
    """Print a histogram of the similarities of both classes."""
    everything = (*found.relevant, *found.irrelevant)
    if not everything:
        return
    first, last = int(min(everything) / _BIN + 1e-9), min(int(max(everything) / _BIN + 1e-9), 19)
    classes = [_counts(values, first, last) for values in (found.relevant, found.irrelevant)]
    most = max(1, *classes[0], *classes[1])
    console.print()
    console.print(f"  similarity   {'irrelevant':>{_BAR + 5}}  relevant", style="dim")
    for row in range(last - first, -1, -1):
        low = (first + row) * _BIN
        relevant, irrelevant = classes[0][row], classes[1][row]
        left, right = "█" * _length(irrelevant, most), "█" * _length(relevant, most)
        marks = [
            name
            for name, value in (("threshold", found.separation.threshold), ("abstain", found.abstention.threshold))
            if value is not None and low <= value < low + _BIN - 1e-12
        ]
        mark = f"  [yellow]◂ {', '.join(marks)}[/]" if marks else ""
        blank = " " * (_BAR - len(left))
        console.print(
            f"  {low:.2f}–{low + _BIN:.2f}    {irrelevant or '':>4} {blank}[red]{left}[/]│[green]{right}[/] "
            f"{relevant or ''}{mark}"
        )


def _counts(values: Sequence[float], first: int, last: int) -> list[int]:
    counts = [0] * (last - first + 1)
    for value in values:
        counts[min(int(value / _BIN + 1e-9), last) - first] += 1
    return counts


def _length(count: int, most: int) -> int:
    return max(1, round(count / most * _BAR)) if count else 0


def _show_table(console: Console, found: Calibration) -> None:
    console.print()
    console.print(
        "  threshold   relevant kept   irrelevant kept   precision     F1   topics answered   refused", style="dim"
    )
    for one in found.table:
        notes = _notes(one, found)
        console.print(
            f"  {one.threshold:<9.4g}   {_percent(one.recall):>13}   {_percent(one.fallout):>15}   "
            f"{_percent(one.precision):>9}   {_number(one.f1):>4}   {_percent(one.answered):>15}   "
            f"{_percent(one.refused):>7}   [dim]{notes}[/]".rstrip()
        )
    console.print("  [dim]Precision and F1 count judged hits only, so they depend on what was judged.[/]")


def _notes(one: AtThreshold, found: Calibration) -> str:
    named = (
        ("best J = recall - fallout", found.separation.threshold),
        ("best F1", found.separation.best_f1),
        (f"answers {KEPT:.0%}", found.abstention.threshold),
    )
    notes = [name for name, value in named if value == one.threshold]
    if one.threshold in SEEDS:
        notes.append("used for other models")
    return ", ".join(notes)


def _show_separation(console: Console, separation: Separation) -> None:
    console.print()
    if separation.threshold is None:
        console.print(f"[yellow bold]Threshold not known[/]: {escape(separation.why_not)}.")
        if separation.auc is None:
            console.print("[dim]`assay label` adds labels; irrelevant hits are needed as much as relevant ones.[/]")
        return
    console.print(
        f"[bold]Threshold {separation.threshold:g}[/]{_between(separation.interval)} separates them best. AUC "
        f"{separation.auc:.3f}{_between(separation.auc_interval)}: the probability that a relevant hit has the higher "
        "similarity."
    )


def _show_abstention(console: Console, abstention: Abstention) -> None:
    if abstention.threshold is None:
        console.print(f"[yellow bold]Abstention not known[/]: {escape(abstention.why_not)}.")
        return
    console.print(
        f"[bold]Abstain below {abstention.threshold:g}[/]{_between(abstention.interval)}: "
        f"{_percent(abstention.answered)}{_shares(abstention.answered_interval)} of the topics with an answer keep a "
        f"hit, {_percent(abstention.refused)}{_shares(abstention.refused_interval)} of those without are refused."
    )


def _between(interval: Interval | None) -> str:
    return escape(f" [{interval.low:z.2f}, {interval.high:z.2f}]") if interval else ""


def _shares(interval: Interval | None) -> str:
    return escape(f" [{_percent(interval.low)}, {_percent(interval.high)}]") if interval else ""


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100.0 * share:.0f}%"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
