"""`assay testset`: files of labelled queries at the command line."""

from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run

from assay.testsets import load_test_set

GOOD = "topics:\n  - id: a\n    text: how?\n    judgments:\n      - {url: https://docs.example/a, label: 2}\n"
BODY = "Words that stand there so that the section has something to say, and more than a little of it."


@pytest.fixture
def linked(folder: Path) -> Path:
    """Pages that link to one another."""
    return plant(
        folder,
        {
            "docs/start.md": f"# Start\n\nAll about [charging batteries](battery.md#charging-it). {BODY}\n",
            "docs/battery.md": "\n\n".join(
                ["# The battery", BODY, "## Charging it", BODY, "## Why is Lithium warm?", BODY]
            ),
        },
    )


def test_a_test_set_that_can_be_used_is_checked(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD})
    said = assay("testset", "check", "set.yaml")
    assert (said.code, said.out.strip()) == (0, "set.yaml is a test set of 1 topic.")
    body = assay("testset", "check", "set.yaml", "--json").body
    assert body == {
        "file": "set.yaml",
        "valid": True,
        "name": "set",
        "topics": 1,
        "fingerprint": load_test_set(folder / "set.yaml").fingerprint,
        "error_count": 0,
        "errors": [],
        "warning_count": 0,
        "warnings": [],
    }


def test_every_fault_is_told_with_its_line(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD.replace("label: 2", "lable: 2").replace("text", "txt")})
    said = assay("testset", "check", "set.yaml")
    assert said.code == 1
    assert "set.yaml:3: topic a, txt: there is no key `txt` here; did you mean `text`?" in said.out
    assert "set.yaml:5: topic a, judgment 1, lable: there is no key `lable` here; did you mean `label`?" in said.out
    assert "set.yaml cannot be used: 2 things are wrong with it." in said.out
    body = assay("testset", "check", "set.yaml", "--json").body
    assert (body["valid"], body["topics"], body["error_count"]) == (False, None, 2)
    assert body["errors"][0] == {
        "file": "set.yaml",
        "line": 3,
        "where": "topic a, txt",
        "message": "there is no key `txt` here; did you mean `text`?",
    }


def test_what_does_not_parse_is_a_fault_like_any_other(assay: Run, folder: Path) -> None:
    plant(folder, {"set.json": '{"topics": [\n{"id": "a" "text": "x"}]}'})
    said = assay("testset", "check", "set.json")
    assert said.code == 1
    assert "set.json:2: not valid JSON (expecting ',' delimiter, column 12)" in said.out


def test_a_file_that_cannot_be_read_is_wrong_use(assay: Run) -> None:
    assert assay("testset", "check", "none.yaml").code == 2
    assert assay("testset", "check", "none.yaml", "--json").body["error"] == "validation_error"


def test_what_is_odd_fails_only_if_that_is_asked_for(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD.replace("label: 2", "label: 0")})
    said = assay("testset", "check", "set.yaml")
    assert said.code == 0
    assert "Odd: set.yaml:4: topic a, judgments: has labels of 0 only" in said.out
    assert assay("testset", "check", "set.yaml", "--strict").code == 1
    assert assay("testset", "check", "set.yaml", "--strict", "--json").body["valid"] is False


def test_a_test_set_is_derived_from_a_folder(assay: Run, linked: Path) -> None:
    said = assay("testset", "derive", "docs", "--base-url", "https://docs.example", "--output", "derived.yaml")
    assert said.code == 0
    assert "2 topics from 7 pages: 1 from texts of links, 1 from headings that ask." in said.err
    test_set = load_test_set(linked / "derived.yaml")
    assert {topic.text: topic.derived for topic in test_set.topics} == {
        "charging batteries": "link",
        "Why is Lithium warm?": "heading",
    }
    assert (linked / "derived.yaml").read_text(encoding="utf-8").startswith("# Queries that the authors of these pages")
    assert assay("testset", "check", "derived.yaml", "--strict").code == 0
    assert not (linked / ".assay").exists()


def test_it_is_printed_where_no_file_is_named(assay: Run, linked: Path) -> None:
    said = assay("testset", "derive", "docs", "--base-url", "https://docs.example", "--name", "mine")
    (linked / "printed.yaml").write_text(said.out, encoding="utf-8")
    assert load_test_set(linked / "printed.yaml").name == "mine"
    body = assay("testset", "derive", "docs", "--base-url", "https://docs.example", "--json").body
    assert (body["topics"], body["from_links"], body["from_headings"], body["output"]) == (2, 1, 1, None)
    assert len(body["test_set"]["topics"]) == 2


def test_a_file_that_is_there_is_kept_unless_forced(assay: Run, linked: Path) -> None:
    plant(linked, {"derived.yaml": GOOD})
    arguments = ("testset", "derive", "docs", "--base-url", "https://docs.example", "-o", "derived.yaml")
    said = assay(*arguments)
    assert (said.code, (linked / "derived.yaml").read_text(encoding="utf-8")) == (2, GOOD)
    assert "--force" in said.err
    assert assay(*arguments, "--force").code == 0


def test_it_is_derived_from_the_live_generation(assay: Run, linked: Path) -> None:
    said = assay("testset", "derive", "-o", "derived.yaml")
    assert said.code == 2
    assert assay("publish").code == 0
    (linked / "docs" / "start.md").unlink()  # what is live counts, not what lies in the folder
    assert assay("testset", "derive", "-o", "derived.yaml").code == 0
    assert {topic.derived for topic in load_test_set(linked / "derived.yaml").topics} == {"link", "heading"}
    assert assay("testset", "derive", "--generation", "candidate").code == 2


def test_pages_without_anything_to_ask_give_no_test_set(assay: Run) -> None:
    said = assay("testset", "derive", "docs", "--base-url", "https://docs.example", "-o", "derived.yaml")
    assert said.code == 2
    assert "Nothing was found on 6 pages that could be a query (nothing)." in said.err
