"""Reading whole HTML pages: headings and ids, links, titles, labels, what is chrome, and pages that mean harm."""

import pytest
from tests.html_sources import made_by, read, read_whole, text_of
from tests.pages import URL, flaws, page

from assay.errors import InputError
from assay.ingest.html.reader import read_html
from assay.ingest.reading import read_page
from assay.model.documents import MediaType

_ANCHORS = {
    "its own id": '<h2 id="a">T</h2>',
    "the id of an element in it": '<h2><span id="a"></span>T</h2>',
    "the name of an anchor in it": '<h2><a name="a"></a>T</h2>',
    "the id of an empty element before it": '<p>x</p><a id="a"></a><h2>T</h2>',
    "the id of its section": '<section id="a"><h2>T</h2></section>',
    "the id of its section, also after an empty element": '<section id="a"><span></span><h2>T</h2></section>',
    "its own rather than its section's": '<section id="b"><h2 id="a">T</h2></section>',
}


@pytest.mark.parametrize("whose", _ANCHORS)
def test_a_heading_has_as_anchor(whose: str) -> None:
    section = read(_ANCHORS[whose]).sections[-1]
    assert (section.heading, section.anchor) == ("T", "a")


def test_a_heading_that_is_not_the_first_of_its_section_does_not_take_its_id() -> None:
    sections = read('<section id="a"><h2>T</h2><h2>U</h2></section>').sections
    assert [section.anchor for section in sections] == ["a", None]


def test_an_anchor_before_text_belongs_to_no_heading_after_it() -> None:
    assert read('<a id="a"></a><p>text</p><h2>T</h2>').sections[-1].anchor is None


@pytest.mark.parametrize(
    "link",
    [
        '<a class="hash-link" href="#a">\u200b</a>', '<a class="headerlink" href="#a">¶</a>', '<a href="#a">#</a>',
        '<a class="header-anchor" href="#a" aria-label="Permalink">&#8203;</a>', '<a href="#a">¶</a>',
    ],
)  # fmt: skip
def test_the_link_of_a_heading_to_itself_is_not_shown(link: str) -> None:
    document = read(f'<h2 id="a">T {link}</h2>')
    assert document.text == "## T"
    assert document.links == ()


def test_a_heading_within_its_own_link_keeps_its_text() -> None:
    document = read('<h2 id="a"><a class="header" href="#a">T <code>c</code></a></h2>')
    assert document.text == "## T `c`"
    assert document.links == ()


def test_signatures_are_headings_that_can_be_linked_to() -> None:
    body = (
        '<h2 id="m">m</h2><dl class="py function"><dt class="sig sig-object py" id="m.f"><span>m.f</span>(<em>a</em>)'
        '<a class="headerlink" href="#m.f">¶</a></dt><dd><p>Does it.</p><dl class="field-list"><dt>Returns</dt>'
        "<dd><p>It.</p></dd></dl></dd></dl>"
    )
    document = read(body)
    assert document.text == "## m\n\n### `m.f(a)`\n\nDoes it.\n\nReturns\n: It."
    assert document.sections[-1].anchor == "m.f"


# --- links ---

_SERVED_AT = "https://docs.example.org/guide/page/"


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("other", "https://docs.example.org/guide/page/other"),
        ("../other/#x", "https://docs.example.org/guide/other/#x"),
        ("/a b?c=d", "https://docs.example.org/a%20b?c=d"),
        ("//cdn.example.org/x", "https://cdn.example.org/x"),
        ("#x", URL + "#x"),
        ("mailto:a@example.org", "mailto:a@example.org"),
    ],
)
def test_a_link_leads_where_it_does_in_a_browser(href: str, target: str) -> None:
    (link,) = read(f'<p>a <a href="{href}">b</a></p>', served_at=_SERVED_AT).links
    assert (link.text, link.target) == ("b", target)


def test_a_base_moves_all_links() -> None:
    (link,) = read('<p><a href="b">b</a></p>', '<base href="/root/">', served_at=_SERVED_AT).links
    assert link.target == "https://docs.example.org/root/b"


@pytest.mark.parametrize("href", ["javascript:void(0)", "data:text/plain,x", "", "http://["])
def test_what_is_no_address_is_no_link(href: str) -> None:
    document = read(f'<p>a <a href="{href}">b</a></p>')
    assert document.text == "a b"
    assert document.links == ()


# --- titles ---


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>T | Site</title>", "<h1>H <code>c</code></h1>", "H c"),
        ("<title>T | Site</title>", "<p>x</p>", "T"),
        ('<title>A - b - Site</title><meta property="og:site_name" content="Site">', "<p>x</p>", "A - b"),
        ('<title>A - b</title><meta property="og:title" content="A">', "<p>x</p>", "A"),
        ('<meta property="og:title" content="A">', "<p>x</p>", "A"),
        ("", "<p>x</p>", "Guide page"),
    ],
)
def test_the_title(head: str, body: str, title: str) -> None:
    assert read(body, head).info.title == title


def test_a_heading_over_the_content_is_read_with_it() -> None:
    head = made_by("Starlight v0.30")
    document = read('<h1 id="_top">T</h1><div class="sl-markdown-content"><p>x</p></div>', head)
    assert document.text == "# T\n\nx"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (made_by("Docusaurus v3.10.2"), "docusaurus-page"),
        (made_by("mkdocs-1.6.1, mkdocs-material-9.8.2"), "mkdocs-page"),
        ("<!-- Book generated using mdBook -->", "mdbook-page"),
        ("", "html-page"),
    ],
)
def test_the_type_of_a_page_names_its_generator(head: str, kind: str) -> None:
    assert read("<p>x</p>", head).info.source_type == kind


# --- labels ---

_ADMONITIONS = {
    "docusaurus": '<div class="theme-admonition theme-admonition-tip admonition_x alert alert--success"><div '
    'class="admonitionHeading_x"><span class="admonitionIcon_x"><svg></svg></span>{}</div><div><p>x</p></div></div>',
    "material": '<div class="admonition tip"><p class="admonition-title">{}</p><p>x</p></div>',
    "material, folded": '<details class="tip" open><summary>{}</summary><p>x</p></details>',
    "vitepress": '<div class="tip custom-block"><p class="custom-block-title">{}</p><p>x</p></div>',
    "starlight": '<aside class="starlight-aside starlight-aside--tip"><p class="starlight-aside__title">{}</p>'
    "<div><p>x</p></div></aside>",
    "github": '<div class="markdown-alert markdown-alert-tip"><p class="markdown-alert-title">{}</p><p>x</p></div>',
    "mdbook": '<blockquote class="blockquote-tag blockquote-tag-tip"><p class="blockquote-tag-title">{}</p><p>x</p>'
    "</blockquote>",
    "docsy": '<div class="alert alert-success" role="alert"><h4 class="alert-heading">{}</h4><p>x</p></div>',
}


@pytest.mark.parametrize("generator", _ADMONITIONS)
@pytest.mark.parametrize(("title", "label"), [("Tip", "Tip:"), ("A <b>good</b> <code>c</code>", "Tip: A good `c`")])
def test_an_admonition_keeps_its_kind_and_title(generator: str, title: str, label: str) -> None:
    assert text_of(_ADMONITIONS[generator].format(title)) == f"{label}\nx"


def test_a_quotation_with_the_mark_of_an_alert_is_an_admonition() -> None:
    assert text_of("<blockquote><p>[!WARNING] x</p></blockquote>") == "Warning:\nx"


_TABS = {
    "roles in order": '<div><ul role="tablist"><li role="tab">A</li><li role="tab">B</li></ul>'
    '<div role="tabpanel"><p>a</p></div><div role="tabpanel" hidden><p>b</p></div></div>',
    "roles with ids": '<div role="tablist"><a role="tab" id="t2" aria-controls="p2">B</a><a role="tab" id="t1" '
    'aria-controls="p1">A</a></div><div role="tabpanel" id="p1"><p>a</p></div><div role="tabpanel" '
    'aria-labelledby="t2" hidden><p>b</p></div>',
    "material": '<div class="tabbed-set"><input><input><div class="tabbed-labels"><label>A</label><label>B</label>'
    '</div><div class="tabbed-content"><div class="tabbed-block"><p>a</p></div><div class="tabbed-block"><p>b</p>'
    "</div></div></div>",
    "sphinx-design": '<div class="sd-tab-set"><input><label class="sd-tab-label">A</label><div class="sd-tab-content">'
    '<p>a</p></div><input><label class="sd-tab-label">B</label><div class="sd-tab-content"><p>b</p></div></div>',
}


@pytest.mark.parametrize("markup", _TABS)
def test_every_panel_of_tabs_is_shown_with_its_label(markup: str) -> None:
    head = made_by("mkdocs-1.6") if markup == "material" else ""
    assert text_of(_TABS[markup], head) == "A:\na\n\nB:\nb"


def test_tabs_in_tabs_keep_their_labels_apart() -> None:
    inner = '<div role="tablist"><b role="tab">x</b><b role="tab">y</b></div><div role="tabpanel"><p>1</p></div>'
    body = (
        '<div role="tablist"><b role="tab">A</b><b role="tab">B</b></div>'
        f'<div role="tabpanel"><p>a</p>{inner}</div><div role="tabpanel"><p>b</p></div>'
    )
    assert text_of(body) == "A:\na\n\nx:\n1\n\nB:\nb"


def test_footnotes_stand_at_the_end_of_the_section_that_refers_to_them() -> None:
    body = (
        '<h2 id="a">A</h2><p>x<sup><a id="r" href="#user-content-fn-n" data-footnote-ref>1</a></sup></p>'
        '<h2 id="b">B</h2><p>y</p><section data-footnotes class="footnotes"><h2 class="sr-only">Footnotes</h2><ol>'
        '<li id="user-content-fn-n"><p>note <a href="#r" data-footnote-backref>↩</a></p></li></ol></section>'
    )
    assert text_of(body) == "## A\n\nx[^n]\n\n[^n]: note\n\n## B\n\ny"


# --- what is chrome ---

_CHROME = [
    "<nav>{}</nav>", '<div role="navigation">{}</div>', '<div role="search">{}</div>', "<button>{}</button>",
    '<ol class="breadcrumb"><li>{}</li></ol>', '<div class="edit-this-page">{}</div>', '<a rel="edit" href="e">{}</a>',
    '<div class="pagination-nav">{}</div>', '<div class="feedback-widget">{}</div>', '<div class="toc">{}</div>',
    '<div class="cookie-banner">{}</div>', '<a class="skip-link" href="#c">{}</a>', '<p class="last-updated">{}</p>',
    '<div class="version-banner">{}</div>', "<footer>{}</footer>", '<div aria-hidden="true">{}</div>',
    "<noscript>{}</noscript>", "<select><option>{}</select>", "<textarea>{}</textarea>", "<dialog>{}</dialog>",
]  # fmt: skip


@pytest.mark.parametrize("markup", _CHROME)
def test_chrome_is_not_shown(markup: str) -> None:
    assert text_of(f"<p>a</p>{markup.format('chrome')}<p>b</p>") == "a\n\nb"


@pytest.mark.parametrize("text", ["Edit this page", "Edit on GitHub", "View page source", "Report an issue"])
def test_a_link_to_edit_the_page_is_not_shown(text: str) -> None:
    assert text_of(f'<p>a</p><a href="https://github.com/x/y/edit/main/a.md">{text}</a>') == "a"


# --- pages of nobody knows what ---


def test_the_densest_element_is_read_where_nothing_is_named() -> None:
    content = (
        "<body><div><a href='x'>Home</a> <a href='y'>Docs</a></div><div><div><p>A long paragraph of what is said.</p>"
        "<p>And one more.</p></div></div><div><a href='z'>Imprint</a></div></body>"
    )
    assert read_whole(content).text == "A long paragraph of what is said.\n\nAnd one more."


@pytest.mark.parametrize(
    "content",
    ["x", "<nav>x</nav>", "<main></main>x", "<button>x</button>", "<div hidden>x</div>", "<footer>x</footer>"],
)
def test_a_page_with_text_is_never_empty(content: str) -> None:
    assert read_whole(content).text == "x"


@pytest.mark.parametrize(
    "body",
    [
        "<script>1</script>",
        '<noscript>Enable JavaScript.</noscript><div id="root"></div>',
        "<noscript><main><h1>No script</h1><p>Enable <b>JavaScript</b>.</p></main></noscript>",
        "<noscript><noscript>Twice</noscript></noscript>",
        "<noscript>Never closed<p>and so on",
        "<noframes><p>This site has frames.</p></noframes>",
    ],
)
def test_a_page_without_text_is_an_empty_document(body: str) -> None:
    document = read_whole(f"<html><head><title>T</title></head><body>{body}</body></html>")
    assert document.text == ""
    assert flaws(document) == []


def test_pages_of_another_media_type_are_refused() -> None:
    with pytest.raises(InputError, match="not HTML"):
        read_html(page("x"))


def test_a_page_is_given_to_the_reader_for_its_type() -> None:
    assert read_page(page("<p>a</p>", media_type=MediaType.HTML)).text == "a"


# --- pages that mean harm ---

_DEEP = 100_000
_MANY = 5_000


def test_an_element_in_a_hundred_thousand_others_is_shown() -> None:
    assert read_whole("<div>" * _DEEP + "<p>deep</p>").text == "deep"


_HOSTILE = {
    "lists": "<ul><li>" * _MANY, "quotations": "<blockquote>" * _MANY, "tables": "<table><tr><td>" * _MANY,
    "emphasis": "<b>" * _MANY, "folds": "<details><summary>s</summary>" * _MANY, "links in code": "<code><a>" * _MANY,
    "a row of spans": "<table>" + "<tr><td colspan=1000 rowspan=60000>b" * _MANY,
    "one wide row": "<table><tr>" + "<td>a" * _MANY + "<tr><td>b" * _MANY,
    "tabs": "<b role=tab>a</b>" * _MANY + "<div role=tabpanel>b</div>" * _MANY,
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(_MANY * 4)) + ">x", "unclosed tags": "<a" * _MANY,
    "NUL and half characters": "a\0b\ud800" * _MANY,
}  # fmt: skip


@pytest.mark.timeout(20)
@pytest.mark.parametrize("trap", _HOSTILE)
def test_a_page_that_means_harm_is_read_in_bounded_time_and_size(trap: str) -> None:
    content = _HOSTILE[trap]
    document = read_whole(content)
    assert len(document.text) < 10 * len(content) + 1_000
    document.text.encode()
