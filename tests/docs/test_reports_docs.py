"""docs/reports.md says what a report consists of."""

import re
from inspect import getmembers, isclass

import pytest
from pydantic import TypeAdapter

from assay.contracts import validation_entities
from assay.contracts.validation_entities import ReportModel, ValidationReport
from assay.model.evaluation import Finding, Interval
from assay.model.generations import ChunkerIdentity, EmbedderIdentity
from assay.model.validations import LatencyFigures, LoadFigures, Percentiles, Provenance
from assay.validation.report import advice, markdown, near_duplicates, page_topics
from tests.docs.api_tables import field_table
from tests.docs.pages import DOCS

PAGE = (DOCS / "reports.md").read_text(encoding="utf-8")
MODELS = [
    *(
        model
        for _, model in getmembers(validation_entities, isclass)
        if issubclass(model, ReportModel) and model is not ReportModel
    ),
    *(ChunkerIdentity, EmbedderIdentity, Finding, Interval, LatencyFigures, LoadFigures, Percentiles, Provenance),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_a_report_has_its_row(model: type) -> None:
    assert field_table(model, request=False) in PAGE


def test_every_part_of_a_report_is_found_from_the_whole() -> None:
    parts = set(ValidationReport.model_json_schema()["$defs"])
    assert {model.__name__ for model in MODELS} - parts == {"ValidationReport"}


def test_the_keys_that_the_commands_ask_for_are_there() -> None:
    asked = set(re.findall(r"\.(\w+)(?:\[\])?", " ".join(re.findall(r"^jq -r '(.*)'", PAGE, re.MULTILINE))))
    known = {name for model in MODELS for name in TypeAdapter(model).json_schema()["properties"]}
    assert asked <= known


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    assert f"at most {markdown.LIMIT:,} characters" in PAGE
    assert f"The first {page_topics._WITH_HITS} topics" in PAGE
    assert f"the next {page_topics._IN_ROWS:,} with a row each" in PAGE
    assert f"at least {advice._LEAST_OF_A_TYPE} of it, with P@5 {advice._LOW_BY} or more" in PAGE
    assert f"share {near_duplicates.ALIKE:.0%} of their runs of three words" in PAGE
    assert f"shares less than {advice.LEAST_OVERLAP:.0%} of those in the first {advice._FIRST} hits" in PAGE
    assert f"more than {advice._MANY_UNJUDGED:.0%} of the results" in PAGE
    assert f"over {advice._NEAR_LIMIT:.0%} of `gate.max_p95_ms`" in PAGE
    assert {5: "five"}[advice._MOST_OF_A_KIND] in PAGE
