"""Pass the tool results among new messages through the gate: raw if they fit, else a map of what is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Record, RecordResult
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.compact.stub import is_cleared
from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import gate_content, names_stored_content
from ctxkit.core.redaction.masking import mask_script
from ctxkit.core.store.label import Label, mask_title, title_of
from ctxkit.core.summary.call_kind import classify_call, command_of
from ctxkit.core.summary.outcome import read_wrapped_status
from ctxkit.core.summary.tool_call import find_answers, make_tool_call
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.shell_script import find_focus_comment

SMALL = 256
"""Tokens that a result may take in any case while others wait: a map of any use is that large."""
_BRIEF = 24
"""Tokens of a result that enters as it is in any case: what says that it is stored is longer."""
_MAX_COMMAND = 10_000
"""Characters of a command that are searched for secrets."""
MAX_GATED = 50
"""Results of one turn that are stored and mapped, 10 ms each; further ones enter, and may be compacted."""


class GatedResult(NamedTuple):
    """A result that was replaced or warned of: the id of its call, its tool, and the result of the gate."""

    call: str
    tool: str
    result: GateResult


class EnteredResult(NamedTuple):
    """A result of a call of a tool: its text, the text that enters, and the gate's result unless it is raw."""

    call: str
    tool: str
    original: str
    text: str
    result: GateResult | None


def _log_nothing(_result: EnteredResult) -> None:
    """Log nothing."""


class ResultCall(NamedTuple):
    """The call of a result: the name of its tool, and the command if the tool runs one; empty if unknown."""

    tool: str = ""
    command: str = ""


class ResultPolicy(NamedTuple):
    """How results enter: the gate's policy and services, and the tokens that all of them together may take.

    A result of more than ``offload_bytes`` is stored and mapped though it fits; 0 switches this off. ``count`` returns
    the tokens of a text. ``log`` receives all results of plain text, also those that are raw. ``statuses`` are known
    exit statuses by the ids of calls. ``find_rule`` returns the user's rule for the output of a command.
    ``gate_large_results`` replaces results of more than ``cap`` tokens, unless the output of a call ``passes``.
    ``list_comments`` returns the comments of a command, which may state a focus.
    """

    gate: GatePolicy
    services: GateServices
    room: int
    offload_bytes: int
    count: Callable[[str], int]
    log: Callable[[EnteredResult], None] = _log_nothing
    statuses: Mapping[str, int] = {}
    find_rule: Callable[[str], KindRule | None] = lambda _command: None
    passes: Callable[[ResultCall], bool] = lambda _call: False
    list_comments: Callable[[str], list[str]] = lambda _script: []
    cap: int = 0


class WaitingResults:
    """The room for the results that wait, each of which gets its tokens up to an amount that never grows."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = tokens
        self._by_size = sorted(range(len(tokens)), key=lambda number: tokens[number])
        self._first_waiting = 0
        self._small_sum, self._large = sum(tokens), 0

    def reserve_after(self, number: int, least: int) -> int:
        """Return the room for the results after one, with ``least`` for each that has more; numbers come in order."""
        while self._by_size and self._tokens[self._by_size[-1]] > least:
            large = self._by_size.pop()
            if large >= self._first_waiting:
                self._small_sum -= self._tokens[large]
                self._large += 1
        if self._tokens[number] > least:
            self._large -= 1
        else:
            self._small_sum -= self._tokens[number]
        self._first_waiting = number + 1
        return self._small_sum + self._large * least


class _PlacedResult(NamedTuple):
    record: Record
    result: RecordResult
    call: ResultCall
    tokens: int


def gate_results(
    transcript: Transcript, calls: Sequence[ResultCall], policy: ResultPolicy
) -> tuple[Transcript, list[GatedResult]]:
    """Return new messages whose results passed the gate, and the results that are not raw; each result has a call.

    Results share the room: each leaves a part of it to those after it. Results with pictures pass as they are, and so
    do those after ``MAX_GATED`` that do not.
    """
    placed = list(_find_results(transcript, calls, policy))
    room = policy.room - sum(item.tokens for item in placed if not item.result.plain)
    placed = [item for item in placed if item.result.plain]
    patches: dict[int, list[ValuePatch]] = {}
    gated: list[GatedResult] = []
    waiting = WaitingResults([item.tokens for item in placed])
    for number, item in enumerate(placed):
        least = max(room // (2 * len(placed)), SMALL)
        limit = room - waiting.reserve_after(number, least)
        is_gated = len(gated) < MAX_GATED
        text, result = _gate_result(item, max(limit, 0), policy) if is_gated else (item.result.text, None)
        policy.log(EnteredResult(item.result.id, item.call.tool, item.result.text, text, result))
        room -= policy.count(text)
        if result is not None:
            gated.append(GatedResult(item.result.id, item.call.tool, result))
        if text != item.result.text:
            patches.setdefault(item.record.at, []).extend(_patch_result(transcript, item.result, text))
    return _apply_patches(transcript, patches), gated


def gate_large_results(
    transcript: Transcript,
    calls: Sequence[ResultCall],
    policy: ResultPolicy,
    first: int = 0,
    maps: MutableMapping[bytes, str] | None = None,
) -> tuple[Transcript, list[GatedResult]]:
    """Return a conversation whose results above the cap or ``offload_bytes`` passed the gate, and these results.

    What becomes of a result depends on its call and its text alone, so that each request replaces it by the same bytes.
    Records before ``first`` pass as they are. ``maps`` remembers the texts of earlier requests. Each result has a call.
    """
    maps = {} if maps is None else maps
    patches: dict[int, list[ValuePatch]] = {}
    gated: list[GatedResult] = []
    for item in _find_results(transcript, calls, policy, first):
        data = item.result.text.encode("utf-8", "surrogatepass")
        is_small = item.tokens <= max(policy.cap, _BRIEF) and not _is_offloaded(item.result.text, data, policy)
        if is_small or not item.result.plain or is_cleared(item.result.text) or policy.passes(item.call):
            continue
        key = _make_key(item, policy.cap)
        if key not in maps:
            maps[key], result = _gate_result(item, policy.cap, policy)
            gated += [] if result is None else [GatedResult(item.result.id, item.call.tool, result)]
        if maps[key] != item.result.text:
            patches.setdefault(item.record.at, []).extend(_patch_result(transcript, item.result, maps[key]))
    return _apply_patches(transcript, patches), gated


def _make_key(item: _PlacedResult, cap: int) -> bytes:
    """Return what the map of a result depends on, as a hash."""
    facts = (str(cap), item.call.tool, item.call.command, str(item.result.failed), item.result.text)
    return blake2b("\0".join(facts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _find_results(
    transcript: Transcript, calls: Sequence[ResultCall], policy: ResultPolicy, first: int = 0
) -> Iterator[_PlacedResult]:
    pairs = ((record, result) for record in transcript.records for result in record.results)
    for (record, result), call in zip(pairs, calls, strict=True):
        if not record.encrypted and record.at >= first:
            yield _PlacedResult(record, result, call, policy.count(result.text))


def _gate_result(item: _PlacedResult, limit: int, policy: ResultPolicy) -> tuple[str, GateResult | None]:
    """Return the text that enters, and the gate's result unless the text is simply raw."""
    text, data = item.result.text, item.result.text.encode("utf-8", "surrogatepass")
    if _is_offloaded(text, data, policy):
        limit = min(limit, item.tokens - 1)
    if item.tokens <= max(limit, _BRIEF):
        return text, None
    result = gate_content((data,), _make_policy(item, limit, policy), policy.services)
    content = b"".join(result.content)
    result = result._replace(content=(content,))
    if result.result in ("raw", "tight"):
        return text, result if result.warning else None
    if result.result == "refused":
        return result.warning.strip(), result
    return content.decode("utf-8", "replace"), result


def _is_offloaded(text: str, data: bytes, policy: ResultPolicy) -> bool:
    """Return whether a result is larger than the threshold, and neither a stub nor a map."""
    if not policy.offload_bytes or len(data) <= policy.offload_bytes or policy.services.store is None:
        return False
    return not is_cleared(text) and not names_stored_content(data, policy.services.store)


def _make_policy(item: _PlacedResult, limit: int, policy: ResultPolicy) -> GatePolicy:
    """Return the gate's policy for a result; the used tokens are set so that ``limit`` tokens are left."""
    gate, call = policy.gate, item.call
    name = escape_name(call.tool or "tool result")
    if call.command:
        gate, name = _name_command(gate, call.command, policy), mask_title(mask_script(call.command[:_MAX_COMMAND]))
    failure = describe_failure(call, item.result, policy.statuses)
    return gate._replace(
        budget=gate.budget.with_used(max(gate.budget.effective - policy.room, 0)),
        limit=limit,
        label=Label(name, call.tool, item.result.id, gate.label.session),
        hint=gate.hint._replace(name=name),
        ignore_hard_block=True,
        preface=lambda: failure,
    )


def _name_command(gate: GatePolicy, command: str, policy: ResultPolicy) -> GatePolicy:
    """Return the policy for the output of a command: its title, and the user's rule for it."""
    comment = find_focus_comment(command, policy.list_comments)
    title = title_of(comment.remove_from(command), 80)
    gate = gate._replace(focus=comment.focus or gate.focus)
    rule = policy.find_rule(title)
    if rule is None:
        return gate._replace(briefing_title=title)
    return gate._replace(briefing_title=title, rule=rule, content_type=gate.content_type or rule.content_type)


def _patch_result(transcript: Transcript, result: RecordResult, text: str) -> Iterator[ValuePatch]:
    yield ValuePatch(result.place, transcript.format.make_result_value(result, text))
    yield from (ValuePatch(copy, text) for copy in result.copies)


def _apply_patches(transcript: Transcript, patches: Mapping[int, Sequence[ValuePatch]]) -> Transcript:
    if not patches:
        return transcript
    data = transcript.encode(apply_change(transcript, Change(patches=patches)))
    return parse_transcript(data, "the gated messages", transcript.format)


_STATUS = re.compile(
    r"\W*(?:<(?:returncode|exit_code)>\s*|\[exit: |(?:[a-z]+:? ){0,5}?"
    r"(?:(?:exit|return)[ _-](?:code|status)|(?:exited|finished|failed|completed|terminated) with (?:code|status))"
    r"(?: is)?[:= ]+\(?)(-?\d+)\b",
    re.IGNORECASE,
)
"""A line with which a host states the exit status of a command."""
_FIRST_LINES, _LAST_LINES, _LONGEST = 3, 4, 120
"""Lines at the ends of a result in which hosts state a status, and characters of the longest of them."""


def find_result_calls(earlier: Sequence[Record], records: Sequence[Record]) -> list[ResultCall]:
    """Return the call of each result in ``records``, which follow the ``earlier`` ones, in order."""
    first = sum(len(record.results) for record in earlier)
    calls = [ResultCall(result.name) for record in records for result in record.results]
    for at, call, answer in find_answers((*earlier, *records)):
        if answer is not None and answer[1] >= first:
            tool_call = make_tool_call(at, "", call, answer)
            is_run = classify_call(tool_call) == "run"
            calls[answer[1] - first] = ResultCall(call.name, command_of(tool_call) if is_run else "")
    return calls


def describe_failure(call: ResultCall, result: RecordResult, statuses: Mapping[str, int]) -> str:
    """Return how a failed command ended, in words; "" if it did not fail, or if the call runs no command.

    ``statuses`` are the known ones by the ids of the calls. Otherwise the text of the result tells, else its mark as an
    error, which gives no number.
    """
    status = statuses.get(result.id)
    if status is None and not call.command:
        return ""
    if status is None:
        status = read_status(result.text)
    if status is None:
        return "Exit status not 0: the result is marked as an error" if result.failed else ""
    return f"Exit status {status}" if status else ""


def read_status(text: str) -> int | None:
    """Return the exit status that a host states in a result: around the output, or in its first or last lines.

    >>> read_status("Exit code 2\\nmake: *** [all] Error 2")
    2
    """
    status = read_wrapped_status(text)
    if status is not None:
        return status
    start, end = text[: _FIRST_LINES * _LONGEST].split("\n"), text[-_LAST_LINES * _LONGEST :].rstrip().split("\n")
    for line in (*start[:_FIRST_LINES], *reversed(end[-_LAST_LINES:])):
        if len(line) <= _LONGEST and (match := _STATUS.match(line)):
            return int(match[1])
    return None
