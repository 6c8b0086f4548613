"""Count ordinary text with any engine: handle added tokens, NFC, lone surrogates and panics."""

from collections.abc import Callable, Sequence, Set
from functools import partial

from ctxkit.core.tokens.vocabulary import Tokenizer

Encode = Callable[[str], Sequence[int]]
"""Returns the tokens of a text, none of them special."""


def make_counter(encode: Encode, added: Set[str] = frozenset(), *, nfc: bool = False) -> Tokenizer:
    """Return a counter of the tokens that ``encode`` returns, as ``extend_counter`` does."""
    return extend_counter(lambda text: len(encode(text)), added, nfc=nfc)


def extend_counter(count: Tokenizer, added: Set[str] = frozenset(), *, nfc: bool = False) -> Tokenizer:
    """Return a counter of any text from one that raises UnicodeEncodeError for lone surrogates.

    Split off each of ``added`` first and count it as one token. Normalize (if ``nfc``) and count the text between them,
    as Hugging Face tokenizers do.
    """
    safe = _make_nfc_counter(count) if nfc else partial(_count_safely, count)
    return _make_splitting_counter(safe, added) if added else safe


def _make_nfc_counter(count: Tokenizer) -> Tokenizer:
    from unicodedata import normalize

    return lambda text: _count_safely(count, text if text.isascii() else normalize("NFC", text))


def _make_splitting_counter(count: Tokenizer, added: Set[str]) -> Tokenizer:
    from ctxkit.engines.tokens.added_tokens import make_finder

    find = make_finder(added)

    def count_parts(text: str) -> int:
        """Return the tokens of a text, each added token as one."""
        tokens = at = 0
        for start, end in find(text):
            tokens += 1 + (count(text[at:start]) if start > at else 0)
            at = end
        return tokens + count(text[at:] if at else text)

    return count_parts


def _count_safely(count: Tokenizer, text: str) -> int:
    """Return the tokens of a text; raise RuntimeError for an engine's panic, which is not an Exception."""
    if not text:  # a normalizer may make splintr count a token here
        return 0
    try:
        return count(text)
    except UnicodeEncodeError:
        return _count_safely(count, _replace_surrogates(text))
    except BaseException as panic:
        if isinstance(panic, Exception | KeyboardInterrupt | SystemExit):
            raise
        raise RuntimeError(f"the tokenizer failed: {panic}") from None


def _replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate and with pairs joined; the engines accept no surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
