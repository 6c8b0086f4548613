"""What one message takes: each of its parts by component, and what its template puts around it."""

from typing import Literal, NamedTuple

from ctxkit.core.chat.message import Message, Part
from ctxkit.core.count import vision
from ctxkit.core.count.amount import NOTHING, Amount, about, exactly
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.scheme import Scheme

Component = Literal[
    "system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"
]
COMPONENTS: tuple[Component, ...] = (
    *("system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"),
)
SYSTEM = ("system", "developer")
ASSISTANT = ("assistant", "model", "ai")
CALL = 3
"""Tokens of the frame around a tool call; a guess."""
RESULT = 8
"""Most tokens of the frame around a result, which a message of its own has already; a guess."""
SEALED = 650
"""Bytes that encryption adds to reasoning, and 4 bytes a token after that (Codex CLI's own estimate)."""
FILE = 25
"""Bytes a token of a file that is no text: a page of PDF takes about 2,000 tokens and 50 KB; a guess."""
_DOCUMENTED = ("openai", "anthropic", "gemini")


class Row(NamedTuple):
    """Hold the tokens of one message by component; ``answers`` tells that it holds results of calls."""

    role: str
    name: str
    costs: tuple[tuple[Component, Amount], ...]
    answers: bool = False

    @property
    def amount(self) -> Amount:
        """Return the tokens of the whole message."""
        total = NOTHING
        for _, amount in self.costs:
            total = total.plus(amount)
        return total


class Scale:
    """Weigh messages for one model: by its scheme, its vocabulary and its name."""

    def __init__(self, scheme: Scheme, meter: Meter, model: str = "") -> None:
        self.scheme = scheme
        self.meter = meter
        self.model = model

    def row(self, message: Message) -> Row:
        """Return what a message takes."""
        role = self.scheme.roles.get(message.role, message.role)
        lead = self.scheme.lead.replace("{role}", role)
        around = self._around(message, role, lead)
        costs: list[tuple[Component, Amount]] = [("overhead", around if self.scheme.exact else about(around))]
        for index, part in enumerate(message.parts):
            costs.append((_component(part, message.role), self._part(part, lead if not index else "", index)))
        name = message.name or next((part.name for part in message.parts if part.name), "")
        return Row(message.role, name, tuple(costs), bool(message.answers))

    def _around(self, message: Message, role: str, lead: str) -> Amount:
        specials = self.scheme.specials
        total = exactly(specials.get(message.role, specials[""])).plus(self.meter.word(lead))
        total = total.plus(self.meter.word(self.scheme.apart.replace("{role}", role)))
        if message.name and self.scheme.named:
            total = total.plus(self.meter.word(message.name)).plus(exactly(self.scheme.named))
        return total

    def _part(self, part: Part, lead: str, index: int) -> Amount:
        """Return the tokens of a part; only words that stand alone in a message are sure."""
        if part.kind == "image":
            tokens = exactly(vision.tokens_of(part.size, part.detail, self.scheme.name, self.model))
            return tokens if part.size and self.scheme.name in _DOCUMENTED else about(tokens)
        if part.sealed:
            return _sealed(part)
        if part.kind == "text":
            words = self._words(part.text, lead)
            return _joined(words) if index else words
        if part.kind == "call":
            return about(self.meter.word(part.name).plus(self.meter.of(part.text)).plus(exactly(CALL)))
        if part.kind == "result":
            return self.meter.of(part.text).plus(Amount(0, 0, RESULT))
        return about(self.meter.of(part.text))

    def _words(self, text: str, lead: str) -> Amount:
        """Return the tokens of a text after the words before it, which some may join."""
        text = text.strip() if self.scheme.trimmed else text
        if not lead or not self.meter.vocabulary.exact:
            return self.meter.of(text)
        return exactly(self.meter.of(lead + text).tokens - self.meter.word(lead).tokens)


def _component(part: Part, role: str) -> Component:
    kinds: dict[str, Component] = {"call": "calls", "result": "results", "image": "images"}
    if part.kind != "text":
        return kinds.get(part.kind) or ("thinking" if part.kind == "thinking" else "other")
    if role in SYSTEM:
        return "system"
    return "assistant" if role in ASSISTANT else "user"


def _joined(words: Amount) -> Amount:
    """Return the tokens of words that may join the last token of those before them."""
    return Amount(max(words.low - 1, 0), words.tokens, words.high + 1)


def _sealed(part: Part) -> Amount:
    size = part.sealed * 3 // 4
    if part.kind == "thinking":
        return about(exactly(max(size - SEALED, 0) // 4))
    tokens = size // FILE
    return Amount(0, tokens, 4 * tokens)
