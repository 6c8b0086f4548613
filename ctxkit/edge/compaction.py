"""Carrying out a compaction: from what is asked for to the conversation on stdout, and what is said and kept of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.escapes import escape_line
from ctxkit.core.exit import Exit
from ctxkit.core.held import HeldBack
from ctxkit.core.isolation import WorkerDied
from ctxkit.core.json_memory import fits_memory
from ctxkit.core.label import Label, title_of
from ctxkit.core.limits import EDITABLE, PARSED
from ctxkit.core.measure import plural
from ctxkit.core.trouble import Misuse, Trouble
from ctxkit.edge import conversations, events, out, say, source, whole
from ctxkit.edge.demand import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ctxkit.core.chat.transcript import Transcript
    from ctxkit.core.compact.outcome import Outcome
    from ctxkit.core.compact.policy import Policy
    from ctxkit.core.compact.writing import Write
    from ctxkit.core.count.order import Order
    from ctxkit.core.store import Store
    from ctxkit.edge.request import Request
    from ctxkit.edge.settings import Settings


LISTS = ("messages", "input", "contents", "history", "conversations")
"""Where the messages of a request stand."""
EMPTY = 1 << 20
"""Bytes within which a request without messages is recognized."""


class Shop(NamedTuple):
    """Hand a compaction what others supply: a store or none, a writer of pages, who notes what was kept or settled."""

    store: Callable[[], Store] | None
    write: Write
    hold: Callable[[str, Iterable[str]], None]
    settle: Callable[[Outcome, str, str], None]


def perform(
    wanted: Wanted,
    data: bytes,
    asked: Request,
    settings: Settings,
    order: Callable[[], Order],
    shop: Shop,
    facts: Mapping[str, int],
) -> tuple[Exit, str]:
    """Compact a conversation and write it; return the answer, and the ref of the original where it was stored.

    What fails inside lets the conversation pass as it is, with a warning, unless it is strict. The report has the
    ``facts`` too.
    """
    policy = wanted.policy(asked, settings)
    if _says_nothing(data):
        out.write((data,))
        return Exit.DONE, ""
    transcript = conversations.parsed(data, wanted.file, wanted.format_name, skip_bad=wanted.skip_bad)
    _warn(transcript, wanted)
    counted = order()
    strict = asked.strict or settings["strict"]
    log = Log(asked.events or settings["events"], source.name_of(wanted.file), asked.session or "")
    try:
        outcome = _compacted(wanted, transcript, data, policy, counted, shop, log)
        if outcome.result == "compacted":
            _keep(outcome, transcript, data, wanted, asked, shop)
    except (Misuse, KeyboardInterrupt):
        raise
    except Exception as error:
        if strict:
            raise
        say.warn(f"the conversation passes as it is: {_reason(error)}")
        out.write((data,))
        return Exit.DONE, ""
    out.write((outcome.content,))
    if outcome.result == "compacted" and asked.session:
        shop.settle(outcome, asked.session, _method(outcome, counted))
    _tell(outcome, policy, wanted, log, _method(outcome, counted), facts)
    return Exit.NO if outcome.result == "refused" else Exit.DONE, outcome.stored[0].ref if outcome.stored else ""


def unchanged(data: bytes, error: WorkerDied, *, strict: bool) -> Exit:
    """Write a conversation as it is where the process that compacts it died; a strict call raises why."""
    if strict:
        raise WorkerDied(f"the conversation is not compacted: {error}", hint=error.hint)
    if error.delivered:
        say.warn(f"the conversation is compacted, but what was to be noted of that may be lost: {error}")
        return Exit.DONE
    say.warn(f"the conversation passes as it is: {error}")
    out.write((data,))
    return Exit.DONE
def fits(held: HeldBack, data: bytes) -> bool:
    """Tell whether a conversation can be held as values; ``data`` is its beginning, of EDITABLE bytes at most."""
    return held.size <= EDITABLE and fits_memory(data, PARSED)


def pass_whole(held: HeldBack, wanted: Wanted, *, strict: bool) -> Exit:
    """Let a conversation pass that is too large to be held as values."""
    trouble = conversations.too_large(source.name_of(wanted.file) or "stdin")
    if strict:
        raise trouble
    reason = str(trouble) if held.size > EDITABLE else "it holds more values than fit in memory"
    say.warn(f"the conversation passes as it is: {reason}")
    out.write(held.everything())
    return Exit.DONE


def _says_nothing(data: bytes) -> bool:
    """Tell whether a conversation has not begun: no format can be told from it, and nothing is there to compact."""
    if not data.strip():
        return True
    if len(data) > EMPTY or b"[" not in data:
        return False
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # what is nested too deep is told of where it is read
        return False
    return value == [] or (isinstance(value, dict) and any(value.get(key) == [] for key in LISTS))


def _compacted(
    wanted: Wanted,
    transcript: Transcript,
    data: bytes,
    policy: Policy,
    counted: Order,
    shop: Shop,
    log: Log,
) -> Outcome:
    from ctxkit.core.compact.balance import Balance
    from ctxkit.core.compact.due import Means, compacted

    provider = "" if counted.named else transcript.format.PROVIDER
    balance = Balance(counted.vocabulary, counted.count, counted.model, provider)
    memo = whole.read(wanted.context_md) if wanted.context_md else ""
    means = Means(balance, shop.write, shop.store is not None, memo, bool(wanted.context_md), log.started)
    try:
        return compacted(transcript, data, policy, means, wanted.leaf)
    except KeyError as error:
        if not wanted.leaf or error.args[:1] != (wanted.leaf,):
            raise
        raise _leafless(wanted.leaf) from None


def _warn(transcript: Transcript, wanted: Wanted) -> None:
    """Say what cannot be read, and refuse to look for a branch where there are none."""
    if transcript.bad:
        many = plural(len(transcript.bad), "line")
        say.warn(f"kept as they are: {many} that cannot be read, the first of them line {transcript.bad[0]:,}")
    if wanted.leaf and transcript.format.LINEAR:
        raise _leafless(wanted.leaf)


def _leafless(leaf: str) -> Misuse:
    return Misuse(f"--leaf: there is no entry {leaf}", hint="it takes an entry's id, where there are branches")


def _keep(
    outcome: Outcome, transcript: Transcript, data: bytes, wanted: Wanted, asked: Request, shop: Shop
) -> None:
    """Store what leaves, then write the files that lead back to it."""
    if shop.store is not None:
        from ctxkit.core.store import keep

        store, name = shop.store(), title_of(f"conversation {source.name_of(wanted.file)}")
        for one in outcome.stored:
            keep(store, (one.data,), Label(name, one.tool, one.call, asked.session or ""))
    if wanted.manifest:
        from ctxkit.core.compact.manifest import manifest_of, refs_of

        manifest = manifest_of(outcome, transcript, data, source.name_of(wanted.file))
        whole.write(wanted.manifest, _json(manifest, pretty=True))
        shop.hold(wanted.manifest, refs_of(manifest))
    if wanted.context_md and outcome.written is not None:
        from ctxkit.core.context.template import render

        whole.write(wanted.context_md, render(outcome.written.context).encode("utf-8", "replace"))


def _json(value: Any, *, pretty: bool = False, ascii_only: bool = False) -> bytes:
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=1 if pretty else None)
    return text.encode("utf-8", "replace") + b"\n"


def _method(outcome: Outcome, order: Order) -> str:
    from ctxkit.core.count.conversation import method_of

    return method_of(outcome.after.amount, order)


def _reason(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason if isinstance(error, Trouble | OSError) else f"{type(error).__name__}: {reason}"


def _tell(
    outcome: Outcome, policy: Policy, wanted: Wanted, log: Log, method: str, redacted: Mapping[str, int]
) -> None:
    """Say what was done: on stderr, in the report, in the events."""
    from ctxkit.core.compact.report import facts, lines

    found = {**facts(outcome, policy, method), **redacted}
    log.ended(outcome, found)
    if wanted.report:
        whole.write(wanted.report, _json(found))
    if wanted.as_json and sys.stderr is not None:
        say.write(_json(found, ascii_only=True).decode().rstrip("\n"))
    elif outcome.result == "refused":
        say.error(f"it does not fit: {outcome.reason}", "a larger --window, or less that always stays")
    elif outcome.result == "unchanged" and not outcome.ran:
        say.note(next(iter(lines(outcome, found))))
    else:
        for line in lines(outcome, found):
            say.tell(line)


class Log:
    """Append the events of one compaction to a file, if there is one."""

    def __init__(self, path: str, name: str, session: str) -> None:
        self._path = path
        self._about: dict[str, Any] = {"name": name, **({"session": session} if session else {})}
        self._started = False

    def started(self, tokens: int, messages: int) -> None:
        """Say that a compaction begins."""
        self._started = True
        facts = {**self._about, "tokens": tokens, "messages": messages}
        events.record(self._path, "context_compaction_start", facts)

    def ended(self, outcome: Outcome, facts: dict[str, Any]) -> None:
        """Say which tool results were shortened, and what came of the compaction."""
        if not self._started or not self._path:
            return
        for _, edit in outcome.draft.edits():
            if edit.result:
                about = {"result": edit.how, "tool": edit.tool, "call": edit.call, "bytes": len(edit.stored)}
                ref = {"ref": edit.ref[:12]} if outcome.stored else {}
                saved = {"saved": edit.gain, "reason": edit.reason}
                events.record(self._path, "tool_output_truncated", {**self._about, **about, **saved, **ref})
        events.record(self._path, "context_compaction_end", {**self._about, **facts})


def checked(wanted: Wanted) -> Exit:
    """Print what is wrong with a conversation, a line each; answer 1 where anything is."""
    from ctxkit.core.chat.invariants import breaches
    from ctxkit.core.chat.path import active

    data = conversations.read_whole(wanted.file)
    if _says_nothing(data):
        return Exit.DONE
    transcript = conversations.parsed(data, wanted.file, wanted.format_name, skip_bad=wanted.skip_bad)
    _warn(transcript, wanted)
    try:
        path = active(transcript, wanted.leaf)
    except KeyError:
        raise _leafless(wanted.leaf) from None
    found = breaches(transcript, path)
    name = source.name_of(wanted.file)
    if wanted.as_json:
        out.write(_json({**one._asdict(), "ids": list(one.ids)}) for one in found)
    else:
        out.write_listing("".join(f"{name}:{one.line}: {one.rule}: {escape_line(one.message)}\n" for one in found))
    return Exit.NO if found else Exit.DONE


def restored(manifest: str, parse: Callable[[bytes], Any], store: Callable[[], Store]) -> Exit:
    """Write a conversation as it was before a compaction, as its manifest leads to it."""
    from ctxkit.core.compact.manifest import original_of
    from ctxkit.core.compact.manifest import restored as found
    from ctxkit.core.trouble import Malformed

    name = source.name_of(manifest)
    try:
        value = parse(conversations.read_whole(manifest))
    except ValueError as error:
        raise Malformed(f"{name}: it is not JSON: {error}", hint="compact --manifest FILE writes one") from None
    out.write(found(original_of(value, name), store(), name))
    return Exit.DONE
