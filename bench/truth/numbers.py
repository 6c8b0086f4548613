"""Counts that a map states, counted again from its input with rules of their own."""

import re
from collections.abc import Callable, Iterator
from posixpath import dirname

from bench.truth.source_text import SourceText, form_of
from bench.truth.statements import Statement

Check = Callable[["re.Match[str]", Statement, SourceText], str]
"""Return what is wrong with a statement that a pattern matches, empty if nothing is."""
NUMBER = r"(?P<n>\d[\d,]*)"
SEVERITIES = {
    "error": r"(?i)\b(?:error|fatal|fail(?:ed|ure)?|severe|critical|undefined reference|panic|command not found)"
    r"|No such file|\b[EF]\d{2,5}\b|[✖✘×]|\bERR\b|SIG[A-Z]{3,}|\b[A-Z]{1,4}\d{2,6}\b",
    "warning": r"(?i)\bwarn|\b[WCRD]\d{2,5}\b|\bW:|\b[A-Z]{1,4}\d{2,6}\b|⚠|▲",
}
"""What a line that is an error or a warning holds at least."""
EXPLICIT = r"^[^\s:]+:\d+(?::\d+)?:? +(?:fatal )?{}\b"
"""A line that states its place and its severity."""
RESULTS = {
    "passed": r"(?i)\bpass|\bok\b|✓|✔|√|\bPASSED\b|^\.+|\.{3}",
    "failed": r"(?i)= -1 E[A-Z]|\bfail|\bnot ok\b|✗|✘|✕|×|\berror|\bF\b",
    "skipped": r"(?i)\bskip|\bs\b|○|↓|\bpending\b",
}

INDEXES = ("Names", "Every ")
"""Beginnings of titles above names, each after its line."""


def check_numbers(statement: Statement, source: SourceText) -> Iterator[str]:
    """Yield what is not so of the numbers in a statement."""
    for pattern, check in CHECKS:
        for match in pattern.finditer(statement.text):
            complaint = check(match, statement, source)
            if complaint:
                yield complaint


def _number(match: "re.Match[str]", name: str = "n") -> int:
    return int(match[name].replace(",", ""))


def _size(statement: Statement, source: SourceText) -> int:
    """Return how many lines the statement's range has, of the whole input without a range."""
    return statement.end - statement.start + 1 if statement.start else len(source.lines)


def _is_index(number: int, word: str, statement: Statement, source: SourceText) -> bool:
    """Return whether a number and a word are a line and what stands on it."""
    if statement.text.startswith("Found"):
        return False
    return 0 < number <= len(source.visible_lines) and word in source.visible_lines[number - 1]


def _check_severity(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N errors` and `N warnings`: no more than lines that could state one, or what the input itself states."""
    number, word = _number(match), match["word"].removesuffix("s")
    lines = source.count_lines(SEVERITIES[word], statement.start, statement.end)
    if source.states(number, word) or statement.section.startswith(INDEXES):
        return ""
    if _is_index(number, word, statement, source):
        return ""
    if number > lines:
        return f"{number} {word}s, but only {lines} lines could state one"
    explicit = {line for line in source.visible_lines if re.search(EXPLICIT.format(word), line)}
    whole = "Found here" in statement.text and statement.text.startswith("Found")
    return f"{number} {word}s, but {len(explicit)} lines state one" if whole and number < len(explicit) else ""


def _check_result(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N passed`: the input states the number, or has as many lines of that result."""
    number, word = _number(match), match["word"]
    if not number or source.states(number, word) or source.states(number, word.upper()):
        return ""
    if _is_index(number, word, statement, source):
        return ""
    pattern = RESULTS[word]
    marks = sum(len(re.findall(pattern, line)) for line in source.visible_lines)
    return "" if number <= marks else f"{number} {word}, but only {marks} marks of it"


def _check_same_line(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `Nx the same line, the last at line L` against the lines that equal the quotation above."""
    number = _number(match)
    if not statement.previous:
        return ""
    line = source.visible_lines[statement.previous - 1].strip()
    places = [at for at, other in enumerate(source.visible_lines, start=1) if other.strip() == line]
    last = int(match["last"].replace(",", ""))
    if last not in places:
        return f"line {last} is not the same as line {statement.previous}"
    return "" if number <= len(places) else f"{number}x the same line, but {len(places)}"


def _check_examples(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `Nx, such as`: at least N lines have the form of the example, or its first words or its code."""
    number = _number(match)
    if not statement.examples or number == 1:
        return ""
    line = source.visible_lines[statement.examples[0] - 1]
    if source.forms[form_of(line)] >= number:
        return ""
    words = re.findall(r"[^\W\d]\w{3,}", line)
    best = max((source.count_lines(rf"\b{re.escape(word)}\b") for word in words), default=number)
    return "" if best >= number else f"{number}x, but no word of line {statement.examples[0]} stands on {number} lines"


def _check_code(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `Nx CODE`: at least N lines hold the code, and the range of the statement holds as many."""
    number, code = _number(match), match["code"]
    lines = sum(line.count(code) for line in source.visible_lines)
    return "" if lines >= number or not lines else f"{number}x {code}, but {lines} places hold it"


def _check_files(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N files` and `N directories` of a listing of paths against the paths themselves."""
    number, word = _number(match), match["word"]
    if not statement.start or "changed" in statement.text:
        return ""
    lines = source.visible_lines[statement.start - 1 : statement.end]
    if number > len(lines):
        return f"{number} {word} in {len(lines)} lines"
    paths = [line.split("\t")[-1].strip() for line in lines if line.strip()]
    if not paths or sum("/" in path and " " not in path for path in paths) < len(paths) * 0.95:
        return ""
    parents = {dirname(path.rstrip("/")) for path in paths}
    directories = sum(path.endswith("/") or path in parents for path in paths)
    truth = directories if word.startswith("direct") else len(paths)
    return "" if number <= truth else f"{number} {word}, but {truth} of the paths can be"


def _check_range_bound(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check a count of things that take a line each: no more than the lines of the range."""
    number = _number(match)
    lines = _size(statement, source)
    if statement.start and statement.text[:40] in source.visible_lines[statement.start - 1]:
        return ""  # the input says so
    return "" if number <= lines else f"{number} {match['word']} in {lines} lines"


def _check_rows(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N rows`: within a range no more than its lines, and no fewer than its lines with as many fields."""
    number = _number(match)
    if not statement.start or "again at" in statement.text:
        return ""
    lines = [line for line in source.visible_lines[statement.start - 1 : statement.end] if line.strip()]
    if number > len(lines):
        return f"{number} rows in {len(lines)} lines"
    return ""


def _check_columns(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N columns: a, b, c`: as many names follow."""
    number, names = _number(match), match["names"]
    if "+" in names or "..." in names:
        return ""
    least = names.count(", ") + 1
    return "" if number <= least else f"{number} columns, but {least} names"


def _check_length(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `Line L: N characters`: the line has at least as many, and if it is the line's length, exactly."""
    number = _number(match)
    if not statement.start or statement.start != statement.end:
        return ""
    length = len(source.lines[statement.start - 1])
    return "" if number <= length else f"{number} characters on a line of {length}"


def _check_order(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check that the lines of a range are sorted, if a map says so."""
    if not statement.start:
        return ""
    lines = [line for line in source.visible_lines[statement.start - 1 : statement.end] if line.strip()]
    keys = [(line, line.lower(), re.sub(r"[\W_]+", "", line).lower()) for line in lines]
    for way in range(3):
        column = [key[way] for key in keys]
        if column in (sorted(column), sorted(column, reverse=True)):
            return ""
    return "the lines are not sorted" if not re.search(r"\bby\b|\bcolumn\b", statement.text) else ""


def _check_alike(match: "re.Match[str]", _: Statement, source: SourceText) -> str:
    """Check `N more of this form at lines a, b`: all have one form, and all or such examples are named."""
    places = [int(place) for place in re.findall(r"\d+", match["places"])]
    if not all(0 < place <= len(source.lines) for place in places):
        return "a line that does not exist"
    forms = {_loose_form(source.visible_lines[place - 1]) for place in places}
    if len(forms) > 1:
        return f"lines of {len(forms)} forms"
    number = _number(match)
    alike = sum(_loose_form(line) in forms for line in source.visible_lines)
    complete = match["such"] or number == len(places)
    return "" if complete and number < alike else f"{number} more of a form of {alike} lines, {len(places)} named"


def _loose_form(line: str) -> str:
    """Return the form of a line without what varies: words with a digit, such as `a.c:1:2`."""
    return form_of(re.sub(r"\S{0,200}\d\S{0,200}", "#", line))


CHECKS: tuple[tuple["re.Pattern[str]", Check], ...] = (
    (re.compile(NUMBER + r" (?P<word>errors?|warnings?)(?=,|;|$| and | in )"), _check_severity),
    (re.compile(NUMBER + r" (?P<word>passed|failed|skipped)\b"), _check_result),
    (re.compile(NUMBER + r"x the same line, the last at line (?P<last>[\d,]+)"), _check_same_line),
    (re.compile(r"^" + NUMBER + r"x, such as$"), _check_examples),
    (
        re.compile(r"(?:^|[:,] )" + NUMBER + r"x (?P<code>[A-Z]+\d{2,}|[a-z]+(?:-[a-z]+)+|[a-z]+[A-Z]\w+)(?=,|$)"),
        _check_code,
    ),
    (re.compile(r"(?<!/)" + NUMBER + r" (?P<word>files|directories)(?=,|;|$)"), _check_files),
    (re.compile(NUMBER + r" (?P<word>forms|lines of this form|entries|directories|commits)\b"), _check_range_bound),
    (re.compile(NUMBER + r" more of this form(?P<such>, such as)? at lines? (?P<places>[\d, ]+)$"), _check_alike),
    (re.compile(NUMBER + r" rows(?=,|;|$)"), _check_rows),
    (re.compile(NUMBER + r" columns: (?P<names>.+)$"), _check_columns),
    (re.compile(r"(?P<n>[\d,]{3,}) characters\b"), _check_length),
    (re.compile(r"(?P<n>)(?<![\w./-])(?:lines are sorted|sorted\b)"), _check_order),
)
"""The counts that are known how to count, each with its check."""
