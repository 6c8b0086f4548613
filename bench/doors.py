"""The gate inside this process, and a count that is made without ctxkit's core."""

import re
from collections.abc import Iterator
from functools import cache, cached_property
from unicodedata import normalize

from splintr import AnyTokenizer, Tokenizer

from ctxkit.app.services import engines
from ctxkit.core.gate.decision import GateResult, GateServices
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.core.text.worker_interface import call_directly
from ctxkit.core.tokens.vocabulary import Tokenizer as Counter
from ctxkit.core.tokens.vocabulary import Vocabulary
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
CAP = 8_000


class Gate:
    """Gate content as the command does, with its settings, store and parser, the vocabulary loaded once."""

    @cached_property
    def _engines(self) -> GateServices:
        tokenizers: dict[str, Counter] = {}

        def tokenizer(vocabulary: Vocabulary) -> Counter:
            if vocabulary.name not in tokenizers:
                tokenizers[vocabulary.name] = engines.load_tokenizer(vocabulary)
            return tokenizers[vocabulary.name]

        result = engines.gate_services(settings.load())
        return GateServices(tokenizer, result.store, result.parse, call_directly)

    def admit(
        self,
        data: bytes,
        window: int,
        *,
        used: int = 0,
        name: str = "stdin",
        reserve: str | None = None,
        tokenizer: str = VOCABULARY,
        host: HostProfile | None = None,
    ) -> GateResult:
        """Return what the gate decides on ``data`` coming through a pipe; ``host`` sets the limits of an agent host."""
        cli_request = CliRequest(window=window, used=used, reserve=reserve, tokenizer=tokenizer)
        config = settings.load()
        cli_request = apply_host_limits(cli_request, config, host) if host else cli_request
        terms = cli_request.gate_policy(config, name)
        terms = cap_briefing(terms, host) if host else terms
        return gate_content(_pieces(data), terms, self._engines)


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIPE] for at in range(0, len(data), PIPE))


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


def available(window: int, used: int) -> int:
    """Return the room of a window with the reserve it has by default, worked out anew."""
    return max(window - round(window * 0.2) - used, 0)
