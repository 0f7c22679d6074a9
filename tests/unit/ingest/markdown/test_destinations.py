import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import helpers

from assay.ingest.markdown.destinations import LinkHelpers

ADDRESSES = st.text(alphabet=st.sampled_from("ab/.#:é()<>\\& \n\t\x07\x7f\u00a0;m"), max_size=12)


@given(text=ADDRESSES, pos=st.integers(0, 4), short=st.integers(0, 4))
def test_an_address_is_read_as_the_parser_reads_it(text: str, pos: int, short: int) -> None:
    maximum = max(len(text) - short, 0)
    fast = LinkHelpers.parseLinkDestination(text, pos, maximum)
    slow = helpers.parseLinkDestination(text, pos, maximum)
    assert (fast.ok, fast.pos, fast.str) == (slow.ok, slow.pos, slow.str)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("guide.md)", "guide.md"),
        ("/a/b#c 'title')", "/a/b#c"),
        ("a_(b))", "a_(b)"),
        ("<with blanks>)", "with blanks"),
        ("a&amp;b)", "a&b"),
        (r"a\)b)", "a)b"),
    ],
)
def test_addresses_end_where_they_do(text: str, address: str) -> None:
    assert LinkHelpers.parseLinkDestination(text, 0, len(text)).str == address
