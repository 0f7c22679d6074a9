"""What never ends."""

from tests.site_traps.trap import Trap, numbered, page


def traps() -> list[Trap]:
    """What never ends."""
    return [
        Trap(
            "calendar in the path",
            {
                "": page("Calendar", "2025/1"),
                **{
                    f"{year}/{month}": page(
                        f"Events of {year} {month}: none in this month", f"../{year + month // 12}/{month % 12 + 1}"
                    )
                    for year in range(2025, 2040)
                    for month in range(1, 13)
                },
            },
            ("",),
            {"2025/1": "series", "2025/8": "series"},
        ),
        Trap(
            "calendar in the query",
            {"": page("Days", "day?month=1&amp;year=2025"), "day": page("Days of a month")},
            ("",),
        ),
        Trap(
            "numbers in the query",
            {
                "": page("Numbers", "n?next=1"),
                "n": numbered(
                    "Words that differ " + "x" * 3 + " {0} and number words " + "{0} apples",
                    lambda number: [f"n?next={number + 1}"],
                ),
            },
            ("", "n"),
            {"n?next=1": "series"},
        ),
        Trap(
            "words in the query",
            {
                "": page("Words", *[f"w?word={chr(97 + number)}" for number in range(26)]),
                "w": page("Words"),
                **{f"w?word={chr(97 + number)}": page(f"The word {chr(97 + number) * 4}") for number in range(26)},
            },
            ("", "w"),
            {"w?word=a": "query_pages"},
        ),
        Trap(
            "search and sort",
            {
                "": page("Search", "s?q=a", "s?sort=up", "s?order=2&amp;dir=asc", "s?action=edit", "s"),
                "s": page("All of it"),
            },
            ("", "s"),
        ),
        Trap(
            "paths that repeat themselves",
            {
                "": page("Repeat", "a/b/"),
                "a/b/": page("Grows", "a/b/"),
                **{"a/b/" * number: page(f"Grows {'on ' * number}", "a/b/") for number in range(2, 12)},
            },
            ("", "a/b", "a/b/a/b"),
        ),
        Trap(
            "chain of links",
            {
                "": page("Chain", "l1"),
                **{f"l{number}": page(f"Link {'and so ' * number} on", f"l{number + 1}") for number in range(1, 40)},
            },
            ("", *[f"l{number}" for number in range(1, 26)]),
        ),
        Trap("endless address", {"": page("Long", "a" * 3_000)}, ("",)),
    ]
