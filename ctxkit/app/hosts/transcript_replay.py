"""Replay the past sessions of agent hosts: what ctxkit would have kept out of their windows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.app.services import engines, workers
from ctxkit.core.errors import CtxkitError, MissingInputError
from ctxkit.core.events.replay import ReplayLimits, ReplayStep, ReplayTotals, replay_steps
from ctxkit.core.hosts.profiles import PROFILES, HostProfile
from ctxkit.core.tokens.budget import Budget
from ctxkit.edge.option_values import DEFAULT_RESERVE, parse_option_reserve
from ctxkit.edge.request import CliRequest

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.summary.tool_call import ToolCall
    from ctxkit.core.tokens.vocabulary import Tokenizer
    from ctxkit.edge.settings import Settings

PLACES = (
    ("CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    ("CODEX_HOME", "~/.codex", "sessions"),
    ("PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions"),
    ("", "~/.gemini", "tmp"),
)
"""Where hosts keep their sessions: a variable that moves the directory, its default, and the folder in it.

Those of Codex and pi as the documentation of txcript and toolpath-pi describes them (docs.rs, read on 2026-11-29).
"""
ENDINGS = (".jsonl", ".json", ".jsonl.zst")
PROFILE_OF_FORMAT = {"qwen-code": "qwen", "swe-agent": "mini-swe-agent"}
"""Hosts whose format has another name; other formats get the limits of Claude Code."""


class Replay(NamedTuple):
    """The sums of all sessions by program, how many files were sessions and how many not, and if counts are exact."""

    rows: list[ReplayTotals]
    sessions: int
    skipped: int
    exact: bool


def replay_transcripts(path: str, settings: Settings) -> Replay:
    """Return the sums of the sessions in a file or below a directory, by default those of the known hosts.

    Raise MissingInputError if there is no such place.
    """
    options = engines.make_count_options(CliRequest(), settings, "estimate")
    rows: dict[str, ReplayTotals] = {}
    sessions = skipped = 0
    for file in list_session_files(path):
        try:
            sums = workers.isolate(partial(replay_file, file, options.count), os.path.getsize(file))
        except (CtxkitError, OSError):
            skipped += 1
            continue
        sessions += 1
        for values in sums:
            row = ReplayTotals(*values)
            rows[row.program] = rows.get(row.program, ReplayTotals(row.program)).plus(row)
    return Replay(list(rows.values()), sessions, skipped, options.vocabulary.exact)


def list_session_files(path: str) -> Iterator[str]:
    """Yield the files that may be sessions, sorted by path; links are not followed."""
    if path and not os.path.exists(path):
        raise MissingInputError(f"{path}: no such file or directory")
    for root in [path] if path else _find_places():
        if os.path.isdir(root):
            yield from _walk_sessions(root)
        else:
            yield root


def _walk_sessions(root: str) -> Iterator[str]:
    """Yield the files below a directory that may be sessions."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            file = os.path.join(folder, name)
            if name.endswith(ENDINGS) and os.path.isfile(file) and not os.path.islink(file):
                yield file


def _find_places() -> list[str]:
    """Return the directories of hosts that exist; raise MissingInputError if there is none."""
    places = [place for place in _list_places() if os.path.isdir(place)]
    if not places:
        hosts = "Claude Code, Codex, Gemini CLI or pi"
        raise MissingInputError(f"no sessions of {hosts} are on this machine", hint="name a directory")
    return places


def _list_places() -> Iterator[str]:
    for variable, default, folder in PLACES:
        base = (os.environ.get(variable) if variable else "") or os.path.expanduser(default)
        yield os.path.join(base, folder)


def replay_file(file: str, count: Tokenizer) -> list[tuple[Any, ...]]:
    """Return the sums of a session as plain tuples; raise CtxkitError if it is none."""
    from ctxkit.edge import conversations

    transcript = conversations.read_conversation(file, None, skip_bad=True)
    return [tuple(row) for row in replay_steps(_list_steps(transcript, count), find_limits(transcript.format.NAME))]


def find_limits(format_name: str) -> ReplayLimits:
    """Return the limits of the host that writes a format."""
    name = PROFILE_OF_FORMAT.get(format_name, format_name)
    profile: HostProfile = PROFILES.get(name) or PROFILES["claude-code"]
    budget = Budget(profile.window, parse_option_reserve(DEFAULT_RESERVE, profile.window))
    return ReplayLimits(budget.effective, profile.output_limit, profile.map_limit)


def _list_steps(transcript: Transcript, count: Tokenizer) -> Iterator[ReplayStep]:
    """Yield the words and the results of a conversation in order."""
    from hashlib import sha256

    from ctxkit.core.summary.tool_call import find_tool_calls

    calls = find_tool_calls(transcript.records)
    answers: dict[int, list[ReplayStep]] = {}
    for call in calls:
        if call.answered_at >= 0 and call.text:
            digest = sha256(call.text.encode("utf-8", "replace")).hexdigest()
            program, is_run = name_program(call)
            step = ReplayStep(count(call.text), program, digest, is_run or call.name.startswith("mcp__"))
            answers.setdefault(call.answered_at, []).append(step)
    for at, record in enumerate(transcript.records):
        if at in answers:
            yield from answers[at]
        elif record.words:
            yield ReplayStep(count(record.words))


def name_program(call: ToolCall) -> tuple[str, bool]:
    """Return the program of a call that runs a command, else the name of the tool; and whether it runs one."""
    from ctxkit.core.summary.call_kind import classify_call, command_of
    from ctxkit.core.text.shell_script import find_program

    tool = call.name or "(unnamed)"
    if classify_call(call) != "run":
        return tool, False
    if "python" in tool.lower():
        return tool, True
    return find_program(command_of(call)) or tool, True
