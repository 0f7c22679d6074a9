"""Links that say which page is the page."""

from tests.site_traps.trap import Trap, canonical, page
from tests.sites import redirect


def traps() -> list[Trap]:
    """Links that say which page is the page."""
    base = "/canonical-of-old-versions"
    return [
        Trap(
            "canonical duplicate",
            {
                "": page("Canon", "a", "b"),
                "a": page("The same words here"),
                "b": page("The same words here", head=canonical("/canonical-duplicate/a")),
            },
            ("", "a"),
            {"b": "canonical"},
        ),
        Trap(
            "canonical loop",
            {
                "": page("Loop", "a", "b"),
                "a": page("Both say this in a circle", head=canonical("b")),
                "b": page("Both say this in a circle", head=canonical("a")),
            },
            ("", "a", "b"),
            linked=("", "a"),
        ),
        Trap(
            "canonical to nothing",
            {"": page("Nothing", "a"), "a": page("A", head=canonical("/canonical-to-nothing/gone"))},
            ("", "a"),
        ),
        Trap(
            "canonical to a redirect back",
            {
                "": page("Back", "a"),
                "a": page("A", head=canonical("/canonical-to-a-redirect-back/b")),
                "b": redirect("/canonical-to-a-redirect-back/a"),
            },
            ("", "a"),
            {"b": "moved to"},
        ),
        Trap(
            "canonical to another host",
            {"": page("Host", "a"), "a": page("A", head=canonical("https://docs.example.org/a"))},
            ("", "a"),
        ),
        Trap(
            "canonical of old versions",
            {
                "": page("Versions", "docs/2.0/x", "docs/next/x"),
                "docs/2.0/x": page("X is the same in both", head=canonical(f"{base}/docs/next/x")),
                "docs/next/x": page("X is the same in both"),
            },
            ("", "docs/2.0/x", "docs/next/x"),
        ),
        Trap(
            "canonical of translations",
            {
                "": page("Locales", "en/x", "fr/x"),
                "en/x": page("Not translated yet"),
                "fr/x": page("Not translated yet", head=canonical("/canonical-of-translations/en/x")),
            },
            ("", "en/x", "fr/x"),
        ),
        Trap(
            "every page canonical to the start",
            {
                "": page("Template", "a", "b"),
                "a": page("All traps. A its own", head=canonical("/")),
                "b": page("All traps. B its own", head=canonical("/")),
            },
            ("", "a", "b"),
        ),
        Trap(
            "canonical of a header",
            {
                "": page("Header", "a", "b"),
                "a": page("Both say this"),
                "b": page(
                    "Both say this", Link="</canonical-of-a-header/a>; rel=&quot;canonical&quot;".replace("&quot;", '"')
                ),
            },
            ("", "a"),
            {"b": "canonical"},
        ),
    ]
