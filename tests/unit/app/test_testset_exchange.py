"""Labelled queries from and for other tools."""

# ruff: noqa: E501 - a table of cases reads best with each on its line

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.folders import plant
from tests.rankings import chunk_of

from assay.adapters.testset_files.text_file import read_text
from assay.adapters.testset_files.trec import read_run
from assay.app.testsets import Format, ResolvedExport, export_test_set, import_test_set, load_test_set
from assay.errors import InputError
from assay.model.evaluation import Category, Judgment, Passage, Quote, TestSet, TopicType

PAGE = "https://docs.example/a"

CLASSIC = """<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that
participate in it.

<narr> Narrative:
A relevant document names one.
</top>

<top>

<num> Number: 302 </num>
<title>
 Poliomyelitis &amp; Post-Polio</title>
</top>
"""


def imported(folder: Path, files: Mapping[str, str], *names: str, **options: object) -> tuple[TestSet, tuple[str, ...]]:
    plant(folder, dict(files))
    return import_test_set([folder / name for name in names or files], **options)  # type: ignore[arg-type]


def refusal(folder: Path, files: Mapping[str, str], *names: str, **options: object) -> str:
    with pytest.raises(InputError) as refused:
        imported(folder, files, *names, **options)
    return str(refused.value).replace(f"{folder}/", "")


# --- TREC -----------------------------------------------------------------------------------------------------------


def test_classic_topics_and_qrels_keep_every_id(tmp_path: Path) -> None:
    qrels = f"301 0 {PAGE} 2\n301 0 {PAGE}/b#caf%C3%A9 1\n302\tQ0\tFBIS-1 0\n\n"
    test_set, left_out = imported(tmp_path, {"topics.301": CLASSIC, "qrels.txt": qrels})
    assert left_out == ()
    assert test_set.name == "topics"
    first, second = test_set.topics
    assert (first.id, first.text) == ("301", "International Organized Crime")
    assert first.expected_criteria == {
        "description": "Identify organizations that participate in it.",
        "narrative": "A relevant document names one.",
    }
    assert first.judgments == (
        Judgment(Passage(PAGE), 2),
        Judgment(Passage(f"{PAGE}/b", section="café"), 1),
    )
    assert (second.id, second.text) == ("302", "Poliomyelitis &amp; Post-Polio")
    assert second.judgments == (Judgment(Passage(chunk_id="FBIS-1"), 0),)


def test_topics_in_xml_are_read(tmp_path: Path) -> None:
    xml = '<topics task="x">\n<topic number="7" type="faceted">\n<query>a &amp; b</query>\n<description>More &lt;of&gt; it</description>\n</topic>\n</topics>\n'
    (topic,) = imported(tmp_path, {"topics.xml": xml})[0].topics
    assert (topic.id, topic.text, topic.expected_criteria) == ("7", "a & b", {"description": "More <of> it"})


def test_a_topic_with_a_description_only_asks_that(tmp_path: Path) -> None:
    (topic,) = imported(tmp_path, {"t.trec": "<top>\n<num> 1\n<desc> Description:\nWhat is it?\n</top>\n"})[0].topics
    assert (topic.text, topic.expected_criteria) == ("What is it?", {})


def test_topics_with_tabs_are_read(tmp_path: Path) -> None:
    test_set, _ = imported(tmp_path, {"topics.tsv": "1\thow?\r\n\r\n2\twhy?\n"}, format_=Format.TREC)
    assert [(topic.id, topic.text) for topic in test_set.topics] == [("1", "how?"), ("2", "why?")]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"t.trec": "<top>\n</top>\n"}, "t.trec:1: topic 1, id: is empty"),
        ({"t.tsv": "1\thow?\nno tab\n"}, "t.tsv:2: a topic is an id, a tab and a text, or a <top> block"),
        ({"t.tsv": "1\ta\n1\tb\n"}, 't.tsv:2: topic 1, id: "1" is also the id of the topic on line 1'),
        (
            {"t.tsv": "1\ta\n", "q": "1 0 d\n"},
            "q:1: a line of qrels has four columns (topic, 0, document, grade), not 3",
        ),
        ({"t.tsv": "1\ta\n", "q": "1 0 d 1\n9 0 d 1\n"}, "q:2: there is no topic 9 in t.tsv"),
        (
            {"t.tsv": "1\ta\n", "q": "1 0 d 1\n1 0 d x\n"},
            'q:2: topic 1, judgment 2, label: has to be 0 (does not answer), 1 (helps) or 2 (answers), not "x"',
        ),
        (
            {"t.tsv": "1\ta\n", "q": "1 0 d 1\n1 0 d 2\n"},
            "q:2: topic 1, judgment 2: the same passage has label 1 on line 1, and 2 here",
        ),
        ({"t.tsv": "1\ta\n", "q": "1 0 d 3\n"}, "not 3 Map the grades of another scale to labels: --map-label 3=2."),
    ],
)
def test_what_is_wrong_with_trec_files_is_told_with_its_line(tmp_path: Path, files: dict[str, str], words: str) -> None:
    assert words in refusal(tmp_path, files, format_=Format.TREC)


def test_grades_of_another_scale_are_mapped(tmp_path: Path) -> None:
    files = {"t.tsv": "1\ta\n", "q": "1 0 a 4\n1 0 b 3\n1 0 c 1\n1 0 d -2\n"}
    test_set, _ = imported(tmp_path, files, format_=Format.TREC, grades={4: 2, 3: 2, -2: 0})
    assert [judgment.label for judgment in test_set.topics[0].judgments] == [2, 2, 1, 0]


def test_what_trec_cannot_say_is_said(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "set.yaml": f"""topics:
- {{id: a, text: "two\\nlines", type: broad, top_k: 7, judgments: [{{url: "{PAGE}", quote: words, label: 2}}, {{chunk_id: c, label: 1}}]}}
- {{id: b, text: x, filters: {{versions: ['1']}}, expected_criteria: {{min_score: 0.3}}, exclude: [{{url: "{PAGE}"}}]}}
"""
        },
    )
    lost = export_test_set(load_test_set(tmp_path / "set.yaml"), tmp_path / "out", Format.TREC)
    assert lost == (
        "exclude of 1 topic",
        "expected_criteria of 1 topic",
        "filters of 1 topic",
        "line breaks, runs of blanks and closing tags of 1 topic",
        "top_k of 1 topic",
        "type of 1 topic",
        "passages other than a page, a section or a chunk id of 1 judgment",
    )
    assert (tmp_path / "out" / "qrels.txt").read_text(encoding="utf-8") == "a 0 c 1\n"


@pytest.mark.parametrize(
    "text", ["Topic: nodes", "Number: 3", "ends with </title>", "<narr> begins like a tag", "<top>"]
)
def test_texts_that_look_like_trec_read_back(tmp_path: Path, text: str) -> None:
    plant(
        tmp_path,
        {"set.json": json.dumps({"topics": [{"id": "a", "text": text, "expected_criteria": {"description": text}}]})},
    )
    test_set = load_test_set(tmp_path / "set.json")
    assert export_test_set(test_set, tmp_path / "out", Format.TREC) == ()
    found, _ = import_test_set([tmp_path / "out" / "topics.trec", tmp_path / "out" / "qrels.txt"])
    assert found.topics == test_set.topics


def test_a_text_cannot_end_its_topic(tmp_path: Path) -> None:
    plant(tmp_path, {"set.json": '{"topics": [{"id": "a", "text": "x </top> y"}, {"id": "b", "text": "z"}]}'})
    lost = export_test_set(load_test_set(tmp_path / "set.json"), tmp_path / "out", Format.TREC)
    assert lost == ("line breaks, runs of blanks and closing tags of 1 topic",)
    found, _ = import_test_set([tmp_path / "out" / "topics.trec"])
    assert [topic.text for topic in found.topics] == ["x </ top> y", "z"]


def test_a_run_is_read_as_it_stands(tmp_path: Path) -> None:
    plant(tmp_path, {"run": "1 Q0 d1 1 2.5 mine\n1 Q0 d2 2 -1e-3 mine\n\n2 Q0 d1 1 0 mine\n"})
    assert read_run(read_text(tmp_path / "run")) == {"1": [("d1", 2.5), ("d2", -0.001)], "2": [("d1", 0.0)]}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 Q0 d2 1 nan mine", "run:2: topic 1: the score has to be a finite number, not nan"),
        ("1 Q0 d2 1 inf mine", "the score has to be a finite number, not inf"),
        ("1 Q0 d2 1 high mine", "the score has to be a finite number, not high"),
        ("1 Q0 d1 1 2 mine", "run:2: topic 1: document d1 repeats the one on line 1"),
        ("1 Q0 d2 1 2", "run:2: a line of a run has six columns (topic, Q0, document, rank, score, name), not 5"),
    ],
)
def test_a_run_that_cannot_be_ranked_is_refused(tmp_path: Path, line: str, words: str) -> None:
    plant(tmp_path, {"run": f"1 Q0 d1 1 2.5 mine\n{line}\n"})
    with pytest.raises(InputError) as refused:
        read_run(read_text(tmp_path / "run"))
    assert words in str(refused.value)


def test_a_score_is_read_to_its_last_bit(tmp_path: Path) -> None:
    plant(tmp_path, {"run": "".join(f"a Q0 chunk-{rank} {rank} {1 / 3 / rank!r} assay\n" for rank in (1, 2))})
    assert read_run(read_text(tmp_path / "run")) == {"a": [("chunk-1", 1 / 3), ("chunk-2", 1 / 6)]}


# --- BEIR -----------------------------------------------------------------------------------------------------------

QUERIES = '{"_id": "1", "text": "how?"}\n{"_id": "2", "text": "why?", "metadata": {}}\n{"_id": "3", "text": "what?"}\n'
CORPUS = f"""{{"_id": "d1", "title": "A", "text": "words of a page", "url": "{PAGE}"}}
{{"_id": "d2", "title": "B", "text": "no address"}}
{{"_id": "d3", "title": "", "text": "", "metadata": {{"url": "{PAGE}/c"}}}}
"""
QRELS = f"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t2\n2\td3\t1\n2\t{PAGE}/d\t0\n"


def beir(folder: Path, **files: str) -> Path:
    whole = {"queries.jsonl": QUERIES, "corpus.jsonl": CORPUS, "qrels/test.tsv": QRELS, **files}
    return plant(folder / "beir", {name.replace("__", "."): text for name, text in whole.items()})


def test_a_beir_folder_keeps_ids_and_finds_passages(tmp_path: Path) -> None:
    test_set, left_out = import_test_set([beir(tmp_path)])
    assert test_set.name == "beir"
    assert left_out == ("queries without a judgment in test.tsv: 1",)
    first, second = test_set.topics
    assert (first.id, first.text) == ("1", "how?")
    assert first.judgments == (
        Judgment(Passage(PAGE, Quote("words of a page")), 1),
        Judgment(Passage(chunk_id="d2"), 2),
    )
    assert second.judgments == (Judgment(Passage(f"{PAGE}/c"), 1), Judgment(Passage(f"{PAGE}/d"), 0))


def test_another_split_is_named(tmp_path: Path) -> None:
    folder = beir(tmp_path, **{"qrels/dev.tsv": "query-id\tcorpus-id\tscore\n3\td2\t1\n"})
    test_set, _ = import_test_set([folder], split="dev")
    assert [topic.id for topic in test_set.topics] == ["3"]
    with pytest.raises(InputError, match="Use --split dev or test"):
        import_test_set([folder], split="train")


def test_a_beir_folder_without_a_corpus_has_chunk_ids(tmp_path: Path) -> None:
    folder = beir(tmp_path)
    (folder / "corpus.jsonl").unlink()
    test_set, _ = import_test_set([folder])
    assert [judgment.passage.chunk_id for judgment in test_set.topics[0].judgments] == ["d1", "d2"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("qrels/test.tsv", f"{QRELS}9\td1\t1\n", "qrels/test.tsv:6: there is no query 9 in queries.jsonl"),
        ("qrels/test.tsv", "1 d1 1\n", "qrels/test.tsv:1: a row has three columns with tabs between them"),
        ("qrels/test.tsv", f"{QRELS}1\td3\thigh\n", "qrels/test.tsv:6: topic 1, judgment 3, label: has to be"),
        ("queries.jsonl", f'{QUERIES}{{"_id": "4"', "queries.jsonl:4: not valid JSON"),
        (
            "queries.jsonl",
            '{"_id": "1", "text": ""}\n{"_id": "2", "text": "x"}\n',
            "queries.jsonl:1: topic 1, text: is empty",
        ),
        (
            "queries.jsonl",
            '{"_id": 1, "text": "x"}\n{"_id": "2", "text": "x"}\n',
            "queries.jsonl:1: topic 1, id: has to be text, not 1",
        ),
    ],
)
def test_what_is_wrong_with_a_beir_folder_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        import_test_set([beir(tmp_path, **{name: text})])
    assert words in str(refused.value)


def test_labels_of_a_generation_are_written_with_its_chunks(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {"set.yaml": f"topics: [{{id: a, text: x, judgments: [{{url: '{PAGE}', quote: words, label: 2}}]}}]\n"},
    )
    test_set = load_test_set(tmp_path / "set.yaml")
    chunks = [chunk_of("one", id="c1"), chunk_of("two", id="c2")]
    assert export_test_set(test_set, tmp_path / "beir", Format.BEIR, ResolvedExport({"a": {"c1": 2}}, chunks)) == ()
    rows = [json.loads(line) for line in (tmp_path / "beir" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["_id"], row["text"], row["url"]) for row in rows] == [
        (one.id, one.text, one.section_url) for one in chunks
    ]
    assert (tmp_path / "beir" / "qrels" / "test.tsv").read_text(
        encoding="utf-8"
    ) == "query-id\tcorpus-id\tscore\na\tc1\t2\n"
    assert export_test_set(test_set, tmp_path / "trec", Format.TREC, ResolvedExport({"a": {"c1": 2}})) == ()
    assert (tmp_path / "trec" / "qrels.txt").read_text(encoding="utf-8") == "a 0 c1 2\n"


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_of_a_spreadsheet_is_read(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ["Query_ID", "question", "type", "url", "quote", "relevance"],
        ["1", "how?", "broad", PAGE, '"some, words; in\ttwo\r\nlines"', "2"],
        ["1", "", "", f"{PAGE}/b", "", "0"],
        ["", "", "", "", "", ""],
        ["2", "why?"],
    ]
    path = tmp_path / "set.csv"
    path.write_bytes("\r\n".join(delimiter.join(row) for row in rows).encode("utf-8-sig"))
    first, second = import_test_set([path])[0].topics
    assert (first.id, first.text, first.type) == ("1", "how?", TopicType.BROAD)
    assert first.judgments == (
        Judgment(Passage(PAGE, Quote("some, words; in\ttwo\r\nlines")), 2),
        Judgment(Passage(f"{PAGE}/b"), 0),
    )
    assert (second.text, second.judgments) == ("why?", ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty; its first row names the columns: id, text"),
        ("id,txt\n", "set.csv:1: there is no column `txt`; did you mean `text`?"),
        ("id,label\n", "set.csv:1: the column `text` is missing"),
        ("id,text,query\n", "set.csv:1: the column `text` is there twice"),
        ("id,text\na,x,y\n", "set.csv:2: the row has 3 cells, and there are 2 columns"),
        ('id,text\na,"x\n\ny"\nb,"x" y\n', "set.csv:5: not a valid table"),
        (
            "id,text,top_k\na,x,5\na,x,6\n",
            "set.csv:3: topic a: top_k differ from the first row of this topic",
        ),
        ("id,text,top_k\na,x,many\n", 'set.csv:2: topic a, top_k: has to be a whole number from 1 to 100, not "many"'),
        ("id,text,filters\na,x,versions\n", 'set.csv:2: filters: has to be JSON, such as {"versions": ["3.0"]}'),
        (f"id,text,url,label\na,x,{PAGE},1\na,x,{PAGE}/b,5\n", "set.csv:3: topic a, judgment 2, label: has to be"),
        (f"id,text,url,label\na,x,{PAGE},\n", "set.csv:2: topic a, judgment 1: `label` is missing"),
        ("id,text\n,x\n", "set.csv:2: topic 1, id: `id` is missing"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, {"set.csv": text})


# --- other suites ---------------------------------------------------------------------------------------------------

HASH = "0123456789abcdef" * 4
CASE = {
    "query": {"text": "How do nodes communicate?", "top_k": 5, "query_type": "specific"},
    "expected_criteria": {"min_score": 0.7, "expected_topic": "pub/sub"},
    "actual_results": [
        {
            "similarity_score": 0.9,
            "content": "Nodes publish.",
            "url": PAGE,
            "title": "A",
            "chunk_index": 0,
            "timestamp": "2025-12-15T10:00:00Z",
            "content_hash": HASH,
        },
        {
            "similarity_score": 0.8,
            "content": "Other words.",
            "url": f"{PAGE}/b",
            "title": "B",
            "chunk_index": 1,
            "timestamp": "2025-12-15T10:00:00Z",
            "content_hash": HASH,
        },
    ],
    "relevance_labels": [2, 0],
    "precision_at_k": 0.2,
    "rank_of_best": 1,
}
TEST = {
    "test_id": "t-1",
    "query_text": "What is URDF?",
    "expected_results": ["c1", "c2"],
    "success_criteria": {"min_accuracy": 0.8, "min_similarity_score": 0.5},
    "test_category": "factual",
    "executed_at": "2025-12-15T10:00:00Z",
    "result_accuracy": 0.5,
}


@pytest.mark.parametrize("body", [[CASE], {"timestamp": "…", "total_queries": 1, "test_cases": [CASE]}])
def test_test_cases_of_seed_001_are_read(tmp_path: Path, body: object) -> None:
    test_set, left_out = imported(tmp_path, {"report.json": json.dumps(body)})
    (topic,) = test_set.topics
    assert left_out == ()
    assert (topic.id, topic.text, topic.type, topic.top_k) == ("q1", "How do nodes communicate?", TopicType.SPECIFIC, 5)
    assert topic.expected_criteria == {"min_score": 0.7, "expected_topic": "pub/sub"}
    assert topic.judgments == (
        Judgment(Passage(PAGE, Quote("Nodes publish."), content_hash=HASH), 2),
        Judgment(Passage(f"{PAGE}/b", Quote("Other words."), content_hash=HASH), 0),
    )


@pytest.mark.parametrize("body", [[TEST], {"validation_tests": [TEST]}, {"tests": [TEST]}])
def test_validation_tests_of_seed_004_are_read(tmp_path: Path, body: object) -> None:
    test_set, left_out = imported(tmp_path, {"tests.json": json.dumps(body)})
    (topic,) = test_set.topics
    assert left_out == ("`executed_at` of validation tests: 1", "`result_accuracy` of validation tests: 1")
    assert (topic.id, topic.text, topic.category) == ("t-1", "What is URDF?", Category.FACTUAL)
    assert topic.expected_criteria == {"min_accuracy": 0.8, "min_similarity_score": 0.5}
    assert topic.judgments == (Judgment(Passage(chunk_id="c1"), 2), Judgment(Passage(chunk_id="c2"), 2))


@pytest.mark.contract("004.61")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "there are neither test cases (`query`, `relevance_labels`) nor validation tests"),
        ([], "there are neither test cases"),
        (
            [{**CASE, "relevance_labels": [1]}],
            "case 1: `relevance_labels` has to have a label for each of `actual_results`",
        ),
        ([{**CASE, "relevance_labels": [1, 7]}], "topic q1, judgment 2, label: has to be 0"),
        ([{**CASE, "query": "how?"}], "query: has to be an object with `text`, `top_k` and `query_type`"),
        ([{**CASE, "querry": 1}], "unknown key `querry`"),
        ([TEST, TEST], 'topic t-1, id: "t-1" is also the id of the topic on line'),
        ([{**TEST, "query_text": ""}], "topic t-1, text: is empty"),
        (
            [{**TEST, "test_category": "facts"}],
            'category: has to be one of factual, conceptual, contextual, not "facts"',
        ),
        ([{**TEST, "expected_results": ["", "c"]}], "judgment 1, chunk_id: is empty"),
        ([5], "has to be an object"),
        (
            [{**TEST, "success_criteria": {"min_accuracy": 80, "min_similarity_score": 0.5}}],
            "success_criteria.min_accuracy: has to be a number from 0 to 1, not 80; divide a percentage by 100: 0.8",
        ),
        (
            [{**TEST, "success_criteria": {"min_accuracy": 0.8, "min_similarity_score": 30.0}}],
            "min_similarity_score: has to be a number from 0 to 1, not 30.0; divide a percentage by 100: 0.3",
        ),
        ([{**TEST, "success_criteria": {"min_accuracy": -1}}], "has to be a number from 0 to 1, not -1"),
        ([{**TEST, "success_criteria": {"min_accuracy": 101}}], "has to be a number from 0 to 1, not 101"),
        ([{**TEST, "success_criteria": {"min_accuracy": "80%"}}], 'has to be a number from 0 to 1, not "80%"'),
    ],
)
def test_what_is_wrong_with_a_suite_is_told(tmp_path: Path, body: object, words: str) -> None:
    assert words in refusal(tmp_path, {"suite.json": json.dumps(body, indent=1)})


# --- where it is written --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", [Format.TREC, Format.BEIR])
def test_nothing_that_is_there_is_overwritten(tmp_path: Path, format_: Format) -> None:
    plant(tmp_path, {"set.yaml": "topics: [{id: a, text: x}]\n", "out/mine": "mine"})
    test_set = load_test_set(tmp_path / "set.yaml")
    for target in ("out", "set.yaml"):
        with pytest.raises(InputError, match="already exists"):
            export_test_set(test_set, tmp_path / target, format_)
    (tmp_path / "empty").mkdir()
    export_test_set(test_set, tmp_path / "empty", format_)


def test_a_table_that_is_there_is_kept(tmp_path: Path) -> None:
    plant(tmp_path, {"set.yaml": "topics: [{id: a, text: x}]\n", "set.csv": "mine"})
    with pytest.raises(InputError, match="already exists"):
        export_test_set(load_test_set(tmp_path / "set.yaml"), tmp_path / "set.csv", Format.CSV)
    assert (tmp_path / "set.csv").read_text(encoding="utf-8") == "mine"
