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
LONG, SHORT = 160, 80
"""Characters of a command and of its error that a bullet quotes, and that it does where room is short."""


class Failure(NamedTuple):
    """Hold a call that failed: what was tried, the line that says why, what ``more`` was said, and how it was resolved.

    ``given`` is the end of what was tried that the tool was given, empty for a command.
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
    given: str = ""


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
            given = "" if kind == "run" else given_to(deed)
            after = "" if resolved or kind != "run" else later.next_edit(at)
            found[key] = Failure(
                at, tried, ended.line, ended.more, ended.status, resolved, after, 1, kind == "run", mild, given
            )
    return tuple(reversed(found.values()))


class _Later:
    """Remember what passed later on, while calls are gone through from the last one back."""

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], int] = {}
        self._edits: list[str] = []
        self._edited: dict[str, int] = {}

    def passed(self, at: int, deed: Deed, kind: Act, tried: str) -> None:
        """Take in a call that did not fail."""
        if deed.answered < 0:
            return
        if kind == "edit" and (path := path_of(deed)):
            self._edits.append(path)
            self._edited[path] = at
        else:
            self._passed[kind, _core(deed, kind, tried)] = len(self._edits)

    def next_edit(self, at: int) -> str:
        """Return what was edited next after a call, if it was soon after."""
        path = self._edits[-1] if self._edits else ""
        return path if path and self._edited[path] - at <= SOON else ""

    def resolution(self, deed: Deed, kind: Act, tried: str) -> str:
        """Return what resolved a failed call: the same one passing later, after which edit where there was one."""
        if kind == "edit":
            return "the next edit of it passed" if path_of(deed) in self._edited else ""
        before = self._passed.get((kind, _core(deed, kind, tried)))
        if before is None:
            return ""
        edited = self._edits[before] if len(self._edits) > before and kind == "run" else ""
        return f"passes since the edit of {edited}" if edited else "passed later"


def tried_of(deed: Deed, kind: Act) -> str:
    """Return what a call tried, as one line: the first line of its command, else the tool and what it was given.

    Where that line is a comment, the next one stands behind it.
    """
    command = command_of(deed) if kind == "run" else ""
    if command:
        lines = [" ".join(line.split()) for line in command.splitlines() if line.strip()]
        return " ".join(lines[: 2 if lines[0].startswith("#") else 1])
    how = deed.string("command") if path_of(deed) else ""
    return " ".join(filter(None, (deed.name, how, given_to(deed))))


def given_to(deed: Deed) -> str:
    """Return what a tool was given to work on: a file, else a pattern, an address or a description in short."""
    return path_of(deed) or clipped(" ".join(deed.string("pattern", "query", "url", "description").split()), SHORT)


def _core(deed: Deed, kind: Act, tried: str) -> str:
    """Return what makes two calls the same: a command without its options, where it runs and what is shown of it."""
    command = command_of(deed) if kind == "run" else ""
    if "\n" in command:
        return " ".join(command.split())
    core = tried.split(" | ")[0].replace("2>&1", "").strip()
    while core.startswith("cd ") and "&&" in core:
        core = core.split("&&", 1)[1].strip()
    return " ".join(word for word in core.split() if not word.startswith("-"))


def failure_items(done: Sequence[Judged]) -> Iterator[Item]:
    """Yield what is to be told of failures, the newest first: those that only answer no come last.

    Before them come older failures of a command that has failed otherwise since, and those that are resolved.
    """
    found = failures(done)
    newest = {failure.tried: failure.at for failure in found}
    found = tuple(sorted(found, key=lambda one: (one.mild, one.at < newest[one.tried], bool(one.resolved), -one.at)))
    for place, failure in enumerate(found):
        worth = 785 + 10 * failure.ran - (30 if failure.ran else 85) * bool(failure.resolved) - 6 * place
        yield Item("Errors", tuple(_forms(failure)), 701 if failure.mild else max(worth, 702), failure.at)


def _forms(failure: Failure) -> Iterator[str]:
    """Yield a bullet of a failure, ever shorter: the command and the line that names the error are always in it."""
    ending = f"; {failure.resolved}" if failure.resolved else f"; then edited {failure.after}" if failure.after else ""
    brief = "; passed later" if failure.resolved else ""
    times = " (repeatedly)" if failure.times > 1 else ""
    lines = [line for line in (failure.line, *failure.more) if line]
    status = f" (exit {failure.status})" if failure.status else ""
    for most, many, end in ((LONG, 4, ending), (LONG, 2, ending), (SHORT, 2, brief), (SHORT, 1, brief)):
        told = " / ".join(clipped(line, most) for line in lines[:many])
        said = f": {told}" if told else f" failed{status}"
        yield f"{_quoted(failure, most)}{times}{said}{end}"


def _quoted(failure: Failure, most: int) -> str:
    """Return what was tried, of which a quotation stands in the conversation: a command, else what a tool was given."""
    if failure.given:
        return f"{failure.tried.removesuffix(failure.given)}`{failure.given}`"
    return f"`{clipped(failure.tried, most)}`"


def clipped(text: str, most: int) -> str:
    """Return the beginning of a text, whole words of it, that is about as long as ``most`` characters.

    It ends at the last blank within them, in the last quarter, else at the next one, if that is near.
    """
    if len(text) <= most:
        return text
    cut = text.rfind(" ", 0, most + 1)
    if cut >= most * 3 // 4:
        return text[:cut].rstrip()
    end = text.find(" ", most)
    return text if end < 0 and len(text) <= 3 * most else text[: end if 0 < end <= 3 * most else most]
