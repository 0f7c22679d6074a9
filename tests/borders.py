"""The values at the borders of the seeds' fields and just past them, each with whether it is taken."""

import pytest

Border = object
"""A pytest.param of a value and whether it is accepted; the value may be anything that JSON can say."""


def text_borders(limit: int) -> list[Border]:
    """A text of 1 to `limit` characters that are not all white space."""
    return [
        pytest.param("", False, id="0 characters"),
        pytest.param("a", True, id="1 character"),
        pytest.param("a" * (limit - 1), True, id=f"{limit - 1} characters"),
        pytest.param("a" * limit, True, id=f"{limit} characters"),
        pytest.param("a" * (limit + 1), False, id=f"{limit + 1} characters"),
        pytest.param("a" * (limit + 2), False, id=f"{limit + 2} characters"),
        pytest.param(" ", False, id="a space"),
        pytest.param(" " * limit, False, id=f"{limit} spaces"),
        pytest.param("\u00a0\u2003\n\t", False, id="other white space"),
        pytest.param(" a ", True, id="spaces around a letter"),
        pytest.param("🤖" * limit, True, id=f"{limit} emoji"),
        pytest.param("🤖" * (limit + 1), False, id=f"{limit + 1} emoji"),
        pytest.param("👩\u200d🔬", True, id="a joined emoji"),
        pytest.param("no\0de", False, id="NUL"),
        pytest.param("كيف تتواصل العقد؟", True, id="right to left"),
        pytest.param("\u202enodes", True, id="a direction override"),
        pytest.param("ノードはどう通信しますか", True, id="Japanese"),
        pytest.param("e\u0301" * (limit // 2), True, id="combining characters"),
        pytest.param("\ud800", False, id="lone leading surrogate"),
        pytest.param("x\udc00", False, id="lone trailing surrogate"),
        pytest.param(None, False, id="null"),
        pytest.param(7, False, id="a number"),
        pytest.param(True, False, id="true"),
        pytest.param(["nodes"], False, id="a list"),
        pytest.param({"text": "nodes"}, False, id="an object"),
    ]


def count_borders(limit: int) -> list[Border]:
    """A whole number from 1 to `limit`."""
    return [
        *(pytest.param(value, 1 <= value <= limit, id=str(value)) for value in (-1, 0, 1, 5, 19, 20, 21, 99, 100, 101)),
        pytest.param("5", False, id="the string 5"),
        pytest.param(5.0, False, id="5.0"),
        pytest.param(5.5, False, id="5.5"),
        pytest.param(True, False, id="true"),
        pytest.param(None, False, id="null"),
        pytest.param([5], False, id="a list"),
        pytest.param(float("nan"), False, id="NaN"),
        pytest.param(float("inf"), False, id="Infinity"),
        pytest.param(10**300, False, id="a number of 301 digits"),
    ]


def share_borders() -> list[Border]:
    """A number from 0 to 1."""
    return [
        pytest.param(-0.01, False, id="-0.01"),
        pytest.param(-0.0, True, id="-0.0"),
        pytest.param(0, True, id="0"),
        pytest.param(5e-324, True, id="the least positive number"),
        pytest.param(0.5, True, id="0.5"),
        pytest.param(1, True, id="1"),
        pytest.param(1.0, True, id="1.0"),
        pytest.param(1.0000000000000002, False, id="the next after 1"),
        pytest.param(1.01, False, id="1.01"),
        pytest.param("0.5", False, id="the string 0.5"),
        pytest.param(True, False, id="true"),
        pytest.param(None, False, id="null"),
        pytest.param(float("nan"), False, id="NaN"),
        pytest.param(float("inf"), False, id="Infinity"),
        pytest.param(float("-inf"), False, id="-Infinity"),
    ]


def switch_borders() -> list[Border]:
    """True or false."""
    return [
        pytest.param(True, True, id="true"),
        pytest.param(False, True, id="false"),
        *(pytest.param(value, False, id=repr(value)) for value in (0, 1, "true", "", None)),
    ]
