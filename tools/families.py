"""Which vocabulary the models of a family have, and what of a registry is no chat model."""

import re

FAMILIES: tuple[tuple[str, str], ...] = (
    # OpenAI: tiktoken/model.py of 0.14 maps names to encodings; what it does not name is estimated.
    (r"gpt-oss", "o200k"),
    (r"(chat)?gpt-?(4o|4\.1|4\.5|5)|o[134](?!\d)|(?:chat-)?o[134]-|codex-mini", "o200k"),
    (r"gpt-?(4|3\.?5)(?!\d)|(davinci|babbage)-002", "cl100k"),
    (r"(text|code)-davinci-00[23]", "p50k"),
    (r"gpt-?2(?!\d)", "r50k"),
    (r"gpt-|chatgpt", "estimate"),
    # Anthropic and Google publish no vocabulary of these. Since Opus 4.7, Anthropic's have a newer one ("Token
    # counting"); the bare names mean the newest, and of those that are not told apart the newer counts more.
    (r"claude-?(instant|[123](?!\d)|(opus|sonnet|haiku)-?[34](?!\d)(?![-.][789]))|haiku$", "claude"),
    (r"claude|sonnet$|opus$", "claude-4-7"),
    (r"gemini", "gemini"),
    # Gemma: the model cards; Gemma 3n has Gemma 3's 262,144 entries. Gemma 1 and CodeGemma are estimated.
    (r"gemma-?2", "gemma2"),
    (r"gemma-?3", "gemma3"),
    (r"gemma|codegemma|medgemma", "estimate"),
    # DeepSeek's distilled models keep the vocabulary of what they were distilled into (README of DeepSeek-R1).
    (r"deepseek-r1.*distill-?llama", "llama3"),
    (r"deepseek-r1.*distill-?qwen", "qwen3"),
    (r"deepseek-(v?3|r1)", "deepseek_v3"),
    (r"deepseek", "estimate"),
    # Meta: Llama 3.0 to 3.3 share 128,256 entries; Llama 4 has others. NVIDIA's and Nous's are tuned Llamas.
    (r"(llama-?v?3|llama-3\.\d-nemotron|hermes-3|llama-3.*)", "llama3"),
    (r"(llama-?v?2|codellama|vicuna)", "llama2"),
    (r"llama", "estimate"),
    # Qwen: one qwen.tiktoken from Qwen 1 to Qwen 3; Qwen 3.5 has 248,320 entries. Names without a
    # generation (qwen-plus) are moved from one to the next.
    (r"qwen-?(3[.-]?[5-9]|[4-9])(?!\d*b)", "estimate"),
    (r"(qwen-?(1\.5|2|2\.5|3)|qwq-32b|qvq-72b)", "qwen3"),
    (r"qwen|qwq|qvq", "estimate"),
    # Mistral: Tekken since NeMo (mistral-common, tokenizers/mistral.py); SentencePiece v1 before May 2024.
    (r"(open-)?mistral-nemo|pixtral-12b|ministral-8b-2410|mistral-small-(3(\.[12])?-24b|3\.[12]|24b|25)", "mistral_v3"),
    (r"(devstral|magistral)-small-25(05|06|07|09)", "mistral_v3"),
    (r"mixtral-8x7b|mistral-7b(-instruct)?-v0\.[12]$", "mistral_v1"),
    (r"(open-)?mi(ni)?st?ral|mixtral|pixtral|codestral|devstral|magistral|voxtral|labs-|mathstral", "estimate"),
    # Z.ai: GLM-4 to GLM-4.7 have 151,552 entries; GLM-4.7-Flash and GLM-5 have 154,880 (config.json).
    (r"glm-?4\.7-flash|glm-?[5-9]", "estimate"),
    (r"glm-?4", "glm4"),
    (r"glm", "estimate"),
    # Moonshot: K2 to K2.7 share 163,840 entries; K3 has its own.
    (r"kimi-?k2", "kimi_k2"),
    (r"kimi|moonshot", "estimate"),
    # Microsoft: Phi-4-mini's 200,064 entries are o200k_base (technical report); Phi-3 has Llama 2's.
    (r"phi-?4-(mini|multimodal)", "o200k"),
    (r"phi-?4", "phi4"),
    (r"phi-?3-small", "cl100k"),
    (r"phi-?3", "llama2"),
    (r"phi-", "estimate"),
    # Ai2: OLMo 3 kept OLMo 2's vocabulary (technical reports).
    (r"olmo-?[23]", "olmo2"),
    # No public vocabulary, or none of ours.
    (
        r"grok|nemotron|nvidia-nemotron|granite|command|c4ai|aya|jamba|minimax|step-|mimo|mercury|solar|nova-|ernie|seed|"
        r"doubao|hunyuan|ling-|ring-|longcat|muse-|palmyra|reka|lfm|smollm|falcon|nanbeige|exaone|sonar|arcee|trinity|"
        r"intellect|hermes|internlm|yi-|stablelm|apertus|kat-|laguna|olmo|tulu",
        "estimate",
    ),
)
"""Beginnings of names, as regular expressions; the first that fits decides. Sources are named above each."""

NOT_CHAT = re.compile(
    r"embed|rerank|tts|whisper|image|audio|realtime|livetranslate|(^|-)live(-|$)|ocr|guard|moderation|safety|safeguard|"
    r"translat|-mt-|asr|veo|imagen|lyria|dall-e|sora|transcri|robotics|voicechat|nemoretriever|container|computer-use|"
    r"native|search-(preview|api)|deep-research|paligemma|shield|learnlm|prover|omni-turbo|bge-|-exp-\d{4}|"
    r"video|speech|music|reward|parse|vibe-cli|ft:|usd|riva|gliner|fim|experimental|nightly|-ttm-|^chat-latest|gemini-gemma"
)
"""What stands in the name of a model that does not converse, or that serves one experiment."""


def family_of(name: str) -> str:
    """Return the vocabulary of a model's name; raises KeyError when no family claims it."""
    for pattern, tokenizer in FAMILIES:
        if re.match(pattern, name):
            return tokenizer
    raise KeyError(name)
