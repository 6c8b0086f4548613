"""Events of a history: commits, reflog entries, and blamed lines."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ctxkit.core.brief.grids.grid import RowIndex
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

GRAPH = r"(?:[|\\/_. -]*+\*[*|\\/_. -]* )?"
COMMIT = compile_lazily(rf"\n{GRAPH}commit ([0-9a-f]{{7,64}})\b[^\n]*")
SHORT = compile_lazily(rf"\n{GRAPH}(?:\x1b\[[\d;]*m)*([0-9a-f]{{7,40}})(?:\x1b\[[\d;]*m)* ([^\n]+)")
BLAME = compile_lazily(
    r"\n(\^?[0-9a-f]{7,40}) (?:\S+ +)?\((?:<?(.*?)(?<! )>? +)(\d{4}-\d\d-\d\d|\d{9,10})"
    r"(?: [\d:]+)? [-+]\d{4} +\d+\)[^\n]*"
)
AUTHOR = compile_lazily(r"\n[*|\\/_ ]*Author: +([^\n<]*)")
DATE = compile_lazily(r"\n[*|\\/_ ]*(?:Author)?Date: +([^\n]*)")
SUBJECT = compile_lazily(r"\n[*|\\/_ ]*? {4}(\S[^\n]*)")
ENTRY = compile_lazily(r"(?:\([^)]*\) )?[\w./-]+@\{")
"""Pattern of the beginning of an entry of the reflog."""
HEADER = 2_000
"""Number of characters after a commit line that are searched for author, date and subject."""
MAX_AUTHORS = 5_000
"""Maximum number of distinct authors."""
REFS = compile_lazily(r"\((?=HEAD\b|tag: |[\w./-]+[,)])([\w./>: ,+@-]{1,400})\)")
"""Pattern of the branches and tags of a commit, after its id."""
MAX_REFS = 2_000
"""Maximum number of commits with branches and tags that are listed."""


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Hold one event of a history: its first line, its id, its date, its author, its subject, branches and tags."""

    line: int
    name: str
    date: str
    author: str
    subject: str
    refs: str = ""


class History:
    """Collect events in order: their places, the first and the last, the number per author, and branches and tags."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.count = 0
        self.row_index = RowIndex()
        self.authors: Counter[str] = Counter()
        self.refs: list[tuple[int, str]] = []
        self.first: HistoryEvent | None = None
        self.last: HistoryEvent | None = None

    def add_events(self, events: Sequence[HistoryEvent]) -> None:
        """Add more events."""
        if not events:
            return
        self.count += len(events)
        self.first, self.last = self.first or events[0], events[-1]
        self.refs += [(event.line, event.refs) for event in events if event.refs][: MAX_REFS - len(self.refs)]
        rows = [(event.name, event.date, event.author, event.subject) for event in events]
        self.row_index.add_rows(rows, [event.line for event in events])
        for event in events:
            if event.author and (event.author in self.authors or len(self.authors) < MAX_AUTHORS):
                self.authors[event.author] += 1


def read_history(lines: IndexedLines, form: str) -> History:
    """Return the history in lines of the form ``log``, ``short`` or ``blame``."""
    history = History("line" if form == "blame" else "commit")
    number, pending = 1, ""
    for block in lines.blocks():
        text = f"{pending}\n{block}" if pending else f"\n{block}"
        pending = ""
        if form == "log":
            cut = text.rfind("\ncommit ")
            if cut > 0 and len(text) - cut < HEADER:
                text, pending = text[:cut], text[cut:]
        history.add_events(list(_parse_events(text, number, form)))
        number += text.count("\n")
    if pending:
        history.add_events(list(_parse_events(pending, number, form)))
    if form == "short" and history.first and ENTRY.match(history.first.subject):
        history.noun = "entry"
    return history


def _parse_events(text: str, number: int, form: str) -> Iterator[HistoryEvent]:
    """Yield the events of a text that begins with a newline before line ``number``."""
    position = 0
    matches = {"log": COMMIT, "short": SHORT, "blame": BLAME}[form].finditer(text)
    following = list(matches)
    for match, after in zip_longest(following, following[1:]):
        number += text.count("\n", position, match.start())
        position = match.start()
        if form == "short":
            yield HistoryEvent(number, match[1], "", "", match[2], _find_refs(match[2]))
        elif form == "blame":
            yield HistoryEvent(number, match[1], match[3], match[2], "")
        else:
            end = min(match.end() + HEADER, after.start() if after else len(text))
            parts = (pattern.search(text, match.end(), end) for pattern in (DATE, AUTHOR, SUBJECT))
            date, author, subject = (part[1].strip() if part else "" for part in parts)
            refs = _find_refs(match[0][match.end(1) - match.start() + 1 :])
            yield HistoryEvent(number, match[1], date, author, subject, refs)


def _find_refs(text: str) -> str:
    """Return the branches and tags at the beginning of a text: ``HEAD -> main, tag: 1.0``."""
    refs = REFS.match(strip_escapes(text))
    return refs[1] if refs else ""
