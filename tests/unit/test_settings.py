"""Settings: which source wins, and what is said when one cannot be used."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from assay.errors import ConfigurationError
from assay.settings import Settings, load_settings, misspelled_variables, pickle_settings, unpickle_settings
from assay.settings.table import Table


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_DATA_DIR", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


def _write(folder: Path, text: str) -> Path:
    path = folder / "assay.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold() -> None:
    settings = load_settings()
    assert settings.data_dir == Path(".assay")
    assert settings.search.top_k == 5
    assert settings.catalog_url.startswith("sqlite:///")


def test_the_file_is_overruled_by_the_environment_and_that_by_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "[search]\ntop_k = 7\ndepth = 50\nrrf_k = 10\n")
    monkeypatch.setenv("ASSAY_SEARCH__DEPTH", "60")
    monkeypatch.setenv("ASSAY_SEARCH__RRF_K", "20")
    settings = load_settings(None, {"search": {"rrf_k": 30}})
    assert (settings.search.top_k, settings.search.depth, settings.search.rrf_k) == (7, 60, 30)


def test_paths_in_a_file_are_relative_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = load_settings(_write(folder, 'data_dir = "data"\n[[sources]]\npath = "docs"\n'))
    assert settings.data_dir == folder / "data"
    assert settings.sources[0].path == folder / "docs"


def test_the_seeds_database_url_is_the_catalogs_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/assay")
    assert load_settings().catalog_url == "postgresql://db/assay"


def test_our_own_variable_wins_over_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/assay")
    monkeypatch.setenv("ASSAY_CATALOG__URL", "sqlite:///mine.sqlite")
    assert load_settings().catalog_url == "sqlite:///mine.sqlite"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search]\ntopk = 5\n", "search.topk: there is no such setting"),
        ("[search]\ntop_k = 101\n", "search.top_k = 101: input should be less than or equal to 100"),
        ("[search]\nmode = 'both'\n", "search.mode = 'both'"),
        ("[search\n", "is not valid TOML"),
        ("[release]\nkeep = 1\n", "release.keep = 1"),
        ("[[sources]]\npath = 3\n", "sources.0.path = 3"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert said in str(raised.value)
    assert path.name in str(raised.value)


def test_a_wrong_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SEARCH__TOP_K", "many")
    with pytest.raises(ConfigurationError, match=r"search\.top_k = 'many'"):
        load_settings()


def test_a_table_that_is_not_json_in_a_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SEARCH", "{not json")
    with pytest.raises(ConfigurationError, match="environment variable"):
        load_settings()


def test_a_file_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no configuration file"):
        load_settings(tmp_path / "other.toml")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load_settings()


def test_every_setting_says_what_it_is() -> None:
    undescribed = [
        f"{table}.{name}"
        for table, field in Settings.model_fields.items()
        if hasattr(field.annotation, "model_fields")
        for name, inner in field.annotation.model_fields.items()  # type: ignore[union-attr]  # checked above
        if not (inner.description or getattr(inner.annotation, "__doc__", None))  # a table in a table
    ]
    assert undescribed == []


@pytest.mark.parametrize(
    ("values", "weight"),
    [
        ({}, 0.4),
        ({"embedding": {"provider": "cohere"}}, 1.5),
        ({"embedding": {"provider": "openai"}, "search": {"dense_weight": 0.0}}, 0.0),
        ({"search": {"dense_weight": 2.0}}, 2.0),
    ],
)
def test_the_dense_side_weighs_what_the_embedder_is_worth(values: dict[str, Any], weight: float) -> None:
    assert load_settings(None, values).dense_weight == weight


def test_a_folder_in_the_place_of_the_file_is_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assay.toml").mkdir()
    monkeypatch.chdir(tmp_path)
    for config in (None, tmp_path / "assay.toml"):
        with pytest.raises(ConfigurationError, match="is a folder"):
            load_settings(config)


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ('sources = "docs"', "sources = 'docs': must be a list"),
        ("search = 3", "search = 3: must be a table"),
        ("[[sources]]\npath = 3", "sources.0.path = 3: must be a path"),
        ("[gate]\nlimits = 5", "gate.limits = 5: must be a table"),
        ("[gate]\ngroups = 5", "gate.groups = 5: must be a table"),
        ("[gate]\ngroups = [1]\nfactual = {}", "gate.groups = [1]: must be a table"),
        ("[gate.groups]\nfactual = 5", "gate.groups.factual = 5: must be a table"),
        ("[gate]\nfactual = 5", "gate.groups.factual = 5: must be a table"),
        ('[[sources]]\npath = "docs"\nname = ""', "sources.0.name = '': is empty; leave it out for the default"),
        ('[[sources]]\npath = "docs"\ndefault_locale = " "', "sources.0.default_locale = ' ': is empty"),
        ('[[sources]]\npath = "docs"\ncurrent_version = ""', "sources.0.current_version = '': is empty"),
    ],
)
def test_a_value_of_a_wrong_kind_is_told_in_the_words_of_the_file(tmp_path: Path, toml: str, told: str) -> None:
    (tmp_path / "assay.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        load_settings(tmp_path / "assay.toml")
    assert told in raised.value.message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ASSAY_DATADIR", "ASSAY_DATA_DIR"),
        ("ASSAY_SERCH__TOP_K", "ASSAY_SEARCH__TOP_K"),
        ("ASSAY_SEARCH_TOP_K", "ASSAY_SEARCH__TOP_K"),
        ("ASSAY__DATA_DIR", "ASSAY_DATA_DIR"),
        ("ASSAY_SERCH__MODE", "ASSAY_SEARCH__MODE"),
        ("ASSAY_FIND__MODE", ""),
        ("ASSAY_HOME", ""),
        ("ASSAY_VERSION", ""),
        ("ASSAY_SHARED", None),
        ("ASSAY_API_KEY", None),
        ("ASSAY_KEY", None),
        ("ASSAY_SERVICE_HOST", None),
        ("ASSAY_SERVICE_PORT_HTTP", None),
        ("ASSAY_PORT", None),
        ("ASSAY_PORT_8080_TCP_ADDR", None),
        ("ASSAYER_MODE", None),
        ("ASSAY_SERVER__PORT", None),
        ("ASSAY_EMBEDDING__COHERE_API_KEY", None),
    ],
)
def test_a_misspelled_variable_is_told_and_somebody_elses_is_not(
    name: str, meant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for set_already in [each for each in os.environ if each.startswith("ASSAY")]:
        monkeypatch.delenv(set_already)
    monkeypatch.setenv(name, "1")
    told = {None: [], "": [f"The environment variable {name} sets nothing: there is no such setting."]}
    assert misspelled_variables() == told.get(
        meant, [f"The environment variable {name} sets nothing; did you mean {meant}?"]
    )


@pytest.mark.parametrize(
    ("toml", "variables", "flags", "told"),
    [
        ("[search]\ntopk = 5\n", {}, {}, ["(in assay.toml)", "search.topk: there", "search.top_k?"]),
        ("", {"ASSAY_SEARCH__MOD": "x"}, {}, ["(in the variable ASSAY_SEARCH__MOD)", "did you mean search.mode?"]),
        ("", {"assay_search__top_k": "0"}, {}, ["(in the variable assay_search__top_k)", "search.top_k = '0'"]),
        ("", {"ASSAY_SEARCH": '{"mod": 1}'}, {}, ["(in the variable ASSAY_SEARCH)", "search.mod: there"]),
        ("", {"ASSAY_SOURCES": '[{"path": "a"}, {"paht": "b"}]'}, {}, ["(in the variable ASSAY_SOURCES)"]),
        ("", {}, {"search": {"top_k": 0}}, ["(in a flag or an argument)", "search.top_k = 0"]),
        # what wins is what is wrong, though another source has a value too
        ("[search]\ntop_k = 5\n", {"ASSAY_SEARCH__TOP_K": "0"}, {}, ["(in the variable ASSAY_SEARCH__TOP_K)"]),
        ("[search]\ntop_k = 5\n", {"ASSAY_SEARCH__TOP_K": "6"}, {"search": {"top_k": 0}}, ["(in a flag or an argu"]),
        # a table may be put together of several sources
        ("[gate]\nMRR = {}\n", {"ASSAY_GATE__MIN_MRR": "0.5"}, {}, ["(in the variable ASSAY_GATE__MIN_MRR and assay."]),
    ],
)
def test_a_wrong_setting_is_told_with_the_source_that_it_is_in(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toml: str,
    variables: dict[str, str],
    flags: dict[str, Any],
    told: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(toml, encoding="utf-8")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as raised:
        load_settings(None, flags)
    for part in told:
        assert part in raised.value.message
    assert raised.value.message.count("cannot be used") == 1
    assert not raised.value.message.endswith("?.")


def test_two_wrong_settings_of_two_sources_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text("[search]\ntop_k = 0\n", encoding="utf-8")
    monkeypatch.setenv("ASSAY_GATE__MIN_MRR", "7")
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    variable, file = raised.value.message.split(" These ")[::-1]
    if "assay.toml" in variable:
        variable, file = file, variable
    assert "(in the variable ASSAY_GATE__MIN_MRR)" in variable
    assert "gate.min_mrr" in variable
    assert "(in assay.toml) cannot be used: search.top_k = 0" in file


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("[[sources]]\nfolder = 'docs'\n", "sources.0.path"),
        ("[[sources]]\nsite = 'https://docs.example'\n", "sources.0.url"),
        ("[search]\nlimit = 3\n", "search.top_k"),
        ("[validation]\ntopics = 'a.yaml'\n", "validation.testset"),
        ("[chunking]\nchunk_size = 3\n", "chunking.max_characters"),
        ("[gate]\nmax_page_drop = 0.5\n", "gate.max_page_fall"),
    ],
)
def test_another_word_for_a_setting_is_understood(tmp_path: Path, wrong: str, meant: str) -> None:
    path = tmp_path / "assay.toml"
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        load_settings(path)
    assert raised.value.message.endswith(f"did you mean {meant}?")


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"search": {"dense_weight": float("inf")}}, "search.dense_weight"),
        ({"search": {"sparse_weight": float("nan")}}, "search.sparse_weight"),
        ({"search": {"dense_weight": 0, "sparse_weight": 0}}, "search.sparse_weight"),
        ({"gate": {"max_p95_ms": float("inf")}}, "gate.max_p95_ms"),
    ],
)
def test_numbers_that_nothing_can_be_ranked_or_judged_by_are_refused(values: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        load_settings(None, values)


def test_one_side_may_weigh_nothing() -> None:
    assert load_settings(None, {"search": {"dense_weight": 0}}).search.dense_weight == 0.0
    assert load_settings(None, {"search": {"sparse_weight": 0}}).search.sparse_weight == 0.0


def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SOURCES", "[" * 100_000)
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        load_settings()
    monkeypatch.delenv("ASSAY_SOURCES")
    _write(tmp_path, f"sources = {'[' * 5_000}")
    with pytest.raises(ConfigurationError, match=r"assay\.toml cannot be read: .* nested too deeply"):
        load_settings()


@pytest.mark.parametrize(
    "url", ["http://user:pa55@host/v1", "https://pa55@host/v1", "https://host/v1?key=pa55", "https://host/v1#pa55"]
)
def test_a_providers_address_holds_nothing_secret(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"embedding\.base_url: ") as refusal:
        load_settings(None, {"embedding": {"base_url": url}})
    assert "pa55" not in str(refusal.value)


@pytest.mark.parametrize("table", ['[gate]\n"nDCG@10" = {}', '[gate.factual]\n"nDCG@10" = {}'])
def test_a_limit_without_a_limit_is_refused(tmp_path: Path, table: str) -> None:
    path = tmp_path / "assay.toml"
    path.write_text(table)
    with pytest.raises(ConfigurationError) as caught:
        load_settings(path)
    assert "nDCG@10" in caught.value.message
    assert "it sets no limit: write {min = 0.6}, {max_drop_vs_live = 0.02} or both" in caught.value.message


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("[search]\ntop_k = 7\n", encoding="utf-8-sig")
    assert load_settings(tmp_path / "assay.toml").search.top_k == 7


NUMBERS = [
    (table, name)
    for table, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Table)
    for name, inner in field.annotation.model_fields.items()
    if {int, float} & {inner.annotation, *get_args(inner.annotation)}
    and bool not in {inner.annotation, *get_args(inner.annotation)}
]


@pytest.mark.parametrize(("table", "name"), NUMBERS)
def test_true_and_false_are_no_numbers(table: str, name: str) -> None:
    default = getattr(getattr(load_settings(), table), name)
    for value in (one for one in (True, False) if one != default):  # one that equals the default changes nothing
        with pytest.raises(
            ConfigurationError, match=rf"{table}\.{name} = {value}: must be a number, not true or false"
        ):
            load_settings(None, {table: {name: value}})


def test_true_is_no_limit_of_a_measure() -> None:
    assert ("gate", "max_lost_topics") in NUMBERS
    for group in ({"nDCG@10": {"min": True}}, {"specific": {"P@5": {"max_drop_vs_live": True}}}):
        with pytest.raises(ConfigurationError, match="= True: must be a number, not true or false"):
            load_settings(None, {"gate": group})


@pytest.mark.parametrize("value", [True, [], "", " ", 3, {}])
def test_a_test_set_that_is_no_path_is_refused_in_plain_words(value: object) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_settings(None, {"validation": {"testset": value}})
    assert "must be the path of a test set, or false to judge only the structure." in refused.value.message
    assert "validation.testset" in refused.value.message
    assert "lax" not in refused.value.message


def test_an_empty_test_set_in_a_file_is_not_the_folder_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="must be the path of a test set"):
        load_settings(_write(tmp_path, '[validation]\ntestset = ""\n'))


def test_settings_for_another_process_are_equal_and_their_secrets_are_registered(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text('[server]\ntrusted_proxies = ["10.0.0.0/8"]\n[[sources]]\npath = "docs"\n', "utf-8")
    settings = load_settings(file, {"qdrant": {"url": "http://q", "api_key": "a-rare-key-of-qdrant"}})
    again = unpickle_settings(pickle_settings(settings))
    assert again.model_dump() == settings.model_dump()
    assert again.config_folder == settings.config_folder == tmp_path
    assert again.model_fields_set == settings.model_fields_set


def test_another_process_masks_the_secrets_of_settings_that_it_receives(tmp_path: Path) -> None:
    settings = load_settings(None, {"qdrant": {"url": "http://q", "api_key": "a-rare-key-of-qdrant"}})
    code = (
        "import sys; from assay.settings import unpickle_settings; from assay.redaction import redacted;"
        "unpickle_settings(sys.stdin.buffer.read()); print(redacted('the key is a-rare-key-of-qdrant'))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], input=pickle_settings(settings), capture_output=True, check=True
    )
    assert b"a-rare-key" not in shown.stdout
