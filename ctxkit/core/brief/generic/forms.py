"""Forms of lines: what is left of a line when its numbers are masked, counted over the whole text in one pass."""

import re
from array import array
from collections.abc import Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import (
    ERROR,
    ERROR_LEVELS,
    FATAL_LEVELS,
    NORMAL_LEVELS,
    WARNING_LEVELS,
    mentions_trouble,
    rate_severity,
)

COMPARED_WIDTH = 240
"""Number of characters of a line that determine its form."""
MAX_FORMS = 100_000
"""Maximum number of distinct forms; later ones are merged by shape."""
MAX_LINES = 4_000_000
"""Maximum number of lines whose forms are kept line by line; all lines are counted."""
LONG_LINE, MAX_LONG_LINES = 400, 4
"""Number of characters from which a line is long, and maximum number of long lines that are kept."""
MASKED_LINES = 200
"""Number of lines whose numbers are masked at once: many, but not so many that most groups have a long line."""
BLANK, INDENTED, RULE, TITLE, COLON = 1, 2, 4, 8, 16
TROUBLE_SHIFT = 5
"""Bits of a line's flags; the severity of trouble is stored above them."""
_NUMBER = compile_lazily(r"(?<![\w./:@+-])[^\W\d]*+(?:[./:@+-]++[^\W\d]*+)*+\d[\w./:@+-]*+")
"""Pattern of a word with a digit, with the parts of a path, address or version around it."""
_LETTERED_DATE = compile_lazily(r"^[WEF](?=\d{4} \d\d:)", re.MULTILINE)
"""Pattern of a level before the date, as Kubernetes logs it: the only part of that word in the form."""
_INNER_BLANKS = compile_lazily(r"(?<=\S) {2,}")
_QUOTED = compile_lazily(r"\"[^\"]{1,80}\"|'[^']{1,80}'|`[^`]{1,80}`")
_WORD = compile_lazily(r"[^\W\d_][\w'-]*+")
_JOINED = compile_lazily(r"a(?:[ /.:@,+_-]*a)++")
_TRACE = compile_lazily(r"\s+at |\s+\.{3} \d+ |\s*(?:Caused by|Suppressed): |(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b")
"""Pattern of a line of a stack trace of Java; a trace that ends a program begins with ``Exception in thread``."""
_SEVERE = "|".join((*ERROR_LEVELS, *FATAL_LEVELS))
_MILD = compile_lazily(
    rf"(?:(?!\b(?:{_SEVERE})\b).){{0,60}}?(?<![\w/.-])(?:{'|'.join((*WARNING_LEVELS, *NORMAL_LEVELS))})(?![\w/.=-])"
)
"""Pattern of a line whose level is below that of an error."""
_RULE = compile_lazily(r"[\s+|]*+(?:[=_*#~^\u2500-\u257f-]{3,}+[\s+|]*+)+\Z")
_TITLE = compile_lazily(
    r"(?:#{1,6}|[=*>~]{2,}|--+) \s*\S|==+> |={3,}\w|-{3,} ?\w|\[{1,2}[^\W\d][\w ./:-]{0,60}\]{1,2}\s*\Z"
    r"|[\u2502 ]{0,40}[\u251c\u2514]\u2500\u2500+ \S"
    r"|(?:[|\u2502] |  ){0,20}[|\u2502 ]?\+ \[\w[\w ./:-]{0,60}\]\s*\Z"
    r"|\w[^*=#~_]{0,80}\s(?:\*{5,}|={5,}|#{5,}|~{5,}|_{5,})\s*\Z"
)
"""Pattern of lines that look like titles: ruled, bracketed, or branches of a drawn tree."""
BRANCH = compile_lazily(r"[\u2502 ]{0,40}[\u251c\u2514\u2570]\u2500")
"""Pattern of a branch of a drawn tree, which is below the line at the margin above it."""


def mask_line(text: str) -> str:
    """Return the form of a line: words with digits as ``0``, blanks between words as one."""
    text = text[:COMPARED_WIDTH]
    if not text.isprintable():
        text = strip_escapes(text.replace("\t", "    "))
    return _mask(text).rstrip()


def mask_block(block: str) -> Iterator[tuple[str, str | None]]:
    """Yield the lines of a block; with their forms where lines are short and have no control characters."""
    rows = block.split("\n")
    for start in range(0, len(rows), MASKED_LINES):
        group = rows[start : start + MASKED_LINES]
        if max(map(len, group)) <= COMPARED_WIDTH and "".join(group).isprintable():
            yield from zip(group, map(str.rstrip, _mask("\n".join(group)).split("\n")), strict=True)
        else:
            yield from ((row.removesuffix("\r"), None) for row in group)


def _mask(text: str) -> str:
    form = _NUMBER.sub("0", _LETTERED_DATE.sub(r"\g<0> ", text))
    return _INNER_BLANKS.sub(" ", form) if "  " in form else form


def make_shape(form: str) -> str:
    """Return the shape of a form: its words as ``a``, quotations as ``q``, and its punctuation."""
    indent = len(form) - len(form.lstrip())
    body = _WORD.sub("a", _QUOTED.sub("q", form.lstrip()[:80]))
    return " " * min(indent, 8) + _JOINED.sub("a", body)


class LineForms:
    """Count the forms of all lines; ``ids`` and ``flags`` hold the form and the flags of each line.

    ``orders`` holds the orders of ranges of lines that were described before.
    """

    def __init__(self, lines: IndexedLines) -> None:
        self.lines = lines
        self.total = lines.total
        self.ids = array("I")
        self.flags = bytearray()
        self.counts: list[int] = [0]
        self.firsts: list[int] = [0]
        self.lasts: list[int] = [0]
        self.shapes: list[int] = [0]
        self.shape_counts: list[int] = [0]
        self.texts: list[str] = [""]
        self.long_lines: list[int] = []
        self.orders: dict[tuple[int, int], str] = {}
        self._form_ids: dict[str, int] = {}
        self._form_flags: list[int] = [BLANK]
        self._shape_ids: dict[str, int] = {}
        self._scan()

    def form_of(self, number: int) -> int:
        """Return the form of line ``number``, 0 if it is blank."""
        if number <= len(self.ids):
            return self.ids[number - 1]
        return self._classify(self.lines.at(number), number)[0]

    def list_before(self, number: int, most: int) -> Sequence[int]:
        """Return the forms of at most ``most`` lines before line ``number``, the nearest first."""
        return self._list(max(number - most, 1), number - 1)[::-1]

    def list_after(self, number: int, most: int) -> Sequence[int]:
        """Return the forms of at most ``most`` lines after line ``number``, the nearest first."""
        return self._list(number + 1, min(number + most, self.total))

    def _list(self, first: int, last: int) -> Sequence[int]:
        if last <= len(self.ids):
            return self.ids[first - 1 : last]
        return [self.form_of(number) for number in range(first, last + 1)]

    def flags_of(self, number: int) -> int:
        """Return the flags of line ``number``, those of a blank line beyond the lines that are kept."""
        return self.flags[number - 1] if number <= len(self.flags) else BLANK

    def iter_trouble(self) -> Iterator[tuple[int, int]]:
        """Yield (number, severity) of the lines that state trouble."""
        for match in re.finditer(rb"[\x20-\xff]", self.flags):
            yield match.start() + 1, match[0][0] >> TROUBLE_SHIFT

    def find_first_error(self) -> int:
        """Return the number of the first line that states an error, or 0.

        A line with a lower level states none, nor does the stack trace below one.
        """
        mild = 0
        for number, severity in self.iter_trouble():
            if severity == ERROR:
                above = self._find_above_trace(number, mild)
                if above != mild and not _MILD.match(self.lines.at(above)):
                    return number
                mild = number
        return 0

    def _find_above_trace(self, number: int, last: int) -> int:
        """Return the number of the line above the stack trace that line ``number`` is of, at least ``last``."""
        while number > max(last, 1) and _TRACE.match(self.lines.at(number)):
            number -= 1
        return number

    def _scan(self) -> None:
        last_text, last_id, last_flags = "", 0, BLANK
        rows = (row for block in self.lines.blocks() for row in mask_block(block))
        for number, (text, masked) in enumerate(rows, 1):
            if text != last_text:
                last_text = text
                last_id, last_flags = self._classify(text, number, masked)
                if len(text) > LONG_LINE and len(self.long_lines) < MAX_LONG_LINES:
                    self.long_lines.append(number)
            self.counts[last_id] += 1
            self.lasts[last_id] = number
            if number <= MAX_LINES:
                self.ids.append(last_id)
                self.flags.append(last_flags)
        for form, shape in enumerate(self.shapes):
            self.shape_counts[shape] += self.counts[form]

    def _classify(self, text: str, number: int, form: str | None = None) -> tuple[int, int]:
        if form is None:
            form = mask_line(text)
        if not form or form.isspace():
            return 0, BLANK
        form_id = self._form_ids.get(form)
        if form_id is None:
            form_id = self._add_form(form, number)
        flags = self._form_flags[form_id]
        if flags >> TROUBLE_SHIFT:
            severity = rate_severity(text)
            flags = flags & 31 | severity << TROUBLE_SHIFT
        return form_id, flags

    def _add_form(self, form: str, number: int) -> int:
        shape = make_shape(form)
        if len(self._form_ids) >= MAX_FORMS:
            known = self._form_ids.get(shape)
            if known is not None or len(self._form_ids) >= 2 * MAX_FORMS:
                return known or 1
            form = shape
        shape_id = self._shape_ids.setdefault(shape, len(self._shape_ids) + 1)
        if shape_id == len(self.shape_counts):
            self.shape_counts.append(0)
        form_id = self._form_ids[form] = len(self.counts)
        self.counts.append(0)
        self.firsts.append(number)
        self.lasts.append(number)
        self.shapes.append(shape_id)
        self.texts.append(form)
        self._form_flags.append(_flag_form(form))
        return form_id


def is_title(text: str) -> bool:
    """Return whether a line looks like a title: ruled or bracketed."""
    return _TITLE.match(text) is not None and _RULE.match(text) is None


def _flag_form(form: str) -> int:
    flags = INDENTED if form[0].isspace() or BRANCH.match(form) else 0
    if _RULE.match(form):
        flags |= RULE
    elif _TITLE.match(form):
        flags |= TITLE
    elif form.endswith((":", " {")) and _WORD.search(form):
        flags |= COLON
    if mentions_trouble(form):
        flags |= 1 << TROUBLE_SHIFT
    return flags
