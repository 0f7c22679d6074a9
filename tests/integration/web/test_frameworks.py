"""The retrievers for LangChain, LlamaIndex and Haystack, in this process and over HTTP; and docs/frameworks.md."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.utils import Secret
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from tests.integration.web.conftest import BASE_URL, RunningServer
from tests.snippets import ROOT, Snippet, snippets

import assay
from assay.app import Assay
from assay.errors import ConfigurationError, InputError, ServiceUnavailable
from assay.integrations import haystack, langchain, llamaindex
from assay.integrations.searching import Searcher, metadata

QUERY = "How do nodes communicate?"
WHERE = ("in process", "over HTTP")


@pytest.fixture(scope="module")
def connected(default_server: RunningServer) -> Iterator[Searcher]:
    with assay.connect(f"http://127.0.0.1:{default_server.port}") as client:
        yield client


@pytest.fixture(params=WHERE)
def docs(request: pytest.FixtureRequest) -> Searcher:
    searcher: Searcher = request.getfixturevalue("assay" if request.param == WHERE[0] else "connected")
    return searcher


@pytest.fixture
def expected(assay: Assay) -> list[tuple[str, str, str, float, float | None]]:
    """Id, text, link and scores of the hits of a search."""
    hits = assay.search(QUERY, 4).hits
    assert len(hits) == 4
    return [(hit.chunk.id, hit.text, hit.url, hit.rank_score, hit.similarity) for hit in hits]


def fields(identity: str, text: str | None, metadata: dict[str, Any]) -> tuple[object, ...]:
    return (identity, text, metadata["url"], metadata["rank_score"], metadata["similarity"])


# --- LangChain -----------------------------------------------------------------------------------------------------


def test_langchain_gets_the_hits_of_a_search(docs: Searcher, expected: list[tuple[object, ...]]) -> None:
    retriever = langchain.AssayRetriever(docs=docs, k=4)
    documents = retriever.invoke(QUERY)
    assert [fields(str(one.id), one.page_content, one.metadata) for one in documents] == expected
    assert asyncio.run(retriever.ainvoke(QUERY)) == documents


def test_langchain_overrides_number_and_options_of_one_search(docs: Searcher) -> None:
    retriever = langchain.AssayRetriever(docs=docs, k=4, options={"mode": "sparse"})
    assert len(retriever.invoke("robot", k=2)) == 2
    assert retriever.invoke(QUERY, mode="dense") != retriever.invoke(QUERY)
    with pytest.raises(InputError, match="top_k"):
        retriever.invoke(QUERY, k=1_000)
    with pytest.raises(TypeError, match="no option 'sort'"):
        retriever.invoke(QUERY, sort="new")


def test_langchain_composes_it_in_a_chain(assay: Assay) -> None:
    first = RunnableLambda(lambda documents: documents[0].metadata["title"])
    chain = langchain.AssayRetriever(docs=assay) | first
    assert chain.invoke("calibrating the gripper") == "Calibrating the gripper"


class TestLangChainsOwnSuite(RetrieversIntegrationTests):
    """The suite that LangChain asks of every retriever."""

    @pytest.fixture(autouse=True)
    def _searches(self, assay: Assay) -> None:
        type(self).docs = assay

    docs: Assay

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return langchain.AssayRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"docs": self.docs}

    @property
    def retriever_query_example(self) -> str:
        return QUERY


# --- LlamaIndex ----------------------------------------------------------------------------------------------------


def test_llamaindex_gets_the_hits_of_a_search(docs: Searcher, expected: list[tuple[object, ...]]) -> None:
    retriever = llamaindex.AssayRetriever(docs, top_k=4)
    nodes = retriever.retrieve(QUERY)
    assert [fields(one.node.node_id, one.text, one.metadata) for one in nodes] == expected
    assert [one.score for one in nodes] == [hit[3] for hit in expected]
    again = asyncio.run(retriever.aretrieve(QUERY))
    assert [one.node.node_id for one in again] == [hit[0] for hit in expected]


def test_llamaindex_answers_from_the_passages_with_their_links(docs: Searcher) -> None:
    engine = RetrieverQueryEngine.from_args(llamaindex.AssayRetriever(docs, top_k=2), llm=MockLLM())
    answer = engine.query("calibrating the gripper")
    assert answer.source_nodes[0].metadata["title"] == "Calibrating the gripper"
    assert answer.source_nodes[0].metadata["url"] in str(answer)
    assert "rank_score" not in str(answer)


# --- Haystack ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=WHERE)
def component(request: pytest.FixtureRequest, published: Path, default_server: RunningServer) -> Any:  # noqa: ANN401
    if request.param == WHERE[0]:
        return haystack.AssayRetriever(data_dir=str(published / "index"), top_k=4)
    return haystack.AssayRetriever(url=f"http://127.0.0.1:{default_server.port}", top_k=4)


def test_haystack_gets_the_hits_of_a_search(component: Any, expected: list[tuple[object, ...]]) -> None:  # noqa: ANN401
    documents = component.run(QUERY)["documents"]
    assert [fields(one.id, one.content, one.meta) for one in documents] == expected
    assert [one.score for one in documents] == [hit[3] for hit in expected]
    assert asyncio.run(component.run_async(QUERY))["documents"] == documents
    assert len(component.run(QUERY, top_k=1)["documents"]) == 1


def test_haystack_runs_it_in_a_pipeline_that_was_stored(component: Any) -> None:  # noqa: ANN401
    pipeline = Pipeline()
    pipeline.add_component("retriever", component)
    template = "{% for one in documents %}{{ one.meta.title }}\n{% endfor %}"
    pipeline.add_component("prompt", PromptBuilder(template=template))
    pipeline.connect("retriever.documents", "prompt.documents")
    restored = Pipeline.loads(pipeline.dumps(), allowed_modules=["assay.integrations.haystack"])
    prompt = restored.run({"retriever": {"query": "calibrating the gripper"}})["prompt"]["prompt"]
    assert prompt.startswith("Calibrating the gripper\n")


def test_haystack_stores_a_key_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_KEY", "a-secret-key")
    made = haystack.AssayRetriever(url="http://127.0.0.1:1", api_key=Secret.from_env_var("ASSAY_API_KEY"))
    stored = made.to_dict()
    assert "a-secret-key" not in str(stored)
    restored = haystack.AssayRetriever.from_dict(stored)
    assert restored.to_dict() == made.to_dict()
    with pytest.raises(ServiceUnavailable):
        restored.run(QUERY)


def test_haystack_does_not_store_the_password_of_a_url() -> None:
    with pytest.raises(ConfigurationError, match="a stored pipeline would contain") as caught:
        haystack.AssayRetriever(url="https://user:pa55@docs.example").to_dict()
    assert "pa55" not in str(caught.value)


def test_haystack_opens_one_index_for_searches_at_the_same_time(monkeypatch: pytest.MonkeyPatch, assay: Assay) -> None:
    opened = []

    def open_slowly(**_: object) -> Assay:
        opened.append(assay)
        sleep(0.05)
        return assay

    monkeypatch.setattr("assay.open", open_slowly, raising=False)
    made = haystack.AssayRetriever(data_dir="index")

    async def search() -> None:
        await asyncio.gather(*(made.run_async(query="nodes") for _ in range(8)))

    asyncio.run(search())
    assert len(opened) == 1


@pytest.mark.parametrize("arguments", [{}, {"url": "http://127.0.0.1:1", "data_dir": "."}])
def test_haystack_needs_to_know_where_to_search(arguments: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="either a running Assay or one in this process"):
        haystack.AssayRetriever(**arguments)


# --- docs/frameworks.md ----------------------------------------------------------------------------------------------

EXAMPLES = [one for one in snippets() if one.page == "frameworks.md" and one.language == "python"]


def test_there_is_an_example_for_each_framework() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_finds_the_page_about_nodes(
    example: Snippet, default_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    code = example.text.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{default_server.port}")
    exec(compile(code.replace("handbook", "manual"), str(example), "exec"), {})
    assert f"{BASE_URL}/nodes" in capsys.readouterr().out


def test_the_table_names_the_fields_there_are(assay: Assay) -> None:
    hit = (ranking := assay.search(QUERY, 1)).hits[0]
    table = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8").split("## Fields")[1]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(metadata(hit, ranking))
