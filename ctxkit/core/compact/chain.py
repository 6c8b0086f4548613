"""Compacting a conversation that is due: stage after stage until it is small enough, each proved or undone."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.invariants import Breach, breaches, kept
from ctxkit.core.chat.path import active
from ctxkit.core.chat.repair import repaired
from ctxkit.core.chat.rewrite import Change, rewritten
from ctxkit.core.chat.transcript import Transcript, transcript_of
from ctxkit.core.compact.change import Unseated, change_of, leaving, written
from ctxkit.core.compact.clear import clear
from ctxkit.core.compact.draft import Case, Draft, case_of
from ctxkit.core.compact.due import Means
from ctxkit.core.compact.outcome import Outcome, Ran, Result, Size, Stored
from ctxkit.core.compact.policy import PROGRESS, Stage
from ctxkit.core.compact.prompt_cache import pays, rewrite_of
from ctxkit.core.compact.seating import seat_of
from ctxkit.core.compact.summarize import page_of, summarize
from ctxkit.core.compact.truncate import truncate
from ctxkit.core.ref import short


class Version(NamedTuple):
    """Hold a conversation as it is after some stages."""

    draft: Draft
    transcript: Transcript
    size: int


def compact(case: Case, data: bytes, before: Size, means: Means, leaf: str) -> Outcome:
    """Compact a conversation that is due, which ``data`` holds and which takes ``before``."""
    means.begin(before.amount.tokens, before.messages)
    case, origin, repairs = _mended(case, leaf)
    ref = short(sha256(data).hexdigest()) if means.stores else ""
    version, ran = _chained(case, means, ref, leaf)
    if version.draft.empty:
        return _stayed(case, data, before, ran)
    if version.size > case.policy.effective:
        return _refused(case, version, data, before, ran)
    outcome = _made(version, case, data, before, means, ref)._replace(ran=ran, origin=origin)
    # What passes as it came was not repaired.
    return outcome._replace(repairs=repairs) if outcome.result == "compacted" else outcome


def _mended(case: Case, leaf: str) -> tuple[Case, tuple[int | None, ...], tuple[str, ...]]:
    """Return the conversation without what was broken, where its entries stood before, and what was done."""
    transcript = case.transcript
    repair = repaired(transcript, [record.at for record in case.path])
    if not repair.done:
        return case, tuple(range(len(transcript.records))), ()
    data = transcript.encoded(rewritten(transcript, repair.change))
    mended = transcript_of(data, "the repaired conversation", transcript.format, skip_bad=bool(transcript.bad))
    found = case_of(mended, case.balance, case.policy, leaf)
    return found, _origin(transcript, repair.change), repair.done


def _origin(transcript: Transcript, change: Change) -> tuple[int | None, ...]:
    """Return where each entry of a changed conversation stood before, None for a new one."""
    found: list[int | None] = []
    for at in range(len(transcript.records) + 1):
        found += [None] * len(change.inserted.get(at, ()))
        if at < len(transcript.records) and at not in change.dropped:
            found.append(at)
    return tuple(found)


def _chained(case: Case, means: Means, ref: str, leaf: str) -> tuple[Version, tuple[Ran, ...]]:
    """Run the stages in order until the goal is reached; one that brings too little, or breaks anything, is undone."""
    version = Version(Draft(), case.transcript, case.total)
    wrong = Counter(_keys(breaches(case.transcript, [record.at for record in case.path])))
    ran: list[Ran] = []
    for stage in case.policy.stages:
        forced = case.policy.force and stage != "truncate"
        if version.size <= case.policy.goal and not forced:
            break
        draft = _staged(case, version.draft, stage, means, ref)
        if draft == version.draft:
            continue
        tried, undone = _tried(case, version, draft, wrong, leaf)
        ran.append(Ran(stage, version.size, tried.size, undone))
        version = version if undone else tried
    return version, tuple(ran)


def _staged(case: Case, draft: Draft, stage: Stage, means: Means, ref: str) -> Draft:
    if stage == "clear":
        return clear(case, draft, stores=means.stores)
    if stage == "summarize":
        return summarize(case, draft, means.write, ref, means.memo)
    return truncate(case, draft, stores=means.stores)


def _tried(case: Case, version: Version, draft: Draft, wrong: Counter[object], leaf: str) -> tuple[Version, str]:
    """Return the conversation after a stage, and why it must be undone, empty where it need not."""
    try:
        made = written(case, change_of(case, draft))
        if not _whole(case, draft, made):  # a summary may name what it kept by its place in the file
            draft = draft._replace(lean=False)
            made = written(case, change_of(case, draft))
    except Unseated:
        return version, "the API would take the summary nowhere"
    size = case.balance.sum(made).amount.high
    if not _whole(case, draft, made):
        return version, "what is left would not be what is sent"
    tried = Version(draft, made, size)
    saved = version.size - size
    marks = (case.policy.effective, case.policy.bearable)
    fits = any(size <= mark < version.size for mark in marks)
    if saved <= 0 or (saved < PROGRESS * version.size and not fits):
        return tried, f"it saves less than {PROGRESS:.0%}"
    new = Counter(_keys(breaches(made))) - wrong
    if new:
        return tried, f"it breaks a rule: {next(iter(breaches(made))).message}"
    if lost := kept(case.transcript, made, leaf):
        return tried, f"it breaks a rule: {lost[0].message}"
    if missing := [pin for pin in case.policy.pins if not holds(made, pin) and holds(case.transcript, pin)]:
        return tried, f"a pin is gone: {missing[0][:60]}"
    return tried, ""


def _whole(case: Case, draft: Draft, made: Transcript) -> bool:
    """Tell whether the messages that are sent after a change are those that it leaves, and the summary."""
    gone = leaving(case, draft)
    seat = seat_of(case, gone) if draft.page else None
    stay = sum(record.at not in gone for record in case.path)
    return len(active(made)) == stay + bool(seat and seat.into is None)


def _keys(found: Sequence[Breach]) -> list[object]:
    return [(breach.rule, breach.ids) for breach in found]


def holds(transcript: Transcript, pin: str) -> bool:
    """Tell whether a text occurs verbatim in what a model reads of a conversation."""
    records = [transcript.records[at] for at in active(transcript)]
    texts = (part.text for record in records for message in record.messages for part in message.parts)
    heads = (part.text for entry in transcript.head for part in getattr(entry, "parts", ()))
    return any(pin in text for text in (*texts, *heads))


def _stayed(case: Case, data: bytes, before: Size, ran: tuple[Ran, ...]) -> Outcome:
    small = case.total <= case.policy.effective
    reason = "there is nothing to be gained" if small else _why(case, case.total)
    result: Result = "unchanged" if small else "refused"
    return Outcome(result, data, reason, before, before, case, ran=ran, beside=case.policy.beside)


def _refused(case: Case, version: Version, data: bytes, before: Size, ran: tuple[Ran, ...]) -> Outcome:
    reason = _why(case, version.size)
    return Outcome("refused", data, reason, before, before, case, ran=ran, beside=case.policy.beside)


def _why(case: Case, least: int) -> str:
    """Return why a conversation does not fit."""
    policy = case.policy
    system = case.fixed + sum(case.balance.cost(record) for record in case.path if record.role == "system")
    room = f"{policy.effective:,} tokens are there for it"
    if system > policy.effective:
        return f"system messages and tools alone take {system:,} tokens, and {room}"
    return f"what always stays takes {least:,} tokens, {system:,} of them system messages and tools, and {room}"


def _made(version: Version, case: Case, data: bytes, before: Size, means: Means, ref: str) -> Outcome:
    """Return the outcome of a compaction that fits, or of one that would not pay."""
    made = version.transcript
    content = made.encoded(made.text)
    places = active(made)
    rewrite = rewrite_of(
        [case.transcript.raw(record) for record in case.path],
        [made.raw(made.records[at]) for at in places],
        [case.balance.cost(made.records[at]) for at in places],
        version.size,
        case.fixed,
    )
    due = case.total < case.policy.blocked_from
    if due and not case.policy.force and not pays(case.total, version.size, rewrite, case.policy):
        reason = f"rewriting {rewrite.written:,} cached tokens does not pay over {case.policy.turns} turns"
        return Outcome("unchanged", data, reason, before, before, case, rewrite=rewrite, beside=case.policy.beside)
    draft = version.draft
    page = draft.page
    if page is None and means.page:
        page = page_of(case, 0, means.write, ref, means.memo, 0)
    after = Size(case.balance.sum(made).amount, len(places), len(content))
    stored = _stored(data, draft) if means.stores else ()
    return Outcome(
        *("compacted", content, "", before, after, case, draft),
        left=leaving(case, draft),
        transcript=made,
        written=page.written if page else None,
        rewrite=rewrite,
        stored=stored,
        beside=case.policy.beside,
    )


def _stored(data: bytes, draft: Draft) -> tuple[Stored, ...]:
    """Return what has to be stored: the whole as it was, and each text that was shortened in what stays."""
    found = {edit.ref: Stored(edit.ref, edit.stored, edit.tool, edit.call) for _, edit in draft.edits()}
    whole = sha256(data).hexdigest()
    return (Stored(whole, data), *(one for ref, one in found.items() if ref != whole))
