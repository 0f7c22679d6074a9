"""`assay audit` as its users run it: what it prints, and its exit codes."""

import sqlite3
from pathlib import Path

import pytest
from tests.integration.cli.commands import Run

from assay.validation.integrity import KINDS

CHECKS = [*KINDS, "distinct vectors", "spread of vectors"]
"""All but the ranks of titles, for which these pages are too few."""


@pytest.fixture
def live(assay: Run) -> str:
    """Id of a live generation."""
    return str(assay("publish", "--json").body["generation"])


def _sql(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / ".assay" / "catalog.sqlite")
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_sound_generation_is_said_to_be_so(assay: Run, live: str) -> None:
    said = assay("audit")
    assert said.code == 0
    assert f"Generation {live} is sound: 6 pages and 6 chunks" in said.out
    assert [line.split(maxsplit=1)[1].partition(":")[0] for line in said.out.splitlines()[: len(CHECKS)]] == CHECKS
    assert said.out.count("✓") == len(CHECKS)


def test_json_has_every_check(assay: Run, live: str) -> None:
    said = assay("audit", "--json")
    body = said.body
    assert (said.code, body["generation"], body["state"], body["sound"]) == (0, live, "live", True)
    assert (body["documents"], body["chunks"], body["vectors_compared"], body["keyword_vectors_compared"]) == (
        6,
        6,
        6,
        6,
    )
    assert [check["check"] for check in body["checks"]] == CHECKS
    assert {check["faults"] for check in body["checks"]} == {0}


def test_a_fault_is_named_with_what_to_do_and_exit_code_1(assay: Run, live: str, folder: Path) -> None:
    _sql(folder, "UPDATE chunks SET text = 'The gripper lies.' WHERE text LIKE '%gripper%'")
    said = assay("audit")
    assert said.code == 1
    assert f"Generation {live} is not sound" in said.out
    assert "✗ hashes: 2 violations of" in said.out
    assert "https://docs.example/gripper" in said.out
    assert "assay publish --rebuild" in said.out
    failed = [check for check in assay("audit", "--json").body["checks"] if check["faults"]]
    assert {"hashes", "spans", "agreement"} <= {check["check"] for check in failed}
    assert all("gripper" in "".join(check["examples"]) for check in failed)


def test_another_model_in_the_settings_is_no_reason_to_build_anew(assay: Run, live: str, folder: Path) -> None:
    _sql(folder, """UPDATE generations SET embedder = replace(embedder, 'static', 'other')""")
    said = assay("audit")
    assert said.code == 1
    assert "provider 'other' when it was built and 'static' now" in said.out
    assert "– embeddings: not checked: the configured embedder is another one" in said.out
    assert "Restore the [embedding] and [sparse] settings" in said.out
    assert "--rebuild" not in said.out


def test_an_index_that_is_gone_is_a_fault_of_the_generation(assay: Run, live: str, folder: Path) -> None:
    (seal,) = (folder / ".assay" / "generations" / live).glob("assay-index.json")
    seal.unlink()
    said = assay("audit")
    assert said.code == 1
    assert "✗ index: 1 violation of" in said.out
    assert "was never finished" in said.out
    assert "– vectors: not checked: there is no index to read" in said.out


def test_the_candidate_is_looked_at_where_nothing_is_live_and_when_it_is_named(assay: Run, folder: Path) -> None:
    candidate = assay("ingest", "--json").body["generation"]
    assert assay("audit", "--json").body["generation"] == candidate
    assert assay("promote").code == 0
    (folder / "docs" / "new.md").write_text("# New\n\nA new page.\n", encoding="utf-8")
    newer = assay("ingest", "--json").body["generation"]
    assert assay("audit", "--json").body["generation"] == candidate
    assert assay("audit", "--generation", "candidate", "--json").body["generation"] == newer
    assert assay("audit", "--generation", newer, "--json").body["generation"] == newer


def test_a_sample_is_said_to_be_one(assay: Run, live: str) -> None:
    said = assay("audit", "--sample", "2")
    assert said.code == 0
    assert "the embedder now makes of the chunk's text (2 of 6 checked)" in said.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--sample", "2", "--all"), "cannot be combined"),
        (("--sample", "0"), "greater than or equal to 1"),
        (("--generation", "20200101-000000-000000"), "20200101-000000-000000"),
    ],
)
def test_wrong_use_is_exit_code_2(assay: Run, live: str, arguments: tuple[str, ...], says: str) -> None:
    said = assay("audit", *arguments)
    assert said.code == 2
    assert says in said.err


def test_where_nothing_was_ingested_it_says_so(assay: Run) -> None:
    said = assay("audit")
    assert said.code == 2
    assert "nothing has been ingested" in said.err
