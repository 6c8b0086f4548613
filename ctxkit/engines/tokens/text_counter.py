"""Count ordinary text with any engine: handle added tokens, NFC, lone surrogates and panics."""

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, partial
from typing import Any

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


_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>")
_TOOLS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
_DEEPSEEK = (
    *("fim▁hole", "fim▁begin", "fim▁end", "User", "Assistant", "tool▁sep"),
    *(f"tool▁{what}▁{end}" for what in ("calls", "call", "outputs", "output") for end in ("begin", "end")),
)
_TAGS = """
table caption thead tbody tfoot tr th td h1 h2 h3 h4 h5 h6 blockquote strong em b i u s sub sup code a html body
img span bbox ul li div iframe footer
"""
_RUN = 31
"""Length of the longest run of newlines, tabs or U+2581 that is a token of Gemma."""
Find = Callable[[str], Iterator[tuple[int, int]]]
"""Yields the spans of added tokens in a text, from left to right, the longest first."""


@cache
def list_added_tokens(ranks: str) -> frozenset[str]:
    """Return the added tokens of a table that are not special."""
    if ranks == "qwen3":
        return frozenset(_FIM + _TOOLS)
    if ranks == "deepseek_v3":
        return frozenset(f"<｜{name}｜>" for name in _DEEPSEEK)
    if ranks == "gemma3":
        tabs = ("\t" * length for length in range(1, _RUN + 1))
        return frozenset((*_list_gemma_tokens(6242), *tabs, "[multimodal]"))
    if ranks == "gemma2":
        return frozenset((*_list_gemma_tokens(99), "<2mass>", "[@BOS@]"))
    return frozenset()


def _list_gemma_tokens(unused: int) -> Iterator[str]:
    yield "<mask>"
    yield from (f"<unused{number}>" for number in range(unused))
    for name in _TAGS.split():
        yield from (f"<{name}>", f"</{name}>")
    yield from ("\n" * length for length in range(1, _RUN + 1))
    yield from ("▁" * length for length in range(2, _RUN + 1))


def make_finder(added: Set[str]) -> Find:
    """Return a function that finds added tokens; of several at the same place, the longest."""
    if len(added) <= 64:
        pattern = "|".join(map(_escape, sorted(added, key=lambda token: (-len(token), token))))
    else:
        pattern = _build_pattern(_build_tree(added))
    starts = {token[0] for token in added}
    return _compile_finder(pattern, starts)


def _compile_finder(pattern: str, starts: Set[str]) -> Find:
    import re

    compiled = re.compile(pattern)

    def find(text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of added tokens in a text."""
        if not any(start in text for start in starts):
            return
        for match in compiled.finditer(text):
            yield match.span()

    return find


def _build_tree(added: Set[str]) -> dict[str, Any]:
    """Return the tokens as a tree of characters; an empty key marks the end of a token."""
    root: dict[str, Any] = {}
    for token in sorted(added):
        node = root
        for character in token:
            node = node.setdefault(character, {})
        node[""] = {}
    return root


def _build_pattern(node: dict[str, Any]) -> str:
    """Return a regular expression for a tree; it is faster than thousands of alternatives."""
    alternatives = [_escape(character) + _build_pattern(below) for character, below in node.items() if character]
    if not alternatives:
        return ""
    inner = alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"
    return f"(?:{inner})?" if "" in node else inner


def _escape(text: str) -> str:
    import re

    return re.escape(text)
