"""Asking the addresses of hits: what is dead, and what is never asked."""

from pathlib import Path

import pytest
from tests.integration.web.conftest import write_pages
from tests.sites import Reply, Site, html, redirect, served

from assay.adapters.sources.site.http.url_check import UrlCheck
from assay.app import Assay
from assay.model.evaluation import Outcome
from assay.settings import load_settings

TESTSET = "topics:\n- {id: nodes, text: How do nodes communicate?, top_k: 3}\n"


def _quick(*origins: str) -> UrlCheck:
    return UrlCheck(origins, pause=lambda _: None)


def test_pages_are_asked_and_redirects_followed_and_the_dead_say_why() -> None:
    site = Site({"/a": html("A page"), "/moved": redirect("/a"), "/round": redirect("/round"), "/down": Reply(503)})
    with served(site):
        check = _quick(site.url)
        found = {
            path: check.problem(site.url + path) for path in ("/a", "/a#part", "/moved", "/gone", "/down", "/round")
        }
        check.close()
    assert (found["/a"], found["/a#part"], found["/moved"]) == ("", "", "")
    assert (found["/gone"], found["/down"]) == ("the server returned 404", "the server returned 503")
    assert "more than 5 redirects" in found["/round"]


def test_an_address_of_the_private_network_is_asked_only_where_a_source_is() -> None:
    with served(Site({"/a": html("A page")})) as site, served(Site({"/a": redirect(f"{site.url}/a")})) as other:
        check = _quick(other.url)
        assert check.problem(f"{other.url}/a").startswith("no answer: ")
        assert check.problem(f"{site.url}/a").startswith("no answer: ")
        check.close()
        assert site.requests == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "nonsense", "https://"])
def test_what_is_no_address_of_the_web_is_dead(url: str) -> None:
    assert _quick().problem(url) != ""


@pytest.mark.contract("004.25")
@pytest.mark.parametrize("dead", [(), ("/nodes",)])
def test_a_validation_that_is_asked_to_has_a_row_for_each_dead_address(tmp_path: Path, dead: tuple[str, ...]) -> None:
    pages = write_pages(tmp_path / "pages")
    (tmp_path / "set.yaml").write_text(TESTSET, encoding="utf-8")
    site = Site({f"/{page.stem}": html(page.stem) for page in pages.glob("*.md") if f"/{page.stem}" not in dead})
    with served(site):
        source = {"path": pages, "name": "manual", "base_url": site.url, "convention": "plain"}
        with Assay.open(load_settings(None, {"data_dir": tmp_path / "index", "sources": [source]})) as assay:
            assay.builds.ingest()
            plain = assay.validate(None, tmp_path / "set.yaml")
            asked = assay.validate(None, tmp_path / "set.yaml", check_urls=True)
    assert "addresses of hits" not in {finding.check for finding in plain.verdict.findings}
    (finding,) = [one for one in asked.verdict.findings if one.check == "addresses of hits"]
    assert finding.outcome is (Outcome.FAIL if dead else Outcome.PASS)
    assert finding.examples == tuple(f"{site.url}{path}: the server returned 404" for path in dead)
