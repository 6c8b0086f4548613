"""Failing tests whose output stands between a line that says they began and one that says they failed."""

from ctxkit.core.brief.runs.failures import Failure
from ctxkit.core.brief.runs.signposts import Mark
from ctxkit.core.brief.runs.trials import KEPT, MOST, Format, Trials, marks
from ctxkit.core.lines import Lines


class Spans:
    """Put the marks of a runner together: *begin* and *failed* name a test, *issue* says what is wrong with one.

    *named* names a failing test again, as summaries do; *verdict* is quoted.
    """

    def __init__(self, total: int) -> None:
        self.trials = Trials(total)
        self._begun: dict[str, int] = {}
        self._issue: Failure | None = None

    def take(self, mark: Mark) -> None:
        """Take the next mark."""
        if self._issue is not None:
            self._issue.end = max(mark.number - 1, self._issue.start)
            self._issue = None
        if mark.kind == "begin":
            if len(self._begun) < MOST:
                self._begun[mark.text] = mark.number
        elif mark.kind == "passed":
            self._begun.pop(mark.text, 0)
        elif mark.kind == "issue":
            self._issue = self._fail(mark, mark.number)
        elif mark.kind == "failed":
            self._failed(mark)
        elif mark.kind == "named" and len(self.trials.named) < MOST:
            self.trials.named.append(mark)
        elif mark.kind == "verdict":
            self.trials.verdicts.append(mark)
            if len(self.trials.verdicts) > KEPT:
                del self.trials.verdicts[KEPT // 2]

    def _failed(self, mark: Mark) -> None:
        begun = self._begun.pop(mark.text, 0)
        if begun:
            self._fail(mark, begun)
        else:
            self.take(Mark(mark.number, "named", mark.text))

    def _fail(self, mark: Mark, start: int) -> Failure | None:
        if len(self.trials.failures) >= MOST:
            self.trials.left += 1
            self.trials.last = mark.number
            return None
        failure = Failure(mark.text, start, mark.number)
        self.trials.failures.append(failure)
        return failure

    def close(self) -> Trials:
        """Return what was found; a test that began last and said nothing more is one that the log breaks off in."""
        if self._issue is not None:
            self._issue.end = self.trials.total
        return self.trials


def spans(lines: Lines, form: Format) -> Trials:
    """Return what a log says of its tests, read once from its beginning to its end."""
    found = Spans(lines.total)
    for mark in marks(lines, form):
        found.take(mark)
    return found.close()
