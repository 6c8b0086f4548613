"""Run a compaction: read the conversation, write the result to stdout, save and report it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.chat.reading.format_names import is_empty_conversation
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.text.json_value import fits_memory
from ctxkit.core.text.limits import EDITABLE, PARSED
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.text.worker_interface import WorkerDiedError
from ctxkit.edge import atomic_file, conversations, out, say, source
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.compaction_report import (
    CompactionJob,
    CompactionLog,
    SourceText,
    count_method,
    describe_error,
    report_outcome,
    save_artifacts,
    save_unchanged_manifest,
)
from ctxkit.edge.conversation_check import leaf_error, warn_of_kept_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.count.options import CountOptions


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
        job.services.record_compaction(outcome, session, count_method(outcome, count_options))
    if outcome.storable is not None:
        say.inform("output of commands that never_store names is neither stored nor summarized")
    report_outcome(outcome, policy, job, log, count_method(outcome, count_options))
    return Exit.NO if outcome.result == "refused" else Exit.DONE, outcome.stored[0].ref if outcome.stored else ""


def _save_outcome(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
    """Store what a compaction removed, and write its files; a run that changed nothing has only a manifest."""
    if outcome.result == "compacted":
        if outcome.storable is not None:
            source_text = SourceText(outcome.storable, outcome.storable.encode(outcome.storable.text))
        save_artifacts(outcome, source_text, job)
    elif job.options.manifest and not conversations.is_large_session(job.options.file):
        save_unchanged_manifest(outcome, source_text, job)


def _parse_input(data: bytes, compaction_options: CompactOptions) -> Transcript:
    """Return the conversation in ``data``; warn of lines that are left out."""
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    warn_of_kept_entries(transcript, compaction_options)
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
    from ctxkit.core.compact.context import CompactionContext
    from ctxkit.core.compact.token_counter import make_token_counter
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
        raise leaf_error(options.leaf) from None
