"""What a test-set file may say, and what is said about one that says something else."""

# ruff: noqa: E501 - a table of cases reads best with each on its line

from pathlib import Path

import pytest
from tests.testset_samples import load_file, read_file, written

from assay.errors import InputError
from assay.model.evaluation import Category, Judgment, Passage, Quote, Span, TopicType
from assay.model.located import Located
from assay.validation.testsets.reading import ReadTestSet, examine

PAGE = "https://docs.example/a"


def topic(**fields: str) -> str:
    """A test set of one topic in YAML; fields as they are written."""
    lines = [f"    {key}: {value}" for key, value in {"id": "a", "text": "how?", **fields}.items()]
    return "topics:\n  -\n" + "\n".join(lines) + "\n"


def judged(judgment: str) -> str:
    return topic(judgments=f"[{judgment}]")


def reading(folder: Path, text: str, name: str = "set.yaml") -> ReadTestSet:
    return examine(load_file(written(folder, text, name)), "set")


def faults(folder: Path, text: str, name: str = "set.yaml") -> list[tuple[int, str]]:
    """Line and message of everything that is wrong."""
    found = reading(folder, text, name)
    assert (found.test_set is None) == bool(found.error_count)
    return [(fault.place.line, f"{fault.where}: {fault.message}") for fault in found.errors]


def the_fault(folder: Path, text: str, name: str = "set.yaml") -> str:
    found = faults(folder, text, name)
    assert len(found) == 1, found
    return found[0][1]


def test_every_key_is_read(tmp_path: Path) -> None:
    digest = "0123456789abcdef" * 4
    text = f"""
name: everything
topics:
  - id: b
    text: what?
  - id: a
    text: how?
    type: paraphrase
    category: conceptual
    top_k: 7
    paraphrase_of: b
    derived: link
    judgments:
      - {{url: "{PAGE}/", quote: some words, prefix: before, suffix: after, position: [3, 13], text_hash: {digest.upper()}, label: 2}}
      - {{url: {PAGE}, section: install, label: 1}}
      - {{chunk_id: 00ab, content_hash: {digest}, label: 0}}
    exclude:
      - {{url: {PAGE}, quote: linked}}
    expected_criteria: {{min_score: 0.3, expected_topic: nodes, text: 5}}
    filters: {{versions: [1.10], locales: [no], url_prefix: {PAGE}/, sections: [Install], sources: [docs], everything: true, include_unversioned: true}}
  - id: c
    text: ""
    type: edge
    expect: no_answer
"""
    test_set = read_file(written(tmp_path, text))
    assert test_set.name == "everything"
    _, full, edge = test_set.topics
    assert (full.id, full.text, full.type, full.category) == ("a", "how?", TopicType.PARAPHRASE, Category.CONCEPTUAL)
    assert (full.top_k, full.paraphrase_of, full.derived, full.expects_answer) == (7, "b", "link", True)
    assert full.judgments == (
        Judgment(Passage(PAGE, Quote("some words", "before", "after"), Span(3, 13), digest), 2),
        Judgment(Passage(PAGE, section="install"), 1),
        Judgment(Passage(chunk_id="00ab", content_hash=digest), 0),
    )
    assert full.excluded == (Passage(PAGE, Quote("linked")),)
    assert full.expected_criteria == {"min_score": 0.3, "expected_topic": "nodes", "text": 5}
    assert (full.filters.versions, full.filters.locales, full.filters.url_prefix) == (("1.10",), ("no",), PAGE)
    assert (full.filters.sections, full.filters.sources, full.filters.everything) == (("Install",), ("docs",), True)
    assert full.filters.include_unversioned
    assert (edge.text, edge.expects_answer, edge.judgments) == ("", False, ())


def test_text_without_quotes_is_text_whatever_it_looks_like(tmp_path: Path) -> None:
    (only,) = read_file(written(tmp_path, "topics: [{id: 0012, text: yes}]\n")).topics
    assert (only.id, only.text) == ("0012", "yes")


def test_the_example_test_set_reads_without_a_fault_or_a_warning() -> None:
    example = Path(__file__).resolve().parents[4] / "examples" / "handbook.testset.yaml"
    found = examine(load_file(example), "handbook")
    assert found.test_set is not None
    assert (found.error_count, found.warning_count, len(found.test_set.topics)) == (0, 0, 36)


def test_a_paraphrase_without_judgments_has_those_of_its_original(tmp_path: Path) -> None:
    text = f"""
topics:
  - {{id: c, text: three, type: paraphrase, paraphrase_of: b}}
  - {{id: b, text: two, type: paraphrase, paraphrase_of: a, judgments: []}}
  - {{id: a, text: one, judgments: [{{url: "{PAGE}", label: 2}}]}}
  - {{id: d, text: four, type: paraphrase, paraphrase_of: a, judgments: [{{url: "{PAGE}/d", label: 1}}]}}
"""
    c, b, a, d = read_file(written(tmp_path, text)).topics
    assert a.judgments == b.judgments == c.judgments != d.judgments


def test_a_paraphrase_that_expects_no_answer_has_no_judgments_of_others(tmp_path: Path) -> None:
    text = f"""
topics:
  - {{id: a, text: one, judgments: [{{url: "{PAGE}", label: 2}}]}}
  - {{id: b, text: two, type: paraphrase, paraphrase_of: a, expect: no_answer}}
"""
    assert read_file(written(tmp_path, text)).topics[1].judgments == ()


@pytest.mark.parametrize(
    "url",
    ["HTTPS://Docs.Example:443/a/", "https://Docs.example/a", "https://docs.example//a", "https://docs.example/x/../a"],
)
def test_the_spellings_of_one_address_are_one(tmp_path: Path, url: str) -> None:
    (only,) = read_file(written(tmp_path, judged(f'{{url: "{url}", label: 1}}'))).topics
    assert only.judgments[0].passage.url == PAGE


def test_faults_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "topics:\n- {id: a, text: x}\n- {id: a, text: y}\n- {id: b, text: z, top_k: 0}\n"
    assert [line for line, _ in faults(tmp_path, text)] == [3, 4]


def test_a_fragment_of_a_url_is_a_section(tmp_path: Path) -> None:
    (only,) = read_file(written(tmp_path, judged(f'{{url: "{PAGE}/#caf%C3%A9", label: 1}}'))).topics
    assert only.judgments[0].passage == Passage(PAGE, section="café")


@pytest.mark.parametrize("name", ["set.yaml", "set.json", "set.jsonl"])
def test_an_empty_file_is_no_test_set(tmp_path: Path, name: str) -> None:
    assert "it is empty" in the_fault(tmp_path, "", name)


@pytest.mark.parametrize("text", ["topics:\n", "topics: []\n", "name: x\n", "name: x\ntopics: null\n"])
def test_a_test_set_needs_a_topic(tmp_path: Path, text: str) -> None:
    assert "there are no topics" in the_fault(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- id: a\n", "a test set is keys and values"),
        ("just text\n", "a test set is keys and values"),
        ("topics: 5\n", "has to be a list of topics, not 5"),
        ("topics: [5]\n", "a topic is keys and values (`id`, `text`, …), not 5"),
        ("[{test_id: a, expected_results: []}]\n", "it looks like seed 004's tests; `assay testset import` reads that"),
        ("{test_cases: []}\n", "it looks like a report of seed 001"),
    ],
)
def test_what_has_another_shape_is_said(tmp_path: Path, text: str, words: str) -> None:
    assert words in the_fault(tmp_path, text)


def test_an_unknown_key_is_refused_on_its_line_with_what_was_meant(tmp_path: Path) -> None:
    text = f"""nmae: x
topics:
  - id: a
    txet: how?
    query_type: broad
    judgments:
      - url: {PAGE}
        relevance: 2
      - url: {PAGE}/b
        label: 1
        zzz: 1
"""
    assert faults(tmp_path, text) == [
        (1, "nmae: there is no key `nmae` here; did you mean `name`?"),
        (4, "topic a, txet: there is no key `txet` here; did you mean `text`?"),
        (5, "topic a, query_type: there is no key `query_type` here; did you mean `type`?"),
        (8, "topic a, judgment 1, relevance: there is no key `relevance` here; did you mean `label`?"),
        (
            11,
            (
                "topic a, judgment 2, zzz: there is no key `zzz` here; it can be url, quote, prefix, suffix, position, "
                "text_hash, section, chunk_id, content_hash, label"
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("label", "shown"),
    [("3", "3"), ("-1", "-1"), ("true", "true"), ("false", "false"), ('"2"', '"2"'), ("1.0", "1.0"), ("0.5", "0.5"),
     (".nan", "NaN"), (".inf", "infinity"), ("", "nothing"), ("[1]", "a list of 1"), ("high", '"high"'), ("{a: 1}", "keys and values")],
)  # fmt: skip
def test_a_label_is_0_1_or_2_and_nothing_else(tmp_path: Path, label: str, shown: str) -> None:
    fault = the_fault(tmp_path, judged(f"{{url: {PAGE}, label: {label}}}"))
    assert fault.startswith("topic a, judgment 1, label: has to be 0 (does not answer), 1 (helps) or 2 (answers)")
    assert fault.endswith(f"not {shown}")


@pytest.mark.parametrize("label", [0, 1, 2])
def test_the_three_labels_are_read(tmp_path: Path, label: int) -> None:
    (only,) = read_file(written(tmp_path, judged(f"{{url: {PAGE}, label: {label}}}"))).topics
    assert only.judgments[0].label == label


@pytest.mark.parametrize(
    ("judgment", "words"),
    [
        (f"{{url: {PAGE}}}", "judgment 1: `label` is missing"),
        ("{label: 1}", "judgment 1: it names no passage: `url`, `chunk_id` or `content_hash` is missing"),
        ("{quote: x, label: 1}", "judgment 1: `quote` needs the `url` of its page"),
        ("{section: x, label: 1}", "judgment 1: `section` needs the `url` of its page"),
        (f'{{url: {PAGE}, quote: "", label: 1}}', "quote: is empty"),
        (f'{{url: {PAGE}, quote: "  ", label: 1}}', "quote: is empty"),
        (f"{{url: {PAGE}, quote: , label: 1}}", "quote: has to be text, not nothing"),
        (f"{{url: {PAGE}, prefix: x, label: 1}}", "prefix: `prefix` needs a `quote`"),
        (f"{{url: {PAGE}, position: [1, 2], label: 1}}", "position: needs `text_hash`"),
        (
            f"{{url: {PAGE}, position: [2, 2], label: 1}}",
            "position: has to be [start, end] with 0 ≤ start < end, not [2, 2]",
        ),
        (f"{{url: {PAGE}, position: [-1, 2], label: 1}}", "position: has to be [start, end] with 0 ≤ start < end"),
        (f"{{url: {PAGE}, position: [1], label: 1}}", "position: has to be [start, end], two whole numbers"),
        (f"{{url: {PAGE}, position: [1.5, 2], label: 1}}", "position: has to be [start, end], two whole numbers"),
        (f"{{url: {PAGE}, position: [true, 2], label: 1}}", "position: has to be [start, end], two whole numbers"),
        (f"{{url: {PAGE}, text_hash: abc, label: 1}}", "text_hash: has to be a SHA-256 of 64 hexadecimal digits"),
        ("{content_hash: 12, label: 1}", "content_hash: has to be a SHA-256 of 64 hexadecimal digits"),
        ("{url: nonsense, label: 1}", "url: not an absolute http(s) URL: 'nonsense'"),
        ("{url: ftp://x/y, label: 1}", "url: not an absolute http(s) URL"),
        ("{url: 'http://[', label: 1}", "url: not a valid URL"),
        (f"{{url: '{PAGE}#x', section: y, label: 1}}", 'url: its fragment is #x, but `section` is "y"'),
        ("5", "judgment 1: a judgment is keys and values (`url`, `quote`, `label`, …), not 5"),
    ],
)
def test_a_judgment_that_cannot_be_used_is_refused(tmp_path: Path, judgment: str, words: str) -> None:
    assert words in the_fault(tmp_path, judged(judgment))


def test_one_passage_cannot_have_two_labels(tmp_path: Path) -> None:
    text = (
        f"topics:\n- id: a\n  text: how?\n  judgments:\n  - {{url: {PAGE}, label: 1}}\n  - {{url: {PAGE}/, label: 2}}\n"
    )
    assert faults(tmp_path, text) == [(6, "topic a, judgment 2: the same passage has label 1 on line 5, and 2 here")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": '""'}, 'text: is empty; only the text of a topic of type edge may be (text: "")'),
        ({"text": '"  "'}, "text: is empty"),
        ({"text": ""}, "text: is empty"),
        ({"text": "[x]"}, "text: has to be text, not a list of 1"),
        ({"text": '"a\\0b"'}, "text: has a NUL character"),
        ({"id": '"a b"'}, "id: cannot have blanks or control characters"),
        ({"id": '""'}, "id: is empty"),
        ({"id": "{a: b}"}, "id: has to be text, not keys and values"),
        ({"type": "brod"}, 'type: has to be one of specific, broad, paraphrase, edge, not "brod"; did you mean `broad`?'),
        ({"type": ""}, "type: has to be one of specific, broad, paraphrase, edge, not nothing"),
        ({"category": "fact"}, 'category: has to be one of factual, conceptual, contextual, not "fact"; did you mean `factual`?'),
        *(({"top_k": value}, "top_k: has to be a whole number from 1 to 100") for value in ("0", "101", "5.0", "true", '"5"', "")),
        ({"expect": "nothing"}, 'expect: has to be one of no_answer, answer, not "nothing"'),
        ({"derived": "guess"}, "derived: has to be one of link, heading"),
        ({"judgments": "x"}, "judgments: has to be a list of passages with their labels"),
        ({"exclude": "x"}, "exclude: has to be a list of passages"),
        ({"exclude": f"[{{url: {PAGE}, label: 1}}]"}, "excluded passage 1, label: an excluded passage has no label"),
        ({"expect": "no_answer", "judgments": f"[{{url: {PAGE}, label: 1}}]"}, "judgment 1, label: is 1, but the topic expects no answer"),
        ({"expected_criteria": "high"}, "expected_criteria: has to be keys and values"),
        ({"expected_criteria": "{min_score: 2}"}, "expected_criteria, min_score: has to be a number from 0 to 1, not 2"),
        ({"expected_criteria": "{min_score: true}"}, "expected_criteria, min_score: has to be a number from 0 to 1, not true"),
        ({"expected_criteria": "{x: [.nan]}"}, "expected_criteria, x, item 1: is NaN, which is not a number"),
        ({"filters": "x"}, "filters: has to be keys and values (versions, "),
        ({"filters": "{versions: 3.0}"}, 'filters, versions: has to be a list of texts, not "3.0"; write [3.0]'),
        ({"filters": "{version: [3]}"}, "filters, version: there is no key `version` here; did you mean `versions`?"),
        ({"filters": "{url_prefix: /docs}"}, "filters, url_prefix: not an absolute http(s) URL"),
        ({"filters": "{everything: yes}"}, 'filters, everything: has to be true or false, not "yes"'),
        ({"filters": "{include_unversioned: 1}"}, 'filters, include_unversioned: has to be true or false, not 1'),
        ({"paraphrase_of": "b"}, 'paraphrase_of: there is no topic with the id "b"'),
        ({"paraphrase_of": "a"}, "paraphrase_of: is circular: a → a"),
    ],
)  # fmt: skip
def test_a_topic_that_cannot_be_used_is_refused(tmp_path: Path, fields: dict[str, str], words: str) -> None:
    assert words in the_fault(tmp_path, topic(**fields))


@pytest.mark.parametrize("key", ["id", "text"])
def test_a_topic_without_id_or_text_is_refused(tmp_path: Path, key: str) -> None:
    fields = {"id": "a", "text": "how?"}
    del fields[key]
    text = "topics:\n- " + "\n  ".join(f"{name}: {value}" for name, value in fields.items()) + "\n"
    assert f"`{key}` is missing" in the_fault(tmp_path, text)


def test_a_topic_of_type_edge_may_have_an_empty_text(tmp_path: Path) -> None:
    (only,) = read_file(written(tmp_path, topic(type="edge", text='""'))).topics
    assert only.text == ""


def test_two_topics_of_one_id_are_named_with_both_lines(tmp_path: Path) -> None:
    text = "topics:\n  - id: a\n    text: x\n  - text: y\n    id: a\n"
    assert faults(tmp_path, text) == [(5, 'topic a, id: "a" is also the id of the topic on line 2')]


def test_a_paraphrase_of_a_paraphrase_may_not_come_back_to_itself(tmp_path: Path) -> None:
    text = "topics:\n" + "".join(
        f"- {{id: {id_}, text: {id_}, paraphrase_of: {of}}}\n" for id_, of in ("ab", "bc", "ca", "db")
    )
    assert faults(tmp_path, text) == [
        (2, "topic a, paraphrase_of: is circular: a → b → c → a"),
        (3, "topic b, paraphrase_of: is circular: b → c → a → b"),
        (4, "topic c, paraphrase_of: is circular: c → a → b → c"),
    ]


def test_a_similar_id_is_offered_where_there_is_none_of_that_name(tmp_path: Path) -> None:
    text = "topics:\n- {id: nodes-talk, text: x}\n- {id: b, text: y, paraphrase_of: node-talk}\n"
    assert the_fault(tmp_path, text).endswith('no topic with the id "node-talk"; did you mean `nodes-talk`?')


def test_twenty_faults_are_told_and_the_others_counted(tmp_path: Path) -> None:
    text = "topics:\n" + "".join(f"- {{id: t{number}, text: x, top_k: 0}}\n" for number in range(50))
    found = reading(tmp_path, text)
    assert (len(found.errors), found.error_count) == (20, 50)
    assert [fault.place.line for fault in found.errors] == list(range(2, 22))
    with pytest.raises(InputError) as refused:
        read_file(tmp_path / "set.yaml")
    assert refused.value.message.startswith(f"{tmp_path / 'set.yaml'} cannot be used: it has 50 problems.\n")
    assert refused.value.message.count("\n") == 21
    assert refused.value.message.endswith("  … and 30 more.")


def test_a_half_surrogate_of_json_is_no_text(tmp_path: Path) -> None:
    text = '{"topics": [{"id": "a", "text": "x \\ud800"}]}'
    assert "half of a surrogate pair (U+D800)" in the_fault(tmp_path, text, "set.json")


def test_values_nested_too_deep_are_refused(tmp_path: Path) -> None:
    deep = "[" * 60 + "]" * 60
    text = f'{{"topics": [{{"id": "a", "text": "x", "expected_criteria": {{"x": {deep}}}}}]}}'
    assert "is nested more than 50 deep" in the_fault(tmp_path, text, "set.json")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (topic(), 3, "topic a: has no judgments"),
        (judged(f"{{url: {PAGE}, label: 0}}"), 5, "topic a, judgments: has labels of 0 only"),
        (topic(type="paraphrase", judgments=f"[{{url: {PAGE}, label: 1}}]"), 5, "topic a, type: is paraphrase, but `paraphrase_of` is missing"),
        (judged(f"{{url: {PAGE}, label: 1}}, {{url: {PAGE}, label: 1}}"), 5, f"topic a, judgment 2: judges the same passage of {PAGE} twice"),
        (
            (f"topics:\n- {{id: a, text: How  so, judgments: [{{url: '{PAGE}', label: 1}}]}}\n"
            f"- {{id: b, text: how so, paraphrase_of: a}}\n"),
            3,
            "topic b, paraphrase_of: is set, but the type is specific",
        ),
    ],
)  # fmt: skip
def test_what_is_odd_is_a_warning_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    found = reading(tmp_path, text)
    assert found.error_count == 0
    first = found.warnings[0]
    assert (first.place.line, f"{first.where}: {first.message}".startswith(words)) == (line, True), first


def test_the_same_question_twice_is_a_warning(tmp_path: Path) -> None:
    text = "topics:\n- {id: a, text: How  so?, type: edge, expect: no_answer}\n- {id: b, text: how so?, type: edge, expect: no_answer}\n"
    (warning,) = reading(tmp_path, text).warnings
    assert warning.message == "has the same query as topic a, so it counts twice"


def test_no_line_is_looked_up_where_nothing_is_wrong() -> None:
    def locate(paths: object) -> dict[object, object]:
        raise AssertionError("a file without faults was stepped through")

    body = {"topics": [{"id": "a", "text": "x", "judgments": [{"url": PAGE, "label": 1}]}]}
    assert examine(Located(body, "set", lambda paths: locate(paths) if paths else {}), "set").error_count == 0  # type: ignore[arg-type, return-value]
