"""Failures that are open at the end of a conversation: limits of the environment, checks, and the last calls."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.call_effects import find_call_effects
from ctxkit.core.context.extract.call_kind import CallKind, command_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.command_names import (
    MAX_COMMAND,
    find_checks,
    list_runs,
    name_check,
    name_run,
    split_words,
)
from ctxkit.core.context.extract.failures import FailedCall, find_failures
from ctxkit.core.context.extract.programs import (
    find_missing_program,
    is_probe,
    list_echoed_programs,
    list_programs,
    normalize_program,
)
from ctxkit.core.context.extract.shell import FileEffects
from ctxkit.core.text.shell_script import split_commands

RECENT_CALLS, RECENT_CHECKS = 4, 15
"""Number of last calls whose failures, and of those whose failed checks, are open until their like succeeds."""
_MISSING_MODULE = re.compile(
    r"\bNo module named '?([\w.-]{1,80})|\bCannot find (?:module|package) '([\w@][\w@./-]{0,80})'"
)
_BLOCKED = re.compile(
    r"\burl_not_(?:accessible|allowed)\b|running scripts is disabled|\bENOTFOUND\b"
    r"|could not resolve host|name resolution|network is unreachable|read-only file system"
    r"|^\W*(?:error: )?(?:skill|tool|agent|model|function) .{1,80}(?:not found|not available|does not exist)",
    re.IGNORECASE,
)
"""What an environment does not allow, or lacks."""
_NO_NETWORK = re.compile(
    r"\bENOTFOUND\b|could not resolve host|name resolution|network is unreachable", re.IGNORECASE
)
"""What programs say without a network."""
_REMOTE = re.compile(
    r"(?:curl|wget) (?!.*(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]))|git (?:push|pull|fetch|clone)\b"
)
"""A command that needs a network."""
_DENIED = re.compile(
    r"permission denied|\baccess (?:is |was )?denied|\bforbidden\b|\bunauthori[sz]ed\b|\bnot authori[sz]ed\b"
    r"|operation not permitted|\bE(?:ACCES|PERM)\b|returned error: 403",
    re.IGNORECASE,
)
"""What was not allowed: to a tool for good, to a command perhaps only as it was."""
_PATH = re.compile(r"[/\\]")
"""A mark of a path: that it names no program may be a slip."""
_FILE_NAME = re.compile(r"[\w-]{1,80}\.\w{1,10}(?![\w/.])")
_MISSING_FILE = re.compile(r"([\w-]{1,80}\.\w{1,10})['\"]?: (?:\[Errno 2\] )?No such file or directory")
"""A script or a file that a command did not find, and that a later one names in another place."""
_SCRIPT = re.compile(r"\w\.(?:bat|cmd|ps1|sh|bash|py|js|mjs|ts|rb|pl)$", re.IGNORECASE)
"""The end of the name of a script: that it is not found is a slip in its path, not a program that is missing."""
_SLIP = re.compile(
    r"\bParserError\b|\bParentContainsErrorRecordException\b|syntax error near unexpected token|\bparse error near\b"
    r"|unexpected EOF while looking for matching|syntax error: unexpected end of file|\bunmatched ['\"`]"
    r"|unterminated quoted string",
)
"""What a shell says of a command that it cannot read: the agent mistyped it."""
_GONE = re.compile(r"^(?:rm|rmdir|unlink): .{1,400}: No such file or directory", re.IGNORECASE)
"""What should be removed and is not there."""
_COVERED = {
    **dict.fromkeys(("cargo test", "cargo build", "cargo clippy"), ("cargo check",)),
    "dotnet test": ("dotnet build",),
    "swift test": ("swift build",),
}
"""Checks that others include."""
_NO_TOOL = re.compile(
    r"(?:Error: )?(?:Tool ['\"`]?[\w.:-]{1,80}['\"`]? (?:is )?not found|Unknown tool\b|No such tool\b)"
)
"""What a host answers to the call of a tool that it does not have: the agent made up its name."""
_INSTALL = re.compile(r"(?:install|add|i|ci|sync)$")
_MANAGERS = re.compile(
    r"(?:pip3?|npm|pnpm|yarn|bun|uv|poetry|apt|apt-get|brew|conda|cargo|gem|dnf|yum|apk|choco|winget)$"
)
_IMPORT = re.compile(r"\b(?:import|from) ([\w.]{1,80})")


def find_open_failures(calls: Sequence[ClassifiedCall]) -> tuple[FailedCall, ...]:
    """Return the failures in order that are still open.

    A failure is open if no later call of the same purpose succeeded, and if it states a limit of the environment that
    was not lifted, is that of a late check that no commit follows, or is among the last calls. Others were settled in
    another way, or the work that met them is finished.
    """
    failed_calls = {failed_call.at: failed_call for failed_call in find_failures(calls)}
    later, failures = _LaterCalls(), []
    for at in range(len(calls) - 1, -1, -1):
        call, kind, outcome = calls[at]
        later.add_names(command_of(call) if kind == "run" and at not in failed_calls else "")
        if not outcome.failed and call.answered_at >= 0:
            later.add_effects(find_call_effects(calls[at]))
            later.add_command(command_of(call) if kind == "run" else "", call.text)
        elif failed_call := failed_calls.get(at):
            if later.leaves_open(failed_call, kind, len(calls) - at):
                failures.append(failed_call)
            later.add_answer(failed_call)
    return tuple(reversed(failures))


class _LaterCalls:
    """The programs, checks and installations of the successful calls after a failure, collected in reverse order."""

    def __init__(self) -> None:
        self._programs: set[str] = set()
        self._runs: set[str] = set()
        self._checks: set[str] = set()
        self._modules: set[str] = set()
        self._names: set[str] = set()
        self._answered: set[str] = set()
        self._changed: set[str] = set()
        self._used: set[str] = set()
        self._installs_all = self._has_commit = self._has_successes = self._has_network = False
        self._failed_checks: set[str] = set()

    def add_command(self, command: str, output: str) -> None:
        """Record a successful command and its output."""
        if not command:
            return
        self._programs.update(list_echoed_programs(output))
        self._used.update(_FILE_NAME.findall(command[:MAX_COMMAND]))
        self._modules.update(module.split(".")[0] for module in _IMPORT.findall(command[:MAX_COMMAND]))
        for words in split_words(command):
            self._programs.update(list_programs(words))
            self._runs.add(name_run(words))
            self._has_commit |= words[:2] == ["git", "commit"]
            self._checks.update(check for name in name_check(words) for check in (name, *_COVERED.get(name, ())))
            installed = _find_installed(words)
            self._modules.update(map(_fold_module, installed))
            self._programs.update(map(normalize_program, installed))
            self._installs_all |= installed == ["."]
            self._has_network |= bool(installed) or _needs_network(words)

    def add_effects(self, effects: FileEffects) -> None:
        """Record the files that a successful call changed and a later one used."""
        self._has_successes = True
        self._changed.update(name for path in effects.changed if (name := _read_name(path)) in self._used)
        self._used.update(map(_read_name, effects.read))

    def add_names(self, command: str) -> None:
        """Record the names of the files in a later command, whatever became of it."""
        self._names.update(name for name in _FILE_NAME.findall(command[:MAX_COMMAND]))

    def add_answer(self, failed_call: FailedCall) -> None:
        """Record a command whose failure is only a negative answer: it ran."""
        self._answered.update((failed_call.command,) if failed_call.is_mild else ())

    def leaves_open(self, failed_call: FailedCall, kind: CallKind, age: int) -> bool:
        """Return whether a failure is still open; ``age`` is the number of calls from it on."""
        lines = (failed_call.line, *failed_call.more_lines)
        checks = find_checks(failed_call.command)
        is_repeated = bool(checks) and checks <= self._failed_checks
        self._failed_checks |= checks
        if failed_call.command in self._answered or any(_GONE.match(line) or _NO_TOOL.match(line) for line in lines):
            return False
        if self._has_installed(failed_call.command):
            return False
        runs = frozenset(list_runs(failed_call.command))
        if runs and not checks and runs <= self._runs:
            return False
        if program := find_missing_program(lines):
            is_slip = _PATH.search(program) or _SCRIPT.search(program) or is_probe(failed_call.command)
            return normalize_program(program) not in self._programs and (age <= RECENT_CALLS or not is_slip)
        if self._has_successes and any(map(_SLIP.search, lines)):
            return False
        if any(match[1] in self._names for match in filter(None, map(_MISSING_FILE.search, lines))):
            return False
        if _misses_own_output(failed_call.command, lines):
            return False
        if not checks and self._has_changed(failed_call, kind):
            return False
        is_current = age <= RECENT_CHECKS and not self._has_commit
        is_late_check = bool(checks - self._checks) and not is_repeated and is_current
        if module := _find_name(_MISSING_MODULE, lines):
            is_missing = not self._installs_all and _fold_module(module) not in self._modules
            return is_missing and (is_late_check or age <= RECENT_CALLS)
        return self._is_blocked(lines, kind, age) or age <= RECENT_CALLS or (kind == "run" and is_late_check)

    def _has_installed(self, command: str) -> bool:
        """Return whether later commands installed, perhaps in another way, all packages that a failed one names."""
        packages = {_fold_module(name) for words in split_words(command) for name in _find_installed(words)}
        return bool(packages) and packages <= self._modules

    def _is_blocked(self, lines: Sequence[str], kind: CallKind, age: int) -> bool:
        """Return whether the environment does not allow what failed: a command, or a tool that was called of late."""
        if kind != "run":
            return age <= RECENT_CHECKS and any(_BLOCKED.search(line) or _DENIED.search(line) for line in lines)
        return any(_BLOCKED.search(line) and not (self._has_network and _NO_NETWORK.search(line)) for line in lines)

    def _has_changed(self, failed_call: FailedCall, kind: CallKind) -> bool:
        """Return whether later calls changed, then used a file that a failed command names or that an edit was for."""
        names = failed_call.command[:MAX_COMMAND] or (failed_call.target if kind == "edit" else "")
        return not self._changed.isdisjoint(_FILE_NAME.findall(names))


def _needs_network(words: Sequence[str]) -> bool:
    return bool(_REMOTE.match(" ".join(words)))


def _read_name(path: str) -> str:
    """Return the last name of a path."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _misses_own_output(command: str, lines: Sequence[str]) -> bool:
    """Return whether a command did not find the file that it writes itself: it looked too early, or elsewhere."""
    missing = {match[1] for match in map(_MISSING_FILE.search, lines) if match}
    written = (path for _, paths in split_commands(command[:MAX_COMMAND]) for path in paths) if missing else ()
    return any(path.rsplit("/", 1)[-1] in missing for path in written)


def _find_name(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    matches = filter(None, map(pattern.search, lines))
    return next((next(filter(None, match.groups())) for match in matches), "")


def _find_installed(words: Sequence[str]) -> list[str]:
    """Return the packages that a command installs, a dot for those that a file lists."""
    at = next((at for at, word in enumerate(words[:6]) if _INSTALL.match(word)), -1)
    if at < 1 or not any(map(_MANAGERS.search, words[:at])):
        return []
    packages = [re.split(r"[=<>~\[]", word)[0] for word in words[at + 1 :] if not word.startswith("-")]
    is_listed = "-r" in words or not packages or packages == ["."]
    return ["."] if is_listed else packages


def _fold_module(name: str) -> str:
    return name.split(".")[0].replace("-", "_").lower()
