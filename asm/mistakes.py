from collections.abc import Sequence

from .source import Mistake
from .tables import ShapeError, Word


def explain(words: Sequence[Word], error: ShapeError, start: str) -> Mistake:
    word = words[error.index] if error.index < len(words) else words[-1]
    return Mistake("SIM102", f"unexpected {word.text!r}", word.at)
