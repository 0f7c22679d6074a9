"""Links that work for some minutes without a key."""

import pytest

from assay.web import tickets
from assay.web.tickets import Tickets


def test_every_worker_of_a_server_knows_a_ticket_and_another_server_does_not() -> None:
    ticket = Tickets(b"secret").issue("2026-03-01 g7 ü.html")
    assert Tickets(b"secret").name_of(ticket) == "2026-03-01 g7 ü.html"
    assert Tickets(b"other").name_of(ticket) is None


def test_a_ticket_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = Tickets(b"secret", seconds=600).issue("report")
    now = tickets.time.time()
    for seconds, name in ((599, "report"), (601, None)):
        monkeypatch.setattr(tickets.time, "time", lambda seconds=seconds: now + seconds)
        assert Tickets(b"secret").name_of(ticket) == name


@pytest.mark.parametrize("forged", ["", "a", "ü", "AAAA", "A" * 32, "A" * 43, "A" * 200, "%00", "a b"])
def test_what_is_no_ticket_is_for_nothing(forged: str) -> None:
    assert Tickets(b"secret").name_of(forged) is None


def test_a_changed_ticket_is_for_nothing() -> None:
    ticket = Tickets(b"secret").issue("report")
    changed = [ticket[:at] + ("B" if ticket[at] == "A" else "A") + ticket[at + 1 :] for at in range(len(ticket) - 1)]
    assert {Tickets(b"secret").name_of(one) for one in changed} == {None}
