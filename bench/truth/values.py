"""Values and totals that a map states, recomputed from every line of its input."""

import re
from collections.abc import Callable, Iterator

from bench.truth.source_text import SourceText, form_of
from bench.truth.statements import Statement

Check = Callable[["re.Match[str]", Statement, SourceText], str]
"""Return what is wrong with a statement that a pattern matches, empty if nothing is."""
COUNTED = re.compile(r"(?P<value>.+?) (?P<n>\d[\d,]*)(?: \(at (?P<places>[\d, ]+)\))?$")
"""A value with its count, and the lines of a rare one."""
EXTREME = r"(?P<{0}>[^()]+) \(line (?P<{0}_line>\d[\d,]*)(?:, [^)]*)?\)"
ITEM = re.compile(
    r"(?:^|, |(?<!\d),|: |\()(?P<line>\d[\d,]*)(?:/(?P<repeats>[\d/]+)|-\d[\d,]*)? "
    r"(?!(?:rows?|files?|before|more|of|to|from|in|type)\b)"
    r"(?P<label>[^\s,:;()]+)"
)
LISTED = re.compile(r"\bat lines [\d, ]+$")
COUNTS = re.compile(r"Found here: |\d+ frames?[,;]")
SKIPPED = re.compile(r"\.\.\.|^=")
"""Pattern of a value that is cut, or that begins behind a comma of another."""
TELLING = 15
"""Lines below one of several equal headings that may tell it apart."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
EVENT = 10
"""Lines of the last event of a list that may hold its subject."""
OUTSIDE = 2
"""Lines outside of the records that may state a value, too."""
LEVELS = re.compile(r"(?P<level>[A-Z]{3,}) (?P<n>\d[\d,]*)")
RANGE = re.compile(r"(\d[\d,]*)-(\d[\d,]*)")


def check_values(statement: Statement, source: SourceText) -> Iterator[str]:
    """Yield what is not so of the values in a statement."""
    for pattern, check in CHECKS:
        match = pattern.search(statement.text)
        complaint = check(match, statement, source) if match else ""
        if complaint:
            yield complaint


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _read_values(source: SourceText, key: str, line: int = 0) -> dict[int, str]:
    """Return the value of each line that begins with a key, by the number of the line, with the indentation of one."""
    shape = re.match(rf"\s*{re.escape(key)}\s*(?:=>|[:=])", source.visible_lines[line - 1]) if line else None
    begin = re.escape(shape[0]) if shape else rf"\s*{re.escape(key)}\s*(?:=>|[:=])"
    pattern = re.compile(rf"{begin}\s*(.*?)\s*$")
    matches = ((number, pattern.match(line)) for number, line in enumerate(source.visible_lines, start=1))
    return {number: match[1] for number, match in matches if match}


def _check_counts(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `KEY: VALUE 20, VALUE 3, KEY: VALUE 1 (at 82)` below the title of values."""
    if statement.section != "Values":
        return ""
    key = match["key"]
    values = _read_values(source, key)
    for part in re.split(r", (?![\d, ]+\))", match["rest"]):
        counted = COUNTED.match(re.sub(rf"^{re.escape(key)}\s*(?:=>|[:=])\s*", "", part))
        if not counted or not values or "..." in part or "[+" in part:
            continue
        if counted["places"]:
            places = map(_number, counted["places"].split(", "))
            wrong = [place for place in places if counted["value"] not in values.get(place, "")]
            if wrong:
                return f"{key} is not {counted['value']} at {wrong[0]}"
        number = sum(value == counted["value"] for value in values.values())
        if number > _number(counted["n"]) + OUTSIDE and number % _number(counted["n"]):  # a record may state it twice
            return f"{key} is {counted['value']} {number} times"
    return ""


def _check_extremes(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `KEY: LOWEST (line L, name) to HIGHEST (line M, name)`."""
    del statement
    ends = ((match["low"], _number(match["low_line"])), (match["high"], _number(match["high_line"])))
    lines = _read_values(source, match["key"], min(ends[0][1], len(source.visible_lines)))
    values = {line: " ".join(value.split()) for line, value in lines.items()}
    for value, line in ends:
        row = " ".join(source.visible_lines[line - 1].split()) if line <= len(source.visible_lines) else ""
        if " ".join(value.split()) not in row or line > len(source.visible_lines):
            return f"line {line} does not hold {value}"
    numbers = [float(value) for value in values.values() if NUMBER.fullmatch(value)]
    if len(numbers) < len(values) or not numbers or not all(NUMBER.fullmatch(value) for value, _ in ends):
        return ""
    if (min(numbers), max(numbers)) == (float(match["low"]), float(match["high"])):
        return ""
    return f"{match['key']} is {min(numbers)} to {max(numbers)}"


def _check_constant(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `the same wherever it stands: KEY VALUE, KEY VALUE`."""
    del statement
    for part in match["rest"].split(", "):
        words = part.split(" ")
        splits = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        pairs = [(key, value) for key, value in splits if not SKIPPED.search(value)]
        values = [(key, value, set(_read_values(source, key).values())) for key, value in pairs]
        known = [(key, value, others) for key, value, others in values if others]
        if known and not any(all(other.startswith(value) for other in others) for _, value, others in known):
            return f"{known[-1][0]} is {' and '.join(sorted(known[-1][2])[:2])}"
    return ""


def _check_everywhere(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `keys in all records: KEY, KEY` against the number of records that a row before states."""
    del statement
    for key in match["rest"].split(", "):
        if "..." not in key and key[0] != "+" and not any(key in line for line in source.visible_lines):
            return f"no line has the key {key}"
    return ""


def _check_extensions(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `by extension: .py 12, (none) 3`: no more than lines that hold the extension."""
    del statement
    total = 0
    for part in match["rest"].split(", "):
        extension, _, number = part.rpartition(" ")
        total += _number(number) if number.replace(",", "").isdigit() else 0
        if extension.startswith(".") and _number(number) > source.count_lines(f"(?i){re.escape(extension)}"):
            return f"{number} of {extension}, but fewer lines hold it"
    return f"{total} entries in {len(source.visible_lines)} lines" if total > len(source.visible_lines) else ""


def _check_diff(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N files changed, ..., N hunks` of a diff of git."""
    del statement
    files = source.count_lines(r"^diff --(?:git|cc|combined) ")
    if files and files != _number(match["files"]):
        return f"{files} files"
    hunks = source.count_lines(r"^@@+ -\d")
    return f"{hunks} hunks" if match["hunks"] and files and hunks != _number(match["hunks"]) else ""


def _check_commits(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `N commits` of a log of git in its long format."""
    commits = source.count_lines(r"^commit [0-9a-f]{40}\b", statement.start, statement.end)
    return f"{commits} commits" if commits and commits != _number(match["n"]) else ""


def _check_repeated(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check that a text stands on its own line as often as stated."""
    del statement
    lines = [line.strip() for line in source.visible_lines]
    number = sum(line.startswith(match["text"].strip()) for line in lines)
    return f"{match['text']!r} begins {number} lines" if number != _number(match["n"]) else ""


def _check_levels(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check `lines by the level they state: INFO 3, none 4`: no more than lines that hold the level."""
    for level in LEVELS.finditer(match["rest"]):
        number = source.count_lines(rf"(?i){level['level']}|\b{level['level'][0]}\b", statement.start, statement.end)
        if _number(level["n"]) > number:
            return f"{level['n']} lines state {level['level']}, but only {number} hold it"
    return ""


def _check_calls(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check how many calls of a trace failed."""
    failed = source.count_lines(r" = -1 E[A-Z]+\b", statement.start, statement.end)
    return f"{failed} calls failed" if failed != _number(match["n"]) else ""


def _check_again(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check that the lines at which a header stands again hold its columns."""
    del statement
    names = [name for name in match["names"].split(", ") if name and "..." not in name and name != "time"]
    for line in map(_number, re.findall(r"\d[\d,]*(?=,? |$|\))", match["places"].replace(", ", " "))):
        missing = [name for name in names if name not in source.visible_lines[line - 1]]
        if missing:
            return f"line {line} has no column {missing[0]}"
    return ""


def _check_alike(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check that ranges which are called alike have lines of the same forms."""
    if not statement.start:
        return ""
    forms = [form_of(line) for line in source.visible_lines[statement.start - 1 : statement.end]]
    for first, last in RANGE.findall(match["places"]):
        other = [form_of(line) for line in source.visible_lines[_number(first) - 1 : _number(last)]]
        if len(other) != len(forms):
            return f"{first}-{last} has {len(other)} lines, not {len(forms)}"
    return ""


def _check_index(match: "re.Match[str]", statement: Statement, source: SourceText) -> str:
    """Check rows of at least three `LINE name` or `LINE/LINE name`: each line, or the next one, holds the name."""
    del match
    if LISTED.search(statement.text) or COUNTS.match(statement.text):
        return ""  # numbers of lines alone, or counts
    matches = list(ITEM.finditer(statement.text))
    items = [(_number(match["line"]), match["label"].strip("`'\"*")) for match in matches]
    repeats = [(line, match["label"]) for match in matches if match["repeats"] for line in match["repeats"].split("/")]
    lines = [line for line, _ in items]
    if len(items) < 3 or lines != sorted(set(lines)) or lines[-1] > len(source.visible_lines) or not lines[0]:
        return ""
    spans = any(words in statement.section for words in ("each after its line", "each after its first", "Records by"))
    ends = [*lines[1:], lines[-1] + EVENT] if spans else []
    if statement.section.startswith("Index ("):
        ends = [min(end, line + TELLING) for line, end in zip(lines, [*lines[1:], lines[-1] + TELLING], strict=True)]
    items += [(_number(line), name) for line, name in repeats]
    ends += [0] * (len(items) - len(ends))
    wrong = [item for item, end in zip(items, ends, strict=True) if not _is_named(item, source, end)]
    return f"line {wrong[0][0]} does not hold {wrong[0][1]}" if wrong and len(wrong) < len(items) else ""


def _is_named(item: tuple[int, str], source: SourceText, end: int = 0) -> bool:
    """Return whether a name stands on a line or just below, or before line ``end``, entirely or by its last part."""
    line, label = item
    text = " ".join(source.visible_lines[max(line - 4, 0) : max(line + 3, end - 1)])
    pieces = [piece for piece in re.split(r"\.{3}|…|/|::|\.(?=\w)", label.rstrip("/")) if piece]
    return not pieces or label in text or any(piece in text for piece in pieces)


CHECKS: tuple[tuple["re.Pattern[str]", Check], ...] = (
    (re.compile(r"^(?P<key>[^:]+): (?P<rest>.+ \d[\d,]*(?: \(at [\d, ]+\))?)$"), _check_counts),
    (
        re.compile(rf"^(?P<key>[^:(]+?)(?: \(in .*?\))?: {EXTREME.format('low')} to {EXTREME.format('high')}$"),
        _check_extremes,
    ),
    (re.compile(r"^the same wherever it stands: (?P<rest>.+)$"), _check_constant),
    (re.compile(r"^keys in all records: (?P<rest>.+)$"), _check_everywhere),
    (re.compile(r"^by extension: (?P<rest>.+?)(?:, \+\d.*)?$"), _check_extensions),
    (
        re.compile(r"^(?P<files>\d[\d,]*) files? changed.*?(?:, (?P<hunks>\d[\d,]*) hunks?)?(?: \(|;|$)"),
        _check_diff,
    ),
    (re.compile(r"^(?P<n>\d[\d,]*) commits?\b"), _check_commits),
    (re.compile(r"`(?P<text>[^`…]+)` (?P<n>\d[\d,]*) times$"), _check_repeated),
    (re.compile(r"^lines by the level they state: (?P<rest>.+)$"), _check_levels),
    (re.compile(r"\bcalls, (?P<n>\d[\d,]*) failed\b"), _check_calls),
    (re.compile(r"^(?P<names>.+) \(.*again at (?P<places>[\d, ]+)"), _check_again),
    (re.compile(r"\d+x, the others alike, at (?P<places>[\d, -]+)"), _check_alike),
    (re.compile(r"\d"), _check_index),
)
"""The values that are known how to compute again, each with its check."""
