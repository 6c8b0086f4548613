"""Report a compaction and save its artifacts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.errors import CtxkitError
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.edge import atomic_file, events, say, source
from ctxkit.edge.compact_options import CompactOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.manifest import RemovedRange
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.count.amount import CountOptions
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


def save_artifacts(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
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


def save_unchanged_manifest(outcome: CompactionOutcome, source_text: SourceText, job: CompactionJob) -> None:
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


def count_method(outcome: CompactionOutcome, count_options: CountOptions) -> str:
    """Return how the result was counted: exact or estimate."""
    from ctxkit.core.count.conversation import method_of

    return method_of(outcome.after.amount, count_options)


def describe_error(error: Exception) -> str:
    """Return an error in words, with its type if it is a bug."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason if isinstance(error, CtxkitError | OSError) else f"{type(error).__name__}: {reason}"


def report_outcome(
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
