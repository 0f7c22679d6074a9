"""A validation as text for a terminal: each measure with a bar, then the verdict."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from assay.cli.terminal.generation_text import show_verdict
from assay.cli.terminal.output import pages_and_chunks
from assay.model.counting import counted
from assay.model.evaluation import Anchoring, MeasureValue
from assay.model.validations import Difference, LatencyFigures, TopicResult, Validation

_BAR = 20
_WORST = 5
_LISTED = 8


def show_validation(console: Console, validation: Validation) -> None:
    """Print the measures, then the verdict, which stays visible at the end."""
    provenance = validation.provenance
    of = f"{provenance.generation} ({provenance.target})" if provenance.generation else provenance.target
    size = f"{pages_and_chunks(provenance.documents, provenance.chunks)}; " if provenance.has_size else ""
    console.print(
        f"[bold]{escape(of)}[/]: {size}{counted(len(validation.topics), 'topic')}"
        f"{f' of {escape(provenance.test_set)}' if provenance.test_set else ''}, "
        f"{validation.seconds:.1f} s"
    )
    if validation.topics:
        _show_measures(console, validation.measures)
        _show_groups(console, validation.groups)
        _show_resolution(console, validation.anchoring)
    if validation.latency:
        _show_latency(console, validation.latency)
    _show_differences(console, validation.against_live)
    _show_worst(console, validation.topics)
    for line in validation.advice[:_LISTED]:
        console.print(f"[dim]· {escape(line)}[/]")
    if len(validation.advice) > _LISTED:
        console.print(f"[dim]· and {len(validation.advice) - _LISTED} more in the report[/]")
    console.print()
    show_verdict(console, validation.verdict)
    if validation.unjudged:
        console.print(
            f"[dim]Label these first: {counted(len(validation.unjudged), 'hit')}; `assay label` lists them.[/]"
        )


def _show_measures(console: Console, values: Sequence[MeasureValue]) -> None:
    width = max(len(value.name) for value in values)
    for value in values:
        if value.value is None:
            console.print(f"  {value.name:<{width}}  [dim]not defined for any topic[/]")
            continue
        interval = f"[{value.interval.low:z.3f}, {value.interval.high:z.3f}]" if value.interval else ""
        notes = [f"{value.measured} of {counted(value.topics, 'topic')}"] if value.measured < value.topics else []
        if value.upper is not None and value.upper > value.value + 5e-4:
            notes.append(f"{value.upper:.3f} if all unjudged hits were relevant")
        if value.tied is not None:
            notes.append(f"{value.tied[0]:.3f} to {value.tied[1]:.3f} depending on the order of ties")
        console.print(
            f"  {value.name:<{width}}  {value.value:.3f}  {_bar(value.value)}  {escape(interval):<16}  "
            f"[dim]{'; '.join(notes)}[/]".rstrip()
        )


def _bar(value: float) -> str:
    filled = round(min(max(value, 0.0), 1.0) * _BAR)
    return f"[cyan]{'█' * filled}[/][dim]{'·' * (_BAR - filled)}[/]"


def _show_groups(console: Console, groups: Mapping[str, Sequence[MeasureValue]]) -> None:
    for name, values in groups.items():
        by_name = {value.name: value for value in values}
        shown = [
            f"{measure} {by_name[measure].value:.2f}"
            for measure in ("P@5", "mrr", "nDCG@10")
            if measure in by_name and by_name[measure].value is not None
        ]
        topics = next((value.topics for value in values), 0)
        console.print(f"  [dim]{name} ({topics}): {', '.join(shown)}[/]")


def _show_resolution(console: Console, anchoring: Mapping[Anchoring, int]) -> None:
    total = sum(anchoring.values())
    if total:
        parts = ", ".join(f"{count} {one.value.replace('_', '-')}" for one, count in anchoring.items() if count)
        console.print(f"  [dim]{counted(total, 'judgment')}: {parts}[/]")


def _show_latency(console: Console, latency: LatencyFigures) -> None:
    stages = ", ".join(f"{name} {stage.p50_ms:.1f}" for name, stage in latency.stages.items())
    estimate = " (estimate)" if latency.p99_estimated else ""
    console.print(
        f"  latency of {latency.samples} searches: p50 {latency.p50_ms:.1f}, p95 {latency.p95_ms:.1f}, "
        f"p99 {latency.p99_ms:.1f} ms{estimate}; [dim]median by stage: {stages} ms[/]"
    )
    if latency.note:
        console.print(f"  [dim]{escape(latency.note)}[/]")
    for load in latency.loads:
        failed = f", [red]{load.errors} failed[/]" if load.errors else ""
        console.print(
            f"  {escape(load.name)}: p50 {load.p50_ms:.1f}, p95 {load.p95_ms:.1f}, "
            f"p99 {load.p99_ms:.1f} ms, {load.rate:.0f} answers/s{failed}"
        )


def _show_differences(console: Console, differences: Sequence[Difference]) -> None:
    changed = [one for one in differences if one.difference]
    if differences and not changed:
        console.print("  [dim]no measure differs from the live generation's[/]")
    for one in changed:
        console.print(
            f"  {one.measure} against live: {one.a:z.3f} → {one.b:z.3f} ({one.difference:+z.3f}, "
            f"adjusted p = {one.adjusted_p:.2g})"
        )


def _show_worst(console: Console, topics: Sequence[TopicResult]) -> None:
    missed = [topic for topic in topics if topic.reached is False or topic.error is not None]
    missed.sort(key=lambda one: (one.error is None, one.values.get("nDCG@10") or 0.0))
    for topic in missed[:_WORST]:
        result = escape(topic.error) if topic.error else f"P@5 {topic.values.get('P@5') or 0.0:.2f}"
        console.print(f"  [yellow]{escape(topic.topic.id)}[/] “{escape(topic.topic.text[:60])}”: {result}")
    if len(missed) > _WORST:
        console.print(f"  [dim]and {len(missed) - _WORST} more topics below the limit[/]")
