"""A page as a whole: its title, its sections, and whatever bytes it is made of."""

import pytest
from tests.pages import URL, flaws, mdx, page, read, text_of

from assay.errors import InputError
from assay.ingest.markdown.grammar import Dialect
from assay.ingest.markdown.reader import dialect_of, read_markdown
from assay.model.documents import MediaType
from assay.model.ids import document_id

EVERYWHERE = ["docusaurus", "mkdocs", None]


@pytest.mark.parametrize(
    ("content", "front_matter", "known", "title"),
    [
        ("# Heading", {"title": "Front  matter"}, "Source", "Front matter"),
        ("# Heading `x`", {}, "Source", "Heading x"),
        ("text\n\n<h1>Tagged</h1>", {}, "Source", "Tagged"),
        ("text", {}, "Source", "Source"),
        ("text", {}, None, "Page"),
        ("text", {"title": 2}, None, "2"),
        ("# Heading", {"title": None}, None, "Heading"),
        ("# Heading", {"title": ["x"]}, None, "Heading"),
        ("# Heading", {"title": " "}, None, "Heading"),
        ("```\n# no\n```", {}, None, "Page"),
    ],
)
def test_the_title_is_the_first_that_is_there(
    content: str, front_matter: dict[str, object], known: str | None, title: str
) -> None:
    assert read(content, front_matter=front_matter, title=known).info.title == title


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("docs/no_title_here.md", "No title here"),
        ("Import notes/Import from Evernote.md", "Import from Evernote"),
        ("guide/set-up/index.mdx", "Set up"),
        ("guide/README.md", "Guide"),
        ("index.md", "Index"),
        ("v1.2.md", "V1.2"),
        ("---.md", "guide-page"),
    ],
)
def test_without_a_title_a_page_is_called_by_its_file(path: str, title: str) -> None:
    assert read("text", source_path=path).info.title == title


def test_a_title_in_the_front_matter_adds_no_heading_to_the_text() -> None:
    document = read("text\n\n## A", "docusaurus", front_matter={"title": "T"})
    assert document.text == "text\n\n## A"
    assert [section.path for section in document.sections] == [(), ("A",)]


def test_a_title_in_the_text_stays_there_and_out_of_the_paths() -> None:
    document = read("# T\n\ntext\n\n## A\n\n# Other\n\n## B", "docusaurus", front_matter={"title": "T"})
    assert document.text.startswith("# T\n\ntext")
    assert [section.path for section in document.sections] == [(), ("A",), ("Other",), ("Other", "B")]


def test_a_document_knows_where_it_comes_from() -> None:
    document = read("a", "mkdocs", version="2.0", locale="fr", version_is_current=False, tags=("x",))
    assert document.info.id == document_id(URL)
    assert (document.info.url, document.info.source_type) == (URL, "mkdocs-page")
    assert (document.info.version, document.info.locale, document.info.tags) == ("2.0", "fr", ("x",))
    assert not document.info.primary
    assert document.key == "guide/page.md"
    assert document.source_hash == "0" * 64


@pytest.mark.parametrize(
    ("generator", "media_type", "is_commonmark", "dialect"),
    [
        ("docusaurus", MediaType.MARKDOWN, False, Dialect.MDX),
        ("docusaurus", MediaType.MDX, False, Dialect.MDX),
        ("docusaurus", MediaType.MARKDOWN, True, Dialect.PLAIN),
        (None, MediaType.MDX, False, Dialect.MDX),
        (None, MediaType.MARKDOWN, False, Dialect.PLAIN),
        ("mkdocs", MediaType.MARKDOWN, False, Dialect.MKDOCS),
    ],
)
def test_generator_and_media_type_decide_the_dialect(
    generator: str | None, media_type: MediaType, is_commonmark: bool, dialect: Dialect
) -> None:
    assert dialect_of(page("", generator, media_type=media_type, is_commonmark=is_commonmark)) is dialect


def test_another_media_type_is_refused() -> None:
    with pytest.raises(InputError, match="text/html is not Markdown"):
        read_markdown(page("<p>", media_type=MediaType.HTML))


def test_the_same_page_gives_the_same_document() -> None:
    first = read("# a\n\n[^1] <b>\n\n[^1]: c", "docusaurus")
    read(":::note\n<Tabs>\n- {", "docusaurus")
    assert read("# a\n\n[^1] <b>\n\n[^1]: c", "docusaurus") == first


@pytest.mark.parametrize("generator", EVERYWHERE)
@pytest.mark.parametrize("content", ["", " \n\t\n", "\n\n\n", "\ufeff", "<!-- c -->", "[r]: https://x.org"])
def test_a_page_that_shows_nothing_is_an_empty_document(generator: str | None, content: str) -> None:
    document = read(content, generator)
    assert (document.text, document.sections, document.blocks) == ("", (), ())
    assert document.info.title == "Page"


@pytest.mark.parametrize("generator", EVERYWHERE)
def test_every_kind_of_line_end_is_a_newline(generator: str | None) -> None:
    assert text_of("\ufeff# a\r\n\r\nb\rc\r\n\r\n```\r\nx\r\ny\r\n```", generator) == "# a\n\nb c\n\n```\nx\ny\n```"


@pytest.mark.parametrize("generator", EVERYWHERE)
def test_what_is_no_character_is_replaced(generator: str | None) -> None:
    document = read("a\0b \ud800 c\n\n```\n\udfff\n```", generator, front_matter={"title": "\ud800"})
    assert document.text == "a\ufffdb \ufffd c\n\n```\n\ufffd\n```"
    document.text.encode()
    document.info.title.encode()


@pytest.mark.parametrize("generator", EVERYWHERE)
@pytest.mark.parametrize(
    "content",
    [
        "## 中文标题\n\n这是一个句子。\n下一行。",
        "## עברית\n\n\u0637\u0627\u0628 יום 👩‍👩‍👧‍👦 é",
        "## ไทย\n\nภาษาไทย",
    ],
)
def test_every_script_comes_through(generator: str | None, content: str) -> None:
    document = read(content, generator)
    assert document.text == content.replace("。\n下", "。 下")
    assert flaws(document) == []


def test_tabs_indent_lists_and_code_as_commonmark_has_it() -> None:
    assert mdx("-\ta\n\n\t```\n\tx\n\t\ty\n\t```\n") == "- a\n\n  ```\n  x\n  \ty\n  ```"
