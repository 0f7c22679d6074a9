"""Generated topics, of every kind on which measures have been seen to differ, for trec_eval and for our measures."""

from dataclasses import dataclass
from random import Random

KINDS = (
    "plain",
    "ties",
    "all alike",
    "nearly alike",
    "no hits",
    "no relevant",
    "no judgments",
    "unjudged",
    "all judged",
    "duplicates",
)


@dataclass(frozen=True, slots=True)
class GeneratedTopic:
    """labels: of judged ids. scored: ids with their scores, in no order; an id may come again with a lower score."""

    kind: str
    labels: dict[str, int]
    scored: list[tuple[str, float]]

    @property
    def scores(self) -> dict[str, float]:
        """Each id once, at its best score."""
        best: dict[str, float] = {}
        for id_, score in self.scored:
            best[id_] = max(score, best.get(id_, score))
        return best


def generated_topics(count: int, seed: int = 20261128) -> list[GeneratedTopic]:
    """So many topics, equally many of each kind; the same ones for the same seed."""
    random = Random(seed)
    return [_topic(KINDS[number % len(KINDS)], random) for number in range(count)]


def _topic(kind: str, random: Random) -> GeneratedTopic:
    ids = [f"chunk-{number}" for number in random.sample(range(1_000), 60)]
    hits = random.sample(ids, 0 if kind == "no hits" else random.randint(1, 40))
    if kind == "unjudged":
        judged = random.sample(sorted(set(ids) - set(hits)), random.randint(1, 15)) + hits[: random.randint(0, 3)]
    else:
        judged = random.sample(ids, random.randint(1, len(ids)))
    if kind in {"all judged", "no judgments"}:
        judged = ids if kind == "all judged" else []
    weights = random.choice([(1, 1, 1), (6, 2, 1), (20, 1, 1), (0, 3, 2), (3, 0, 1)])
    labels = {id_: 0 if kind == "no relevant" else random.choices((0, 1, 2), weights)[0] for id_ in judged}
    scored = [(id_, _score(kind, random)) for id_ in hits]
    if kind == "duplicates":
        scored += [(id_, score - random.random()) for id_, score in random.choices(scored, k=len(scored))]
        random.shuffle(scored)
    return GeneratedTopic(kind, labels, scored)


def _score(kind: str, random: Random) -> float:
    if kind == "ties":
        return random.choice((0.25, 0.5, 0.75))
    if kind == "all alike":
        return 1.0
    if kind == "nearly alike":  # equal in single precision, as trec_eval keeps scores, and not in double precision
        return 0.7 + random.choice((0.0, 0.1)) + random.random() * 1e-10
    return random.uniform(-5.0, 30.0)
