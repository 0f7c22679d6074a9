"""Addresses that are there and are no pages of a documentation."""

from itertools import count

from assay.adapters.sources.site.crawling.soft_404 import PROBE_NAME
from tests.site_traps.trap import Trap, body, meta, page, typed
from tests.sites import HTML, Reply, Request, html, links


def traps() -> list[Trap]:
    """Addresses that are there and are no pages of a documentation."""
    numbers = count()

    def lost(_: Request) -> Reply:
        return page(f"There is nothing here (request 4e{next(numbers)} at 11:05)")

    soft = page("We could not find what you were looking for, sorry")
    return [
        Trap(
            "lists of files that a server makes",
            {
                "": page("Files", "parts", "404.html"),
                "parts": html("Index of /parts", head=""),
                "404.html": page("Lost"),
            },
            ("",),
            {"parts": "list of files", "404.html": "404 page"},
        ),
        Trap("dead links", {"": page("Dead", "a", "b"), "b": Reply(410)}, ("",)),
        Trap(
            "errors that look like pages",
            {"": page("Soft", "lost", "found"), "lost": soft, "found": page("Found")},
            ("", "found"),
            {"lost": "soft 404"},
        ),
        *(
            Trap(
                f"errors of {what} that look like pages",
                {
                    "": page("Soft", f"{part}/lost", f"{part}/found"),
                    f"{part}/{PROBE_NAME}": own,
                    f"{part}/lost": own,
                    f"{part}/found": page("Found"),
                },
                ("", f"{part}/found"),
                {f"{part}/lost": "soft 404"},
            )
            for what, part, own in (
                ("a locale", "fr", page("Cette page est introuvable, avec nos excuses")),
                ("a version", "2.1", page("Release two has no such page")),
                ("a request", "next", lost),
            )
        ),
        Trap(
            "noindex",
            {
                "": page("Meta", "a", "b"),
                "a": page("A", "c", head=meta("robots", "NOINDEX, follow")),
                "b": page("B"),
                "c": page("C through a"),
            },
            ("", "b", "c"),
            {"a": "noindex"},
        ),
        Trap(
            "noindex of a header",
            {"": page("Header", "a"), "a": page("A", X_Robots_Tag="noindex")},
            ("",),
            {"a": "noindex"},
        ),
        Trap(
            "noindex for others",
            {
                "": page("Others", "a", "b"),
                "a": page("A", X_Robots_Tag="googlebot: noindex"),
                "b": page("B", head=meta("googlebot", "noindex")),
            },
            ("", "a", "b"),
        ),
        Trap(
            "nofollow",
            {
                "": page("Follow", "a", "b"),
                "a": page("A", "c", head=meta("robots", "nofollow")),
                "b": html(f"B. {links('c', attributes=chr(114) + 'el=nofollow')}"),
                "c": page("C unfollowed"),
            },
            ("", "a", "b"),
        ),
        Trap(
            "robots.txt",
            {
                "": page("Rules", "private/a", "open", "x.draft"),
                "private/a": page("Private"),
                "open": page("Open"),
                "x.draft": page("Draft"),
            },
            ("", "open"),
            {"private/a": "robots.txt", "x.draft": "robots.txt"},
        ),
        Trap(
            "files that are no pages",
            {
                "": page("Files", "a.pdf", "b", "c", "d.json", "e.png", "f"),
                "a.pdf": typed(b"%PDF-1.7", "application/pdf"),
                "b": typed(b"%PDF-1.7", "application/pdf"),
                "c": typed(b"{}", "application/json"),
                "d.json": typed(b"{}", "application/json"),
                "e.png": typed(b"\x89PNG", "image/png"),
                "f": typed(b"a,b", "text/csv"),
            },
            ("",),
            {"b": "application/pdf", "c": "application/json", "f": "text/csv"},
        ),
        Trap(
            "downloads",
            {"": page("Load", "a"), "a": typed(body("A"), HTML, Content_Disposition="attachment")},
            ("",),
            {"a": "download"},
        ),
        Trap(
            "pages that want a login",
            {"": page("Login", "a", "b"), "a": Reply(401), "b": Reply(403)},
            ("",),
            {"a": "login", "b": "403"},
        ),
        Trap(
            "links that are none",
            {
                "": html(
                    "None. <!-- <a href=commented>x</a> --><script>'<a href=\"scripted\">'"
                    "</script><template><a href=templated>x</a></template><a href='mailto:a@b.c'>x</a>"
                    "<a href='javascript:go()'>x</a><a href='data:text/html,x'>x</a><a name=x>x</a><a href=''>x</a>"
                ),
                **{name: page(name) for name in ("commented", "scripted", "templated")},
            },
            ("",),
        ),
        Trap(
            "credentials in a link",
            {"": page("User", "http://user:secret@127.0.0.1/x", "a"), "a": page("A")},
            ("", "a"),
        ),
        Trap(
            "hosts in disguise",
            {
                "": page(
                    "Hosts",
                    "http://2130706433/x",
                    "http://0x7f.1/y",
                    "http://0177.0.0.1/z",
                    "http://[::1]/q",
                    "http://localhost/w",
                )
            },
            ("",),
        ),
        Trap("other schemes", {"": page("Schemes", "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://x/")}, ("",)),
    ]
