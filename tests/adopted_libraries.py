"""Collections of the example handbook, made by LangChain, LlamaIndex and Haystack as their users make them.

Each library is imported by the function that uses it, so that tests of one run without the others.
"""
# ruff: noqa: ANN401 - what each library gives and takes

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from assay.adapters.stores.bm25 import Bm25Encoder
from assay.app import shipped_folder
from tests.adopted import BASE_URL, embedder, vectors
from tests.peers.qdrant import QdrantPeer

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # read when it is imported

NAME = "docs"
_FRONT_MATTER = re.compile(r"---\ntitle: (?P<title>.+?)\n.*?\n---\n+(?P<text>.+)", re.DOTALL)

Found = list[tuple[str, float]]


@dataclass(frozen=True)
class Page:
    """A page of the handbook, its Markdown without the front matter."""

    url: str
    title: str
    text: str


@dataclass(frozen=True)
class Library:
    """What makes a collection and searches it.

    preset: what its payload is called.
    packages: modules that it needs.
    missing: fields that it stores for no point.
    make: fills the collection NAME with every page, cut into passages.
    find: the library's own search: passages and cosines, best first.
    """

    preset: str
    packages: tuple[str, ...]
    missing: frozenset[str]
    make: Callable[[QdrantPeer], Any]
    find: Callable[[Any, str, int], Found]

    def __str__(self) -> str:
        return self.preset


@cache
def pages() -> tuple[Page, ...]:
    """Every second page of the handbook that has a title."""
    folder = shipped_folder("examples") / "handbook" / "docs"
    found = []
    for path in sorted(folder.rglob("*.md")):
        if (match := _FRONT_MATTER.match(path.read_text(encoding="utf-8"))) is not None:
            address = path.relative_to(folder).with_suffix("").as_posix()
            found.append(Page(f"{BASE_URL}/{address}", match["title"], match["text"]))
    return tuple(found[1::2])


# --- LangChain -----------------------------------------------------------------------------------------------------


def _langchain_embeddings() -> Any:
    from langchain_core.embeddings import Embeddings

    class Words(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return vectors(texts)

        def embed_query(self, text: str) -> list[float]:
            query: list[float] = embedder().embed_query(text).tolist()
            return query

    return Words()


def _langchain_documents() -> list[Any]:
    """By headings, then by length: each passage with its headings in the metadata."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    headings = MarkdownHeaderTextSplitter([("##", "Header 2"), ("###", "Header 3")])
    lengths = RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=50)
    documents = []
    for page in pages():
        parts = headings.split_text(page.text)
        for part in parts:
            part.metadata |= {"source": page.url, "title": page.title}
        documents += lengths.split_documents(parts)
    return documents


def make_langchain(peer: QdrantPeer, **options: Any) -> Any:
    from langchain_qdrant import QdrantVectorStore

    return QdrantVectorStore.from_documents(
        _langchain_documents(), _langchain_embeddings(), url=peer.url, collection_name=NAME, **options
    )


def make_langchain_hybrid(peer: QdrantPeer, **options: Any) -> Any:
    """With BM25 beside it, as `RetrievalMode.HYBRID` asks for."""
    from langchain_qdrant import RetrievalMode, SparseEmbeddings, SparseVector

    class Keywords(SparseEmbeddings):
        def __init__(self) -> None:
            self._encoder = Bm25Encoder("english")

        def embed_documents(self, texts: list[str]) -> list[SparseVector]:
            made = self._encoder.weigh(self._encoder.term_counts(texts), 256.0)
            return [SparseVector(indices=list(one.indices), values=list(one.values)) for one in made]

        def embed_query(self, text: str) -> SparseVector:
            made = self._encoder.encode_query(text)
            return SparseVector(indices=list(made.indices), values=list(made.values))

    return make_langchain(peer, sparse_embedding=Keywords(), retrieval_mode=RetrievalMode.HYBRID, **options)


def _find_langchain(store: Any, query: str, count: int) -> Found:
    return [(found.page_content, score) for found, score in store.similarity_search_with_score(query, k=count)]


# --- LlamaIndex ----------------------------------------------------------------------------------------------------


def _llamaindex_embedding() -> Any:
    from llama_index.core.embeddings import BaseEmbedding

    class Words(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return vectors([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            found: list[float] = embedder().embed_query(query).tolist()
            return found

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return Words()


def make_llamaindex(peer: QdrantPeer, **options: Any) -> Any:
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    client = QdrantClient(url=peer.url, check_compatibility=False)
    store = QdrantVectorStore(NAME, client=client, **options)
    return VectorStoreIndex.from_documents(
        [Document(text=page.text, metadata={"url": page.url, "title": page.title}) for page in pages()],
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=_llamaindex_embedding(),
        transformations=[SentenceSplitter(chunk_size=160, chunk_overlap=20)],
    )


def make_llamaindex_from_files(peer: QdrantPeer) -> Any:
    """As its first tutorial does: a folder, and every default; the metadata is what the reader of files knows."""
    from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    folder = shipped_folder("examples") / "handbook" / "docs"
    store = QdrantVectorStore(NAME, client=QdrantClient(url=peer.url, check_compatibility=False))
    return VectorStoreIndex.from_documents(
        SimpleDirectoryReader(str(folder), recursive=True, required_exts=[".md"]).load_data(),
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=_llamaindex_embedding(),
    )


def _find_llamaindex(index: Any, query: str, count: int) -> Found:
    return [(found.node.text, found.score) for found in index.as_retriever(similarity_top_k=count).retrieve(query)]


# --- Haystack ------------------------------------------------------------------------------------------------------


def make_haystack(peer: QdrantPeer, **options: Any) -> Any:
    from haystack import Document
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.writers import DocumentWriter
    from haystack_integrations.document_stores.qdrant import QdrantDocumentStore

    options = {"url": peer.url, "index": NAME, "embedding_dim": 256, "progress_bar": False} | options
    store = QdrantDocumentStore(**options)
    documents = [Document(content=page.text, meta={"url": page.url, "title": page.title}) for page in pages()]
    splitter = DocumentSplitter(split_by="word", split_length=90, split_overlap=10)
    cut: Sequence[Any] = splitter.run(documents=documents)["documents"]
    made = vectors([document.content for document in cut])
    embedded = [replace(document, embedding=vector) for document, vector in zip(cut, made, strict=True)]
    DocumentWriter(store).run(documents=embedded)
    return store


def _find_haystack(store: Any, query: str, count: int) -> Found:
    from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever

    retriever = QdrantEmbeddingRetriever(document_store=store, top_k=count, scale_score=False)
    found = retriever.run(query_embedding=embedder().embed_query(query).tolist())["documents"]
    return [(document.content, document.score) for document in found]


LIBRARIES = (
    Library(
        "langchain",
        ("langchain_qdrant", "langchain_text_splitters"),
        frozenset({"chunk_id", "position", "source_path", "slug", "document_id", "created_at", "content_hash"}),
        make_langchain,
        _find_langchain,
    ),
    Library(
        "llamaindex",
        ("llama_index.vector_stores.qdrant",),
        frozenset({"chunk_id", "position", "section", "source_path", "slug", "created_at", "content_hash"}),
        make_llamaindex,
        _find_llamaindex,
    ),
    Library(
        "haystack",
        ("haystack_integrations.document_stores.qdrant",),
        frozenset({"section", "source_path", "slug", "created_at", "content_hash"}),
        make_haystack,
        _find_haystack,
    ),
)
