"""Pages of generators of reference documentation, each a short one as the generator writes it."""

import pytest

from assay.ingest.reading import read_page
from assay.model.documents import Document, MediaType, RawPage


def _read(html: str) -> Document:
    url = "https://larder.example/api/shelf"
    page = RawPage(
        key=url,
        url=url,
        content=html,
        media_type=MediaType.HTML,
        source="api",
        source_path="/api/shelf",
        source_hash="0",
        slug="shelf",
    )
    return read_page(page)


def _anchors(document: Document) -> dict[str, str | None]:
    return {section.heading: section.anchor for section in document.sections if section.level}


def _generator(name: str) -> str:
    return f'<meta name="generator" content="{name}">'


RUSTDOC = (
    _generator("rustdoc")
    + """
<nav class="sidebar"><h2><a href="#">Shelf</a></h2></nav><main><section id="main-content" class="content">
<div class="main-heading"><div class="rustdoc-breadcrumbs"><a href="index.html">larder</a></div>
<h1>Struct <span class="struct">Shelf</span>&nbsp;<button id="copy-path"
title="Copy item path">Copy item path</button></h1>
<span class="sub-heading"><a class="src" href="../src/larder/lib.rs.html#4">Source</a></span></div>
<pre class="rust item-decl"><code>pub struct Shelf {
    pub name: <a class="struct" href="String.html">String</a>,
}</code></pre>
<details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary>
<div class="docblock"><p>A board in a cupboard.</p></div></details>
<h2 id="fields" class="fields section-header">Fields<a href="#fields" class="anchor">§</a></h2>
<span id="structfield.name" class="structfield section-header"><a href="#structfield.name" class="anchor field">§</a>
<code>name: String</code></span><div class="docblock"><p>What the label says.</p></div>
<h2 id="implementations" class="section-header">Implementations<a href="#implementations" class="anchor">§</a></h2>
<details class="toggle implementors-toggle" open><summary><section id="impl-Shelf" class="impl">
<a class="src rightside" href="../src/larder/lib.rs.html#9">Source</a><a href="#impl-Shelf" class="anchor">§</a>
<h3 class="code-header">impl <a class="struct"
href="struct.Shelf.html">Shelf</a></h3></section></summary><div class="impl-items">
<details class="toggle method-toggle deprecated" open><summary><section id="method.count" class="method">
<span class="rightside"><span>1.0.0</span> · <a class="src" href="../src/larder/lib.rs.html#12">Source</a></span>
<h4 class="code-header">pub fn <a href="#method.count"
class="fn">count</a>(&amp;self) -&gt; usize</h4></section></summary>
<div class="docblock"><p>How many jars there are.</p></div></details></div></details>
<h2 id="blanket-implementations">Blanket Implementations<a href="#blanket-implementations" class="anchor">§</a></h2>
<div id="blanket-implementations-list"><h3 class="code-header">impl&lt;T&gt; Any for T</h3></div>
</section></main>"""
)


def test_rustdoc_has_methods_as_headings_and_no_mark_of_its_interface() -> None:
    document = _read(RUSTDOC)
    assert document.text == (
        "# Struct Shelf\n\n```\npub struct Shelf {\n    pub name: String,\n}\n```\n\nA board in a cupboard.\n\n"
        "## Fields\n\n`name: String`\n\nWhat the label says.\n\n## Implementations\n\n### impl Shelf\n\n"
        "#### pub fn count(&self) -> usize\n\nHow many jars there are."
    )
    assert _anchors(document) == {
        "Struct Shelf": None,
        "Fields": "fields",
        "Implementations": "implementations",
        "impl Shelf": "impl-Shelf",
        "pub fn count(&self) -> usize": "method.count",
    }


DOXYGEN = (
    _generator("Doxygen 1.9.4")
    + """<title>Larder: Shelf Class Reference</title><div id="top"><div id="projectname">Larder</div></div>
<div class="header"><div class="headertitle"><div class="title">Shelf Class Reference
<span class="mlabels"><span class="mlabel">final</span></span></div></div></div>
<div class="contents"><p>A board in a cupboard.</p>
<table class="memberdecls"><tr class="heading"><td colspan="2"><h2><a id="pub" name="pub"></a>Functions</h2></td></tr>
<tr class="memitem:a1f"><td class="memItemLeft">int&#160;</td>
<td class="memItemRight"><a href="#a1f">add</a> (int n)</td></tr>
<tr class="memdesc:a1f"><td>&#160;</td><td class="mdescRight">Puts a jar on the shelf.</td></tr></table>
<div class="fragment"><div class="line">Shelf top(<span class="stringliteral">"top"</span>);</div>
<div class="line"> </div>
<div class="line">top.add();   <span class="comment">// two blanks</span></div>
<div class="ttc" id="ashelf"><div class="ttname"><a href="shelf.html">Shelf</a></div><div
class="ttdoc">A board.</div></div>
</div>
<dl class="section note"><dt>Note</dt><dd>The file is read at every start. </dd></dl>
<blockquote class="doxtable"><p>&zwj;A tidy shelf is half a dinner.</p></blockquote>
<a id="a1f" name="a1f"></a>
<h2 class="memtitle"><span class="permalink"><a href="#a1f">&#9670;&nbsp;</a></span>add()</h2>
<div class="memitem"><div class="memproto"><table class="memname"><tr><td
class="memname">int Shelf::add </td><td>(</td>
<td class="paramtype">const char *&#160;</td><td
class="paramname"><em>what</em></td><td>)</td><td></td></tr></table></div>
<div class="memdoc"><p>Puts a jar on the shelf. </p>
<dl class="section return"><dt>Returns</dt><dd>The number of jars. </dd></dl></div></div></div>"""
)


def test_doxygen_has_code_notes_signatures_and_its_title() -> None:
    document = _read(DOXYGEN)
    assert document.info.title == "Shelf Class Reference"
    assert document.text == (
        "# Shelf Class Reference\n\nA board in a cupboard.\n\n"
        "## Functions\n\n`int add (int n)`\n\nPuts a jar on the shelf.\n\n"
        '```\nShelf top("top");\n \ntop.add();   // two blanks\n```\n\nNote:\nThe file is read at every start.\n\n'
        "> A tidy shelf is half a dinner.\n\n## add()\n\n`int Shelf::add ( const char * what)`\n\n"
        "Puts a jar on the shelf.\n\nReturns\n: The number of jars."
    )
    assert _anchors(document)["add()"] == "a1f"


def test_a_source_file_of_doxygen_has_no_line_numbers() -> None:
    lines = "".join(
        f'<div class="line"><a id="l{at}" name="l{at}"></a><span class="lineno">    {at}</span> {text}</div>\n'
        for at, text in enumerate(["class Shelf {", "  int count;", "};"], 1)
    )
    page = f'{_generator("Doxygen 1.9.4")}<div class="contents"><div class="fragment">{lines}</div></div>'
    assert _read(page).text == "```\nclass Shelf {\n  int count;\n};\n```"


def test_a_line_of_code_inside_another_is_written_once() -> None:
    lines = '<div class="foldopen"><div class="line">a<div class="line">b<div class="line">c</div></div></div></div>'
    page = f'{_generator("Doxygen 1.9.4")}<div class="contents"><div class="fragment">{lines}</div></div>'
    assert _read(page).text == "```\na\nb\nc\n```"


def test_a_caret_is_shown_only_between_the_names_of_a_menu() -> None:
    caret = '<i class="fa fa-angle-right caret"></i>'
    menu = f'<span class="menuseq"><b>File</b>&#160;{caret} <b>Save</b></span>'
    assert _read(f"<main><p>Choose {menu}.</p></main>").text == "Choose File › Save."
    assert _read(f"<main><p>Choose {caret}.</p></main>").text == "Choose ."


def test_what_is_called_a_footnote_is_text_if_nothing_can_refer_to_it() -> None:
    notes = '<div class="footnotes"><ol><li id="fn1"><p>A note.</p></li></ol></div>'
    assert _read('<main><p>T.</p><div class="footnote"><p>At the foot.</p></div></main>').text == "T.\n\nAt the foot."
    assert _read(f'<main><p>T.<a href="#fn1">1</a></p>{notes}</main>').text == "T.[^1]\n\n[^1]: A note."


JAVADOC = (
    _generator("javadoc/ClassWriterImpl")
    + """<header><nav>Overview</nav></header><main role="main"><div class="header"><h1
class="title">Class Shelf</h1></div>
<section class="summary"><ul class="summary-list"><li><section class="method-summary" id="method-summary">
<h2>Method Summary</h2><div class="table-tabs" role="tablist"><button role="tab">All Methods</button></div>
<div class="summary-table three-column-summary"><div class="table-header col-first">Modifier and Type</div>
<div class="table-header col-second">Method</div><div class="table-header col-last">Description</div>
<div class="col-first even-row-color"><code>int</code></div><div
class="col-second even-row-color"><code>add()</code></div>
<div class="col-last even-row-color"><div class="block">Puts a jar on the shelf.</div></div>
<div class="col-first odd-row-color"><code>int</code></div><div
class="col-second odd-row-color"><code>count()</code></div>
<div class="col-last odd-row-color">&nbsp;</div></div></section></li></ul></section>
<section class="details"><ul class="details-list"><li><section class="method-details" id="method-detail">
<h2>Method Details</h2><ul class="member-list"><li><section class="detail" id="add()"><h3>add</h3>
<div class="member-signature"><span class="modifiers">public</span>&nbsp;int&nbsp;add()</div>
<div class="block">Puts a jar on the shelf.</div><dl class="notes"><dt>Returns:</dt><dd>the number of jars</dd></dl>
</section></li></ul></section></li></ul></section></main>"""
)


def test_javadoc_has_summaries_as_tables_and_members_as_headings() -> None:
    document = _read(JAVADOC)
    assert document.text == (
        "# Class Shelf\n\n## Method Summary\n\n| Modifier and Type | Method | Description |\n| --- | --- | --- |\n"
        "| `int` | `add()` | Puts a jar on the shelf. |\n| `int` | `count()` |  |\n\n"
        "## Method Details\n\n### add\n\npublic int add()\n\nPuts a jar on the shelf.\n\nReturns:\n: the number of jars"
    )
    assert _anchors(document)["add"] == "add()"


TYPEDOC = """<div class="container container-main"><div class="col-content"><div class="tsd-page-title">
<ul class="tsd-breadcrumb"><li><a href="../index.html">larder</a></li></ul><h1>Class Shelf</h1></div>
<section class="tsd-panel"><div class="tsd-comment"><p>A board in a cupboard.</p>
<div class="tsd-alert tsd-alert-tip"><div
class="tsd-alert-title"><svg></svg><span>Tip</span></div><p>Use one word.</p></div>
</div></section><aside class="tsd-sources"><ul><li>Defined in <a href="shelf.ts">shelf.ts:3</a></li></ul></aside>
<section class="tsd-panel-group tsd-index-group"><section
class="tsd-panel tsd-index-panel"><h3>Methods</h3><a>add</a></section>
</section><details class="tsd-panel-group tsd-accordion" open><summary class="tsd-accordion-summary">
<h2 class="tsd-anchor-link" id="methods">Methods<a href="#methods"
class="tsd-anchor-icon"><svg></svg></a></h2></summary>
<section class="tsd-member"><h3 class="tsd-anchor-link" id="add">add<a href="#add"
class="tsd-anchor-icon"><svg></svg></a></h3>
<div class="tsd-signature">add(): number</div><p>Puts a jar on the shelf.</p></section></details></div>
<div class="col-sidebar"><h3>Settings</h3><h3>On This Page</h3></div></div>"""


def test_typedoc_has_groups_as_headings_and_only_its_content() -> None:
    document = _read(TYPEDOC)
    assert document.text == (
        "# Class Shelf\n\nA board in a cupboard.\n\nTip:\nUse one word.\n\n## Methods\n\n### add\n\nadd(): number\n\n"
        "Puts a jar on the shelf."
    )
    assert _anchors(document) == {"Class Shelf": None, "Methods": "methods", "add": "add"}


JSDOC = """<div id="main"><h1 class="page-title">Class: Shelf</h1><section><header><h2>Shelf</h2>
<div class="class-description">A board in a cupboard.</div></header><article><h4 class="name" id="add">add(what)</h4>
<div class="description">Puts a jar on the shelf.</div>
<dl class="details"><dt class="tag-source">Source:</dt><dd class="tag-source"><a
href="shelf.js.html">shelf.js</a></dd></dl>
</article></section></div><nav><h2><a href="index.html">Home</a></h2></nav><footer>By a generator</footer>"""


def test_jsdoc_has_the_text_above_the_members() -> None:
    assert _read(JSDOC).text == (
        "# Class: Shelf\n\n## Shelf\n\nA board in a cupboard.\n\n#### add(what)\n\nPuts a jar on the shelf."
    )


PDOC = (
    _generator("pdoc 16.0.0")
    + """<nav class="pdoc">API Documentation</nav><main class="pdoc"><section class="module-info"><h1
class="modulename">larder</h1>
<div class="docstring"><p>Keeping a larder.</p><div
class="pdoc-code codehilite"><pre><code>count()</code></pre></div></div>
<input id="mod-larder-view-source" class="view-source-toggle-state" type="checkbox">
<label class="view-source-button" for="mod-larder-view-source"><span>View Source</span></label>
<div class="pdoc-code codehilite"><pre>class Shelf: ...</pre></div></section>
<section id="Shelf"><input id="Shelf-view-source" class="view-source-toggle-state" type="checkbox">
<div class="attr class"><span class="def">class</span> <span class="name">Shelf</span>:
<label class="view-source-button" for="Shelf-view-source"><span>View Source</span></label></div>
<a class="headerlink" href="#Shelf"></a><div class="pdoc-code codehilite"><pre>class Shelf: ...</pre></div>
<div class="docstring"><p>A board in a cupboard.</p></div>
<div id="Shelf.add" class="classattr"><div class="attr function"><span class="def">def</span> <span
class="name">add</span>
<span class="signature">(self) -> int:</span></div><a class="headerlink" href="#Shelf.add"></a>
<div class="docstring"><p>Puts a jar on the shelf.</p></div></div></section></main>"""
)


def test_pdoc_has_members_as_headings_and_no_source() -> None:
    document = _read(PDOC)
    assert document.text == (
        "# larder\n\nKeeping a larder.\n\n```\ncount()\n```\n\n## `class Shelf:`\n\nA board in a cupboard.\n\n"
        "### `def add (self) -> int:`\n\nPuts a jar on the shelf."
    )
    assert _anchors(document) == {"larder": None, "class Shelf:": "Shelf", "def add (self) -> int:": "Shelf.add"}


DOCFX = """<meta name="docfx:rel" content="../"><main><div class="content"><div class="actionbar"><nav></nav></div>
<article data-uid=""><h1 id="shelves">Shelves</h1><div class="NOTE"><h5>Note</h5><p>The file is read.</p></div>
<div class="WARNING"><h5>Warning</h5><p>Mice eat it.</p></div>
<div class="tabGroup" id="tabgroup_1"><ul role="tablist"><li role="presentation"><a href="#tabpanel_1_a" role="tab"
aria-controls="tabpanel_1_a" data-tab="a" aria-selected="true">Linux</a></li><li role="presentation"><a
href="#tabpanel_1_b"
role="tab" aria-controls="tabpanel_1_b" data-tab="b" tabindex="-1">Windows</a></li></ul>
<section id="tabpanel_1_a" role="tabpanel" data-tab="a"><p>Most systems have it.</p></section>
<section id="tabpanel_1_b" role="tabpanel"
data-tab="b" aria-hidden="true" hidden="hidden"><p>Run the installer.</p></section></div>
</article><div class="contribution"><a href="https://github.com/larder" class="edit-link">Edit this page</a></div>
<div class="next-article"></div></div><div class="affix"><nav id="affix"></nav></div></main>"""


def test_docfx_has_the_kind_of_an_alert_and_all_tabs() -> None:
    assert _read(DOCFX).text == (
        "# Shelves\n\nNote:\nThe file is read.\n\nWarning:\nMice eat it.\n\n"
        "Linux:\nMost systems have it.\n\nWindows:\nRun the installer."
    )


def test_code_in_a_figure_of_hexo_has_its_language_and_title_and_no_numbers() -> None:
    figure = (
        '<figure class="highlight toml"><figcaption><span>larder.toml</span></figcaption><table><tr>'
        '<td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br></pre></td>'
        '<td class="code"><pre><span class="line">[shelf]</span><br><span class="line"></span><br>'
        '<span class="line">a  = 1</span><br></pre></td></tr></table></figure>'
    )
    assert _read(f"<main>{figure}</main>").text == '```toml title="larder.toml"\n[shelf]\n\na  = 1\n```'


def test_a_figure_of_code_without_numbers_is_what_is_in_it() -> None:
    figure = '<figure class="highlight"><pre><code class="language-ruby" data-lang="ruby">puts 1</code></pre></figure>'
    assert _read(f"<main>{figure}</main>").text == "```ruby\nputs 1\n```"


VOCS = """<html data-vocs><body><article class="vocs_Content"><h1 class="vocs_H1"><div id="shelves"></div>Shelves
<a class="vocs_Autolink" href="#shelves">#</a></h1><aside class="vocs_Aside vocs_Callout vocs_Callout_danger">
<div class="vocs_Callout_icon"><svg></svg></div><div class="vocs_Callout_content"><p>Never delete it.</p></div></aside>
<div class="vocs_CodeBlock"><div class="vocs_CodeTitle">
<div class="vocs_Icon"><svg><title>File</title></svg></div>larder.toml</div>
<pre data-lang="toml"><code><span class="line">a = 1</span>
<span class="line"> </span>
<span class="line">b = 2</span></code></pre></div><footer class="vocs_Footer">Next</footer></article></body></html>"""


def test_vocs_has_the_kind_of_a_callout_and_the_title_of_code() -> None:
    document = _read(VOCS)
    assert document.text == (
        '# Shelves\n\nDanger:\nNever delete it.\n\n```toml title="larder.toml"\na = 1\n\nb = 2\n```'
    )
    assert _anchors(document) == {"Shelves": "shelves"}


ASCIIDOCTOR = (
    _generator("Asciidoctor 2.0.23")
    + """<body class="article"><div id="header"><h1>Shelves</h1>
<div class="details"><span class="author">A shelf maker</span></div>
<div id="toc" class="toc"><div id="toctitle">Table of Contents</div><ul><li><a
href="#_adding">Adding</a></li></ul></div></div>
<div id="content"><div class="sect1"><h2 id="_adding">Adding</h2><div class="sectionbody">
<div class="admonitionblock tip"><table><tr><td class="icon"><div class="title">Tip</div></td><td class="content">
<div class="title">Names</div><div class="ulist"><ul><li><p>Use one word.</p></li></ul></div></td></tr></table></div>
<div class="paragraph"><p>It is old.<sup class="footnote">[<a id="_footnoteref_1" class="footnote"
href="#_footnotedef_1">1</a>]</sup>
</p></div></div></div></div><div id="footnotes"><hr><div class="footnote" id="_footnotedef_1">
<a href="#_footnoteref_1">1</a>. Since bacon.</div></div>
<div id="footer"><div id="footer-text">Last updated today</div></div></body>"""
)


def test_a_page_of_asciidoctor_without_a_site_is_read_too() -> None:
    assert _read(ASCIIDOCTOR).text == (
        "# Shelves\n\n## Adding\n\nTip: Names\n\n- Use one word.\n\nIt is old.[^1]\n\n[^1]: Since bacon."
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<h2 id="a"><a class="header-anchor" href="#a"><span>Adding</span></a></h2><p>T.</p>', "## Adding\n\nT."),
        ('<h2 id="a">Adding <a class="header-anchor" href="#a">Permalink</a></h2><p>T.</p>', "## Adding\n\nT."),
        ('<h2 id="a"><a class="header-anchor" href="#a">#</a> Adding</h2><p>T.</p>', "## Adding\n\nT."),
    ],
)
def test_a_self_link_is_shown_only_if_it_holds_the_whole_heading(html: str, text: str) -> None:
    assert _read(f"<main>{html}</main>").text == text


def test_a_quotation_may_be_an_admonition_by_its_class() -> None:
    box = '<blockquote class="{}"><p>Mice</p><p>They eat it.</p></blockquote>'
    assert _read(f"<main>{box.format('warning')}</main>").text == "Warning:\nMice\n\nThey eat it."
    assert _read(f"<main>{box.format('warning-title')}</main>").text == "Warning: Mice\nThey eat it."
    assert _read(f"<main>{box.format('quote')}</main>").text == "> Mice\n\n> They eat it."
