"""A sweep as one HTML page: conclusions, quality against latency, and rows."""

import math
from collections.abc import Mapping, Sequence

from assay.model.comparisons import Sweep, SweptMean, SweptRow
from assay.model.counting import counted
from assay.validation.report.charts import WIDTH, chart, line, words
from assay.validation.report.markup import NOTHING, Child, Markup, element, joined, with_code
from assay.validation.report.page_parts import card, facts, section, table, whole_page
from assay.validation.report.wording import NOTHING as NO_VALUE
from assay.validation.report.wording import milliseconds, moment, number, short
from assay.validation.sweeping import is_significant

_HIGH = 220.0
_LEFT, _RIGHT, _TOP = 40.0, 12.0, 10.0
_NEAR = 13.0
"""Smallest distance of two numbers that do not overlap."""


def to_html(sweep: Sweep) -> str:
    """The page, UTF-8."""
    title = f"Sweep of {counted(len(sweep.rows), 'setting')} over {sweep.test_set}"
    return whole_page(
        title,
        element(
            "header",
            element("h1", title),
            [element("p", with_code(sentence)) for sentence in sweep.words],
            element("p", f"{moment(sweep.started_at)} · generation {sweep.generation}", class_="muted small"),
            class_="card verdict none",
        ),
        section("Quality against latency", element("div", _scatter(sweep), _means(sweep), class_="charts")),
        section("Rows", _rows(sweep)),
        _differences(sweep),
        _notes(sweep.notes),
        section("What the figures are of", card(facts(_facts(sweep)))),
    )


# --- pictures ------------------------------------------------------------------------------------------------------


def _scatter(sweep: Sweep) -> Markup:
    """Each row as a point: up is better, left is faster. Filled if it does not differ significantly from the best."""
    points = [
        (place, row, mean.value, row.latency.p50_ms)
        for place, row in enumerate(sweep.rows, start=1)
        if (mean := row.mean(sweep.measure)) and mean.value is not None and row.latency
    ]
    if not points:
        return NOTHING
    low, high = _ends([value for _, _, value, _ in points])
    longest = _round_up(max(spent for _, _, _, spent in points) * 1.05)
    parts = [*_axes(low, high, longest)]
    across, up = (WIDTH - _LEFT - _RIGHT) / longest, _HIGH / (high - low)
    dots = [(_LEFT + spent * across, _TOP + (high - value) * up) for _, _, value, spent in points]
    placed = [(x - 4, y + 4) for x, y in dots]
    told = []
    for (place, row, value, spent), (x, y) in zip(points, dots, strict=True):
        parts.append(element("circle", cx=x, cy=y, r=5.0, class_="dot" if row.tied_with_best else "hollow"))
        label = _free(x + 8, y + 4, placed)
        placed.append(label)
        parts.append(words(*label, str(place), "end" if label[0] > WIDTH - _RIGHT else "start"))
        told.append(f"{place} {row.name}: {sweep.measure} {number(value)}, median {milliseconds(spent)}")
    drawn = chart(f"{sweep.measure} against latency", f"{'; '.join(told)}.", _HIGH + _TOP + 44, *parts)
    caption = element(
        "figcaption",
        f"{sweep.measure} against the median latency of a search",
        element("span", "Up is better, left is faster; the numbers are the rows'. ", class_="small muted"),
        element("span", "Filled: the best, and rows that do not differ significantly.", class_="small muted"),
    )
    return card(element("figure", caption, drawn))


def _axes(low: float, high: float, longest: float) -> list[Markup]:
    parts = []
    for step in range(5):
        share = step / 4
        y = _TOP + share * _HIGH
        parts.append(line(_LEFT, y, WIDTH - _RIGHT, y, "grid"))
        parts.append(words(_LEFT - 6, y + 4, f"{high - share * (high - low):.3g}", "end", "muted"))
        x = _LEFT + share * (WIDTH - _LEFT - _RIGHT)
        anchor = "end" if step == 4 else "middle"
        parts.append(words(x, _HIGH + _TOP + 18, f"{share * longest:.3g}", anchor, "muted"))
    parts.append(words((_LEFT + WIDTH) / 2, _HIGH + _TOP + 36, "milliseconds", "middle", "muted"))
    return parts


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Round ends of a scale with a margin around all values."""
    low, high = min(values), max(values)
    room = max(high - low, 0.04)
    low, high = max(low - 0.15 * room, 0.0), min(high + 0.15 * room, 1.0)
    return math.floor(low * 50) / 50, math.ceil(high * 50) / 50


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-3)))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value)


def _free(x: float, y: float, placed: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """A place for a number near a point that overlaps no other number."""
    steps = [(0.0, 0.0), (0.0, -_NEAR), (0.0, _NEAR), (-22.0, 0.0), (-22.0, -_NEAR), (-22.0, _NEAR)]
    steps += [(dx * 14.0, dy * _NEAR) for dx in range(1, 6) for dy in (0, -1, 1, -2, 2)]
    for dx, dy in steps:
        if all(abs(x + dx - u) >= _NEAR or abs(y + dy - v) >= _NEAR - 1 for u, v in placed):
            return x + dx, y + dy
    return x, y


def _means(sweep: Sweep) -> Markup:
    """The deciding measure of each row with its interval."""
    left, right = 24.0, WIDTH - 48.0
    known = [(place, row, mean) for place, row, mean in _with_means(sweep) if mean.value is not None]
    if not known:
        return NOTHING
    ends = [end for _, _, mean in known for end in (mean.low, mean.high, mean.value) if end is not None]
    low, high = _ends(ends)
    scale = (right - left) / (high - low)
    parts = [
        line(left + share * (right - left), 2, left + share * (right - left), len(known) * 24.0 + 4, "grid")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    told = []
    for at, (place, row, mean) in enumerate(known):
        y = at * 24.0 + 16
        value = mean.value or 0.0
        parts.append(words(0, y + 4, str(place)))
        if mean.low is not None and mean.high is not None:
            parts.append(line(left + (mean.low - low) * scale, y, left + (mean.high - low) * scale, y, "whisker"))
        kind = "dot" if row.tied_with_best else "hollow"
        parts.append(element("circle", cx=left + (value - low) * scale, cy=y, r=5.0, class_=kind))
        parts.append(words(WIDTH, y + 4, number(value), "end"))
        told.append(f"{place} {row.name}: {number(value)} ({number(mean.low)} to {number(mean.high)})")
    base = len(known) * 24.0 + 20
    parts += [
        words(left + share * (right - left), base, f"{low + share * (high - low):.3g}", "middle", "muted")
        for share in (0.0, 0.5, 1.0)
    ]
    drawn = chart(f"{sweep.measure} of each row", f"{'; '.join(told)}.", base + 6, *parts)
    below = element("span", "Each alone; whether two rows differ is tested topic by topic.", class_="small muted")
    return card(element("figure", element("figcaption", f"{sweep.measure} with its 95% interval", below), drawn))


def _with_means(sweep: Sweep) -> list[tuple[int, SweptRow, SweptMean]]:
    return [(place, row, mean) for place, row in enumerate(sweep.rows, 1) if (mean := row.mean(sweep.measure))]


# --- tables --------------------------------------------------------------------------------------------------------


def _rows(sweep: Sweep) -> Markup:
    names = [mean.measure for mean in sweep.rows[0].means]
    head = ("#", "row", *(f"{name}#" for name in names), "judged@5#", "p50#", "p95#", "chunks#")
    rows: list[list[Child]] = [
        [
            str(place),
            joined(row.name, element("span", f" {mark}", class_="muted small"))
            if (mark := _mark(sweep, row))
            else row.name,
            *(_cell(mean) for mean in row.means),
            NO_VALUE if row.judged is None else f"{row.judged:.0%}",
            milliseconds(row.latency.p50_ms) if row.latency else NO_VALUE,
            milliseconds(row.latency.p95_ms) if row.latency else NO_VALUE,
            f"{row.chunks:,}",
        ]
        for place, row in enumerate(sweep.rows, start=1)
    ]
    topics = counted(sweep.rows[0].topics, "topic")
    caption = (
        f"Means over {topics}. ▲ and ▼: significantly higher or lower than the first row, p adjusted over the whole "
        "table; without a mark the difference may be chance."
    )
    told = ([str(place), row.name, _settings(row.described)] for place, row in enumerate(sweep.rows, start=1))
    settings = table("The settings of each row that have an effect.", ("#", "row", "settings+"), told)
    return joined(table(caption, head, rows), element("div", settings, class_="below"))


def _mark(sweep: Sweep, row: SweptRow) -> str:
    """The mark of a row relative to the best."""
    alone = sum(one.tied_with_best for one in sweep.rows) == 1
    if row.open_to_best:
        return "too little judged to tell"
    if row.tied_with_best and len(sweep.rows) > 1:
        if not alone:
            return "as good as any"
        return "highest" if any(one.open_to_best for one in sweep.rows) else "best"
    return ""


def _cell(mean: SweptMean) -> Child:
    return f"{number(mean.value)}{_arrow(mean)}"


def _arrow(mean: SweptMean) -> str:
    if mean.against_first is None or not is_significant(mean):
        return ""
    return " ▲" if mean.against_first.difference > 0.0 else " ▼"


def _settings(described: Mapping[str, str]) -> str:
    return short(", ".join(f"{name} {value}" for name, value in described.items()), 160)


def _differences(sweep: Sweep) -> Markup:
    """How each later row differs from the first one, on the measure that decides."""
    rows: list[list[Child]] = []
    for place, row, mean in _with_means(sweep):
        found = mean.against_first
        if found is None:
            continue
        interval = f"{found.interval.low:+z.3f} – {found.interval.high:+z.3f}" if found.interval else NO_VALUE
        p = [f"{value:.2g}" if value >= 0.001 else "< 0.001" for value in (found.p, found.adjusted_p)]
        rows.append([str(place), row.name, f"{found.difference:+z.3f}", interval, *p, number(found.detectable)])
    if not rows:
        return NOTHING
    head = ("#", "row", "difference#", "interval#", "p#", "adjusted p#", "detectable#")
    caption = (
        f"{sweep.measure} against {sweep.rows[0].name}, topic by topic. Detectable: the smallest difference that is "
        "detectable with 80% power, p adjusted."
    )
    return section("Differences from the first row", table(caption, head, rows))


def _notes(notes: Sequence[str]) -> Markup:
    if not notes:
        return NOTHING
    return section(
        "Before you conclude", card(element("ul", [element("li", with_code(one)) for one in notes], class_="plain"))
    )


def _facts(sweep: Sweep) -> list[tuple[str, Child]]:
    return [
        ("generation", sweep.generation),
        ("pages", f"{sweep.documents:,}"),
        ("test set", sweep.test_set),
        ("its hash", element("code", sweep.test_set_fingerprint)),
        ("took", f"{sweep.seconds:.1f} s"),
    ]
