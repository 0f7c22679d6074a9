"""Which texts go into which request. Pure."""

from collections.abc import Sequence


def plan_batches(tokens: Sequence[int], most_texts: int, most_tokens: int) -> list[range]:
    """Positions of the texts of each request, in order, as few requests as the order allows.

    tokens: number of tokens of each text.
    most_texts, most_tokens: of one request. A text that has more tokens than that goes alone.
    """
    batches: list[range] = []
    start = total = 0
    for position, count in enumerate(tokens):
        full = position - start == most_texts or total + count > most_tokens
        if full and position > start:
            batches.append(range(start, position))
            start, total = position, 0
        total += count
    if start < len(tokens):
        batches.append(range(start, len(tokens)))
    return batches


def even_share(most_texts: int, per_minute: int | None) -> int:
    """The size of request, at most most_texts, of which a minute's allowance holds a whole number.

    With requests of 96 texts and 2,000 a minute, 80 of each minute would be left over; with 95 it is 5.
    """
    if per_minute is None or per_minute <= most_texts:
        return min(most_texts, per_minute) if per_minute else most_texts
    return per_minute // -(-per_minute // most_texts)
