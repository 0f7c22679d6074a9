"""Publish a folder of documentation and search it: `python examples/search.py docs/ "how do I configure retries?"`."""

import sys

import assay


def search(folder: str, question: str) -> list[str]:
    """Publish the folder, and return the links of the hits. Prints what the gate found where it did not pass."""
    with assay.open(folder) as docs:
        report = docs.publish()
        if report.verdict is not None and report.promoted is None:
            print(report.verdict.summary)
        ranking: assay.Ranking = docs.search(question, top_k=3, mode="hybrid")
        return [hit.url for hit in ranking.hits]


if __name__ == "__main__":
    try:
        print("\n".join(search(*sys.argv[1:3])))
    except assay.AssayError as error:
        sys.exit(str(error))
