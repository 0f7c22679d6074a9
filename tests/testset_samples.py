"""Valid test sets of every kind, and the ways in which people write them down."""

from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st

from assay.adapters.testset_files.loading import load
from assay.model.evaluation import Category, Judgment, Passage, Quote, Span, TestSet, Topic, TopicType
from assay.model.located import Located
from assay.model.ranking import Filters
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS
from assay.validation.testsets.plain import make_test_set
from assay.validation.testsets.reading import read_test_set

HALF = settings(max_examples=(settings.default.max_examples if settings.default else 100) // 2)
"""Half of the examples of the profile, for tests that write and read a file several times with each."""

MACHINE = """\
# Queries about the machine.
name: machine
topics:
  - id: gripper   # the first
    text: "How often is the gripper checked?"
    judgments:
      - {url: https://docs.example/gripper, label: 2}
  - id: motor
    text: How often is the motor checked?
  - id: motor-2
    text: motor maintenance
    type: paraphrase
    paraphrase_of: motor
  - id: nothing
    text: bread
    type: edge
    expect: no_answer
# The end.
"""
"""For the tests of labelling: a labelled topic, one to label with its paraphrase, and one without an answer."""

_ODD = [
    *(
        "yes",
        "no",
        "null",
        "~",
        "true",
        "1.10",
        "0012",
        "1e10",
        "2024-01-01",
        ".inf",
        "- a",
        "a: b",
        "a #b",
        "#",
        "'",
        '"',
    ),
    *(
        "{a}",
        "[",
        "*x",
        "&x",
        "!x",
        "@x",
        "%x",
        "|",
        ">",
        "?",
        "a\tb",
        "a\nb",
        "a\r\nb",
        " a ",
        "a\u2028b",
        "a\x85b",
        "\x7f",
    ),
    *(
        "节点通过话题通信。",
        "ノード",
        "👩🏽‍🚀",
        "e\u0301",
        "\ufeffa",
        "a\\b",
        "</title>",
        "<top>",
        "=1+1",
        "a,b;c\td",
        "\x01",
    ),
]
texts = st.one_of(
    st.sampled_from(_ODD),
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=30),
    st.text("abc ,:#-'\"{}[]\n\\", min_size=1, max_size=12),
).filter(lambda text: bool(text.strip()))
blank_or_text = st.one_of(st.just(""), texts)
ids = st.text("abcXYZ019-_.:/é节", min_size=1, max_size=12)
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
urls = st.sampled_from(
    [
        "https://docs.example/a",
        "https://docs.example/a/b-c",
        "https://docs.example/%C3%BC",
        "http://127.0.0.1:3111/x",
        "https://docs.example/",
    ]
)
labels = st.sampled_from([0, 1, 2])
chunk_ids = st.one_of(
    st.text("0123456789abcdef-", min_size=1, max_size=36), st.sampled_from(["https://docs.example/a", "a b", "doc:1/é"])
)


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    """A passage that points at something, in every way in which one can."""
    kind = draw(st.sampled_from(["page", "quote", "section", "position", "chunk", "hash"]))
    url = draw(urls)
    match kind:
        case "quote":
            return Passage(url=url, quote=Quote(draw(texts), draw(blank_or_text), draw(blank_or_text)))
        case "section":
            return Passage(url=url, section=draw(texts))
        case "position":
            start = draw(st.integers(0, 9_999))
            span = Span(start, start + draw(st.integers(1, 999)))
            return Passage(url=url, quote=Quote(draw(texts)), position=span, text_hash=draw(hashes))
        case "chunk":
            return Passage(chunk_id=draw(chunk_ids))
        case "hash":
            return Passage(url=draw(st.sampled_from([None, url])), content_hash=draw(hashes))
    return Passage(url=url)


judgments = st.builds(Judgment, passages(), labels)
criteria = st.dictionaries(
    st.sampled_from(["expected_topic", "text", "description", "narrative", "a b"]),
    st.recursive(
        st.one_of(
            texts, st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False, allow_infinity=False)
        ),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=2)),
        max_leaves=4,
    ),
    max_size=2,
)
filters = st.builds(
    Filters,
    versions=st.lists(texts, max_size=2).map(tuple),
    locales=st.lists(texts, max_size=2).map(tuple),
    url_prefix=st.one_of(st.none(), urls),
    sections=st.lists(texts, max_size=2).map(tuple),
    sources=st.lists(texts, max_size=1).map(tuple),
    everything=st.booleans(),
)


@st.composite
def topics(draw: st.DrawFn, id_: str, earlier: list[str]) -> Topic:
    """A topic; what it paraphrases, if anything, is one of the earlier ones."""
    type_ = draw(st.sampled_from(TopicType))
    expects = draw(st.booleans()) or type_ is not TopicType.EDGE
    listed = draw(st.lists(judgments, max_size=4, unique_by=lambda judgment: judgment.passage))
    if not expects:
        listed = [Judgment(judgment.passage, 0) for judgment in listed]
    paraphrases = bool(earlier) and bool(listed) and draw(st.booleans())
    return Topic(
        id=id_,
        text=draw(blank_or_text if type_ is TopicType.EDGE else texts),
        type=type_,
        category=draw(st.one_of(st.none(), st.sampled_from(Category))),
        top_k=draw(st.integers(1, 100)),
        judgments=tuple(listed),
        excluded=tuple(draw(st.lists(passages(), max_size=2))),
        paraphrase_of=draw(st.sampled_from(earlier)) if paraphrases else None,
        expects_answer=expects,
        expected_criteria=draw(criteria),
        filters=draw(filters),
        derived=draw(st.sampled_from([None, "link", "heading"])),
    )


@st.composite
def labelled_sets(draw: st.DrawFn) -> TestSet:
    """A test set that reads without a fault."""
    names = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    made = [draw(topics(name, names[:number])) for number, name in enumerate(names)]
    return make_test_set(draw(texts), made)


def load_file(path: Path) -> Located:
    """What a test-set file says."""
    return load(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)


def read_file(path: Path) -> TestSet:
    """The test set of a file."""
    return read_test_set(load_file(path), path.stem)


def written(folder: Path, text: str, name: str = "set.yaml") -> Path:
    """A file with this text, byte for byte."""
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path
