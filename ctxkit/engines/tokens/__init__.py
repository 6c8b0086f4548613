"""Counters of tokens, one engine a file: splintr first, tiktoken for what it lacks, a user's own files.

All count a text as ordinary text: special tokens spelled out in it are the characters they are.
"""

from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.trouble import EngineAbsent
from ctxkit.core.vocabulary import Vocabulary
from ctxkit.engines.tokens.ordinary import Encode, counter


def tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return a function that counts the tokens of a text.

    Raises EngineAbsent when no engine that is installed has the vocabulary, Malformed when its file is
    broken, MissingInput when that cannot be read.
    """
    if vocabulary.file:
        return _of_file(vocabulary.file)
    if not vocabulary.ranks:
        return _thirds
    return counter(_encode(vocabulary.ranks), _added(vocabulary.ranks), nfc=vocabulary.nfc)


def forget() -> None:
    """Release the tables of all encoders that were loaded, unless someone still holds one."""
    from ctxkit.engines.tokens import splintr, tiktoken

    splintr.encoder.cache_clear()
    tiktoken.encoder.cache_clear()


def _encode(ranks: str) -> Encode:
    """Return the encoder of a table: splintr's, or tiktoken's where splintr has none or cannot be loaded."""
    if ranks not in ("r50k", "p50k"):
        from ctxkit.engines.tokens import splintr

        try:
            return splintr.encoder(ranks)
        except EngineAbsent:
            if ranks not in ("o200k", "cl100k"):
                raise
    from ctxkit.engines.tokens import tiktoken

    return tiktoken.encoder(ranks)


def _added(ranks: str) -> frozenset[str]:
    from ctxkit.engines.tokens import added

    return added.tokens(ranks)


def _of_file(path: str) -> Tokenizer:
    from ctxkit.engines.tokens import gguf, huggingface

    return gguf.counter_of(path) if gguf.recognized(path) else huggingface.counter_of(path)


def _thirds(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // 3)
