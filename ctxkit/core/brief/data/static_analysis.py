"""Findings of linters and scanners in JSON: SARIF, and lists of objects with rule, file, line and message."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.text.json_value import JsonValue

LOCATION = "locations.0.physicalLocation"
FILES = (
    "file", "path", "filename", "filePath", "file_path", "source", "uri", "File", "Pos.Filename", "location.path",
    "location.file", "location.filename", "component", "resource", f"{LOCATION}.artifactLocation.uri",
    f"{LOCATION}.fileLocation.uri",
)  # fmt: skip
LINES = (
    "line", "line_number", "lineNumber", "startLine", "StartLine", "Line", "start.line", "location.row",
    "location.line", "location.start.line", "location.start_line", "location.startLine", "location.lines.begin",
    "location.positions.begin.line", "begin_line", "beginLine", "textRange.startLine", "Pos.Line", "region.startLine",
    f"{LOCATION}.region.startLine",
)  # fmt: skip
MESSAGES = (
    "message.text", "message.markdown", "message.id", "extra.message", "message", "msg", "text", "Text", "issue_text",
    "description", "Description", "reason", "title", "message.messageId", "ruleMessageId",
)  # fmt: skip
RULES = (
    "ruleId", "rule.id", "rule", "rule_id", "RuleID", "check_id", "check_name", "test_id", "cop_name", "symbol",
    "FromLinter", "warning_type", "code.code", "code", "messageId",
)  # fmt: skip
LEVELS = (
    "level", "severity", "extra.severity", "issue_severity", "Severity", "severity_level", "type", "confidence",
)  # fmt: skip
"""Paths of the severity in linter formats; as in the tuples above, a dot enters a nested object."""
LEVEL_ORDER = ("critical", "blocker", "fatal", "error", "high", "major", "2", "warning", "medium", "moderate", "1")
SAMPLE = 20
"""Number of objects read to detect a list of findings."""
MAX_TRIED = 2_000
"""Maximum number of elements searched for nested lists of findings."""
MAX_DEPTH = 5
"""Maximum number of levels of lists and objects searched."""
RANK = 4
"""Rank of findings: before the shape, after the top entries."""
MAX_FINDING_WIDTH = 160
"""Maximum number of characters of a finding."""
Steps = tuple["str | int", ...]


@dataclass(frozen=True, slots=True)
class AnalyzerFinding:
    """Hold one finding and its path."""

    level: str
    rule: str
    text: str
    steps: Steps


class AnalysisReport:
    """Hold the findings in one JSON value, the worst first; ``findings`` is empty for other values."""

    def __init__(self, part_ranges: PartRanges, value: JsonValue) -> None:
        self.part_ranges = part_ranges
        self.findings = sorted(_collect_findings(value, "", (), MAX_DEPTH), key=_rank_level)

    def build_section(self, most: int) -> Section:
        """Return a section with the counts by level and rule, and the worst ``most`` findings."""
        total = len(self.findings)
        entries = [Entry(text, rank=RANK - 1) for text in self._format_counts()]
        for finding in self.findings[: max(most, 2)]:
            place = self.part_ranges.places.find(self.part_ranges.roots[0], finding.steps)
            entry = Entry(finding.text, rank=RANK)
            entries.append(self.part_ranges.make_entry(place, finding.text, RANK) if place else entry)
        more = f"; {total - most:,} more not shown" if total > most else ""
        return Section(f"Findings, the worst first ({total:,}{more})", tuple(entries), noun="findings")

    def _format_counts(self) -> Iterator[str]:
        for noun, words in (
            ("levels", [finding.level for finding in self.findings]),
            ("rules", [finding.rule for finding in self.findings]),
        ):
            ranked = Counter(word for word in words if word).most_common()
            if ranked:
                more = f", +{len(ranked) - 8:,} more" if len(ranked) > 8 else ""
                yield f"{noun}: {', '.join(f'{word[:60]} ×{count:,}' for word, count in ranked[:8])}{more}"


def _rank_level(finding: AnalyzerFinding) -> int:
    level = finding.level.lower()
    return LEVEL_ORDER.index(level) if level in LEVEL_ORDER else len(LEVEL_ORDER)


def _collect_findings(value: JsonValue, file: str, steps: Steps, levels: int) -> Iterator[AnalyzerFinding]:
    """Yield the findings below a value; a finding without a file takes it from the object around it."""
    if not levels:
        return
    if isinstance(value, dict):
        own = _find_value(value, FILES)
        inside = own if isinstance(own, str) else file
        defaults = _read_rule_levels(value)
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _apply_default_levels(_collect_findings(inner, inside, (*steps, key), levels - 1), defaults)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        if _is_findings(value, file):
            yield from (
                _make_finding(item, file, (*steps, at))
                for at, item in enumerate(value)
                if isinstance(item, dict)
                and not (_find_value(item, RULES) is None and _find_value(item, MESSAGES) is None)
            )
            return
        any_found = False
        for at, item in enumerate(value):
            if at >= MAX_TRIED and not any_found:
                return
            for finding in _collect_findings(item, file, (*steps, at), levels - 1) if isinstance(item, dict) else ():
                any_found = True
                yield finding


def _is_findings(rows: Sequence[JsonValue], file: str) -> bool:
    """Return whether most objects of a list have a rule, a message, and a line of a file."""
    sample = [row for row in rows[:SAMPLE] if isinstance(row, dict)]
    full = sum(
        isinstance(_find_value(row, MESSAGES), str)
        and _find_value(row, RULES) is not None
        and (_find_value(row, LINES) is not None or LOCATION.partition(".")[0] in row)
        and bool(file or isinstance(_find_value(row, FILES), str) or "locations" in row)
        for row in sample
    )
    return full * 2 > len(sample)


def _make_finding(item: dict[str, JsonValue], file: str, steps: Steps) -> AnalyzerFinding:
    level = _find_value(item, LEVELS)
    if level in (1, 2) and "ruleId" in item:  # ESLint numbers its levels
        level = "error" if level == 2 else "warning"
    path, line = _find_value(item, FILES), _find_value(item, LINES)
    place = f"{path if isinstance(path, str) else file}" + (f":{line}" if line is not None else "")
    rule = str(_find_value(item, RULES) or "")
    message = " ".join(str(_find_value(item, MESSAGES) or "").split())
    text = " ".join(part for part in (rule, place, message) if part)
    level_text = "" if level is None else str(level)
    return AnalyzerFinding(level_text, rule, clean_line(f"{level_text} {text}".strip(), MAX_FINDING_WIDTH), steps)


def _apply_default_levels(
    findings: Iterator[AnalyzerFinding], defaults: dict[str, str] | None
) -> Iterator[AnalyzerFinding]:
    """Give findings of a SARIF run without a level the level of their rule."""
    for finding in findings:
        if defaults is None or finding.level:
            yield finding
        else:
            level = defaults.get(finding.rule, "warning")
            yield AnalyzerFinding(
                level, finding.rule, clean_line(f"{level} {finding.text}", MAX_FINDING_WIDTH + 20), finding.steps
            )


def _read_rule_levels(value: dict[str, JsonValue]) -> dict[str, str] | None:
    """Return the level of each rule of a SARIF run that sets a level (SARIF 2.1.0, 3.27.10), or
    None for other values.
    """
    rules = _find_value(value, ("tool.driver.rules",))
    if _find_value(value, ("tool.driver",)) is None or not isinstance(value.get("results"), list):
        return None
    levels = {}
    for rule in rules if isinstance(rules, list) else ():
        level = _find_value(rule, ("defaultConfiguration.level",)) if isinstance(rule, dict) else None
        if isinstance(level, str):
            levels[str(rule.get("id", ""))] = level
    return levels


def _find_value(value: JsonValue, names: Sequence[str]) -> JsonValue:
    """Return the first scalar or list with one of the names, or None."""
    for name in names:
        inner = value
        for step in name.split("."):
            if isinstance(inner, dict):
                inner = inner.get(step)
            elif isinstance(inner, list) and step.isdigit():
                inner = inner[int(step)] if int(step) < len(inner) else None
            else:
                inner = None
        if inner is not None and (not isinstance(inner, dict) or len(names) == 1) and inner != "":
            return inner
    return None
