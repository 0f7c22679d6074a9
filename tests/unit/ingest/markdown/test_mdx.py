"""MDX as Docusaurus reads it."""

import pytest
from tests.pages import code_of, mdx, read

PARTIAL = {"./_part.mdx": "---\ntitle: x\n---\n\n## Setup\n\nPart **text**.\n"}


def test_imports_and_exports_are_left_away_also_over_several_lines() -> None:
    source = """import Tabs from '@theme/Tabs'; import TabItem from '@theme/TabItem';
import {
  a,
} from 'x'
import './style.css'
export const meta = {
  key: [

    1,
  ],
}

Text.

export default function X() {
  return <p>it's</p>
}
"""
    assert mdx(source) == "Text."


def test_prose_that_begins_with_import_or_export_stays() -> None:
    assert mdx("import the module first\n\nexport your data\n") == "import the module first\n\nexport your data"


def test_an_import_inside_a_list_or_code_is_no_statement() -> None:
    source = "- a\n\n  import x from 'y'\n\n```js\nimport a from 'b'\nexport default a\n```\n"
    assert mdx(source) == "- a\n\n  import x from 'y'\n\n```js\nimport a from 'b'\nexport default a\n```"


def test_expressions_and_comments_are_left_away_and_literals_shown() -> None:
    inside = "A {props.x}{' '}b {'lit'} {/* c */} <!-- c -->c {300}."
    source = f"{{/* c */}}\n\n{inside}\n\n{{\n  a ? <b/> : null\n}}\n\n<!--\n\nc\n-->\n"
    assert mdx(source) == "A b lit c 300."


def test_braces_and_tags_in_code_stay() -> None:
    source = "`{a} <Foo/>`\n\n```jsx\n{/* kept */}\n<Foo a={1}>\n  {x}\n</Foo>\n```\n"
    assert mdx(source) == "`{a} <Foo/>`\n\n```jsx\n{/* kept */}\n<Foo a={1}>\n  {x}\n</Foo>\n```"


def test_braces_and_angles_that_are_never_closed_are_text() -> None:
    assert mdx("a {b and <Foo c\n\nnext") == "a {b and <Foo c\n\nnext"


@pytest.mark.parametrize(
    "source",
    [
        "<Foo a={{b: 1}} c>text</Foo>",
        "<Foo>\ntext\n</Foo>",
        "<Foo>\n\ntext\n\n</Foo>",
        '<Foo\n  a={{b: 1}}\n  c="d"\n>\n    <Bar>\n        text\n    </Bar>\n</Foo>',
        "<><Foo/>text</>",
        "<div>\n  <Foo />\n  text\n</div>",
    ],
)
def test_text_inside_components_is_kept_however_it_is_written(source: str) -> None:
    assert mdx(source) == "text"


def test_components_side_by_side_do_not_join_their_words() -> None:
    assert mdx("<Card>one</Card><Card>two</Card>") == "one two"
    assert mdx("(see <Ref to='x'>this</Ref>).") == "(see this)."


def test_nothing_is_indented_code() -> None:
    assert mdx("<Foo>\n\n      text\n\n      ```js\n      x\n      ```\n\n</Foo>") == "text\n\n```js\nx\n```"


def test_a_fence_after_text_is_found_at_any_indentation() -> None:
    assert mdx("<Foo>\n      text\n      ```js\n      x\n      ```\n</Foo>") == "text\n\n```js\nx\n```"


def test_a_closing_tag_ends_the_paragraph_or_list_before_it() -> None:
    assert mdx("<A>\ntext\n</A>\nmore\n\n<B>\n- item\n</B>\nlast") == "text\n\nmore\n\n- item\n\nlast"


@pytest.mark.parametrize(
    ("tabs", "text"),
    [
        ('<TabItem value="npm" label="npm" default>\n\none\n\n</TabItem>', "npm:\none"),
        ('<TabItem value="npm">one</TabItem>', "npm:\none"),
        ("<TabItem value=\"a\" label={'Label'}>one</TabItem>", "Label:\none"),
        ('<Tab title="Python">one</Tab>', "Python:\none"),
        ('<TabItem value="ios"><Gone/></TabItem>', ""),
    ],
)
def test_each_tab_is_kept_under_its_label(tabs: str, text: str) -> None:
    assert mdx(f"<Tabs>\n{tabs}\n</Tabs>") == text


def test_tabs_find_their_labels_in_the_list_of_values() -> None:
    source = (
        "<Tabs values={[{label: 'Android (Java)', value: 'java'}]}>\n<TabItem value=\"java\">one</TabItem>\n</Tabs>"
    )
    assert mdx(source) == "Android (Java):\none"


def test_details_keep_their_summary_above_their_content() -> None:
    assert mdx("<details>\n  <summary>**More** `x`</summary>\n\n  Content.\n\n</details>\n\nAfter.") == (
        "More `x`\nContent.\n\nAfter."
    )


def test_a_summary_with_nothing_under_it_does_not_slip_into_what_follows() -> None:
    assert mdx("<details><summary>More</summary></details>\n\nAfter.") == "More\n\nAfter."


def test_a_component_with_a_title_around_text_shows_it() -> None:
    assert mdx('<Detailed title="Longer example">\n\nText.\n\n</Detailed>') == "Longer example\nText."
    assert mdx('<Video title="not shown" />') == ""


def test_components_for_admonitions_are_labelled_like_all_others() -> None:
    assert mdx('<Admonition type="tip" title="Mind">x</Admonition>') == "Tip: Mind\nx"
    assert mdx("<Warning>x</Warning>") == "Warning:\nx"


def test_images_are_their_alternative_text_and_breaks_break_lines() -> None:
    assert mdx('a<br/>b <img src="x.png" alt="Alt" /> <ThemedImage alt="T" sources={{a: 1}} />') == "a\nb Alt T"


def test_code_blocks_of_tags_are_fences() -> None:
    source = '<CodeBlock language="bash" title="shell">\n{`npm install\n  cd ${dir}`}\n</CodeBlock>'
    assert mdx(source) == '```bash title="shell"\nnpm install\n  cd ${dir}\n```'
    assert mdx("<CodeBlock language='js'>let a</CodeBlock>") == "```js\nlet a\n```"


def test_code_that_a_page_imports_is_shown_in_its_code_block() -> None:
    source = "import Source from '!!raw-loader!./a.js'\n\n<CodeBlock language=\"js\">{Source}</CodeBlock>"
    assert mdx(source, includes={"!!raw-loader!./a.js": "let a\n  let b\n"}) == "```js\nlet a\n  let b\n```"


def test_a_fence_for_mdx_is_read_as_if_it_were_not_there() -> None:
    assert mdx("```mdx-code-block\n<Foo>\n**text**\n</Foo>\n```\nafter") == "text\n\nafter"


@pytest.mark.parametrize("use", ["<Part/>", "<Part />", "<Part a={1}></Part>", "<Foo>\n  <Part/>\n</Foo>"])
def test_a_partial_is_put_where_it_is_used(use: str) -> None:
    assert mdx(f"import Part from './_part.mdx'\n\n{use}", includes=PARTIAL) == "## Setup\n\nPart text."


def test_a_partial_is_found_when_its_path_is_escaped() -> None:
    assert mdx("import Part from './\\_part.mdx'\n\n<Part/>", includes=PARTIAL) == "## Setup\n\nPart text."


def test_a_partial_in_a_list_stays_in_it() -> None:
    source = "import Part from './_part.mdx'\n\n- a\n\n  <Part/>\n"
    assert mdx(source, includes={"./_part.mdx": "text\n\n```\nx\n```"}) == "- a\n\n  text\n\n  ```\n  x\n  ```"


def test_a_partial_that_is_missing_is_left_away() -> None:
    assert mdx("import Part from './_gone.mdx'\n\na\n\n<Part/>\n\nb") == "a\n\nb"


def test_a_partial_numbers_its_headings_by_itself_as_docusaurus_does() -> None:
    source = "import Part from './_part.mdx'\n\n## Setup\n\n<Part/>\n\n## Setup\n"
    sections = read(source, "docusaurus", includes=PARTIAL).sections
    assert [section.anchor for section in sections] == ["setup", None, "setup-1"]


def test_partials_that_include_themselves_end() -> None:
    source = "import Part from './_part.mdx'\n\n<Part/>"
    endless = "import Part from './_part.mdx'\n\nx\n\n<Part/>\n\n<Part/>\n"
    assert set(mdx(source, includes={"./_part.mdx": endless}).split("\n\n")) == {"x"}


def test_magic_comments_are_left_out_of_code() -> None:
    document = read("```js {1} title='a.js'\n// highlight-next-line\nlet a\n```\n", "docusaurus")
    assert code_of(document) == ["let a\n"]


def test_a_page_may_ask_docusaurus_for_plain_markdown() -> None:
    source = "{a} <div>b</div>\n\n    code\n"
    assert mdx(source, is_commonmark=True) == "{a}\n\nb\n\n```\ncode\n```"
    assert mdx(source) == "b\n\ncode"


def test_a_comment_may_be_longer_than_any_tag() -> None:
    assert mdx("a\n\n<!--" + "\n" * 2000 + "-->\n\nb") == "a\n\nb"
