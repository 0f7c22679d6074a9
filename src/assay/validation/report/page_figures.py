"""The figures on the page: measures, their charts, differences from the live generation, latency."""

from collections.abc import Mapping, Sequence

from assay.model.counting import counted
from assay.model.evaluation import MeasureValue
from assay.model.validations import Difference, LoadFigures, Percentiles, TopicResult, Validation
from assay.validation.report import charts
from assay.validation.report.markup import NOTHING, Child, Markup, element, joined, with_code
from assay.validation.report.page_parts import section, table
from assay.validation.report.wording import NOTHING as NO_VALUE
from assay.validation.report.wording import milliseconds, number, plain_number

_PRECISION = "P@5"
_GROUP_MEASURES = ("P@5", "mrr", "nDCG@10", "Recall@10")
_CHARTED = 14
_ROWS_OF_A_CARD = 6


def measures(validation: Validation) -> Markup:
    """Every measure over all topics, and the main ones by type and category."""
    if not validation.measures:
        return NOTHING
    rows = [_measure_row(measure) for measure in validation.measures]
    whole = table(
        "Means over the topics that count, with 95% intervals over topics. At most: if every unjudged hit were "
        "relevant.",
        ("measure", "mean#", "interval#", "at most#", "ties#", "topics#"),
        rows,
    )
    return section("Measures", whole, _groups(validation.groups))


def _measure_row(measure: MeasureValue) -> list[Child]:
    bounds = f"{number(measure.interval.low)} – {number(measure.interval.high)}" if measure.interval else NO_VALUE
    tied = f"{number(measure.tied[0])} – {number(measure.tied[1])}" if measure.tied else NO_VALUE
    of = f"{measure.measured:,} of {measure.topics:,}"
    return [measure.name, number(measure.value), bounds, number(measure.upper), tied, of]


def _groups(groups: Mapping[str, Sequence[MeasureValue]]) -> Markup:
    shown = [name for name in _GROUP_MEASURES if any(m.name == name for values in groups.values() for m in values)]
    if not shown:
        return NOTHING
    rows: list[list[Child]] = []
    for name, values in groups.items():
        by_name = {measure.name: measure for measure in values}
        cells: list[Child] = [number(by_name[one].value) if one in by_name else NO_VALUE for one in shown]
        topics = max((measure.topics for measure in values), default=0)
        rows.append([name, *cells, f"{topics:,}"])
    head = ("topics of", *(f"{name}#" for name in shown), "number#")
    return element("div", table("The same by type and category.", head, rows), class_="below")


def pictures(validation: Validation) -> Markup:
    """The charts."""
    figures = []
    answered = [result for result in validation.topics if result.error is None]
    for name, bins in ((_PRECISION, 6), ("nDCG@10", 10)):
        values = [value for result in answered if (value := result.values.get(name)) is not None]
        if values:
            title = f"Topics by {name}"
            about = f"number of topics, of {len(values):,}"
            figures.append(_figure(title, about, charts.distribution(name, values, title, bins)))
    if validation.measures:
        title = "Measures with their intervals"
        shown = validation.measures[:_CHARTED]
        chart = charts.intervals(shown, title)
        figures.append(_figure(title, "filled: mean; hollow: at most", chart, tall=len(shown) > _ROWS_OF_A_CARD))
    if validation.topics:
        title = f"Topics that reach P@5 {validation.precision_target:g}, by type"
        figures.append(_figure(title, _KEY, charts.shares(_by_type(validation.topics), title)))
    if validation.latency and validation.latency.samples:
        title = "Latency by stage"
        figures.append(
            _figure(title, "solid: median; faint: 95th percentile", charts.stages(validation.latency, title))
        )
    return section("Pictures", element("div", figures, class_="charts")) if figures else NOTHING


_KEY = element(
    "span",
    (
        joined(element("span", element("span", class_=f"key {tone}"), word), " ")
        for tone, word in (("good", "reached"), ("bad", "missed"), ("open", "failed to run"), ("none", "not counted"))
    ),
    class_="keys",
)


def _figure(title: str, about: Child, chart: Markup, *, tall: bool = False) -> Markup:
    caption = element("figcaption", title, element("span", about, class_="muted small"))
    return element("figure", caption, chart, class_="card tall" if tall else "card")


def _by_type(topics: Sequence[TopicResult]) -> dict[str, dict[str, int]]:
    groups: dict[str, dict[str, int]] = {}
    for result in topics:
        kinds = groups.setdefault(result.topic.type.value, {"reached": 0, "missed": 0, "failed": 0, "uncounted": 0})
        if result.error is not None:
            kinds["failed"] += 1
        else:
            kinds[{True: "reached", False: "missed", None: "uncounted"}[result.reached]] += 1
    return groups


def against_live(validation: Validation) -> Markup:
    """Differences from the live generation."""
    if not validation.against_live:
        return NOTHING
    rows = [_difference_row(difference) for difference in validation.against_live]
    told = table(
        "The same topics on both. p is of a paired permutation test, adjusted after Holm; the last column is the "
        "smallest difference that is detectable with 80% power over all of these measures.",
        ("measure", "live#", "this#", "difference#", "interval#", "p#", "topics#", "detectable#"),
        rows,
    )
    return section("Against the live generation", told)


def _difference_row(difference: Difference) -> list[Child]:
    bounds = difference.interval
    return [
        difference.measure,
        number(difference.a),
        number(difference.b),
        f"{difference.difference:+z.3f}",
        f"{bounds.low:+z.3f} – {bounds.high:+z.3f}" if bounds else NO_VALUE,
        number(difference.adjusted_p),
        f"{difference.topics:,}",
        number(difference.detectable),
    ]


def latency(validation: Validation) -> Markup:
    """Latency of searches."""
    figures = validation.latency
    if figures is None or not figures.samples:
        return NOTHING
    rows = [_latency_row("whole search", figures)]
    rows += [_latency_row(name, stage) for name, stage in figures.stages.items()]
    for load in figures.loads:
        rows.append(_latency_row(f"{load.name} ({_came_of(load)})", load))
        rows += [_latency_row(f"{load.name}: {name}", stage) for name, stage in load.stages.items()]
    head = ("what", "mean#", "median#", "p95#", "p99#", "longest#", "searches#")
    note = element("p", with_code(figures.note), class_="muted small") if figures.note else None
    return section("Latency", table("p99 is an estimate (≈) with fewer than 1,000 searches.", head, rows), note)


def _came_of(load: LoadFigures) -> str:
    """The rate of answers, and the errors."""
    told = [f"{plain_number(load.rate)} a second", counted(load.errors, "error")]
    if load.offered_rate is not None:
        told += [f"{load.late:,} sent late", f"{load.turned_away:,} turned away"]
    return ", ".join(told)


def _latency_row(name: str, figures: Percentiles) -> list[Child]:
    estimated = "≈ " if figures.p99_estimated else ""
    return [
        name,
        milliseconds(figures.mean_ms),
        milliseconds(figures.p50_ms),
        milliseconds(figures.p95_ms),
        f"{estimated}{milliseconds(figures.p99_ms)}",
        milliseconds(figures.max_ms),
        f"{figures.samples:,}",
    ]
