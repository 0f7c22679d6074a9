"""The built-in embedder: WordLlama's static word vectors, read from its wheel; no key, no download, no network.

A text's vector is the mean of its tokens' vectors, scaled to length 1. WordLlama's code is not imported, because it
configures logging for the whole program and downloads its tokenizer. Only its two files are used.
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assay.errors import ConfigurationError, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.ports import Batching, TextEmbedder, TokenCounter, Vector, Vectors

_MODEL = "wordllama-l2-supercat-256"
_DIMENSION = 256
_POOLING = "mean-1"
"""Version of the pooling; changes whenever a text would get another vector."""

_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")

_PIECE = re.compile(r"[ ▁]*[^ ▁\n]+|[ ▁]+|\n")
_SPECIAL = re.compile(r"</?s>|<unk>")
_CACHED_PIECES = 65_536
_LONGEST_CACHED_PIECE = 48
_CACHED_TEXTS = 4_096
_LONGEST_CACHED_TEXT = 8_192
_ROWS = 4_096

_Ids = bytes
"""Token ids of a text as little-endian unsigned 16-bit numbers: the vocabulary has 32,000 entries."""


class StaticEmbedder:
    """WordLlama's 256-dimension static vectors. Safe to use from several threads.

    Its files are read on first use, once per process.

    Raises ConfigurationError if the files of the wordllama package are missing.
    """

    max_tokens: int | None = None

    tokenizer = "wordllama-l2-supercat"
    """Name of the tokenizer that count_tokens uses."""

    batching = Batching(texts=512, calls=1, costly=False)

    def __init__(self) -> None:
        self._folder, release = _package()
        self.identity = EmbedderIdentity(
            provider="static", model=_MODEL, dimension=_DIMENSION, revision=f"wordllama {release}, {_POOLING}"
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text; 0 for an empty one. Raises InvalidEmbedding for invalid Unicode."""
        return _tokenizer(self._folder).count(texts)

    @property
    def token_counter(self) -> TokenCounter:
        """A function that loads the tokenizer, without the vectors, on its first call in a process."""
        return count_tokens

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed documents. Returns float32 of shape (len(texts), dimension), each row of length 1."""
        return _embed(texts, self._folder)

    @property
    def local_embedder(self) -> TextEmbedder:
        """A function that loads the vectors on its first call in a process."""
        return embed_documents

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""
        # A query has few tokens: a server that only searches keeps no table in its memory.
        return _pool(text, _tokenizer(self._folder).encode([text])[0], _stored_table(self._folder))

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Do nothing."""

    def interrupt(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class _PieceTokenizer:
    """The Llama tokenizer with a cache by word.

    No entry of its vocabulary has a space after another character, and none has a line break. So no merge crosses
    these, and the tokens of a text are those of its pieces; a test checks this on real text.
    """

    def __init__(self, definition: str) -> None:
        self._whole = Tokenizer.from_str(definition)
        self._whole.no_padding()
        self._whole.no_truncation()
        self._pieces: dict[str, _Ids] = {}
        self._cached: dict[str, _Ids] = {}

    def encode(self, texts: Sequence[str]) -> list[_Ids]:
        """Token ids of each text. Recent texts are cached, because most are counted and then embedded."""
        encoded = []
        for text in texts:
            ids = self._cached.get(text)
            if ids is None:
                ids = self._encode(text)
                if len(text) <= _LONGEST_CACHED_TEXT:
                    _cache_ids(self._cached, text, ids, _CACHED_TEXTS)
            encoded.append(ids)
        return encoded

    def count(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        return [len(ids) // 2 for ids in self.encode(texts)]

    def _encode(self, text: str) -> _Ids:
        if not text:
            return b""
        try:
            if _SPECIAL.search(text):  # the tokenizer splits at special tokens first
                return _to_bytes(self._whole.encode(text.encode().decode(), add_special_tokens=False).ids)
            pieces = _PIECE.findall(" " + text)
            cached = self._pieces
            try:
                return b"".join([cached[piece] for piece in pieces])
            except KeyError:
                return b"".join([cached.get(piece) or self._encode_piece(piece) for piece in pieces])
        except UnicodeEncodeError as error:
            raise InvalidEmbedding(
                f"The text {text[:80]!r} contains an unpaired surrogate at {error.start} and cannot be embedded.",
                hint="Save the page as UTF-8.",
            ) from None

    def _encode_piece(self, piece: str) -> _Ids:
        # The bare model is faster than `encode`, and starts no threads, which are unsafe with fork.
        ids = _to_bytes([token.id for token in self._whole.model.tokenize(piece.replace(" ", "▁"))])
        if len(piece) <= _LONGEST_CACHED_PIECE:
            _cache_ids(self._pieces, piece, ids, _CACHED_PIECES)
        return ids


def _embed(texts: Sequence[str], folder: Path) -> Vectors:
    vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
    table = _table(folder)
    encoded = _tokenizer(folder).encode(texts)
    rows = np.empty((min(max(map(len, encoded), default=0) // 2, _ROWS), _DIMENSION), dtype=np.float32)
    for row, (text, ids) in enumerate(zip(texts, encoded, strict=True)):
        vectors[row] = _pool(text, ids, table, rows)
    return vectors


def _pool(text: str, encoded: _Ids, table: NDArray[np.floating], rows: NDArray[np.float32] | None = None) -> Vector:
    """Sum the tokens' vectors in the order of the text, so that the result does not depend on the batch.

    table: of shape (vocabulary, dimension).
    rows: space for the vectors of a float32 table: one for each token, or _ROWS. To allocate it for each text takes as
        long as to fill it.
    """
    if not text.strip():
        raise InvalidEmbedding(f"The text {text!r} is blank and has no embedding.", hint="Leave blank texts out.")
    ids = np.frombuffer(encoded, dtype="<u2")
    total = np.zeros(_DIMENSION, dtype=np.float32)
    for start in range(0, len(ids), _ROWS):
        some = ids[start : start + _ROWS]
        if rows is None:
            taken = table.take(some, axis=0).astype(np.float32, copy=False)
        else:
            taken = table.take(some, axis=0, out=rows[: len(some)], mode="clip")  # other modes copy `out`
        total += np.add.reduce(taken, axis=0)
    length = math.sqrt(float(np.dot(total, total)))
    if not (math.isfinite(length) and length > 0.0):
        raise InvalidEmbedding(f"The text {text[:80]!r} has a vector of length {length}.")
    return total / np.float32(length)


@cache
def _tokenizer(folder: Path) -> _PieceTokenizer:
    """The tokenizer of this process."""
    return _PieceTokenizer((folder / _TOKENIZER).read_text(encoding="utf-8"))


@cache
def _table(folder: Path) -> NDArray[np.float32]:
    """The token vectors of this process, read-only: (vocabulary, dimension)."""
    table = np.asarray(_stored_table(folder)).astype(np.float32)  # a memmap costs time in each operation
    table.flags.writeable = False
    return table


@cache
def _stored_table(folder: Path) -> NDArray[np.float16]:
    """The token vectors as they are in the package's file, mapped: (vocabulary, dimension)."""
    return _map_table(folder / _WEIGHTS)


def is_common_word(word: str) -> bool:
    """Whether a word in lower case is one token of the built-in model, as some ten thousand frequent words are."""
    return count_tokens([word]) == [1]


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Number of Llama tokens of each text, without loading the vectors. Raises InvalidEmbedding for invalid Unicode."""
    return _tokenizer(_package_folder()).count(texts)


def embed_documents(texts: Sequence[str]) -> Vectors:
    """As StaticEmbedder.embed_documents."""
    return _embed(texts, _package_folder())


def _cache_ids(memory: dict[str, _Ids], key: str, ids: _Ids, capacity: int) -> None:
    """Cache ids; a full cache is cleared, which is cheaper than LRU bookkeeping."""
    if len(memory) >= capacity:
        memory.clear()
    memory[key] = ids


def _to_bytes(ids: Sequence[int]) -> _Ids:
    return np.array(ids, dtype="<u2").tobytes()


def _package() -> tuple[Path, str]:
    """Folder and version of the installed wordllama, found without importing it."""
    spec = find_spec("wordllama")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    try:
        release = version("wordllama")
    except PackageNotFoundError:
        folders = []
    for folder in map(Path, folders):
        if (folder / _WEIGHTS).is_file() and (folder / _TOKENIZER).is_file():
            return folder, release
    raise ConfigurationError(
        f"The model {_MODEL} is missing: the wordllama package is missing or incomplete.",
        hint="Install it: pip install 'wordllama==0.4.*'.",
    )


@cache
def _package_folder() -> Path:
    """The folder of the installed wordllama, which takes half a millisecond to find."""
    return _package()[0]


def _map_table(path: Path) -> NDArray[np.float16]:
    """Map the one tensor of a safetensors file: length of a JSON header, the header, then the numbers."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    header_length = int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8 : 8 + header_length].tobytes())
    tensor = header["embedding.weight"]
    if tensor["dtype"] != "F16" or tensor["shape"][1] != _DIMENSION or tensor["shape"][0] > 2**16:
        raise ConfigurationError(
            f"{path.name} has {tensor['dtype']} of shape {tensor['shape']}, which is not {_MODEL}.",
            hint="Install the supported version: pip install 'wordllama==0.4.*'.",
        )
    start, end = (8 + header_length + offset for offset in tensor["data_offsets"])
    return raw[start:end].view("<f2").reshape(tensor["shape"])
