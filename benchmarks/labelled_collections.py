"""The labelled collections as documents with topics, for the quality benchmark.

They are read from the shared folder, which is not part of the project.
"""

import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.model.documents import Block, BlockKind, Document, DocumentInfo, Section
from assay.model.ids import canonical_url, document_id

_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    """A labelled span of a document's text, in characters."""

    url: str
    start: int
    end: int

    def overlaps(self, url: str, start: int, end: int) -> bool:
        """Whether it overlaps a span of a document."""
        return self.url == url and self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class LabelledTopic:
    """A question and its equally relevant passages."""

    id: str
    text: str
    relevant: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class LabelledCollection:
    """Documents with topics.

    by_document: whether whole documents are labelled and ranked; otherwise a chunk is relevant if it overlaps a
        labelled span.
    """

    name: str
    documents: tuple[Document, ...]
    topics: tuple[LabelledTopic, ...]
    by_document: bool


def anthropic_docs(shared: Path) -> LabelledCollection:
    """232 sections of a documentation site, one document each, and 100 questions about them."""
    folder = shared / "collections" / "anthropic-docs"
    sections = json.loads(_text(folder / "anthropic_docs.json"))
    documents = {
        link: as_document(link.replace("#", "/"), section["chunk_heading"], section["text"])
        for section in sections
        for link in [section["chunk_link"]]
    }
    topics = [
        LabelledTopic(item["id"], item["question"], tuple(_whole(documents[link]) for link in item["correct_chunks"]))
        for item in json.loads(_text(folder / "docs_evaluation_dataset.json"))
    ]
    return LabelledCollection("anthropic-docs", tuple(documents.values()), tuple(topics), by_document=True)


def xquad_en(shared: Path) -> LabelledCollection:
    """240 paragraphs of encyclopedia articles, one document each, and 1,190 questions about them."""
    documents: list[Document] = []
    topics: list[LabelledTopic] = []
    for article in json.loads(_text(shared / "collections" / "xquad-en" / "xquad.en.json"))["data"]:
        for paragraph in article["paragraphs"]:
            document = as_document(f"https://xquad.invalid/{len(documents)}", "", paragraph["context"])
            documents.append(document)
            topics.extend(LabelledTopic(qa["id"], qa["question"], (_whole(document),)) for qa in paragraph["qas"])
    return LabelledCollection("xquad-en", tuple(documents), tuple(topics), by_document=True)


def chunking_evaluation(shared: Path) -> LabelledCollection:
    """Five long texts and 472 questions whose answers are labelled as spans."""
    folder = shared / "collections" / "chunking-evaluation"
    documents = {
        path.stem: as_document(f"https://chunking-evaluation.invalid/{path.stem}", "", _text(path))
        for path in sorted((folder / "corpora").glob("*.md"))
    }
    csv.field_size_limit(sys.maxsize)
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as rows:
        topics = [
            LabelledTopic(str(number), row["question"], tuple(_spans(documents[row["corpus_id"]], row["references"])))
            for number, row in enumerate(csv.DictReader(rows))
        ]
    return LabelledCollection("chunking-evaluation", tuple(documents.values()), tuple(topics), by_document=False)


def as_document(url: str, title: str, text: str) -> Document:
    """A document of plain text: one section, and a block for each paragraph."""
    url = canonical_url(url)
    blocks = [Block(BlockKind.TEXT, *match.span(), *match.span()) for match in _PARAGRAPH.finditer(text)]
    return Document(
        info=DocumentInfo(
            id=document_id(url),
            url=url,
            title=title,
            source="benchmark",
            source_path=url,
            slug=url.rsplit("/", 1)[-1][:100],
            source_type="text",
        ),
        text=text,
        sections=(Section(0, "", None, (), 0, len(text)),),
        blocks=tuple(blocks),
    )


def _whole(document: Document) -> Passage:
    return Passage(document.info.url, 0, len(document.text))


def _spans(document: Document, references: str) -> Iterator[Passage]:
    """The labelled spans of one question, each checked against its quote."""
    for reference in json.loads(references):
        start, end = reference["start_index"], reference["end_index"]
        if document.text[start:end] != reference["content"]:
            raise ValueError(f"{document.info.url}: characters {start} to {end} are not the labelled text.")
        yield Passage(document.info.url, start, end)


def _text(path: Path) -> str:
    """Read a text with unchanged line ends, because the labels count characters."""
    return path.read_bytes().decode("utf-8")
