"""Reports over HTTP: listed with their verdict, read by links that end, and never another file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import settings_for
from tests.integration.web.wire import bearer, make_key

from assay.app import Assay
from assay.contracts.operators.reports import ReportList
from assay.model.access import Scope
from assay.settings import Settings
from assay.web import tickets
from assay.web.application import create_app

LINK = "/v1/admin/reports/link"


@pytest.fixture(scope="module")
def served(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path, str]]:
    """A client, the folder of reports with one report, and an admin key. Searching needs a key."""
    folder = tmp_path_factory.mktemp("reports")
    keys = folder / "keys.json"
    settings = settings_for(published, keys_file=str(keys), search="key")
    validation = settings.validation.model_copy(update={"output_dir": folder / "results"})
    settings = Settings.model_validate(settings.model_copy(update={"validation": validation}))
    with Assay.open(settings) as assay, TestClient(create_app(assay)) as client:
        assay.write_report(assay.evaluation.validate("live", store_verdict=False))
        yield client, folder / "results", make_key(keys, "operator", Scope.ADMIN)


Served = tuple[TestClient, Path, str]


def listed(served: Served) -> ReportList:
    client, _, key = served
    return ReportList.model_validate_json(client.get("/v1/admin/reports", headers=bearer(key)).content)


def test_a_report_is_listed_with_its_verdict(served: Served) -> None:
    (report,) = listed(served).reports
    assert (report.kind, report.outcome) == ("report", "PASS")
    assert report.title.startswith("PASS: ")
    assert (served[1] / f"{report.name}.html").is_file()


def test_a_link_shows_the_page_without_a_key_and_allows_no_script(served: Served) -> None:
    client, folder, key = served
    name = listed(served).reports[0].name
    path = client.post(LINK, json={"report": name}, headers=bearer(key)).json()["path"]
    shown = client.get(path)
    assert shown.content == (folder / f"{name}.html").read_bytes()
    assert shown.headers["content-type"].startswith("text/html")
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script" not in policy
    assert shown.headers["cache-control"] == "no-store"


def test_a_link_ends(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _, key = served
    body = {"report": listed(served).reports[0].name}
    path = client.post(LINK, json=body, headers=bearer(key)).json()["path"]
    later = tickets.time.time() + tickets.SECONDS + 1
    monkeypatch.setattr(tickets.time, "time", lambda: later)
    assert client.get(path).status_code == 404
    assert client.get("/reports/guessed").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "../keys",
        "..%2fkeys",
        "report_20260301_081500",
        "other",
        "report_20260301_081500/../../keys",
        "report_1",
        "x" * 99,
    ],
)
def test_no_other_file_is_shown(served: Served, name: str) -> None:
    client, folder, key = served
    (folder.parent / "keys.html").write_text("secret", encoding="utf-8")
    (folder / "other.html").write_text("other", encoding="utf-8")
    answer = client.post(LINK, json={"report": name}, headers=bearer(key))
    assert answer.status_code == 400
    assert "there is no report" in answer.json()["message"]
    assert len(listed(served).reports) == 1


def test_a_link_to_another_folder_is_not_followed(served: Served) -> None:
    client, folder, key = served
    secret = folder.parent / "secret.html"
    secret.write_text("secret", encoding="utf-8")
    link = folder / "report_20260301_081501.html"
    link.symlink_to(secret)
    try:
        answer = client.post(LINK, json={"report": link.stem}, headers=bearer(key))
        assert answer.status_code == 400
        assert link.stem not in {report.name for report in listed(served).reports}
    finally:
        link.unlink()


def test_listing_and_linking_need_an_admin_key(served: Served) -> None:
    client, _, _ = served
    assert client.get("/v1/admin/reports").status_code == 401
    assert client.post(LINK, json={"report": "report_20260301_081500"}).status_code == 401
