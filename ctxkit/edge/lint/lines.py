"""Findings as text: the place, the rule, the lines with carets below what is meant, where else it stands."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Finding
from ctxkit.core.lint.rule import Rule

WIDTH = 110
"""Characters of a line that are shown."""
SHOWN = 3
"""Lines of a long finding that are shown at its beginning; of what is left out, the number."""
SECRET = "HYG007"
COLORS = {"error": "31", "warning": "33", "info": "36", "path": "1", "dim": "2"}


class Painter:
    """Put colours around words, or leave them as they are."""

    def __init__(self, *, colored: bool) -> None:
        self._colored = colored

    def __call__(self, words: str, color: str) -> str:
        """Return words in a colour."""
        return f"\x1b[{COLORS[color]}m{words}\x1b[0m" if self._colored else words


def report(documents: Mapping[str, Document], findings: Sequence[Finding], paint: Painter) -> Iterator[str]:
    """Yield the lines that tell of findings, a blank one after each; ``documents`` are found by their paths."""
    for finding in findings:
        place = f"{finding.path}:{finding.line}:{finding.column or 1}"
        mark = {None: "", True: " [*]", False: " [unsafe fix]"}[finding.fix.safe if finding.fix else None]
        code = paint(finding.code, finding.severity.word)
        yield f"{paint(place, 'path')}: {code}{mark} {finding.message}"
        document = documents.get(finding.path)
        if document is not None and 0 < finding.line <= document.lines:
            yield from _source(document, finding, paint)
        yield from _rest(finding)
        yield ""


def _source(document: Document, finding: Finding, paint: Painter) -> Iterator[str]:
    last = min(finding.end_line, document.lines)
    numbers = range(finding.line, min(last, finding.line + SHOWN - 1) + 1)
    width = len(str(numbers[-1]))
    yield paint(f"{'':{width}} |", "dim")
    for number in numbers:
        text, caret = shown(document, finding, number)
        yield f"{paint(f'{number:{width}} |', 'dim')} {text}".rstrip()
        if caret:
            yield f"{paint(f'{chr(32) * width} |', 'dim')} {paint(caret, finding.severity.word)}"
    if last > numbers[-1]:
        yield paint(f"{'':{width}} | ... to line {last}", "dim")


def shown(document: Document, finding: Finding, number: int) -> tuple[str, str]:
    """Return a line as it may be shown, and the carets below it; a secret is never shown."""
    line = document.at(number).expandtabs(1)
    start, end = 0, 0
    if number == finding.line and finding.column:
        start, end = finding.column - 1, (finding.end_column or finding.column + 1) - 1
    if finding.code == SECRET:
        line = f"{line[:start]}{line[start : start + 4]}{'*' * 8}{line[end:]}"
        end = start + 12
    if start > WIDTH - 30:
        cut = start - 30
        line, start, end = f"...{line[cut:]}", start - cut + 3, end - cut + 3
    line = line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
    return line, " " * start + "^" * max(1, min(end, WIDTH) - start) if end else ""


def _rest(finding: Finding) -> Iterator[str]:
    for place in finding.related:
        lines = f"{place.line}" if place.line == place.end_line else f"{place.line}-{place.end_line}"
        yield f"  = also: {place.path}:{lines}"
    if finding.wasted:
        name, tokens = max(finding.wasted, key=lambda one: one[1])
        more = f", and {len(finding.wasted) - 1} more" if len(finding.wasted) > 1 else ""
        yield f"  = costs: {tokens} tokens in {name}{more}"
    if finding.fix:
        yield f"  = fix: {finding.fix.description}"


def closing(findings: Sequence[Finding], done: int, files: int) -> str:
    """Return the last line: how many findings there are, what they cost, and what could be mended."""
    mended = f" Mended {done}." if done else ""
    if not findings:
        return f"Nothing found in {files} {'file' if files == 1 else 'files'}.{mended}"
    severities = Counter(one.severity.word for one in findings)
    parts = ", ".join(f"{severities[word]} {word}" for word in ("error", "warning", "info") if severities[word])
    safe = sum(1 for one in findings if one.fix and one.fix.safe)
    unsafe = sum(1 for one in findings if one.fix and not one.fix.safe)
    hints = [f"{safe} mended by --fix"] * bool(safe) + [f"{unsafe} more by --unsafe-fixes"] * bool(unsafe)
    noun = "finding" if len(findings) == 1 else "findings"
    return f"{len(findings)} {noun} in {files} files ({parts}).{mended} {'; '.join(hints)}".strip()


def statistics(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield how often each rule found something, the most frequent first, with what it wastes."""
    counts = Counter(one.code for one in findings)
    for code, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        mine = [one for one in findings if one.code == code]
        mark = "[*]" if any(one.fix and one.fix.safe for one in mine) else "[ ]"
        tokens = sum(one.tokens for one in mine)
        yield f"{count:>5}  {code}  {mark}  {rules[code].name}" + (f"  {tokens} tokens" if tokens else "")
