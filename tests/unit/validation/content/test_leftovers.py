"""Leftovers of other generators' markup are told from prose, and from code that shows the same markup."""

import pytest

from assay.validation.content.leftovers import KINDS, leftovers

SHOWN = {
    "Hugo shortcodes": [
        '{{< tab "Go" >}} Words. {{< /tab >}}',
        '{{% alert title="Careful" %}}',
        "{{% param version %}}",
    ],
    "template tags": ["Use {% data variables.name %} here.", "{%- include alert.html -%}", "{% endnote %}"],
    "template expressions": [
        "Last {{ site.title }} words.",
        "Version {{ version }}.",
        '{{ "now" | date }}',
        "{{- x -}}",
    ],
    "mdBook directives": ["{{#include part.md}}", "{{#title Other}}", "{{#playground a.rs}}"],
    "mdBook includes in code": ["```rust\n{{#rustdoc_include part.rs:main}}\n```"],
    "snippets to include": ["<<< ./x.js", "<<< @/snippets/a.ts{2}", '--8<-- "part.md"', '  -8<- "part.md"'],
    "marks of a table of contents": ["Before.\n\n[[toc]]\n\nAfter.", "[TOC]", "[[_TOC_]]"],
    "containers": [":::row::: Words.", "Before\n\n::: zone\n\nAfter", ":::{note} :class: dropdown", ":::"],
    "admonitions": ['!!! note "Title"', "??? tip", "???+ warning"],
    "MyST roles and targets": ["See {ref}`Label <target>`.", "(my-target)=\n\n# Title"],
    "Obsidian embeds": ["See ![[diagram.png]]."],
    "wiki links": ["See [[Other note|the other]] and [[Setup#Install]]."],
    "Obsidian comments": ["Words. %% a hidden comment %% Words."],
    "DocFX directives": ["[!INCLUDE Shared text]", '> [!div class="checklist"]', "[!code-csharpMain]"],
    "imports of components": ['import Tabs from "@theme/Tabs";', "import './a.css'", "export const a = 1"],
    "components": ["<Chart />", '<Chart size="2">', "Words </Chart>", "<Tabs.Item title={one}>"],
    "HTML tags": ['<div class="box">', "Words</span>", "One<br/>two", '<img src="a.png">'],
    "reStructuredText directives": [".. note::", ".. code-block:: python", ".. toctree:: :maxdepth: 2"],
    "reStructuredText roles and links": ["See :ref:`target`.", "See `the page <https://a.example>`_."],
    "AsciiDoc": ["[source,ruby]", "include::part.adoc[]", "image::a.png[Alt]"],
    "attribute lists": ["{: .no_toc }", "Link{:target=blank}", "{:toc}", "{: #custom .no_toc }"],
    "attributes": ["Text {.class} end.", "Words { .warning }", "{#id .class}"],
    "broken characters": ["CafÃ© au lait", "Itâ€™s here", "It\u00e2\x80\x99s", "a \ufffd sign", "ï¿½"],
    "merge conflicts": [
        "<<<<<<< HEAD",
        "# <<<<<<< HEAD The old text.",
        "Text <<<<<<< Updated upstream old",
        "<<<<<<< 1a2b3c4d",
        "> > > > > > > feature/branch",
        ">>>>>>> main",
        "old ======= new >>>>>>> main",
    ],
    "objects written as text": ["Takes [object Object] as its value.", "[object Promise]"],
    "placeholders without a value": ["%PRODUCT_NAME% is fast.", "Install @PACKAGE_VERSION@ of it.", "%%BASE_URL%%"],
    "entities escaped twice": ["It&#39;s here.", "a &lt;b&gt; c", "R&amp;D", "It&rsquo;s", "a&nbsp;b", "&#x27;"],
    "ends of lines written as text": [
        r"# Title\n\nWords here.\nMore words.\n",
        r"First line\nSecond line\n- an item\n- another",
    ],
    "headings without a value": ["## undefined", "# NaN", "### null"],
    "front matter": ["+++ title = 'A' +++", "## title: A layout: page date: 2024"],
}

PROSE = (
    "Git marks a conflict with lines of <<<<<<<, ======= and >>>>>>> around both sides.",
    "> > > A reply to a reply.\n>>> print(1)",
    "The shift << 7 and the stream out << a << b; cat <<<EOF; <<<<<<<<<<<< and >>>>>>>>",
    "Set %PATH%, %APPDATA% and %USERPROFILE%; 50%OFF% of it; a%20b%20C; /%E4%B8%AD%E6%96%87",
    "Write to me@HOME.example or @USER; @@ -1,3 +1,3 @@",
    r"The files are in C:\\new\notes\names\nodes and C:\nothing; \nabla, \nu and \neq are symbols.",
    r"A line ends with \n on Unix, and with \r\n on Windows.",
    "R&D, AT&T; a & b; ?a=1&copy=2&lt=3",
    "## The undefined value\n\nundefined, NaN and null are values; an [object of art].",
    "The set { 1, 2 } holds, and {x: 1} is an object.",
    "In Rust, a::b is a path, and std:::x is a mistake of somebody.",
    "An array of arrays is [[1, 2], [3, 4]]; a list is [x].",
    "50% of 20% is 10%; 100%%.",
    "List<String> and Map<K, V> are types; a < b and b > c; the <url> of a page.",
    "What??? Really!!! Yes.",
    "import the package from the registry, and export it",
    "Title: a story. Date: today.",
    "Note: this (really)=important thing. f(x)=y",
    "$$\\frac{{a}}{{b}}$$, $x^{{n}}$ and {{}}",
    "See http://a.example/{id}/x, C#, .NET and a `b`.",
    "- [x] done\n- [ ] not done",
    "Replace {{CUSTOMER_NAME}} and {{ YOUR KEY }} by your own, and pass ${{ secrets.KEY }} on.",
    "> [!NOTE]\n> As GitHub writes it.",
    "<<< is an operator, and <<<EOF begins a heredoc.",
    "# The title: what it is",
    "A irmã de São Paulo, «manhã», Ângela, IRMÃ, château, Ă and Â.",
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SHOWN.items() for text in texts])
def test_markup_that_nobody_read_is_found_by_its_kind(kind: str, text: str) -> None:
    assert kind in leftovers(text)
    assert kind in leftovers(f"Words before.\n\n{text}\n\nWords after.") or kind == "front matter"


def test_every_kind_has_an_example_here() -> None:
    assert SHOWN.keys() == KINDS.keys()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kind, text)
        for kind, texts in SHOWN.items()
        for text in texts
        if "`" not in text and kind != "front matter" and "#include" not in text
    ],
)
def test_code_that_shows_markup_is_no_leftover(kind: str, text: str) -> None:
    for fence in ("```", "~~~~", "````md"):
        assert leftovers(f"So it is written:\n\n{fence}\n{text}\n{fence[:4].strip('md')}\n\nWords.") == {}
        assert leftovers(f"- so:\n\n  {fence}\n  {text}\n  {fence[:4].strip('md')}") == {}
    in_a_line = " ".join(text.split())
    assert leftovers(f"Write `{in_a_line}`, or ``{in_a_line}`` with two.") == {}


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_leftover(text: str) -> None:
    assert leftovers(text) == {}


def test_markup_after_code_is_found_and_a_lone_backtick_hides_none() -> None:
    assert "template tags" in leftovers("```\ncode\n```\n\n{% tag %}")
    assert "template tags" in leftovers("It's a ` alone.\n\nThen {% tag %} and ` again.")
    assert "template tags" in leftovers("Two `` and {% tag %} and one `.")
    assert leftovers("A `{% tag %}` and ``{% ` %}``.") == {}


def test_an_example_is_one_line_and_short() -> None:
    shown = leftovers("{% include " + "x" * 150 + " %}")["template tags"]
    assert len(shown) == 60
    assert shown.endswith("…")
    assert leftovers("(a)=\n{ref}`x`")["MyST roles and targets"] in {"(a)=", "{ref}`…`"}


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "sign", sorted({sign for kind in KINDS.values() for sign in kind.signs} | {"`", "``` `", "{{ "})
)
def test_a_long_text_of_signs_alone_is_looked_at_in_bounded_time(sign: str) -> None:
    leftovers(f"{sign} " * 5_000)
    leftovers(sign * 5_000)
    leftovers(f"{sign}a" * 5_000)
