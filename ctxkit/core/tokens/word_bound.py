"""Bound the tokens of ASCII text by its common words, each of which is a single token with the space before it."""

import re

from ctxkit.core.tokens.vocabulary import Vocabulary

VOCABULARIES = frozenset(
    ("cl100k", "deepseek_v3", "glm4", "kimi_k2", "llama3", "mistral_v3", "o200k", "olmo2", "phi4", "qwen3")
)
"""Byte-level vocabularies in which every common word, apart from ``SPLIT_WORDS``, is one token (tested for each)."""
SPLIT_WORDS = frozenset(
    b"""\
ade administr agre atmos charg compr compreh concentr consc constit coun crusher democr distr encour entr escort evalu
evid evt exem frustr genu gratis guarante illustr indiv initi kosten mej migr mys oppos pharm porn porno precis propos
provid pued rais redistribute reprodu requ restr scre sexy thous tod veh
""".split()
)
"""Words of the list of common tokens that one of these vocabularies splits."""
_WORD = re.compile(rb" ([a-z]{2,})(?=[ \n.,:;)])")
"""A word that a vocabulary's pattern takes as a piece of its own: a space before it, and an end that joins nothing."""


def bound_by_words(data: bytes, vocabulary: Vocabulary) -> int | None:
    """Return an upper bound of the tokens of ASCII text, None if it has other bytes or another vocabulary.

    A byte is at most one token, and a common word with the space before it is one. For prose the bound is two thirds of
    the bytes.
    """
    if vocabulary.ranks not in VOCABULARIES or vocabulary.file or not data.isascii():
        return None
    from ctxkit.core.tokens.single_token_words import COMMON_TOKENS

    words = COMMON_TOKENS - SPLIT_WORDS
    return len(data) + vocabulary.prefix - sum(len(word) for word in _WORD.findall(data) if word in words)
