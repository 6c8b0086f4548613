"""Figures of publishers' own pages, where a registry has none or a host's; and the seed's."""

from typing import NamedTuple


class Card(NamedTuple):
    """Hold what a publisher's page says of one model, in tokens; 0 where it says nothing."""

    name: str
    window: int
    output: int
    source: str


_QWEN = "https://huggingface.co/Qwen/"
_META = "https://huggingface.co/meta-llama/"
CARDS = (
    # The seed's figures hold even where hosts offer more.
    Card("nanbeige4.1-3b", 4_096, 0, "seed"),
    Card("qwen3-30b-a3b", 32_768, 0, "seed"),
    Card("haiku", 200_000, 64_000, "seed"),
    Card("sonnet", 200_000, 64_000, "seed"),
    Card("opus", 200_000, 32_000, "seed"),
    # max_position_embeddings of config.json: what a local server takes without RoPE scaling.
    *(
        Card(f"qwen3-{size}", 40_960, 32_768, f"{_QWEN}Qwen3-{size.upper()}")
        for size in ("0.6b", "1.7b", "4b", "8b", "14b", "32b", "235b-a22b")
    ),
    *(
        Card(name, 262_144, output, f"{_QWEN}{path}")
        for name, output, path in (
            ("qwen3-4b-instruct-2507", 16_384, "Qwen3-4B-Instruct-2507"),
            ("qwen3-4b-thinking-2507", 32_768, "Qwen3-4B-Thinking-2507"),
            ("qwen3-30b-a3b-instruct-2507", 16_384, "Qwen3-30B-A3B-Instruct-2507"),
            ("qwen3-30b-a3b-thinking-2507", 32_768, "Qwen3-30B-A3B-Thinking-2507"),
            ("qwen3-235b-a22b-instruct-2507", 16_384, "Qwen3-235B-A22B-Instruct-2507"),
            ("qwen3-235b-a22b-thinking-2507", 32_768, "Qwen3-235B-A22B-Thinking-2507"),
            ("qwen3-coder-30b-a3b-instruct", 65_536, "Qwen3-Coder-30B-A3B-Instruct"),
            ("qwen3-coder-480b-a35b-instruct", 65_536, "Qwen3-Coder-480B-A35B-Instruct"),
        )
    ),
    *(
        Card(f"qwen2.5-{size}-instruct", 32_768, 8_192, f"{_QWEN}Qwen2.5-{size.upper()}-Instruct")
        for size in ("0.5b", "1.5b", "3b", "7b", "14b", "32b", "72b")
    ),
    *(
        Card(f"qwen2.5-coder-{size}-instruct", 32_768, 8_192, f"{_QWEN}Qwen2.5-Coder-{size.upper()}-Instruct")
        for size in ("0.5b", "1.5b", "3b", "7b", "14b", "32b")
    ),
    Card("qwq-32b", 40_960, 0, f"{_QWEN}QwQ-32B"),
    *(
        Card(name, 131_072, 0, f"{_META}{path}")
        for name, path in (
            ("llama-3.1-8b-instruct", "Llama-3.1-8B-Instruct"),
            ("llama-3.1-70b-instruct", "Llama-3.1-70B-Instruct"),
            ("llama-3.1-405b-instruct", "Llama-3.1-405B-Instruct"),
            ("llama-3.2-1b-instruct", "Llama-3.2-1B-Instruct"),
            ("llama-3.2-3b-instruct", "Llama-3.2-3B-Instruct"),
            ("llama-3.2-11b-vision-instruct", "Llama-3.2-11B-Vision-Instruct"),
            ("llama-3.2-90b-vision-instruct", "Llama-3.2-90B-Vision-Instruct"),
            ("llama-3.3-70b-instruct", "Llama-3.3-70B-Instruct"),
        )
    ),
    Card("llama-3-8b-instruct", 8_192, 0, f"{_META}Meta-Llama-3-8B-Instruct"),
    Card("llama-3-70b-instruct", 8_192, 0, f"{_META}Meta-Llama-3-70B-Instruct"),
    *(Card(f"llama-2-{size}-chat", 4_096, 0, f"{_META}Llama-2-{size}-chat-hf") for size in ("7b", "13b", "70b")),
    Card("gemma-2-2b-it", 8_192, 0, "https://huggingface.co/google/gemma-2-2b-it"),
    Card("gemma-2-9b-it", 8_192, 0, "https://huggingface.co/google/gemma-2-9b-it"),
    Card("gemma-2-27b-it", 8_192, 0, "https://huggingface.co/google/gemma-2-27b-it"),
    Card("gemma-3-270m-it", 32_768, 0, "https://huggingface.co/google/gemma-3-270m-it"),
    Card("gemma-3-1b-it", 32_768, 8_192, "https://huggingface.co/google/gemma-3-1b-it"),
    *(
        Card(f"gemma-3-{size}-it", 131_072, 8_192, f"https://huggingface.co/google/gemma-3-{size}-it")
        for size in ("4b", "12b", "27b")
    ),
    *(
        Card(f"gemma-3n-{size}-it", 32_768, 0, f"https://huggingface.co/google/gemma-3n-{size.upper()}-it")
        for size in ("e2b", "e4b")
    ),
    Card("gpt-oss-20b", 131_072, 0, "https://huggingface.co/openai/gpt-oss-20b"),
    Card("gpt-oss-120b", 131_072, 0, "https://huggingface.co/openai/gpt-oss-120b"),
    Card("phi-4", 16_384, 0, "https://huggingface.co/microsoft/phi-4"),
    Card("phi-4-mini-instruct", 131_072, 0, "https://huggingface.co/microsoft/Phi-4-mini-instruct"),
    Card("phi-4-reasoning", 32_768, 0, "https://huggingface.co/microsoft/Phi-4-reasoning"),
    Card("phi-3.5-mini-instruct", 131_072, 0, "https://huggingface.co/microsoft/Phi-3.5-mini-instruct"),
    Card("phi-3-mini-4k-instruct", 4_096, 0, "https://huggingface.co/microsoft/Phi-3-mini-4k-instruct"),
    Card("phi-3-mini-128k-instruct", 131_072, 0, "https://huggingface.co/microsoft/Phi-3-mini-128k-instruct"),
    *(
        Card(f"granite-{version}-{size}-instruct", 131_072, 0, f"https://huggingface.co/ibm-granite/granite-{version}-{size}-instruct")
        for version in ("3.1", "3.2", "3.3")
        for size in ("2b", "8b")
    ),
    Card("olmo-2-0325-32b-instruct", 4_096, 0, "https://huggingface.co/allenai/OLMo-2-0325-32B-Instruct"),
    Card("olmo-2-1124-7b-instruct", 4_096, 0, "https://huggingface.co/allenai/OLMo-2-1124-7B-Instruct"),
    Card("olmo-2-1124-13b-instruct", 4_096, 0, "https://huggingface.co/allenai/OLMo-2-1124-13B-Instruct"),
    Card("olmo-3-7b-instruct", 65_536, 0, "https://huggingface.co/allenai/Olmo-3-7B-Instruct"),
    Card("smollm2-135m-instruct", 8_192, 0, "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct"),
    Card("smollm2-360m-instruct", 8_192, 0, "https://huggingface.co/HuggingFaceTB/SmolLM2-360M-Instruct"),
    Card("smollm2-1.7b-instruct", 8_192, 0, "https://huggingface.co/HuggingFaceTB/SmolLM2-1.7B-Instruct"),
    Card("smollm3-3b", 65_536, 0, "https://huggingface.co/HuggingFaceTB/SmolLM3-3B"),
    Card("mistral-7b-instruct-v0.2", 32_768, 0, "https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.2"),
    Card("mistral-7b-instruct-v0.3", 32_768, 0, "https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3"),
    Card("mixtral-8x7b-instruct-v0.1", 32_768, 0, "https://huggingface.co/mistralai/Mixtral-8x7B-Instruct-v0.1"),
    *(
        Card(f"mistral-small-{number}", 131_072, 0, f"https://huggingface.co/mistralai/Mistral-Small-{number}-24B-Instruct-{date}")
        for number, date in (("3.1", "2503"), ("3.2", "2506"))
    ),
    Card("deepseek-v3", 131_072, 8_192, "https://huggingface.co/deepseek-ai/DeepSeek-V3"),
    Card("deepseek-v3.1", 131_072, 0, "https://huggingface.co/deepseek-ai/DeepSeek-V3.1"),
    Card("deepseek-r1", 131_072, 32_768, "https://huggingface.co/deepseek-ai/DeepSeek-R1"),
    *(
        Card(f"deepseek-r1-distill-{base}", 131_072, 32_768, f"https://huggingface.co/deepseek-ai/DeepSeek-R1-Distill-{path}")
        for base, path in (
            ("qwen-1.5b", "Qwen-1.5B"), ("qwen-7b", "Qwen-7B"), ("qwen-14b", "Qwen-14B"), ("qwen-32b", "Qwen-32B"),
            ("llama-8b", "Llama-8B"), ("llama-70b", "Llama-70B"),
        )
    ),
    Card("kimi-k2", 131_072, 0, "https://huggingface.co/moonshotai/Kimi-K2-Instruct"),
    Card("kimi-k2-0905", 262_144, 0, "https://huggingface.co/moonshotai/Kimi-K2-Instruct-0905"),
    Card("glm-4-9b-chat", 131_072, 0, "https://huggingface.co/zai-org/glm-4-9b-chat"),
    Card("gpt-4-32k", 32_768, 4_096, "https://platform.openai.com/docs/models"),
    Card("davinci-002", 16_384, 16_384, "https://platform.openai.com/docs/models"),
    Card("babbage-002", 16_384, 16_384, "https://platform.openai.com/docs/models"),
    Card("text-davinci-003", 4_097, 4_097, "https://platform.openai.com/docs/models"),
    Card("gpt2", 1_024, 0, "https://huggingface.co/openai-community/gpt2"),
    Card("gpt-3.5-turbo-instruct", 4_096, 4_096, "https://platform.openai.com/docs/models"),
)

ALIASES = {
    "nanbeige4.1": "nanbeige4.1-3b",
    "nanbeige": "nanbeige4.1-3b",
    "qwen3-30b": "qwen3-30b-a3b",
    "qwen3-235b": "qwen3-235b-a22b",
    "qwen3-coder-480b": "qwen3-coder-480b-a35b-instruct",
    "mistral-7b-instruct-v0.1": "open-mistral-7b",
    "llama-4-scout": "llama-4-scout-17b-16e-instruct",
    "llama-4-maverick": "llama-4-maverick-17b-128e-instruct",
    "mistral-small-3.1-24b-instruct-2503": "mistral-small-3.1",
    "mistral-small-3.2-24b-instruct-2506": "mistral-small-3.2",
    "llama-4-scout-17b-instruct": "llama-4-scout-17b-16e-instruct",
    "llama-4-maverick-17b-instruct": "llama-4-maverick-17b-128e-instruct",
    "gpt-35-turbo": "gpt-3.5-turbo",
    # Ollama's tags say a size that the publisher's name leaves out.
    "deepseek-r1:671b": "deepseek-r1",
    "deepseek-v3:671b": "deepseek-v3",
    "deepseek-v3.1:671b": "deepseek-v3.1",
    "kimi-k2:1t": "kimi-k2",
    "mistral-nemo:12b": "mistral-nemo",
    "phi4:14b": "phi-4",
}
"""Names that no rule of spelling leads to."""
