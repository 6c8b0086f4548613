"""Run a compaction: read the conversation, write the result, save its artifacts and report it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.chat.reading.format_names import is_empty_conversation
from ctxkit.core.errors import CtxkitError, Exit, UsageError
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.json_value import fits_memory
from ctxkit.core.text.limits import EDITABLE, PARSED, WorkerDiedError
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import atomic_file, conversations, events, out, say, source
from ctxkit.edge.compact_options import CompactOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.manifest import RemovedRange
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.store.store_interface import Store
    from ctxkit.edge.compact_options import CompactionServices
    from ctxkit.edge.request import Call


class CompactionJob(NamedTuple):
    """The options of a compaction, the call of its command, its services, and facts to report."""

    options: CompactOptions
    call: Call
    services: CompactionServices
    facts: Mapping[str, int]

    @property
    def name(self) -> str:
        """Return the name of the conversation."""
        return source.name_of(self.options.file)


class SourceText(NamedTuple):
    """A conversation and the bytes that it was read from."""

    transcript: Transcript
    data: bytes


class CompactionLog:
    """Appends the events of a compaction to a file, if there is one."""

    def __init__(self, path: str, name: str, call_facts: Mapping[str, str]) -> None:
        self._path = path
        self._common_facts: dict[str, Any] = {"name": name, **call_facts}
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
                ref = {"ref": shorten_ref(edit.ref)} if outcome.stored else {}
                saved = {"saved": edit.gain, "reason": edit.reason}
                events.record(self._path, "tool_output_truncated", {**self._common_facts, **call_facts, **saved, **ref})
        events.record(self._path, "context_compaction_end", {**self._common_facts, **facts})


def compact_conversation(
    job: CompactionJob,
    data: bytes,
    original: Callable[[], Iterable[bytes]],
    make_count_options: Callable[[], CountOptions],
) -> tuple[Exit, str]:
    """Compact a conversation and write it; return the exit status, and the ref of the stored original.

    If the compaction fails or changes nothing, write the ``original``, of which ``data`` may be a part; with a warning
    if it fails, unless strict.
    """
    policy, session = job.options.make_policy(job.call), job.call.request.session
    if is_empty_conversation(data):
        out.write(original())
        return Exit.DONE, ""
    source_text = SourceText(_parse_input(data, job.options), data)
    count_options = make_count_options()
    if session:
        policy = job.services.apply_marks(policy, source_text.transcript, session)
    log = _make_log(job)
    try:
        outcome = _compact(job, source_text, policy, count_options, log)
        _save_outcome(outcome, source_text, job)
    except (UsageError, KeyboardInterrupt):
        raise
    except Exception as error:
        if job.call.is_strict:
            raise
        say.warn(f"the conversation passes unchanged: {describe_error(error)}")
        out.write(original())
        return Exit.DONE, ""
    out.write((outcome.content,) if outcome.result == "compacted" else original())
    if outcome.result == "compacted" and session:
        job.services.record_compaction(outcome, session, _count_method(outcome, count_options))
    if outcome.storable is not None:
        say.inform("output of commands that never_store names is neither stored nor summarized")
    _report_outcome(outcome, policy, job, log, _count_method(outcome, count_options))
    return Exit.NO if outcome.result == "refused" else Exit.DONE, outcome.stored[0].ref if outcome.stored else ""


def _save_outcome(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
    """Store what a compaction removed, and write its files; a run that changed nothing has only a manifest."""
    if outcome.result == "compacted":
        if outcome.storable is not None:
            source_text = SourceText(outcome.storable, outcome.storable.encode(outcome.storable.text))
        _save_artifacts(outcome, source_text, job)
    elif job.options.manifest and not conversations.is_large_session(job.options.file):
        _save_unchanged_manifest(outcome, source_text, job)


def _parse_input(data: bytes, compaction_options: CompactOptions) -> Transcript:
    """Return the conversation in ``data``; warn of lines that are left out."""
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    _warn_of_kept_entries(transcript, compaction_options)
    return transcript


def _make_log(job: CompactionJob) -> CompactionLog:
    """Return the log of a compaction, which writes nothing without a file for events."""
    return CompactionLog(job.call.events_file, source.name_of(job.options.file), job.call.describe())


def pass_unchanged(original: Iterable[bytes], error: WorkerDiedError, *, strict: bool) -> Exit:
    """Write a conversation unchanged after its worker process died; raise WorkerDiedError if ``strict``."""
    if strict:
        raise WorkerDiedError(f"the conversation is not compacted: {error}", hint=error.hint)
    if error.delivered:
        say.warn(f"the conversation is compacted, but the records of that may be lost: {error}")
        return Exit.DONE
    say.warn(f"the conversation passes unchanged: {error}")
    out.write(original)
    return Exit.DONE


def fits_in_memory(stream: PeekableStream, data: bytes) -> bool:
    """Return whether a conversation fits in memory; ``data`` is its beginning, at most ``EDITABLE`` bytes."""
    return stream.size <= EDITABLE and fits_memory(data, PARSED)


def pass_oversized(
    original: Iterable[bytes], size: int, compaction_options: CompactOptions, *, strict: bool
) -> Exit:
    """Write a conversation unchanged of which at least ``size`` bytes are too large for memory.

    Raise MalformedInputError if ``strict``.
    """
    error = conversations.too_large_error(source.name_of(compaction_options.file) or "stdin")
    if strict:
        raise error
    reason = str(error) if size > EDITABLE else "it holds more values than fit in memory"
    say.warn(f"the conversation passes unchanged: {reason}")
    out.write(original)
    return Exit.DONE


def _compact(
    job: CompactionJob,
    source_text: SourceText,
    policy: CompactionPolicy,
    count_options: CountOptions,
    log: CompactionLog,
) -> CompactionOutcome:
    from ctxkit.core.compact.services import CompactionContext, make_token_counter
    from ctxkit.core.compact.trigger import compact_if_due

    (transcript, data), options, services = source_text, job.options, job.services
    token_counter = make_token_counter(count_options, transcript.format)
    prior_page = atomic_file.read(options.context_md) if options.context_md else ""
    context = CompactionContext(
        token_counter,
        services.write,
        services.store is not None,
        prior_page,
        bool(options.context_md),
        log.record_start,
        services.is_unstored,
    )
    try:
        return compact_if_due(transcript, data, policy, context, options.leaf)
    except KeyError as error:
        if not options.leaf or error.args[:1] != (options.leaf,):
            raise
        raise _leaf_error(options.leaf) from None


def check_conversation(compaction_options: CompactOptions) -> Exit:
    """Print the violations of a conversation, one per line; return 1 if there are any."""
    from ctxkit.core.chat.branches import find_active_path
    from ctxkit.core.chat.validity.invariants import find_breaches
    from ctxkit.core.chat.validity.request_limits import find_limit_breaches

    data = conversations.read_session(compaction_options.file)
    if is_empty_conversation(data):
        return Exit.DONE
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    _warn_of_kept_entries(transcript, compaction_options)
    try:
        path = find_active_path(transcript, compaction_options.leaf)
    except KeyError:
        raise _leaf_error(compaction_options.leaf) from None
    breaches = (*find_breaches(transcript, path), *find_limit_breaches(transcript, path))
    violations = sorted(breaches, key=lambda violation: violation.at)
    name = source.name_of(compaction_options.file)
    if compaction_options.as_json:
        out.write(encode_json({**violation._asdict(), "ids": list(violation.ids)}) for violation in violations)
    else:
        out.write_listing(
            "".join(
                f"{name}:{violation.line}: {violation.rule}: {escape_line(violation.message)}\n"
                for violation in violations
            )
        )
    return Exit.NO if violations else Exit.DONE


def restore_conversation(manifest: str, file: str, parse: Callable[[bytes], Any], store: Callable[[], Store]) -> Exit:
    """Write a conversation as it was before a compaction, using its manifest.

    Raise MalformedInputError if ``file`` is named, and is not what the compaction wrote.
    """
    from ctxkit.core.compact.manifest import is_content_of, is_output, read_original
    from ctxkit.core.compact.manifest import restore_original as restore_original
    from ctxkit.core.errors import MalformedInputError

    name = source.name_of(manifest)
    try:
        value = parse(conversations.read_bytes(manifest))
    except ValueError as error:
        raise MalformedInputError(
            f"{name}: it is not JSON: {error}", hint="compact --manifest FILE writes one"
        ) from None
    original = read_original(value, name)
    if file not in ("", "-"):
        data = conversations.read_bytes(file)
        if not is_output(value, data):
            raise MalformedInputError(
                f"{source.name_of(file)}: it is not what the compaction of {name} wrote",
                hint="without FILE, the original is written",
            )
        if is_content_of(original, data):
            out.write((data,))
            return Exit.DONE
    pieces = list(restore_original(original, store(), name))
    out.write(pieces)
    warn_of_unstored(pieces)
    return Exit.DONE


def warn_of_unstored(pieces: Iterable[bytes]) -> None:
    """Warn if restored content has placeholders for output that was not stored."""
    from ctxkit.core.compact.trigger import has_placeholder

    if any(map(has_placeholder, pieces)):
        say.warn("output of commands that never_store names was not stored: placeholders replace it")


def _warn_of_kept_entries(transcript: Transcript, compaction_options: CompactOptions) -> None:
    """Warn of unreadable lines and unknown messages; raise UsageError for a branch in a format without branches."""
    if transcript.bad:
        many, stay = pluralize(len(transcript.bad), "line"), "stays" if len(transcript.bad) == 1 else "stay"
        say.warn(f"{many} cannot be read and {stay} unchanged, first line {transcript.bad[0]:,}")
    unknown = [record.line for record in transcript.records if record.is_unknown]
    if unknown:
        many = pluralize(len(unknown), "message")
        say.warn(f"{many} of a type that ctxkit does not know, kept unchanged, first line {unknown[0]:,}")
    if compaction_options.leaf and transcript.format.LINEAR:
        raise _leaf_error(compaction_options.leaf)


def _leaf_error(leaf: str) -> UsageError:
    """Return the error of --leaf with an unknown id."""
    return UsageError(
        f"--leaf: there is no entry {leaf}", hint="it takes the id of an entry, if the format has branches"
    )


def _save_artifacts(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
    """Store the removed content, then write the files that refer to it."""
    options, services = job.options, job.services
    if services.store is not None:
        from ctxkit.core.compact.outcome import store_removed

        title = title_of(f"conversation {job.name}")
        store_removed(outcome, services.store(), title, job.call.request.session or "")
    if options.manifest:
        from ctxkit.core.compact.manifest import build_manifest

        _write_manifest(options.manifest, build_manifest(outcome, *source_text, job.name), services)
    if options.context_md and outcome.summary is not None:
        from ctxkit.core.summary.template import render_page

        atomic_file.write(options.context_md, render_page(outcome.summary.page).encode("utf-8", "replace"))


def _save_unchanged_manifest(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
    """Write the manifest of a run that changed nothing, over one of an earlier run."""
    from ctxkit.core.compact.manifest import build_unchanged_manifest

    manifest = build_unchanged_manifest(outcome.before, *source_text, job.name)
    _write_manifest(job.options.manifest or "", manifest, job.services)


def _write_manifest(file: str, manifest: dict[str, Any], services: CompactionServices) -> None:
    from ctxkit.core.compact.manifest import refs_of

    atomic_file.write(file, encode_json(manifest, pretty=True))
    services.hold(file, refs_of(manifest))


def encode_json(value: Any, *, pretty: bool = False, ascii_only: bool = False) -> bytes:
    """Return a value as a line of JSON."""
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=1 if pretty else None)
    return text.encode("utf-8", "replace") + b"\n"


def _count_method(outcome: CompactionOutcome, count_options: CountOptions) -> str:
    """Return how the result was counted: exact or estimate."""
    from ctxkit.core.count.conversation import method_of

    return method_of(outcome.after.amount, count_options)


def describe_error(error: Exception) -> str:
    """Return an error in words, with its type if it is a bug."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason if isinstance(error, CtxkitError | OSError) else f"{type(error).__name__}: {reason}"


def _report_outcome(
    outcome: CompactionOutcome, policy: CompactionPolicy, job: CompactionJob, log: CompactionLog, method: str
) -> None:
    """Report the result on stderr, in the report file and in the events."""
    from ctxkit.core.compact.outcome import build_report

    options = job.options
    report = {**build_report(outcome, policy, method), **job.facts}
    if options.context_md:
        report["context_md"] = outcome.result == "compacted" and outcome.summary is not None
    removals = _list_removals(outcome) if options.explain else []
    log.record_end(outcome, report)
    if options.explain:
        report["explanation"] = [removal.to_object() for removal in removals]
    if options.report:
        atomic_file.write(options.report, encode_json(report))
    if options.as_json and sys.stderr is not None:
        say.write(encode_json(report, ascii_only=True).decode().rstrip("\n"))
    else:
        _say_outcome(outcome, report, removals, was_forced=policy.force)
    if options.context_md and outcome.summary is None and not options.as_json:
        say.inform(f"{options.context_md} is not written: nothing was compacted")


def _say_outcome(
    outcome: CompactionOutcome, report: dict[str, Any], removals: Iterable[RemovedRange], *, was_forced: bool
) -> None:
    """Say what became of a conversation, and what was removed."""
    if outcome.result == "refused":
        say.error(f"it does not fit: {outcome.reason}", "use a larger --window, or keep fewer messages")
    elif outcome.result == "unchanged" and not (outcome.stage_reports or was_forced):
        from ctxkit.core.compact.outcome import report_lines

        say.note(next(iter(report_lines(outcome, report))))
    else:
        for line in _format_lines(outcome, report):
            say.inform(line)
        for removal in removals:
            say.inform(f"  {removal}")


def _list_removals(outcome: CompactionOutcome) -> list[RemovedRange]:
    from ctxkit.core.compact.manifest import explain_outcome

    return list(explain_outcome(outcome))


def _format_lines(outcome: CompactionOutcome, report: dict[str, Any]) -> Iterable[str]:
    """Return the report as a table on a terminal, otherwise as lines."""
    from ctxkit.core.compact.outcome import report_lines, report_table

    is_table = outcome.result == "compacted" and sys.stderr is not None and sys.stderr.isatty()
    return report_table(outcome, report) if is_table else report_lines(outcome, report)
