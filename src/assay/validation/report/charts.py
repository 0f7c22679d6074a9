"""Charts as SVG, drawn for a width of 340, so that text is readable on phones and desktops.

Colours come from the classes of the page's style. Each chart's description has its values as text.
"""

from collections.abc import Mapping, Sequence

from assay.model.evaluation import MeasureValue
from assay.model.validations import LatencyFigures, Percentiles
from assay.validation.report.markup import Markup, element, joined
from assay.validation.report.wording import milliseconds, number, short

WIDTH = 340.0
_LABELS = 104.0
"""Width of the names at the left."""

_VALUES = 62.0
"""Width of the values at the right."""

_ROW = 26.0
_BARS_HIGH = 110.0


def distribution(name: str, values: Sequence[float], title: str, bins: int = 10) -> Markup:
    """A histogram of topics by the value of a measure from 0 to 1.

    bins: number of bars; for P@k one for each possible value, such as six for P@5.
    """
    discrete = bins if name.startswith("P@") else 0
    counts = [0] * bins
    for value in values:
        place = round(value * (bins - 1)) if discrete else int(value * bins)
        counts[min(max(place, 0), bins - 1)] += 1
    highest = max([*counts, 1])
    step = WIDTH / bins
    parts = []
    for place, count in enumerate(counts):
        high = _BARS_HIGH * count / highest
        left = place * step
        parts.append(rectangle(left + 3, 18 + _BARS_HIGH - high, step - 6, high, "bar"))
        if count:
            parts.append(words(left + step / 2, 12 + _BARS_HIGH - high, f"{count:,}", "middle"))
        if discrete:
            parts.append(words(left + step / 2, _BARS_HIGH + 36, f"{place / (bins - 1):.1f}", "middle", "muted"))
    if not discrete:
        for share in (0.0, 0.5, 1.0):
            anchor = {0.0: "start", 1.0: "end"}.get(share, "middle")
            parts.append(words(WIDTH * share, _BARS_HIGH + 36, f"{share:g}", anchor, "muted"))
    parts.append(line(0, _BARS_HIGH + 18.5, WIDTH, _BARS_HIGH + 18.5, "axis"))
    described = [f"{_bin_name(place, bins, discrete)}: {count:,}" for place, count in enumerate(counts) if count]
    return chart(title, f"Number of topics by {name}. {'; '.join(described) or 'None'}.", _BARS_HIGH + 42, *parts)


def _bin_name(place: int, bins: int, discrete: int) -> str:
    return f"{place / (bins - 1):.1f}" if discrete else f"{place / bins:.1f} to {(place + 1) / bins:.1f}"


def intervals(measures: Sequence[MeasureValue], title: str) -> Markup:
    """Each mean with its interval, and a hollow mark for its value if all unjudged hits were relevant."""
    shown = [measure for measure in measures if measure.value is not None]
    left, right = _LABELS, WIDTH - _VALUES
    parts = [
        line(left + share * (right - left), 4, left + share * (right - left), len(shown) * _ROW + 4, "grid")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    described = []
    for row, measure in enumerate(shown):
        middle = row * _ROW + _ROW / 2 + 4
        value = min(max(measure.value or 0.0, 0.0), 1.0)
        parts.append(words(0, middle + 4, short(measure.name, 15)))
        bounds = ""
        if measure.interval:
            low, high = (min(max(end, 0.0), 1.0) for end in (measure.interval.low, measure.interval.high))
            parts.append(line(left + low * (right - left), middle, left + high * (right - left), middle, "whisker"))
            bounds = f" ({number(low, 2)} to {number(high, 2)})"
        if measure.upper is not None and measure.upper > value:
            at = left + min(measure.upper, 1.0) * (right - left)
            parts.append(element("circle", cx=at, cy=middle, r=4.0, class_="hollow"))
            bounds += f", {number(measure.upper, 2)} at most"
        parts.append(element("circle", cx=left + value * (right - left), cy=middle, r=5.0, class_="dot"))
        parts.append(words(WIDTH, middle + 4, number(measure.value), "end"))
        described.append(f"{measure.name} {number(measure.value)}{bounds}")
    base = len(shown) * _ROW + 20
    for share, anchor in ((0.0, "middle"), (0.5, "middle"), (1.0, "middle")):
        parts.append(words(left + share * (right - left), base, f"{share:g}", anchor, "muted"))
    return chart(title, f"{'; '.join(described) or 'Nothing was measured'}.", base + 6, *parts)


def stages(latency: LatencyFigures, title: str) -> Markup:
    """Median and 95th percentile of the whole search and of each stage."""
    rows: list[tuple[str, Percentiles]] = [("whole search", latency), *latency.stages.items()]
    left, right = _LABELS, WIDTH - _VALUES - 8
    longest = max([figures.p95_ms for _, figures in rows] + [1e-9])
    parts, described = [], []
    for row, (name, figures) in enumerate(rows):
        top = row * _ROW + 4
        p50, p95 = (value / longest * (right - left) for value in (figures.p50_ms, figures.p95_ms))
        parts.append(words(0, top + 16, short(name, 15)))
        parts.append(rectangle(left, top + 5, max(p95, 1.0), 14, "bar faint"))
        parts.append(rectangle(left, top + 5, max(p50, 1.0), 14, "bar"))
        parts.append(words(WIDTH, top + 16, milliseconds(figures.p95_ms), "end"))
        described.append(f"{name}: median {milliseconds(figures.p50_ms)}, p95 {milliseconds(figures.p95_ms)}")
    return chart(title, f"{'; '.join(described)}.", len(rows) * _ROW + 6, *parts)


def shares(groups: Mapping[str, Mapping[str, int]], title: str) -> Markup:
    """Stacked bars of each group's topics by kind; kinds are classes of the style, the good one first."""
    left, right = _LABELS, WIDTH - _VALUES
    most = max([sum(kinds.values()) for kinds in groups.values()] + [1])
    parts, described = [], []
    for row, (name, kinds) in enumerate(groups.items()):
        top = row * _ROW + 4
        parts.append(words(0, top + 16, short(name, 15)))
        at = left
        for kind, count in kinds.items():
            width = count / most * (right - left)
            if count:
                parts.append(rectangle(at, top + 4, max(width - 1, 1.0), 16, f"bar {kind}"))
            at += width
        first = next(iter(kinds.values()), 0)
        parts.append(words(WIDTH, top + 16, f"{first:,} of {sum(kinds.values()):,}", "end"))
        described.append(f"{name}: {', '.join(f'{count:,} {kind}' for kind, count in kinds.items() if count)}")
    return chart(title, f"{'; '.join(described) or 'None'}.", len(groups) * _ROW + 6, *parts)


def chart(title: str, description: str, height: float, *parts: Markup) -> Markup:
    """A chart with a text description."""
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        joined(parts),
        role="img",
        aria_label=f"{title}. {description}",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        class_="chart",
    )


def words(x: float, y: float, text: str, anchor: str = "start", class_: str | None = None) -> Markup:
    """A text at a point."""
    return element("text", text, x=x, y=y, text_anchor=anchor if anchor != "start" else None, class_=class_)


def rectangle(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    """A rectangle with rounded corners."""
    return element("rect", x=x, y=y, width=width, height=height, rx=2.0, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)
