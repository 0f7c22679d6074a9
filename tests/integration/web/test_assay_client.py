"""The client against a real server: the ranking that comes over HTTP is the one that the server's Assay gives."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.web.conftest import BASE_URL, RunningServer, running_server

import assay as assay_package
from assay.app import Assay
from assay.client.client import Client
from assay.contracts import native, native_entities
from assay.errors import InputError, ServiceRefused, ServiceThrottled
from assay.model.ranking import Filters, Mode, Query
from assay.ports import Silence
from assay.validation.running.latency import ClosedLoop, OpenLoop, measure_load

QUERIES = (
    Query("How do nodes communicate?", 5),
    Query("camera", 3, Mode.SPARSE),
    Query("Räder 🤖", 100, Mode.DENSE, threshold=0.1),
    Query("gripper", 10, filters=Filters(url_prefix=f"{BASE_URL}/cleaning-gripper", sources=("manual",))),
    Query("gripper", 10, filters=Filters(versions=("9.9",))),
    Query("gripper", 10, filters=Filters(versions=("9.9",), include_unversioned=True)),
    Query("lidar", 2, with_vectors=True),
    Query("Replcaing the gyroscope", 3),
    Query("Replcaing the gyroscope", 3, correct=False),
    Query("Testing the gyr", 3, typing=True, with_vectors=True, passages_per_page=2),
)


def test_a_ranking_over_http_is_the_ranking_of_the_server(default_server: RunningServer, assay: Assay) -> None:
    client = Client(f"http://127.0.0.1:{default_server.port}")
    for query in QUERIES:
        here, there = assay.search(query), client.search(query)
        assert there.generation == here.generation
        assert there.warnings == here.warnings
        assert there.corrections == here.corrections
        assert len(there.hits) == len(here.hits)
        for mine, theirs in zip(here.hits, there.hits, strict=True):
            place = mine.place or mine.chunk.place_at(0)
            known = {"section": place.heading, "heading_path": place.path, "anchor": place.anchor, "inner_headings": ()}
            info = replace(mine.chunk.document, source_type=theirs.chunk.document.source_type, tags=())
            assert theirs.chunk == replace(mine.chunk, document=info, tokenizer="", embedded_hash="", **known)
            assert theirs.url == mine.url
            assert (theirs.rank, theirs.vector) == (mine.rank, mine.vector)
            assert theirs.similarity == pytest.approx(mine.similarity, abs=1e-6)
            assert theirs.rank_score == pytest.approx(mine.rank_score, abs=1e-6)
    with pytest.raises(InputError, match="query"):
        client.search(Query("x" * 2_001, 5))
    client.close()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("How do nodes communicate?", {}),
        ("camera", {"top_k": 3, "mode": "sparse"}),
        ("Räder 🤖", {"top_k": 100, "mode": Mode.DENSE, "threshold": 0.1}),
        ("gripper", {"url_prefix": f"{BASE_URL}/cleaning-gripper", "sources": ["manual"]}),
        ("gripper", {"versions": ("9.9",), "everything": True}),
        ("Replcaing the gyr", {"typing": True, "group_by": "page", "passages_per_page": 1}),
        ("Replcaing the gyr", {"correct": False, "group_by": "page"}),
    ],
)
def test_the_same_search_in_process_and_over_http_gives_the_same_answer(
    published: Path, default_server: RunningServer, text: str, options: dict[str, Any]
) -> None:
    with (
        assay_package.open(data_dir=published / "index") as opened,
        assay_package.connect(f"http://127.0.0.1:{default_server.port}") as connected,
    ):
        here, there = opened.search(text, **options), connected.search(text, **options)
        assert there.query == here.query
        include = native_entities.SearchInclude(snippet=False)  # the answer has the snippets, and a ranking none
        assert native.to_results(there, include) == native.to_results(here, include)
        with pytest.raises(InputError, match="top_k"):
            opened.search(text, 101)
        with pytest.raises(InputError, match="top_k"):
            connected.search(text, 101)
        for searched in (opened, connected):
            with pytest.raises(TypeError, match="no option 'verison'"):
                searched.search(text, verison="2.0")  # type: ignore[call-overload]  # the point of this test


def test_a_key_that_is_wrong_or_missing_is_refused(published: Path) -> None:
    with running_server(published, search="key") as server:
        for key in (None, "assay_wrong"):
            with pytest.raises(ServiceRefused):
                Client(f"http://127.0.0.1:{server.port}", key).search(QUERIES[0])


def test_a_rate_limit_is_told_apart_from_an_outage(published: Path) -> None:
    with running_server(published, rate_limit="3/minute") as server:
        client = Client(f"http://127.0.0.1:{server.port}")
        found = measure_load(ClosedLoop(1, 10, warm_up=0), client.search, QUERIES[:1], Silence())
        with pytest.raises(ServiceThrottled):
            client.search(QUERIES[0])
    assert found.error_kinds == {"ServiceThrottled": 7}
    assert found.samples == 3


def test_a_load_over_http_is_answered_and_timed(default_server: RunningServer) -> None:
    client = Client(f"http://127.0.0.1:{default_server.port}")
    closed = measure_load(ClosedLoop(20, 100), client.search, QUERIES[:2], Silence())
    opened = measure_load(OpenLoop(50.0, 1.0), client.search, QUERIES[:2], Silence())
    assert (closed.samples, closed.errors) == (100, 0)
    assert (opened.samples, opened.errors, opened.turned_away) == (50, 0, 0)
    for figures in (closed, opened):
        assert all(stage.samples == figures.samples for stage in figures.stages.values())
        assert figures.p50_ms >= figures.stages["search"].p50_ms > 0.0
