"""The labelled collections are read as they were published. They are beside the project, not in it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.labelled_collections import LabelledCollection, anthropic_docs, chunking_evaluation, xquad_en


@pytest.mark.parametrize(
    ("load", "documents", "topics", "labels"),
    [(anthropic_docs, 232, 100, 192), (xquad_en, 240, 1190, 1190), (chunking_evaluation, 5, 472, 790)],
)
def test_a_collection_has_all_its_documents_topics_and_labels(
    shared: Path, load: Callable[[Path], LabelledCollection], documents: int, topics: int, labels: int
) -> None:
    collection = load(shared)
    assert len({document.info.url for document in collection.documents}) == documents
    assert len({topic.id for topic in collection.topics}) == topics
    assert sum(len(topic.relevant) for topic in collection.topics) == labels


@pytest.mark.parametrize("load", [anthropic_docs, xquad_en, chunking_evaluation])
def test_every_label_lies_within_a_document_and_every_visible_character_within_a_block(
    shared: Path, load: Callable[[Path], LabelledCollection]
) -> None:
    collection = load(shared)
    texts = {document.info.url: document.text for document in collection.documents}
    for topic in collection.topics:
        assert topic.relevant
        assert all(0 <= one.start < one.end <= len(texts[one.url]) for one in topic.relevant)
    for document in collection.documents:
        borders = [0, *(edge for block in document.blocks for edge in (block.start, block.end)), len(document.text)]
        assert borders == sorted(borders)
        outside = "".join(document.text[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True))
        assert not outside.strip()
