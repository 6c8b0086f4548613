"""What a map says of severities, levels, results of tests and counts that the input states itself."""

import re
from collections.abc import Iterator

from bench.truth.source_text import SourceText
from bench.truth.statements import Statement

COUNTED = re.compile(r"(?P<n>\d[\d,]*) (?P<word>error|warning)s?(?=,|;|$| and | in )")
STATED = {
    "error": re.compile(r"\s*\d+:\d+ +(?:✓ )?error\b|\[ERROR\] \S+:\d+: "),
    "warning": re.compile(r"\s*\d+:\d+ +(?:✓ )?warning\b|\[WARN(?:ING)?\] \S+:\d+:"),
}
"""A row below the name of its file, or a severity in brackets before a place."""
ANNOUNCED = re.compile(r"(?P<word>error|warning)(?:\[[\w:-]+\])?: \S")
"""A severity, perhaps with a rule, before a message; its place stands below it."""
ARROW = re.compile(r"\s*--> \S+:\d+")
CLOSING = re.compile(r"\w+: (?:`.*` .*generated \d|could not compile|build failed|aborting|\d+ \w+ emitted)")
CODED = re.compile(r"\S+:\d+(?::\d+)? [A-Z]+\d+ (?P<word>error|warning|info|style|note|hint): ")
"""A place, a code and a severity, as in hadolint."""
LEVELLED = re.compile(
    r"(?:\W*|\[[^\]]{0,60}[: ])(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
    r"(?:\b[\]:|]|/[A-Z][\w-]*\])"
)
"""A level at the beginning, alone or with the name of a process in the brackets of a logger."""
BRACKETED = re.compile(r"\[ERROR\] (?!COMPILATION ERROR :)\S")
"""An error as Maven prints it; the heading of its compiler errors states none."""
SENTENCE = re.compile(r"[^:]*\b(?:an?|any|no|the|this|these) errors? [a-z]+ [^:]*$")
RESULT = re.compile(r"\s*--- (?:PASS|SKIP): \S")
ROWS = re.compile(r"\((?P<n>\d[\d,]*) rows?(?: of \d+ columns)?\)$")
PRINTED_ROWS = re.compile(r"\((?P<n>\d+) rows?\)\s*$")


def check_outcomes(statement: Statement, source: SourceText) -> Iterator[str]:
    """Yield what is not so of a statement about severities, levels, failing tests or rows."""
    if statement.text.startswith("Found here"):
        yield from _check_stated_severities(statement, source)
        yield from _check_rows(statement, source)
    elif statement.text.startswith("Trouble without a level"):
        yield from _check_levels(statement, source)
    elif statement.text in ("First error", "First errors"):
        yield from _check_first(statement, source)
    else:
        yield from _check_printed_rows(statement, source)
        yield from _check_owner(statement, source)


def _check_stated_severities(statement: Statement, source: SourceText) -> Iterator[str]:
    """Compare counts of errors and warnings with the lines of tools that state the severity of each finding."""
    lines = source.visible_lines
    counts = {match["word"]: int(match["n"].replace(",", "")) for match in COUNTED.finditer(statement.text)}
    heads = [at for at, line in enumerate(lines) if ANNOUNCED.match(line)]
    placed = [at for at in heads if any(ARROW.match(line) for line in lines[at + 1 : at + 3])]
    loose = [at for at in heads if not CLOSING.match(lines[at])]
    coded = [match["word"] for match in map(CODED.match, lines) if match]
    for word in ("error", "warning"):
        number = counts.get(word, 0)
        least = sum(lines[at].startswith(word) for at in placed)
        most = sum(lines[at].startswith(word) for at in loose)
        if placed and len(placed) * 2 > sum(counts.values()) and not least <= number <= most:
            yield f"{number} {word}s, but {least} to {most} are stated"
        if coded and len(coded) * 2 > sum(counts.values()) and number > coded.count(word):
            yield f"{number} {word}s, but {coded.count(word)} lines state one behind their code"


def _check_rows(statement: Statement, source: SourceText) -> Iterator[str]:
    """Check that all lines with a place and a severity are counted, once for each line at the margin above them."""
    for word, pattern in STATED.items():
        match = next((match for match in COUNTED.finditer(statement.text) if match["word"] == word), None)
        number, stated, above = int(match["n"].replace(",", "")) if match else 0, set(), ""
        for line in source.visible_lines:
            if pattern.match(line):
                stated.add((above, line))
            elif line[:1].strip():
                above = line
        if number < len(stated):
            yield f"{number} {word}s, but {len(stated)} lines state one"


def _check_levels(statement: Statement, source: SourceText) -> Iterator[str]:
    """Check that no quoted line begins with a level."""
    for number in statement.examples:
        match = LEVELLED.match(source.visible_lines[number - 1])
        if match:
            yield f"line {number} has the level {match['level']}"


def _check_first(statement: Statement, source: SourceText) -> Iterator[str]:
    """Check that no line before the first error states one in the same brackets, and that no sentence is one."""
    for number in statement.examples:
        line = source.visible_lines[number - 1]
        if SENTENCE.match(line):
            yield f"line {number} is a sentence about errors"
    first = statement.examples[0] if statement.examples else 0
    if first and BRACKETED.match(source.visible_lines[first - 1]):
        before = [at for at, line in enumerate(source.visible_lines[: first - 1], start=1) if BRACKETED.match(line)]
        yield from (f"line {at} states one before" for at in before[:1])


def _check_printed_rows(statement: Statement, source: SourceText) -> Iterator[str]:
    """Compare a number of rows with the one that is printed below them."""
    match = ROWS.search(statement.text)
    below = source.visible_lines[statement.end : statement.end + 2] if statement.end else []
    printed = next(filter(None, map(PRINTED_ROWS.match, below)), None)
    if match and printed and int(match["n"].replace(",", "")) != int(printed["n"]):
        yield f"{match['n']} rows, but the input says {printed['n']}"


def _check_owner(statement: Statement, source: SourceText) -> Iterator[str]:
    """Check that no report of verbose go test is given to the failing test above it, unless tests have a beginning."""
    lines = source.visible_lines
    if not statement.start or not lines[statement.start - 1].lstrip().startswith("--- FAIL: "):
        return
    reports = [number for number in statement.examples if re.match(r"\s+\S+\.go:\d+: ", lines[number - 1])]
    begun = any(line.startswith(("=== RUN", "=== FAIL")) for line in lines)
    if reports and not begun and any(map(RESULT.match, lines)):
        yield f"line {reports[0]} stands before the result of its test"
