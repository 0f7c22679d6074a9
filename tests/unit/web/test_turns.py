"""Short answers are made on the event loop, one after the other; others in threads."""

import asyncio
from collections.abc import Callable
from threading import get_ident

from assay.web.turns import Turns


def run(*calls: tuple[Callable[[], object], bool]) -> list[object]:
    """Make these calls at once; each with whether it is short."""

    async def all_at_once() -> list[object]:
        turns = Turns()
        waiting = [turns.call(answer, is_short=is_short) for answer, is_short in calls]
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(all_at_once())


def test_only_a_short_answer_is_made_on_the_event_loop() -> None:
    short, long = run((get_ident, True), (get_ident, False))
    assert short == get_ident()
    assert long != get_ident()


def test_an_error_is_raised_and_the_next_one_has_its_turn() -> None:
    error, answer = run((lambda: 1 // 0, True), (lambda: "answer", True))
    assert isinstance(error, ZeroDivisionError)
    assert answer == "answer"


def test_what_arrived_meanwhile_goes_on_between_two_answers() -> None:
    order = []

    async def requests() -> None:
        turns = Turns()

        async def ask(name: str) -> None:
            order.append(f"{name} waits")
            await turns.call(lambda: order.append(f"{name} is answered"), is_short=True)

        async def probe() -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            order.append("a probe is answered")

        await asyncio.gather(ask("first"), ask("second"), ask("third"), probe())

    asyncio.run(requests())
    assert order[:3] == ["first waits", "second waits", "third waits"]
    assert order.index("a probe is answered") < order.index("third is answered")
