"""What holds for every page that the reader of HTML reads."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.html_sources import made_by, read_whole
from tests.pages import code_of, flaws

_PIECES = st.sampled_from(
    [
        "text", " ", "\n", "word word", "<p>", "</p>", "<div>", "</div>", "<h1 id=a>", "</h1>", "<h2>", "</h2>",
        "<h3 id=b>", "</h3>", '<a href="#a">#</a>', '<a href="b/c">', "</a>", '<a id="x"></a>', "<ul>",
        "<ol start=3>", "<li>", "</li>", "</ul>", "</ol>", "<blockquote>", "</blockquote>", "[!NOTE] x", "<pre>",
        "</pre>", "<code>", "</code>", "<br>", '<pre><code class="language-js">a\n\nb</code></pre>',
        '<span class="line">a</span>', '<div class="line">a</div>', "<table>", "<tr>", "<td>", "<td colspan=2>",
        "<th rowspan=2>", "</td>", "</tr>", "</table>", "<caption>c</caption>", "<dl>", "<dt>", "<dd>", "</dd>",
        "</dl>", '<dt class="sig" id="m.f">', "<details>", "<summary>", "</summary>", "</details>",
        '<div class="admonition note">', '<p class="admonition-title">', '<details class="warning">',
        '<div role="tablist">', '<span role="tab">l</span>', '<div role="tabpanel" hidden>', '<div class="blocks">',
        '<sup><a href="#fn1">1</a></sup>', '<section class="footnotes"><ol><li id="fn1">note</ol></section>',
        "<script>", "</script>", "<style>", "</style>", "<template>", "</template>", "<svg>", "</svg>",
        "<math><mi>x</mi></math>",
        '<span class="katex"><math><annotation encoding="application/x-tex">a\n# b</annotation></math></span>',
        '<div class="math">\\[ a \\]</div>', "<img alt='A | B'>", "<input type=checkbox checked>", "<button>",
        "</button>", "<nav>", "</nav>", "<x-y>", "</x-y>", "&nbsp;", "&shy;", "&#0;", "&lt;", "`", "```", "# x",
        "---", "|", "中文。", "😀", "\u200b", "\ud800", "\0", "\ufeff", "\x0c", "<!-- c -->", "<![CDATA[x]]>", "<a",
        "</",
        "<kbd>", "</kbd>", "<hr>", '<div class="codeBlockTitle_x">t</div>',
        '<table class="highlighttable"><tr><td><pre>1</pre><td><pre>a</pre></table>', "<html>", "<body>", "<main>",
        "</main>", "<article>", "<span hidden>", "</span>", '<div aria-hidden="true">',
    ]
)  # fmt: skip
_PAGES = st.lists(_PIECES, max_size=40).map("".join)
_GENERATORS = st.sampled_from(["", "Docusaurus v3", "mkdocs-1", "VitePress v1", "HonKit 6", "Starlight v0"])


@settings(max_examples=400, deadline=None)
@given(_PAGES, _GENERATORS)
def test_any_mixture_of_markup_gives_a_document_without_flaws(body: str, generator: str) -> None:
    document = read_whole(made_by(generator) + "<main>" + body)
    assert flaws(document) == []
    document.text.encode()


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_any_text_at_all_gives_a_document_without_flaws(content: str) -> None:
    document = read_whole(content)
    assert flaws(document) == []
    document.text.encode()


@settings(max_examples=200, deadline=None)
@given(_PAGES)
def test_a_page_always_gives_the_same_document(body: str) -> None:
    assert read_whole(body) == read_whole(body)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1, max_size=80))
def test_code_is_kept_byte_for_byte(code: str) -> None:
    if not code.strip():
        return
    written = code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = code.removesuffix("\n") + "\n"
    assert code_of(read_whole(f"<main><pre>\n<code>{written}</code></pre></main>")) == [shown]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["<nav>", "</nav>", "<p>", "<li>", "<div>", "<td>", "<h2>"]), max_size=12))
def test_nothing_in_navigation_is_shown_wherever_it_stands(pieces: list[str]) -> None:
    opened = "".join(pieces)
    text = read_whole(f"<main><p>kept</p>{opened}<nav><a href='x'>chrome</a></nav></main>").text
    assert "kept" in text
    assert "chrome" not in text
