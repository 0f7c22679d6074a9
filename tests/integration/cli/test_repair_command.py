"""`assay testset repair` on a site whose pages change."""

from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run

from assay.app.testsets import load_test_set

SITE = "https://docs.example"
VALVE = "# Valve\n\nA valve that hums has a loose seat.\n\n## Care\n\nGrease the stem once a month, never more often.\n"
PUMP = "# Pumps\n\nA pump that knocks draws air. Check the filter before anything else.\n"
SET = f"""# made by hand
topics:
  - id: hums
    text: why does it hum?
    judgments:
      - {{url: {SITE}/valve, quote: "A valve that hums has a loose seat.", label: 2}}  # the answer
      - url: {SITE}/valve
        section: care
        label: 1
  - id: hums-2
    text: humming valve
    type: paraphrase
    paraphrase_of: hums
  - {{id: knocks, text: why does it knock?, judgments: [{{chunk_id: CHUNK, label: 2}}]}}
"""


@pytest.fixture
def site(assay: Run, folder: Path) -> Path:
    """A published site, and a test set of it in set.yaml."""
    plant(folder, {"docs/valve.md": VALVE, "docs/pump.md": PUMP})
    publish(assay)
    chunk = assay("search", "pump", "--json").body["results"][0]["chunk_id"]
    return plant(folder, {"set.yaml": SET.replace("CHUNK", chunk)})


def publish(assay: Run) -> None:
    said = assay("publish", "docs", "--base-url", SITE, "--allow-removals", "--json")
    assert said.code == 0, said.out + said.err


def test_what_was_judged_by_a_chunk_is_shown_and_written_with_its_words(assay: Run, site: Path) -> None:
    before = (site / "set.yaml").read_text()
    said = assay("testset", "repair", "set.yaml")
    assert said.code == 0
    assert "5 judgments: 5 exact" in said.out
    assert "knocks, judgment 1: chunk " in said.out
    assert "+ url, + quote, + position, + text_hash" in said.out
    assert "assay testset repair set.yaml --write" in said.err
    assert (site / "set.yaml").read_text() == before
    assert assay("testset", "repair", "set.yaml", "--write").code == 0
    after = (site / "set.yaml").read_text()
    assert [line for line in before.split("\n") if line not in after.split("\n")] == [before.split("\n")[-2]]
    passage = load_test_set(site / "set.yaml").topics[2].judgments[0].passage
    assert passage.quote is not None
    assert passage.quote.exact == PUMP.strip()
    said = assay("testset", "repair", "set.yaml")
    assert "Nothing to repair." in said.err


def test_a_quote_by_hand_moves_with_its_renamed_page(assay: Run, site: Path) -> None:
    plant(site, {"hand.yaml": SET[: SET.index("      - url:")]})
    (site / "docs/valve.md").rename(site / "docs/valves.md")
    assert assay("ingest", "docs", "--base-url", SITE).code == 0
    assert assay("testset", "repair", "hand.yaml", "--write").code == 0
    passage = load_test_set(site / "hand.yaml").topics[0].judgments[0].passage
    assert passage.quote is not None
    assert (passage.url, passage.quote.exact) == (f"{SITE}/valve", "A valve that hums has a loose seat.")
    said = assay("testset", "repair", "hand.yaml", "--generation", "candidate", "--write")
    assert "1 judgment: 1 found in changed pages" in said.out
    assert load_test_set(site / "hand.yaml").topics[0].judgments[0].passage.url == f"{SITE}/valves"


def test_a_quote_by_hand_is_not_moved_to_another_page_that_has_its_words(assay: Run, site: Path) -> None:
    plant(site, {"hand.yaml": SET[: SET.index("      - url:")], "docs/notes.md": "# Notes\n\nHumming is normal.\n"})
    publish(assay)
    (site / "docs/valve.md").unlink()
    plant(site, {"docs/notes.md": "# Notes\n\nWho wrote: A valve that hums has a loose seat. Nobody knows.\n"})
    assert assay("ingest", "docs", "--base-url", SITE).code == 0
    before = (site / "hand.yaml").read_text()
    assay("testset", "repair", "hand.yaml", "--generation", "candidate", "--write")
    assert (site / "hand.yaml").read_text() == before


def test_after_the_pages_changed_what_is_proven_is_written_and_the_rest_is_told(assay: Run, site: Path) -> None:
    assert assay("testset", "repair", "set.yaml", "--all", "--write").code == 0
    written = (site / "set.yaml").read_text()
    (site / "docs/pump.md").rename(site / "docs/pumps.md")
    plant(site, {"docs/valve.md": VALVE.replace("# Valve\n", "# Valve\n\nSome words are new.\n")})
    publish(assay)
    body = assay("testset", "repair", "set.yaml", "--json", "--write").body
    assert body["outcomes"] == {"exact": 0, "re_anchored": 5, "ambiguous": 0, "orphaned": 0}
    assert (body["written"], body["lost"]) == (True, [])
    assert [(one["topic"], one["judgment"]) for one in body["repairs"]] == [("hums", 0), ("knocks", 0)]
    assert body["repairs"][1]["after"]["url"] == f"{SITE}/pumps"
    after = (site / "set.yaml").read_text()
    assert len(after.split("\n")) == len(written.split("\n"))
    assert "# the answer" in after
    plant(site, {"docs/valve.md": VALVE.replace("a loose seat", "a worn seat")})
    publish(assay)
    said = assay("testset", "repair", "set.yaml", "--write")
    assert said.code == 1
    assert "hums, judgment 1:" in said.out
    assert "The words are not on the page." in said.out
    assert "1 judgment without a proven place" in said.err
    assert (site / "set.yaml").read_text() == after


def test_a_candidate_can_be_looked_at_before_it_goes_live(assay: Run, site: Path) -> None:
    plant(site, {"docs/valve.md": VALVE.replace("a loose seat", "a worn seat")})
    assert assay("ingest", "docs", "--base-url", SITE).code == 0
    assert assay("testset", "repair", "set.yaml").code == 0
    assert assay("testset", "repair", "set.yaml", "--generation", "candidate").code == 1
