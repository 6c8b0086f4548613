"""Learn correction factors of estimates from receipts: texts with their billed tokens."""

from __future__ import annotations

from math import ceil, isfinite
from statistics import median
from typing import TYPE_CHECKING

from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.models.lookup import find_model
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tokens.estimate import HIGHEST_FACTOR, LOWEST_FACTOR, Factor, estimate_tokens
from ctxkit.core.tokens.vocabulary import Vocabulary, find_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MIN_RECEIPTS = 5
"""Minimum number of receipts to learn a factor."""
OUTLIER_SHARE = 0.05
"""Maximum share of receipts below, and above, the learned ends."""


@dataclass(frozen=True, slots=True)
class TokenReceipt:
    """A text, the tokens billed for it, and the family of estimates to correct."""

    text: str
    tokens: int
    family: str


def read_receipts(
    lines: Iterable[bytes], parse: Callable[[bytes], JsonValue], family: str = "estimate"
) -> Iterator[TokenReceipt]:
    """Yield the receipt of each line; skip empty lines.

    A line is a JSON object with ``text`` (or ``input``, ``content``) and ``tokens`` (or ``input_tokens``, or ``usage``
    with ``input_tokens`` or ``prompt_tokens``). Its ``family`` or ``model`` names the family, by default ``family``.
    Raise MalformedInputError with the line number for any other line.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _parse_receipt(parse(line), family)
            except ValueError as error:
                raise MalformedInputError(f"line {number}: {error}") from None


def _parse_receipt(value: object, family: str) -> TokenReceipt:
    if not isinstance(value, dict):
        raise ValueError("a receipt is a JSON object")
    text = _first_value(value, "text", "input", "content")
    if not isinstance(text, str) or not text:
        raise ValueError("a receipt needs a text that is not empty")
    usage = value.get("usage")
    tokens = _first_value(
        {**(usage if isinstance(usage, dict) else {}), **value}, "tokens", "input_tokens", "prompt_tokens"
    )
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens <= 0:
        raise ValueError("a receipt needs a number of tokens that is above zero")
    family_name = _first_value(value, "family", "model")
    if family_name is not None and not isinstance(family_name, str):
        raise ValueError("the name of a model is a string")
    return TokenReceipt(text, tokens, find_family(family_name) if family_name else family)


def _first_value(value: dict[str, JsonValue], *keys: str) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def find_family(name: str) -> str:
    """Return the estimated family of a tokenizer or a model; raise ValueError if its tokens are counted exactly."""
    known = find_model(name)
    try:
        vocabulary = find_vocabulary(known.tokenizer if known else name)
    except KeyError:
        return "claude" if "claude" in name.lower() else "gemini" if "gemini" in name.lower() else "estimate"
    if vocabulary.exact or vocabulary.rate:
        raise ValueError(f"{name} is counted by {vocabulary.name}: there is nothing to calibrate")
    return vocabulary.name


def learn_factors(all_receipts: Iterable[TokenReceipt]) -> dict[str, Factor]:
    """Return the factor of each family, and factors of the ends that include the receipts.

    The factor is the median ratio of billed to estimated tokens, so that a few outliers do not matter. Raise UsageError
    if a family has fewer than ``MIN_RECEIPTS``, or its factor is implausible.
    """
    families: dict[str, list[TokenReceipt]] = {}
    for receipt in all_receipts:
        families.setdefault(receipt.family, []).append(receipt)
    if not families:
        raise UsageError("there are no receipts")
    return {family: _compute_factor(family, those) for family, those in sorted(families.items())}


def _compute_factor(family: str, family_receipts: list[TokenReceipt]) -> Factor:
    if len(family_receipts) < MIN_RECEIPTS:
        few = "1 receipt is" if len(family_receipts) == 1 else f"{len(family_receipts)} receipts are"
        raise UsageError(f"{family}: {few} too few to calibrate", hint=f"{MIN_RECEIPTS} or more are needed")
    plain = find_vocabulary(family)._replace(factor=1.0, low=1.0, high=1.0)
    factor = round(
        median(receipt.tokens / estimate_tokens(receipt.text, plain).tokens for receipt in family_receipts), 3
    )
    if not (isfinite(factor) and LOWEST_FACTOR <= factor <= HIGHEST_FACTOR):
        raise UsageError(f"{family}: the receipts report {factor:g} times the estimate, which is implausible")
    low, high = _compute_ends(family_receipts, plain._replace(factor=factor))
    return Factor(factor, low, high, len(family_receipts))


def _compute_ends(family_receipts: list[TokenReceipt], vocabulary: Vocabulary) -> tuple[float, float]:
    """Return the factors of the ends: 1, or as much as includes all receipts except outliers."""
    spreads = [(receipt.tokens, estimate_tokens(receipt.text, vocabulary)) for receipt in family_receipts]
    below = sorted(tokens / max(count.low, 1) for tokens, count in spreads)
    above = sorted((tokens / max(count.high, 1) for tokens, count in spreads), reverse=True)
    skipped = ceil(OUTLIER_SHARE * len(family_receipts)) - 1
    return round(min(below[skipped], 1.0) - 0.0005, 3), round(max(above[skipped], 1.0) + 0.0005, 3)
