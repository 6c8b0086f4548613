"""Tokenizers from splintr-rs, whose vocabularies are in its wheel: nothing is ever downloaded."""

from collections.abc import Callable
from functools import cache

from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.trouble import EngineAbsent
from ctxkit.core.vocabulary import Vocabulary

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return a function that counts the ranks of ``vocabulary`` in a text, as ordinary text throughout.

    Special tokens spelled out in the text count as the characters they are. Raises EngineAbsent
    when splintr-rs is not installed or lacks the vocabulary.
    """
    if not vocabulary.ranks:
        return _thirds
    encode = _load(vocabulary.ranks)
    if vocabulary.nfc:
        return _normalized(encode)
    return lambda text: len(_calmly(encode, text))


@cache
def _load(ranks: str) -> Callable[[str], list[int]]:
    try:
        from splintr import Tokenizer as Splintr

        loaded = Splintr.from_pretrained(_NAMES.get(ranks, ranks))
    except ImportError as error:
        raise EngineAbsent(f"splintr-rs cannot be loaded: {error}", hint="pip install splintr-rs") from error
    except ValueError as error:
        raise EngineAbsent(f"splintr-rs has no vocabulary {ranks}: {error}") from error
    return loaded.encode_ordinary


def _normalized(encode: Callable[[str], list[int]]) -> Tokenizer:
    from unicodedata import normalize

    return lambda text: len(_calmly(encode, text if text.isascii() else normalize("NFC", text)))


def _calmly(encode: Callable[[str], list[int]], text: str) -> list[int]:
    """Encode, and give a panic of the engine a form that callers can handle: pyo3 makes it no Exception."""
    try:
        return encode(text)
    except BaseException as panic:
        if isinstance(panic, Exception | KeyboardInterrupt | SystemExit):
            raise
        raise RuntimeError(f"the tokenizer broke down: {panic}") from None


def _thirds(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // 3)
