"""Lines that separate the parts of a stream: names of files, ruled titles, prompts, traced commands."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.streams.stream_parts import Stream, StreamPart
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

MAX_SEPARATORS = 5_000
"""Maximum number of separators; a text with more is no stream of parts."""
MAX_TITLES = 200
"""Maximum number of ruled titles and of commands; texts with more of them are traces, not parts."""
FIRST_LINES = 5
"""Number of first lines among which the first prompt or ruled title is."""
MIN_CONTENT = {"commands": 0, "titles": 75}
"""Minimum percentage of separators with content behind them, 50 of others: messages of a tool look like titles."""
TITLE_WIDTH = 160
"""Maximum number of characters of a title."""


@dataclass(frozen=True, slots=True)
class SeparatorForm:
    """Describe one form of separators: its parts, the least number of them, and the confidence.

    The pattern has a group ``title``, and may have a group ``mark``, which is the same for all separators of a text.
    If ``opens``, a separator is among the first lines. If ``keeps``, separators with the same title do not cut.
    """

    noun: str
    pattern: "re.Pattern[str]"
    least: int
    confidence: float
    opens: bool = False
    keeps: bool = False


FORMS = (
    SeparatorForm("files", compile_lazily(r"^==> (?P<title>\S.{0,400}) <==$", re.MULTILINE), 2, 0.98),
    SeparatorForm(
        "files",
        compile_lazily(
            r"^(?P<mark>(?:#|//|--) ?(?:[A-Za-z][a-z]* ){1,3})(?P<title>[^\s/]{0,100}/\S{1,400}):$", re.MULTILINE
        ),
        *(3, 0.92),
    ),
    SeparatorForm(
        "steps",
        compile_lazily(
            r"^(?P<title>Bisecting: \d+ revisions? left .{0,200}|[0-9a-f]{40} is the first bad commit)$", re.MULTILINE
        ),
        *(2, 0.96),
    ),
    SeparatorForm(
        "environments",
        compile_lazily(
            r"^(?P<title>[A-Za-z][\w.-]{0,60}): (?:\d+ [DIWCE] |commands(?:_\w+)?\[|install_\w+>|(?:OK|FAIL|SKIP)\b"
            r"|exit -?\d|skipped because)|^nox > Running session (?P<session>\S+)$",
            re.MULTILINE,
        ),
        *(3, 0.97),
        opens=True,
        keeps=True,
    ),
    SeparatorForm(
        "commands",
        compile_lazily(
            r"^(?P<mark>(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,60}@[\w.-]{1,60}[: ][^\s$#]{0,200} ?)?\$ |D |sqlite> |mysql> "
            r"|\w{1,40}[=-][#>] |PS [A-Z]:[^>\n]{0,200}> )(?P<title>\S.{0,400})$",
            re.MULTILINE,
        ),
        *(2, 0.94),
        opens=True,
    ),
    SeparatorForm(
        "commands",
        compile_lazily(r"^(?P<mark>\+) (?P<title>\S.{0,400})$", re.MULTILINE),
        3,
        0.89,
        opens=True,
    ),
    SeparatorForm(
        "titles",
        compile_lazily(r"^(?P<char>[=~#*>+-])(?P=char){1,79} (?P<title>\w.{0,200}?) (?P=char){2,80}$", re.MULTILINE),
        *(2, 0.89),
        opens=True,
    ),
    SeparatorForm(
        "titles",
        compile_lazily(r"^(?P<char>[=~])(?P=char){1,79} (?P<title>[^\s=~].{0,200})$", re.MULTILINE),
        *(2, 0.84),
        opens=True,
    ),
)
"""The forms of separators, from the most certain to the least certain."""
DIFF = compile_lazily(r"^(?:@@ -\d|diff --git |Index: )", re.MULTILINE)
"""Pattern of a patch, whose lines begin with a plus sign as well."""


def find_separated_parts(document: InputDocument) -> Stream | None:
    """Return the parts of a text that separators divide, or None."""
    for form in FORMS:
        if not _may_have(document, form):
            continue
        separators = list(_find_separators(document, form))
        if len(separators) >= form.least and _are_evident(separators, document, form):
            parts = [part for part in _make_parts(separators, document.lines.total, form) if part.end >= part.start]
            return Stream(parts, form.noun, form.confidence, not parts[0].title_line)
    return None


def _may_have(document: InputDocument, form: SeparatorForm) -> bool:
    """Return whether the head has a separator near its beginning, if it needs one there."""
    match = form.pattern.search(document.head)
    if match is None or (form.pattern.pattern.startswith(r"^(?P<mark>\+)") and DIFF.search(document.head)):
        return False
    return not form.opens or document.head.count("\n", 0, match.start()) < FIRST_LINES


def _find_separators(document: InputDocument, form: SeparatorForm) -> Iterator[tuple[int, str]]:
    """Yield the line and the title of each separator that has the mark of the first one."""
    number, mark, title, count = 1, None, "", 0
    for block in document.lines.blocks():
        text = block.replace("\r", "")
        position, line = 0, number
        for match in form.pattern.finditer(text):
            groups = match.groupdict()
            kind = groups.get("mark") or groups.get("char") or ""
            mark = kind if mark is None else mark
            name = groups["title"] or groups.get("session") or ""
            if kind != mark or (form.keeps and name == title):
                continue
            title, count = name, count + 1
            line += text.count("\n", position, match.start())
            position = match.start()
            if count > MAX_SEPARATORS:
                return
            yield line, name[:TITLE_WIDTH]
        number += block.count("\n") + 1


def _are_evident(separators: Sequence[tuple[int, str]], document: InputDocument, form: SeparatorForm) -> bool:
    """Return whether separators have different titles, and content between them."""
    total = len(separators)
    most = {"titles": MAX_TITLES, "commands": MAX_TITLES}.get(form.noun, MAX_SEPARATORS)
    titles = {title for _, title in separators}
    if total > most or len(titles) < min(total, max(2, total // 10)):
        return False
    bounds = [number for number, _ in separators] + [document.lines.total + 1]
    filled = sum(after - before > 1 for before, after in pairwise(bounds))
    return filled >= 2 and filled * 100 >= total * MIN_CONTENT.get(form.noun, 50)


def _make_parts(separators: Sequence[tuple[int, str]], total: int, form: SeparatorForm) -> Iterator[StreamPart]:
    """Yield the lines before the first separator, and each separator with the lines up to the next one."""
    if separators[0][0] > 1:
        yield StreamPart(1, separators[0][0] - 1, "")
    bounds = [number for number, _ in separators[1:]] + [total + 1]
    for (start, title), after in zip(separators, bounds, strict=True):
        yield StreamPart(start, after - 1, title, title_line=start, is_titled=not form.keeps)
