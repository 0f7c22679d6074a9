"""What each kind of HTML element becomes in the normalized text; one rule for each case."""

import pytest
from tests.html_sources import text_of

_RUNNING = {
    "blanks collapse as in a browser": ("<p>a \n\t b&nbsp; c</p>", "a b c"),
    "a line break breaks the line": ("<p>a<br>b</p>", "a\nb"),
    "emphasis is left away": ("<p><b>a</b> <i>b</i> <del>c</del> <ins>d</ins></p>", "a b c d"),
    "raised and lowered text runs on": ("<p>H<sub>2</sub>O, x<sup>2</sup></p>", "H2O, x2"),
    "an abbreviation is as it is written": ("<p><abbr title='long'>ab</abbr></p>", "ab"),
    "keys run on": ("<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>", "Ctrl+C"),
    "inline code keeps its blanks and gets backticks": ("<p><code>a  `b`</code></p>", "`` a  `b` ``"),
    "coloured inline code is one span": ("<p><code><span>a</span> <span>b</span></code></p>", "`a b`"),
    "an image is its alternative text": ("<p>a <img src=x alt='A dog'> b</p>", "a A dog b"),
    "an image for light and dark is shown once": ("<p><img alt=a src=l><img alt=a src=d></p>", "a"),
    "an image that only decorates is not shown": ("<p>a<img alt=x role=presentation></p>", "a"),
    "entities are what they stand for": ("<p>&lt;a&gt; &amp; &eacute;&#x41;</p>", "<a> & éA"),
    "soft hyphens and blanks without width are not text": ("<p>a&shy;b&#8203;c<wbr>d</p>", "abcd"),
    "joiners that shape letters stay": ("<p>क्\u200dष 👩\u200d🍳</p>", "क्\u200dष 👩\u200d🍳"),
    "unknown elements keep their text": ("<x-card><x-title>a</x-title> b</x-card>", "a b"),
    "comments, scripts and styles are not text": ("<p>a<!-- b --><script>c</script><style>d</style></p>", "a"),
    "frames, drawings and templates are not text": ("<p>a<iframe>b</iframe><svg><text>c</text></svg></p>", "a"),
    "what is only for screen readers is not shown": ("<p>a<span class='sr-only'>b</span></p>", "a"),
    "what is hidden for good is not shown": ("<p>a</p><p hidden>b</p><p style='display: none'>c</p>", "a"),
    "what a control shows on demand is shown": (
        "<button aria-controls=x aria-expanded=false>More</button><div id=x hidden><p>b</p></div>",
        "More\n\nb",
    ),
    "what a browser finds when it searches is shown": ("<p hidden=until-found>b</p>", "b"),
    "a hash at the beginning of a line is no heading": ("<p># a</p>", "\\# a"),
}

_BLOCKS = {
    "an ordered list counts from its start": ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
    "lists nest": ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
    "items of paragraphs stand apart": ("<ul><li><p>a</p><li><p>b</p></ul>", "- a\n\n- b"),
    "docutils' simple lists do not": ("<ul class=simple><li><p>a</p><li><p>b</p></ul>", "- a\n- b"),
    "tasks keep their boxes": (
        "<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
        "- [x] a\n- [ ] b",
    ),
    "a quotation is marked on every line": ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n\n> b"),
    "a definition stands under its term": ("<dl><dt>t<dd>a<dd>b</dl>", "t\n: a\n: b"),
    "a figure has its caption": ("<figure><img alt=a><figcaption>b</figcaption></figure>", "a\n\nb"),
    "a rule says nothing": ("<p>a</p><hr><p>b</p>", "a\n\nb"),
    "a fold has its summary above it": ("<details><summary>s</summary><p>a</p></details>", "s\na"),
    "an empty fold has its summary": ("<details><summary>s</summary></details>", "s"),
}

_TABLES = {
    "a table is rows": (
        "<table><thead><tr><th>a<th>b</thead><tr><td>1<td>x|y</table>",
        "| a | b |\n| --- | --- |\n| 1 | x\\|y |",
    ),
    "cells over columns and rows leave empty ones": (
        "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
        "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
    ),
    "lists and lines in a cell become running text": (
        "<table><tr><th>a<tr><td><ul><li>x<li>y</ul>z<br>w</table>",
        "| a |\n| --- |\n| x y z w |",
    ),
    "a caption stands before": ("<table><caption>c</caption><tr><th>a</table>", "c\n\n| a |\n| --- |"),
    "a table that arranges blocks is written block by block": (
        "<table><tr><td><pre>x</pre><td><p>b</p></table>",
        "```\nx\n```\n\nb",
    ),
    "a table for layout only is passed through": ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
}

_CODE = {
    "language and title are kept": (
        '<div class="codeBlockTitle_x1">a.ts</div><pre class="language-ts"><code>x</code></pre>',
        '```ts title="a.ts"\nx\n```',
    ),
    "lines that are elements": (
        (
            '<pre><code class="language-js"><div class="token-line">a<br></div><div class="token-line"><br></div>'
            '<div class="token-line">  b<br></div></code></pre>'
        ),
        "```js\na\n\n  b\n```",
    ),
    "lines that are spans without a break between": (
        '<pre><code><span class="line">a</span><span class="line">b</span></code></pre>',
        "```\na\nb\n```",
    ),
    "line numbers in the lines": (
        '<pre><span class="linenos">1</span>a\n<span class="linenos">2</span>b</pre>',
        "```\na\nb\n```",
    ),
    "line numbers in a table": (
        (
            '<div class="highlight-python"><table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre>'
            '<td class="code"><pre>a\nb</pre></table></div>'
        ),
        "```python\na\nb\n```",
    ),
    "line numbers in gutters": (
        (
            '<pre data-language="js"><code><div class="ec-line"><div class="gutter"><div class="ln">1</div></div>'
            '<div class="code">a</div></div><div class="ec-line"><div class="code">\n</div></div>'
            '<div class="ec-line"><div class="code">b</div></div></code></pre>'
        ),
        "```js\na\n\nb\n```",
    ),
    "copy buttons are not code": ('<pre><code>a<button class="copy">Copy</button></code></pre>', "```\na\n```"),
    "prompts are code": ('<pre><span class="gp">$ </span>ls</pre>', "```\n$ ls\n```"),
    "runs of backticks are fenced by longer ones": ("<pre>```</pre>", "````\n```\n````"),
    "a comment in code is no heading": ("<pre># a</pre>", "```\n# a\n```"),
    "code in an item is indented": ("<ul><li><p>a</p><pre>x\n\ny</pre></ul>", "- a\n\n  ```\n  x\n\n  y\n  ```"),
}

_FORMULAS = {
    "KaTeX gives its TeX once": (
        (
            '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation '
            'encoding="application/x-tex">x^2</annotation></semantics></math></span>'
            '<span class="katex-html" aria-hidden="true">x2</span></span></p>'
        ),
        "$x^2$",
    ),
    "a display of KaTeX stands apart": (
        (
            '<span class="katex-display"><span class="katex"><math><annotation encoding="application/x-tex">a'
            "</annotation></math></span></span>"
        ),
        "$$\na\n$$",
    ),
    "MathJax's scripts": ('<p>a <script type="math/tex">x</script></p>', "a $x$"),
    "Sphinx's marks": (
        '<p><span class="math">\\(a\\)</span></p><div class="math">\\[b\\]</div>',
        "$a$\n\n$$\nb\n$$",
    ),
    "MathML without TeX": ("<p><math><mi>x</mi><mo>=</mo><mn>1</mn></math></p>", "$x = 1$"),
}


@pytest.mark.parametrize("rule", [*_RUNNING, *_BLOCKS, *_TABLES, *_CODE, *_FORMULAS])
def test_rule(rule: str) -> None:
    body, expected = (_RUNNING | _BLOCKS | _TABLES | _CODE | _FORMULAS)[rule]
    assert text_of(body) == expected
