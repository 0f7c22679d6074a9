"""The reference pages say what the code does."""

import pytest

from tests.docs.pages import DOCS, PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_reference_page_says_what_the_code_says(page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == PAGES[page](), "run `make docs` and commit the result"
