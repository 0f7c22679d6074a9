"""One page under many addresses."""

from urllib.parse import quote

from tests.site_traps.trap import Trap, page
from tests.sites import redirect


def traps() -> list[Trap]:
    """One page under many addresses."""
    three = page("One page with three addresses")
    return [
        Trap(
            "slash and index twins",
            {"": page("Start", "a", "a/", "a/index.html", "a/index.htm#x"), "a": three, "a/": three},
            ("", "a"),
            linked=("", "a/"),
        ),
        Trap("fragments", {"": page("Fragments", "b#one", "b#two", "#three"), "b": page("B")}, ("", "b"), linked=("",)),
        Trap(
            "tracking parameters",
            {
                "": page("Track", "c?utm_source=x&amp;utm_medium=y", "c?gclid=1", "c?ref=nav", "c?fbclid=9"),
                "c": page("C"),
            },
            ("", "c"),
        ),
        Trap(
            "slash added by a redirect",
            {"": page("Slash", "d", "d/"), "d": redirect("/slash-added-by-a-redirect/d/"), "d/": page("D with slash")},
            ("", "d"),
        ),
        Trap(
            "only the slash form is there",
            {"": page("Form", "e", "e/"), "e/": page("E with slash")},
            ("", "e"),
        ),
        Trap(
            "only the index file is there",
            {"": page("File", "f/index.html"), "f/index.html": page("F by its file")},
            ("", "f/index.html"),
        ),
        Trap(
            "case twins",
            {"": page("Case", "Guide", "guide"), "Guide": page("The guide"), "guide": page("The guide")},
            ("", "Guide"),
            {"guide": "duplicate of"},
        ),
        Trap(
            "escapes",
            {"": page("Escapes", "%67reen", "green", "gr%65en/"), "green": page("Green"), "green/": page("Green")},
            ("", "green"),
        ),
        Trap(
            "letters beyond ASCII",
            {"": page("Umlauts", "größe", quote("größe")), quote("größe"): page("Größe")},
            ("", quote("größe")),
        ),
        Trap("spaces in links", {"": page("Spaces", " a b ", "a%20b"), "a%20b": page("A b")}, ("", "a%20b")),
        Trap(
            "suffix twins that say the same",
            {"": page("Suffix", "g.html", "g"), "g.html": page("G is one page"), "g": page("G is one page")},
            ("", "g"),
            {"g.html": "duplicate of"},
        ),
        Trap(
            "suffix twins that differ",
            {"": page("Suffix", "h.html", "h"), "h.html": page("H the class"), "h": page("H the module")},
            ("", "h", "h.html"),
        ),
        Trap(
            "sessions in the address",
            {"": page("Sessions", "i;jsessionid=A1", "i?PHPSESSID=b2", "i?sid=3"), "i": page("I")},
            ("", "i"),
        ),
        Trap(
            "queries that change nothing",
            {"": page("Queries", "j?x=1", "j?x=2", "j?y=3"), "j": page("J whatever is asked")},
            ("", "j"),
            {"j?x=1": "duplicate of", "j?x=2": "duplicate of", "j?y=3": "duplicate of"},
        ),
        Trap(
            "queries that are pages",
            {
                "": page("Queries", "k?id=2&amp;part=a", "k?part=a&amp;id=2"),
                "k?id=1": page("K one"),
                "k": page("K"),
                "k?id=2&part=a": page("K two"),
                "k?part=a&id=2": page("K two"),
            },
            ("", "k", "k?id=1", "k?id=2&part=a"),
            listed=("k?id=1",),
        ),
    ]
