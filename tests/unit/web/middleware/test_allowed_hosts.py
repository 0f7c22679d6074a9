"""Under which names a server answers, and what others are told."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from assay.web.middleware.guards import AllowedHosts


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("evil.example", "is not one of the hosts"),
        ("[::2]:80", "is not one of the hosts"),
        ("", "the header is missing"),
        ("[::1]evil", "must be a name or an address"),
        ("localhost:80.evil.com", "must be a name or an address"),
        ("localhost:80:80", "must be a name or an address"),
        ("user@localhost", "must be a name or an address"),
        ("localhost/evil", "must be a name or an address"),
        ("local host", "must be a name or an address"),
    ],
)
def test_an_unknown_host_and_a_missing_one_have_different_messages(host: str, message: str) -> None:
    client = TestClient(AllowedHosts(PlainTextResponse("well"), ["localhost", "[::1]"]))
    for own in ("localhost:8080", "LOCALHOST", "localhost.", "[::1]", "[::1]:80", "localhost:"):
        assert client.get("/", headers={"Host": own}).status_code == 200
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_a_host_that_is_none_is_refused_also_where_any_name_will_do() -> None:
    client = TestClient(AllowedHosts(PlainTextResponse("well"), ["*"]))
    assert client.get("/", headers={"Host": "anything.example:1"}).status_code == 200
    assert client.get("/", headers={"Host": "localhost:80.evil.com"}).status_code == 400
