"""Publishing a site again and again: what it costs, what is blocked, and what each page's fate is called."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.changing_site import ChangingSite, served

from assay.app import Assay
from assay.cli.commands.diagnosis import diagnose
from assay.errors import SourceError
from assay.model.evaluation import Outcome
from assay.model.ranking import Query
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor", "radio", "screen", "cable", "frame")


@pytest.fixture
def site() -> Iterator[ChangingSite]:
    site = ChangingSite()
    for part in PARTS:
        site.write(f"/docs/{part}", f"The {part}", f"The {part} is checked every {len(part)} days.")
    with served(site):
        yield site


def _open(site: ChangingSite, data: Path, **overrides: Any) -> Assay:  # noqa: ANN401 - tables of settings
    source = {"url": f"{site.url}/", "name": "workshop", "retries": 0} | overrides.pop("source", {})
    return Assay.open(load_settings(None, {"data_dir": data, "sources": [source], **overrides}))


@pytest.fixture
def assay(site: ChangingSite, tmp_path: Path) -> Iterator[Assay]:
    with _open(site, tmp_path / "data") as opened:
        yield opened


def _found(assay: Assay, text: str) -> list[str]:
    assay.searches.live.refresh()
    return [hit.chunk.document.url for hit in assay.search(Query(text, 10)).hits]


def test_a_site_goes_live_and_answers_with_its_addresses_and_without_its_chrome(
    site: ChangingSite, assay: Assay
) -> None:
    report = assay.publish()
    assert report.promoted
    assert len(report.build.added) == len(PARTS) + 1
    hit = assay.search(Query("when is the gripper checked", 1)).hits[0].chunk
    assert (hit.document.url, hit.document.title) == (f"{site.url}/docs/gripper", "The gripper")
    texts = " ".join(chunk.text for chunk in assay.parts.catalog.chunks(report.promoted.id))
    for chrome in ("Search the site", "All pages", "Copyright", "Edit this page"):
        assert chrome not in texts


def test_a_site_without_changes_is_asked_conditionally_and_nothing_is_built_or_embedded(
    site: ChangingSite, assay: Assay
) -> None:
    assay.publish()
    site.forget_requests()
    build = assay.publish().build
    assert build.unchanged
    assert (build.embedded, build.kept) == (0, len(PARTS) + 1)
    assert site.statuses() == {304: len(PARTS)}


def test_without_validators_equal_pages_are_unchanged_all_the_same(site: ChangingSite, tmp_path: Path) -> None:
    site.has_validators = False
    with _open(site, tmp_path / "data") as assay:
        assay.publish()
        assert assay.publish().build.unchanged


def test_only_a_changed_page_is_read_and_embedded_again(site: ChangingSite, assay: Assay) -> None:
    assay.publish()
    site.write("/docs/camera", "The camera", "The camera is never checked.")
    site.forget_requests()
    build = assay.publish().build
    assert (build.changed, build.added, build.removed) == ((f"{site.url}/docs/camera",), (), ())
    assert build.embedded == 1
    assert site.statuses() == {304: len(PARTS) - 1, 200: 1}


def test_a_renamed_page_that_redirects_is_told_as_moved_and_not_embedded_again(
    site: ChangingSite, assay: Assay
) -> None:
    assay.publish()
    site.pages["/docs/optics"] = site.pages.pop("/docs/camera")
    site.moved["/docs/camera"] = "/docs/optics"
    build = assay.publish().build
    assert (build.added, build.removed) == ((f"{site.url}/docs/optics",), (f"{site.url}/docs/camera",))
    assert build.embedded == 0
    assert [(page.key, f"{site.url}/docs/optics" in page.reason) for page in build.gone] == [
        (f"{site.url}/docs/camera", True)
    ]


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_the_site_says_is_gone_is_removed_with_the_reason(
    site: ChangingSite, assay: Assay, status: int
) -> None:
    assay.publish()
    del site.pages["/docs/radio"]
    if status == 410:
        site.failing["/docs/radio"] = 410
    build = assay.publish().build
    assert build.removed == (f"{site.url}/docs/radio",)
    assert [page.key for page in build.gone] == [f"{site.url}/docs/radio"]
    assert build.gone[0].reason
    assert f"{site.url}/docs/radio" not in _found(assay, "when is the radio checked")


def test_a_page_that_fails_keeps_its_document_and_is_named(site: ChangingSite, tmp_path: Path) -> None:
    with _open(site, tmp_path / "data", gate={"max_failed_pages": 0.2}) as assay:
        assay.publish()
        site.failing["/docs/radio"] = 500
        report = assay.publish()
        assert [page.key for page in report.build.failed] == [f"{site.url}/docs/radio"]
        assert "500" in report.build.failed[0].reason
        assert report.build.carried == (f"{site.url}/docs/radio",)
        assert report.build.removed == ()
        assert _found(assay, "when is the radio checked")[0] == f"{site.url}/docs/radio"


def test_a_site_that_answers_503_for_half_its_pages_changes_nothing_live(site: ChangingSite, assay: Assay) -> None:
    first = assay.publish().build.generation
    for part in PARTS[::2]:
        site.failing[f"/docs/{part}"] = 503
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert "gate.max_failed_pages" in report.verdict.summary
    assert len(report.build.failed) == len(PARTS) // 2
    assert f"{len(PARTS) // 2} of {len(PARTS) + 1} pages" in report.verdict.summary
    assert assay.parts.catalog.live_id() == first.id
    assert _found(assay, "when is the gripper checked")[0] == f"{site.url}/docs/gripper"


def test_a_site_that_lost_much_of_its_sitemap_changes_nothing_live(site: ChangingSite, assay: Assay) -> None:
    first = assay.publish().build.generation
    for part in PARTS[:4]:
        del site.pages[f"/docs/{part}"]
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert "gate.max_page_fall" in report.verdict.summary
    assert "--allow-removals" in report.verdict.summary
    assert assay.parts.catalog.live_id() == first.id
    assert _found(assay, "when is the gripper checked")[0] == f"{site.url}/docs/gripper"


def test_a_sitemap_that_cannot_be_read_removes_no_page_that_is_still_there(site: ChangingSite, assay: Assay) -> None:
    site.unlisted = set()
    assay.publish()
    site.failing["/sitemap.xml"] = 503
    site.pages = dict(site.pages)
    report = assay.publish()
    assert report.build.removed == ()


def test_a_site_that_is_away_is_an_error_that_says_what_to_do(site: ChangingSite, assay: Assay) -> None:
    first = assay.publish().build.generation
    site.failing = dict.fromkeys(["/", "/robots.txt", "/sitemap.xml", *site.pages], 503)
    with pytest.raises(SourceError) as caught:
        assay.publish()
    assert caught.value.hint
    assert assay.parts.catalog.live_id() == first.id


def test_a_site_that_gives_a_login_page_for_every_address_changes_nothing_live_and_says_so(
    site: ChangingSite, assay: Assay
) -> None:
    first = assay.publish().build.generation
    site.closed = {"/": "<h1>Sign in</h1><p>Sign in to read the handbook of the workshop.</p>"}
    for _ in range(2):
        with pytest.raises(SourceError, match=f"the same page for every address.*{len(PARTS)} indexed pages") as caught:
            assay.publish()
        assert "login" in str(caught.value.hint)
    assert assay.parts.catalog.live_id() == first.id
    assert _found(assay, "when is the gripper checked")[0] == f"{site.url}/docs/gripper"
    site.closed = {}
    assert assay.publish().build.unchanged


def test_a_login_page_in_place_of_all_but_the_start_is_blocked_and_named(site: ChangingSite, assay: Assay) -> None:
    first = assay.publish().build.generation
    site.closed = {"/docs/": "<h1>Sign in</h1><p>Sign in to read the handbook of the workshop.</p>"}
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert "gate.max_page_fall" in report.verdict.summary
    assert report.build.changed == ()
    assert {page.key for page in report.build.gone} == {f"{site.url}/docs/{part}" for part in PARTS}
    assert all("soft 404" in page.reason for page in report.build.gone)
    assert assay.parts.catalog.live_id() == first.id


def test_pages_that_all_lead_to_a_login_are_blocked_and_named(site: ChangingSite, assay: Assay) -> None:
    first = assay.publish().build.generation
    site.moved = {f"/docs/{part}": "/login" for part in PARTS}
    site.write("/login", "Sign in", "Sign in to read the handbook of the workshop.")
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert f"moved to {site.url}/login" in report.build.gone[0].reason
    assert assay.parts.catalog.live_id() == first.id


def test_a_folder_and_a_site_share_an_index(site: ChangingSite, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "gripper.md").write_text("# Notes\n\nThe gripper of the lab is blue.\n", encoding="utf-8")
    sources = [{"url": f"{site.url}/", "name": "workshop"}, {"path": tmp_path / "notes", "name": "notes"}]
    with Assay.open(load_settings(None, {"data_dir": tmp_path / "data", "sources": sources})) as assay:
        assay.publish()
        found = {hit.chunk.document.source for hit in assay.search(Query("the gripper", 10)).hits}
    assert found == {"workshop", "notes"}


def test_a_dry_run_of_a_site_says_what_would_change_and_spares_the_build_the_requests(
    site: ChangingSite, assay: Assay
) -> None:
    assay.publish()
    site.write("/docs/lamp", "The lamp", "The lamp is new.")
    del site.pages["/docs/radio"]
    found = assay.builds.preview()
    assert (found.added, found.removed) == ((f"{site.url}/docs/lamp",), (f"{site.url}/docs/radio",))
    assert found.embedded > 0
    build = assay.builds.ingest()
    assert (build.added, build.removed, build.embedded) == (found.added, found.removed, found.embedded)


def test_a_doctor_asks_a_site_for_its_first_page_only(site: ChangingSite, assay: Assay) -> None:
    checks = {check.name: check for check in diagnose(assay, ask_provider=False)}
    assert checks["sources"].level == "ok"
    assert f"{site.url}/ can be read" in checks["sources"].message
    assert sum(site.statuses().values()) <= 1
