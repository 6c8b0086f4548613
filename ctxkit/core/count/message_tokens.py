"""The token counts of one message: its parts, images and unread files in it, and the template around it.

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
from math import ceil, sqrt
from typing import Literal, NamedTuple

from ctxkit.core.chat.model.message import ChatMessage, MediaType, MessagePart
from ctxkit.core.count.amount import Amount, TextCounter, exact_amount, guessed_amount, sum_amounts
from ctxkit.core.text.lines import find_largest
from ctxkit.core.tokens.vocabulary import Vocabulary

ENCRYPTION_BYTES = 650
"""Bytes that encryption adds to reasoning; the rest has 4 bytes per token (Codex CLI's own estimate)."""
_ENCRYPTED_TOKEN_BYTES = 4
"""Bytes of encrypted text per token: at most as many tokens as plain text of that size has."""


class MediaTokens(NamedTuple):
    """The tokens of a kind of file: bytes per token, and tokens if only a reference is known.

    ``bytes`` are for the fewest, the usual and the most tokens.
    """

    bytes: tuple[float, float, float]
    by_reference: Amount


MEDIA_TOKENS: dict[MediaType, MediaTokens] = {
    # A page of 50 KB has 2,000 tokens; scanned pages are larger, pages of text without fonts smaller.
    "document": MediaTokens((1_000, 25, 6.25), Amount(258, 2_250, 22_500)),
    # 16 KB of MP3 a second; from 176 KB (CD) to 4 KB (Opus). By reference a second, a minute, ten minutes.
    "audio": MediaTokens((17_600, 640, 125), Amount(10, 1_920, 19_200)),
    # 2 Mbit a second; from 10 Mbit at low resolution (100 tokens a second) to 100 kbit.
    "video": MediaTokens((12_500, 833, 42), Amount(100, 18_000, 180_000)),
}
_TILES = (
    *(((name), (85, 170)) for name in ("gpt-4.1", "gpt-4.5", "gpt-4-turbo")),
    ("gpt-4o-mini", (2833, 5667)),
    ("gpt-4o", (85, 170)),
    *(((name), (75, 150)) for name in ("o1", "o3")),
    ("gpt-5", (70, 140)),
)
"""Tokens of an image at low detail and of each tile, by prefix of the model's name."""
_PATCHES = (
    *((name, 1.62) for name in ("gpt-4.1-mini", "gpt-5-mini")),
    *((name, 2.46) for name in ("gpt-4.1-nano", "gpt-5-nano")),
    ("o4-mini", 1.72),
)
"""Tokens of a patch by prefix of the model's name; these models use no tiles."""
_MOST_PATCHES = 1536
_HIGH_RESOLUTION = (
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-fable",
    "claude-mythos",
)
"""Models of the high resolution tier, by prefix of their names."""
_TYPICAL_SIZES = ((1024, 1024), (256, 256), (1920, 1080), (2048, 768))
"""Sizes in pixels of an image of unknown size: a usual one, a small one, a screenshot, and one of the most tiles."""
Component = Literal[
    "system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"
]
COMPONENTS: tuple[Component, ...] = (
    *("system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"),
)
SYSTEM = ("system", "developer")
_ASSISTANT = ("assistant", "model", "ai")
_RESULT_FRAME = 8
"""Maximum tokens of the frame around a result, included in the overhead of a separate message; a guess."""
_DOCUMENTED = ("openai", "anthropic", "gemini")


class MessageTokens(NamedTuple):
    """The token counts of one message by component; ``has_results`` marks a message with tool results."""

    role: str
    name: str
    costs: tuple[tuple[Component, Amount], ...]
    has_results: bool = False

    @property
    def amount(self) -> Amount:
        """Return the token count of the whole message."""
        if len(self.costs) == 1:
            return self.costs[0][1]
        return sum_amounts(amount for _, amount in self.costs)


Definitions = Literal["openai", "anthropic", "json"]
"""The method for counting tool definitions."""


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


class MessageCounter:
    """A counter of messages for one model, with its scheme, vocabulary and name."""

    def __init__(self, scheme: Scheme, counter: TextCounter, model: str = "") -> None:
        self.scheme = scheme
        self.text_counter = counter
        self.model = model

    def count_message(self, message: ChatMessage) -> MessageTokens:
        """Return the token counts of a message."""
        role = self.scheme.roles.get(message.role, message.role)
        prefix = self.scheme.prefix.replace("{role}", role)
        around = self._count_frame(message, role, prefix)
        costs: list[tuple[Component, Amount]] = [("overhead", around if self.scheme.exact else guessed_amount(around))]
        for index, part in enumerate(message.parts):
            costs.append(
                (_choose_component(part, message.role), self._count_part(part, prefix if not index else "", index))
            )
        name = message.name or next((part.name for part in message.parts if part.name), "")
        return MessageTokens(message.role, name, tuple(costs), bool(message.answers))

    def _count_frame(self, message: ChatMessage, role: str, prefix: str) -> Amount:
        specials = self.scheme.specials
        total = exact_amount(specials.get(message.role, specials[""])).plus(self.text_counter.count_word(prefix))
        total = total.plus(self.text_counter.count_word(self.scheme.apart.replace("{role}", role)))
        if message.name and self.scheme.name_tokens:
            total = total.plus(self.text_counter.count_word(message.name)).plus(exact_amount(self.scheme.name_tokens))
        return total

    def _count_part(self, part: MessagePart, prefix: str, index: int) -> Amount:
        """Return the token count of a part; only a first text part is exact."""
        if part.kind == "image":
            if not part.size:
                return guessed_amount(estimate_image(part.detail, self.scheme.name, self.model))
            tokens = exact_amount(count_image(part.size, part.detail, self.scheme.name, self.model))
            return tokens if self.scheme.name in _DOCUMENTED else guessed_amount(tokens)
        if part.encrypted_size or part.media:
            return estimate_unread(part)
        if part.kind == "text":
            words = self._count_words(part.text, prefix)
            return _widen_amount(words) if index else words
        if part.kind == "call":
            return guessed_amount(
                self.text_counter.count_word(part.name)
                .plus(self.text_counter.count(part.text))
                .plus(exact_amount(self.scheme.call_frame))
            )
        if part.kind == "result":
            frame = self.scheme.result_frame
            return self.text_counter.count(part.text).plus(Amount(0, frame, frame + _RESULT_FRAME))
        return guessed_amount(self.text_counter.count(part.text))

    def _count_words(self, text: str, prefix: str) -> Amount:
        """Return the token count of a text after a prefix, whose last token it may join."""
        text = text.strip() if self.scheme.trimmed else text
        if not prefix or not self.text_counter.vocabulary.exact:
            return self.text_counter.count(text)
        return exact_amount(self.text_counter.count(prefix + text).tokens - self.text_counter.count_word(prefix).tokens)


def _choose_component(part: MessagePart, role: str) -> Component:
    kinds: dict[str, Component] = {"call": "calls", "result": "results", "image": "images"}
    if part.kind != "text":
        return kinds.get(part.kind) or ("thinking" if part.kind == "thinking" else "other")
    if role in SYSTEM:
        return "system"
    return "assistant" if role in _ASSISTANT else "user"


def _widen_amount(words: Amount) -> Amount:
    """Return a token count widened by one, because a text may join the last token before it."""
    return Amount(max(words.low - 1, 0), words.tokens, words.high + 1)


def estimate_unread(part: MessagePart) -> Amount:
    """Return the estimated tokens of a part that has no text: a file by its size, or encrypted content."""
    size = part.encrypted_size * 3 // 4  # base64
    if part.media and part.media != "image":
        media = MEDIA_TOKENS[part.media]
        if not size:
            return media.by_reference
        low, tokens, high = media.bytes
        return Amount(int(size / low), ceil(size / tokens), ceil(size / high))
    if part.kind == "thinking":
        return guessed_amount(exact_amount(max(size - ENCRYPTION_BYTES, 0) // _ENCRYPTED_TOKEN_BYTES))
    tokens = size // _ENCRYPTED_TOKEN_BYTES
    return Amount(tokens // 4, tokens, ceil(tokens * 1.25))


def estimate_image(detail: str, scheme: str, model: str = "") -> Amount:
    """Return the token count of an image of unknown size, from a small one to a large one."""
    usual, *others = (count_image(size, detail, scheme, model) for size in _TYPICAL_SIZES)
    return Amount(min(usual, *others), usual, max(usual, *others))


def count_image(size: tuple[int, int], detail: str, scheme: str, model: str = "") -> int:
    """Return the token count of an image of a size in pixels by scheme and model."""
    plain = model.lower().rpartition("/")[2]
    if scheme == "anthropic":
        return _count_anthropic(*size, sharp=plain.startswith(_HIGH_RESOLUTION))
    if scheme == "gemini":
        return _count_gemini(*size)
    factor = next((factor for name, factor in _PATCHES if plain.startswith(name)), None)
    return _count_patches(*size, factor) if factor else _count_tiles(*size, detail, plain)


def _tile_costs(model: str) -> tuple[int, int]:
    return next((costs for name, costs in _TILES if model.startswith(name)), (85, 170))


def _count_tiles(width: int, height: int, detail: str, model: str) -> int:
    """Return the tokens of an image scaled to 2048 pixels, then to a short side of 768, in tiles of 512."""
    base, tile = _tile_costs(model)
    if detail == "low":
        return base
    counter = min(1.0, 2048 / max(width, height))
    counter *= min(1.0, 768 / (min(width, height) * counter))
    return base + tile * ceil(round(width * counter) / 512) * ceil(round(height * counter) / 512)


def _count_patches(width: int, height: int, factor: float) -> int:
    """Return the tokens of an image in patches of 32 pixels, scaled down to at most 1,536 whole patches."""
    patches = ceil(width / 32) * ceil(height / 32)
    if patches > _MOST_PATCHES:
        shrink = sqrt(32 * 32 * _MOST_PATCHES / (width * height))
        wide, high = width * shrink / 32, height * shrink / 32
        shrink *= min(int(wide) / wide if wide >= 1 else 1, int(high) / high if high >= 1 else 1)
        patches = min(ceil(int(width * shrink) / 32) * ceil(int(height * shrink) / 32), _MOST_PATCHES)
    return ceil(patches * factor)


def _count_anthropic(width: int, height: int, *, sharp: bool) -> int:
    """Return the patches of 28 pixels of the image, scaled down to the two limits of the tier."""
    edge, most = (2576, 4784) if sharp else (1568, 1568)
    long, short = max(width, height), min(width, height)
    if long <= edge and ceil(long / 28) * ceil(short / 28) <= most:
        return ceil(long / 28) * ceil(short / 28)


    def count_patches(scaled: int) -> int:
        """Return the patches of an image whose long side is scaled to a number of pixels."""
        return ceil(scaled / 28) * ceil(max(round(scaled * short / long), 1) / 28)

    return find_largest(1, min(long, edge), count_patches, lambda patches: patches <= most) or 1


def _count_gemini(width: int, height: int) -> int:
    return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)


_LLAMA_DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
_KIMI_SYSTEM = "You are Kimi, an AI assistant created by Moonshot AI."
QWEN_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."


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
LLAMA31 = LLAMA3._replace(preface=_LLAMA_DATES, exact=False)
_GEMMA = Scheme("gemma", {"": 2}, "{role}\n", "\n", roles=_MODEL, begin=1, priming=3, trimmed=True)
_MISTRAL = Scheme(
    "mistral", {"": 2, "assistant": 1, "system": 0}, apart="", begin=1, priming=0, exact=False, call_frame=18
)
_DEEPSEEK = Scheme("deepseek", {"": 1, "assistant": 2, "system": 0}, apart="", begin=1, priming=1)
_GLM = Scheme("glm", {"": 1}, prefix="\n", apart="", begin=2, priming=1, exact=False)
KIMI = Scheme("kimi", {"": 3}, system=_KIMI_SYSTEM, exact=False)
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
    ("gemma", _GEMMA),
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
    "gemma2": _GEMMA,
    "gemma3": _GEMMA,
    "gemma4": _GEMMA,
    "mistral_v3": _MISTRAL,
    "mistral_v1": _MISTRAL,
    "deepseek_v3": _DEEPSEEK,
    "glm4": _GLM,
    "kimi_k2": KIMI,
    "phi4": PHI,
}
_BY_TEMPLATE = (
    ("phi", PHI, "<|im_sep|>"),
    ("kimi", KIMI, "<|im_middle|>"),
    ("qwen2", QWEN2, QWEN_SYSTEM),
    ("chatml", CHATML, "<|im_start|>"),
    ("llama3", LLAMA3, "<|start_header_id|>"),
    ("gemma", _GEMMA, "<start_of_turn>"),
    ("glm", _GLM, "[gMASK]"),
    ("deepseek", _DEEPSEEK, "<｜User｜>"),
    ("mistral", _MISTRAL, "[INST]"),
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
