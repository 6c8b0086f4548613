"""Format findings as text with source lines and carets, tables of costs, and the pages of rules."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.lint.costs import Cost, Costs
from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.rule import Rule
from ctxkit.core.lint.readings import describe_reading, is_default
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.rules.secrets import mask_text
from ctxkit.core.lint.savings import Saving
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import out

WIDTH = 110
"""Maximum characters of a line that are shown."""
_SHOWN_LINES = 3
"""Maximum lines of a finding that are shown, from its beginning."""
_MAX_SPLIT_TEXTS = 8
"""Texts of which the lines are kept: a finding quotes two files, and its neighbours often the same ones."""
_LEFT_CONTEXT = 30
"""Characters before the marked text that are shown of a long line."""
_COLORS = {"error": "31", "warning": "33", "info": "36", "path": "1", "dim": "2"}


class Painter:
    """Colors words, or returns them unchanged."""

    def __init__(self, *, colored: bool) -> None:
        self._colored = colored

    def __call__(self, words: str, color: str) -> str:
        """Return words in a color."""
        return f"\x1b[{_COLORS[color]}m{words}\x1b[0m" if self._colored else words


def report_lines(
    documents: Mapping[str, MarkdownDocument], findings: Sequence[LintFinding], paint: Painter
) -> Iterator[str]:
    """Yield the lines about findings, with a blank line after each; ``documents`` are keyed by path."""
    split_text = lru_cache(maxsize=_MAX_SPLIT_TEXTS)(lambda path: mask_text(documents[path].text).split("\n"))

    def quote(finding: LintFinding) -> Iterator[str]:
        """Yield the source lines of a finding or of its other place."""
        document = documents.get(finding.path)
        if document is not None and 0 < finding.line <= document.lines:
            yield from _source_lines(split_text(finding.path), finding, paint)

    for finding in findings:
        yield _head_line(finding, paint)
        yield from quote(finding)
        for number, place in enumerate(finding.related):
            yield escape_line(f"  = also: {place.path}:{_format_lines(place)}")
            if number == 0:
                yield from quote(
                    finding._replace(path=place.path, line=place.line, end_line=place.end_line, column=None)
                )
        yield from map(escape_line, _detail_lines(finding))
        yield ""


def concise_lines(findings: Sequence[LintFinding], paint: Painter) -> Iterator[str]:
    """Yield one line for each finding: place, rule, message."""
    return (_head_line(finding, paint) for finding in findings)


def _head_line(finding: LintFinding, paint: Painter) -> str:
    place = f"{finding.path}:{finding.line}:{finding.column or 1}"
    mark = {None: "", True: " [*]", False: " [unsafe fix]"}[finding.fix.safe if finding.fix else None]
    severity, code = paint(finding.severity.word, finding.severity.word), paint(finding.code, finding.severity.word)
    return f"{paint(escape_line(place), 'path')}: {severity} {code}{mark} {escape_line(finding.message)}"


def _format_lines(place: LineRange) -> str:
    return f"{place.line}" if place.line == place.end_line else f"{place.line}-{place.end_line}"


def _source_lines(lines: Sequence[str], finding: LintFinding, paint: Painter) -> Iterator[str]:
    last = min(finding.end_line, len(lines))
    numbers = range(finding.line, min(last, finding.line + _SHOWN_LINES - 1) + 1)
    width = len(str(numbers[-1]))
    bar = paint(f"{'':{width}} |", "dim")
    yield bar
    for number in numbers:
        text, caret = render_line(lines[number - 1].rstrip("\r"), *_find_marked_columns(finding, number))
        yield f"{paint(f'{number:{width}} |', 'dim')} {text}".rstrip()
        if caret:
            yield f"{bar} {paint(caret, finding.severity.word)}"
    if last > numbers[-1]:
        yield paint(f"{'':{width}} | ... to line {last}", "dim")


def _find_marked_columns(finding: LintFinding, number: int) -> tuple[int, int]:
    """Return the marked columns (0-based, end exclusive) of a line, (0, 0) if there are none."""
    if number != finding.line or not finding.column:
        return 0, 0
    alone = finding.end_line == finding.line and finding.end_column
    return finding.column - 1, alone - 1 if alone else finding.column


def render_line(line: str, start: int, end: int) -> tuple[str, str]:
    """Return a line for a terminal, and the carets below the marked characters, "" for none.

    Shorten a long line to the part around them. Replace tabs and control characters by blanks; wide characters get two
    carets.
    """
    cut = max(0, start - _LEFT_CONTEXT) if end and start > WIDTH - _LEFT_CONTEXT else 0
    head = "..." if cut else ""
    part = line[cut : cut + WIDTH]
    tail = "..." if len(line) > cut + WIDTH else ""
    before, under = start - cut, min(end, cut + WIDTH) - start
    if not (part.isascii() and part.isprintable()):
        part = "".join(map(_show_sign, part))
        before = sum(map(_width, line[cut:start]))
        under = sum(map(_width, line[start : min(end, cut + WIDTH)]))
    carets = " " * (len(head) + before) + "^" * max(1, under)
    return f"{head}{part}{tail}", carets if end else ""


def _show_sign(sign: str) -> str:
    """Return a character, or blanks for a tab and for a control character."""
    return "    " if sign == "\t" else sign if sign.isprintable() else " "


def _width(sign: str) -> int:
    """Return the number of columns of a character."""
    if sign == "\t":
        return 4
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def _detail_lines(finding: LintFinding) -> Iterator[str]:
    if finding.wasted:
        name, tokens = max(finding.wasted, key=lambda pair: pair[1])
        more = f", and {len(finding.wasted) - 1} more" if len(finding.wasted) > 1 else ""
        yield f"  = costs: {tokens} tokens in {name}{more}"
    if finding.fix:
        yield f"  = fix: {finding.fix.description}"


def summary_line(
    findings: Sequence[LintFinding], fix_count: int, files: int, names: Sequence[str] = (), *, is_fixing: bool = False
) -> str:
    """Return the last line: the number of findings by severity, and how many are fixable.

    ``files`` is the number of files that were read, ``names`` are those that the user asked for; empty for all. If the
    run was ``is_fixing``, what is left is not offered for fixing again.
    """
    fixed_text = f" Fixed {fix_count}." if fix_count else ""
    if not findings:
        return f"Nothing found in {_describe_files(files, names)}.{fixed_text}"
    severities = Counter(finding.severity.word for finding in findings)
    parts = ", ".join(f"{severities[word]} {word}" for word in ("error", "warning", "info") if severities[word])
    safe = sum(1 for finding in findings if finding.fix and finding.fix.safe)
    unsafe = sum(1 for finding in findings if finding.fix and not finding.fix.safe)
    hints = [f"{safe} fixable with --fix"] * bool(safe)
    hints += [f"{unsafe}{' more' if safe else ' fixable'} with --unsafe-fixes"] * bool(unsafe)
    if is_fixing:
        hints = []
    noun = "finding" if len(findings) == 1 else "findings"
    where = _describe_files(files, names)
    return f"{len(findings)} {noun} in {where} ({parts}).{fixed_text} {'; '.join(hints)}".strip()


def _describe_files(files: int, names: Sequence[str]) -> str:
    """Return the files that were asked for, and the number of the others that were read with them."""
    if not names:
        return "1 file" if files == 1 else f"{files} files"
    requested = escape_line(names[0]) if len(names) == 1 else f"{len(names)} files"
    others = files - len(names)
    if others < 1:
        return requested
    verb, them = "file is" if others == 1 else "files are", "it" if len(names) == 1 else "them"
    return f"{requested}; {others} {verb} read with {them}"


def rule_summary(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> str:
    """Return the number of findings of each rule on one line, the most frequent first; "" for a single rule."""
    counts = Counter(finding.code for finding in findings)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count} {code} {rules[code].name}" for code, count in ordered) if len(counts) > 1 else ""


def statistics_lines(findings: Sequence[LintFinding], rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield the number of findings per rule, the most frequent first, with their wasted tokens."""
    counts = Counter(finding.code for finding in findings)
    for code, count in sorted(counts.items(), key=lambda finding: (-finding[1], finding[0])):
        mine = [finding for finding in findings if finding.code == code]
        mark = "[*]" if any(finding.fix and finding.fix.safe for finding in mine) else "[ ]"
        tokens = sum(finding.tokens for finding in mine)
        yield f"{count:>5}  {code}  {mark}  {rules[code].name}" + (f"  {tokens} tokens" if tokens else "")


SOURCES = 3
KINDS = {
    "DUP001": "exact dup", "DUP002": "exact dup", "DUP003": "near dup", "DUP004": "triple", "DUP005": "copied section",
    "DUP006": "drifted", "DUP007": "cross-ref", "DUP009": "kept apart", "CON001": "contradiction",
}  # fmt: skip


def duplication_lines(findings: Sequence[LintFinding]) -> Iterator[str]:
    """Yield the table Concept | Source 1 | Source 2 | Source 3 | Waste, the most expensive first."""
    rows = [finding for finding in findings if finding.code in KINDS]
    yield "| Concept | Source 1 | Source 2 | Source 3 | Waste |"
    yield "|---------|----------|----------|----------|-------|"
    for finding in sorted(rows, key=lambda finding: (-finding.tokens, finding.path, finding.line)):
        places = [escape_line(str(place)) for place in (*finding.related, finding.location)]
        more = f" +{len(places) - SOURCES}" if len(places) > SOURCES else ""
        cells = [*places[:SOURCES], *["—"] * (SOURCES - len(places))]
        cells[-1] += more
        waste = f"{finding.tokens} tokens, {KINDS[finding.code]}" if finding.tokens else KINDS[finding.code]
        yield f"| {_quote_cell(finding.concept or finding.message)} | {' | '.join(cells)} | {waste} |"


def _quote_cell(text: str) -> str:
    """Return quoted text for a table cell."""
    words = escape_line(" ".join(text.split())).lstrip("-*+# ").replace("|", "\\|")
    return f'"{words if len(words) <= 60 else words[:57] + "..."}"'


def budget_lines(
    costs: Costs, *, counter_name: str, over: Sequence[LintFinding] = (), savings: Sequence[Saving] = ()
) -> Iterator[str]:
    """Yield the tokens of each file and each load set, before and after fixes; then the verdict.

    The verdict is what is ``over`` a limit, and what would save most. ``counter_name`` names the tokenizer.
    """
    yield f"Tokens by {counter_name}; after: once every fix is made, safe or not."
    yield ""
    yield from _table_lines("Component", costs.files)
    total = Cost("**Total**", sum(cost.before for cost in costs.files), sum(cost.after for cost in costs.files))
    yield _format_row(total)
    yield _format_savings(total)
    if costs.sets:
        yield ""
        yield "| Loaded together | Before | After | Savings |"
        yield "|---|---:|---:|---:|"
        yield from (f"{_format_row(cost)} {cost.saving:,} tok |" for cost in _merge_sets(costs.sets))
    yield from _verdict_lines(over, savings)


def _merge_sets(costs: Sequence[Cost]) -> list[Cost]:
    """Return the costs with one row for load sets of the same files; its name has the names of all."""
    merged: dict[tuple[object, ...], Cost] = {}
    for cost in costs:
        key = (cost.paths, cost.before, cost.after, cost.always)
        earlier = merged.get(key)
        merged[key] = earlier._replace(name=_join_names(earlier.name, cost.name)) if earlier else cost
    return list(merged.values())


def _join_names(first: str, second: str) -> str:
    """Return two names of load sets as one, with the directory that both end with only once."""
    _, separator, directory = second.partition(" in ")
    return f"{first.removesuffix(separator + directory) if separator else first}, {second}"


def _verdict_lines(over: Sequence[LintFinding], savings: Sequence[Saving]) -> Iterator[str]:
    yield ""
    yield "Over a limit:" if over else "Nothing is over a limit."
    for finding in over:
        yield f"- {escape_line(finding.path)}: {finding.code} {escape_line(finding.message)}"
    if savings:
        yield ""
        yield "Largest savings on every turn:"
        for number, saving in enumerate(savings, 1):
            yield f"{number}. {saving.tokens:,} tok, {escape_line(saving.path)}: {saving.action}"


def _format_savings(total: Cost) -> str:
    share = f" ({total.saving / total.before:.0%})" if total.before and total.saving else ""
    return f"| **Savings** | | {total.saving:,} tok{share} |"


def _table_lines(head: str, costs: Sequence[Cost]) -> Iterator[str]:
    yield f"| {head} | Before | After |"
    yield "|---|---:|---:|"
    yield from map(_format_row, costs)


def _format_row(cost: Cost) -> str:
    times = "" if cost.always else " (at times)"
    return f"| {escape_line(cost.name)}{times} | {cost.before:,} tok | {cost.after:,} tok |"


RULES_HINT = "ctxkit dedupe explain lists the rules"
_FIXES = {"none": "none", "safe": "--fix, if it loses nothing", "unsafe": "--unsafe-fixes"}


def rule_lines(rule: Rule) -> Iterator[str]:
    """Yield the lines about a rule."""
    yield f"# {rule.code} {rule.name} ({rule.severity.word})"
    yield ""
    yield rule.summary
    yield ""
    yield rule.rationale
    for title, text in (("Bad", rule.bad), ("Good", rule.good)):
        yield ""
        yield f"{title}:"
        yield ""
        yield from (f"    {line}".rstrip() for line in text.split("\n"))
    yield ""
    yield f"Fix: {_FIXES[rule.fix]}"
    yield f"Runs: {'by default' if is_default(rule.code) else 'if it is selected: --extend-select ' + rule.code}"
    yield f"Precision: {describe_reading(rule.code)}"
    yield f"Evidence: {rule.evidence}"


def overview_lines(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield one line per rule."""
    width = max(len(rule.name) for rule in rules.values())
    for rule in rules.values():
        state = rule.severity.word if is_default(rule.code) else "off"
        yield f"{rule.code}  {rule.name:{width}}  {state:7}  {rule.summary}"


def describe_unknown_rule(code: str) -> str:
    """Return the message about the code of a rule that does not exist."""
    from ctxkit.edge.suggestions import suggest_value

    return f"no rule is called {code}{suggest_value(code, rules())}"


def explain_rules(codes: Sequence[str]) -> Exit:
    """Print the pages of rules, of all rules for ALL, or an overview; raise UsageError for an unknown code."""
    known = rules()
    if not codes:
        out.write_listing("\n".join(overview_lines(known)) + "\n")
        return Exit.DONE
    rule_codes = list(known) if [code.upper() for code in codes] == ["ALL"] else [code.upper() for code in codes]
    bad = next((code for code in rule_codes if code not in known), "")
    if bad:
        raise UsageError(describe_unknown_rule(bad), hint=RULES_HINT)
    out.write_listing("\n\n".join("\n".join(rule_lines(known[code])) for code in rule_codes) + "\n")
    return Exit.DONE
