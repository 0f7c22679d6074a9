"""Directives of the include-markdown plugin give the text that its site has (MkDocs 1.6, plugin 7.3)."""

import pytest

from assay.adapters.sources.folder.mkdocs.include_markdown import MarkdownIncludes
from assay.errors import InputError

FILES = {
    "docs/inc/part.md": "## Part\n\nSee [a](../a.md), ![i](i.png) and [w](https://x.example).\n\n[r]: b.md\n",
    "docs/inc/marks.md": "before\n<!--s-->\ninner\n<!--e-->\nafter\n",
    "docs/inc/nested.md": '{% include "inc/raw.txt" %}\n',
    "docs/inc/raw.txt": "one\n  two\n",
    "docs/inc/loop.md": 'x{% include "inc/loop.md" %}',
    "docs/sub/near.md": "near",
    "docs/heads.md": "# H\n```\n# code\n```\n## K\n",
    "secret.md": "secret",
}


def included(text: str, limit: int = 10_000) -> tuple[str, list[str]]:
    includes = MarkdownIncludes(FILES.get, "docs", limit)
    return includes.put_in("docs/sub/page.md", text), includes.missing


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{% include "inc/raw.txt" %}', "one\n  two\n"),
        ("{%- include 'inc/raw.txt' -%}!", "one\n  two\n!"),
        ('{%\n   include-markdown "./near.md"\n%}', "near"),
        ('{% include-markdown "../inc/nested.md" %}', "one\n  two\n\n"),
        ('    {% include "inc/raw.txt" %}', "    one\n      two\n"),
        ('a {% include "inc/raw.txt" trailing-newlines=false %} b', "a one\n  two b"),
        ('{% include "inc/marks.md" start="<!--s-->" end="<!--e-->" %}', "\ninner\n"),
        ('{% include "inc/marks.md" start="<!--e-->\\n" %}', "after\n"),
        ("{% include 'inc/marks.md' end='<!--s-->' %}", "before\n"),
        ('{% include-markdown "heads.md" heading-offset=1 %}', "## H\n```\n# code\n```\n### K\n"),
        ('{% include-markdown "heads.md" heading-offset=-1 %}', "# H\n```\n# code\n```\n# K\n"),
        ("{% if x %}a{% endif %}", "{% if x %}a{% endif %}"),
    ],
)
def test_a_directive_is_replaced_by_its_file(text: str, shown: str) -> None:
    assert included(text) == (shown, [])


def test_links_of_an_included_page_lead_where_they_led() -> None:
    shown, _ = included('{% include-markdown "inc/part.md" %}')
    assert "[a](../a.md), ![i](../inc/i.png) and [w](https://x.example)" in shown
    assert "[r]: ../inc/b.md" in shown
    assert "![i](i.png)" in included('{% include-markdown "inc/part.md" rewrite-relative-urls=false %}')[0]


@pytest.mark.parametrize("path", ["gone.md", "../../../secret.md", "/etc/hosts", "https://x.example/a.md"])
def test_a_file_that_is_missing_or_outside_leaves_nothing_and_is_named(path: str) -> None:
    assert included(f'a {{% include "{path}" %}} b') == ("a  b", [path])


def test_a_file_that_includes_itself_ends_and_the_sum_is_limited() -> None:
    assert set(included('{% include "inc/loop.md" %}')[0].replace('{% include "inc/loop.md" %}', "")) == {"x"}
    with pytest.raises(InputError, match="over 5 characters"):
        included('{% include "inc/raw.txt" %}', limit=5)
