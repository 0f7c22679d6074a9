"""What running text of MkDocs, and every page, holds besides CommonMark."""

import pytest
from tests.pages import mdx, mkdocs, read, text_of

from assay.model.documents import MkDocsRules


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a {{ macro('x') }} b {% if y %}c{% endif %} d {# e #}", "a b c d"),
        ("`{{ kept }}` and `{% kept %}`", "`{{ kept }}` and `{% kept %}`"),
        ("a {{ b", "a {{ b"),
        ("[Go](go.md){ .md-button }", "Go"),
        ("![Alt](a.png){ width=300 loading=lazy }", "Alt"),
        ("text\n{: .cls }", "text"),
        ("`#!py x = 1`, `#!/bin/sh` and `:::js y`", "`x = 1`, `#!/bin/sh` and `y`"),
        ("{++added++} text", "{++added++} text"),
        ("H~2~O and x^2^, ~~no~~ ~5 min and ~10, a^ b^", "H2O and x2, no ~5 min and ~10, a^ b^"),
        (
            "| a | b |\n|--|--|\n| `c | d` | ``e`|f`` |\n| `g` | h `|",
            "| a | b |\n| --- | --- |\n| `c \\| d` | ``e`\\|f`` |\n| `g` | h ` |",
        ),
        ("text {: .cls }", "text {: .cls }"),  # neither after an element nor on a line of its own
        ("**text**{: .cls } and a{.b}", "text and a{.b}"),
        ("| a { .b } | c{.d} |\n|--|--|\n| e { .f } | `g`{.h} |", "| a | c{.d} |\n| --- | --- |\n| e | `g` |"),
        ("a set {x} and {1, 2}", "a set {x} and {1, 2}"),
        (":material-account-circle: Account :fontawesome-brands-github:{ .lg }", "Account"),
        ("at 10:30:00", "at 10:30:00"),
        ("++ctrl+alt+del++ and C++ or D++", "Ctrl+Alt+Del and C++ or D++"),
        ('++"Custom"+page-up++', "Custom+Page Up"),
        ("==marked **text**== and ^^inserted^^ but a == b", "marked text and inserted but a == b"),
        ("*[HTML]: Hyper Text\nHTML", "HTML"),
        ("[TOC]", ""),
        ("#NoBlank", "# NoBlank"),
    ],
)
def test_mkdocs_extensions_show_what_the_site_shows(source: str, text: str) -> None:
    assert mkdocs(source) == text


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("**bold** _em_ ***both*** ~~gone~~ snake_case_name 2*3*4", "bold em both gone snake_case_name 234"),
        ("`a  b` ``c`d``", "`a  b` ``c`d``"),
        ("line one\nline two", "line one line two"),
        ("hard  \nbreak\\\nand<br/>more", "hard\nbreak\nand\nmore"),
        ("&lt;div&gt; &amp; &copy; &#x4e2d; a&nbsp;b", "<div> & © 中 a b"),
        ("\\*not em\\* \\# \\\\", "*not em* # \\"),
        ("![alt *text*](x.png) ![](y.png)", "alt text"),
        ("[text](https://x.org 'title') [ref][r] [r]\n\n[r]: https://y.org", "text ref r"),
        ("<https://x.org/a_b_c> https://y.org/d_e_f", "https://x.org/a_b_c https://y.org/d_e_f"),
        ("Euler: $e^{i\\pi}_x + 1 = *0*$ and $$a_1 * b_1$$.", "Euler: $e^{i\\pi}_x + 1 = *0*$ and $$a_1 * b_1$$."),
        ("it costs $5 or *$6* and `$HOME`", "it costs $5 or $6 and `$HOME`"),
        ("a <kbd>Ctrl</kbd>+<kbd>C</kbd> H<sub>2</sub>O <abbr title='x'>HTML</abbr>", "a Ctrl+C H2O HTML"),
        ("a <code>x &lt; y</code> <code>`</code>", "a `x < y` `` ` ``"),
        ("a <!-- comment --> b", "a b"),
        ("a <script>hidden()</script> b <style>x</style>c", "a b c"),
        ("1 < 2 and a<b", "1 < 2 and a<b"),
        ("- [ ] todo\n- [x] done", "- [ ] todo\n- [x] done"),
        ("Title\n=====\n\nSub\n---", "# Title\n\n## Sub"),
        ("a\n\n***\n\nb", "a\n\nb"),
    ],
)
def test_running_text_reads_as_it_is_shown_in_every_dialect(generator: str | None, source: str, text: str) -> None:
    assert text_of(source, generator) == text


def test_formulas_keep_their_lines() -> None:
    source = "a\n\n$$\n\\int_0^1 x_a\n\n\\sum_b\n$$\n\nb"
    for generator in ("docusaurus", "mkdocs", None):
        assert text_of(source, generator) == "a\n\n$$\n\\int_0^1 x_a\n\\sum_b\n$$\n\nb"


def test_a_formula_that_is_never_closed_is_text() -> None:
    assert mdx("$$\na\n\n# b") == "$$ a\n\n# b"


def test_changes_of_the_text_are_shown_where_their_extension_is_on() -> None:
    source = "{++added++} {--gone--} {~~old~>new~~} {==marked==} {>>said<<}"
    assert mkdocs(source, mkdocs=MkDocsRules(edits=True)) == "added gone oldnew marked said"


@pytest.mark.parametrize(
    ("source", "text", "targets"),
    [
        ("a [text]\n[ref] b", "a text b", ["https://x.example"]),
        ("a [text] [ref] b", "a text b", ["https://x.example"]),
        ("a [`ref`] [ref]", "a `ref`", ["https://x.example"]),
        ("a [ref][^1] b", "a ref[^1] b", ["https://x.example"]),
        ("a [text] [none] b", "a [text] [none] b", []),
        ("a [ref] b", "a ref b", ["https://x.example"]),
    ],
)
def test_links_by_reference_are_read_as_python_markdown_does(source: str, text: str, targets: list[str]) -> None:
    document = read(f"{source}\n\n[ref]: https://x.example", "mkdocs")
    assert document.text == text
    assert [link.target for link in document.links] == targets


def test_html_of_mkdocs_ends_with_its_line_and_may_hold_markdown() -> None:
    source = "<div markdown>\n\nA [x].\n\n</div>\n[x]: https://x.example\n\nB."
    assert mkdocs(source) == "A x.\n\nB."
    assert mkdocs("<figure markdown>\n<figcaption markdown>A **b** [c](d)</figcaption>\n</figure>") == "A b c"
    assert mkdocs("<small>\n  **Tip:** text\n</small>") == "Tip: text"
    assert mkdocs("<div>**raw**</div>") == "**raw**"
