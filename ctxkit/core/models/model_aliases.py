"""Normalize the spellings of a model's name: strip what registries, hosts and files add to it.

Parts that distinguish models stay: a size, a generation, a variant (mini, coder, thinking, turbo) or a date of four
digits (2507). The patterns are compiled on first use, because that costs two milliseconds and most names need none.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from re import Pattern

_VENDORS = (
    "ai21|aisingapore|amazon|anthropic|baidu|bytedance|cohere|cohereforai|coherelabs|databricks|deepseek-ai|gcp|google|"
    "huggingfacetb|ibm|lmstudio-community|meta|meta-llama|microsoft|minimaxai|mistralai|moonshotai|nvidia|"
    "openai|qwenlm|unsloth|xai|x-ai|z-ai|zai|zai-org|zhipu|zhipuai"
)
_QUANTS = (
    r"(?:ud-)?i?q\d+(?:-(?:k|0|1|xxs|xs|s|m|l|xl|nl))*|(?:bf|f|fp)\d+|fp8-dynamic|nvfp4|mxfp4|int[48]|[248]-?bit|w\d+a\d+|"
    r"awq|gptq|gguf|ggml|mlx|bnb|exl[23]|imatrix|i1|qat|dynamic|quantized"
)
LONGEST = 300
"""Characters at the end of a name that are searched for its tag and file format."""
_LOCAL_FORMATS = r"gguf|ggml|mlx|exl[23]|i?q[2-8]_(?:k|\d|xxs|xs|s|m|nl)[a-z0-9_]*"
_PACKAGING = (
    (r"^ft:([^:]+).*", r"\1"),  # OpenAI: ft:base:organization::id
    (r"^(?:[a-z-]+\.)+(?=[a-z]{2})", ""),  # Amazon Bedrock: region.publisher.model, but deepseek.v3
    (r"^[a-z]+--", ""),  # SAP: publisher--model
    (r"\.(?:gguf|ggml|safetensors|bin)$", ""),
    (r"-\d{5}-of-\d{5}$", ""),  # a part of a file
    (r":(?:free|nitro|floor|online|exacto|beta|thinking|latest|cloud)$", ""),  # OpenRouter and Ollama: a route
    (r"[@-](?:default|latest)$", ""),
    (r"(?<=\db)-cloud$", ""),  # Ollama: gpt-oss:20b-cloud
    (r"-v?\d+:\d+$", ""),  # Amazon Bedrock: the version of a deployment
    (r"(?<=\d)-v1$", ""),
    (r"-(?:maas|tee)$", ""),  # Vertex AI, Chutes: how it is served
    (rf"^(?:{_VENDORS})-(?=[a-z]{{2}})", ""),  # Databricks, Hugging Face: publisher-model
    (rf"[-.:@](?:{_QUANTS})$", ""),
)
_DATES = ((r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$", ""), (r"-(preview|exp)-\d\d-\d{2,4}$", r"-\1"))
LONG_WINDOW_MARK, LONG_WINDOW = "[1m]", 1_000_000
"""What Claude Code writes behind a name for a window of a million tokens ("Model configuration", extended context)."""
_OFFERS = (
    (r"(?<=.)-(?:xhigh|high|medium|low|minimal|none)$", ""),  # the effort of reasoning, as Codex and Cursor write it
    (r"(claude.*)-thinking$", r"\1"),
    (r"(?<=.)-(?:free|exp)$", ""),
    (r"-exp-\d\d-\d{2,4}$", ""),
    (r"^opusplan$", "opus"),  # Claude Code: opus plans, sonnet does the work
)
_OLLAMA = """
llama2 llama3 llama3.1 llama3.2 llama3.3 llama4 mistral mistral-nemo mistral-small mixtral phi phi3 phi3.5 phi4
phi4-mini qwen qwen2 qwen2.5 qwen2.5-coder qwen3 qwen3-coder gemma gemma2 gemma3 gemma3n codellama codegemma deepseek-r1
deepseek-coder deepseek-coder-v2 gpt-oss starcoder2 tinyllama vicuna llava llama3.2-vision granite3.3 command-r olmo2
smollm2 devstral
"""
"""Names of Ollama's library that stand for a default size."""
_ROLES = ((r"[-:](?:instruct|it|chat|hf)(?=[-:]|$)", ""),)


def generate_spellings(name: str) -> Iterator[str]:
    """Yield keys for a name, from its exact spelling to the shortest that means the same model.

    The shortest comes last; a key may be repeated.
    """
    text = _last_segment(name)
    yield fold_spelling(text)
    for bare in (_strip_packaging, _strip_date, _strip_role):
        text = bare(text)
        yield fold_spelling(text)


def canonical_key(name: str) -> str:
    """Return the key that all spellings of a model share."""
    return list(generate_spellings(name))[-1]


def is_local(name: str) -> bool:
    """Return whether a name is that of a local model: a size as its tag, a name of Ollama, or a file of weights."""
    from re import fullmatch, search

    text = name.strip().lower()[-LONGEST:]
    if text.startswith("ollama/") or text.removesuffix(":latest") in _OLLAMA.split():
        return True
    tag = text.rpartition(":")[2] if ":" in text else ""
    if fullmatch(r"(?:e?\d+(?:\.\d+)?|\d+x\d+)[bm](?:-[\w.-]+)?", tag):
        return not tag.endswith("-cloud")
    return search(rf"[-._/](?:{_LOCAL_FORMATS})(?![a-z])", text) is not None


def strip_offer(name: str) -> str:
    """Return a name without what says how the model is offered.

    >>> strip_offer("gpt-5.1-codex-max-xhigh"), strip_offer("claude-opus-4-8-thinking")
    ('gpt-5.1-codex-max', 'claude-opus-4-8')
    """
    return _apply_patterns(_OFFERS, name.strip().lower())


def _separate_digit(key: str, sign: str) -> str:
    """Return the sign that follows a separator in a key, with the separator if it stands between digits."""
    return f"-{sign}" if sign.isdigit() and key[-1:].isdigit() else sign


def fold_spelling(text: str) -> str:
    """Return a spelling without variations: case, separators, v before a version, Claude's word order.

    Keep a separator between digits, where it distinguishes 4-1 from 41.
    """
    text = f" {text.lower().replace('+', '-plus')} "
    key, is_separated = "", False
    for last, sign, following in zip(text, text[1:], text[2:], strict=False):
        if sign == "v" and following.isdigit() and not last.isalnum():
            continue
        if sign == "p" and following.isdigit() and last.isdigit():  # Fireworks: v3p1
            is_separated = True
        elif sign.isalnum() and sign.isascii():
            key += _separate_digit(key, sign) if is_separated else sign
            is_separated = False
        else:
            is_separated = True
    return _reorder_claude(key) if key.startswith("claude") else key


def _reorder_claude(key: str) -> str:
    """Return claude3-5sonnet as claudesonnet3-5: Anthropic changed the word order with Claude 4."""
    rest = key.removeprefix("claude")
    tier = rest.lstrip("0123456789-")
    version = rest[: len(rest) - len(tier)]
    word = tier.rstrip("0123456789-") if version else ""
    return f"claude{word}{version}{'-' * bool(tier[len(word) :])}{tier[len(word) :]}" if word in _TIERS else key


_TIERS = ("haiku", "instant", "opus", "sonnet")


def _last_segment(name: str) -> str:
    """Return a name without the account, host or folder in front of it."""
    text = name.strip().lower().replace("\\", "/").replace("_", "-").replace(" ", "-")
    return text.rstrip("/").rpartition("/")[2].strip("-")


def _strip_packaging(text: str) -> str:
    """Return a name without the additions of a host, a publisher, a file format or a quantization."""
    previous = ""
    while text != previous:
        previous, text = text, _apply_patterns(_PACKAGING, text)
    return text


def _strip_date(text: str) -> str:
    return _strip_packaging(_apply_patterns(_DATES, text))


def _strip_role(text: str) -> str:
    """Return a name without the word for an instruction-tuned model, unless the rest is too short."""
    bare = _apply_patterns(_ROLES, text)
    return bare if any(map(str.isdigit, bare)) else text


def _apply_patterns(patterns: tuple[tuple[str, str], ...], text: str) -> str:
    for pattern, put in _compile(patterns):
        text = pattern.sub(put, text)
    return text


@cache
def _compile(patterns: tuple[tuple[str, str], ...]) -> list[tuple["Pattern[str]", str]]:
    import re

    return [(re.compile(pattern), put) for pattern, put in patterns]
