"""Test sets and settings that let a wrong index pass, and indexes that only labelled queries show to be wrong."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

import yaml

from assay.app import Assay
from assay.app.testsets import save_test_set
from assay.contracts import service_validation
from assay.model.evaluation import Finding
from assay.model.evaluation import Outcome as Concluded
from assay.model.ranking import Query
from assay.release.generation_names import CANDIDATE, resolve_generation
from assay.validation.deriving.deriving import derive
from assay.web.validating import Validations
from tests.sabotages.pages import cut_page, log_in, remove
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.vectors import rotate_by_one
from tests.sabotages.workspace import Judgment, Rows, Workspace, some

_ASKED = "How do nodes exchange messages over topics?"
Topics = list[dict[str, Any]]
TOO_SMALL = ("precision", "MRR", "latency", "sample size")


def _edited(edit: Callable[[Topics, float], Topics]) -> Callable[[Workspace, float], None]:
    """The topics of the test set changed."""

    def damage(workspace: Workspace, share: float) -> None:
        test_set = yaml.safe_load(workspace.testset.read_text(encoding="utf-8"))
        test_set["topics"] = edit(test_set["topics"], share)
        workspace.testset.write_text(yaml.safe_dump(test_set, allow_unicode=True), encoding="utf-8")

    return damage


def _first_topics(count: int) -> Callable[[Topics, float], Topics]:
    return lambda topics, _: topics[:count]


def _judgments(change: Callable[[dict[str, Any]], object]) -> Callable[[Topics, float], Topics]:
    """A share of all judgments changed."""

    def edit(topics: Topics, share: float) -> Topics:
        for judgment in some([one for topic in topics for one in topic.get("judgments", ())], share):
            change(judgment)
        return topics

    return edit


def _words_of_long_ago(judgment: dict[str, Any]) -> None:
    """The words in another order, as nobody wrote them."""
    if "section" in judgment:
        judgment["section"] += "-of-last-year"
    else:
        judgment["quote"] = " ".join(reversed(judgment["quote"].split()))


def _common_word(judgment: dict[str, Any]) -> None:
    judgment.pop("section", None)
    judgment |= {"quote": "the", "label": 2}


def _of_another_page(judgment: dict[str, Any]) -> None:
    judgment["url"] = f"{judgment['url']}-of-last-year"


def _of_another_site(judgment: dict[str, Any]) -> None:
    judgment["url"] = judgment["url"].replace("handbook.example", "staging.example")


def _without_labels(topics: Topics, share: float) -> Topics:
    for topic in some(topics, share):
        topic["judgments"] = [one | {"label": 0} for one in topic.get("judgments", ())]
    return topics


def _labels_of_others(topics: Topics, _: float) -> Topics:
    labelled = [topic for topic in topics if topic.get("judgments")]
    kept = [topic["judgments"] for topic in labelled]
    for topic, judgments in zip(labelled, kept[5:] + kept[:5], strict=True):
        topic["judgments"] = judgments
    return topics


# --- settings ------------------------------------------------------------------------------------------------------


def _loosen(workspace: Workspace, share: float) -> None:
    """Limits that everything reaches, and pages lost under them."""
    shares = ("max_failed_pages", "max_page_fall", "max_unreachable")
    workspace.settings["gate"] = dict.fromkeys(shares, 1.0) | {"min_precision": 0.0, "min_mrr": 0.0}
    for page in workspace.some_pages(share):
        remove(page, 0)


def _no_loss_of_recall(workspace: Workspace) -> None:
    workspace.settings["gate"] = {"Recall@10": {"max_drop_vs_live": 0.0}}


def _log_in_on_two(workspace: Workspace, share: float) -> None:
    for number, page in enumerate(workspace.some_pages(share, 2)):
        log_in(page, number)


def _quickly(workspace: Workspace) -> None:
    workspace.settings["gate"] = {"max_p95_ms": 200.0}
    workspace.settings["embedding"] = {"query_cache": 0}


def _slow(workspace: Workspace, _: float) -> None:
    def late(texts: Sequence[str], rows: Rows, query: bool) -> Rows:
        if query:
            time.sleep(0.3)
        return rows

    workspace.spoil = late


def _by_derived(workspace: Workspace) -> None:
    """Judge by what the pages themselves link and ask."""
    with workspace.opened() as assay:
        derived = derive(assay.labels.linked_documents(), "derived").test_set
    assert derived is not None
    save_test_set(workspace.testset, derived, overwrite=True)


def _densely_by_derived(workspace: Workspace) -> None:
    """The same, where no keyword can make up for a wrong vector."""
    workspace.settings["search"] = {"mode": "dense"}
    _by_derived(workspace)


def _by_nine_derived(workspace: Workspace) -> None:
    """Judge by nine derived topics on different pages: too few for a paired test."""
    _by_derived(workspace)
    test_set = yaml.safe_load(workspace.testset.read_text(encoding="utf-8"))
    by_page = {one["judgments"][0]["url"]: one for one in test_set["topics"] if len(one["judgments"]) == 1}
    test_set["topics"] = list(by_page.values())[:9]
    workspace.testset.write_text(yaml.safe_dump(test_set, allow_unicode=True), encoding="utf-8")


def _log_in_on_judged(workspace: Workspace, share: float) -> None:
    """Pages that topics ask for became login pages, two at least."""
    topics = yaml.safe_load(workspace.testset.read_text(encoding="utf-8"))["topics"]
    with workspace.opened() as assay:
        paths = {one.info.url: one.info.source_path for one in assay.labels.linked_documents()}
    for number, topic in enumerate(some(topics, share, 2)):
        log_in(workspace.docs / paths[topic["judgments"][0]["url"]], number)


def _rotate(workspace: Workspace, _: float) -> None:
    points = list(workspace.stores.points.all().values())
    rotate_by_one(points)
    workspace.stores.points.put(*points)


def _cut_pages(workspace: Workspace, share: float) -> None:
    for number, page in enumerate(workspace.some_pages(share)):
        cut_page(page, number)


def _no_keywords_and_noise(workspace: Workspace, _: float) -> None:
    """Nothing is found by meaning any more, nor by words: every point has those of the next."""
    points = list(workspace.stores.points.all().values())
    rotate_by_one(points)
    kept = [(point.indices, point.weights) for point in points]
    for point, (indices, weights) in zip(points, kept[1:] + kept[:1], strict=True):
        point.indices, point.weights = indices, weights
    workspace.stores.points.put(*points)


# --- promotion -----------------------------------------------------------------------------------------------------


def _candidate(workspace: Workspace) -> None:
    """A candidate with a PASS waits."""
    page = workspace.pages()[1]
    page.write_text(f"{page.read_text(encoding='utf-8')}\nOne sentence more.\n", encoding="utf-8")
    with workspace.opened() as assay:
        assay.validate(assay.builds.ingest().generation.id)


def _pass_by_loose_limits(workspace: Workspace, share: float) -> None:
    for page in workspace.some_pages(share):
        remove(page, 0)
    workspace.settings["gate"] = {"max_page_fall": 1.0}
    with workspace.opened() as assay:
        validation = assay.validate(assay.builds.ingest(rebuild=True).generation.id)
        assert validation.verdict.outcome is Concluded.PASS, validation.verdict.summary
    del workspace.settings["gate"]


def _rotated_after_its_pass(workspace: Workspace, _: float) -> None:
    with workspace.opened() as assay:
        candidate = resolve_generation(assay.parts.catalog, CANDIDATE).id
    stores = workspace.stores_of(candidate)
    points = list(stores.points.all().values())
    rotate_by_one(points)
    stores.points.put(*points)


def _promote(assay: Assay, _: Workspace) -> Judgment:
    assay.promote()
    return Judgment("PASS")


# --- the service's own validation ----------------------------------------------------------------------------------


def _expecting(workspace: Workspace) -> None:
    with workspace.opened() as assay:
        hits = assay.search(Query(_ASKED, 1)).hits
    workspace.expected = [hits[0].chunk.id]


def _expect_nobody(workspace: Workspace, _: float) -> None:
    workspace.expected = ["nope"]


def _tested_by_service(assay: Assay, workspace: Workspace) -> Judgment:
    """`POST /api/v1/validate` with a test that asks for little."""
    criteria = {"min_accuracy": 0.0, "min_similarity_score": 0.0}
    test = {"test_id": "t", "query_text": _ASKED, "expected_results": workspace.expected}
    request = service_validation.parse({"tests": [test | {"success_criteria": criteria}]})
    _, outcomes = Validations(assay, 1, 30.0).run(request, Event().is_set)
    problems = [one.problem for one in outcomes if one.problem]
    findings = [Finding("service validation", Concluded.FAIL, 0.0, "every test passes", one) for one in problems]
    return Judgment("FAIL" if problems else "PASS", tuple(findings))


def _row(
    name: str,
    damage: Callable[[Workspace, float], None],
    scenario: Scenario,
    *checks: str,
    shares: tuple[float, ...] = (1.0,),
    **more: Any,  # noqa: ANN401 - fields of Sabotage
) -> Sabotage:
    return replace(Sabotage(name, damage, scenario, checks, shares), **more)


JUDGED, SECOND = Scenario.JUDGED, Scenario.SECOND_JUDGED
SABOTAGES = (
    _row("a test set of one topic", _edited(_first_topics(1)), JUDGED, *TOO_SMALL),
    _row("a test set of 13 topics", _edited(_first_topics(13)), JUDGED, *TOO_SMALL),
    _row(
        "quotes that are gone", _edited(_judgments(_words_of_long_ago)), JUDGED, "judgments found", shares=(0.5, 0.11)
    ),
    _row(
        "quotes that are everywhere", _edited(_judgments(_common_word)), JUDGED, "judgments found", shares=(0.5, 0.15)
    ),
    _row(
        "judgments of pages that are gone",
        _edited(_judgments(_of_another_page)),
        JUDGED,
        "judgments found",
        shares=(0.5, 0.11),
    ),
    _row("judgments of another site", _edited(_judgments(_of_another_site)), JUDGED, "known answers"),
    _row("topics without a relevant passage", _edited(_without_labels), JUDGED, "known answers", shares=(1.0, 0.0)),
    _row("labels of other topics", _edited(_labels_of_others), JUDGED, "precision", "MRR"),
    _row("limits that everything reaches", _loosen, SECOND, "judgments found", "known answers", shares=(0.5, 0.2)),
    _row(
        "login pages that raise recall",
        _log_in_on_two,
        SECOND,
        "Recall@10 against live",
        before=_no_loss_of_recall,
        shares=(0.2, 0.0),
    ),
    _row("searches that are slow", _slow, JUDGED, "latency", before=_quickly),
    _row(
        "content lost, by a derived test set",
        _cut_pages,
        SECOND,
        "judgments found",
        "known answers",
        "RR",
        "Success@5",
        "no worse than live",
        before=_by_derived,
        shares=(1.0, 0.3),
    ),
    _row(
        "login pages in place of answers, by nine derived topics",
        _log_in_on_judged,
        SECOND,
        "lost topics",
        before=_by_nine_derived,
        shares=(0.3, 0.0),
    ),
    _row(
        "vectors and words of others, by a derived test set",
        _no_keywords_and_noise,
        JUDGED,
        "RR",
        "Success@5",
        before=_by_derived,
    ),
    _row(
        "vectors of others in dense mode, by a derived test set",
        _rotate,
        JUDGED,
        "RR",
        "Success@5",
        before=_densely_by_derived,
    ),
    _row(
        "a PASS by looser limits",
        _pass_by_loose_limits,
        Scenario.STORED,
        "PromotionRefused",
        before=_candidate,
        by=_promote,
        shares=(0.5,),
    ),
    _row(
        "vectors rotated after the PASS",
        _rotated_after_its_pass,
        Scenario.STORED,
        "PromotionRefused",
        before=_candidate,
        by=_promote,
    ),
    _row(
        "a test that expects an unknown id",
        _expect_nobody,
        Scenario.STORED,
        "service validation",
        before=_expecting,
        by=_tested_by_service,
    ),
)
