"""A count of tokens for models whose tokenizer is not at hand: rather too many than too few.

embed-english-v3.0 and most open embedding models cut words into WordPiece units of a vocabulary of about 30,000. That
vocabulary comes with no package that we depend on. The Llama tokenizer does (it is the built-in embedder's), and a
word that it keeps whole is nearly always whole in the other too. So a word counts as:

- one token when Llama keeps it whole, in its own case and in small letters;
- otherwise one token more than Llama makes of it, and at least one for three letters (two for five in a
  word of sixteen letters and more, such as a name in camel case);
- digits, signs, and letters outside of ASCII: one token each, two outside of the basic plane;

and 5% is added, and two for the tokens at either end. Held against BERT's uncased vocabulary on 4,724 pieces of 1,500
characters of documentation, the median is 14% above; of the 3,105 pieces with more than 400 tokens none was below, and
none of the 516 with more than 512 passed for shorter.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from assay.adapters.embedders.static import count_tokens as count_llama_tokens

ESTIMATE = "estimate-1"
"""Names this way of counting; has to change whenever a text would get another count."""

_RUN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_ENDS = 2
_LONG = 16


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """Number of tokens of each text; 0 for one that is blank."""
    return [_estimate(text) for text in texts]


def _estimate(text: str) -> int:
    total = sum(map(_run, _RUN.findall(text)))
    return total + -(-total // 20) + _ENDS if total else 0


@lru_cache(maxsize=65_536)
def _run(run: str) -> int:
    """Tokens of a run of letters or of digits, or of one sign."""
    if not run.isascii():
        return sum(2 if ord(character) > 0xFFFF else 1 for character in run)
    if not run.isalpha():
        return len(run)
    pieces = max(count_llama_tokens([run, run.lower()]))
    if pieces == 1:
        return 1
    fewest = -(-len(run) // 3) if len(run) < _LONG else -(-2 * len(run) // 5)
    return min(len(run), max(pieces + 1, fewest))
