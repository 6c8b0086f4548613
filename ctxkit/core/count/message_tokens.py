"""The token counts of one message: its parts by component, and its template overhead."""

from typing import Literal, NamedTuple

from ctxkit.core.chat.model.message import ChatMessage, MessagePart
from ctxkit.core.count import vision
from ctxkit.core.count.amount import Amount, exact_amount, guessed_amount, sum_amounts
from ctxkit.core.count.scheme import Scheme
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.count.unread import estimate_unread

Component = Literal[
    "system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"
]
COMPONENTS: tuple[Component, ...] = (
    *("system", "tools", "user", "assistant", "calls", "results", "thinking", "images", "other", "overhead"),
)
SYSTEM = ("system", "developer")
ASSISTANT = ("assistant", "model", "ai")
RESULT_FRAME = 8
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
                return guessed_amount(vision.estimate_image(part.detail, self.scheme.name, self.model))
            tokens = exact_amount(vision.count_image(part.size, part.detail, self.scheme.name, self.model))
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
            return self.text_counter.count(part.text).plus(Amount(0, frame, frame + RESULT_FRAME))
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
    return "assistant" if role in ASSISTANT else "user"


def _widen_amount(words: Amount) -> Amount:
    """Return a token count widened by one, because a text may join the last token before it."""
    return Amount(max(words.low - 1, 0), words.tokens, words.high + 1)
