"""Map the files of a directory, and find the lines of content that a focus is about."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.brief.focus.section import select_passages
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.store.label import mask_title
from ctxkit.core.store.store_interface import StoredContent, open_as_utf8
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge import out, say, source
from ctxkit.edge.request import Call

if TYPE_CHECKING:
    from ctxkit.core.brief.document import Parser
    from ctxkit.core.brief.focus.terms import Term
    from ctxkit.core.brief.repository.repository_file import RepositoryFile
    from ctxkit.core.brief.repository.repository_map import Repository, RepositoryMap
    from ctxkit.core.session.account import SessionReservation

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
        from ctxkit.edge.briefing_output import explain_small_target

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
        from ctxkit.engines.workspace.source_files import ReadReports, read_repository

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
    from ctxkit.core.session.ledger import LedgerEntry

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
