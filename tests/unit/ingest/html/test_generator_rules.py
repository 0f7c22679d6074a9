"""What single generators write in their own ways, each rule on a page with nothing else."""

import pytest
from tests.site_generators.kept import KeptPage, kept_pages

from assay.ingest.reading import read_page
from assay.model.documents import MediaType, RawPage

NEXTRA = '<body class="nextra-content"><main data-pagefind-body>{}</main>'
STARLIGHT = '<meta name="generator" content="Starlight v0.42.4"><main><div class="sl-markdown-content">{}</div></main>'
GITBOOK = (
    '<meta name="generator" content="GitBook (1a2b3c4)"><main><div class="grid whitespace-pre-wrap">{}</div>{}</main>'
)
ANY = "<main>{}</main>"

TYPES = {
    "antora": "antora-page",
    "docsy": "docsy-page",
    "docusaurus": "docusaurus-page",
    "furo": "sphinx-page",
    "gitbook": "gitbook-page",
    "honkit": "gitbook-page",
    "justthedocs": "jekyll-page",
    "material": "mkdocs-page",
    "mdbook": "mdbook-page",
    "nextra": "nextra-page",
    "rspress": "rspress-page",
    "rtd": "sphinx-page",
    "starlight": "starlight-page",
    "vitepress": "vitepress-page",
    "vuepress": "vuepress-page",
}


def _text(html: str) -> str:
    url = "https://larder.example/manual/page"
    page = RawPage(
        key=url,
        url=url,
        content=html,
        media_type=MediaType.HTML,
        source="manual",
        source_path="/manual/page",
        source_hash="0",
        slug="page",
    )
    return read_page(page).text


@pytest.mark.parametrize("page", kept_pages(), ids=lambda page: page.name)
def test_the_generator_of_a_page_is_told(page: KeptPage) -> None:
    assert page.read().info.source_type == TYPES[page.name.partition("/")[0]]


def test_text_above_the_code_in_a_frame_is_its_title_but_for_buttons() -> None:
    code = "<pre><code>x = 1</code></pre>"
    frame = f'<div class="nextra-code"><div><span>a.py</span><button>Wrap</button></div>{code}</div>'
    assert _text(NEXTRA.format(frame)) == '``` title="a.py"\nx = 1\n```'


def test_a_frame_with_two_code_blocks_is_no_frame() -> None:
    frame = '<div class="nextra-code"><span>Both</span><pre>a\nb</pre><pre>c\nd</pre></div>'
    assert _text(NEXTRA.format(frame)) == "Both\n\n```\na\nb\n```\n\n```\nc\nd\n```"


def test_an_empty_line_is_empty_where_a_generator_writes_a_blank() -> None:
    code = "<pre><code><span>a</span>\n<span> </span>\n<span>  </span>\n<span>b</span></code></pre>"
    assert _text(NEXTRA.format(code)) == "```\na\n\n  \nb\n```"
    assert _text(ANY.format(code)) == "```\na\n \n  \nb\n```"


@pytest.mark.parametrize(
    ("colour", "label"),
    [("x:bg-blue-100", "Info:"), ("x:bg-red-100", "Error:"), ("x:bg-purple-100", "Important:"), ("other", "Note:")],
)
def test_the_kind_of_a_callout_is_told_by_its_colour(colour: str, label: str) -> None:
    callout = f'<div class="nextra-callout {colour}"><div>Close the lid.</div></div>'
    assert _text(NEXTRA.format(callout)) == f"{label}\nClose the lid."


def test_a_heading_in_a_summary_is_what_folds_not_a_heading() -> None:
    assert _text(ANY.format("<details><summary><h3>Why?</h3></summary><p>So.</p></details>")) == "Why?\nSo."


def test_a_fold_of_a_kind_says_its_kind() -> None:
    fold = '<details class="note"><summary>Folded</summary><p>Text.</p></details>'
    assert _text(ANY.format(fold)) == "Note: Folded\nText."


def test_see_also_is_two_words() -> None:
    box = '<div class="admonition seealso"><p class="admonition-title">See also</p><p>The shop.</p></div>'
    assert _text(ANY.format(box)) == "See also:\nThe shop."


def _lines(*lines: tuple[str, str]) -> str:
    written = "".join(f'<div class="ec-line {kind}"><div class="code">{text}</div></div>' for kind, text in lines)
    return f'<pre data-language="{{}}"><code>{written}</code></pre>'


def test_lines_of_a_diff_get_back_the_marks_that_are_classes() -> None:
    code = _lines(("", "same"), ("highlight del", "old"), ("highlight ins", "new")).format("diff")
    assert _text(STARLIGHT.format(code)) == "```diff\n same\n-old\n+new\n```"


@pytest.mark.parametrize(
    ("language", "lines"),
    [("js", [("highlight del", "old"), ("highlight ins", "new")]), ("diff", [("", "--- a"), ("", "+++ b")])],
)
def test_code_that_is_no_diff_or_has_its_marks_gets_none(language: str, lines: list[tuple[str, str]]) -> None:
    code = _lines(*lines).format(language)
    assert _text(STARLIGHT.format(code)) == f"```{language}\n{lines[0][1]}\n{lines[1][1]}\n```"


def test_a_card_has_its_description_apart() -> None:
    card = '<div class="sl-link-card"><span><a href="/x"><span class="title">Card</span></a>'
    assert _text(STARLIGHT.format(f'{card}<span class="description">More.</span></span></div>')) == "Card\n\nMore."


def test_elements_by_role_are_a_table() -> None:
    def row(role: str, *cells: str) -> str:
        return '<div role="row">' + "".join(f'<div role="{role}"><p>{cell}</p></div>' for cell in cells) + "</div>"

    table = f'<div role="table">{row("columnheader", "A", "B")}{row("cell", "1 | 2", "")}</div>'
    assert _text(ANY.format(table)) == "| A | B |\n| --- | --- |\n| 1 \\| 2 |  |"


def test_the_box_of_a_task_stands_before_its_text_wherever_that_begins() -> None:
    done = '<li><div><input type="checkbox" checked></div><div><p>Done.</p></div></li>'
    bare = '<li><div><input type="checkbox"></div><div><p><code>a</code> to do</p></div></li>'
    alone = '<li><input type="checkbox"></li><li>Plain.</li>'
    assert _text(ANY.format(f"<ul>{done}{bare}{alone}</ul>")) == "- [x] Done.\n- [ ] `a` to do\n- Plain."


def test_what_comes_after_the_content_is_cut_where_no_name_tells_it() -> None:
    after = '<div class="mt-6"><a href="/next">Next</a></div><p>Last updated <time>today</time></p>'
    assert _text(GITBOOK.format("<p>Text.</p>", after)) == "Text."


def test_a_formula_of_mathml_alone_stands_apart_when_it_says_so() -> None:
    tex = '<annotation encoding="application/x-tex">a = b</annotation>'
    shown = '<span class="katex"><math{}><semantics><mrow><mi>a</mi></mrow>' + tex + "</semantics></math></span>"
    assert _text(ANY.format("<p>So</p>" + shown.format(' display="block"'))) == "So\n\n$$\na = b\n$$"
    assert _text(ANY.format(f"<p>So {shown.format('')}.</p>")) == "So $a = b$."
