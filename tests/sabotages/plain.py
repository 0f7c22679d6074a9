"""The handbook in plain Markdown, and as a site on loopback: sources that other readers take."""

import re
from collections.abc import Callable

from tests.sabotages.workspace import Workspace, some
from tests.sites import HTML, Reply, Site, served, sitemap

LOGIN = "Please sign in with your work account to see this page. If you have none, ask your administrator for one.\n"

_ANCHOR = re.compile(r"[ ]*\{#[\w-]+\}")
_NOT_PLAIN = re.compile(r"(?m)^(?:import .*|:::.*|</?[A-Z{].*|\{/\*.*\*/\}|[ ]*</?(?:Tabs|TabItem).*)\n")
_HEADING = re.compile(r"#{1,6} (.*)")


def plain(body: str) -> str:
    """A page's body without what only Docusaurus understands."""
    return _NOT_PLAIN.sub("", _ANCHOR.sub("", body))


def as_plain(workspace: Workspace) -> None:
    """A folder of plain Markdown, which no generator claims."""
    (workspace.docs / "docusaurus.config.js").unlink()
    for path in workspace.docs.rglob("_*.*"):
        path.unlink()
    for page in workspace.pages():
        head, end, body = page.read_text(encoding="utf-8").partition("\n---\n")
        page.write_text(head + end + plain(body), encoding="utf-8")
        if page.suffix == ".mdx":
            page.rename(page.with_suffix(".md"))
    workspace.source["convention"] = "plain"


def as_site(workspace: Workspace) -> None:
    """A site on loopback, each page in plain HTML."""
    site = Site()
    for page in workspace.pages():
        head, _, body = page.read_text(encoding="utf-8").partition("\n---\n")
        titled = re.search(r"(?m)^title: (.*)$", head)
        parts = "".join(map(_block, plain(body).replace("&", "&amp;").replace("<", "&lt;").split("\n\n")))
        site.pages[f"/{page.stem}"] = _html(titled[1] if titled else page.stem, parts)
    paths = list(site.pages)
    workspace.site = workspace.kept.enter_context(served(site))
    listed = sitemap(*(site.url + path for path in paths))
    site.pages["/sitemap.xml"] = Reply(200, listed.encode(), {"Content-Type": "application/xml"})
    workspace.source |= {"path": None, "base_url": None, "url": f"{site.url}/"}


def _block(text: str) -> str:
    heading = _HEADING.match(text.strip())
    return f"<h2>{heading[1]}</h2>" if heading else f"<p>{text}</p>"


def _html(title: str, main: str) -> Reply:
    body = f"<main><h1>{title}</h1>{main}</main>"
    page = f"<!doctype html><html lang='en'><head><title>{title}</title></head><body>{body}</body></html>"
    return Reply(200, page.encode(), {"Content-Type": HTML})


def answering(body: Callable[[str], Reply]) -> Callable[[Workspace, float], None]:
    """Some addresses of the site give this in place of their pages."""

    def damage(workspace: Workspace, share: float) -> None:
        assert workspace.site is not None
        paths = sorted(path for path in workspace.site.pages if path != "/sitemap.xml")
        for path in some(paths, share):
            workspace.site.pages[path] = body(path)

    return damage


def app(_: str) -> Reply:
    """The shell of a site that scripts fill."""
    page = (
        "<!doctype html><html><head><title>Docs</title></head><body><div id='app'>Please wait...</div>"
        "<script src='/app.js'></script></body></html>"
    )
    return Reply(200, page.encode(), {"Content-Type": HTML})


def script_wanted(path: str) -> Reply:
    """A page with nothing but a word about JavaScript."""
    page = (
        f"<!doctype html><html><head><title>{path.strip('/')}</title></head><body><noscript>You need to enable "
        "JavaScript to run this app.</noscript><div id='root'></div></body></html>"
    )
    return Reply(200, page.encode(), {"Content-Type": HTML})


def login_page(_: str) -> Reply:
    """A form to sign in, with status 200."""
    return _html("Sign in", f"<p>{LOGIN}</p><form><input name='user'></form>")
