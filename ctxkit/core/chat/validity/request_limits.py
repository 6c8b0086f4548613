"""The limits of requests that an API answers with status 400, beside the invariants of a conversation.

Sources are the errors of the APIs:

anthropic  "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"; "A maximum of 4 blocks with cache_control may
           be provided"; "final assistant content cannot end with trailing whitespace".
openai     "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40".
responses  "Invalid 'input[5].call_id': string too long. Expected a string with maximum length 64"; "Item 'rs_...' of
           type 'reasoning' was provided without its required following item".
all        "The request body is not valid JSON: no low surrogate in string".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_objects, get_text
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.invariants import Breach, RawBreach, add_lines
from ctxkit.core.text.json_value import SURROGATE, JsonValue
from ctxkit.core.text.positions import decode_value, skip_blanks

_MAYBE_SURROGATE = re.compile("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]")
CACHE_MARK = "cache_control"
SHOWN_LENGTH = 60
"""Maximum characters of an id in a message."""


class RequestLimits(NamedTuple):
    """The limits of one API: the pattern of ids, what is wrong with another id, and the number of cache marks.

    ``trims_answer``: an answer that the model continues does not end in a blank. ``links_reasoning``: reasoning is
    followed by what the model wrote after it.
    """

    ids: re.Pattern[str]
    id_problem: str = "is too long"
    cache_marks: int = 0
    trims_answer: bool = False
    links_reasoning: bool = False


_SIGNS = "has characters other than letters, digits, _ and -"
LIMITS = {
    "anthropic": RequestLimits(re.compile(r"[a-zA-Z0-9_-]+"), _SIGNS, 4, trims_answer=True),
    "openai": RequestLimits(re.compile(r".{0,40}", re.DOTALL)),
    "responses": RequestLimits(re.compile(r".{0,64}", re.DOTALL), links_reasoning=True),
}
"""The limits by the format of requests; sessions of agents are not sent as they are."""


def find_limit_breaches(transcript: Transcript, path: Sequence[int]) -> tuple[Breach, ...]:
    """Return the breaches of limits in the entries of a path, in file order."""
    records = [transcript.records[at] for at in path]
    raw_breaches = [*_check_surrogates(transcript, records)]
    if limits := LIMITS.get(transcript.format.NAME):
        raw_breaches += _check_ids(records, limits)
        raw_breaches += _check_last_answer(records) if limits.trims_answer else ()
        raw_breaches += _check_reasoning(records) if limits.links_reasoning else ()
        raw_breaches += _check_cache_marks(transcript, records, limits.cache_marks) if limits.cache_marks else ()
    return add_lines(transcript, raw_breaches)


def _check_surrogates(transcript: Transcript, records: Sequence[Record]) -> Iterator[RawBreach]:
    for record in records:
        if _MAYBE_SURROGATE.search(transcript.text, record.start, record.end) and _has_surrogate(record.value):
            message = f"a message from the {record.role or 'program'} contains half a surrogate pair or invalid UTF-8"
            yield "surrogate", record.at, (), message


def _has_surrogate(value: JsonValue) -> bool:
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str) and SURROGATE.search(inner):
            return True
        waiting += inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
    return False


def _check_ids(records: Sequence[Record], limits: RequestLimits) -> Iterator[RawBreach]:
    for record in records:
        for id_ in dict.fromkeys((*(call.id for call in record.calls), *(result.id for result in record.results))):
            if id_ and not limits.ids.fullmatch(id_):
                shown = id_ if len(id_) <= SHOWN_LENGTH else f"{id_[:SHOWN_LENGTH]}..."
                yield "id", record.at, (id_,), f"the id {shown} ({len(id_)} characters) {limits.id_problem}"


def _check_last_answer(records: Sequence[Record]) -> Iterator[RawBreach]:
    last = records[-1] if records else None
    if last and last.role == "assistant" and not last.calls and last.words != last.words.rstrip():
        yield "trailing", last.at, (), "the last message is an answer that ends in a blank"


def _check_reasoning(records: Sequence[Record]) -> Iterator[RawBreach]:
    for record, follower in zip_longest(records, records[1:]):
        if record.has_reasoning and (follower is None or follower.role != "assistant"):
            yield "reasoning", record.at, (), "a reasoning item is not followed by what the model wrote after it"


def _check_cache_marks(transcript: Transcript, records: Sequence[Record], most: int) -> Iterator[RawBreach]:
    marks, over = _count_head_marks(transcript), None
    for record in records:
        blocks = get_objects(record.value, "content")
        inner = [block for outer in blocks for block in get_objects(outer, "content")]
        marks += sum(bool(block.get(CACHE_MARK)) for block in (*blocks, *inner))
        over = record if over is None and marks > most else over
    if over:
        yield "cache", over.at, (), f"{marks} blocks have {CACHE_MARK}, and the API accepts {most}"


def _count_head_marks(transcript: Transcript) -> int:
    """Return the cache marks of the system prompt and of the tools in a request."""
    if transcript.syntax != "document":
        return 0
    value, _ = decode_value(transcript.text, skip_blanks(transcript.text, transcript.text.startswith("\ufeff")))
    listed = (*get_objects(value, "system"), *get_objects(value, "tools"))
    whole = value if isinstance(value, dict) and get_text(value.get(CACHE_MARK), "type") else {}
    return sum(bool(block.get(CACHE_MARK)) for block in (*listed, whole))
