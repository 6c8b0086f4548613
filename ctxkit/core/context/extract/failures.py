"""Calls that failed: what each said, and what resolved it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.acts import Act, command_of, path_of
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.judged import Judged
from ctxkit.core.context.extract.outcome import answers_no

SOON = 4
"""Calls after a failure among which an edit is told as the answer to it."""
LONG, SHORT = 160, 72
"""Characters of a command and of its error that a bullet quotes, and that it does where room is short."""


class Failure(NamedTuple):
    """Hold a call that failed: what was tried, the line that says why, what ``more`` was said, and how it was resolved.

    ``after`` is what was edited right after it, where nothing shows that this helped. A ``mild`` one only answers no.
    """

    at: int
    tried: str
    line: str
    more: tuple[str, ...]
    status: int | None
    resolved: str
    after: str
    times: int
    ran: bool
    mild: bool


def failures(done: Sequence[Judged]) -> tuple[Failure, ...]:
    """Return what failed, in order; the same failure several times is told once."""
    found: dict[str, Failure] = {}
    later = _Later()
    for at in range(len(done) - 1, -1, -1):
        deed, kind, ended = done[at]
        tried = tried_of(deed, kind)
        if not ended.failed:
            later.passed(at, deed, kind, tried)
        elif tried and kind != "todo":
            key = f"{tried}\n{ended.line}" if kind == "run" else tried
            if key in found:
                found[key] = found[key]._replace(times=found[key].times + 1)
                continue
            mild = answers_no(deed, ended)
            resolved = later.resolution(deed, kind, tried)
            after = "" if resolved or kind != "run" else later.next_edit(at)
            found[key] = Failure(
                at, tried, ended.line, ended.more, ended.status, resolved, after, 1, kind == "run", mild
            )
    return tuple(reversed(found.values()))


class _Later:
    """Remember what passed later on, while calls are gone through from the last one back."""

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], int] = {}
        self._edits: list[str] = []
        self._edited: dict[str, int] = {}

    def passed(self, at: int, deed: Deed, kind: str, tried: str) -> None:
        """Take in a call that did not fail."""
        if deed.answered < 0:
            return
        if kind == "edit" and (path := path_of(deed)):
            self._edits.append(path)
            self._edited[path] = at
        else:
            self._passed[kind, _core(tried)] = len(self._edits)

    def next_edit(self, at: int) -> str:
        """Return what was edited next after a call, if it was soon after."""
        path = self._edits[-1] if self._edits else ""
        return path if path and self._edited[path] - at <= SOON else ""

    def resolution(self, deed: Deed, kind: str, tried: str) -> str:
        """Return what resolved a failed call: the same one passing later, after which edit where there was one."""
        if kind == "edit":
            return "the next edit of it passed" if path_of(deed) in self._edited else ""
        before = self._passed.get((kind, _core(tried)))
        if before is None:
            return ""
        edited = self._edits[before] if len(self._edits) > before and kind == "run" else ""
        return f"passes since the edit of {edited}" if edited else "passed later"


def tried_of(deed: Deed, kind: Act) -> str:
    """Return what a call tried, as one line: the first line of its command, else the tool and what it was given."""
    command = command_of(deed) if kind == "run" else ""
    if command:
        return next((" ".join(line.split()) for line in command.splitlines() if line.strip()), "")
    what = path_of(deed) or clipped(" ".join(deed.string("pattern", "query", "url", "description").split()), SHORT)
    how = deed.string("command") if path_of(deed) else ""
    return " ".join(filter(None, (deed.name, how, what)))


def _core(tried: str) -> str:
    """Return a command without its options, where it runs and what is shown of it."""
    core = tried.split(" | ")[0].replace("2>&1", "").strip()
    while core.startswith("cd ") and "&&" in core:
        core = core.split("&&", 1)[1].strip()
    return " ".join(word for word in core.split() if not word.startswith("-"))


def failure_items(done: Sequence[Judged]) -> Iterator[Item]:
    """Yield what is to be told of failures: those of commands and those that are not resolved first."""
    found = sorted(failures(done), key=lambda failure: (failure.mild, bool(failure.resolved), -failure.at))
    for place, failure in enumerate(found):
        worth = 701 if failure.mild else 790 + 10 * failure.ran - (30 if failure.ran else 85) * bool(failure.resolved)
        yield Item("Errors", tuple(_forms(failure)), max(worth - min(4 * place, 60), 701), failure.at)


def _forms(failure: Failure) -> Iterator[str]:
    ending = f"; {failure.resolved}" if failure.resolved else f"; then edited {failure.after}" if failure.after else ""
    times = " (repeatedly)" if failure.times > 1 else ""
    status = f" (exit {failure.status})" if failure.status and not failure.line else ""
    if failure.more:
        said = " / ".join(clipped(line, LONG) for line in (failure.line, *failure.more))
        yield f"`{clipped(failure.tried, LONG)}`{times}: {said}{ending}"
    for most, line in ((LONG, LONG), (SHORT, LONG), (SHORT, SHORT)):
        said = f": {clipped(failure.line, line)}" if failure.line else f" failed{status}"
        yield f"`{clipped(failure.tried, most)}`{times}{said}{ending}"


def clipped(text: str, most: int) -> str:
    """Return the beginning of a text, whole words of it, that is no longer than ``most`` characters."""
    if len(text) <= most:
        return text
    cut = text.rfind(" ", 0, most + 1)
    if cut > most // 2:
        return text[:cut].rstrip()
    end = text.find(" ", most)
    return text if end < 0 and len(text) <= 3 * most else text[: end if 0 < end <= 3 * most else most]
