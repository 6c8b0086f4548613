"""Count tokens with one module per engine: splintr, tiktoken for older tables, and a user's own files.

All engines count ordinary text: a special token in the text counts as its characters.
"""

from functools import partial

from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary, rate_tokenizer
from ctxkit.engines.tokens.text_counter import Encode, extend_counter


def load_tokenizer(vocabulary: Vocabulary, cache: str = "") -> Tokenizer:
    """Return a function that counts the tokens of a text.

    If there is a ``cache`` directory, short texts are counted with a compiled table in it, which the first call makes.
    Raise MissingDependencyError if no installed engine has the vocabulary, MalformedInputError if its file is broken,
    and MissingInputError if the file cannot be read.
    """
    if vocabulary.file:
        return _load_file(vocabulary.file)
    if not vocabulary.ranks:
        return rate_tokenizer(vocabulary)
    count = _load_table_counter(vocabulary.ranks, cache) if cache else None
    if count is None:
        count = _load_library(vocabulary.ranks)
    return extend_counter(count, _load_added_tokens(vocabulary.ranks), nfc=vocabulary.nfc)


def forget_encoders() -> None:
    """Release the cached tables of all encoders."""
    from ctxkit.engines.tokens import splintr, tiktoken

    splintr.forget_encoders()
    tiktoken.load_encoder.cache_clear()


def _load_table_counter(ranks: str, cache: str) -> Tokenizer | None:
    """Return a counter that uses a compiled table for short texts.

    Return None if the vocabulary has no such table, or if this process has loaded it, and so counts faster without.
    """
    from ctxkit.core.tokens.table_counter import PATTERNS, make_splitter
    from ctxkit.engines.tokens import splintr

    version = "" if ranks not in PATTERNS or splintr.has_encoder(ranks) else splintr.find_version()
    if not version:
        return None
    from ctxkit.core.tokens.table_counter import TableCounter
    from ctxkit.engines import vocabulary_tables

    name = f"{ranks}-{version}"
    table = vocabulary_tables.open_table(cache, name)
    if table is None:
        splintr.load_encoder(ranks)
    return TableCounter(
        make_splitter(ranks),
        lambda: table or vocabulary_tables.make_table(cache, name, partial(splintr.read_tokens, ranks)),
        partial(_load_library, ranks),
    )


def _load_library(ranks: str) -> Tokenizer:
    encode = _load_encoder(ranks)
    return lambda text: len(encode(text))


def _load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table: tiktoken's for the tables that splintr lacks."""
    if ranks in ("r50k", "p50k"):
        from ctxkit.engines.tokens import tiktoken

        return tiktoken.load_encoder(ranks)
    from ctxkit.engines.tokens import splintr

    return splintr.load_encoder(ranks)


def _load_added_tokens(ranks: str) -> frozenset[str]:
    from ctxkit.engines.tokens import text_counter

    return text_counter.list_added_tokens(ranks)


def _load_file(path: str) -> Tokenizer:
    from ctxkit.engines.tokens import gguf, huggingface

    return gguf.load_counter(path) if gguf.is_gguf(path) else huggingface.load_counter(path)
