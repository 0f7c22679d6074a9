"""Plugins of mkdocs.yml decide which files are pages, and the URLs of blog posts."""

from pathlib import Path

import pytest
from tests.folders import failures, pages, paths, plant, read, reasons

FIRST = "---\ndate: 2024-03-05\n---\n\n# Hello *big* blog!\n\nWords."
POST = "---\ndate: {date}\n{more}---\n\n# Hello *big* blog!\n\nWords."


def test_the_exclude_plugin_leaves_out_what_its_globs_and_expressions_match(tmp_path: Path) -> None:
    config = "plugins:\n  - exclude:\n      glob: ['**/include-*.md', 'drafts/*']\n      regex: ['x\\d+\\.md', '(']"
    names = ["a.md", "b/include-c.md", "drafts/d/e.md", "x12.md", "b/x1.md"]
    plant(tmp_path, {"mkdocs.yml": config, **{f"docs/{name}": "" for name in names}})
    items = read(tmp_path)
    assert set(paths(items)) == {"docs/a.md", "docs/b/x1.md"}
    assert set(reasons(items).values()) == {"excluded by the site's configuration"}
    plant(tmp_path, {"mkdocs.yml": "plugins: {exclude: {glob: a.md}}"})
    assert "docs/a.md" not in paths(read(tmp_path))


def test_what_a_plugin_keeps_out_of_the_search_is_left_out(tmp_path: Path) -> None:
    config = "plugins: [search, exclude-search: {exclude: [a.md, 'private/*', 'b.md#part']}]"
    plant(tmp_path, {"mkdocs.yml": config, "docs/a.md": "", "docs/b.md": "", "docs/private/c.md": ""})
    items = read(tmp_path)
    assert set(paths(items)) == {"docs/b.md"}
    assert set(reasons(items).values()) == {"excluded from the site's search"}


@pytest.mark.parametrize(
    ("options", "file", "text", "url"),
    [
        ("", "posts/first.md", FIRST, "/blog/2024/03/05/hello-big-blog"),
        ("", "posts/a/b.md", POST.format(date="{created: 2023-12-31}", more="slug: my\n"), "/blog/2023/12/31/my"),
        ("", "posts/c.md", POST.format(date="2024-03-05 10:00:00", more="title: Ü\n"), "/blog/2024/03/05/%C3%BC"),
        ("", "posts/no-heading.md", "---\ndate: 2024-01-02\n---\ntext", "/blog/2024/01/02/no-heading"),
        ("post_url_format: '{slug}'", "posts/first.md", FIRST, "/blog/hello-big-blog"),
        (
            "post_url_format: '{categories}/{file}', post_url_date_format: yy-M-d",
            "posts/first.md",
            POST.format(date="2024-03-05", more="categories: [General Talk, Other]\n"),
            "/blog/general-talk/first",
        ),
        ("post_url_date_format: yy-M-d", "posts/d.md", FIRST, "/blog/24-3-5/hello-big-blog"),
        ("post_dir: '{blog}/news'", "news/first.md", FIRST, "/blog/2024/03/05/hello-big-blog"),
        ("", "about.md", "# About", "/blog/about"),
    ],
)  # fmt: skip
def test_posts_of_a_blog_have_the_urls_of_the_site(
    tmp_path: Path, options: str, file: str, text: str, url: str
) -> None:
    plant(tmp_path, {"mkdocs.yml": f"plugins: [search, blog: {{{options}}}]", f"docs/blog/{file}": text})
    assert paths(read(tmp_path)) == {f"docs/blog/{file}": url}


def test_a_blog_may_be_the_site_itself(tmp_path: Path) -> None:
    config = "plugins: [material/blog: {blog_dir: .}]"
    plant(tmp_path, {"mkdocs.yml": config, "docs/posts/a.md": FIRST})
    assert paths(read(tmp_path)) == {"docs/posts/a.md": "/2024/03/05/hello-big-blog"}


def test_a_draft_is_left_out_of_a_blog_and_is_a_page_elsewhere(tmp_path: Path) -> None:
    draft = POST.format(date="2024-03-05", more="draft: true\n")
    plant(tmp_path, {"mkdocs.yml": "plugins: [blog]", "docs/blog/posts/a.md": draft, "docs/b.md": draft})
    items = read(tmp_path)
    assert set(paths(items)) == {"docs/b.md"}
    assert reasons(items) == {"docs/blog/posts/a.md": "a draft"}


def test_a_post_without_a_date_fails_alone(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "plugins: [blog]", "docs/blog/posts/a.md": "# A", "docs/b.md": ""})
    assert failures(read(tmp_path)) == {"docs/blog/posts/a.md": "front matter: a post of the blog needs a date"}


def test_links_to_a_post_have_its_url(tmp_path: Path) -> None:
    plant(
        tmp_path, {"mkdocs.yml": "plugins: [blog]", "docs/blog/posts/a.md": FIRST, "docs/b.md": "[x](blog/posts/a.md)"}
    )
    links = pages(read(tmp_path))["docs/b.md"].links
    assert links["docs/blog/posts/a.md"] == "https://docs.example.org/blog/2024/03/05/hello-big-blog"


INCLUDE = '# A\n\n{% include-markdown "inc.md" %}\n\n{% include "gone.md" %}'


def test_the_include_markdown_plugin_puts_in_files_and_what_is_missing_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"mkdocs.yml": "plugins: [include-markdown]", "docs/a.md": INCLUDE, "docs/inc.md": "Shared words."}
    plant(tmp_path, files)
    page = pages(read(tmp_path))["docs/a.md"]
    assert page.content == "# A\n\nShared words.\n\n"
    assert "gone.md (in docs/a.md)" in caplog.text
    plant(tmp_path, {"docs/inc.md": "Other words."})
    assert pages(read(tmp_path))["docs/a.md"].source_hash != page.source_hash
    plant(tmp_path, {"mkdocs.yml": ""})
    assert pages(read(tmp_path))["docs/a.md"].content == INCLUDE


def test_files_that_snippets_append_to_every_page_are_part_of_it(tmp_path: Path) -> None:
    config = "markdown_extensions: [pymdownx.snippets: {auto_append: [inc/refs.md]}]"
    plant(tmp_path, {"mkdocs.yml": config, "docs/a.md": "See [x].", "inc/refs.md": "[x]: https://x.example"})
    page = pages(read(tmp_path))["docs/a.md"]
    assert page.includes == {"inc/refs.md": "[x]: https://x.example"}
    assert page.content.endswith('--8<-- "inc/refs.md"\n')
