"""Pages that say nothing are told from short ones."""

import pytest

from assay.validation.content.almost_empty import is_almost_empty


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title",
        "# Title\n\n## Another\n\n### And one more of many words",
        "Please wait...",
        "# Docs\n\nLoading…",
        "You need to enable JavaScript to run this app.",
        "Just a moment while we are checking your browser.",
        "# API\n\n`package.module.aliases`",
        "---\n\n![]()\n\n* *",
        "请稍候…",
        "Redirecting to the new page",
    ],
)
def test_a_page_without_anything_to_answer_says_almost_nothing(text: str) -> None:
    assert is_almost_empty(text)


@pytest.mark.parametrize(
    "text",
    [
        "Our robot walks.",
        "# The fan\n\nHow the fan works.",
        "急停按钮会立即切断机器人所有关节的电源。",
        "```\nassay publish docs\n```",
        "Loading " + "a robot onto the truck takes two people. " * 5,
        "JavaScript " + "clients call the service with a key in the header. " * 5,
    ],
)
def test_a_short_page_says_something(text: str) -> None:
    assert not is_almost_empty(text)
