"""Run a compaction: read the conversation, write the result to stdout, save and report it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.store.label import Label, title_of
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.isolation import WorkerDiedError
from ctxkit.core.text.json_memory import fits_memory
from ctxkit.core.text.limits import EDITABLE, PARSED
from ctxkit.core.text.measure import pluralize
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import atomic_file, conversations, events, out, say, source
from ctxkit.edge.compact_options import CompactOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.compact.summary_writer import SummaryWriter
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.store.blobs import Store
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings


LIST_MEMBERS = ("messages", "input", "contents", "history", "conversations")
"""Members that contain the messages of a request."""
EMPTY_BYTES = 1 << 20
"""Maximum bytes in which a request without messages is recognized."""


class CompactionServices(NamedTuple):
    """Services of a compaction: a store (or None), a summary writer, functions that hold refs and record the result."""

    store: Callable[[], Store] | None
    write: SummaryWriter
    hold: Callable[[str, Iterable[str]], None]
    record_compaction: Callable[[CompactionOutcome, str, str], None]


def compact_conversation(
    compaction_options: CompactOptions,
    data: bytes,
    request: CliRequest,
    settings: Settings,
    make_count_options: Callable[[], CountOptions],
    services: CompactionServices,
    facts: Mapping[str, int],
) -> tuple[Exit, str]:
    """Compact a conversation and write it; return the exit status, and the ref of the stored original.

    If the compaction fails, write the conversation unchanged with a warning, unless strict. ``facts`` are added to the
    report.
    """
    policy = compaction_options.make_policy(request, settings)
    if _is_empty_conversation(data):
        out.write((data,))
        return Exit.DONE, ""
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    _warn_of_bad_lines(transcript, compaction_options)
    count_options = make_count_options()
    strict = request.strict or settings["strict"]
    log = CompactionLog(
        request.events or settings["events"], source.name_of(compaction_options.file), request.session or ""
    )
    try:
        outcome = _compact(compaction_options, transcript, data, policy, count_options, services, log)
        if outcome.result == "compacted":
            _save_artifacts(outcome, transcript, data, compaction_options, request, services)
    except (UsageError, KeyboardInterrupt):
        raise
    except Exception as error:
        if strict:
            raise
        say.warn(f"the conversation passes unchanged: {_describe_error(error)}")
        out.write((data,))
        return Exit.DONE, ""
    out.write((outcome.content,))
    if outcome.result == "compacted" and request.session:
        services.record_compaction(outcome, request.session, _count_method(outcome, count_options))
    _report_outcome(outcome, policy, compaction_options, log, _count_method(outcome, count_options), facts)
    return Exit.NO if outcome.result == "refused" else Exit.DONE, outcome.stored[0].ref if outcome.stored else ""


def pass_unchanged(data: bytes, error: WorkerDiedError, *, strict: bool) -> Exit:
    """Write a conversation unchanged after its worker process died; raise WorkerDiedError if ``strict``."""
    if strict:
        raise WorkerDiedError(f"the conversation is not compacted: {error}", hint=error.hint)
    if error.delivered:
        say.warn(f"the conversation is compacted, but the records of that may be lost: {error}")
        return Exit.DONE
    say.warn(f"the conversation passes unchanged: {error}")
    out.write((data,))
    return Exit.DONE


def fits_in_memory(stream: PeekableStream, data: bytes) -> bool:
    """Return whether a conversation fits in memory; ``data`` is its beginning, at most ``EDITABLE`` bytes."""
    return stream.size <= EDITABLE and fits_memory(data, PARSED)


def pass_oversized(stream: PeekableStream, compaction_options: CompactOptions, *, strict: bool) -> Exit:
    """Write a conversation unchanged that is too large for memory; raise MalformedInputError if ``strict``."""
    error = conversations.too_large_error(source.name_of(compaction_options.file) or "stdin")
    if strict:
        raise error
    reason = str(error) if stream.size > EDITABLE else "it holds more values than fit in memory"
    say.warn(f"the conversation passes unchanged: {reason}")
    out.write(stream.drain())
    return Exit.DONE


def _is_empty_conversation(data: bytes) -> bool:
    """Return whether a conversation has no messages yet, so that there is no format and nothing to compact."""
    if not data.strip():
        return True
    if len(data) > EMPTY_BYTES or b"[" not in data:
        return False
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # the parser reports deep nesting later
        return False
    return value == [] or (isinstance(value, dict) and any(value.get(key) == [] for key in LIST_MEMBERS))


def _compact(
    compaction_options: CompactOptions,
    transcript: Transcript,
    data: bytes,
    policy: CompactionPolicy,
    count_options: CountOptions,
    services: CompactionServices,
    log: CompactionLog,
) -> CompactionOutcome:
    from ctxkit.core.compact.context import CompactionContext
    from ctxkit.core.compact.token_counter import TokenCounter
    from ctxkit.core.compact.trigger import compact_if_due

    provider = "" if count_options.is_named else transcript.format.PROVIDER
    token_counter = TokenCounter(count_options.vocabulary, count_options.count, count_options.model, provider)
    prior_page = atomic_file.read(compaction_options.context_md) if compaction_options.context_md else ""
    context = CompactionContext(
        token_counter,
        services.write,
        services.store is not None,
        prior_page,
        bool(compaction_options.context_md),
        log.record_start,
    )
    try:
        return compact_if_due(transcript, data, policy, context, compaction_options.leaf)
    except KeyError as error:
        if not compaction_options.leaf or error.args[:1] != (compaction_options.leaf,):
            raise
        raise _leaf_error(compaction_options.leaf) from None


def _warn_of_bad_lines(transcript: Transcript, compaction_options: CompactOptions) -> None:
    """Warn of unreadable lines; raise UsageError for a branch in a format without branches."""
    if transcript.bad:
        many = pluralize(len(transcript.bad), "line")
        say.warn(f"{many} cannot be read and stay unchanged, first line {transcript.bad[0]:,}")
    if compaction_options.leaf and transcript.format.LINEAR:
        raise _leaf_error(compaction_options.leaf)


def _leaf_error(leaf: str) -> UsageError:
    return UsageError(
        f"--leaf: there is no entry {leaf}", hint="it takes the id of an entry, if the format has branches"
    )


def _save_artifacts(
    outcome: CompactionOutcome,
    transcript: Transcript,
    data: bytes,
    compaction_options: CompactOptions,
    request: CliRequest,
    services: CompactionServices,
) -> None:
    """Store the removed content, then write the files that refer to it."""
    if services.store is not None:
        from ctxkit.core.store.blobs import store_content

        store, name = services.store(), title_of(f"conversation {source.name_of(compaction_options.file)}")
        for removal in outcome.stored:
            store_content(store, (removal.data,), Label(name, removal.tool, removal.call, request.session or ""))
    if compaction_options.manifest:
        from ctxkit.core.compact.manifest import build_manifest, refs_of

        manifest = build_manifest(outcome, transcript, data, source.name_of(compaction_options.file))
        atomic_file.write(compaction_options.manifest, _encode_json(manifest, pretty=True))
        services.hold(compaction_options.manifest, refs_of(manifest))
    if compaction_options.context_md and outcome.summary is not None:
        from ctxkit.core.context.template import render_page

        atomic_file.write(compaction_options.context_md, render_page(outcome.summary.page).encode("utf-8", "replace"))


def _encode_json(value: Any, *, pretty: bool = False, ascii_only: bool = False) -> bytes:
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=1 if pretty else None)
    return text.encode("utf-8", "replace") + b"\n"


def _count_method(outcome: CompactionOutcome, count_options: CountOptions) -> str:
    from ctxkit.core.count.conversation import method_of

    return method_of(outcome.after.amount, count_options)


def _describe_error(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason if isinstance(error, CtxkitError | OSError) else f"{type(error).__name__}: {reason}"


def _report_outcome(
    outcome: CompactionOutcome,
    policy: CompactionPolicy,
    compaction_options: CompactOptions,
    log: CompactionLog,
    method: str,
    redacted: Mapping[str, int],
) -> None:
    """Report the result on stderr, in the report file and in the events."""
    from ctxkit.core.compact.report import build_report, report_lines

    report = {**build_report(outcome, policy, method), **redacted}
    log.record_end(outcome, report)
    if compaction_options.report:
        atomic_file.write(compaction_options.report, _encode_json(report))
    if compaction_options.as_json and sys.stderr is not None:
        say.write(_encode_json(report, ascii_only=True).decode().rstrip("\n"))
    elif outcome.result == "refused":
        say.error(f"it does not fit: {outcome.reason}", "use a larger --window, or keep fewer messages")
    elif outcome.result == "unchanged" and not outcome.stage_reports:
        say.note(next(iter(report_lines(outcome, report))))
    else:
        for line in report_lines(outcome, report):
            say.inform(line)


class CompactionLog:
    """Appends the events of a compaction to a file, if there is one."""

    def __init__(self, path: str, name: str, session: str) -> None:
        self._path = path
        self._common_facts: dict[str, Any] = {"name": name, **({"session": session} if session else {})}
        self._is_started = False

    def record_start(self, tokens: int, messages: int) -> None:
        """Record the start of a compaction."""
        self._is_started = True
        facts = {**self._common_facts, "tokens": tokens, "messages": messages}
        events.record(self._path, "context_compaction_start", facts)

    def record_end(self, outcome: CompactionOutcome, facts: dict[str, Any]) -> None:
        """Record the shortened tool results and the result of the compaction."""
        if not self._is_started or not self._path:
            return
        for _, edit in outcome.plan.edits():
            if edit.is_result:
                call_facts = {"result": edit.kind, "tool": edit.tool, "call": edit.call, "bytes": len(edit.stored)}
                ref = {"ref": edit.ref[:12]} if outcome.stored else {}
                saved = {"saved": edit.gain, "reason": edit.reason}
                events.record(self._path, "tool_output_truncated", {**self._common_facts, **call_facts, **saved, **ref})
        events.record(self._path, "context_compaction_end", {**self._common_facts, **facts})


def check_conversation(compaction_options: CompactOptions) -> Exit:
    """Print the violations of a conversation, one per line; return 1 if there are any."""
    from ctxkit.core.chat.branches.active_path import find_active_path
    from ctxkit.core.chat.validity.invariants import find_breaches

    data = conversations.read_bytes(compaction_options.file)
    if _is_empty_conversation(data):
        return Exit.DONE
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    _warn_of_bad_lines(transcript, compaction_options)
    try:
        path = find_active_path(transcript, compaction_options.leaf)
    except KeyError:
        raise _leaf_error(compaction_options.leaf) from None
    violations = find_breaches(transcript, path)
    name = source.name_of(compaction_options.file)
    if compaction_options.as_json:
        out.write(_encode_json({**violation._asdict(), "ids": list(violation.ids)}) for violation in violations)
    else:
        out.write_listing(
            "".join(
                f"{name}:{violation.line}: {violation.rule}: {escape_line(violation.message)}\n"
                for violation in violations
            )
        )
    return Exit.NO if violations else Exit.DONE


def restore_conversation(manifest: str, parse: Callable[[bytes], Any], store: Callable[[], Store]) -> Exit:
    """Write a conversation as it was before a compaction, using its manifest."""
    from ctxkit.core.compact.manifest import read_original
    from ctxkit.core.compact.manifest import restore_original as restore_original
    from ctxkit.core.errors import MalformedInputError

    name = source.name_of(manifest)
    try:
        value = parse(conversations.read_bytes(manifest))
    except ValueError as error:
        raise MalformedInputError(
            f"{name}: it is not JSON: {error}", hint="compact --manifest FILE writes one"
        ) from None
    out.write(restore_original(read_original(value, name), store(), name))
    return Exit.DONE
