"""Map the files of a directory, find the lines of content that a focus is about, and write a map."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.brief import Briefing
from ctxkit.core.brief.focus.section import select_passages
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.gate.briefing_messages import BriefingResult
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import mask_title, shorten_ref
from ctxkit.core.store.store_interface import StoredContent, open_as_utf8
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge import out, say, source
from ctxkit.edge.request import Call

if TYPE_CHECKING:
    from ctxkit.core.brief.document import Parser
    from ctxkit.core.brief.focus.terms import Term
    from ctxkit.core.brief.repository.repository_file import RepositoryFile
    from ctxkit.core.brief.repository.repository_map import Repository, RepositoryMap

_BYTES_PER_PATH = 200
"""Bytes of content that take as much time as a path: 100,000 paths take about 5 s."""
SHARED_BYTES = 1 << 17
"""Bytes of source from which processes share it: they take about 70 ms."""


class DirectoryTask(NamedTuple):
    """What is asked of ``brief`` for a directory: its path, the call, and the options.

    ``default_target`` is the size of the map without a window. ``jobs`` is the number of processes that read the
    files, None for one on each core.
    """

    path: str
    call: Call
    target: int | None
    default_target: int
    as_json: bool = False
    explain: bool = False
    jobs: int | None = None


class _SizedMap(NamedTuple):
    """A map, None if not even one line fits, and the target it was made for."""

    map: RepositoryMap | None
    target: int

    def tokens(self) -> int | None:
        """Return the tokens of the map, None if there is none."""
        return self.map.tokens if self.map else None


def brief_directory(task: DirectoryTask) -> Exit:
    """Write the map of a directory, made in a worker process; if that dies, make it without grammars.

    Raise UsageError for options of content.
    """
    if task.call.request.content_type:
        raise UsageError("--type is the type of a file", hint=f"{task.path} is a directory")
    task.call.request.session_name(task.call.settings)
    try:
        return workers.run_in_worker(lambda: _write_map(task, engines.find_definitions))
    except WorkerDiedError as error:
        if error.delivered or task.call.is_strict:
            raise
        say.warn(f"definitions are found by patterns, without grammars: {error}")
        return workers.run_in_worker(lambda: _write_map(task, lambda _data, _language: None))


def _write_map(task: DirectoryTask, parse: Parser) -> Exit:
    """Read the directory, and write its map within the target or within the budget of the session."""
    from ctxkit.core.brief.repository.repository_map import make_repository_map, render_one_line

    settings = task.call.settings
    request, reservation = sessions.open_session(*task.call)
    vocabulary = request.vocabulary(settings)
    count = engines.make_upper_bound(vocabulary)
    reading = _Reading(task, parse)
    repository = reading.read()
    hint, terms = request.resolve_hint(settings, "sed", repository.path), _split_focus(request.focus)

    def make_within(target: int) -> _SizedMap:
        """Return the map within a number of tokens."""
        return _SizedMap(make_repository_map(repository, hint, count, target, terms), target)

    if reservation is not None:
        sized = reservation.make_within_target(task.target, make_within, _SizedMap.tokens)
    else:
        target = request.briefing_target(settings, task.default_target) if task.target is None else task.target
        sized = make_within(target)
    if sized.map is None:
        say.error(explain_small_target(sized.target, render_one_line(repository)))
        return Exit.NO
    _deliver(task, repository, sized, reading.facts(repository))
    _charge(reservation, repository, sized.map, "exact" if vocabulary.exact else "estimate")
    _record_event(task, repository, sized.map)
    return Exit.DONE


def _split_focus(focus: str | None) -> tuple[Term, ...]:
    if not focus:
        return ()
    from ctxkit.core.brief.focus.terms import split_focus

    return split_focus(focus)


class _Reading:
    """Reads the files of a directory; secrets are masked before anything is quoted, if that is on."""

    def __init__(self, task: DirectoryTask, parse: Parser) -> None:
        self._task, self._parse = task, parse
        self._redaction = task.call.request.redaction(task.call.settings)

    def read(self) -> Repository:
        """Return the directory with its files."""
        from ctxkit.core.brief.repository.repository_map import Repository
        from ctxkit.edge.progress import ReadProgress
        from ctxkit.engines.workspace.files import ReadReports, read_repository

        progress = ReadProgress(self._task.path)
        reports = ReadReports(
            lambda number: source.report_read(number * _BYTES_PER_PATH),
            source.report_read,
            progress,
            say.warn,
            partial(workers.answer_items, processes=self._task.jobs, least=SHARED_BYTES),
        )
        try:
            files = read_repository(self._task.path, self._scan, reports)
        finally:
            progress.clear()
        return Repository(_make_title(self._task), _make_prefix(self._task.path), files)

    def _scan(self, path: str, data: bytes) -> RepositoryFile:
        from ctxkit.core.brief.repository.file_scan import scan_file

        redacted = b"".join(self._redaction.apply([data]))
        return scan_file(path, redacted, self._parse)._replace(masked=self._redaction.count)

    def facts(self, repository: Repository) -> dict[str, int]:
        """Return the number of masked secrets as a JSON member; empty if redaction is off."""
        return {"redacted": sum(file.masked for file in repository.files)} if self._redaction.on else {}


def _make_title(task: DirectoryTask) -> str:
    """Return --name, else the path of the directory, or the name of the current one."""
    path = os.path.normpath(task.path)
    name = os.path.basename(os.path.abspath(path)) if path in (".", "..") else path
    return task.call.request.title(name if name.endswith("/") else f"{name}/")


def _make_prefix(path: str) -> str:
    """Return the path of the directory for commands, with a slash at its end; "" for the current directory."""
    plain = os.path.normpath(path)
    return "" if plain == "." else os.path.join(plain, "")


def _deliver(task: DirectoryTask, repository: Repository, sized: _SizedMap, facts: dict[str, int]) -> None:
    """Write the map, or its object."""
    if sized.map is None:
        return
    if task.explain and not task.as_json:
        say.say("kind: repository, confidence 1.00")
        say.say(f"reason: {task.path} is a directory")
    if task.as_json:
        out.write_json({**_make_object(repository, sized.map, sized.target), **facts})
    else:
        out.write_text(sized.map.text)


def _make_object(repository: Repository, repository_map: RepositoryMap, target: int) -> dict[str, object]:
    read = [file for file in repository.files if file.lines]
    return {
        "kind": "repository",
        "files": len(repository.files),
        "bytes": repository.size,
        "definitions": repository.definitions,
        "read": {"files": len(read), "bytes": sum(file.size for file in read)},
        "skipped": repository.count_skipped(),
        "named": {"files": repository_map.named_files, "definitions": repository_map.named_definitions},
        "tokens": repository_map.tokens,
        "target": target,
        "content": repository_map.text,
    }


def _charge(
    reservation: SessionReservation | None, repository: Repository, repository_map: RepositoryMap, method: str
) -> None:
    """Record the map in the ledger of the session."""
    if reservation is None:
        return
    tokens = repository_map.tokens
    is_tight = reservation.budget.is_tight(tokens)
    reservation.record(LedgerEntry(mask_title(repository.title), tokens, method, "briefing", is_tight, ""))


def _record_event(task: DirectoryTask, repository: Repository, repository_map: RepositoryMap) -> None:
    """Record the event of the map, if there is a file of events."""
    path = task.call.events_file
    if not path:
        return
    from ctxkit.edge import events

    facts = {"name": mask_title(repository.title), **task.call.describe(), "kind": "repository"}
    events.record(path, "brief", {**facts, "before_tokens": 0, "after_tokens": repository_map.tokens, "ref": None})


def find_passages(content: StoredContent, focus: str, target: int, call: Call) -> bytes | None:
    """Return the lines that match a focus within a number of tokens, with their numbers.

    Return b"" if no line holds a word of the focus, None if not even one line fits. Raise WorkerDiedError for content
    that takes too much memory or time.
    """
    count = engines.load_tokenizer(call.request.vocabulary(call.settings))
    text = open_as_utf8(content)[1]
    passages = workers.isolate(lambda: select_passages(text, focus, count, target), text.size)
    return None if passages is None else str(passages).encode("utf-8", "replace")


class SizedBriefing(NamedTuple):
    """Hold a map with the target it was made for."""

    result: BriefingResult
    target: int

    def tokens(self) -> int | None:
        """Return the tokens that the map takes at most, None when there is none."""
        return self.result.briefing.tokens if self.result.briefing else None


class BriefingOutput(NamedTuple):
    """A map, its content, the name of the content in the ledger, and further members of the JSON object."""

    sized_briefing: SizedBriefing
    stored: StoredContent
    name: str
    extra_facts: dict[str, int]

    def write(
        self, reservation: SessionReservation | None, count: Callable[[bytes], TokenCount], *, as_json: bool
    ) -> Exit:
        """Write the map, and charge the session."""
        briefing = self.sized_briefing.result.briefing
        if briefing is None:
            say.error(explain_small_target(self.sized_briefing.target, self.sized_briefing.result.envelope))
            return Exit.NO
        if briefing.doubt:
            say.warn(briefing.doubt)
        try:
            self._write_map(briefing, as_json=as_json)
        finally:  # a reader that closed the pipe may have read everything
            if reservation is not None:
                tokens = count(briefing.text.encode("utf-8", "replace"))
                is_tight = reservation.budget.is_tight(tokens.tokens)
                entry = LedgerEntry(self.name, tokens.tokens, tokens.method, "briefing", is_tight, self.stored.ref)
                reservation.record(entry)
        return Exit.DONE

    def _write_map(self, briefing: Briefing, *, as_json: bool) -> None:
        if as_json:
            facts = make_briefing_object(self.sized_briefing.result, briefing, self.stored, self.sized_briefing.target)
            out.write_json({**facts, **self.extra_facts})
            return
        if briefing.explanation:
            for line in _format_explanation(briefing):
                say.say(line)
        out.write_text(briefing.text)


def explain_small_target(target: int, envelope: str) -> str:
    """Return why there is no map; the envelope is the name of the content with its size, and how to read it."""
    return f"a target of {target:,} tokens is too small for a map of {envelope.strip()}"


def record_briefing_event(output: BriefingOutput, call: Call) -> None:
    """Record the event of a map that was written."""
    result = output.sized_briefing.result
    path, briefing = call.events_file, result.briefing
    if not path or briefing is None:
        return
    from ctxkit.edge import events

    original = {"bytes": result.size, "lines": result.lines, "method": result.original.method}
    tokens = {"before_tokens": result.original.tokens, "after_tokens": briefing.tokens, "original": original}
    facts = {"name": output.name, **call.describe(), "kind": briefing.kind, **tokens}
    events.record(path, "brief", {**facts, "ref": shorten_ref(output.stored.ref) or None})


def _format_explanation(briefing: Briefing) -> Iterator[str]:
    """Yield lines that say which kind or rule made a map, and why."""
    explanation = briefing.explanation or Explanation()
    yield f"kind: {' '.join(filter(None, (briefing.kind, briefing.language)))}, confidence {briefing.confidence:.2f}"
    for reason in explanation.reasons:
        yield f"reason: {reason}"
    candidates = ", ".join(f"{name} {confidence:.2f}" for name, confidence in explanation.candidates)
    yield f"candidates: {candidates or 'none'}"


def make_briefing_object(
    result: BriefingResult, briefing: Briefing, stored: StoredContent, target: int
) -> dict[str, object]:
    """Return the documented object of a map."""
    return {
        "kind": briefing.kind,
        "language": briefing.language,
        "confidence": round(briefing.confidence, 2),
        "lines": result.lines,
        "bytes": result.size,
        "tokens": briefing.tokens,
        "original": {"tokens": result.original.tokens, "method": result.original.method},
        "target": target,
        "ref": shorten_ref(stored.ref) or None,
        "content": briefing.text,
        **_make_explanation_member(briefing.explanation),
    }


def _make_explanation_member(explanation: Explanation | None) -> dict[str, object]:
    """Return the explanation as a member of the object, if an option requests it."""
    if explanation is None:
        return {}
    candidates = [{"kind": name, "confidence": round(confidence, 2)} for name, confidence in explanation.candidates]
    return {
        "explanation": {
            "rule": explanation.rule or None,
            "reasons": list(explanation.reasons),
            "candidates": candidates,
        }
    }
