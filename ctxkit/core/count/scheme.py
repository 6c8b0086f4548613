"""Chat templates: the special tokens and the text around each message.

Sources, by scheme:

openai     OpenAI cookbook, "How to count tokens with tiktoken" (sections 6 and 7): 3 tokens a message, the role
           and the name as text, 1 more for a name, 3 that prime the reply. gpt-3.5-turbo-0301: 4, and -1 for a name.
harmony    openai/harmony, "Harmony response format": <|start|>role<|message|>...<|end|>.
anthropic  Platform documentation, "Token counting": its example counts 14 tokens for a system prompt of 4 and a
           message of 4. The distribution of the rest over messages is a guess.
gemini     Gemini API documentation, "Understand and count tokens": counts are nearly those of the text.
chatml     chat_template of Qwen/Qwen3-8B: <|im_start|>role\\n...<|im_end|>\\n.
llama3     meta-llama "Llama 3 prompt formats": <|start_header_id|>role<|end_header_id|>\\n\\n...<|eot_id|>; from
           Llama 3.1 on the system message begins with two dates.
gemma      "Gemma formatting and system instructions": <start_of_turn>role\\n...<end_of_turn>\\n.
mistral    mistral-common, instruct v3: [INST]...[/INST], then the answer and </s>.
deepseek   chat_template of deepseek-ai/DeepSeek-V3: one mark before a user, one before and one after an assistant.
glm, kimi, phi  chat_template of zai-org/GLM-4.6, moonshotai/Kimi-K2-Instruct and microsoft/phi-4.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ctxkit.core.tokens.vocabulary import Vocabulary

Definitions = Literal["openai", "anthropic", "json"]
"""The method for counting tool definitions."""
LLAMA_DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
KIMI_SYSTEM = "You are Kimi, an AI assistant created by Moonshot AI."
QWEN_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."


class Scheme(NamedTuple):
    """The template overhead of a conversation, in tokens.

    - ``specials`` are the special tokens of a message by its role, with "" for any other role.
    - ``prefix`` is text before the message that is tokenized with it; ``apart`` is text between special tokens.
      ``{role}`` in them stands for the role.
    - ``begin`` tokens begin the conversation, ``priming`` tokens begin the reply, and a name adds ``name_tokens``.
    - ``trimmed`` removes blanks around the text.
    - ``preface`` begins the system message; ``system`` replaces a missing one.
    - ``call_frame`` tokens stand around the name and the arguments of a tool call, ``result_frame`` around a result.
    - ``exact`` means that the source documents everything, so that plain text is counted exactly.
    """

    name: str
    specials: Mapping[str, int]
    prefix: str = ""
    apart: str = "{role}"
    roles: Mapping[str, str] = {}
    begin: int = 0
    priming: int = 3
    name_tokens: int = 0
    trimmed: bool = False
    preface: str = ""
    system: str = ""
    exact: bool = True
    definitions: Definitions = "json"
    per_function: int = 7
    call_frame: int = 3
    result_frame: int = 0


def _make_openai_scheme(
    specials: int = 3, name_tokens: int = 1, per_function: int = 7, *, exact: bool = True
) -> Scheme:
    return Scheme(
        "openai",
        {"": specials},
        name_tokens=name_tokens,
        exact=exact,
        definitions="openai",
        per_function=per_function,
    )


OPENAI = _make_openai_scheme()
OPENAI_CL100K = _make_openai_scheme(per_function=10)
OPENAI_0301 = _make_openai_scheme(specials=4, name_tokens=-1, per_function=10)
OPENAI_LATER = _make_openai_scheme(exact=False)
"""For models newer than the cookbook, which says that the method may change with the model."""
HARMONY = Scheme("harmony", {"": 3, "assistant": 5}, priming=2, exact=False)
ANTHROPIC = Scheme(
    "anthropic", {"": 4, "system": 0}, apart="", begin=3, priming=0, exact=False, definitions="anthropic"
)
GEMINI = Scheme("gemini", {"": 1, "system": 0}, apart="", priming=0, exact=False)
CHATML = Scheme("chatml", {"": 2}, prefix="{role}\n", apart="\n", call_frame=12, result_frame=4)
QWEN2 = CHATML._replace(system=QWEN_SYSTEM)
_MODEL = {"assistant": "model"}
LLAMA3 = Scheme("llama3", {"": 3}, prefix="\n\n", begin=1, priming=4, trimmed=True, call_frame=8)
LLAMA31 = LLAMA3._replace(preface=LLAMA_DATES, exact=False)
GEMMA = Scheme("gemma", {"": 2}, "{role}\n", "\n", roles=_MODEL, begin=1, priming=3, trimmed=True)
MISTRAL = Scheme(
    "mistral", {"": 2, "assistant": 1, "system": 0}, apart="", begin=1, priming=0, exact=False, call_frame=18
)
DEEPSEEK = Scheme("deepseek", {"": 1, "assistant": 2, "system": 0}, apart="", begin=1, priming=1)
GLM = Scheme("glm", {"": 1}, prefix="\n", apart="", begin=2, priming=1, exact=False)
KIMI = Scheme("kimi", {"": 3}, system=KIMI_SYSTEM, exact=False)
PHI = Scheme("phi", {"": 3})
UNKNOWN = Scheme("unknown", {"": 4}, exact=False, call_frame=12)
"""For a model with an unknown template: 4 special tokens and the role, since most templates have 3 to 5.

A call is an object with the name and the arguments, between two special tokens: 12 to 16 tokens in 7 vocabularies."""

_BY_MODEL = (
    ("gpt-oss", HARMONY),
    ("gpt-3.5-turbo-0301", OPENAI_0301),
    *((name, OPENAI) for name in ("gpt-4o", "chatgpt-4o")),
    *((name, OPENAI_LATER) for name in ("gpt-4.", "gpt-5", "gpt-6", "o1", "o3", "o4", "codex", "gpt-realtime")),
    *((name, OPENAI_CL100K) for name in ("gpt-4", "gpt-3.5")),
    *((name, ANTHROPIC) for name in ("claude", "opus", "sonnet", "haiku")),
    ("gemini", GEMINI),
    ("gemma", GEMMA),
    *((name, LLAMA31) for name in ("llama-3.", "llama3.", "llama-3-1", "meta-llama-3.")),
    *((name, QWEN2) for name in ("qwen2.5", "qwen-2.5", "qwq")),
    *((name, LLAMA3) for name in ("llama-3", "llama3", "meta-llama-3")),
)
"""Schemes by prefix of the model's name; a longer prefix comes before a shorter one that it includes."""
_BY_VOCABULARY = {
    "o200k": OPENAI,
    "cl100k": OPENAI_CL100K,
    "claude": ANTHROPIC,
    "gemini": GEMINI,
    "qwen3": CHATML,
    "llama3": LLAMA3,
    "gemma2": GEMMA,
    "gemma3": GEMMA,
    "gemma4": GEMMA,
    "mistral_v3": MISTRAL,
    "mistral_v1": MISTRAL,
    "deepseek_v3": DEEPSEEK,
    "glm4": GLM,
    "kimi_k2": KIMI,
    "phi4": PHI,
}
_BY_TEMPLATE = (
    ("phi", PHI, "<|im_sep|>"),
    ("kimi", KIMI, "<|im_middle|>"),
    ("qwen2", QWEN2, QWEN_SYSTEM),
    ("chatml", CHATML, "<|im_start|>"),
    ("llama3", LLAMA3, "<|start_header_id|>"),
    ("gemma", GEMMA, "<start_of_turn>"),
    ("glm", GLM, "[gMASK]"),
    ("deepseek", DEEPSEEK, "<｜User｜>"),
    ("mistral", MISTRAL, "[INST]"),
)
"""Schemes with the text by which a chat template is known; the first that the template contains."""
_BY_PROVIDER = {"anthropic": ANTHROPIC, "google": GEMINI}


def find_scheme(model: str, vocabulary: Vocabulary, provider: str = "") -> Scheme:
    """Return the scheme of a model by its name, otherwise by its vocabulary.

    If neither was named, pass the format's ``provider``: its scheme is used then.
    """
    plain = model.lower().rpartition("/")[2]
    if provider in _BY_PROVIDER:
        return _BY_PROVIDER[provider]
    by_name = next((scheme for start, scheme in _BY_MODEL if plain.startswith(start)), None)
    for name, scheme, _ in _BY_TEMPLATE:
        if name == vocabulary.template:  # a template of this form, which may say more
            return scheme._replace(exact=False)
    return by_name or _BY_VOCABULARY.get(vocabulary.name, UNKNOWN)


def name_template(template: str) -> str:
    """Return the name of the scheme whose marks are in a chat template, "" if there is none."""
    return next((name for name, _, mark in _BY_TEMPLATE if mark in template), "")
