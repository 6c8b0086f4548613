"""The conditions of requests to one model, and the boundaries of conversations that were compacted."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import takewhile
from json import dumps, loads
from math import inf
from time import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import orjson

from ctxkit.app.services import engines
from ctxkit.core.chat.editing import EditableFormat, ValuePatch, dump_json, patch_text
from ctxkit.core.chat.model.json_fields import get_number, get_object
from ctxkit.core.chat.model.message import RecordResult
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.compact.services import TokenCounter, make_token_counter
from ctxkit.core.count.conversation import count_entries
from ctxkit.core.errors import CtxkitError
from ctxkit.core.proxy.model_apis import MIN_MESSAGES, Boundary
from ctxkit.core.summary.frame import is_instruction
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import skip_blanks
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.turn.steps import TurnThresholds, make_thresholds
from ctxkit.edge import say, user_dirs
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.system.own_files import open_own_folder, read_file, remove_older, replace_file, touch_file

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.proxy.model_apis import ModelApi

_CAP_SHARE = 4
"""A tool result may take this part of what the prompt and the tools leave of the window before a map replaces it."""
_MOST_COUNTS = 20_000
"""Texts and messages whose tokens are remembered, about 2 MB."""
_ENVELOPE = 16
"""Tokens around the messages of a request: what opens the answer, and the beginning of the conversation."""
_MIN_CAP = 256
"""Tokens that a result may take in any case: a map of any use is that large."""
_MOST_FIXED = 8
"""Messages at the beginning of a conversation that may be instructions."""
_HEAD_TEXTS = ("instructions", "system")
"""Members of a request that may contain the system prompt as a text."""
_HEAD = (*_HEAD_TEXTS, "systemInstruction", "system_instruction", "tools")
"""Members of a request that stand before its conversation in a prompt."""
Value = TypeVar("Value")


class ClientRequest(NamedTuple):
    """A request of a client: its API, its path, its bytes, and their value once they are parsed."""

    api: ModelApi
    path: str
    body: bytes
    value: dict[str, JsonValue] | None = None

    @property
    def members(self) -> dict[str, JsonValue]:
        """The value of a request that was parsed."""
        assert self.value is not None
        return self.value


class MessageCost(NamedTuple):
    """The most tokens of a message, and those of its longest result; one above the offload size has no end.

    A message that ``is_fixed`` has instructions, which no compaction changes.
    """

    tokens: int
    longest_result: float
    is_fixed: bool


class RecentValues(OrderedDict[bytes, Value]):
    """A table that forgets its oldest entries."""

    def __init__(self, most: int = _MOST_COUNTS) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: bytes, value: Value) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            self.popitem(last=False)


class Conditions:
    """The budget and the counter of requests to one model in one format.

    A counter holds the conversation that it counts: each request has its own.
    """

    def __init__(self, request: CliRequest, settings: Settings, format_: EditableFormat) -> None:
        self.request, self.format = request, format_
        self.budget: Budget = request.budget(settings)._replace(used=0)
        self._offload_bytes: int = settings["result_offload_threshold"]
        options = engines.make_count_options(request, settings)
        self.count_options = options._replace(count=_remember(options.count))
        self._costs: RecentValues[MessageCost] = RecentValues()
        self._heads: RecentValues[int] = RecentValues(100)
        self.maps: RecentValues[str] = RecentValues(200)
        self.short_tools: RecentValues[str] = RecentValues(20)

    def make_counter(self) -> TokenCounter:
        """Return a counter for one request."""
        return make_token_counter(self.count_options, self.format)

    def make_thresholds(self, fixed: int) -> TurnThresholds:
        """Return the tokens from which each step is due beside ``fixed`` ones, which no step changes."""
        return make_thresholds(self.budget, None, fixed)

    def find_cap(self, fixed: int) -> int:
        """Return the most tokens of a result beside ``fixed`` ones."""
        return self.request.limit or max((self.budget.effective - fixed) // _CAP_SHARE, _MIN_CAP)

    def measure_fixed(self, request: dict[str, JsonValue], member: str, digests: Sequence[bytes]) -> int:
        """Return the most tokens of the system prompt and the tools, which are the same in all requests of an agent."""
        costs = self._find_costs(request[member][:_MOST_FIXED], digests[:_MOST_FIXED], member)
        fixed = takewhile(lambda cost: cost is not None and cost.is_fixed, costs)
        return self._count_head(request, member) + sum(cost.tokens for cost in fixed if cost)

    def measure_fitting(
        self, request: dict[str, JsonValue], member: str, digests: Sequence[bytes], fixed: int
    ) -> int | None:
        """Return the most tokens of a request that needs nothing, None for another.

        Such a request is below the trigger, and none of its results is above the cap.
        """
        costs, cap = self._find_costs(request[member], digests, member), self.find_cap(fixed)
        if any(cost is None or cost.longest_result > cap for cost in costs):
            return None
        total = _ENVELOPE + self._count_head(request, member) + sum(cost.tokens for cost in costs if cost)
        return total if total < self.make_thresholds(fixed).compact else None

    def _find_costs(
        self, messages: Sequence[JsonValue], digests: Sequence[bytes], member: str
    ) -> list[MessageCost | None]:
        """Return the costs of messages, None for one that cannot be read."""
        new = [number for number, digest in enumerate(digests) if digest not in self._costs]
        if new:
            self._measure([messages[number] for number in new], [digests[number] for number in new], member)
        return [self._costs.get(digest) for digest in digests]

    def _measure(self, messages: Sequence[JsonValue], digests: Sequence[bytes], member: str) -> None:
        """Remember the costs of messages, which are parsed apart from their request."""
        data = dump_json({member: messages}).encode("utf-8", "surrogatepass")
        transcript = parse_transcript(data, "the request", self.format)
        if len(transcript.records) != len(messages):
            return
        counter = self.make_counter()
        for digest, record in zip(digests, transcript.records, strict=True):
            longest = max((self._measure_result(result, counter) for result in record.results), default=0)
            self._costs[digest] = MessageCost(counter.count_record(record), longest, is_instruction(record))

    def _measure_result(self, result: RecordResult, counter: TokenCounter) -> float:
        """Return the tokens of a result that a map may replace, 0 for another."""
        if not result.plain:
            return 0
        is_offloaded = 0 < self._offload_bytes < len(result.text.encode("utf-8", "surrogatepass"))
        return inf if is_offloaded else counter.count_text(result.text)

    def _count_head(self, request: dict[str, JsonValue], member: str) -> int:
        """Return the most tokens of the system prompt and the tools."""
        head = {key: value for key, value in request.items() if isinstance(value, dict | list) or key in _HEAD_TEXTS}
        head[member] = []
        key = blake2b(dump_value(head), digest_size=16).digest()
        if key not in self._heads:
            try:
                entries = list(self.format.read_entries(head))
            except ValueError:
                entries = []
            self._heads[key] = count_entries(entries, self.format, self.count_options, self.make_counter()).amount.high
        return self._heads[key]


def hash_head(request: dict[str, JsonValue]) -> str:
    """Return a name for the system prompt and the tools of a request."""
    return blake2b(dump_value([request.get(name) for name in _HEAD]), digest_size=16).hexdigest()


def _remember(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return a tokenizer that counts each of the last texts once."""
    counts: RecentValues[int] = RecentValues()

    def count_text(text: str) -> int:
        """Return the tokens of a text."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        tokens = counts.get(key)
        if tokens is None:
            tokens = counts[key] = count(text)
        return tokens

    return count_text


def make_conditions(
    candidates: Sequence[CliRequest], settings: Settings, format_: EditableFormat
) -> Conditions | None:
    """Return the conditions of the first of several requests whose model and tokenizer are usable.

    Return None if its window is unknown. The last one is what the user typed.
    """
    for request in candidates[:-1]:
        try:
            return Conditions(request, settings, format_) if request.known_window(settings) else None
        except CtxkitError:
            continue
    request = candidates[-1]
    return Conditions(request, settings, format_) if request.known_window(settings) else None


def dump_value(value: JsonValue) -> bytes:
    """Return a value as JSON for its hash, whatever numbers and characters it contains."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return repr(value).encode("utf-8", "surrogatepass")


def lower_output_limit(api: ModelApi, transcript: Transcript, left: int) -> bytes:
    """Return a request whose answer may take what is ``left`` of the window, if the client asks for more."""
    text = transcript.text
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    value = engines.parse_json(transcript.encode(text)) if api.output_limits else {}
    patches = [ValuePatch((member,), left) for member in find_high_limits(api, value, left)]
    return transcript.encode(text[:start] + patch_text(text, start, patches) if patches else text)


def find_high_limits(api: ModelApi, request: dict[str, JsonValue], left: int) -> list[str]:
    """Return the members of a request that ask for more than is ``left``, which must be above the limit of thinking."""
    least = get_number(get_object(request, "thinking"), "budget_tokens")
    return [member for member in api.output_limits if get_number(request, member) > left > least]


FOLDER = "proxy"
LIFETIME = 7 * 86_400.0
"""Seconds after its last use for which a boundary is kept, as long as stored content."""
_CLEANING_SECONDS = 3_600.0
MOST_IN_MEMORY, _MAX_BYTES = 32, 64 << 20
"""Boundaries that are kept in memory, and bytes of the longest that is read."""


class Boundaries:
    """Boundaries by the name of the prefix that they replace: in files of this user, or in memory alone."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._kept: OrderedDict[str, Boundary] = OrderedDict()
        self._cleaned_at = 0.0

    def find(self, prefixes: Sequence[str], least: int = MIN_MESSAGES) -> Boundary:
        """Return the boundary of the longest prefix of ``least`` messages or more, an empty one if none has one."""
        names = self._list_names()
        for number in range(len(prefixes), least - 1, -1):
            name = prefixes[number - 1]
            boundary = self._kept.get(name) or (self._read(name, number) if name in names else None)
            if boundary is not None:
                self._keep(name, boundary)
                return boundary
        return Boundary(0, ())

    def save(self, prefixes: Sequence[str], boundary: Boundary) -> None:
        """Keep a boundary; if it cannot be written, warn, and keep it in memory."""
        name = prefixes[boundary.covered - 1]
        self._keep(name, boundary)
        if not self._directory:
            return
        try:
            with open_own_folder(self._path, 1, make=True) as folder:
                replace_file(folder, name, dumps(boundary.entries).encode("ascii"))
                if time() - self._cleaned_at > _CLEANING_SECONDS:
                    self._cleaned_at = time()
                    remove_older(folder, LIFETIME)
        except OSError as error:
            say.warn(f"a compaction is kept in memory alone: {error.strerror}: {error.filename}")

    @property
    def _path(self) -> str:
        return os.path.join(self._directory, FOLDER)

    def _list_names(self) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self._path)) if self._directory else frozenset()
        except OSError:
            return frozenset()

    def _read(self, name: str, covered: int) -> Boundary | None:
        """Return a boundary from its file, None if it cannot be read."""
        try:
            with open_own_folder(self._path, 1) as folder:
                value = loads(read_file(folder, name, _MAX_BYTES))
                touch_file(folder, name)
            if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
                raise ValueError("it is not a list of texts")
            return Boundary(covered, tuple(value))
        except (OSError, ValueError) as error:
            say.warn(f"a compaction cannot be read, and is done again: {error}")
            return None

    def _keep(self, name: str, boundary: Boundary) -> None:
        self._kept[name] = boundary
        self._kept.move_to_end(name)
        while len(self._kept) > MOST_IN_MEMORY:
            self._kept.popitem(last=False)


def open_boundaries(settings: Settings, *, stores: bool) -> Boundaries:
    """Return the boundaries below the cache directory; in memory if nothing may be stored.

    A compacted message may quote output that ``never_store`` names.
    """
    directory = str(settings["cache_dir"] or user_dirs.cache_dir())
    is_kept = stores and not settings["never_store"] and os.path.isabs(directory)
    return Boundaries(directory if is_kept else "")
