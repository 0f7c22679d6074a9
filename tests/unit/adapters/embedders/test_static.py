"""The built-in embedder: WordLlama's vectors without WordLlama's code."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.embedders import static
from assay.adapters.embedders.static import StaticEmbedder
from assay.errors import ConfigurationError, InvalidEmbedding

ODD = (
    "plain words",
    "  leading,  double   and trailing blanks  ",
    "lines\nand\n\n\nempty lines\n",
    "\ttabs\tand\r\nreturns",
    "▁already▁marked ▁ text",
    "a</s>b <s>c</s> <unk> </unk>",
    "<s>",
    "日本語 と 中文 と ไทย",
    "emoji 🤖🦾 and é (two code points)",
    "x" * 5_000,
    "```js\nconst s = createSlice({\n    name: 'a',\n});\n```",
    "\x00\x01 control \u200b signs",
)

ORIGINAL = """
import json, pathlib, sys
import numpy as np
import wordllama
folder = pathlib.Path(wordllama.__file__).parent
model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
texts = json.load(open(sys.argv[1], encoding="utf-8"))
np.save(sys.argv[2], model.embed(texts, norm=True))
np.save(sys.argv[3], np.array([sum(encoded.attention_mask) for encoded in model.tokenize(texts)]))
"""


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str]], tuple[np.ndarray, np.ndarray]]:
    """WordLlama's own vectors and token counts, in a process of its own: importing it sets up logging for everyone."""
    folder = tmp_path_factory.mktemp("wordllama")

    def ask(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        paths = [str(folder / name) for name in ("texts.json", "vectors.npy", "counts.npy")]
        subprocess.run([sys.executable, "-c", ORIGINAL, *paths], check=True, capture_output=True)
        return np.load(paths[1]), np.load(paths[2])

    return ask


def test_odd_texts_have_the_vectors_and_counts_of_wordllama(
    embedder: StaticEmbedder, original: Callable[[list[str]], tuple[np.ndarray, np.ndarray]]
) -> None:
    vectors, counts = original(list(ODD))
    np.testing.assert_allclose(embedder.embed_documents(ODD), vectors, atol=1e-6)
    assert embedder.count_tokens(ODD) == counts.tolist()


def test_real_pages_have_the_vectors_and_counts_of_wordllama(
    embedder: StaticEmbedder, original: Callable[[list[str]], tuple[np.ndarray, np.ndarray]], shared: Path
) -> None:
    pages = sorted((shared / "corpora").rglob("*.md*"))[::25]
    texts = [text[start : start + 1_500] for text in map(Path.read_text, pages) for start in range(0, len(text), 1_500)]
    texts = [text for text in texts if text.strip()][:1_500]
    assert len(texts) > 500
    vectors, counts = original(texts)
    np.testing.assert_allclose(embedder.embed_documents(texts), vectors, atol=1e-6)
    assert embedder.count_tokens(texts) == counts.tolist()


@given(text=st.text(alphabet=st.sampled_from("ab é▁ \n\t.<s>/中ไ0"), max_size=60))
def test_the_tokens_of_a_text_are_those_of_the_whole_tokenizer(embedder: StaticEmbedder, text: str) -> None:
    tokens = static._tokenizer(embedder._folder)
    whole = tokens._whole.encode(text, add_special_tokens=False).ids
    assert np.frombuffer(tokens._encode(text), "<u2").tolist() == whole


def test_importing_and_using_it_loads_no_download_client_and_sets_up_no_logging() -> None:
    code = """
import logging, sys
from assay.adapters.embedders.static import StaticEmbedder
StaticEmbedder().embed_query("quiet please")
assert not logging.getLogger().handlers, logging.getLogger().handlers
print(sorted({"wordllama", "requests", "urllib3", "safetensors"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"
    assert run.stderr == ""


def test_a_forked_child_embeds_without_a_warning() -> None:
    code = """
import os, sys
from assay.adapters.embedders.static import StaticEmbedder
embedder = StaticEmbedder()
before = embedder.embed_documents(["some words here", "and there"])
child = os.fork()
same = (embedder.embed_documents(["some words here", "and there"]) == before).all()
embedder.embed_query("words that are new to both")
if child == 0:
    os._exit(0 if same else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


def test_what_is_remembered_changes_nothing(embedder: StaticEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text number {number} about wheels and {number * 7}" for number in range(50)]
    expected, counts = embedder.embed_documents(texts), embedder.count_tokens(texts)
    monkeypatch.setattr(static, "_CACHED_PIECES", 3)
    monkeypatch.setattr(static, "_CACHED_TEXTS", 2)
    monkeypatch.setattr(static, "_LONGEST_CACHED_PIECE", 4)
    monkeypatch.setattr(static, "_ROWS", 10_000)
    tokenizer = static._tokenizer(embedder._folder)
    monkeypatch.setattr(tokenizer, "_pieces", {})
    monkeypatch.setattr(tokenizer, "_cached", {})
    for _ in range(2):
        np.testing.assert_array_equal(embedder.embed_documents(texts), expected)
        assert embedder.count_tokens(texts) == counts
    assert len(tokenizer._pieces) <= 3
    assert len(tokenizer._cached) <= 2


def test_its_identity_names_the_weights_and_the_pooling(embedder: StaticEmbedder) -> None:
    identity = embedder.identity
    assert (identity.provider, identity.model, identity.dimension) == ("static", "wordllama-l2-supercat-256", 256)
    assert identity.revision.startswith("wordllama 0.4")
    assert embedder.max_tokens is None


@pytest.mark.parametrize("text", ["\ud800", "half \udfff of a pair", "<s>\ud800"], ids=ascii)
def test_what_is_not_unicode_is_refused_and_says_where(embedder: StaticEmbedder, text: str) -> None:
    for use in (
        embedder.embed_query,
        lambda t: embedder.embed_documents(["good", t]),
        lambda t: embedder.count_tokens([t]),
    ):
        with pytest.raises(InvalidEmbedding, match="unpaired surrogate"):
            use(text)


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match="missing or incomplete") as missing:
        StaticEmbedder()
    assert "pip install" in missing.value.hint


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    header = json.dumps({"embedding.weight": {"dtype": "F32", "shape": [2, 256], "data_offsets": [0, 2048]}}).encode()
    path = tmp_path / "weights.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(2048))
    with pytest.raises(ConfigurationError, match="F32"):
        static._map_table(path)
