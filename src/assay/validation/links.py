"""Whether the addresses of hits lead somewhere."""

from collections.abc import Callable, Sequence

from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome
from assay.model.validations import TopicResult
from assay.ports import Progress

NO_ANSWER = "no answer"
"""How the problem of an address begins where nothing answered."""

_CHECK = "addresses of hits"


def links_finding(results: Sequence[TopicResult], problem_of: Callable[[str], str], progress: Progress) -> Finding:
    """Ask the address of every hit that is shown, each page once. problem_of: why it is dead; "" where it is not."""
    urls = list(
        dict.fromkeys(hit.chunk.document.url for result in results for hit in result.hits[: result.topic.top_k])
    )
    dead = []
    progress.begin("addresses", len(urls))
    for url in urls:
        problem = problem_of(url)
        if problem:
            dead.append(f"{url}: {problem}")
        progress.advance()
    progress.end()
    limit = "the address of every hit answers"
    if not urls:
        return Finding(_CHECK, Outcome.INCONCLUSIVE, None, limit, "there were no hits to ask the address of")
    alive = 1.0 - len(dead) / len(urls)
    if not dead:
        return Finding(_CHECK, Outcome.PASS, alive, limit)
    if len(dead) == len(urls) and all(NO_ANSWER in one for one in dead):
        detail = f"no address could be reached: {dead[0]}"
        return Finding(_CHECK, Outcome.INCONCLUSIVE, None, limit, detail, tuple(dead[:MOST_EXAMPLES]), len(dead))
    detail = f"{len(dead)} of {len(urls)} addresses are dead. Is --base-url where the pages are served?"
    return Finding(_CHECK, Outcome.FAIL, alive, limit, detail, tuple(dead[:MOST_EXAMPLES]), len(dead))
