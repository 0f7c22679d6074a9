"""A site that is full of what crawlers fall into: each trap with the pages that must come of it, and no others.

`trap_site` puts every trap into one site, each in a folder of its own that the start page links to; so a crawl of it
has a precision and a recall. What ends a whole reading has sites of its own, in the tests of those modules.
"""

import gzip

from assay.adapters.sources.site.options import SiteScope
from tests.site_traps import addresses, bodies, canonicals, endless, not_pages, redirects, ways
from tests.site_traps.trap import Trap, page
from tests.sites import Reply, Site, site_limits, sitemap, xml

LIMITS = site_limits(
    max_page_bytes=300_000, page_seconds=1.2, read_seconds=1.0, max_depth=26, query_pages=10, sitemap_bytes=1_000_000
)
SCOPE = SiteScope(exclude=("/excluded",))


def traps(elsewhere: str) -> list[Trap]:
    """Every trap. elsewhere: origin of another server of this machine, which must not be asked for anything."""
    groups = [
        addresses.traps(),
        canonicals.traps(),
        redirects.traps(elsewhere),
        not_pages.traps(),
        endless.traps(),
        bodies.traps(),
        ways.traps(),
    ]
    return [trap for group in groups for trap in group]


def trap_site(site: Site, elsewhere: str) -> list[Trap]:
    """Put every trap into a site that is being served."""
    found = traps(elsewhere)
    sets = [trap.path(relative) for trap in found for relative in trap.listed]
    llms = [trap.path(relative) for trap in found for relative in trap.llms]
    entries = [trap.path(relative) for trap in found for relative in trap.linked]
    site.fallback = page("We could not find what you were looking for, sorry")
    site.pages["/"] = page("All traps", *entries, "/outside-the-scope-folder.html", "/excluded/a", "/excluded-not")
    site.pages["/excluded/a"] = page("Excluded")
    site.pages["/excluded-not"] = page("Not excluded, its name only begins alike")
    site.pages["/outside-the-scope-folder.html"] = Reply(404)
    for trap in found:
        for relative, answer in trap.pages.items():
            site.pages[trap.path(relative)] = answer
        for relative in trap.listed + trap.llms:
            site.pages.setdefault(trap.path(relative), Reply(404))
    for dead in ("/dead-links/a", "/canonical-to-nothing/gone", "/favicon.ico"):
        site.pages.setdefault(dead, Reply(404))
    _add_lists(site, sets, llms)
    return found


def _add_lists(site: Site, listed: list[str], llms: list[str]) -> None:
    url = site.url
    index = "".join(
        f"<sitemap><loc>{url}/maps/{name}</loc></sitemap>"
        for name in ("packed.xml", "text.txt", "broken.xml", "bomb.xml", "bomb.gz", "page.xml", "gone.xml", "index.xml")
    )
    head = '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    site.pages |= {
        "/robots.txt": Reply(
            200,
            b"User-agent: *\nDisallow: /robots.txt/private/\nDisallow: /*.draft$\n\n"
            + f"Sitemap: {url}/maps/index.xml\n".encode(),
            {"Content-Type": "text/plain"},
        ),
        "/maps/index.xml": xml(f"{head}{index}</sitemapindex>"),
        "/maps/packed.xml": Reply(200, gzip.compress(sitemap(*(url + path for path in listed)).encode()), {}),
        "/maps/text.txt": Reply(200, f"{url}/in-the-text-sitemap\n".encode(), {"Content-Type": "text/plain"}),
        "/maps/broken.xml": xml(f"<urlset><url><loc>{url}/in-the-broken-sitemap?a=1&b=2</loc></url><url>"),
        "/maps/bomb.xml": xml(f"{bomb}<urlset><url><loc>{url}/in-the-bomb&b;</loc></url></urlset>"),
        "/maps/bomb.gz": Reply(200, gzip.compress(b"<urlset>" + b" " * 20_000_000), {}),
        "/maps/page.xml": page("A page in place of a sitemap"),
        "/maps/gone.xml": Reply(404),
        "/llms.txt": Reply(
            200,
            ("# Docs\n\n" + "\n".join(f"- [x]({url}{path}): words" for path in llms)).encode(),
            {"Content-Type": "text/plain"},
        ),
        "/in-the-text-sitemap": page("In the text sitemap"),
        "/in-the-broken-sitemap": page("In the broken sitemap"),
        "/in-the-bomb": page("In the bomb"),
    }
    for name in ("/sitemap.xml", "/favicon.ico"):
        site.pages.setdefault(name, Reply(404))


BESIDES = {"/", "/excluded-not", "/in-the-text-sitemap", "/in-the-broken-sitemap"}
"""What must come besides the traps' own pages; the query of the last is the sitemap's, and changes nothing."""
