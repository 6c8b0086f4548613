"""Checks whose result still holds, and commits, with their result lines."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.call_effects import find_call_effects
from ctxkit.core.context.extract.call_kind import command_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.clip import clip_text, close_command, strip_operators
from ctxkit.core.context.extract.command_names import find_checks, list_runs
from ctxkit.core.context.extract.failures import describe_attempt
from ctxkit.core.context.extract.files import is_throw_away
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.outcome import is_display_command, read_output
from ctxkit.core.context.page_rules import find_fault

_CHECKS = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|playwright|cypress|ctest|rspec|phpunit|gotestsum|tsc|eslint"
    r"|ruff|mypy|biome|clippy|make|cmake|gradlew?|mvn"
    r"|(?:npm|pnpm|yarn|bun|cargo|go|dotnet|swift|mix|deno)\b.*\b(?:test|build|check|lint|run|install|typecheck"
    r"|vet)|pip3? install|git (?:commit|push|tag|merge|rebase|checkout -b)"
    r"|docker|kubectl|terraform|python3? \S+\.py|node \S+\.[cm]?js|gh pr)\b"
)
_RESULT_LINE = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing|failed|failing|skipped|examples?|errors?)\b|^(?:ok|OK"
    r"|PASS)$|^(?:Ran \d+"
    r"|test result:|Tests?:|Test Files|BUILD|Successfully|Finished|Done)\b"
    r"|^✓ (?:built|compiled)\b|\bbuilt in \d|^webpack .*\bcompiled\b"
    r"|^\[[\w./-]+ [0-9a-f]{7,}\]",
    re.MULTILINE,
)
_UNCLEAR = re.compile(r"<<|\|\||(?<!&)&\s*$|(?:^|;\s*)(?:if|case)\s")
"""A document, an alternative, a condition, or a command in the background, whose status says nothing of the check."""
_COMMIT = re.compile(r"\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,}\]")
_REWRITING = re.compile(
    r"\bgit\b[^\n;&|]{0,80}\b(?:rebase|reset (?:--(?:hard|soft|mixed)|[\w/-]*[~^])|filter-branch|filter-repo"
    r"|commit\b[^\n;&|]{0,200} --amend|checkout --orphan|pull\b[^\n;&|]{0,80} --rebase)"
)
"""A command of git after which an earlier commit may have another hash, or be gone."""
_COLOUR = re.compile(r"\x1b?\[\d{1,3}(?:;\d{1,3})*m")
"""A sequence for colours, which may have lost its first character."""
_CHANGE_DIRECTORY = re.compile(r"cd (\"[^\"]*\"|\S+) && ")
_PACKAGE_LINE = re.compile(r"ok\s+\S+(?:\s+(?:[\d.]+s|\(cached\)).*)?$")
"""The result of one package in a run over packages, as go test prints it: it does not speak of the others."""
_SCRIPT_RUN = re.compile(r"(?:python3?|node|bun|deno run|ruby|bash|sh) \S+\.\w{1,4}(?: |$)")
_NUMBERED_RESULT = re.compile(r"\b\d+ (?:tests? )?(?:passed|passing|failed|failing|skipped|examples?)\b")
_PART_RESULT = re.compile(r"^test result: ")
_EMPTY_RESULT = re.compile(r"^test result: ok\. 0 passed; 0 failed")
"""The result of one of the programs that cargo tests, and of one without tests, as for the examples in documents."""
_BUILD_LINE = re.compile(r"^Finished `?test`? ")
"""What cargo prints before the tests that it has built: it does not say whether they pass."""
_TOTAL = re.compile(r"^Ran \d+ tests? across ")
_PARTIAL = re.compile(r"\d+ (?:pass|fail|skip|todo|errors?)$")
"""The last line of bun, which does not say whether the tests pass, and the lines above it, which do."""
_SEPARATOR = re.compile(r"&&|\|\||;")
_FILTER = re.compile(r"(?: 2>&1)? ?\|.*")
"""What only shortens the output of a command."""
_DOCUMENT = re.compile(r"\.(?:md|mdx|rst|txt|log)$", re.IGNORECASE)
"""A file whose change leaves the result of a check as it is."""
MAX_RUNS, MAX_COMMITS, MAX_COMMAND, MAX_SCRIPT = 4, 3, 240, 4_000
"""Maximum number of checks and of commits, and maximum characters of a command that is quoted, and that is searched."""
COMMIT_SIZES = (140, 110, 80, 60)
"""Maximum characters of git's line about a commit, the largest first."""
MAX_PARTIAL = 8
"""Lines at the end of a run of bun that may tell how many tests pass."""
MIN_COLUMNS = 60
"""Minimum length of a line that a terminal may have broken."""


def find_run_items(calls: Sequence[ClassifiedCall]) -> Iterator[PageItem]:
    """Yield the last result of each check that no change of a program follows, and the last commits, newest first.

    Commits before a command that rewrites the history are left out.
    """
    seen: set[frozenset[str] | str] = set()
    scattered = _find_scattered_checks(calls)
    commits, is_stale, rewritten_at = 0, False, _find_last_rewrite(calls)
    for at in range(len(calls) - 1, -1, -1):
        classified_call = calls[at]
        call, kind, outcome = classified_call
        attempt = describe_attempt(call, kind) if kind == "run" and call.answered_at >= 0 else ""
        ending = _find_ending(read_output(call.text)) if attempt else ""
        if _COMMIT.match(ending) and commits < MAX_COMMITS and not outcome.failed:
            if _is_wrapped(ending, read_output(call.text)):
                continue
            commits += 1
            if at >= rewritten_at and (commit := _format_commit(ending)):
                yield PageItem("Facts", (commit,), 540 - 10 * commits, 5_000_000 - call.at)
        elif attempt and not is_stale and len(seen) < MAX_RUNS and _is_check(attempt, ending):
            key = find_checks(attempt) or _FILTER.sub("", attempt)
            is_told = key not in seen and (key not in scattered or bool(_CHANGE_DIRECTORY.match(attempt)))
            run = _format_run(attempt, ending) if is_told and not outcome.failed else ""
            if run and _has_passed(attempt, ending, outcome.status, call.text):
                score = 480 - 10 * len(seen) + 60 * bool(ending)
                yield PageItem("Facts", (run,), score, 5_000_000 - call.at)
            seen.add(key)
        is_stale = is_stale or _changes_program(classified_call)


def _find_last_rewrite(calls: Sequence[ClassifiedCall]) -> int:
    """Return the position of the last command that rewrote the history of commits, -1 if there is none."""
    runs = (at for at in range(len(calls) - 1, -1, -1) if calls[at].kind == "run" and not calls[at].outcome.failed)
    return next((at for at in runs if _REWRITING.search(command_of(calls[at].call)[:MAX_SCRIPT])), -1)


def _is_wrapped(ending: str, output: str) -> bool:
    """Return whether a terminal broke git's line in two: the lines that git writes below it begin with a blank."""
    _, line, rest = output.rpartition(ending)
    return bool(line) and len(line) >= MIN_COLUMNS and rest[:1] == "\n" and rest[1:2].strip() != ""


def _find_scattered_checks(calls: Sequence[ClassifiedCall]) -> frozenset[frozenset[str]]:
    """Return the checks that ran in several directories; a command that names none does not say what it checks."""
    folders: dict[frozenset[str], set[str]] = {}
    for call, kind, _ in calls:
        attempt = describe_attempt(call, kind) if kind == "run" else ""
        if match := _CHANGE_DIRECTORY.match(attempt):
            folders.setdefault(find_checks(attempt), set()).add(match[1].strip('"'))
    return frozenset(checks for checks, names in folders.items() if len(names) > 1)


def _is_check(attempt: str, ending: str) -> bool:
    """Return whether a command is a check whose last result line is its own."""
    if not (_CHECKS.search(attempt) and (find_checks(attempt) or _NUMBERED_RESULT.search(ending))):
        return False
    is_echo = bool(ending) and "echo" in attempt and f"{ending} " in f"{attempt} ".replace('"', " ").replace("'", " ")
    return not (is_echo or _UNCLEAR.search(attempt) or is_display_command(attempt))


def _has_passed(attempt: str, ending: str, status: int | None, text: str) -> bool:
    is_passed = status == 0 or _is_package_run(read_output(text))
    return bool(ending) or (is_passed and not ("|" in attempt or _SCRIPT_RUN.search(attempt)))


def _changes_program(classified_call: ClassifiedCall) -> bool:
    """Return whether a call changes, removes or moves a file that is neither a document nor temporary."""
    effects = find_call_effects(classified_call)
    paths = (*effects.changed, *effects.removed, *(old for old, _ in effects.moved))
    return any(not (_DOCUMENT.search(path) or is_throw_away(path)) for path in paths)


def _format_commit(ending: str) -> str:
    """Return a commit with git's line, which includes the message, or with its beginning; empty if that is no whole."""
    forms = (f"Committed {clip_text(ending, size)}" for size in COMMIT_SIZES)
    return next((form for form in forms if not find_fault("Facts", form)), "")


def _format_run(attempt: str, ending: str) -> str:
    """Return a command with its result line.

    It is empty if the command runs the same program several times, each with a result, or if the part with the result
    does not fit.
    """
    full_command = strip_operators(attempt)
    clipped = clip_text(full_command, MAX_COMMAND)
    if _repeats_run(full_command) or _SEPARATOR.search(full_command, len(clipped)):
        return ""
    command = clipped if clipped == full_command else close_command(clipped)
    return f"`{command}`: {clip_text(_COLOUR.sub('', ending), 120)}" if ending else f"`{command}` passed"


def _repeats_run(command: str) -> bool:
    """Return whether a command runs the same program or subcommand several times.

    >>> _repeats_run("npm test a && npm test b"), _repeats_run("npm run lint && npm run build")
    (True, False)
    """
    runs = [run for run in list_runs(command) if not is_display_command(run)]
    return len(runs) > len(set(runs))


def _is_package_run(text: str) -> bool:
    """Return whether a run over packages ended with a package that passed."""
    lines = text[-4000:].rstrip().splitlines()
    return bool(lines) and bool(_PACKAGE_LINE.match(lines[-1].strip()))


def _is_result(line: str) -> bool:
    """Return whether a line states a result, and does not announce the lines below it."""
    return bool(_RESULT_LINE.search(line)) and not line.endswith(":")


def _find_ending(text: str) -> str:
    """Return the last result line of a check, empty if there is none."""
    shown = [line.strip(" =\t\r") for line in text[-4000:].splitlines()]
    lines = [line for line in shown if _is_result(line) and not _BUILD_LINE.match(line)]
    if lines and _PACKAGE_LINE.match(lines[-1]):
        return ""
    telling = [line for line in lines if not _EMPTY_RESULT.search(line)] or lines
    if sum(1 for line in telling if _PART_RESULT.search(line)) > 1:
        return ""
    if telling and _TOTAL.match(telling[-1]):
        partial = [line for line in shown[-MAX_PARTIAL:] if _PARTIAL.fullmatch(line)]
        return ", ".join((*partial, telling[-1])) if partial else ""
    return telling[-1] if telling and not telling[-1].endswith(("...", "…")) else ""
