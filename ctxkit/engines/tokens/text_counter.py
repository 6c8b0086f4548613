"""Count ordinary text with any engine: handle added tokens, NFC, lone surrogates and panics."""

from collections.abc import Callable, Sequence, Set

from ctxkit.core.tokens.tokenizer import Tokenizer

Encode = Callable[[str], Sequence[int]]
"""Returns the tokens of a text, none of them special."""


def make_counter(encode: Encode, added: Set[str] = frozenset(), *, nfc: bool = False) -> Tokenizer:
    """Return a counter of the tokens that ``encode`` returns.

    Split off each of ``added`` first and count it as one token. Normalize (if ``nfc``) and encode the text between
    them, as Hugging Face tokenizers do.
    """
    count = _make_nfc_counter(encode) if nfc else _make_plain_counter(encode)
    return _make_splitting_counter(count, added) if added else count


def _make_plain_counter(encode: Encode) -> Tokenizer:
    return lambda text: len(_encode_safely(encode, text))


def _make_nfc_counter(encode: Encode) -> Tokenizer:
    from unicodedata import normalize

    return lambda text: len(_encode_safely(encode, text if text.isascii() else normalize("NFC", text)))


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


def _encode_safely(encode: Encode, text: str) -> Sequence[int]:
    """Return the tokens of a text; raise RuntimeError for an engine's panic, which is not an Exception."""
    if not text:  # a normalizer may make splintr count a token here
        return ()
    try:
        return encode(text)
    except UnicodeEncodeError:
        return _encode_safely(encode, _replace_surrogates(text))
    except BaseException as panic:
        if isinstance(panic, Exception | KeyboardInterrupt | SystemExit):
            raise
        raise RuntimeError(f"the tokenizer failed: {panic}") from None


def _replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate and with pairs joined; the engines accept no surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
