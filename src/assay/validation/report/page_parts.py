"""Building blocks of the page."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources

from assay.model.evaluation import Outcome
from assay.validation.report.markup import Child, Markup, element

_TONES = {Outcome.PASS: "good", Outcome.FAIL: "bad", Outcome.INCONCLUSIVE: "open"}


def whole_page(title: str, *children: Child) -> str:
    """A full HTML page, UTF-8: no script, no network, one style."""
    style = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{title} · Assay"),
        element("style", Markup(style)),
    )
    body = element("body", element("main", *children))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _policy(style: str) -> str:
    """A content security policy that allows only the page's own style, by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def tone(outcome: Outcome) -> str:
    """The style class of an outcome."""
    return _TONES[outcome]


def pill(outcome: Outcome) -> Markup:
    """An outcome as a coloured word."""
    return element("span", outcome.value, class_=f"pill {tone(outcome)}")


def section(title: str, *children: Child) -> Markup:
    """A section with a heading."""
    return element("section", element("h2", title), *children)


def card(*children: Child) -> Markup:
    """A box."""
    return element("div", *children, class_="card")


def facts(rows: Iterable[tuple[str, Child]]) -> Markup:
    """Names with their values."""
    return element("dl", ((element("dt", name), element("dd", value)) for name, value in rows), class_="facts small")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Child]]) -> Markup:
    """A table that scrolls if it is too wide.

    head: names of the columns; a trailing `#` marks numbers, a trailing `+` long text. The first named column heads the
        rows.
    """
    kinds = [{"#": "number", "+": "wide"}.get(name[-1:]) for name in head]
    names = [name.rstrip("#+") for name in head]
    heading = next((place for place, name in enumerate(names) if name), 0)
    body = [_row(row, names, kinds, heading) for row in rows]
    columns = [
        element("th", name, scope="col", role="columnheader", class_=kind) if name else element("td", role="cell")
        for name, kind in zip(names, kinds, strict=True)
    ]
    # On phones, rows of long text become blocks, and browsers then drop the row semantics: the roles keep them.
    whole = element(
        "table",
        element("thead", element("tr", columns, role="row"), role="rowgroup"),
        element("tbody", body, role="rowgroup"),
        role="table",
        aria_label=caption,
        class_="stacked" if "wide" in kinds else None,
    )
    scrolled = element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return element("figure", element("figcaption", caption), scrolled, class_="box")


def _row(row: Sequence[Child], names: Sequence[str], kinds: Sequence[str | None], heading: int) -> Markup:
    cells = [
        element("th", cell, scope="row", role="rowheader", class_=kind)
        if place == heading
        else element("td", cell, role="cell", class_=kind, data_name=name or None)
        for place, (cell, name, kind) in enumerate(zip(row, names, kinds, strict=True))
    ]
    return element("tr", cells, role="row")
