"""A sweep as text for a terminal: a table, a chart of quality against latency, conclusions."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from assay.model.bounds import shortened
from assay.model.comparisons import Sweep, SweptMean, SweptRow
from assay.model.counting import counted
from assay.validation.sweeping import is_significant

_COLUMNS, _LINES = 56, 12
_LONGEST = 34
_MARKERS = "123456789abcdefghijklmnopqrstuvwxyz"


def show_sweep(console: Console, sweep: Sweep) -> None:
    """Print a sweep, with the conclusions at the end."""
    console.print(
        f"[bold]{escape(sweep.generation)}[/]: {counted(len(sweep.rows), 'setting')}, "
        f"{counted(sweep.rows[0].topics, 'topic')} of {escape(sweep.test_set)}, {sweep.seconds:.1f} s"
    )
    console.print()
    _show_rows(console, sweep)
    console.print()
    _show_chart(console, sweep)
    for sentence in sweep.notes:
        console.print(Text(f"· {sentence}", style="dim"))
    console.print()
    for sentence in sweep.words:
        console.print(Text(sentence, style="bold"))


def _show_rows(console: Console, sweep: Sweep) -> None:
    names = [mean.measure for mean in sweep.rows[0].means]
    head = ["", "row", *names, "judged@5", "p50 ms", "p95 ms", "chunks"]
    rows = [_cells(number, row) for number, row in enumerate(sweep.rows)]
    widths = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
    console.print(Text(_aligned(head, widths), style="dim"), soft_wrap=True)
    for row, cells in zip(sweep.rows, rows, strict=True):
        style = "green" if row.tied_with_best else "yellow" if row.open_to_best else ""
        console.print(Text(_aligned(cells, widths), style=style), soft_wrap=True)
    legend = "▲▼ significantly different from the first row; green: the best, or no significant difference from it"
    if any(row.open_to_best for row in sweep.rows):
        legend += "; yellow: too few hits are judged to decide"
    console.print(Text(legend, style="dim"))


def _cells(number: int, row: SweptRow) -> list[str]:
    name = shortened(row.name, _LONGEST)
    timed = row.latency
    return [
        _marker(number),
        f"{name} *" if row.tied_with_best else f"{name} ?" if row.open_to_best else name,
        *(_mean(mean) for mean in row.means),
        "–" if row.judged is None else f"{row.judged:.0%}",
        f"{timed.p50_ms:.2f}" if timed else "–",
        f"{timed.p95_ms:.2f}" if timed else "–",
        str(row.chunks),
    ]


def _mean(mean: SweptMean) -> str:
    if mean.value is None:
        return "–  "
    mark = " "
    if is_significant(mean) and mean.against_first:
        mark = "▲" if mean.against_first.difference > 0.0 else "▼"
    return f"{mean.value:.3f} {mark}"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Format one line: the first two columns aligned left, numbers right."""
    return "  ".join(
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


def _show_chart(console: Console, sweep: Sweep) -> None:
    """Print a chart with a row's marker at its latency (x) and quality (y)."""
    points = [
        (number, mean.value, row.latency.p50_ms)
        for number, row in enumerate(sweep.rows)
        if (mean := row.mean(sweep.measure)) and mean.value is not None and row.latency
    ]
    if len(points) < 2:
        return
    low, high = min(value for _, value, _ in points), max(value for _, value, _ in points)
    longest = max(spent for _, _, spent in points) or 1.0
    grid: dict[tuple[int, int], str] = {}
    for number, value, spent in points:
        line = round((high - value) / ((high - low) or 1.0) * (_LINES - 1))
        column = round(spent / longest * (_COLUMNS - 4))
        while (line, column) in grid:
            column += 1
        grid[line, column] = _marker(number)
    console.print(Text(f"{sweep.measure} against median latency", style="dim"))
    for line in range(_LINES):
        label = f"{high:.3f}" if line == 0 else f"{low:.3f}" if line == _LINES - 1 else ""
        console.print(Text(f"{label:>7} │{_line(grid, line)}"), soft_wrap=True)
    console.print(Text(f"{'':>7} └{'─' * _COLUMNS}"), soft_wrap=True)
    console.print(Text(f"{'':>7}  0{longest:>{_COLUMNS - 5}.3g} ms", style="dim"), soft_wrap=True)


def _line(grid: Mapping[tuple[int, int], str], line: int) -> str:
    columns = [column for at, column in grid if at == line]
    return "".join(grid.get((line, column), " ") for column in range(max(columns, default=-1) + 1))


def _marker(number: int) -> str:
    return _MARKERS[number] if number < len(_MARKERS) else "+"
