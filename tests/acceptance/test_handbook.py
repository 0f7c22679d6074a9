"""The demo's handbook and its test set: that they fit together, and that a search of one answers the other."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.adapters.embedders.static import count_tokens
from assay.adapters.sources.folder.source import FolderSource
from assay.app import Assay
from assay.ingest.markdown.reader import read_markdown
from assay.mcp.tools import TOOLS
from assay.model.documents import BlockKind, Document, PageExcluded, PageFailed, PageRead, RawPage
from assay.model.ranking import Hit, Query
from assay.settings import Settings, SourceSettings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BASE_URL = "https://handbook.example"
PARTIAL = "keep fingers out of the knee and hip joints"

Topic = dict[str, Any]


# --- the pages -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages() -> list[PageRead]:
    source = FolderSource(
        EXAMPLES / "handbook",
        base_url=BASE_URL,
        name="handbook",
        current_version=None,
        default_locale=None,
        convention=None,
        max_page_bytes=1_000_000,
    )
    return list(source.read({}))


@pytest.fixture(scope="module")
def documents(pages: list[PageRead]) -> dict[str, Document]:
    read = [read_markdown(page) for page in pages if isinstance(page, RawPage)]
    return {document.info.url: document for document in read}


def test_every_page_can_be_read(pages: list[PageRead]) -> None:
    assert [page for page in pages if isinstance(page, PageFailed)] == []


def test_the_handbook_has_as_many_pages_as_the_demo_promises(documents: dict[str, Document]) -> None:
    assert 20 <= len(documents) <= 25


def test_pages_are_neither_stubs_nor_books(documents: dict[str, Document]) -> None:
    words = {url: len(re.findall(r"[^\W_]+(?:['./-]\w+)*", document.text)) for url, document in documents.items()}
    assert {url: count for url, count in words.items() if not 400 <= count <= 1_200} == {}


def test_urls_are_those_that_docusaurus_serves(documents: dict[str, Document]) -> None:
    expected = {
        "docs",  # slug: /
        "docs/getting-started",  # number prefix of an .mdx file
        "docs/communication/qos",  # id
        "docs/skills/voice",  # relative slug
        "docs/safety",  # index of a folder
        "docs/safety/emergency-stop",  # number prefixes of folder and file
    }
    assert expected <= {url.removeprefix(f"{BASE_URL}/") for url in documents}


def test_drafts_and_partials_are_left_out(pages: list[PageRead], documents: dict[str, Document]) -> None:
    excluded = [page.key for page in pages if isinstance(page, PageExcluded)]
    assert any("fleet-dashboard" in key for key in excluded)
    assert not any("fleet-dashboard" in url or "stand-clear" in url for url in documents)
    assert not any("must not be published" in document.text for document in documents.values())


def test_a_partial_stands_in_both_pages_that_import_it(documents: dict[str, Document]) -> None:
    holders = {url for url, document in documents.items() if PARTIAL in document.text}
    assert holders == {f"{BASE_URL}/docs/sensing/calibration", f"{BASE_URL}/docs/operations/testing"}


def test_nothing_of_mdx_is_left_in_the_text(documents: dict[str, Document]) -> None:
    leak = re.compile(r"^import .* from |^export |</?(Tabs|TabItem|StandClear)|\{/\*|:::", re.MULTILINE)
    assert {url: leak.findall(document.text) for url, document in documents.items() if leak.search(document.text)} == {}


def test_tabs_keep_their_labels_and_all_their_panels(documents: dict[str, Document]) -> None:
    text = documents[f"{BASE_URL}/docs/getting-started"].text
    for label, panel in (
        ("Binary packages", "sudo apt install ros-jazzy-meridian-desktop"),
        ("Container", "docker run --rm -it --network host"),
        ("From source", "colcon build --symlink-install"),
    ):
        assert label in text
        assert panel in text


@pytest.mark.parametrize("kind", [BlockKind.TABLE, BlockKind.CODE])
def test_one_block_is_too_long_for_any_chunk(documents: dict[str, Document], kind: BlockKind) -> None:
    assert any(block.end - block.start > 2_000 for d in documents.values() for block in d.blocks if block.kind is kind)


def test_every_link_leads_to_a_page_and_a_heading_that_exist(documents: dict[str, Document]) -> None:
    anchors = {url: {section.anchor for section in document.sections} for url, document in documents.items()}
    broken = []
    for url, document in documents.items():
        for link in document.links:
            page, _, anchor = link.target.partition("#")
            if page not in anchors or (anchor and anchor not in anchors[page]):
                broken.append((url, link.text, link.target))
    assert broken == []


def test_pages_are_linked_densely_enough_to_derive_queries_from(documents: dict[str, Document]) -> None:
    assert len({link.text for document in documents.values() for link in document.links}) >= 80
    linked = {link.target.partition("#")[0] for document in documents.values() for link in document.links}
    assert set(documents) - linked <= {f"{BASE_URL}/docs"}


# --- the test set --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    test_set = yaml.safe_load((EXAMPLES / "handbook.testset.yaml").read_text(encoding="utf-8"))
    assert test_set.keys() == {"name", "topics"}
    assert test_set["name"] == "handbook"
    return list(test_set["topics"])


def test_topics_have_only_the_keys_of_a_test_set(topics: list[Topic]) -> None:
    known = {"id", "text", "type", "category", "top_k", "judgments", "expected_criteria", "paraphrase_of", "expect"}
    assert {key for topic in topics for key in topic} <= known
    assert all(judgment.keys() - {"quote", "section"} == {"url", "label"} for _, judgment in judgments(topics))
    assert all(len(judgment.keys() & {"quote", "section"}) == 1 for _, judgment in judgments(topics))


def test_all_four_types_are_there_in_the_promised_numbers(topics: list[Topic]) -> None:
    counts = Counter(topic["type"] for topic in topics)
    assert counts.keys() == {"specific", "broad", "paraphrase", "edge"}
    assert 28 <= len(topics) <= 36
    assert counts["specific"] >= 14
    assert counts["broad"] >= 5
    assert counts["paraphrase"] >= 6
    assert 4 <= counts["edge"] <= 0.15 * len(topics)


def test_edge_topics_hold_one_word_other_scripts_and_questions_without_an_answer(topics: list[Topic]) -> None:
    edge = [topic for topic in topics if topic["type"] == "edge"]
    assert any(len(topic["text"].split()) == 1 and topic["text"].isascii() for topic in edge)
    assert any(not topic["text"].isascii() for topic in edge)
    assert any(topic.get("expect") == "no_answer" for topic in edge)


def test_topic_ids_and_texts_are_unique(topics: list[Topic]) -> None:
    for key in ("id", "text"):
        assert [value for value, count in Counter(topic[key] for topic in topics).items() if count > 1] == []


def test_a_paraphrase_names_another_topic_and_has_its_judgments(topics: list[Topic]) -> None:
    by_id = {topic["id"]: topic for topic in topics}
    for topic in topics:
        assert ("paraphrase_of" in topic) == (topic["type"] == "paraphrase")
        if topic["type"] == "paraphrase":
            original = by_id[topic["paraphrase_of"]]
            assert original["type"] != "paraphrase"
            assert original["judgments"] == topic["judgments"]


def test_every_topic_is_judged_or_expects_no_answer(topics: list[Topic]) -> None:
    for topic in topics:
        if topic.get("expect") == "no_answer":
            assert "judgments" not in topic
        else:
            labels = [judgment["label"] for judgment in topic["judgments"]]
            assert set(labels) <= {0, 1, 2}
            assert 2 in labels


def test_no_passage_is_judged_twice_for_a_topic(topics: list[Topic]) -> None:
    for topic in topics:
        passages = Counter((j["url"], j.get("quote") or f"#{j['section']}") for j in topic.get("judgments", []))
        assert [passage for passage, count in passages.items() if count > 1] == []


def test_every_quote_stands_exactly_once_on_its_page(topics: list[Topic], documents: dict[str, Document]) -> None:
    wrong = [
        (topic["id"], judgment["url"], judgment["quote"], documents[judgment["url"]].text.count(judgment["quote"]))
        for topic, judgment in judgments(topics)
        if "quote" in judgment and documents[judgment["url"]].text.count(judgment["quote"]) != 1
    ]
    assert wrong == []


def test_quotes_are_long_enough_to_survive_an_edit(topics: list[Topic]) -> None:
    quotes = {judgment["quote"] for _, judgment in judgments(topics) if "quote" in judgment}
    assert {quote for quote in quotes if len(quote) < 25} == set()


def test_every_judged_section_is_one_heading_of_its_page(topics: list[Topic], documents: dict[str, Document]) -> None:
    wrong = []
    for topic, judgment in judgments(topics):
        if "section" in judgment:
            anchors = [section.anchor for section in documents[judgment["url"]].sections]
            if anchors.count(judgment["section"]) != 1:
                wrong.append((topic["id"], judgment["url"], judgment["section"]))
    assert wrong == []


# --- a search ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a search gave for a topic: P@5, and 1 / rank of the first hit with the highest label of any hit."""

    topic: Topic
    precision: float
    reciprocal_rank: float


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assay]:
    """The handbook, live."""
    source = SourceSettings(path=EXAMPLES / "handbook", base_url=BASE_URL)
    settings = Settings(data_dir=tmp_path_factory.mktemp("handbook"), sources=(source,))
    with Assay.open(settings) as assay:
        assert assay.publish().promoted is not None
        yield assay


@pytest.fixture(scope="module")
def outcomes(topics: list[Topic], documents: dict[str, Document], published: Assay) -> list[Outcome]:
    return [outcome(topic, published.search(Query(topic["text"], 5)).hits, documents) for topic in topics]


def test_the_handbook_passes_the_default_limits_under_hybrid_search(outcomes: list[Outcome]) -> None:
    reached = [outcome for outcome in outcomes if outcome.precision >= 0.8]
    assert len(reached) >= 0.85 * len(outcomes)
    assert sum(outcome.reciprocal_rank for outcome in outcomes) >= 0.70 * len(outcomes)


@pytest.mark.parametrize("kind", ["specific", "broad", "paraphrase"])
def test_each_type_reaches_the_precision_that_its_judgments_allow(outcomes: list[Outcome], kind: str) -> None:
    precisions = [outcome.precision for outcome in outcomes if outcome.topic["type"] == kind]
    assert sum(precision >= 0.8 for precision in precisions) >= 0.8 * len(precisions)


def test_a_model_reads_the_right_section_by_two_calls_of_mcp_within_4000_tokens(
    topics: list[Topic], documents: dict[str, Document], published: Assay
) -> None:
    missed = []
    for topic in [topic for topic in topics if topic.get("expect") != "no_answer"][:20]:
        found = TOOLS["search_docs"].call(published, {"query": topic["text"], "max_tokens": 2_000})
        results: Any = found.structured["results"]
        read = TOOLS["read_page"].call(published, {"url": results[0]["url"], "max_tokens": 2_000})
        assert sum(count_tokens([found.text, read.text])) <= 4_000
        best = [judgment for judgment in topic["judgments"] if judgment["label"] == 2]
        spans = [passage(judgment, documents[judgment["url"]]) for judgment in best]
        texts = [documents[judgment["url"]].text[slice(*span)] for judgment, span in zip(best, spans, strict=True)]
        if not any(text in found.text or text in read.text for text in texts):
            missed.append(topic["id"])
    assert missed == []


def judgments(topics: list[Topic]) -> Iterator[tuple[Topic, dict[str, Any]]]:
    """Every judgment with its topic."""
    for topic in topics:
        for judgment in topic.get("judgments", []):
            yield topic, judgment


def outcome(topic: Topic, hits: tuple[Hit, ...], documents: dict[str, Document]) -> Outcome:
    labels = [label_of(hit, topic, documents) for hit in hits]
    best = max(labels, default=0)
    return Outcome(topic, sum(label >= 1 for label in labels) / 5, 1 / (1 + labels.index(best)) if best else 0.0)


def label_of(hit: Hit, topic: Topic, documents: dict[str, Document]) -> int:
    """The highest label of a passage that a hit holds half of, or that holds half of the hit; 0 for none."""
    labels = [0]
    for judgment in topic.get("judgments", []):
        if judgment["url"] == hit.chunk.document.url:
            start, end = passage(judgment, documents[judgment["url"]])
            shared = min(end, hit.chunk.end) - max(start, hit.chunk.start)
            if shared > 0 and 2 * shared >= min(end - start, hit.chunk.end - hit.chunk.start):
                labels.append(judgment["label"])
    return max(labels)


def passage(judgment: dict[str, Any], document: Document) -> tuple[int, int]:
    """The span that a judgment points at."""
    if "quote" in judgment:
        start = document.text.index(judgment["quote"])
        return start, start + len(judgment["quote"])
    section = next(section for section in document.sections if section.anchor == judgment["section"])
    return section.start, section.end
