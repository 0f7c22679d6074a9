"""The conformance kits for embedders and for BM25 encoders.

class TestMyEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self):
        return MyEmbedder(...)
"""
# ruff: noqa: D102 - the name of a test is a sentence

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from assay.errors import InvalidEmbedding
from assay.ports import Embedder, Names, SparseEncoder, SparseVector

TEXTS = (
    "How robots publish and subscribe to topics",
    "A service answers one request with one reply.",
    "Charge the battery before the first flight",
    "wheel",
    "ロボットはトピックに接続する",
    "Roboter fahren über Brücken — naïve façade, 42 %",
    "```python\nnode = create_node('talker')\n```",
)
BLANK = ("", " ", "\n\t ")


class EmbedderConformance:
    """Tests of assay.ports.Embedder. Subclass it with a fixture `embedder`."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder; it may be shared by the tests."""
        raise NotImplementedError("override the fixture `embedder`")

    # --- identity ---

    def test_its_identity_is_the_same_every_time(self, embedder: Embedder) -> None:
        assert embedder.identity == embedder.identity
        assert embedder.identity.provider
        assert embedder.identity.model
        assert embedder.identity.dimension > 0

    def test_its_tokenizer_has_a_name_and_its_limit_is_a_number_of_tokens(self, embedder: Embedder) -> None:
        assert embedder.tokenizer
        assert embedder.max_tokens is None or embedder.max_tokens > 0

    # --- counting ---

    def test_tokens_are_counted_for_each_text_in_order(self, embedder: Embedder) -> None:
        assert embedder.count_tokens(TEXTS) == [embedder.count_tokens([text])[0] for text in TEXTS]
        assert all(count > 0 for count in embedder.count_tokens(TEXTS))

    def test_no_texts_have_no_counts(self, embedder: Embedder) -> None:
        assert embedder.count_tokens([]) == []

    def test_an_empty_text_has_no_tokens(self, embedder: Embedder) -> None:
        assert embedder.count_tokens([""]) == [0]

    def test_a_longer_text_has_more_tokens(self, embedder: Embedder) -> None:
        once, thrice = embedder.count_tokens(["one more word", "one more word " * 3])
        assert thrice > once

    def test_a_pickled_token_counter_counts_the_same(self, embedder: Embedder) -> None:
        counter = embedder.token_counter
        if counter is None:
            pytest.skip("the embedder has no token counter for other processes")
        elsewhere = pickle.loads(pickle.dumps(counter))  # noqa: S301 - just made
        assert elsewhere([*TEXTS, ""]) == embedder.count_tokens([*TEXTS, ""])

    # --- embedding ---

    def test_a_pickled_local_embedder_gives_the_same_vectors(self, embedder: Embedder) -> None:
        embed = embedder.local_embedder
        if embed is None:
            pytest.skip("the embedder is not used in other processes")
        elsewhere = pickle.loads(pickle.dumps(embed))  # noqa: S301 - just made
        np.testing.assert_array_equal(elsewhere(TEXTS), embedder.embed_documents(TEXTS))

    def test_documents_become_rows_of_length_one(self, embedder: Embedder) -> None:
        vectors = embedder.embed_documents(TEXTS)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.identity.dimension)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)

    def test_a_query_becomes_a_vector_of_length_one(self, embedder: Embedder) -> None:
        vector = embedder.embed_query(TEXTS[0])
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.identity.dimension,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)

    def test_no_documents_become_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed_documents([]).shape == (0, embedder.identity.dimension)

    def test_a_text_gives_the_same_bits_whatever_else_is_in_the_call(self, embedder: Embedder) -> None:
        together = embedder.embed_documents(TEXTS)
        backwards = embedder.embed_documents(TEXTS[::-1])[::-1]
        separate = np.concatenate([embedder.embed_documents([text]) for text in TEXTS])
        interleaved = embedder.embed_documents([other for text in TEXTS for other in (text, text * 5)])[::2]
        for other in (backwards, separate, interleaved):
            np.testing.assert_array_equal(together, other)

    def test_a_query_gives_the_same_bits_every_time(self, embedder: Embedder) -> None:
        first = embedder.embed_query(TEXTS[1])
        embedder.embed_query(TEXTS[2])
        np.testing.assert_array_equal(first, embedder.embed_query(TEXTS[1]))

    def test_a_prefetched_query_has_the_same_vector(self, embedder: Embedder) -> None:
        vector = embedder.embed_query(TEXTS[2])
        embedder.prefetch_queries([*TEXTS, "", "   "])
        np.testing.assert_array_equal(embedder.embed_query(TEXTS[2]), vector)
        embedder.prefetch_queries([])
        np.testing.assert_array_equal(embedder.embed_query(TEXTS[2]), vector)

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        assert len({row.tobytes() for row in embedder.embed_documents(TEXTS)}) == len(TEXTS)

    def test_a_query_finds_the_document_that_says_the_same(self, embedder: Embedder) -> None:
        documents = embedder.embed_documents(TEXTS)
        nearest = [int(np.argmax(documents @ embedder.embed_query(text))) for text in TEXTS]
        assert nearest == list(range(len(TEXTS)))

    def test_a_query_is_nearer_to_a_document_with_its_words(self, embedder: Embedder) -> None:
        near, far = embedder.embed_documents([TEXTS[2], TEXTS[1]])
        query = embedder.embed_query("charge the battery")
        assert float(near @ query) > float(far @ query)

    @pytest.mark.parametrize("blank", BLANK, ids=repr)
    def test_a_blank_text_is_refused_wherever_it_stands(self, embedder: Embedder, blank: str) -> None:
        with pytest.raises(InvalidEmbedding):
            embedder.embed_documents([TEXTS[0], blank, TEXTS[1]])
        with pytest.raises(InvalidEmbedding):
            embedder.embed_query(blank)

    def test_a_text_of_the_longest_kind_is_taken_whole(self, embedder: Embedder) -> None:
        words = 20_000 if embedder.max_tokens is None else embedder.max_tokens // 4
        text = "robot " * words
        without, ended = embedder.embed_documents([text, text[:-6] + "battery"])
        assert not np.array_equal(without, ended)

    def test_threads_get_what_one_caller_gets(self, embedder: Embedder) -> None:
        texts = [f"{text} {number}" for number in range(10) for text in TEXTS]
        expected = embedder.embed_documents(texts)
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(embedder.embed_query, texts))
        by_documents = embedder.embed_documents(texts)
        np.testing.assert_array_equal(expected, by_documents)
        alone = [embedder.embed_query(text) for text in texts]
        np.testing.assert_array_equal(np.stack(alone), np.stack(found))


class SparseEncoderConformance:
    """Subclass it and give it a fixture `encoder`, in English: it does what assay.ports.SparseEncoder says."""

    @pytest.fixture
    def encoder(self) -> SparseEncoder:
        """The encoder; it may be shared by the tests."""
        raise NotImplementedError("override the fixture `encoder`")

    def test_terms_are_counted_for_each_text_in_order(self, encoder: SparseEncoder) -> None:
        assert encoder.term_counts(TEXTS) == [encoder.term_counts([text])[0] for text in TEXTS]
        assert encoder.term_counts([]) == []

    def test_term_ids_ascend_and_counts_are_whole(self, encoder: SparseEncoder) -> None:
        for counts in encoder.term_counts([*TEXTS, "wheel " * 7 + "battery " * 1000]):
            assert counts.indices == tuple(sorted(set(counts.indices)))
            assert len(counts.values) == len(counts.indices)
            assert all(value >= 1.0 and value.is_integer() for value in counts.values)

    @pytest.mark.parametrize("times", [1, 2, 3, 10, 999, 20_000])
    def test_a_word_is_counted_as_often_as_it_stands_there(self, encoder: SparseEncoder, times: int) -> None:
        (counts,) = encoder.term_counts(["wheel " * times])
        assert counts.values == (float(times),)

    def test_stop_words_are_no_terms(self, encoder: SparseEncoder) -> None:
        assert encoder.term_counts(["the of and to", ""]) == [SparseVector((), ()), SparseVector((), ())]
        assert encoder.encode_query("what is the") == SparseVector((), ())

    def test_a_query_has_each_term_once_with_weight_one(self, encoder: SparseEncoder) -> None:
        query = encoder.encode_query("wheel battery wheel charge")
        assert set(query.values) == {1.0}
        assert query.indices == tuple(sorted(set(query.indices)))
        assert len(set(query.indices) & set(encoder.term_counts(["wheel battery charge"])[0].indices)) == 3

    def test_a_query_has_the_terms_of_a_page_that_says_and_is_called_the_same(self, encoder: SparseEncoder) -> None:
        for text in TEXTS:
            named = encoder.term_counts([text], [Names(text, ())])[0]
            assert encoder.encode_query(text).indices == named.indices
            assert set(encoder.term_counts([text])[0].indices) < set(named.indices)

    def test_a_name_is_met_by_its_words_alone(self, encoder: SparseEncoder) -> None:
        text = "The wheels of the robot have to be greased once a year"
        plain, titled, headed = encoder.term_counts(
            [text] * 3, [Names("", ()), Names("Greasing the wheels", ()), Names("", ("Greasing the wheels",))]
        )

        def score(query: str, vector: SparseVector) -> float:
            weights = dict(zip(vector.indices, vector.values, strict=True))
            return sum(weights.get(term, 0.0) for term in encoder.encode_query(query).indices)

        assert score("wheel greasing", titled) > score("wheel greasing", headed) > score("wheel greasing", plain)
        for query in ("greasing", "greasing the wheels yearly"):
            assert score(query, titled) == score(query, headed) == score(query, plain)

    @pytest.mark.parametrize(
        ("document", "query"),
        [
            ("Charging the batteries", "charge battery"),
            ("The server answers HTTP 422 for it", "422"),
            ("since React Native 0.77", "0.77"),
            ("Call createSlice() and useEffect(fn)", "createslice useeffect"),
            ("set max_retry_count", "retry count"),
            ("npm install --save-dev typescript", "--save-dev"),
            ("Überprüfung der Brücke", "überprüfung"),
            ("検索エンジンの設定方法", "検索"),
            ("検索エンジンの設定方法", "設定"),
            ("サーバーに接続する", "サーバー"),
            ("中文检索文档系统的安装指南", "安装"),
            ("문서를 검색하는 방법", "검색"),
            ("การติดตั้งโปรแกรมภาษาไทย", "ติดตั้ง"),
        ],
    )
    def test_every_term_of_a_query_is_found_in_a_text_that_holds_it(
        self, encoder: SparseEncoder, document: str, query: str
    ) -> None:
        terms = set(encoder.term_counts([query])[0].indices)
        assert terms
        assert terms <= set(encoder.encode_query(query).indices)
        assert terms <= set(encoder.term_counts([document])[0].indices)

    def test_weights_are_bm25_with_the_parameters_of_the_identity(self, encoder: SparseEncoder) -> None:
        counts = encoder.term_counts(["wheel wheel wheel battery", "charge " * 40 + "wheel"])
        average = 22.0
        identity = encoder.identity(average)
        for counted, weighed in zip(counts, encoder.weigh(counts, average), strict=True):
            length = sum(counted.values)
            norm = identity.k * (1 - identity.b + identity.b * length / average)
            assert weighed.indices == counted.indices
            assert weighed.values == pytest.approx([tf * (identity.k + 1) / (tf + norm) for tf in counted.values])

    def test_a_text_without_terms_has_no_weights(self, encoder: SparseEncoder) -> None:
        assert encoder.weigh([SparseVector((), ())], 10.0) == [SparseVector((), ())]

    @pytest.mark.parametrize("average", [0.0, -1.0, float("nan")])
    def test_an_average_length_has_to_be_positive(self, encoder: SparseEncoder, average: float) -> None:
        with pytest.raises(ValueError, match="average_length"):
            encoder.weigh(encoder.term_counts(["wheel"]), average)

    def test_its_identity_names_the_average_length(self, encoder: SparseEncoder) -> None:
        assert encoder.identity(81.5) == encoder.identity(81.5)
        assert encoder.identity(81.5) != encoder.identity(82.0)
        assert encoder.identity(81.5).average_length == 81.5

    def test_threads_get_what_one_caller_gets(self, encoder: SparseEncoder) -> None:
        texts = [f"{text} {number}" for number in range(40) for text in TEXTS]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(encoder.encode_query, texts)) == [encoder.encode_query(text) for text in texts]
