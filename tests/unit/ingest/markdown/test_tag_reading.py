"""Tags of raw HTML and what they do to the text around them."""

import pytest
from tests.pages import code_of, flaws, mdx, mkdocs, read, text_of


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>\n  <div>one</div>\n  two <b>three</b>\n</div>", "one\n\ntwo three"),
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ("<ul><li>a<li>b</ul>after", "- a\n- b\n\nafter"),
        ('<ol start="4"><li>a</li><li>b</li></ol>', "4. a\n5. b"),
        ("<blockquote>a<p>b</p></blockquote>", "> a\n\n> b"),
        ("<dl><dt>T<dd>one<dd>two<dt>U<dd>three</dl>", "T\n: one\n: two\n\nU\n: three"),
        ("<figure><img src='a.png' alt='Alt'><figcaption>Caption</figcaption></figure>", "Alt\n\nCaption"),
        ("<a href='https://x.org'>link</a><br>next<hr>last", "link\nnext\n\nlast"),
        ("<h2>Head <code>x</code></h2>text", "## Head `x`\n\ntext"),
        ("<details><summary>More</summary>x</details>", "More\nx"),
        ("<svg><title>no</title></svg><iframe>no</iframe>yes<noscript>no</noscript>", "yes"),
        ("<noscript><p>Enable JavaScript.</p></noscript>", ""),
        ("<my-element>a</my-element> <font color=red>b</font>", "a b"),
        ("<li>stray</li>", "stray"),
        ("</div></p></Foo>text", "text"),
    ],
)
def test_elements_give_the_text_its_form(source: str, text: str) -> None:
    assert text_of(source) == text
    assert mdx(source.replace("<br>", "<br/>").replace("<hr>", "<hr/>")) == text


def test_preformatted_text_is_a_fence_as_it_is_written() -> None:
    source = '<pre><code class="language-js">let a = 1 &lt; 2\n\n  <b>b</b>()\n</code></pre>\n\nafter'
    assert text_of(source) == "```js\nlet a = 1 < 2\n\n  b()\n```\n\nafter"


def test_a_table_of_tags_is_a_table_with_one_line_for_each_row() -> None:
    source = """<table>
<caption>Cap</caption>
<thead><tr><th>A</th><th>B</th></tr></thead>
<tbody>
<tr><td>one <b>two</b></td><td><ul><li>x</li><li>y|z</li></ul></td></tr>
<tr><td colspan="2">wide</td></tr>
<tr><td>1<td>2<td>3
</tbody>
</table>"""
    table = "| A | B |  |\n| --- | --- | --- |\n| one two | x y\\|z |  |\n| wide |  |  |\n| 1 | 2 | 3 |"
    assert text_of(source) == f"Cap\n\n{table}"


def test_a_table_whose_cells_hold_code_is_written_block_by_block() -> None:
    header = "<table><tr><th>A</th><th>B</th></tr>"
    source = f"{header}\n<tr><td>before</td><td>\n\n```js\nlet a\n```\n\n</td></tr></table>\n\nafter"
    for generator in ("docusaurus", None):
        document = read(source, generator)
        assert document.text == "| A | B |\n| --- | --- |\n\nbefore\n\n```js\nlet a\n```\n\nafter"
        assert flaws(document) == []


def test_a_table_inside_a_table_follows_what_came_before_it() -> None:
    inner = "<table><tr><td>x</td></tr></table>"
    source = f"<table><tr><td>a</td></tr><tr><td>b{inner}c</td></tr></table>"
    assert text_of(source) == "| a |\n| --- |\n\nb\n\n| x |\n| --- |\n\nc"


def test_blocks_inside_a_cell_of_markdown_become_running_text() -> None:
    source = "| A |\n| --- |\n| a <pre>x\ny</pre><table><tr><td>b</td><td>c</td></tr></table><ul><li>d</li></ul> |"
    assert text_of(source.replace("\ny", " y")) == "| A |\n| --- |\n| a `x y` b c d |"


def test_what_an_author_forgot_to_close_does_not_hide_the_next_section() -> None:
    assert mdx("<script>\nhidden\n\n## Shown\n\ntext") == "## Shown\n\ntext"
    assert code_of(read("<pre>\ncode\n\n## Shown\n\ntext", "docusaurus")) == ["code\n"]


def test_an_element_does_not_outlive_the_markdown_container_it_is_in() -> None:
    assert mdx("- <blockquote>a\n\nafter") == "- > a\n\nafter"
    assert mdx("> <ul><li>a\n\nafter") == "> - a\n\nafter"


def test_a_tag_does_not_close_what_was_opened_outside_its_container() -> None:
    assert mdx("<blockquote>\n\n- a\n\n  </blockquote>\n\n- b\n\n</blockquote>\nafter") == "> - a\n\n> - b\n\nafter"


def test_markdown_inside_html_is_read_where_its_site_reads_it() -> None:
    source = '<div class="x" markdown="1">\n**bold** `code`\n\n- item\n</div>\n\n<div>\n**raw**\n</div>'
    assert mkdocs(source) == "bold `code`\n\n- item\n\n**raw**"


def test_macros_in_raw_html_are_left_away() -> None:
    assert mkdocs("<div>\n{% for x in y %}<a href={{x.url}}>{{ x.name }} text</a>\n</div>") == "text"


def test_a_heading_of_tags_has_the_id_that_it_is_given_and_no_other() -> None:
    document = read('<h2 id="given">A</h2>\n\n<h3>B</h3>\n\n<h2 id="given">C</h2>', "docusaurus")
    assert [(section.level, section.heading, section.anchor) for section in document.sections] == [
        (2, "A", "given"),
        (3, "B", None),
        (2, "C", None),
    ]


def test_html_of_mkdocs_may_be_indented_like_code_while_an_element_is_open() -> None:
    source = "<div>\n\n    <p>one</p>\n\n    <p>two</p>\n\n</div>\n\n    <p>code</p>"
    assert mkdocs(source) == "one\n\ntwo\n\n```\n<p>code</p>\n```"
    assert text_of(source) == "```\n<p>one</p>\n\n<p>two</p>\n```\n\n```\n<p>code</p>\n```"
