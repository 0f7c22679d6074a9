"""fastembed's adapter over a tiny ONNX model that is made here, for nothing can be downloaded in a test.

It runs where fastembed and onnx are installed: `pip install '.[fastembed]' onnx`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.adapters.embedders.fastembed import FastEmbedEmbedder
from assay.errors import ConfigurationError, InvalidEmbedding
from assay.testing import EmbedderConformance
from assay.testing.embedder import TEXTS

NAME = "assay/tiny"
DIMENSION = 32
MOST_TOKENS = 256


def _write_model(folder: Path) -> None:
    """A table of word vectors, as an ONNX model with a WordPiece tokenizer."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = {
        word.lower() for text in (*TEXTS, "one more robot battery word") for word in text.split() if word.isalpha()
    }
    letters = sorted(set("".join(TEXTS).lower()) | set("abcdefghijklmnopqrstuvwxyz0123456789"))
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), *sorted(words)]
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": MOST_TOKENS, **special}))
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))

    table = np.random.default_rng(0).standard_normal((len(vocabulary), DIMENSION)).astype(np.float32)
    table[:4] *= 0.01
    helper, kinds = onnx.helper, onnx.TensorProto
    inputs = [
        helper.make_tensor_value_info(name, kinds.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["batch", "tokens", DIMENSION])
    gather = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([gather], "tiny", inputs, [output], [onnx.numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fastembed = pytest.importorskip("fastembed", reason="fastembed is not installed: pip install '.[fastembed]'")
    from fastembed.common.model_description import ModelSource, PoolingType

    path = tmp_path_factory.mktemp("tiny")
    _write_model(path)
    fastembed.TextEmbedding.add_custom_model(
        NAME, PoolingType.MEAN, normalization=True, sources=ModelSource(hf=NAME), dim=DIMENSION, model_file="model.onnx"
    )
    return path


@pytest.fixture
def embedder(folder: Path) -> FastEmbedEmbedder:
    return FastEmbedEmbedder(NAME, folder)


class TestFastEmbedEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self, folder: Path) -> FastEmbedEmbedder:
        return FastEmbedEmbedder(NAME, folder)


def test_its_identity_names_the_model_and_the_release(embedder: FastEmbedEmbedder) -> None:
    assert (embedder.identity.provider, embedder.identity.model) == ("fastembed", NAME)
    assert embedder.identity.dimension == DIMENSION
    assert embedder.identity.revision.startswith("fastembed ")


def test_the_limit_is_the_models_own(embedder: FastEmbedEmbedder) -> None:
    assert embedder.max_tokens == MOST_TOKENS
    assert embedder.count_tokens(["robot robot"]) == [4]


def test_a_text_that_fastembed_would_cut_is_refused(embedder: FastEmbedEmbedder) -> None:
    fits = "robot " * (MOST_TOKENS - 2)
    assert embedder.embed_documents([fits]).shape == (1, DIMENSION)
    with pytest.raises(InvalidEmbedding, match="257 tokens"):
        embedder.embed_documents([fits + "robot"])


def test_a_model_that_is_not_known_is_named(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot load nobody/nothing"):
        FastEmbedEmbedder("nobody/nothing", None)


def test_without_fastembed_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ConfigurationError, match=r"pip install '\.\[fastembed\]'"):
        FastEmbedEmbedder(NAME, None)
