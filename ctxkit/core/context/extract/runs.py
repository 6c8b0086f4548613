"""Commands that ran well and are worth knowing: tests, builds, checks, with the line that says how they ended."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.failures import clipped, tried_of
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.judged import Judged

_CHECKS = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|playwright|cypress|ctest|rspec|phpunit|gotestsum|tsc|eslint"
    r"|ruff|mypy|biome|clippy|make|cmake|gradlew?|mvn"
    r"|(?:npm|pnpm|yarn|bun|cargo|go|dotnet|swift|mix|deno)\b.*\b(?:test|build|check|lint|run|install|typecheck"
    r"|vet)|pip3? install|git (?:commit|push|tag|merge|rebase|checkout -b)"
    r"|docker|kubectl|terraform|python3? \S+\.py|node \S+\.[cm]?js|gh pr)\b"
)
_ENDING = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing|failed|failing|skipped|examples?|errors?|warnings?)\b|^(?:ok|OK|PASS"
    r"|Ran \d+|test result:|Tests?:|Test Files|BUILD|Successfully|Finished|Done)\b"
    r"|^\[[\w./-]+ [0-9a-f]{7,}\]",
    re.MULTILINE,
)
_COMMITTED = re.compile(r"\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,}\]")
_MOVING = re.compile(r"^cd \S+ && ")
_PROMPT = re.compile(
    r"^\s*(?:\(no output\)|\(Open file|\(Current directory|bash-\$|</?(?:output|returncode)>)|exit ?code", re.IGNORECASE
)
MOST = 8


def run_items(done: Sequence[Judged]) -> Iterator[Item]:
    """Yield the last commands of each kind that passed, the newest first."""
    told: set[str] = set()
    for deed, kind, made in reversed(done):
        if kind != "run" or deed.answered < 0:
            continue
        tried = tried_of(deed, kind)
        if tried in told or not _CHECKS.search(tried):
            continue
        told.add(tried)
        if made.failed:
            continue
        ending = _ending(deed.text)
        if ending or made.status == 0:
            worth = 480 - 10 * len(told) + 60 * bool(ending)
            yield Item("Facts", (_told(tried, ending),), worth, 5_000_000 - deed.at)
        if len(told) == MOST:
            return


def _told(tried: str, ending: str) -> str:
    """Return a command with how it ended; of a commit only what git says, which holds the message."""
    if _COMMITTED.match(ending):
        return f"Committed {clipped(ending, 140)}"
    command = _MOVING.sub("", tried)
    return f"`{clipped(command, 140)}`: {clipped(ending, 120)}" if ending else f"`{clipped(command, 140)}` passed"


def _ending(text: str) -> str:
    """Return the last line that says how a check ended, else the little that was printed."""
    lines = [line.strip(" =\t\r") for line in text[-4000:].splitlines() if _ENDING.search(line.strip(" ="))]
    if lines:
        return lines[-1]
    printed = [line.strip() for line in text[:400].splitlines() if line.strip() and not _PROMPT.match(line)]
    return printed[-1] if 0 < len(printed) <= 2 and len(text) <= 400 else ""
