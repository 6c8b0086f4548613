"""What a summarizer gets: its input, the chat models that it asks, and the evidence in a conversation."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import dump_value
from ctxkit.core.chat.model.message import Record
from ctxkit.core.tokens.vocabulary import Tokenizer


class SummaryInput(NamedTuple):
    """The input of a summarizer.

    ``records`` are the whole active path, including earlier summaries; ``records[:cut]`` leave the conversation.
    ``earlier_page`` is the earlier CONTEXT.md, empty for none. ``pins`` occur verbatim in the result. ``target`` is the
    maximum size of the rendered page in tokens of ``count``.
    """

    records: tuple[Record, ...]
    cut: int
    earlier_page: str
    pins: tuple[str, ...]
    target: int
    count: Tokenizer


Summarizer = Callable[[SummaryInput], str]
"""Function that returns the filled template; a model may return any text, and raise CtxkitError."""


class ChatModel(NamedTuple):
    """A chat model; ``ask`` returns its answer to a prompt and may raise CtxkitError.

    ``prompt_limit`` is the maximum number of tokens of a prompt, in tokens of ``tokenizer`` if the model has its own.
    ``max_prompts`` limits the prompts for one conversation; 0 means no limit.
    """

    ask: Callable[[str], str]
    prompt_limit: int
    tokenizer: Tokenizer | None = None
    max_prompts: int = 0


_CLAIM = re.compile(
    r"`([^`]+)`|(https?://[^\s)>\]\"']+)"
    r"|((?<![\w.@+-])(?<![\w.@+-]/)(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w-])[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b)"
    r"|((?<!\w)(?:\w*[a-z0-9][A-Z]\w*|\w+_\w+)|(?<![^\W\d])[^\W\d]\w{0,200}+(?:::|\.)\w+(?:\(\))?)"
    r"|(\b[0-9a-f]{7,40}\b|\bv?\d+(?:[.,:]\d+)+[A-Za-z]{1,2}\b|\bv?\d+(?:[.,:]\d+)*\b)"
)
_NUMBER_BEFORE, _NUMBER_AFTER = re.compile(r"\d[.,]?$"), re.compile(r"[.,]?\d")
"""Characters around a number that make it part of a longer one."""
_WORD = re.compile(r"[^\W\d_\u2E80-\U0010FFFF]{3,}|[\u2E80-\U0010FFFF]{2}")
"""A significant word: three letters, or two characters of a script without spaces."""
_MAX_ENDING = 3
"""Letters by which the endings of two forms of a word may differ."""
_SPACES = re.compile(r"\s+")
_ABBREVIATIONS = frozenset(("e.g", "i.e", "etc", "vs", "a.m", "p.m", "and.or"))
_COMMON_NUMBERS = frozenset(("0", "1", "2", "one", "two"))
"""Numbers so common that they need no evidence."""


class Evidence(NamedTuple):
    """The text of a conversation in lower case, with single spaces."""

    text: str

    def can_support(self, line: str) -> bool:
        """Return whether every path, identifier, number and quotation of a line occurs in the conversation."""
        return all(self.has_claim(claim) for claim in find_claims(line))

    def has_any_word(self, line: str) -> bool:
        """Return whether a line shares a word with the conversation; made-up lines share none."""
        words = [word.lower() for word in _WORD.findall(line)]
        return not words or any(word[: max(len(word) - _MAX_ENDING, 3)] in self.text for word in words)

    def has_claim(self, claim: str) -> bool:
        """Return whether the conversation contains a claim verbatim; a number must not be part of a longer one."""
        sought = _SPACES.sub(" ", claim.lower()).strip()
        if not sought[:1].isdigit():
            return sought in self.text or sought.removesuffix("()") in self.text
        at = self.text.find(sought)
        while at >= 0:
            if not (
                _NUMBER_BEFORE.search(self.text, max(at - 2, 0), at) or _NUMBER_AFTER.match(self.text, at + len(sought))
            ):
                return True
            at = self.text.find(sought, at + 1)
        return False


def collect_evidence(summary_input: SummaryInput) -> Evidence:
    """Return the text of a conversation, including the earlier page and the pins."""
    return Evidence(_SPACES.sub(" ", "\n".join(_collect_texts(summary_input)).lower()))


def _collect_texts(summary_input: SummaryInput) -> Iterator[str]:
    yield from collect_record_texts(summary_input.records)
    yield summary_input.earlier_page
    yield from summary_input.pins


def collect_record_texts(records: Iterable[Record]) -> Iterator[str]:
    """Yield all texts of messages: their words, calls and results."""
    for record in records:
        yield record.words
        for call in record.calls:
            yield call.name
            yield from flatten_strings(call.arguments)
        yield from (result.text for result in record.results)


def flatten_strings(value: object) -> Iterator[str]:
    """Yield the keys and values of a call's arguments: text unchanged, other values as JSON."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from flatten_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from flatten_strings(item)
    elif value is not None:
        yield value if isinstance(value, str) else dump_value(value)


def find_claims(line: str) -> Iterator[str]:
    """Yield the verifiable claims of a line: quoted code, URLs, paths, identifiers, numbers."""
    for match in _CLAIM.finditer(line):
        claim = next(group for group in match.groups() if group)
        if claim.lower() not in _ABBREVIATIONS and claim not in _COMMON_NUMBERS:
            yield claim.rstrip(".,;:")
