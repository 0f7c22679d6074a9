"""The link of a result leads to the heading above what matches, on pages of a real site."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app import Assay
from assay.contracts import native
from assay.settings import Settings

PAGES = (
    "rtk-query/usage/manual-cache-updates.mdx",
    "rtk-query/usage/mutations.mdx",
    "api/createAsyncThunk.mdx",
    "api/otherExports.mdx",
    "introduction/getting-started.md",
)


@pytest.fixture(scope="module")
def redux(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assay]:
    """An index of a few pages of Redux Toolkit."""
    folder = tmp_path_factory.mktemp("redux")
    for page in PAGES:
        (folder / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shared / "corpora" / "redux-toolkit" / "docs" / page, folder / "docs" / page)
    settings = Settings.model_validate(
        {
            "data_dir": folder / "data",
            "sources": [{"path": folder / "docs", "name": "redux", "base_url": "https://redux-toolkit.example"}],
        }
    )
    with Assay.open(settings) as assay:
        assay.publish()
        yield assay


def results(assay: Assay, query: str) -> list[dict[str, Any]]:
    request = native.parse({"query": query, "top_k": 3}, assay.settings.search)
    found = native.to_results(assay.search(request.query), request.include)["results"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("query", "page", "anchor"),
    [
        ("optimistic updates", "rtk-query/usage/manual-cache-updates", "optimistic-updates"),
        ("create a React Redux app", "introduction/getting-started", "create-a-react-redux-app"),
        ("unwrapping result actions", "api/createAsyncThunk", "unwrapping-result-actions"),
        ("canceling before execution", "api/createAsyncThunk", "canceling-before-execution"),
        ("bindActionCreators", "api/other-exports", "bindactioncreators"),
    ],
)
def test_a_result_links_to_the_heading_that_was_asked_for(redux: Assay, query: str, page: str, anchor: str) -> None:
    links = [found["section_url"] for found in results(redux, query)]
    assert f"https://redux-toolkit.example/{page}#{anchor}" in links


def test_a_result_begins_elsewhere_than_its_link_leads(redux: Assay) -> None:
    found = next(one for one in results(redux, "optimistic updates") if one["anchor"] == "optimistic-updates")
    assert found["content"].startswith("## Recipes")
    assert found["heading_path"] == ["Recipes", "Optimistic Updates"]
    marked = [found["snippet"][start:end] for start, end in found["snippet_highlights"]]
    assert marked == ["update", "optimistic", "update"]
    assert "after a `mutation` is" in found["content"]
    assert "after a mutation is" in found["snippet"]
    assert found["text_fragment"].startswith(":~:text=")


def test_suggested_headings_lead_to_their_anchors(redux: Assay) -> None:
    (heading,) = [name for name in redux.suggest("optimistic upd", 5) if name.text == "Optimistic Updates"]
    assert heading.url.endswith("/manual-cache-updates#optimistic-updates")
