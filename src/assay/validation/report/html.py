"""The report as one HTML page: no script, no network, all text escaped.

The order is: verdict, missed limits with what to do, figures, topics from the worst on, provenance.
"""

from collections.abc import Sequence

from assay.model.counting import counted
from assay.model.evaluation import Finding, MeasureValue
from assay.model.validations import Validation
from assay.validation.report import page_figures, page_topics
from assay.validation.report.markup import NOTHING, Child, Markup, element, joined, with_code
from assay.validation.report.page_parts import card, facts, pill, section, table, tone, whole_page
from assay.validation.report.wording import (
    milliseconds,
    moment,
    not_passed,
    number,
    plain_number,
    printable,
    reached_sentence,
    short,
    verdict_sentence,
)

_EXAMPLES = 5
_MOST_ADVICE = 60
_TILES = ("P@5", "mrr", "nDCG@10")


def to_html(validation: Validation) -> str:
    """The page, UTF-8. Its size is limited, and it lists omitted parts."""
    title = f"{validation.verdict.outcome.value}: {verdict_sentence(validation)}"
    return whole_page(
        title,
        _verdict(validation),
        _tiles(validation),
        _problems(validation),
        _advice(validation),
        page_figures.measures(validation),
        page_figures.pictures(validation),
        page_figures.against_live(validation),
        page_figures.latency(validation),
        page_topics.to_label(validation),
        page_topics.judgments(validation),
        page_topics.topics(validation),
        _checks(validation),
        _provenance(validation),
    )


def _verdict(validation: Validation) -> Markup:
    outcome = validation.verdict.outcome
    tests = validation.provenance.test_set
    judged = (
        f"test set {short(tests, 120)}, {counted(len(validation.topics), 'topic')}" if tests else "without a test set"
    )
    where = validation.provenance.generation
    return element(
        "header",
        pill(outcome),
        element("h1", f"{verdict_sentence(validation)}."),
        element("p", reached_sentence(validation)),
        element(
            "p",
            f"{moment(validation.started_at)} · ",
            f"generation {where} · " if where else None,
            judged,
            class_="muted small",
        ),
        [element("p", with_code(note), class_="small") for note in validation.verdict.notes],
        class_=f"card verdict {tone(outcome)}",
    )


def _tiles(validation: Validation) -> Markup:
    tiles = [_measure_tile(measure) for name in _TILES if (measure := validation.measure(name))]
    latency = validation.latency
    if latency and latency.samples:
        samples = counted(latency.samples, "search", "searches")
        tiles.append(_tile("p95 latency", milliseconds(latency.p95_ms), f"over {samples}"))
    if validation.results:
        results = f"of {counted(validation.results, 'result')}"
        tiles.append(_tile("Complete metadata", f"{validation.completeness:.4g}", results, percent=True))
        tiles.append(_tile("Sound hashes", f"{validation.hashes:.4g}", results, percent=True))
    provenance = validation.provenance
    if not tiles:
        tiles = [_tile("Pages", f"{provenance.documents:,}"), _tile("Chunks", f"{provenance.chunks:,}")]
    return element("dl", tiles, class_="tiles")


def _measure_tile(measure: MeasureValue) -> Markup:
    bounds = f"{number(measure.interval.low, 2)} to {number(measure.interval.high, 2)}" if measure.interval else ""
    of = "" if measure.measured == measure.topics else f"{measure.measured:,} of {measure.topics:,} topics"
    return _tile(
        {"mrr": "MRR"}.get(measure.name, measure.name), number(measure.value), " · ".join(filter(None, (bounds, of)))
    )


def _tile(name: str, figure: str, below: str = "", *, percent: bool = False) -> Markup:
    shown = f"{100 * float(figure):.4g}%" if percent else figure
    return element(
        "div",
        element("dt", name),
        element("dd", shown, class_="figure"),
        element("dd", below, class_="muted small") if below else None,
        class_="card",
    )


def _problems(validation: Validation) -> Markup:
    findings = not_passed(validation)
    if not findings:
        return NOTHING
    return section("What did not pass", element("div", map(_finding, findings), class_="stack"))


def _finding(finding: Finding) -> Markup:
    """A missed or undecided limit."""
    rows: list[tuple[str, Child]] = [("required", finding.limit)]
    if finding.value is not None:
        rows.append(("measured", plain_number(finding.value)))
    shown = finding.examples[:_EXAMPLES]
    more = finding.count - len(shown)
    return element(
        "article",
        element("h3", pill(finding.outcome), finding.check),
        element("p", with_code(finding.detail)) if finding.detail else None,
        facts(rows),
        _examples(finding, shown, more) if shown else None,
        class_=f"card finding {tone(finding.outcome)}",
    )


def _examples(finding: Finding, shown: Sequence[str], more: int) -> Markup:
    listed = element("ul", (element("li", element("bdi", example)) for example in shown), class_="plain small")
    if more <= 0:
        return listed
    rest = finding.examples[len(shown) :]
    unnamed = finding.count - len(finding.examples)
    return joined(
        listed,
        element(
            "details",
            element("summary", f"and {more:,} more", class_="small muted"),
            element("ul", (element("li", element("bdi", example)) for example in rest), class_="plain small"),
            element("p", f"{unnamed:,} of them are not listed here.", class_="small muted") if unnamed > 0 else None,
        ),
    )


def _advice(validation: Validation) -> Markup:
    lines = validation.advice
    if not lines:
        return NOTHING
    more = len(lines) - _MOST_ADVICE
    listed = element("ul", (element("li", with_code(line)) for line in lines[:_MOST_ADVICE]), class_="plain")
    left = element("p", f"and {more:,} more, in the JSON report.", class_="muted small") if more > 0 else None
    return section("What deserves a look", card(listed, left))


def _checks(validation: Validation) -> Markup:
    """Every limit of the gate."""
    rows = [
        [pill(finding.outcome), finding.check, plain_number(finding.value), finding.limit]
        for finding in validation.verdict.findings
    ]
    if not rows:
        return NOTHING
    return section(
        "Every check",
        table("The limits of the gate, and the measured values.", ("", "check", "value#", "required+"), rows),
    )


def _provenance(validation: Validation) -> Markup:
    made = validation.provenance
    embedder, chunker = made.embedder, made.chunker
    rows: list[tuple[str, Child]] = [
        ("target", made.target),
        ("generation", made.generation or "not known"),
        ("content", _hash(made.content_fingerprint)),
        ("pages, chunks", f"{made.documents:,}, {made.chunks:,}" if made.has_size else "not known"),
        (
            "embedder",
            f"{embedder.provider}/{embedder.model}, {embedder.dimension} dimensions" if embedder else "not known",
        ),
        (
            "chunker",
            f"{chunker.chunker}, at most {chunker.max_characters:,} characters, overlap {chunker.overlap}; reader "
            f"{chunker.reader}"
            if chunker
            else "not known",
        ),
        (
            "search",
            ", ".join(f"{name} {short(str(value), 120)}" for name, value in made.search.items()) or "not known",
        ),
        (
            "test set",
            f"{made.test_set} ({made.test_set_path})" if made.test_set_path else made.test_set or "none",
        ),
        ("its hash", _hash(made.test_set_fingerprint)),
        ("gate", _hash(made.gate)),
        ("versions", ", ".join(f"{name} {version}" for name, version in made.versions.items())),
        ("took", f"{validation.seconds:.1f} s"),
    ]
    return section("What the figures are of", card(facts(rows)))


def _hash(fingerprint: str | None) -> Child:
    return element("code", printable(fingerprint)) if fingerprint else "none"
