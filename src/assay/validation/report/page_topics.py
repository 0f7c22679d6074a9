"""The topics on the page, worst first, with hits and labels; hits to label; lost judgments."""

from collections.abc import Iterable, Sequence

from assay.model.counting import counted
from assay.model.evaluation import Anchoring, Judgment, Resolution
from assay.model.ranking import Hit
from assay.model.validations import TopicResult, Unjudged, Validation
from assay.validation.report.markup import NOTHING, Child, Markup, element, joined, link
from assay.validation.report.page_parts import facts, section, table
from assay.validation.report.wording import MAIN_MEASURES, cut, milliseconds, number, short, worst_first
from assay.validation.report.wording import NOTHING as NO_VALUE

_WITH_HITS = 100
"""Largest number of topics listed with their hits."""

_IN_ROWS = 1_000
"""Largest number of further topics listed with one row each."""

_HITS = 10
_CONTENT = 500
_QUERY = 300
_MOST_UNJUDGED = 20
_MOST_JUDGMENTS = 50

_LABELS = {
    2: ("good", "2 · answers it"),
    1: ("good", "1 · helps"),
    0: ("bad", "0 · not relevant"),
    None: ("open", "not judged"),
}


def topics(validation: Validation) -> Markup:
    """The topics, worst first, up to a limit."""
    if not validation.topics:
        return NOTHING
    ordered = worst_first(validation.topics)
    whole, rows, rest = (
        ordered[:_WITH_HITS],
        ordered[_WITH_HITS : _WITH_HITS + _IN_ROWS],
        ordered[_WITH_HITS + _IN_ROWS :],
    )
    order = "Failed topics come first, then the worst; topics that expect no answer come last."
    told = [element("p", order, class_="muted small"), element("div", map(_topic, whole), class_="stack")]
    if rows:
        caption = f"The next {counted(len(rows), 'topic')}, without their hits."
        head = ("topic", "query+", "type", *(f"{name}#" for name in MAIN_MEASURES), "best at#")
        told.append(element("div", table(caption, head, map(_row, rows)), class_="below"))
    if rest:
        told.append(
            element(
                "p",
                f"{counted(len(rest), 'topic')} with better values are left out here. The JSON report has all topics.",
                class_="muted",
            )
        )
    return section("Topics", *told)


def _row(result: TopicResult) -> list[Child]:
    topic = result.topic
    values = [number(result.values.get(name)) for name in MAIN_MEASURES]
    return [
        short(topic.id, 80),
        short(topic.text, 120),
        topic.type.value,
        *values,
        str(result.rank_of_best or NO_VALUE),
    ]


def _topic(result: TopicResult) -> Markup:
    topic = result.topic
    tone, word = _standing(result)
    scores = [f"{name} {number(result.values.get(name), 2)}" for name in MAIN_MEASURES if name in result.values]
    scores.append(f"best at {result.rank_of_best}" if result.rank_of_best else "nothing relevant")
    summary = element(
        "summary",
        element("span", element("bdi", short(topic.text, _QUERY) or "(empty query)"), class_="query"),
        element(
            "span",
            None if result.error is not None else f"{' · '.join(scores)} ",
            element("span", word, class_=f"pill {tone}"),
            class_="scores",
        ),
    )
    about = [
        ("topic", element("bdi", short(topic.id, 200))),
        ("type", " · ".join(filter(None, (topic.type.value, topic.category.value if topic.category else "")))),
        *_expectations(result),
    ]
    if result.error is not None:
        inside: Child = element("p", element("bdi", cut(result.error, _CONTENT)))
    elif result.hits:
        inside = _hits(result)
    else:
        inside = element("p", "It found nothing.", class_="muted")
    return element(
        "details",
        summary,
        element("div", facts(about), inside, class_="inside"),
        class_=f"topic {tone}",
    )


def _standing(result: TopicResult) -> tuple[str, str]:
    """The style class and the word for whether a topic reached its required precision."""
    if result.error is not None:
        return "open", "failed to run"
    return {True: ("good", "reached"), False: ("bad", "missed"), None: ("none", "not counted")}[result.reached]


def _expectations(result: TopicResult) -> Iterable[tuple[str, Child]]:
    topic = result.topic
    if not topic.expects_answer:
        yield "expects", "no answer"
    for name, value in topic.expected_criteria.items():
        yield short(str(name), 40).replace("_", " "), element("bdi", short(str(value), 200))
    relevant = f"{counted(result.relevant, 'relevant chunk')} in the index"
    lost = sum(not resolution.anchoring.scores for resolution in result.resolutions)
    yield "judgments", f"{len(topic.judgments)}, {relevant}" + (f", {lost} lost" if lost else "")
    others = [f"{name} {number(value)}" for name, value in result.values.items() if name not in MAIN_MEASURES]
    if others:
        yield "measures", " · ".join(others)
    if result.total_ms is not None:
        yield "took", milliseconds(result.total_ms)


def _hits(result: TopicResult) -> Markup:
    shown = min(max(result.topic.top_k, 5), _HITS)
    pairs = list(zip(result.hits, result.labels, strict=False))
    listed = element("ol", (_hit(hit, label) for hit, label in pairs[:shown]), class_="hits")
    more = len(pairs) - shown
    left = element("p", f"and {counted(more, 'hit')} more", class_="muted small") if more > 0 else None
    return joined(listed, left)


def _hit(hit: Hit, label: int | None) -> Markup:
    tone, words = _LABELS.get(label, ("open", str(label)))
    chunk = hit.chunk
    where = element(
        "div",
        element("span", f"{hit.rank}.", class_="muted"),
        element("span", words, class_=f"pill {tone}"),
        link(chunk.section_url, short(chunk.trail or chunk.document.url, 160)),
        element("span", f"similarity {number(hit.known_similarity, 2)}", class_="muted small"),
        class_="where",
    )
    return element("li", where, element("blockquote", cut(chunk.text, _CONTENT), dir="auto"))


def to_label(validation: Validation) -> Markup:
    """Unjudged hits, the most useful to label first."""
    hits = validation.unjudged
    if not hits:
        return NOTHING
    queries = {result.topic.id: result.topic.text for result in validation.topics}
    rows = [_unjudged_row(hit, queries.get(hit.topic_id, "")) for hit in hits[:_MOST_UNJUDGED]]
    caption = "Unjudged hits count as not relevant. The most useful to label come first; assay label shows them."
    return section(
        "Hits to label",
        table(caption, ("query+", "rank#", "hit+", "why+"), rows),
        _left_out(len(hits) - _MOST_UNJUDGED, "hit"),
    )


def _unjudged_row(unjudged: Unjudged, query: str) -> list[Child]:
    chunk = unjudged.hit.chunk
    passage = joined(
        link(chunk.section_url, short(chunk.trail or chunk.document.url, 120)),
        element("div", element("bdi", short(chunk.text, 140)), class_="muted small"),
    )
    return [element("bdi", short(query or unjudged.topic_id, 160)), str(unjudged.rank), passage, unjudged.why]


def judgments(validation: Validation) -> Markup:
    """The outcomes of the judgments, and those that are not exact."""
    counts = validation.anchoring
    if not sum(counts.values()):
        return NOTHING
    words = {
        Anchoring.EXACT: "exact",
        Anchoring.RE_ANCHORED: "found again on a page that changed",
        Anchoring.AMBIGUOUS: "ambiguous, and not counted",
        Anchoring.ORPHANED: "orphaned, and not counted",
    }
    told = ", ".join(f"{counts.get(kind, 0):,} {word}" for kind, word in words.items() if counts.get(kind, 0))
    moved = [
        (result, judgment, resolution)
        for result in validation.topics
        for judgment, resolution in zip(result.topic.judgments, result.resolutions, strict=True)
        if resolution.anchoring is not Anchoring.EXACT
    ]
    moved.sort(key=lambda one: one[2].anchoring.scores)
    summary = element("p", f"{counted(sum(counts.values()), 'judgment')}: {told}.")
    if not moved:
        return section("Judgments", summary)
    rows = [_judgment_row(*one) for one in moved[:_MOST_JUDGMENTS]]
    caption = "Judgments whose passage has changed since they were made."
    return section(
        "Judgments",
        summary,
        table(caption, ("topic", "became", "label#", "passage+", "why+"), rows),
        _left_out(len(moved) - _MOST_JUDGMENTS, "judgment"),
    )


def _judgment_row(result: TopicResult, judgment: Judgment, resolution: Resolution) -> list[Child]:
    passage = judgment.passage
    url = passage.url or resolution.url
    where: Sequence[Child] = (
        link(url, short(url, 120)) if url else None,
        element("div", element("bdi", f"“{short(passage.quote.exact, 140)}”"), class_="small")
        if passage.quote
        else None,
    )
    became = resolution.anchoring.value.replace("_", "-")
    return [short(result.topic.id, 80), became, str(judgment.label), where, resolution.reason]


def _left_out(count: int, what: str) -> Child:
    return (
        element("p", f"and {counted(count, what)} more, in the JSON report", class_="muted small")
        if count > 0
        else None
    )
