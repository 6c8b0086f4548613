"""List the tokenizers that ctxkit knows by name, and find one."""

from ctxkit.core.tokens.vocabulary import (
    BYTES_OVER_3,
    NFC_GROWTH,
    UNKNOWN_WEIGHTS,
    Vocabulary,
    is_rate,
    vocabulary_from_rate,
)


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
