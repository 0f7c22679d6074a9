"""Settings for one measurement: from a line, a file, a grid; what is wrong is named."""

import re
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.experiments.variants import default_grid, described, grid_in, variant_in, variant_of
from assay.model.ranking import FusionMethod, Mode
from assay.settings import Settings

SETTINGS = Settings.model_validate({"search": {"depth": 50, "sparse_weight": 2.0}})


def _file(folder: Path, text: str) -> Path:
    path = folder / "modes.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_of_settings_changes_what_it_names_and_nothing_else() -> None:
    variant = variant_of("mode=hybrid,dense_weight=1.5, rrf_k=10,fusion=rrf", SETTINGS)
    search = variant.search
    assert (search.mode, search.dense_weight, search.rrf_k, search.fusion) == (Mode.HYBRID, 1.5, 10, FusionMethod.RRF)
    assert (search.depth, search.sparse_weight) == (50, 2.0)
    assert variant.name == "mode=hybrid,dense_weight=1.5, rrf_k=10,fusion=rrf"


def test_the_name_of_a_mode_is_that_mode() -> None:
    assert variant_of("sparse", SETTINGS).search.mode is Mode.SPARSE


def test_a_line_may_name_the_generation() -> None:
    assert variant_of("generation=candidate,mode=dense", SETTINGS).generation == "candidate"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("mode=fuzzy", "mode = 'fuzzy'"),
        ("mod=dense", "did you mean mode?"),
        ("top_k=3", "there is no setting 'top_k'"),
        ("mode=dense,mode=sparse", "mode is set twice"),
        ("mode", "'mode' is not a setting"),
        ("depth=5", "depth = '5'"),
        ("dense_weight=inf", "finite"),
        ("dense_weight=nan", "dense_weight"),
        ("dense_weight=0,sparse_weight=0", "more than 0"),
    ],
)
def test_what_is_wrong_in_a_line_is_named(line: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        variant_of(line, SETTINGS)


@pytest.mark.parametrize("text", ['mode = "dense"\n', '[search]\nmode = "dense"\n'])
def test_a_file_has_settings_at_its_top_or_as_assay_toml_has_them(tmp_path: Path, text: str) -> None:
    assert variant_in(_file(tmp_path, text), SETTINGS).search.mode is Mode.DENSE


def test_a_grid_has_its_runs_in_order_and_names_those_that_have_no_name(tmp_path: Path) -> None:
    grid = grid_in(
        _file(
            tmp_path,
            'measure = "P@5"\n[[run]]\nname = "now"\n[[run]]\nmode = "sparse"\n'
            "[[run]]\nchunking = {max_characters = 600, overlap = 100}\n",
        ),
        SETTINGS,
    )
    assert grid.measure == "P@5"
    assert [one.name for one in grid.variants] == ["now", "sparse", "max_characters=600 overlap=100"]
    assert grid.variants[1].chunking is None
    assert grid.variants[2].chunking is not None
    assert grid.variants[2].chunking.overlap == 100


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no [[run]] tables"),
        ("run = 3", "no [[run]] tables"),
        ("[[runs]]\nmode = 'dense'", "did you mean run?"),
        ("[[run]]\nmode = 'dense'\nweight = 3\ndepht = 20", "'weight'"),
        ("[[run]]\nmode = 'dense'\nweight = 3\ndepht = 20", "'depht' (did you mean depth?)"),
        ("[[run]]\n[[run]]\nchunking = {size = 3}", "run 2, chunking: there is no setting 'size'"),
        ("[[run]]\nchunking = {max_characters = 50}", "max_characters = 50"),
        ("[[run]]\nchunking = {max_characters = 400, overlap = 300}", "Set it to at most 200"),
        ("[[run]]\nchunking = 400", "must be a table"),
        ("[[run]]\nname = 'a'\n[[run]]\nname = 'a'\nmode = 'dense'", "two runs have the name 'a'"),
        ("[[run]]\nname = 3", "name must be a string"),
        ("measure = 5\n[[run]]", "measure must be"),
        ("[[run]\n", "not valid TOML"),
    ],
)
def test_what_is_wrong_in_a_grid_is_named_with_its_run(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        grid_in(_file(tmp_path, text), SETTINGS)


def test_a_file_that_is_not_there_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        grid_in(tmp_path / "none.toml", SETTINGS)


def test_the_default_grid_begins_with_the_settings_and_asks_for_nothing_twice() -> None:
    grid = default_grid(SETTINGS, chunkers=True)
    assert grid.variants[0].search == SETTINGS.search
    told = [tuple(described(one, SETTINGS).items()) for one in grid.variants]
    assert len(set(told)) == len(told)
    assert {one.search.mode for one in grid.variants} == set(Mode)
    assert any(one.chunking for one in grid.variants)


def test_the_default_grid_cuts_nothing_anew_where_that_costs() -> None:
    assert not any(one.chunking for one in default_grid(SETTINGS, chunkers=False).variants)


# --- rerankers -----------------------------------------------------------------------------------------------------

RERANKED = Settings.model_validate(
    {"rerank": {"provider": "tei", "model": "bge", "base_url": "http://tei", "api_key": "a-key-of-tei", "depth": 20}}
)


def test_a_line_may_change_the_reranker_or_do_without_it() -> None:
    deeper = variant_of("rerank.depth=50,mode=dense", RERANKED)
    assert deeper.rerank == RERANKED.rerank.model_copy(update={"depth": 50})
    assert described(deeper, RERANKED) == {"mode": "dense", "rerank": "tei bge", "rerank_depth": "50"}
    without = variant_of("rerank=false", RERANKED)
    assert without.rerank is not None
    assert without.rerank.provider is None
    assert described(without, RERANKED)["rerank"] == "none"
    assert variant_of("mode=dense", RERANKED).rerank is None


def test_another_provider_keeps_no_address_model_or_key_of_the_configured_one() -> None:
    rerank = variant_of("rerank.provider=cohere", RERANKED).rerank
    assert rerank is not None
    assert (rerank.provider, rerank.model, rerank.base_url, rerank.api_key) == ("cohere", None, None, None)
    assert rerank.depth == 20


def test_files_have_the_reranker_as_assay_toml_has_it(tmp_path: Path) -> None:
    table = '[rerank]\nprovider = "cohere"\n'
    for text in (table, f'[search]\nmode = "dense"\n{table}', 'rerank = {provider = "cohere"}\n'):
        rerank = variant_in(_file(tmp_path, text), RERANKED).rerank
        assert rerank is not None
        assert rerank.provider == "cohere"
    grid = grid_in(_file(tmp_path, "[[run]]\n[[run]]\nrerank = false\n[[run]]\nrerank = {depth = 5}\n"), RERANKED)
    assert [one.rerank and one.rerank.provider for one in grid.variants] == [None, None, "tei"]
    assert grid.variants[1].rerank is not None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rerank.provder=tei", "did you mean provider?"),
        ("rerank.provider=other", "provider = 'other'"),
        ("rerank=yes", "must be false or a table"),
        ("rerank=false,rerank.depth=3", "rerank is set twice"),
        ("rerank.depth=3", "[rerank] names no provider"),
        ("rerank.provider=tei,rerank.depth=0", "depth = '0'"),
    ],
)
def test_what_is_wrong_with_a_reranker_is_named(line: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        variant_of(line, SETTINGS)
