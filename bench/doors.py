"""The gate and maps inside this process, and a count that is made without ctxkit's core."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from hashlib import sha256
from unicodedata import normalize

from splintr import AnyTokenizer, Tokenizer

from ctxkit.app.services import engines
from ctxkit.core.gate.briefing import BriefingServices, make_briefing
from ctxkit.core.gate.briefing_messages import BriefingRequest
from ctxkit.core.gate.decision import GateResult, GateServices
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.vocabulary import Tokenizer as Counter
from ctxkit.core.tokens.vocabulary import Vocabulary, find_vocabulary
from ctxkit.edge import settings
from ctxkit.edge.host_session import apply_host_limits, cap_briefing
from ctxkit.edge.request import CliRequest

VOCABULARY = "qwen3"
WORDS = re.compile(
    r"</?tool_call>|</?tool_response>|</?think>|<\|fim_(?:prefix|middle|suffix|pad)\|>|<\|repo_name\|>|<\|file_sep\|>"
)
"""What Qwen's tokenizer.json adds to its vocabulary and does not mark as special."""
PIPE = 65_536
"""Bytes that a pipe gives at once."""
LONGEST = 12
"""Characters that a token has at most, as far as cutting goes."""


class Gate:
    """Gate content as the command does, with its settings, store and parser, the vocabulary loaded once."""

    @cached_property
    def _engines(self) -> GateServices:
        result = engines.gate_services(settings.load())
        return GateServices(_load_tokenizer, result.store, result.parse, call_directly)

    def admit(self, data: bytes, host: HostProfile) -> GateResult:
        """Return what the gate decides on ``data`` coming through a pipe, under the limits of an agent host."""
        config = settings.load()
        cli_request = apply_host_limits(CliRequest(window=host.window, tokenizer=VOCABULARY), config, host)
        terms = cap_briefing(cli_request.gate_policy(config, "stdin"), host)
        return gate_content(_pieces(data), terms, self._engines)


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIPE] for at in range(0, len(data), PIPE))


def make_map(data: bytes, target: int, content_type: str = "", name: str = "stdin") -> tuple[str, str]:
    """Return the map of content and the name of its kind, which is detected if it is not given; empty if none fits."""
    indexed, ref = lines.lines_from_bytes(data), sha256(data).hexdigest()
    stored = StoredContent(ref, "/cache/x", indexed.read, indexed)
    hint = Hint(PRESETS["ctxkit"], ref[:12], "/cache/x", name)
    request = BriefingRequest(target, name, hint, "" if name == "stdin" else name, content_type)
    briefing = make_briefing(stored, request, _briefing_services()).briefing
    return (briefing.text, briefing.kind) if briefing else ("", "")


def _briefing_services() -> BriefingServices:
    vocabulary = find_vocabulary(VOCABULARY)
    return BriefingServices(vocabulary, _load_tokenizer(vocabulary), engines.find_definitions)


@cache
def _load_tokenizer(vocabulary: Vocabulary) -> Counter:
    return engines.load_tokenizer(vocabulary)


def text_of(data: bytes) -> str:
    """Return content as the text that a model gets."""
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if utf16 else "utf-8", "replace")


def count(text: str, ranks: str = VOCABULARY) -> int:
    """Return the tokens of a text, counted by splintr itself; qwen3's own words such as <think> are one each."""
    encode = _encoder(ranks).encode_ordinary
    if ranks != VOCABULARY:
        return len(encode(text))
    words = WORDS.split(text)
    return len(words) - 1 + sum(len(encode(normalize("NFC", word))) for word in words)


@cache
def _encoder(ranks: str) -> AnyTokenizer:
    return Tokenizer.from_pretrained(ranks)


def cut(rows: Sequence[str], budget: int, *, end: bool) -> Sequence[str]:
    """Return as many whole lines as fit, from the beginning or from the end."""
    low, high = 0, min(len(rows), budget * 3)
    while low < high:
        middle = (low + high + 1) // 2
        text = "\n".join(rows[len(rows) - middle :] if end else rows[:middle])
        fits = len(text) <= budget * LONGEST and count(text) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return rows[len(rows) - low :] if end else rows[:low]
