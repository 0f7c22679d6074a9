"""`assay testset`: files of labelled queries at the command line."""

import json
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run

from assay.app.testsets import load_test_set

GOOD = "topics:\n  - id: a\n    text: how?\n    judgments:\n      - {url: https://docs.example/a, label: 2}\n"
BODY = "Words that stand there so that the section has something to say, and more than a little of it."
QUESTION = "## Why is Lithium warm?"


@pytest.fixture
def linked(folder: Path) -> Path:
    """Pages that link to one another."""
    return plant(
        folder,
        {
            "docs/start.md": f"# Start\n\nAll about [charging batteries](battery.md#charging-it). {BODY}\n",
            "docs/battery.md": f"# The battery\n\n{BODY}\n\n## Charging it\n\n{BODY}\n\n{QUESTION}\n\n{BODY}\n",
        },
    )


def test_a_test_set_that_can_be_used_is_checked(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD})
    said = assay("testset", "check", "set.yaml")
    assert (said.code, said.out.splitlines()[0]) == (0, "set.yaml is a test set of 1 topic.")
    assert "the labels allow at most 0.20" in " ".join(said.out.split())
    assert '[gate] precision = "attainable"' in " ".join(said.out.split())
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
    assert "set.yaml cannot be used: 2 errors." in said.out
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
    assert "Warning: set.yaml:4: topic a, judgments: has labels of 0 only" in said.out
    assert assay("testset", "check", "set.yaml", "--strict").code == 1
    assert assay("testset", "check", "set.yaml", "--strict", "--json").body["valid"] is False


def test_a_test_set_is_derived_from_a_folder(assay: Run, linked: Path) -> None:
    said = assay("testset", "derive", "docs", "--base-url", "https://docs.example", "--output", "derived.yaml")
    assert said.code == 0
    assert "2 topics from 7 pages: 1 from link texts, 1 from question headings." in said.err
    assert "2 topics; the gate needs 5, or the verdict is INCONCLUSIVE. Write more" in " ".join(said.err.split())
    test_set = load_test_set(linked / "derived.yaml")
    assert {topic.text: topic.derived for topic in test_set.topics} == {
        "charging batteries": "link",
        "Why is Lithium warm?": "heading",
    }
    assert (linked / "derived.yaml").read_text(encoding="utf-8").startswith("# Queries derived from these pages")
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
    assert "No queries could be derived from 6 pages (nothing)." in said.err


def test_what_a_test_set_holds_is_shown_and_told(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD + "  - {id: b, text: how?, type: broad}\n"})
    said = assay("testset", "stats", "set.yaml")
    assert said.code == 0
    assert "set: 2 topics, 1 judgment on 1 page" in said.out
    assert "specific  ██████████████████████████████ 1" in said.out
    assert "Without a label of 1 or 2, so that no hit can be relevant: 1 (b)." in said.out
    assert "With the same query as another topic: 1 (b (a))." in said.out
    assert "Fewer than two topics have an answer: no difference can be detected." in said.out
    body = assay("testset", "stats", "set.yaml", "--json").body
    assert (body["topics"], body["unanswered"], body["labels"]) == (2, ["b"], {"0": 0, "1": 0, "2": 1})


def test_it_says_how_small_a_difference_can_be_shown(assay: Run, folder: Path) -> None:
    plant(folder, {"set.jsonl": "".join(GOOD_LINE.format(number=number) for number in range(60))})
    said = assay("testset", "stats", "set.jsonl")
    assert "variants of one search     0.030, with 100 0.023, with 200 0.017" in said.out


GOOD_LINE = '{{"id": "t{number}", "text": "q {number}", "judgments": [{{"chunk_id": "c{number}", "label": 2}}]}}\n'


def test_queries_of_another_tool_are_imported(assay: Run, folder: Path) -> None:
    plant(folder, {"topics.tsv": "1\thow?\n", "qrels.txt": "1 0 https://docs.example/a 3\n"})
    arguments = ("testset", "import", "topics.tsv", "qrels.txt", "--format", "trec", "-o", "set.yaml")
    said = assay(*arguments)
    assert said.code == 2
    assert "--map-label 3=2" in said.err
    said = assay(*arguments, "--map-label", "3=2")
    assert (said.code, said.err) == (0, "1 topic with 1 judgment in set.yaml.\n")
    assert load_test_set(folder / "set.yaml").topics[0].judgments[0].label == 2
    assert assay(*arguments, "--map-label", "3=2").code == 2  # it is there already
    assert assay(*arguments, "--map-label", "3=7").code == 2
    said = assay(*arguments[:-2], "--map-label", "3=2")
    assert said.out.startswith("name: topics\ntopics:\n  - id: ")
    body = assay(*arguments[:-2], "--map-label", "3=2", "--json").body
    assert (body["topics"], body["judgments"], body["left_out"], body["test_set"]["name"]) == (1, 1, [], "topics")


def test_a_test_set_is_exported_and_what_is_lost_is_said(assay: Run, folder: Path) -> None:
    plant(folder, {"set.yaml": GOOD.replace("text: how?", "text: how?\n    type: broad")})
    said = assay("testset", "export", "set.yaml", "out", "--format", "trec")
    assert (said.code, said.out) == (0, "")
    assert said.err == "1 topic with 1 judgment in out.\nLeft out: type of 1 topic.\n"
    assert (folder / "out" / "qrels.txt").read_text(encoding="utf-8") == "a 0 https://docs.example/a 2\n"
    assert assay("testset", "export", "set.yaml", "set.csv").code == 0
    assert assay("testset", "import", "set.csv", "-o", "back.jsonl").code == 0
    assert load_test_set(folder / "back.jsonl").topics == load_test_set(folder / "set.yaml").topics
    assert assay("testset", "export", "set.yaml", "set.json", "--json").body["left_out"] == []
    assert load_test_set(folder / "set.json").topics == load_test_set(folder / "set.yaml").topics
    refused = assay("testset", "export", "set.yaml", "set.suite", "--format", "suite")
    assert (refused.code, "'suite' is not one of 'trec'" in refused.err) == (2, True)
    said = assay("testset", "export", "set.yaml", "somewhere")
    assert (said.code, "--format trec" in said.err) == (2, True)


def test_labels_of_the_live_generation_are_exported_with_its_chunks(assay: Run, folder: Path) -> None:
    quote = "The gripper is checked every 7 days."
    judged = f"""
  - {{url: https://docs.example/gripper, quote: "{quote}", label: 2}}
  - {{url: https://docs.example/gone, label: 1}}
"""
    plant(folder, {"set.yaml": f"topics:\n- id: a\n  text: how often?\n  judgments:{judged}"})
    assert assay("publish").code == 0
    said = assay("testset", "export", "set.yaml", "beir", "--format", "beir", "--generation", "live")
    assert said.code == 0
    assert said.err.startswith("1 topic with 1 judgment in beir.\nLeft out: 1 judgment not found in generation ")
    corpus = [json.loads(line) for line in (folder / "beir" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(corpus) == 6
    (gripper,) = [row["_id"] for row in corpus if quote in row["text"]]
    assert (folder / "beir" / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:] == [f"a\t{gripper}\t2"]
    assert assay("testset", "export", "set.yaml", "set.json", "--generation", "live").code == 2
    assert assay("testset", "export", "set.yaml", "set.csv", "--generation", "live").code == 2
    body = assay("testset", "export", "set.yaml", "out", "--format", "trec", "--generation", "live", "--json").body
    assert (body["topics"], body["judgments"]) == (1, 1)


@pytest.mark.parametrize("format_", ["beir", "trec"])
def test_an_export_without_a_judgment_of_the_generation_writes_nothing(assay: Run, folder: Path, format_: str) -> None:
    plant(folder, {"set.yaml": GOOD})
    assert assay("publish").code == 0
    said = assay("testset", "export", "set.yaml", "out", "--format", format_, "--generation", "live", "--json")
    assert (said.code, said.body["error"]) == (2, "validation_error")
    assert "No judgment of the test set (1) is found in generation" in said.body["message"]
    assert not (folder / "out").exists()


def test_labels_of_chunks_that_are_parts_of_a_table_survive_an_export_to_beir(assay: Run, folder: Path) -> None:
    rows = "".join(f"| E{number} | the drive number {number} is too hot or too slow | wait |\n" for number in range(80))
    plant(folder, {"docs/codes.md": f"# Codes\n\n| Code | Meaning | What to do |\n|---|---|---|\n{rows}"})
    plant(
        folder, {"set.yaml": "topics: [{id: a, text: codes, judgments: [{url: https://docs.example/codes, label: 2}]}]"}
    )
    assert assay("publish").code == 0
    assert assay("testset", "export", "set.yaml", "beir", "--format", "beir", "--generation", "live").code == 0
    assert assay("testset", "import", "beir", "-o", "back.yaml").code == 0
    assert len(load_test_set(folder / "back.yaml").topics[0].judgments) > 2
    said = assay("testset", "repair", "back.yaml", "--generation", "live")
    assert said.code == 0, said.out
