"""`assay search`."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from assay.app import Assay
from assay.cli import options
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.visible import visible
from assay.contracts import native, native_entities
from assay.contracts.operators import explanations
from assay.contracts.passages.highlights import Matcher, merged
from assay.contracts.passages.plain_text import plain_part
from assay.contracts.passages.snippets import best_part
from assay.model.counting import counted, some_of
from assay.model.explanation import HitExplanation, TermKind
from assay.model.ranking import Hit, Mode, Ranking, by_page
from assay.retrieval.encoding import KEYWORDS_ALONE
from assay.retrieval.reranking import RERANK_FAILED

_ADVICE = "A lower --threshold, other words or --everything may help."
_MOST_NAMED = 20
"""Versions, locales or sources that a message names."""


def search(
    query: Annotated[str, typer.Argument(help="The query.")],
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", help="Number of hits, 1 to 100 [default: [search] top_k, or 5].")
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            metavar="MODE",  # the list of values would take the room of the longest option's name
            help="Vectors to search: hybrid, dense or sparse [default: [search] mode, or hybrid].",
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Lowest similarity of a hit, 0 to 1 [default: [search] threshold, or 0].")
    ] = None,
    version: Annotated[list[str] | None, typer.Option("--version", help="Only this version; repeatable.")] = None,
    locale: Annotated[list[str] | None, typer.Option("--locale", help="Only this locale; repeatable.")] = None,
    url_prefix: Annotated[str | None, typer.Option("--url-prefix", help="Only pages under this URL.")] = None,
    section: Annotated[
        list[str] | None, typer.Option("--section", help="Only sections with this heading; repeatable.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option("--source", help="Only this source; repeatable.")] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All versions and locales, not only the default ones.")
    ] = False,
    include_unversioned: Annotated[
        bool, typer.Option("--include-unversioned", help="With --version: pages without a version too.")
    ] = False,
    group_by: Annotated[
        str | None, typer.Option("--group-by", help="`page`: --top-k counts pages, each with its best passages.")
    ] = None,
    correct: Annotated[
        bool | None,
        typer.Option(
            "--correct/--as-typed",
            help="Correct words that the index does not know [default: [search] correct, or --correct].",
        ),
    ] = None,
    rerank: Annotated[
        bool, typer.Option("--rerank/--no-rerank", help="Let the reranker of [rerank] order the hits, if there is one.")
    ] = True,
    generation: options.SearchedGeneration = None,
    full: Annotated[bool, typer.Option("--full", help="Show whole passages instead of the parts that match.")] = False,
    explained: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score: terms with their weights, cosine, boost.")
    ] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Search the live generation, or the one named with --generation."""
    filters: dict[str, Any] = {
        "versions": version,
        "locales": locale,
        "url_prefix": url_prefix,
        "sections": section,
        "sources": source,
        "everything": everything or None,
        "include_unversioned": include_unversioned or None,
    }
    fields: dict[str, Any] = {
        "query": query,
        "top_k": top_k,
        "mode": mode.value if mode else None,
        "threshold": threshold,
        "correct": correct,
        "group_by": group_by,
        "rerank": None if rerank else False,
    }
    body = {key: value for key, value in fields.items() if value is not None}
    body["filters"] = {key: value for key, value in filters.items() if value is not None}
    with Assay.open(options.settings_from(config, data_dir), generation=generation) as assay:
        request = native.parse(body, assay.settings.search)
        explanation = assay.searches.explain(request.query) if explained else None
        # Without the place of each hit, which is computed with the part that is shown.
        ranking = assay.searches.search(request.query) if explanation is None else explanation.ranking
        advice = _known_values(assay, ranking) or _ADVICE
    if not as_json:
        parts = () if explanation is None else explanation.hits
        show_ranking(out(), ranking, full=full, parts=parts, advice=advice)
    elif explanation is None:
        print_json(native.to_body(ranking, request.include))
    else:
        print_json(explanations.to_body(explanation, request.include))


def search_body(ranking: Ranking) -> dict[str, object]:
    """Return the JSON body of `search`."""
    return native.to_body(ranking, native_entities.SearchInclude())


def _known_values(assay: Assay, ranking: Ranking) -> str:
    """Sentences with the names that exist, for each filter of an empty ranking whose values do not; empty for none."""
    if ranking.hits or assay.parts.adopted is not None:
        return ""
    filters = ranking.query.filters
    if not (filters.versions or filters.locales or filters.sources):
        return ""
    sources = assay.pages.sources()[1]
    named = (
        ("version", filters.versions, {one for source in sources for one in source.versions}),
        ("locale", filters.locales, {one for source in sources for one in source.locales}),
        ("source", filters.sources, {source.name for source in sources}),
    )
    return " ".join(
        f"The index has the {word if len(known) == 1 else f'{word}s'} {some_of(sorted(known), _MOST_NAMED)}."
        if known
        else f"No page has a {word}."
        for word, given, known in named
        if given and known.isdisjoint(given)
    )


def show_ranking(
    console: Console,
    ranking: Ranking,
    *,
    full: bool,
    parts: Sequence[HitExplanation] = (),
    advice: str = _ADVICE,
) -> None:
    """Print each page's hits: title, link and the part that matches, with the query's words highlighted.

    Pages are numbered, because a page's hits are printed together and their ranks would be out of order.
    parts: of each hit's score, which are printed too; empty for none. advice: for a search without a hit.
    """
    explained = {each.hit.rank: each for each in parts}
    for warning in ranking.warnings:
        if warning.startswith((KEYWORDS_ALONE, RERANK_FAILED)):  # already logged, with the reason
            continue
        err().print(f"[yellow]{escape(warning)}[/]")
    if ranking.corrections:
        changes = ", ".join(f"{escape(one.used)} instead of {escape(one.typed)}" for one in ranking.corrections)
        err().print(f"[yellow]Searched for {visible(changes, lines=False)}; --as-typed searches the query as it is.[/]")
    if not ranking.hits:
        console.print(f"Nothing was found. {escape(visible(advice, lines=False))}")
        return
    if ranking.no_good_answer:
        err().print("[yellow]Probably nothing here answers this. The nearest passages:[/]")
    matcher = native.matcher_for(ranking)
    pages = by_page(ranking.hits)
    for number, page in enumerate(pages, start=1):
        for hit in page:
            _show_hit(console, hit, matcher, full=full, page_number=number if hit is page[0] else None)
            if hit.rank in explained:
                _show_parts(console, explained[hit.rank])
            console.print()
    timings = ranking.timings
    found = f"{counted(len(ranking.hits), 'hit')} on {counted(len(pages), 'page')}"
    console.print(
        f"[dim]{found} in {timings.total_ms:.1f} ms · {ranking.query.mode.value} · "
        f"{'reranked · ' if ranking.reranked else ''}generation {ranking.generation}[/]"
    )


def _show_hit(console: Console, hit: Hit, matcher: Matcher, *, full: bool, page_number: int | None) -> None:
    """page_number: of the page, whose title is shown; None for another passage of the page above."""
    part = best_part(hit.chunk, matcher.find(hit.chunk.text), matcher)
    chunk = hit.chunk.at(part.section)
    trail = visible(chunk.section or chunk.trail if page_number is None else chunk.trail, lines=False)
    similarity = "" if hit.similarity is None else f"  similarity {hit.similarity:.2f}"
    mark = "   also: " if page_number is None else f"{page_number}. "
    console.print(Text.assemble((mark, "dim"), (trail, "bold"), (similarity, "dim")))
    console.print(Text(f"   {visible(chunk.section_url, lines=False)}", style="cyan underline"))
    text = visible(chunk.text if full else plain_part(chunk.text, part.start, part.end, ())[0])
    passage = Text(text)
    for start, end in merged(matcher.find(text)):
        passage.stylize("bold yellow", start, end)
    if console.is_terminal:
        console.print(Padding(passage, (0, 0, 0, 3)))
    else:  # a pipe has no width: no wrapping
        for line in passage.split("\n"):
            console.print(Text("   ") + line)


def _show_parts(console: Console, parts: HitExplanation) -> None:
    """Print the sum that gives a hit's score, and its terms."""
    boost = "" if parts.boost == 1.0 else f", × {parts.boost:.3g} boost"
    keywords = "not among the candidates of keyword search" if parts.bm25 is None else f"BM25 {parts.bm25:.3f}"
    cosine = "" if parts.cosine is None else f", cosine {parts.cosine:.3f}"
    lines = [] if parts.rerank_score is None else [f"reranked: {parts.rerank_score:.4f}"]
    lines += [
        f"score {parts.score:.4f} = {parts.keyword_part:.4f} keywords + {parts.dense_part:.4f} dense{boost}",
        f"{keywords}{cosine}",
    ]
    for term in parts.terms:
        factors = "" if term.idf is None or term.weight is None else f" = idf {term.idf:.3f} × {term.weight:.3f}"
        kind = "" if term.kind is TermKind.WORD else f" ({term.kind.value})"
        lines.append(f"  {term.score:.3f}{factors}  {visible(term.term, lines=False)}{kind}")
    for line in lines:
        console.print(Text(f"   {line}", style="dim"))
