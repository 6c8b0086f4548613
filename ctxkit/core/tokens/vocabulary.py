"""Define a tokenizer, and find one that ctxkit knows by its name."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from ctxkit.core.named_tuple import NamedTuple

NFC_GROWTH = 3
"""Maximum factor by which NFC lengthens UTF-8 (Unicode Standard Annex 15, section 9, table of expansion factors)."""
UNKNOWN_WEIGHTS = "estimate"
"""Weights of an unknown tokenizer, fitted on eleven vocabularies."""


class Vocabulary(NamedTuple):
    """A tokenizer.

    ``ranks`` names the engine's table, empty for estimates. ``weights`` names the weights of an estimate
    (tokens/weights.py), empty if only bytes are counted. An estimate is multiplied by ``factor``, its Latin words also
    by ``words``, its ends also by ``low`` and ``high``; an exact vocabulary has 1 there. ``growth`` is the maximum
    factor by which a normalizer lengthens non-ASCII text; 0 means unknown, so that bytes give no bound. ``prefix`` is
    the number of tokens added in front. ``cuts`` is true if there are offsets where a cut does not change the count:
    byte-level BPE except GPT-2's pattern, not SentencePiece. ``file`` is the path of a user's own vocabulary, which has
    no ``ranks``. ``is_calibrated`` is true for an estimate whose factor is known from receipts or from a related
    vocabulary, so that only texts differ. ``rate`` is the number of bytes, or of characters if ``per_character`` is
    true, that count as one token; 0 for a tokenizer that looks at the text. ``template`` is the scheme of the chat
    template in a user's own file (count/scheme.py), empty if none is known.
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
    is_calibrated: bool = False
    rate: float = 0.0
    per_character: bool = False
    template: str = ""

    def count_by_rate(self, size: int, characters: int) -> int:
        """Return the tokens of a text of ``size`` bytes by the rate of the tokenizer.

        >>> vocabulary_from_rate("chars/4").count_by_rate(12, 9)
        3
        """
        return ceil((characters if self.per_character else size) / (self.rate or _DEFAULT_RATE))


def measure_utf8(text: str) -> int:
    """Return the bytes of a text in UTF-8; a lone surrogate counts as the byte that replaces it.

    >>> measure_utf8("aé")
    3
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


Tokenizer = Callable[[str], int]
"""Returns the number of tokens in a text."""


def rate_tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return a tokenizer that looks at the size of a text alone."""
    return lambda text: vocabulary.count_by_rate(measure_utf8(text), len(text))


def vocabulary_from_file(path: str, template: str = "") -> Vocabulary:
    """Return the vocabulary in a file: exact, but unknown until the file is read."""
    return Vocabulary(path, "", growth=0, prefix=1, cuts=False, file=path, template=template)


_DEFAULT_RATE = 3
"""Bytes of a token if no tokenizer is known."""
_MAX_RATE = 100
"""Bytes or characters of a token below which a rate makes sense; a token has at least one byte."""
BYTES_OVER_3 = Vocabulary("bytes/3", "", exact=False, cuts=False, rate=_DEFAULT_RATE)
"""The seed's rule: one token for three bytes."""


def vocabulary_from_rate(name: str) -> Vocabulary:
    """Return the tokenizer that a rate names, such as bytes/4 or chars/3.5."""
    if name == BYTES_OVER_3.name:
        return BYTES_OVER_3
    unit, _, rate = name.partition("/")
    return BYTES_OVER_3._replace(name=name, rate=float(rate), per_character=unit == "chars")


def is_rate(name: str) -> bool:
    """Return whether a tokenizer is named by its rate, such as chars/4.

    >>> is_rate("bytes/3"), is_rate("chars/0"), is_rate("models/4.json")
    (True, False, False)
    """
    unit, _, rate = name.partition("/")
    is_number = unit in ("bytes", "chars") and rate.isascii() and rate.replace(".", "", 1).isdigit()
    return is_number and 1 <= float(rate) < _MAX_RATE


def substitute_estimate(vocabulary: Vocabulary) -> Vocabulary:
    """Return the estimated vocabulary that replaces an exact one whose engine is not installed."""
    if not vocabulary.exact:
        return vocabulary
    weights = vocabulary.weights or UNKNOWN_WEIGHTS
    growth = max(vocabulary.growth, 1) if vocabulary.ranks else NFC_GROWTH
    return vocabulary._replace(ranks="", exact=False, growth=growth, file="", weights=weights)


def _bpe(name: str) -> Vocabulary:
    return Vocabulary(name, name, weights=_WEIGHTS.get(name, name))


def _nfc(name: str) -> Vocabulary:
    return _bpe(name)._replace(nfc=True, growth=NFC_GROWTH)


def _spm(name: str) -> Vocabulary:
    return _bpe(name)._replace(prefix=1, cuts=False)


_WEIGHTS = {"phi4": "cl100k", "olmo2": "cl100k", "p50k": "estimate", "r50k": "estimate"}
"""Weights of vocabularies without their own: phi4 and olmo2 count like cl100k."""


def _estimate(name: str, weights: str, factor: float = 1.0, low: float = 1.0, high: float = 1.0) -> Vocabulary:
    vocabulary = Vocabulary(name, "", False, factor, low, high, growth=NFC_GROWTH, prefix=1, weights=weights)
    return vocabulary._replace(is_calibrated=factor != 1.0 or weights != UNKNOWN_WEIGHTS)


_CLAUDE = _estimate("claude", UNKNOWN_WEIGHTS, 1.18)
"""Claude 3 to 4.6, whose vocabulary is not public.

For 125 tool results of Claude Sonnet and Opus 4.5, the API reported 1.18 times this estimate at the median, and 1.06 to
1.30 times in nine of ten (bench/receipts.py).
"""
UNKNOWN = _estimate("estimate", UNKNOWN_WEIGHTS)
"""Estimate for an unknown tokenizer; its ends cover the differences of vocabularies."""
_ALL = (
    *map(_bpe, ("o200k", "cl100k", "llama3", "deepseek_v3", "mistral_v3", "glm4", "kimi_k2", "phi4", "olmo2")),
    *(_bpe(name)._replace(cuts=False) for name in ("p50k", "r50k")),
    _nfc("qwen3"),
    *map(_spm, ("gemma2", "gemma3", "llama2", "mistral_v1")),
    _CLAUDE,
    # Claude Opus 4.7 and later, Sonnet 5, Fable and Mythos: about 30 % more tokens for the same text (Anthropic, "Token
    # counting"). Others measured with Anthropic's counter in April 2026: Latin words take more tokens (English prose
    # 1.37 to 1.45 times, source code 1.13 to 1.36), numbers and other scripts do not.
    _CLAUDE._replace(name="claude-4-7", words=1.5, low=0.95, high=1.08),
    # Google's SDK counts the tokens of Gemini 2.0 to 3.5 with the tokenizers of Gemma 3 and 4 (python-genai,
    # google/genai/_local_tokenizer_loader.py). Gemma 4 counts as many tokens as Gemma 3 for each of 214 texts. The
    # tags of HTML are single tokens there, which the weights do not know.
    _estimate("gemini", "gemma3", 1.0, 0.95),
    UNKNOWN,
    BYTES_OVER_3,
)
VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in _ALL}
ALIASES = {
    "o200k_base": "o200k",
    "o200k_harmony": "o200k",
    "cl100k_base": "cl100k",
    "p50k_base": "p50k",
    "p50k_edit": "p50k",
    "r50k_base": "r50k",
    "gpt2": "r50k",
}


def find_vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary with a name or alias, such as bytes/4 or chars/3.5; raise KeyError if there is none."""
    return vocabulary_from_rate(name) if is_rate(name) else VOCABULARIES[ALIASES.get(name, name)]
