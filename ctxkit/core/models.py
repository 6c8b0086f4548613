"""Models by name: how large their window is and how they tokenize."""

from typing import NamedTuple


class Model(NamedTuple):
    """Give a model's window in tokens and the name of its vocabulary."""

    name: str
    window: int
    tokenizer: str


# The first five rows are the seed's. Windows are the publishers' own figures as of November 2026; a
# host may offer less or more, so --window and the user's settings win.
_TABLE = """
nanbeige4.1-3b         4096  estimate
qwen3-30b-a3b         32768  qwen3
haiku                200000  claude
sonnet               200000  claude
opus                 200000  claude
claude-haiku-4-5     200000  claude
claude-sonnet-4-5    200000  claude
claude-opus-4-5      200000  claude
deepseek-v3          131072  deepseek_v3
gemini-2.5-flash    1048576  gemini
gemini-2.5-pro      1048576  gemini
gemma-3-27b          131072  gemma3
glm-4.6              202752  glm4
gpt-4.1             1047576  o200k
gpt-4o               128000  o200k
gpt-5                400000  o200k
gpt-oss-20b          131072  o200k
kimi-k2              262144  kimi_k2
llama-3.3-70b        131072  llama3
mistral-small-3.2    131072  mistral_v3
phi-4                 16384  phi4
qwen3-8b              40960  qwen3
qwen3-coder-30b      262144  qwen3
"""
MODELS = {
    name: Model(name, int(window), tokenizer)
    for name, window, tokenizer in (row.split() for row in _TABLE.split("\n") if row)
}
_ALIASES = {"qwen3-30b": "qwen3-30b-a3b", "nanbeige4.1": "nanbeige4.1-3b"}


def model_of(name: str) -> Model | None:
    """Return the model of that name or alias, letter case and a provider's prefix aside."""
    plain = name.lower().rpartition("/")[2]
    return MODELS.get(_ALIASES.get(plain, plain))


def nearest(name: str) -> list[str]:
    """Return known names like ``name``, best first."""
    from difflib import get_close_matches

    plain = name.lower().rpartition("/")[2]
    starts = [known for known in MODELS if plain and known.startswith(plain)]
    return list(dict.fromkeys([*starts, *get_close_matches(plain, [*MODELS, *_ALIASES], 3)]))[:3]
