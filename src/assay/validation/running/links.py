"""Check that the addresses of hits answer."""

from collections.abc import Callable, Sequence

from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome
from assay.model.validations import TopicResult
from assay.ports import Progress, track

NO_ANSWER = "no answer"
"""Begins the problem of an address from which no response came."""

_CHECK = "addresses of hits"


def links_finding(results: Sequence[TopicResult], problem_of: Callable[[str], str], progress: Progress) -> Finding:
    """Request the address of each page in the topics' top_k hits. problem_of: why it is dead; "" if it is not."""
    urls = list(
        dict.fromkeys(hit.chunk.document.url for result in results for hit in result.hits[: result.topic.top_k])
    )
    asked = track(urls, progress, "addresses", len(urls))
    dead = [f"{url}: {problem}" for url in asked if (problem := problem_of(url))]
    limit = "the address of every hit answers"
    if not urls:
        return Finding(_CHECK, Outcome.INCONCLUSIVE, None, limit, "there were no hits, so no address was requested")
    alive = 1.0 - len(dead) / len(urls)
    if not dead:
        return Finding(_CHECK, Outcome.PASS, alive, limit)
    if len(dead) == len(urls) and all(NO_ANSWER in one for one in dead):
        detail = f"no address could be reached: {dead[0]}"
        return Finding(_CHECK, Outcome.INCONCLUSIVE, None, limit, detail, tuple(dead[:MOST_EXAMPLES]), len(dead))
    detail = f"{len(dead)} of {len(urls)} addresses are dead. Check that --base-url is where the pages are served"
    return Finding(_CHECK, Outcome.FAIL, alive, limit, detail, tuple(dead[:MOST_EXAMPLES]), len(dead))
