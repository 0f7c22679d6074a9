"""The pieces that every part of the page is made of."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources

from assay.model.evaluation import Outcome
from assay.validation.report.markup import Child, Markup, element

_TONES = {Outcome.PASS: "good", Outcome.FAIL: "bad", Outcome.INCONCLUSIVE: "open"}


def whole_page(title: str, *children: Child) -> str:
    """A page of these parts as HTML in UTF-8: no script, nothing from the network, one style."""
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
    """Nothing may be loaded, run, sent or framed; the one style that counts is the page's own, by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def tone(outcome: Outcome) -> str:
    """The class of the style that colours an outcome."""
    return _TONES[outcome]


def pill(outcome: Outcome) -> Markup:
    """An outcome as a word in its colour."""
    return element("span", outcome.value, class_=f"pill {tone(outcome)}")


def section(title: str, *children: Child) -> Markup:
    """A part of the page under a heading of its own."""
    return element("section", element("h2", title), *children)


def card(*children: Child) -> Markup:
    """A box."""
    return element("div", *children, class_="card")


def facts(rows: Iterable[tuple[str, Child]]) -> Markup:
    """Names with their values."""
    return element("dl", ((element("dt", name), element("dd", value)) for name, value in rows), class_="facts small")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Child]]) -> Markup:
    """A table that scrolls by itself where it is too wide.

    head: names of the columns; one with `#` at its end has numbers, one with `+` much text. The first cell that has a
        name heads its row.
    """
    kinds = [{"#": "number", "+": "wide"}.get(name[-1:]) for name in head]
    names = [name.rstrip("#+") for name in head]
    heading = next((place for place, name in enumerate(names) if name), 0)
    body = [_row(row, names, kinds, heading) for row in rows]
    columns = [
        element("th", name, scope="col", role="columnheader", class_=kind) if name else element("td", role="cell")
        for name, kind in zip(names, kinds, strict=True)
    ]
    # On a telephone rows of much text become blocks, and a browser then forgets that they are rows: the roles say so.
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
