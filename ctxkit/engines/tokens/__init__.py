"""Count tokens with one module per engine: splintr first, tiktoken as a fallback, and a user's own files.

All engines count ordinary text: a special token in the text counts as its characters.
"""

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary
from ctxkit.engines.tokens.text_counter import Encode, make_counter


def load_tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return a function that counts the tokens of a text.

    Raise MissingDependencyError if no installed engine has the vocabulary, MalformedInputError if its file is broken,
    and MissingInputError if the file cannot be read.
    """
    if vocabulary.file:
        return _load_file(vocabulary.file)
    if not vocabulary.ranks:
        return lambda text: vocabulary.count_by_rate(len(text.encode("utf-8", "replace")), len(text))
    return make_counter(_load_encoder(vocabulary.ranks), _load_added_tokens(vocabulary.ranks), nfc=vocabulary.nfc)


def forget_encoders() -> None:
    """Release the cached tables of all encoders."""
    from ctxkit.engines.tokens import splintr, tiktoken

    splintr.load_encoder.cache_clear()
    tiktoken.load_encoder.cache_clear()


def _load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table: splintr's, or tiktoken's if splintr lacks it or cannot be loaded."""
    if ranks not in ("r50k", "p50k"):
        from ctxkit.engines.tokens import splintr

        try:
            return splintr.load_encoder(ranks)
        except MissingDependencyError:
            if ranks not in ("o200k", "cl100k"):
                raise
    from ctxkit.engines.tokens import tiktoken

    return tiktoken.load_encoder(ranks)


def _load_added_tokens(ranks: str) -> frozenset[str]:
    from ctxkit.engines.tokens import added_tokens

    return added_tokens.list_added_tokens(ranks)


def _load_file(path: str) -> Tokenizer:
    from ctxkit.engines.tokens import gguf, huggingface

    return gguf.load_counter(path) if gguf.is_gguf(path) else huggingface.load_counter(path)
