"""Commands that fail: one message, one hint, one exit code, and with --json one JSON object."""

import re
import sqlite3
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run
from tests.integration.cli.commands import assay as in_a_process

from assay import errors
from assay.app import Assay
from assay.app.building import Builds
from assay.cli.failures import FAILURES, INTERNAL, asks_for_json, failure_of

READING = {
    "search": ("search", "gripper"),
    "generations": ("generations",),
    "rollback": ("rollback",),
    "promote": ("promote",),
    "promote one": ("promote", "20260101-000000-000000"),
}
LONG = "a" * 300
TEST_SET = "topics: [{id: a, text: how?, judgments: [{url: https://docs.example/a, label: 2}]}]"


def _damage(folder: Path, generation: str) -> None:
    for path in (folder / ".assay" / "generations" / generation).rglob("*.mmap"):
        path.write_bytes(b"damaged")


# --- where nothing has been ingested -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", READING.values(), ids=list(READING))
def test_a_command_that_only_reads_says_that_nothing_is_there_and_makes_nothing(
    assay: Run, folder: Path, command: tuple[str, ...]
) -> None:
    said = assay(*command)
    assert said.code == 2
    assert "nothing has been ingested here yet" in said.err
    assert "`assay ingest`" in said.err
    assert said.out == ""
    assert not (folder / ".assay").exists()


@pytest.mark.usefixtures("published")
def test_a_data_directory_that_was_misspelled_is_not_made(assay: Run, folder: Path) -> None:
    said = assay("search", "gripper", "--data-dir", ".asay")
    assert (said.code, "nothing has been ingested here yet" in said.err) == (2, True)
    assert not (folder / ".asay").exists()


def test_the_doctor_looks_before_anything_is_ingested_and_makes_nothing(assay: Run, folder: Path) -> None:
    said = assay("doctor", "--json")
    assert said.code == 0
    checks = {check["check"]: check for check in said.body["checks"]}
    assert {name for name, check in checks.items() if check["level"] == "warn"} == {
        "data directory",
        "catalog",
        "live generation",
        "test set",
    }
    assert "nothing has been ingested here yet" in checks["catalog"]["message"]
    assert not (folder / ".assay").exists()


def test_ingest_without_a_source_makes_no_data_directory(assay: Run, folder: Path) -> None:
    (folder / "assay.toml").unlink()
    said = assay("ingest")
    assert (said.code, "no source is configured" in said.err) == (2, True)
    assert not (folder / ".assay").exists()


def test_a_candidate_alone_is_not_searched(assay: Run) -> None:
    assay("ingest")
    said = assay("search", "gripper", "--json")
    assert (said.code, said.body["error"]) == (2, "nothing_live")
    assert "assay publish" in said.body["hint"]


# --- told once -----------------------------------------------------------------------------------------------------


def test_a_broken_index_is_told_once(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    _damage(folder, live)
    said = in_a_process(folder, "search", "gripper")
    assert (said.code, said.out) == (4, "")
    assert said.err.count("Error:") == 1
    assert "ERROR" not in said.err
    body = in_a_process(folder, "search", "gripper", "--json").body
    assert body["error"] == "service_unavailable"
    assert said.err.count(body["message"]) == 1


@pytest.mark.parametrize("command", READING.values(), ids=list(READING))
def test_a_failure_with_json_is_one_object_with_a_word_a_message_and_a_hint(
    assay: Run, command: tuple[str, ...]
) -> None:
    plain, said = assay(*command), assay(*command, "--json")
    assert said.code == plain.code
    assert said.body.keys() == {"error", "message", "hint"}
    assert said.body["error"] == "nothing_ingested"
    assert said.body["message"] in said.err.replace("\n", "")
    assert plain.out == ""


# --- wrong use -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("search", "gripper", "--top-k", "0"), "top_k"),
        (("search", "gripper", "--top-k", "101"), "top_k"),
        (("search", "gripper", "--threshold", "1.5"), "threshold"),
        (("search", ""), "query"),
        (("search", " \t"), "query"),
        (("search", "x" * 5_000), "query"),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else value,
)
@pytest.mark.usefixtures("published")
def test_a_query_that_cannot_be_asked_is_refused_by_its_field(assay: Run, command: tuple[str, ...], told: str) -> None:
    said = assay(*command, "--json")
    assert (said.code, said.body["error"]) == (2, "validation_error")
    assert told in said.body["message"]
    assert said.err.startswith("Error:")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("search",), "query"),
        (("search", "gripper", "--top-k", "five"), "top-k"),
        (("search", "gripper", "--mode", "magic"), "magic"),
        (("search", "gripper", "--nonsense"), "--nonsense"),
        (("nonsense",), "nonsense"),
        (("ingest", "--name", "x"), "--name needs a folder"),
        (("ingest", "docs", "more", "--base-url", "https://a.example"), "several in assay.toml"),
        (("promote", "a", "b"), "assay generations"),
        (("search", "a", "b"), "Put a query of several words in quotes"),
        (("publish", "docs", "--dry-run"), "`assay ingest --dry-run` shows what would change"),
        (("rollback", "--to", "3"), "`assay promote ID`"),
        (("rollback", "3"), "`assay promote ID`"),
    ],
)
def test_a_command_line_that_cannot_be_parsed_is_exit_code_2(assay: Run, command: tuple[str, ...], told: str) -> None:
    plain = assay(*command)
    assert (plain.code, plain.out) == (2, "")
    assert told in " ".join(plain.err.replace("│", " ").split())
    said = assay(*command, "--json")
    assert (said.code, said.body["error"]) == (2, "wrong_use")
    assert told in said.body["message"]


@pytest.mark.parametrize(
    ("files", "command", "told"),
    [
        ({"assay.toml": "search = ["}, ("search", "x"), "not valid TOML"),
        ({"assay.toml": "[search]\ntopk = 5\n"}, ("search", "x"), "no such setting; did you mean search.top_k?"),
        ({"assay.toml": "[serach]\ntop_k = 5\n"}, ("search", "x"), "no such setting; did you mean search?"),
        ({"assay.toml": "[[sources]]\npaht = 'docs'\n"}, ("search", "x"), "did you mean sources.0.path?"),
        ({"assay.toml": "dense_weight = 5\n"}, ("search", "x"), "did you mean search.dense_weight?"),
        ({"assay.toml": "[[sources]]\nname = 'docs'\n"}, ("search", "x"), "needs either path (a folder) or url"),
        ({"taken": ""}, ("search", "x", "--data-dir", "taken"), "data directory taken is a file"),
        ({"taken": ""}, ("publish", "--data-dir", "taken/x"), "cannot be created, because taken is a file"),
        ({"assay.toml": "[search]\ntop_k = 0\n"}, ("search", "x"), "search.top_k = 0"),
        ({}, ("search", "x", "--config", "none.toml"), "no configuration file at none.toml"),
        ({}, ("ingest", "nowhere"), "no folder or file nowhere"),
        ({"empty/readme.txt": "no pages"}, ("ingest", "empty"), "no Markdown files"),
        ({}, ("ingest", "docs", "--convention", "sphinx"), "convention"),
        ({}, ("ingest", "docs", "--base-url", "docs.example"), "docs.example"),
        ({"file": "a file"}, ("ingest", "docs", "--data-dir", "file/below"), "cannot be created"),
    ],
)
def test_settings_and_sources_that_cannot_work_are_exit_code_2(
    assay: Run, folder: Path, files: dict[str, str], command: tuple[str, ...], told: str
) -> None:
    plant(folder, files)
    said = assay(*command, "--json")
    assert said.code == 2
    assert told in said.body["message"]
    assert said.err.count("Error:") == 1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("docs.example.org", "https://docs.example.org"),
        ("docs.example.org/guide/", "https://docs.example.org/guide/"),
        ("https//docs.example.org", "https://docs.example.org"),
        ("https:/docs.example.org", "https://docs.example.org"),
        ("http:docs.example.org", "http://docs.example.org"),
        ("localhost:3000/docs", "http://localhost:3000/docs"),
        ("intro.md", None),
        ("nowhere", None),
        ("some/docs.example", None),
    ],
)
@pytest.mark.parametrize("command", ["publish", "ingest"])
def test_an_address_without_its_scheme_is_asked_about(assay: Run, command: str, typed: str, meant: str | None) -> None:
    said = assay(command, typed, "--json")
    assert (said.code, said.body["error"]) == (2, "source_error")
    assert typed in said.body["message"]
    assert said.body["hint"].startswith("Did you mean") is (meant is not None)
    if meant:
        assert said.body["hint"] == f"Did you mean {meant}?"


def test_a_folder_that_is_called_like_a_host_is_read(assay: Run, folder: Path) -> None:
    plant(folder, {"docs.example.org/a.md": "# A\n\nText of a page.\n"})
    assert assay("ingest", "docs.example.org", "--base-url", "https://docs.example").code == 0


@pytest.mark.parametrize("command", [("publish",), ("ingest",), ("ingest", "--dry-run")])
def test_without_a_source_no_other_command_is_advised(assay: Run, folder: Path, command: tuple[str, ...]) -> None:
    (folder / "assay.toml").unlink()
    said = assay(*command, "--json")
    assert (said.code, said.body["error"]) == (2, "configuration_error")
    assert "after the command" in said.body["hint"]
    assert not re.search("assay (ingest|publish)", said.body["hint"])


@pytest.mark.parametrize("command", ["validate", "publish", "promote"])
def test_a_test_set_that_there_is_not_is_told_with_what_makes_one(assay: Run, command: str) -> None:
    assay("ingest")
    said = assay(command, "--testset", "nope.yaml", "--json")
    assert said.code == 2
    assert "nope.yaml" in said.body["message"]
    assert "assay testset derive" in said.body["hint"]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("compare", LONG, "live", "--testset", "set.yaml"), 2),
        (("compare", f"{LONG}.json", "live"), 2),
        (("testset", "import", LONG), 2),
        (("testset", "import", "beir", "--split", LONG), 2),
        (("testset", "export", "set.yaml", f"{LONG}.csv"), 4),
        (("testset", "export", "set.yaml", LONG, "--format", "trec"), 4),
        (("testset", "export", "set.yaml", f"{LONG}.yaml"), 4),
        (("ingest", f"{LONG}.org"), 2),
        (("ingest", "docs", "--data-dir", LONG), 2),
        (("search", "gripper", "--config", LONG), 2),
        (("search", "gripper", "--data-dir", LONG), 2),
    ],
)
@pytest.mark.usefixtures("published")
def test_a_name_that_is_too_long_for_a_file_is_no_bug(
    assay: Run, folder: Path, command: tuple[str, ...], code: int
) -> None:
    plant(folder, {"set.yaml": TEST_SET, "beir/queries.jsonl": "", "beir/qrels/test.tsv": ""})
    said = assay(*command, "--json")
    assert (said.code, LONG in said.body["message"]) == (code, True)


@pytest.mark.usefixtures("published")
def test_a_generation_that_there_is_not_is_named(assay: Run) -> None:
    said = assay("promote", "20200101-000000-000000", "--json")
    assert (said.code, said.body["error"]) == (2, "not_found")
    assert "20200101-000000-000000" in said.body["message"]


@pytest.mark.usefixtures("published")
def test_to_promote_what_is_live_changes_nothing_and_says_so(assay: Run, caplog: pytest.LogCaptureFixture) -> None:
    (live,) = assay("generations", "--json").body["generations"]
    said = assay("promote", live["generation"])
    assert (said.code, caplog.messages) == (0, [f"Generation {live['generation']} is live already."])
    assert assay("generations", "--json").body["generations"] == [live]


@pytest.mark.usefixtures("published")
def test_there_is_nothing_to_go_back_to_after_one_publish(assay: Run) -> None:
    said = assay("rollback", "--json")
    assert (said.code, said.body["error"]) == (2, "not_found")
    assert "no earlier generation" in said.body["message"]


# --- what is outside -----------------------------------------------------------------------------------------------


def test_a_rollback_to_a_damaged_index_is_exit_code_4_and_live_stays(assay: Run, folder: Path) -> None:
    first = assay("publish", "--json").body["generation"]
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    second = assay("publish", "--json").body["generation"]
    _damage(folder, first)
    said = assay("rollback", "--json")
    assert (said.code, said.body["error"]) == (4, "service_unavailable")
    assert assay("search", "gripper", "--json").body["generation"] == second


def test_a_file_that_is_no_catalog_is_exit_code_4(assay: Run, folder: Path) -> None:
    plant(folder, {".assay/catalog.sqlite": "this is no database, but some kilobytes of text. " * 100})
    said = assay("search", "gripper", "--json")
    assert (said.code, said.body["error"]) == (4, "service_unavailable")


@pytest.mark.usefixtures("published")
def test_a_catalog_of_a_newer_version_is_exit_code_2(assay: Run, folder: Path) -> None:
    with sqlite3.connect(folder / ".assay" / "catalog.sqlite") as connection:
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%version%'").fetchone()
        connection.execute(f"UPDATE {table} SET version_num = '7777'")
    connection.close()
    said = assay("search", "gripper", "--json")
    assert (said.code, said.body["error"]) == (2, "schema_mismatch")


def test_a_build_while_another_runs_is_exit_code_4(assay: Run, folder: Path) -> None:
    from assay.settings import load_settings

    assay("publish")
    with Assay.open(load_settings(folder / "assay.toml")) as other, other.parts.catalog.build_lock():
        said = assay("ingest", "--json")
    assert (said.code, said.body["error"]) == (4, "build_in_progress")


def test_a_source_that_there_is_not_leaves_no_generation(assay: Run, folder: Path) -> None:
    assert assay("publish", "nosuch", "--data-dir", "new").code == 2
    assert not (folder / "new").exists()
    assay("publish")
    said = assay("publish", "nosuch")
    assert said.code == 2
    assert "There is no folder or file nosuch" in said.err
    assert "`path` of [[sources]] in assay.toml" in " ".join(said.err.split())
    assert len(assay("generations", "--json").body["generations"]) == 1


@pytest.mark.usefixtures("published")
def test_a_damaged_catalog_is_told_with_what_to_do(assay: Run, folder: Path) -> None:
    catalog = folder / ".assay" / "catalog.sqlite"
    content = catalog.read_bytes()
    catalog.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    said = assay("search", "gripper")
    assert said.code == 4
    assert "move the data directory away" in said.err


def test_a_variable_that_is_nearly_one_of_a_setting_is_told(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SERVER_PORT", "8081")
    monkeypatch.setenv("ASSAY_SHARED", "/elsewhere")
    said = assay("doctor")
    assert said.err == "The environment variable ASSAY_SERVER_PORT sets nothing; did you mean ASSAY_SERVER__PORT?\n"


# --- the edge ------------------------------------------------------------------------------------------------------


def test_a_bug_is_exit_code_5_and_still_one_json_object(
    assay: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("secret plans")

    monkeypatch.setattr(Assay, "generations", fail)
    said = assay("generations", "--json")
    assert (said.code, said.body["error"]) == (5, "internal_error")
    assert "secret plans" not in said.out
    assert "secret plans" in caplog.text
    assert "This is a bug in Assay" in said.err


def test_an_interrupt_is_exit_code_130_and_says_what_is_live(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Builds, "ingest", interrupt)
    plain, said = assay("ingest"), assay("ingest", "--json")
    assert (plain.code, plain.out) == (130, "")
    assert "The live generation is unchanged" in plain.err
    assert (said.code, said.body["error"]) == (130, "interrupted")


def test_a_lack_of_memory_is_no_bug(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Assay, "generations", fail)
    said = assay("generations", "--json")
    assert (said.code, said.body["error"]) == (4, "out_of_memory")
    assert "bug" not in said.err


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["search", "x", "--json"], True),
        (["--json"], True),
        (["search", "x"], False),
        (["search", "--", "--json"], False),
        (["search", "--json", "--", "x"], True),
    ],
)
def test_json_is_asked_for_by_the_option_and_not_by_a_word_after_the_options(arguments: list[str], asked: bool) -> None:
    assert asks_for_json(arguments) is asked


EXIT_CODES = {
    "AssayError": 5,
    "InputError": 2,
    "ConfigurationError": 2,
    "FileUnwritable": 4,
    "SourceError": 2,
    "SourceUnavailable": 4,
    "EmbeddingError": 4,
    "EmbedderUnavailable": 4,
    "EmbedderRefused": 4,
    "InvalidEmbedding": 4,
    "IdentityMismatch": 2,
    "VectorStoreError": 4,
    "StoreUnavailable": 4,
    "StorageFull": 4,
    "IndexNotFound": 4,
    "RequestForbidden": 4,
    "IndexCorrupt": 4,
    "PointCorrupt": 4,
    "CatalogError": 4,
    "CatalogNotFound": 2,
    "CatalogUnavailable": 4,
    "CatalogSchemaError": 2,
    "GenerationError": 2,
    "NoLiveGeneration": 2,
    "GenerationNotFound": 2,
    "InvalidTransition": 2,
    "BuildInProgress": 4,
    "PromotionRefused": 1,
    "PromotionUndecided": 3,
    "LiveChanged": 4,
    "IndexNotOurs": 2,
    "CatalogCorrupt": 4,
    "ServiceError": 4,
    "ServiceUnavailable": 4,
    "ServiceThrottled": 4,
    "ServiceRefused": 2,
    "RerankError": 4,
    "RerankerUnavailable": 4,
    "RerankerRefused": 4,
}


def test_every_error_of_the_tree_has_its_exit_code() -> None:
    tree = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert {name: failure_of(kind("x")).exit_code for name, kind in tree.items()} == EXIT_CODES


def test_a_word_has_one_exit_code() -> None:
    codes: dict[str, set[int]] = {}
    for failure in [*(failure for _, failure in FAILURES), INTERNAL]:
        codes.setdefault(failure.word, set()).add(failure.exit_code)
    assert {word for word, several in codes.items() if len(several) > 1} == set()
