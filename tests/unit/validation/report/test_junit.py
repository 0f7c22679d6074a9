"""The file for build servers."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from tests import validations
from tests.validation_strategies import HOSTILE, any_validations
from tests.validations import topic_result, validation_of

from assay.model.evaluation import Outcome
from assay.model.validations import Validation
from assay.validation.report import junit
from assay.validation.report.junit import to_junit
from assay.validation.report.wording import worst_first


def read(validation: Validation) -> ET.Element:
    return ET.fromstring(to_junit(validation).encode("utf-8"))


def suite(root: ET.Element, name: str) -> ET.Element:
    (found,) = [one for one in root if one.get("name") == f"assay.{name}"]
    return found


def kinds(of: ET.Element) -> dict[str, str]:
    """Name of each case that did not simply pass, with what became of it."""
    return {
        str(case.get("name")): child.tag
        for case in of.iter("testcase")
        for child in case
        if child.tag in {"failure", "error", "skipped"}
    }


def test_there_is_one_suite_for_the_gate_and_one_for_the_topics() -> None:
    root = read(validations.failed())
    assert root.tag == "testsuites"
    assert [one.get("name") for one in root] == ["assay.gate", "assay.topics"]
    assert len(suite(root, "gate").findall("testcase")) == 7
    assert len(suite(root, "topics").findall("testcase")) == 15


def test_a_limit_that_was_missed_is_a_failure_and_one_that_could_not_be_decided_an_error() -> None:
    gate = kinds(suite(read(validations.failed()), "gate"))
    assert gate == {"topics asked": "error", "precision": "failure", "MRR": "failure"}
    assert kinds(suite(read(validations.undecided()), "gate")) == {"precision": "error"}


def test_a_failure_says_what_was_asked_for_and_what_is_behind_it() -> None:
    case = next(
        one for one in suite(read(validations.failed()), "gate").iter("testcase") if one.get("name") == "precision"
    )
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "5 of 14 topics (0.357) have P@5 >= 0.8; required: 80%"
    assert "required: at least 80% of the topics have P@5 >= 0.8" in (failure.text or "")
    assert "qos-sensors: P@5 0.00" in (failure.text or "")


def test_a_topic_that_failed_to_run_is_an_error_and_one_that_missed_is_a_failure_with_what_it_found() -> None:
    topics = suite(read(validations.failed()), "topics")
    told = kinds(topics)
    assert told["camera-time: Which time stamp does an image carry?"] == "error"
    assert told["qos-sensors: Which QoS profile should a subscriber use for sensor topics?"] == "failure"
    assert "nodes-talk: How do nodes exchange messages over topics?" not in told
    failure = next(one for one in topics.iter("failure"))
    assert "1. label 0: https://handbook.example/docs/communication/qos#profiles | Sensor topics" in (
        failure.text or ""
    )


def test_the_file_of_a_pass_has_no_failures_and_topics_that_missed_are_skipped_with_their_value() -> None:
    root = read(validations.passed())
    assert (root.get("failures"), root.get("errors"), root.get("skipped")) == ("0", "0", "3")
    skipped = next(one for one in suite(root, "topics").iter("skipped"))
    assert skipped.get("message") == "P@5 0.60; required: 0.8; enough other topics reach it"


def test_a_topic_that_the_gate_asks_nothing_of_passes() -> None:
    uncounted = replace(topic_result(labels=(0,)), reached=None)
    assert kinds(suite(read(validation_of([uncounted])), "topics")) == {}


@pytest.mark.parametrize("name", ["passed", "failed", "undecided", "structure_only"])
def test_the_counts_are_those_of_the_cases(name: str) -> None:
    root = read(getattr(validations, name)())
    for one in root:
        told = list(kinds(one).values())
        assert one.get("tests") == str(len(one.findall("testcase")))
        for count, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert one.get(count) == str(told.count(kind))
    for count in ("tests", "failures", "errors", "skipped"):
        assert root.get(count) == str(sum(int(str(one.get(count))) for one in root))


@pytest.mark.parametrize("name", ["failed", "undecided"])
def test_a_file_without_failures_and_errors_means_pass(name: str) -> None:
    root = read(getattr(validations, name)())
    assert int(str(root.get("failures"))) + int(str(root.get("errors"))) > 0


def test_what_the_figures_are_of_stands_in_the_properties() -> None:
    properties = {
        one.get("name"): one.get("value") for one in suite(read(validations.passed()), "gate").iter("property")
    }
    assert properties["verdict"] == "PASS"
    assert properties["generation"] == validations.GENERATION
    assert properties["measure P@5"] == "0.720000"
    assert properties["version assay"] == "0.1.0"


def test_times_are_utc_in_the_form_that_build_servers_take() -> None:
    assert suite(read(validations.passed()), "gate").get("timestamp") == "2026-03-02T10:04:05"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    whole = validation_of([topic_result(text=text, labels=(0,) * 5), topic_result("other", "other", error=text)])
    topics = suite(read(whole), "topics")
    assert len(topics.findall("testcase")) == 2
    assert {child.tag for case in topics.iter("testcase") for child in case} == {"failure", "error"}


def test_the_same_validation_gives_the_same_file() -> None:
    assert to_junit(validations.failed()) == to_junit(validations.failed())


@given(validation=any_validations())
@hypothesis_settings(max_examples=60)
def test_any_validation_is_xml_that_fails_exactly_where_the_verdict_is_not_pass(validation: Validation) -> None:
    root = read(validation)
    bad = int(str(root.get("failures"))) + int(str(root.get("errors")))
    errors = sum(result.error is not None for result in validation.topics)
    if validation.verdict.outcome is Outcome.PASS:
        assert bad == errors
    else:
        assert bad > 0


def test_of_very_many_topics_the_worst_are_told_and_how_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "_MOST_TOPICS", 4)
    validation = validations.failed()
    told = suite(read(validation), "topics")
    cases = [str(case.get("name")).partition(":")[0] for case in told.iter("testcase")]
    assert len(cases) == int(told.get("tests", "")) == 4
    assert set(cases) == {one.topic.id for one in worst_first(validation.topics)[:4]}
    assert told.findtext("system-out") == (
        f"{len(validation.topics) - 4} topics with better values are left out here. The JSON report has all topics."
    )
    assert suite(read(validations.small()), "topics").find("system-out") is None
