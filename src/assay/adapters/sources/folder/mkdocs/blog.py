"""URLs of the posts of Material's blog plugin."""

import posixpath
import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime

from assay.adapters.sources.folder.mkdocs.plugins import BlogRules
from assay.adapters.sources.folder.routing import file_stem
from assay.errors import InputError

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_FIELD = re.compile(r"y+|M+|d+|'[^']*'")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def is_post(path: str, blog: BlogRules) -> bool:
    """Whether a page, by its path in docs_dir, is a post."""
    return path.startswith(f"{blog.posts}/")


def post_path(path: str, values: Mapping[str, object], content: str, blog: BlogRules) -> str:
    """The path that a post has in the site, as of a Markdown file in docs_dir.

    values: its front matter. content: the text after it. Raises InputError for a post without a date.
    """
    written = _creation_date(values.get("date"))
    if written is None:
        raise InputError("front matter: a post of the blog needs a date")
    slug = values.get("slug")
    categories = values.get("categories")
    named = [str(one) for one in categories] if isinstance(categories, list) else []
    filled = {
        "date": _FIELD.sub(lambda field: _field(field[0], written), blog.date_format),
        "slug": slug if isinstance(slug, str) else slugified(_title(path, values, content), blog.separator),
        "file": file_stem(path),
        "categories": "/".join(slugified(one, blog.separator) for one in named[: blog.max_categories]),
    }
    url = re.sub(r"\{(date|slug|file|categories)\}", lambda field: filled[field[1]], blog.url_format)
    return posixpath.join(blog.folder, f"{posixpath.normpath(url.strip('/'))}.md")


def slugified(text: str, separator: str) -> str:
    """The slug of a text as pymdownx makes it in lower case."""
    return _NOT_IN_SLUG.sub("", unicodedata.normalize("NFC", text).strip().lower()).replace(" ", separator)


def _creation_date(value: object) -> date | None:
    if isinstance(value, Mapping):
        return _creation_date(value.get("created"))
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    found = _DATE.match(value) if isinstance(value, str) else None
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _field(field: str, written: date) -> str:
    if field.startswith("'"):
        return field.strip("'")
    number = {"y": written.year, "M": written.month, "d": written.day}[field[0]]
    if field == "yy":
        number %= 100
    return str(number).zfill(min(len(field), 4))


def _title(path: str, values: Mapping[str, object], content: str) -> str:
    """The title from which a post's slug is made: of the front matter, the heading at the start, or the file."""
    if isinstance(title := values.get("title"), str):
        return title
    first = next((line.strip() for line in content.split("\n") if line.strip()), "")
    if first.startswith("# "):
        return first.lstrip("# ")
    name = file_stem(path).replace("-", " ").replace("_", " ")
    return name.capitalize() if name.lower() == name else name
