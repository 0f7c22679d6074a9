"""Where a reading begins decides whether there is one: redirects, robots.txt, logins, other names, outages."""

import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from tests.sites import (
    Reply,
    Request,
    Site,
    failed,
    html,
    known_of,
    links,
    pages,
    politeness,
    reasons,
    redirect,
    served,
    site_limits,
    sitemap,
    source_of,
    xml,
)

from assay.adapters.sources.site.options import SiteLimits, SiteScope
from assay.adapters.sources.site.source import SiteSource
from assay.errors import ConfigurationError, InputError, SourceError, SourceUnavailable

QUICK = politeness(first_retry_seconds=0.01, retries=1)


@pytest.fixture
def site() -> Iterator[Site]:
    with served(Site({"/": html(f"Start {links('/a')}"), "/a": html("A")})) as site:
        yield site


@pytest.fixture
def other() -> Iterator[Site]:
    with served(Site({"/": html("Another site")})) as other:
        yield other


def _read(site: Site, tmp_path: Path, start: str = "", **overrides: object) -> set[str]:
    return set(pages(list(source_of(start or site.url, tmp_path / "crawl.sqlite", **overrides).read({}))))


# --- the start URL ---


@pytest.mark.parametrize("start", ["file:///etc/passwd", "ftp://x.org/", "docs.example.org", "https://"])
def test_a_start_url_that_cannot_be_one_is_refused_without_asking(start: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        source_of(start, tmp_path / "crawl.sqlite").check()


@pytest.mark.parametrize("place", ["docs.example.org/", "docs.example.org:port/", "[docs/", "", "/docs.example.org"])
@pytest.mark.parametrize("scheme", ["https://", "https:", "ftp://", ""])
def test_credentials_in_a_start_url_are_refused_and_not_shown(scheme: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        source_of(f"{scheme}me:hidden@{place}", tmp_path / "crawl.sqlite").check()
    assert "hidden" not in str(caught.value)
    assert "Authorization" in str(caught.value)


@pytest.mark.parametrize(
    "start", ["https://ä..b/", "https://x.org:99999/", "https://[::1/", "https://a b/", "https://./"]
)
def test_a_start_url_that_no_request_can_be_made_of_is_refused(start: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        source_of(start, tmp_path / "crawl.sqlite").check()


def test_headers_go_to_the_start_however_its_origin_is_spelled(site: Site, tmp_path: Path) -> None:
    start = site.url.replace("http", "HTTP") + "/./"
    assert _read(site, tmp_path, start, headers={"Authorization": "Bearer hidden"}) == {"/", "/a"}
    assert {request.headers.get("authorization") for request in site.requests} == {"Bearer hidden"}


@pytest.mark.parametrize("headers", [{"X-A": "a\nb"}, {"Host": "x"}, {"": "x"}, {"X": "ü"}])
def test_a_header_that_http_cannot_carry_is_refused(headers: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        source_of("https://docs.example.org/", tmp_path / "crawl.sqlite", headers=headers)


def test_a_start_that_redirects_within_the_site_begins_there(site: Site, tmp_path: Path) -> None:
    site.pages |= {"/docs": redirect("/docs/"), "/docs/": html(f"Docs {links('x', '/a')}"), "/docs/x": html("X")}
    assert _read(site, tmp_path, site.url + "/docs") == {"/docs", "/docs/x"}


def test_a_start_that_redirects_to_another_site_is_said(site: Site, other: Site, tmp_path: Path) -> None:
    site.pages["/"] = redirect(other.url)
    with pytest.raises(SourceError, match="redirects to another site"):
        _read(site, tmp_path)
    assert not other.asked


def test_a_start_that_redirects_in_a_circle_is_said(site: Site, tmp_path: Path) -> None:
    site.pages |= {"/": redirect("/a"), "/a": redirect("/")}
    with pytest.raises(SourceError, match="in a loop"):
        _read(site, tmp_path)


@pytest.mark.parametrize("status", [401, 403])
def test_a_start_that_wants_a_login_says_what_to_do(site: Site, tmp_path: Path, status: int) -> None:
    site.pages["/"] = Reply(status)
    with pytest.raises(SourceError, match="Authorization"):
        _read(site, tmp_path)


def test_a_start_page_that_is_missing_does_not_matter_where_a_sitemap_is(site: Site, tmp_path: Path) -> None:
    site.pages |= {"/": Reply(404), "/sitemap.xml": xml(sitemap(site.url + "/a"))}
    assert _read(site, tmp_path) == {"/a"}


def test_a_site_without_any_page_is_an_error_that_names_the_reasons(site: Site, tmp_path: Path) -> None:
    site.pages = {"/": html("Start", head='<meta name="robots" content="noindex">')}
    with pytest.raises(SourceError, match=r"No page was found.*noindex") as raised:
        _read(site, tmp_path)
    assert "set robots to false" in raised.value.hint


def test_a_site_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SourceUnavailable, match="does not respond"):
        list(source_of(f"http://127.0.0.1:{port}", tmp_path / "crawl.sqlite").read({}))


# --- headers ---


def test_headers_go_to_the_start_origin_alone_and_into_no_log(
    site: Site, other: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.pages |= {
        "/robots.txt": Reply(200, f"Sitemap: {other.url}/sitemap.xml\n".encode(), {"Content-Type": "text/plain"}),
        "/a": redirect(f"{other.url}/a"),
    }
    source = source_of(site.url, tmp_path / "crawl.sqlite", headers={"Authorization": "Bearer hidden"})
    list(source.read({}))
    assert {request.headers.get("authorization") for request in site.requests} == {"Bearer hidden"}
    assert not other.requests
    assert "hidden" not in caplog.text
    assert "hidden" not in repr(source._request)


def test_the_user_agent_says_who_asks(site: Site, tmp_path: Path) -> None:
    _read(site, tmp_path)
    assert all(request.headers["user-agent"].startswith("Assay/") for request in site.requests)


# --- robots.txt ---


def test_robots_txt_is_for_our_name_and_a_site_of_ones_own_may_pass_it_over(site: Site, tmp_path: Path) -> None:
    rules = b"User-agent: Assay\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n"
    site.pages["/robots.txt"] = Reply(200, rules, {"Content-Type": "text/plain"})
    assert _read(site, tmp_path) == {"/"}
    assert _read(site, tmp_path, politeness=politeness(robots=False)) == {"/", "/a"}


@pytest.mark.parametrize("reply", [Reply(404), Reply(403), html("A page"), Reply(200, b"\xff\xfe\x00")])
def test_a_robots_txt_that_is_none_allows_everything(site: Site, tmp_path: Path, reply: Reply) -> None:
    site.pages["/robots.txt"] = reply
    assert _read(site, tmp_path) == {"/", "/a"}


@pytest.mark.parametrize("kind", ["text/plain", "text/html", ""])
@pytest.mark.parametrize("rest", ["", "# a remark\n" * 100_000], ids=["short", "too long"])
def test_a_robots_txt_is_obeyed_as_far_as_it_is_read_whatever_its_type(
    site: Site, tmp_path: Path, kind: str, rest: str
) -> None:
    rules = f"User-agent: *\nDisallow: /a\n{rest}Disallow: /\n"
    site.pages["/robots.txt"] = Reply(200, rules.encode(), {"Content-Type": kind})
    if rest:
        assert _read(site, tmp_path) == {"/"}
    else:
        with pytest.raises(SourceError, match="disallows"):
            _read(site, tmp_path)


def test_a_start_that_says_not_modified_is_not_told_as_moved(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = Reply(304)
    site.pages["/sitemap.xml"] = xml(sitemap(site.url + "/a"))
    assert _read(site, tmp_path) == {"/a"}


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_robots_txt_that_fails_forbids_everything_and_says_what_to_do(
    site: Site, tmp_path: Path, status: int
) -> None:
    site.pages["/robots.txt"] = Reply(status)
    with pytest.raises(SourceError, match="set robots to false"):
        _read(site, tmp_path)


def test_a_robots_txt_that_forbids_the_start_is_said(site: Site, tmp_path: Path) -> None:
    site.pages["/robots.txt"] = Reply(200, b"User-agent: *\nDisallow: /\n", {"Content-Type": "text/plain"})
    with pytest.raises(SourceError, match="disallows"):
        _read(site, tmp_path)


def test_a_crawl_delay_is_kept_to(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.adapters.sources.site.crawling.pacing import Pacing

    set_to: dict[str, float] = {}
    kept = Pacing.set_delay
    monkeypatch.setattr(
        Pacing,
        "set_delay",
        lambda self, origin, seconds: (set_to.update({origin: seconds}), kept(self, origin, 0.0))[1],
    )
    site.pages["/robots.txt"] = Reply(200, b"User-agent: *\nCrawl-delay: 7\n", {"Content-Type": "text/plain"})
    _read(site, tmp_path)
    assert set_to == {site.url: 7.0}


# --- other names of the site ---


def test_a_sitemap_of_another_origin_is_read_here_if_its_pages_are_here(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    real = "https://docs.example.org"
    canonical = f'<link rel="canonical" href="{real}/b">'
    site.pages |= {
        "/sitemap.xml": xml(sitemap(f"{real}/a", f"{real}/b")),
        "/b": html("The B page", head=canonical),
        "/b.html": html("The B page", head=canonical),
        "/a": html(f"A {links(real + '/b.html')}"),
    }
    assert _read(site, tmp_path) == {"/", "/a", "/b"}
    assert "https://docs.example.org" in caplog.text


def test_a_sitemap_of_another_site_is_not_read_here(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site.pages["/sitemap.xml"] = xml(sitemap("https://blog.example.org/x", "https://blog.example.org/y"))
    assert _read(site, tmp_path) == {"/", "/a"}
    assert "which is another site" in caplog.text


def test_sitemaps_outside_the_scope_are_read_and_only_their_pages_within(site: Site, tmp_path: Path) -> None:
    site.pages |= {
        "/docs/": html("Docs"),
        "/docs/x": html("X"),
        "/robots.txt": Reply(200, f"Sitemap: {site.url}/maps/all.xml\n".encode(), {"Content-Type": "text/plain"}),
        "/maps/all.xml": xml(sitemap(f"{site.url}/a", f"{site.url}/docs/x")),
    }
    assert _read(site, tmp_path, site.url + "/docs/") == {"/docs", "/docs/x"}


# --- a site that does not answer ---


def test_a_site_that_stops_answering_ends_the_reading_after_few_requests(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = html(f"Start {links(*(f'/p{number}' for number in range(500)))}")
    asked: list[str] = []

    def down(request: Request) -> Reply:
        asked.append(request.path)
        return Reply(503)

    site.fallback = down
    site.pages["/"] = lambda _: (
        html(f"Start {links(*(f'/p{number}' for number in range(500)))}") if len(asked) < 10 else Reply(503)
    )
    site.pages["/a"] = Reply(404)
    for name in ("/robots.txt", "/sitemap.xml", "/llms.txt", "/sitemap_index.xml", "/sitemap-index.xml"):
        site.pages[name] = Reply(404)
    with pytest.raises(SourceError, match=r"^http://127.0.0.1:\d+ has stopped responding"):
        _read(site, tmp_path)
    assert len(asked) < 100


def test_a_site_of_which_a_part_is_ill_is_read_to_its_end(site: Site, tmp_path: Path) -> None:
    paths = [f"/p{number}" for number in range(80)]
    site.pages |= {
        path: Reply(503) if number < 50 else html(f"Page {chr(65 + number)}") for number, path in enumerate(paths)
    }
    site.pages["/"] = html(f"Start {links(*paths)}")
    items = list(source_of(site.url, tmp_path / "crawl.sqlite", politeness=QUICK).read({}))
    assert failed(items) == set(paths[:50])
    assert len(known_of(items)) == 31


def test_a_host_that_wants_to_be_left_alone_too_long_is_left_alone(site: Site, tmp_path: Path) -> None:
    site.pages["/a"] = Reply(429, headers={"Retry-After": "3600"})
    polite = politeness(first_retry_seconds=0.01, retries=3, max_wait_seconds=0.2, max_total_wait_seconds=0.3)
    with pytest.raises(SourceError, match="keeps asking for pauses"):
        _read(site, tmp_path, politeness=polite)
    assert site.asked["/a"] < 4


# --- limits, and an end at once ---


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        (site_limits(max_pages=5), "pages"),
        (site_limits(max_total_bytes=2_000), "total_bytes"),
    ],
    ids=["pages", "bytes"],
)
def test_what_a_limit_leaves_out_is_said(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, limits: SiteLimits, word: str
) -> None:
    paths = [f"/p{number}" for number in range(50)]
    site.pages |= {path: html(f"Page {path} {'words ' * 40}") for path in paths}
    site.pages["/"] = html(f"Start {links(*paths)}")
    assert 1 <= len(_read(site, tmp_path, limits=limits)) < 20
    assert f"the limit of {word} was reached" in caplog.text


def test_no_time_at_all_is_said(site: Site, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="max_seconds"):
        _read(site, tmp_path, limits=site_limits(max_seconds=1e-6))
    assert not site.asked


def test_when_the_time_is_over_the_rest_is_not_asked_for(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from assay.adapters.sources.site.crawling import budget, crawl

    site.pages["/a"] = html(f"A {links('/b')}")
    site.pages["/b"] = html("B")
    past = [monotonic()]
    monkeypatch.setattr(budget, "monotonic", lambda: past[0])
    kept = crawl.Crawl._follow

    def late(self: crawl.Crawl, targets: list[str], depth: int) -> None:
        kept(self, targets, depth)
        past[0] += 60.0 * depth

    monkeypatch.setattr(crawl.Crawl, "_follow", late)
    assert _read(site, tmp_path, limits=site_limits(max_seconds=50.0)) == {"/", "/a"}
    assert "the limit of seconds was reached" in caplog.text


def test_giving_up_a_crawl_ends_its_threads_at_once(site: Site, tmp_path: Path) -> None:
    release = threading.Event()

    class Interrupt:
        """A progress during which somebody presses Ctrl-C."""

        def begin(self, stage: str, total: int | None) -> None: ...
        def expect(self, total: int) -> None: ...
        def remark(self, text: str) -> None: ...
        def end(self) -> None: ...
        def advance(self, steps: int = 1) -> None:
            raise KeyboardInterrupt

    def hang(connection: socket.socket) -> None:
        release.wait(20)

    site.pages["/"] = html(f"Start {links('/a', *(f'/h{number}' for number in range(6)))}")
    site.pages |= {f"/h{number}": Reply(raw=hang) for number in range(6)}
    source: SiteSource = source_of(site.url, tmp_path / "crawl.sqlite")
    with pytest.raises(KeyboardInterrupt):
        list(source.read({}, Interrupt()))
    assert not [thread for thread in threading.enumerate() if thread.name == "site"]
    release.set()
    site.pages |= {f"/h{number}": html(f"H{number}") for number in range(6)}
    assert len(pages(list(source.read({})))) == 8


def test_reasons_are_for_people(site: Site, tmp_path: Path) -> None:
    site.pages["/a"] = Reply(403)
    items = list(source_of(site.url, tmp_path / "crawl.sqlite").read({}))
    assert reasons(items) == {"/a": "the server returned 403"}


def test_a_start_that_the_scope_leaves_out_leads_to_pages_all_the_same(site: Site, tmp_path: Path) -> None:
    site.pages |= {
        "/": html(f"Start {links('/guide/a', '/blog/x')}"),
        "/guide/a": html("A"),
        "/api": html(f"The API {links('/api/b')}"),
        "/api/b": html("B"),
        "/blog/x": html("X"),
    }
    scope = SiteScope(include=("/guide/", "/api"))
    assert _read(site, tmp_path, scope=scope) == {"/guide/a", "/api", "/api/b"}
