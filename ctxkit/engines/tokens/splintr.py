"""Tokenizers from splintr-rs, whose vocabularies are in its wheel: nothing is ever downloaded."""

from functools import cache
from typing import TYPE_CHECKING

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.text_counter import Encode

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


@cache
def load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table; raises EngineAbsent when splintr-rs is not installed or lacks it."""
    try:
        from splintr import Tokenizer as Splintr

        return Splintr.from_pretrained(_NAMES.get(ranks, ranks)).encode_ordinary
    except ImportError as error:
        raise _absent_error(error) from error
    except ValueError as error:
        raise MissingDependencyError(f"splintr-rs has no vocabulary {ranks}: {error}") from error


def from_json(data: bytes) -> Encode:
    """Return the encoder of a Hugging Face tokenizer.json, without the tokens it puts around a text.

    Raises EngineAbsent when splintr-rs is not installed, ValueError when it cannot read the file.
    """
    try:
        from splintr import from_json_bytes
    except ImportError as error:
        raise _absent_error(error) from error
    loaded = from_json_bytes(data)
    return _strip_template(loaded)


def _strip_template(loaded: "AnyTokenizer") -> Encode:
    """Return ``encode_ordinary`` less the tokens that a template adds: the first and last, always the same."""
    around = loaded.encode("a")
    inside = loaded.encode_raw("a")
    before = next(at for at in range(len(around)) if around[at : at + len(inside)] == inside)
    after = len(around) - len(inside) - before
    if not before and not after:
        return loaded.encode_ordinary
    return lambda text: _cut_ends(loaded.encode_ordinary(text), before, after)


def _cut_ends(tokens: list[int], before: int, after: int) -> list[int]:
    return tokens[before : len(tokens) - after]


def _absent_error(error: ImportError) -> MissingDependencyError:
    return MissingDependencyError(f"splintr-rs cannot be loaded: {error}", hint="pip install splintr-rs")
