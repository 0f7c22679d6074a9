"""A small report in every format against what was agreed on.

To accept a change, delete the file and run this test: it writes a new one, fails, and shows it to whoever reviews the
change. The page stands there without its style.
"""

import re
from pathlib import Path

import pytest
from tests import validations

from assay.contracts.validation_report import json_schema, to_json
from assay.model.validations import Validation
from assay.validation.report.html import to_html
from assay.validation.report.junit import to_junit
from assay.validation.report.markdown import to_markdown

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "report"


def without_style(page: str) -> str:
    page = re.sub(r"<style>.*?</style>", "<style></style>", page, flags=re.DOTALL)
    page = re.sub(r"sha256-[\w+/=]+", "sha256-…", page)
    return re.sub(r"(<(?:section|article|details|tr|li|figure|header|dl|h\d|p|svg)\b)", r"\n\1", page)


FORMATS = {
    "json": lambda validation: to_json(validation).decode(),
    "html": lambda validation: without_style(to_html(validation)),
    "md": to_markdown,
    "xml": to_junit,
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_small_report_is_as_it_was_agreed_on(suffix: str) -> None:
    validation: Validation = validations.small()
    given = FORMATS[suffix](validation)
    expected = GOLDEN / f"small.{suffix}"
    if not expected.exists():
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(given, encoding="utf-8")
        pytest.fail(f"{expected} was not there and has been written: review it and run again")
    assert given == expected.read_text(encoding="utf-8")


def test_the_schema_names_itself() -> None:
    assert json_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
