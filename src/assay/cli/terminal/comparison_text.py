"""A comparison as text for a terminal: configuration differences, a chart of measures, changed topics, conclusions."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from assay.model.bounds import shortened
from assay.model.comparisons import ChangedTopic, ComparedMeasure, Comparison, Conclusion, Side
from assay.model.counting import counted
from assay.model.evaluation import Finding, Outcome

_HALF = 16
"""Columns of the chart on each side of 0."""

_STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_LONGEST = 58
_MOST_FACTS = 12

_STYLES = {
    Conclusion.BETTER: "green",
    Conclusion.WORSE: "red",
    Conclusion.UNFAIR: "yellow",
    Conclusion.NOT_SHOWN: "",
    Conclusion.EQUAL: "dim",
}


def show_comparison(console: Console, comparison: Comparison, topics: int) -> None:
    """Print a comparison, with the conclusions at the end. topics: number of changed topics to show."""
    for letter, side in (("A", comparison.a), ("B", comparison.b)):
        console.print(_line(f"{letter}: {side.name}", _of(side), style="bold"))
    _show_facts(console, comparison)
    console.print()
    _show_chart(console, comparison.measures)
    _show_latency(console, comparison)
    _show_changed(console, comparison, topics)
    for sentence in comparison.left_out:
        console.print(f"[dim]{escape(sentence)}[/]")
    for sentence in comparison.warnings:
        console.print(f"[yellow]{escape(sentence)}[/]")
    _show_lost(console, comparison.lost_topics)
    console.print()
    for one in comparison.measures:
        style = _STYLES[one.conclusion]
        console.print(Text(f"{one.difference.measure}: {one.words}", style=style))


def _line(head: str, rest: str, style: str) -> Text:
    return Text.assemble((head, style), (f"  {rest}" if rest else "", "dim"))


def _of(side: Side) -> str:
    origin = side.provenance
    parts = [
        f"generation {origin.generation}" if origin.generation and origin.generation != side.name else "",
        f"{counted(len(side.topics), 'topic')}" + (f" of {origin.test_set}" if origin.test_set else ""),
    ]
    return ", ".join(part for part in parts if part)


def _show_facts(console: Console, comparison: Comparison) -> None:
    """Print the configuration values in which the two sides differ."""
    facts = list(comparison.differing.items())
    if not facts:
        console.print("[dim]no known difference in configuration[/]")
        return
    width = max(len(name) for name, _ in facts)
    for name, (x, y) in facts[:_MOST_FACTS]:
        console.print(Text(f"   {name:<{width}}  {_short(x)} → {_short(y)}", style="dim"))
    if len(facts) > _MOST_FACTS:
        console.print(Text(f"   and {len(facts) - _MOST_FACTS} more (--json has all)", style="dim"))


def _show_chart(console: Console, measures: Sequence[ComparedMeasure]) -> None:
    """Print each difference as a point with its interval, all on one scale."""
    reach = _reach(measures)
    width = max(len(one.difference.measure) for one in measures)
    blank = " " * (width + 2)
    worse, better = "← B worse", "B better →"
    axis = f"{worse}{' ' * (2 * _HALF + 1 - len(worse) - len(better))}{better}"
    console.print(Text(f"{blank}{'A':>6} {'B':>6}   {axis}   difference", style="dim"))
    for one in measures:
        found = one.difference
        interval = f" [{found.interval.low:+z.3f}, {found.interval.high:+z.3f}]" if found.interval else ""
        console.print(
            Text.assemble(
                f"{found.measure:<{width}}  {found.a:>6.3f} {found.b:>6.3f}   ",
                (_bar(one, reach), _STYLES[one.conclusion] or "cyan"),
                f"   {found.difference:+z.3f}{interval}",
                (f"  p {_p(found.p)}, adjusted {_p(found.adjusted_p)}; {counted(found.topics, 'topic')}", "dim"),
            ),
            soft_wrap=True,
        )
    scale = f"{-reach:<+{_HALF}g}0{reach:>+{_HALF}g}"
    console.print(Text(f"{blank}{'':>13}   {scale}", style="dim"))


def _bar(one: ComparedMeasure, reach: float) -> str:
    """Draw a line of 2 * _HALF + 1 characters: `│` for 0, `─` for the interval, `●` for the difference."""
    line = [" "] * (2 * _HALF + 1)
    found = one.difference
    if found.interval:
        for column in range(_column(found.interval.low, reach), _column(found.interval.high, reach) + 1):
            line[column] = "─"
    line[_HALF] = "┼" if line[_HALF] == "─" else "│"
    line[_column(found.difference, reach)] = "●"
    return "".join(line)


def _column(value: float, reach: float) -> int:
    return round(_HALF * (1.0 + min(max(value / reach, -1.0), 1.0)))


def _reach(measures: Sequence[ComparedMeasure]) -> float:
    """Return the end of the scale: the smallest step that covers every difference and interval."""
    ends = [0.0]
    for one in measures:
        found = one.difference
        ends += [abs(found.difference)] + (
            [abs(found.interval.low), abs(found.interval.high)] if found.interval else []
        )
    return next((step for step in _STEPS if step >= max(ends)), max(ends))


def _show_latency(console: Console, comparison: Comparison) -> None:
    sides = [("A", comparison.a.latency), ("B", comparison.b.latency)]
    figures_by_side = [
        f"{letter} p50 {figures.p50_ms:.1f}, p95 {figures.p95_ms:.1f} ms ({figures.samples} searches)"
        for letter, figures in sides
        if figures
    ]
    if figures_by_side:
        console.print(Text(f"latency: {'; '.join(figures_by_side)}"))
    judged = [
        f"{letter} {share:.0%}" for letter, share in zip("AB", comparison.judged, strict=True) if share is not None
    ]
    if judged:
        console.print(Text(f"judged of the first 5 hits: {', '.join(judged)}", style="dim"))
    if any(comparison.lost):
        console.print(Text("judged passages that were not found: A {:,}, B {:,}".format(*comparison.lost), style="dim"))


def _show_changed(console: Console, comparison: Comparison, most: int) -> None:
    """Print the topics that changed most, with the rank of the best hit before and after."""
    changed = comparison.changed
    up = sum(one.change > 0.0 for one in changed)
    down = sum(one.change < 0.0 for one in changed)
    console.print(
        Text(
            f"{counted(comparison.topics, 'topic')}: {up} up, {down} down, {comparison.topics - up - down} the same by "
            f"{comparison.ordered_by}"
        )
    )
    if not changed or not most:
        return
    width = min(max(len(one.id) for one in changed[:most]), 30)
    console.print(Text(f"  {comparison.ordered_by:>16}   best hit    topic", style="dim"))
    for one in changed[:most]:
        console.print(_changed_line(one, width), soft_wrap=True)
    if len(changed) > most:
        console.print(Text(f"  and {len(changed) - most} more (--json has all)", style="dim"))


def _show_lost(console: Console, found: Finding | None) -> None:
    """Print the topics that lost their answer, if any."""
    if found is not None and found.count:
        said = (
            found.detail or f"{counted(found.count, 'topic')} lost the answer that A has: {'; '.join(found.examples)}"
        )
        console.print(Text(f"lost topics: {said}", style="red" if found.outcome is Outcome.FAIL else "yellow"))


def _changed_line(one: ChangedTopic, width: int) -> Text:
    style = "green" if one.change > 0.0 else "red" if one.change < 0.0 else ""
    return Text.assemble(
        f"  {one.a:.2f} → {one.b:.2f} ",
        (f"{one.change:+z.2f}", style),
        f"   {_rank(one.rank_a):>3} → {_rank(one.rank_b):<3}   {one.id:<{width}}  ",
        (f"“{_short(one.text)}”", "dim"),
    )


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else "< 0.001"


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)
