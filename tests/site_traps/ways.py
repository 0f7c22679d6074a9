"""Pages that only one way leads to."""

from tests.site_traps.trap import Trap, page, typed
from tests.sites import html, links


def traps() -> list[Trap]:
    """Pages that only one way leads to."""
    xhtml = '<link rel="alternate" hreflang="de" href="/links-of-the-head/de">'
    return [
        Trap(
            "base element",
            {
                "": html(f"Base. {links('a')}", head='<base href="/base-element/deep/">'),
                "deep/a": page("Deep"),
                "a": page("Shallow and unlinked"),
            },
            ("", "deep/a"),
        ),
        Trap(
            "links of the head",
            {
                "": page("Head", head=f'{xhtml}<link rel="next" href="/links-of-the-head/next">'),
                "de": page("Deutsch"),
                "next": page("Next"),
            },
            ("", "de", "next"),
        ),
        Trap(
            "areas and capitals",
            {
                "": html("Map. <MAP><AREA HREF='area'></MAP><A HREF='capital'>x</A>"),
                "area": page("Area"),
                "capital": page("Capital"),
            },
            ("", "area", "capital"),
        ),
        Trap(
            "only in the sitemap", {"": page("Orphans"), "orphan": page("Orphan")}, ("", "orphan"), listed=("orphan",)
        ),
        Trap("sitemap of dead pages", {"": page("Dead")}, ("",), listed=("gone", "gone.pdf")),
        Trap("only in llms.txt", {"": page("Llms"), "told": page("Told")}, ("", "told"), llms=("told", "dead")),
        Trap(
            "Markdown twins",
            {
                "": page("Twins", "a.md"),
                "a.md": typed(b"# A", "text/markdown"),
                "a": page("A in HTML"),
                "b/index.html.md": typed(b"# B", "text/markdown"),
                "b/": page("B in HTML"),
                "c.md": typed(b"# C alone", "text/plain"),
                "d.md": typed(b"# D", "text/markdown"),
            },
            ("", "a", "b", "c.md", "d.md"),
            llms=("a.md", "b/index.html.md", "c.md", "d.md"),
        ),
        Trap(
            "names like suffixes",
            {
                "": page("Names", "next.js", "asp.net", "v1.2"),
                "next.js": page("Next"),
                "asp.net": page("Asp"),
                "v1.2": page("Version"),
            },
            ("", "next.js", "asp.net", "v1.2"),
        ),
    ]
