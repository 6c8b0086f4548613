"""Templates: log lines that differ only in their numbers, counted while the log is read."""

from collections.abc import Iterator
from re import IGNORECASE, Match

from ctxkit.core.brief.outline import clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.severity import (
    ERROR_LEVELS,
    ERROR_WORDS,
    FATAL_LEVELS,
    NORMAL_LEVELS,
    WARNING_LEVELS,
    is_error_line,
)

MOST = 50_000
"""Maximum number of distinct templates; later ones are merged by their level and first words."""
COARSE = 10_000
"""Maximum number of merged templates; later ones are merged by level."""
CACHED = 20_000
"""Number of lines, without their digits, whose template is cached."""
EXAMPLE_WIDTH = 400
"""Maximum number of characters kept of an example line."""
COMPARED_WIDTH = 600
"""Number of characters of a line that determine its template."""
MASK = {**{ord(digit): "0" for digit in "123456789"}, ord("\t"): " "}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
CALENDAR = frozenset((*_MONTHS, *_DAYS, *(f"[{day}" for day in _DAYS)))
"""Words of a timestamp that vary like its digits."""
KLOG = frozenset(("I0000", "W0000", "E0000", "F0000"))
"""Beginnings of Kubernetes log lines with masked digits."""

FATAL, ERROR, SUSPECT, WARN, NORMAL = range(5)
"""Severities of lines: by level, or SUSPECT for a line with error words but no level."""
LEVELS = {
    **dict.fromkeys(FATAL_LEVELS, FATAL),
    **dict.fromkeys(ERROR_LEVELS, ERROR),
    **dict.fromkeys(WARNING_LEVELS, WARN),
    **dict.fromkeys(NORMAL_LEVELS, NORMAL),
    **dict.fromkeys((f"TRACE{depth}" for depth in range(1, 9)), NORMAL),
}
_NAMES = "|".join(sorted(LEVELS, key=len, reverse=True))
LEVELS["SUCCESS"] = NORMAL
LEVEL = compile_lazily(rf"(?<![\w/.-])(?:{_NAMES}|SUCCESS(?= *[|\]:]))(?![\w.-]|/(?![A-Z][\w-]{{0,60}}\]))")
"""Pattern of a level, also before a slash and the name of a process, as multiprocessing prints it.

SUCCESS is the level of loguru; elsewhere it is a result.
"""
LOWER = compile_lazily(
    rf"[\[<(|= :]({_NAMES})[\]>)|:]|, ({_NAMES}) |\b(?:level|lvl|severity)(?:=|\": ?)\"?({_NAMES})\b"
    rf"|\] [a-z]\w*\.({_NAMES}): ",
    IGNORECASE,
)
FAILURE_WORD = compile_lazily(r"\b(?:[A-Z]+-)*(?:CRASH|FAIL|FAILED|FAILURE)\b")
"""Pattern of failures as runners print them, even in lines with a normal level."""
LETTER = compile_lazily(r"^[\d .:-]+ (?:\d+ +\d+ +)?([VDIWEF])[ /]")
"""Pattern of the level of an Android log: one letter after the timestamp and process numbers."""
LETTERS = {"V": "VERBOSE", "D": "DEBUG", "I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL"}


@dataclass(slots=True)
class Template:
    """Count the lines of one form: its level, its severity, its first and last line number, and its first line
    verbatim.

    ``hidden`` is the number of characters of the first line that follow ``text``.
    """

    text: str
    level: str
    severity: int
    first: int
    last: int
    count: int = 1
    hidden: int = 0


class TemplateCounter:
    """Group lines that are equal after every word with a digit is masked."""

    def __init__(self) -> None:
        self._seen: dict[str, Template] = {}
        self._fine: dict[str, Template] = {}
        self._coarse: dict[str, Template] = {}
        self._blank = Template("", "", NORMAL, 0, 0, 0)

    def add_lines(self, block: str, lines: list[str], number: int) -> None:
        """Count the lines of a block; ``number`` is the number of its first line."""
        seen = self._seen
        for here, (line, key) in enumerate(zip(lines, block.translate(MASK).split("\n"), strict=True), number):
            template = seen.get(key)
            if template is None:
                self._find_template(key, line, here)
            else:
                template.count += 1
                template.last = here

    def iter_templates(self) -> Iterator[Template]:
        """Yield all templates, in order of their first occurrence."""
        yield from self._fine.values()
        yield from self._coarse.values()

    def _find_template(self, key: str, line: str, number: int) -> None:
        """Find the template of a line that is not in the cache, and count the line."""
        if len(self._seen) >= CACHED:
            self._seen.clear()
        masked = mask_words(key[:COMPARED_WIDTH])
        if not key.strip():
            template = self._blank
        elif masked in self._fine:
            template = self._fine[masked]
        else:
            template = self._add_template(masked, line, number)
        template.count += 1
        template.last = number
        if len(key) <= COMPARED_WIDTH:
            self._seen[key] = template

    def _add_template(self, masked: str, line: str, number: int) -> Template:
        """Return a new template, or above MOST templates a template merged by level and first words."""
        level, severity = read_level(line, masked)
        if len(self._fine) < MOST:
            template = self._fine[masked] = _make_template(line, level, severity, number)
            return template
        words = " ".join(masked.split(" ", 6)[:6]) if len(self._coarse) < COARSE else ""
        new = _make_template(line, level, severity, number)
        return self._coarse.setdefault(f"{level} {severity} {words}", new)


def _make_template(line: str, level: str, severity: int, number: int) -> Template:
    text = line[:EXAMPLE_WIDTH]
    hidden = 0
    if len(line) > EXAMPLE_WIDTH:
        whole, size = clean_line(line, len(line)), len(clean_line(text, EXAMPLE_WIDTH))
        hidden = max(len(whole) - size, 0)
    return Template(text, level, severity, number, number, 0, hidden=hidden)


def mask_words(key: str) -> str:
    """Return a line with each word that has a digit masked; all its digits must be zeros already."""
    words = [_mask_word(word) if "0" in word or word in CALENDAR else word for word in key.split(" ")]
    if key[:5] in KLOG:
        words[0] = key[:5]
    return " ".join(words)


def _mask_word(word: str) -> str:
    """Return the mask of a word; the name of a call stays: ``close(<*>``."""
    name, parenthesis, _ = word.partition("(")
    return f"{name}(<*>" if parenthesis and name.isidentifier() and "0" not in name else "<*>"


def read_level(line: str, masked: str) -> tuple[str, int]:
    """Return the level in a line, or an empty string, and the severity."""
    if "\x1b" in line:  # many loggers colour just the level
        line, masked = strip_escapes(line), strip_escapes(masked)
    beginning = line[:200]
    match = LEVEL.search(beginning)
    if match:
        name, severity = _rate_level(match[0])
        return name, SUSPECT if severity == NORMAL and FAILURE_WORD.search(line) and is_error_line(
            line[:COMPARED_WIDTH]
        ) else severity
    lower = LOWER.search(beginning)
    if lower and not _is_ordinary_word(lower):
        return _rate_level(lower[lower.lastindex or 1].upper())
    letter = LETTER.match(beginning)
    if letter:
        return _rate_level(LETTERS[letter[1]])
    return "", SUSPECT if _is_suspect(line) else NORMAL


def _is_ordinary_word(match: Match[str]) -> bool:
    """Return whether a normal level is just a word of the sentence: ``RCU Tasks Trace: ...``.

    Behind a module in brackets, ``[proxy:debug]``, it is a level.
    """
    if match.lastindex != 1 or match[0][0] not in " :" or LEVELS[match[1].upper()] != NORMAL:
        return False
    return match[0][0] == " " or match[0][-1] != "]"


def _rate_level(name: str) -> tuple[str, int]:
    return name, LEVELS[name]


def _is_suspect(line: str) -> bool:
    lower = line[:COMPARED_WIDTH].lower()
    return any(word in lower for word in ERROR_WORDS) and is_error_line(line[:COMPARED_WIDTH])
