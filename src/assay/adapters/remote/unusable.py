"""Answers that cannot be used."""


class UnusableAnswer(Exception):
    """An answer without the promised vectors or scores; the message is the reason."""


def unusable_reason(error: Exception) -> str:
    """The reason why an answer cannot be used, from the error of reading it."""
    if isinstance(error, UnusableAnswer):
        return str(error)
    return "it is nested too deeply" if isinstance(error, RecursionError) else "it is not JSON"
