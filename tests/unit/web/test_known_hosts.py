"""Under which names a server answers, and what others are told."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from assay.web.guards import KnownHosts


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("evil.example", "does not answer under"),
        ("", "the request names none"),
    ],
)
def test_a_name_that_is_not_its_own_is_told_from_none(host: str, message: str) -> None:
    client = TestClient(KnownHosts(PlainTextResponse("well"), ["localhost"]))
    assert client.get("/", headers={"Host": "localhost:8080"}).status_code == 200
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert message in answer.json()["message"]
