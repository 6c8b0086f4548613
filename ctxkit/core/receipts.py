"""Learning from receipts how far estimates are off: texts with the tokens that were billed for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from statistics import median
from typing import TYPE_CHECKING, Any

from ctxkit.core.calibration import HIGHEST, LOWEST, Factor
from ctxkit.core.estimate import spread
from ctxkit.core.models import model_of
from ctxkit.core.trouble import Malformed, Misuse
from ctxkit.core.vocabulary import Vocabulary, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FEWEST = 5
"""Receipts without which nothing is learnt of a family."""
OUTSIDE = 0.05
"""Share of receipts that may lie below, and above, the ends that are learnt."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Hold a text, the tokens billed for it, and the family of estimates that it is a receipt for."""

    text: str
    tokens: int
    family: str


def receipts(lines: Iterable[bytes], parse: Callable[[bytes], Any], family: str = "estimate") -> Iterator[Receipt]:
    """Yield the receipt on each line; empty lines hold none.

    A line is a JSON object with ``text`` (or ``input``, ``content``) and ``tokens`` (or ``input_tokens``, or
    ``usage`` with ``input_tokens`` or ``prompt_tokens``). ``family`` or ``model`` name whose receipt it is; else it is
    ``family``'s. Raises Malformed, naming the line, for any other.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _receipt(parse(line), family)
            except ValueError as error:
                raise Malformed(f"line {number}: {error}") from None


def _receipt(value: object, family: str) -> Receipt:
    if not isinstance(value, dict):
        raise ValueError("a receipt is a JSON object")
    text = _first(value, "text", "input", "content")
    if not isinstance(text, str) or not text:
        raise ValueError("a receipt needs a text that is not empty")
    usage = value.get("usage")
    tokens = _first({**(usage if isinstance(usage, dict) else {}), **value}, "tokens", "input_tokens", "prompt_tokens")
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens <= 0:
        raise ValueError("a receipt needs a number of tokens that is above zero")
    named = _first(value, "family", "model")
    if named is not None and not isinstance(named, str):
        raise ValueError("a model is named by a string")
    return Receipt(text, tokens, family_of(named) if named else family)


def _first(value: dict[str, Any], *keys: str) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def family_of(name: str) -> str:
    """Return the estimated family of a tokenizer or a model; raises ValueError where tokens are counted exactly."""
    known = model_of(name)
    try:
        vocabulary = vocabulary_of(known.tokenizer if known else name)
    except KeyError:
        return "claude" if "claude" in name.lower() else "gemini" if "gemini" in name.lower() else "estimate"
    if vocabulary.exact or not vocabulary.weights:
        raise ValueError(f"{name} is counted by {vocabulary.name}: there is nothing to learn")
    return vocabulary.name


def learn(found: Iterable[Receipt]) -> dict[str, Factor]:
    """Return the factor of each family, and how far beyond the ends of estimates the receipts reach.

    The factor is the median of true to estimated tokens, so that a few odd receipts do not matter. Raises Misuse
    when a family has fewer than FEWEST, or its factor is beyond belief.
    """
    families: dict[str, list[Receipt]] = {}
    for one in found:
        families.setdefault(one.family, []).append(one)
    if not families:
        raise Misuse("there are no receipts")
    return {family: _factor(family, those) for family, those in sorted(families.items())}


def _factor(family: str, those: list[Receipt]) -> Factor:
    if len(those) < FEWEST:
        few = "1 receipt is" if len(those) == 1 else f"{len(those)} receipts are"
        raise Misuse(f"{family}: {few} too few to learn from", hint=f"{FEWEST} or more are needed")
    plain = vocabulary_of(family)._replace(factor=1.0, low=1.0, high=1.0)
    factor = round(median(one.tokens / spread(one.text, plain).tokens for one in those), 3)
    if not (isfinite(factor) and LOWEST <= factor <= HIGHEST):
        raise Misuse(f"{family}: receipts of {factor:g} times what is estimated cannot be true")
    low, high = _ends(those, plain._replace(factor=factor))
    return Factor(factor, low, high, len(those))


def _ends(those: list[Receipt], vocabulary: Vocabulary) -> tuple[float, float]:
    """Return what the ends are to be multiplied by: 1, or as much as takes all but a few receipts in."""
    spreads = [(one.tokens, spread(one.text, vocabulary)) for one in those]
    below = sorted(tokens / max(found.low, 1) for tokens, found in spreads)
    above = sorted((tokens / max(found.high, 1) for tokens, found in spreads), reverse=True)
    spared = ceil(OUTSIDE * len(those)) - 1
    return round(min(below[spared], 1.0) - 0.0005, 3), round(max(above[spared], 1.0) + 0.0005, 3)
