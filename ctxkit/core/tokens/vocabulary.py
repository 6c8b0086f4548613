"""Tokenizers by name: which engine's ranks they use, how exact that is, how far bytes bound them."""

from typing import NamedTuple

NFC_GROWTH = 3
"""Times that NFC can lengthen UTF-8 at most (Unicode Standard Annex 15, section 9, table of expansion factors)."""


class Vocabulary(NamedTuple):
    """Describe one tokenizer.

    ``ranks`` names the engine's table, empty for estimates. ``weights`` names what an estimate goes by
    (core/weights.py), empty when counting by bytes alone. An estimate is multiplied by ``factor``, its
    words of Latin letters by ``words``, and its ends by ``low`` and ``high`` besides, for what is not known
    of the family; an exact vocabulary has 1 there. ``growth`` bounds how far a normalizer lengthens non-ASCII
    text (0: nothing is known of that, so bytes bound nothing) and ``prefix`` how many tokens are put in front.
    ``cuts``: there are places where text may be cut without changing the count (true of byte-level BPE but for
    GPT-2's pattern, not of SentencePiece). ``file`` is the path of a user's own vocabulary, which has no ``ranks``.
    """

    name: str
    ranks: str
    exact: bool = True
    factor: float = 1.0
    low: float = 1.0
    high: float = 1.0
    nfc: bool = False
    growth: int = 1
    prefix: int = 0
    cuts: bool = True
    file: str = ""
    weights: str = ""
    words: float = 1.0


def vocabulary_from_file(path: str) -> Vocabulary:
    """Return the vocabulary in a file: exact, but nothing is known of it until it is read."""
    return Vocabulary(path, "", growth=0, prefix=1, cuts=False, file=path)


def _bpe(name: str) -> Vocabulary:
    return Vocabulary(name, name, weights=_WEIGHTS.get(name, name))


def _nfc(name: str) -> Vocabulary:
    return _bpe(name)._replace(nfc=True, growth=NFC_GROWTH)


def _spm(name: str) -> Vocabulary:
    return _bpe(name)._replace(prefix=1, cuts=False)


_WEIGHTS = {"phi4": "cl100k", "olmo2": "cl100k", "p50k": "estimate", "r50k": "estimate"}
"""Whose weights stand in for a vocabulary that has none of its own: phi4 and olmo2 count as cl100k does."""


def _estimate(name: str, weights: str, factor: float = 1.0, low: float = 1.0, high: float = 1.0) -> Vocabulary:
    return Vocabulary(name, "", False, factor, low, high, growth=NFC_GROWTH, prefix=1, weights=weights)


_CLAUDE = _estimate("claude", "estimate", 1.18)
"""Claude 3 to 4.6. No vocabulary is public; what the API reported for 125 tool results of Claude Sonnet and Opus 4.5
was 1.18 times this estimate at the median, and 1.06 to 1.30 times in nine of ten (bench/receipts.py)."""


UNKNOWN = _estimate("estimate", "estimate")
"""For a model whose tokenizer nobody named: fitted on eleven vocabularies at once, with ends as wide as they differ."""
BYTES_OVER_3 = Vocabulary("bytes/3", "", exact=False, cuts=False)
"""The seed's rule: one token for three bytes."""

_ALL = (
    *map(_bpe, ("o200k", "cl100k", "llama3", "deepseek_v3", "mistral_v3", "glm4", "kimi_k2", "phi4", "olmo2")),
    *(_bpe(name)._replace(cuts=False) for name in ("p50k", "r50k")),
    _nfc("qwen3"),
    *map(_spm, ("gemma2", "gemma3", "llama2", "mistral_v1")),
    _CLAUDE,
    # Claude Opus 4.7 and later, Sonnet 5, Fable and Mythos: about 30 % more tokens for the same text (Anthropic,
    # "Token counting"). Measured with Anthropic's counter by others in April 2026, it is Latin words that take more
    # (English prose 1.37 to 1.45 times, source code 1.13 to 1.36), numbers and other scripts that do not.
    _CLAUDE._replace(name="claude-4-7", words=1.5, low=0.95, high=1.08),
    # Gemini publishes none either; Gemma 3 shares its vocabulary size and ancestry.
    _estimate("gemini", "gemma3", 1.0, 0.9, 1.1),
    UNKNOWN,
    BYTES_OVER_3,
)
VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in _ALL}
_ALIASES = {
    "o200k_base": "o200k",
    "o200k_harmony": "o200k",
    "cl100k_base": "cl100k",
    "p50k_base": "p50k",
    "p50k_edit": "p50k",
    "r50k_base": "r50k",
    "gpt2": "r50k",
}


def find_vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary of that name; raises KeyError when there is none."""
    return VOCABULARIES[_ALIASES.get(name, name)]


def substitute_estimate(vocabulary: Vocabulary) -> Vocabulary:
    """Return the estimated vocabulary that counts for one whose engine is absent."""
    if not vocabulary.exact:
        return vocabulary
    weights = vocabulary.weights or UNKNOWN.weights
    growth = max(vocabulary.growth, 1) if vocabulary.ranks else NFC_GROWTH
    return vocabulary._replace(ranks="", exact=False, growth=growth, file="", weights=weights)
