"""Answers that lead on."""

from tests.site_traps.trap import Trap, page
from tests.sites import Reply, redirect


def traps(elsewhere: str) -> list[Trap]:
    """Answers that lead on. elsewhere: origin of another server of this machine, which must not be asked."""
    at = "/redirect-chain"
    long = {f"r{number}": redirect(f"/long-redirect-chain/r{number + 1}") for number in range(15)}
    return [
        Trap(
            "redirect chain",
            {
                "": page("Chain", "old", "older"),
                "older": redirect(f"{at}/old"),
                "old": redirect(f"{at}/new", 302),
                "new": page("New"),
            },
            ("", "new"),
            {"old": "moved to", "older": "moved to"},
        ),
        Trap(
            "redirect loop",
            {"": page("Circle", "a"), "a": redirect("/redirect-loop/b"), "b": redirect("/redirect-loop/a")},
            ("",),
            {"a": "loop", "b": "loop"},
        ),
        Trap(
            "redirect to itself",
            {"": page("Self", "a"), "a": redirect("/redirect-to-itself/a")},
            ("",),
            {"a": "itself"},
        ),
        Trap(
            "long redirect chain",
            {"": page("Long", "r0"), "r15": page("The end of it"), **long},
            ("",),
            {"r0": "moved to", "r10": "redirects"},
        ),
        Trap(
            "redirect without a target",
            {"": page("Nowhere", "a", "b"), "a": Reply(302), "b": redirect("javascript:alert(1)")},
            ("",),
            {"a": "not http", "b": "not http"},
        ),
        Trap(
            "redirect to another service of this machine",
            {"": page("Port", "a"), "a": redirect(f"{elsewhere}/secret")},
            ("",),
            {"a": "outside the scope"},
        ),
        Trap(
            "redirect to the private network",
            {
                "": page("Private", "a", "b"),
                "a": redirect("http://169.254.169.254/latest/meta-data/"),
                "b": redirect("http://10.0.0.1/"),
            },
            ("",),
            {"a": "outside the scope", "b": "outside the scope"},
        ),
        Trap(
            "meta refresh",
            {
                "": page("Refresh", "a", "b"),
                "a": page("Go on", head='<meta http-equiv="refresh" content="0; url=/meta-refresh/b">'),
                "b": page("B"),
            },
            ("", "b"),
            {"a": "moved to"},
        ),
        Trap(
            "meta refresh of a page that renews itself",
            {"": page("Renew", "a"), "a": page("News", head='<meta http-equiv="refresh" content="5">')},
            ("", "a"),
        ),
    ]
