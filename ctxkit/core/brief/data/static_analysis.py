"""What linters and scanners found, in JSON: SARIF, and lists of objects that name a rule, a file, a line, a message."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit.core.brief.data.extents import Extents
from ctxkit.core.brief.outline import Entry, Section, shown

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
"""Where objects of the formats of linters hold each; a step after a dot is one level deeper."""
WORST = ("critical", "blocker", "fatal", "error", "high", "major", "2", "warning", "medium", "moderate", "1")
SAMPLE = 20
"""Objects of a list that are looked at to tell what it holds."""
TRIED = 2_000
"""Elements of a list without findings of its own that are tried for lists of them."""
DEEPEST = 5
"""Levels of lists and objects that are entered."""
RANK = 4
"""Before the shape, after what stands at the top."""
WIDTH = 160
"""Characters of a finding that are told."""
Steps = tuple["str | int", ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Hold one finding and the path to it."""

    level: str
    rule: str
    text: str
    steps: Steps


class Analysis:
    """Know the findings in one JSON value, the worst first; there are none where the value is something else."""

    def __init__(self, extents: Extents, value: Any) -> None:
        self.extents = extents
        self.found = sorted(_walk(value, "", (), DEEPEST), key=_weight)

    def section(self, most: int) -> Section:
        """Return how many findings there are of which level and rule, and the worst ``most`` of them."""
        total = len(self.found)
        entries = [Entry(text, rank=RANK - 1) for text in self._counts()]
        for one in self.found[: max(most, 2)]:
            place = self.extents.places.find(self.extents.roots[0], one.steps)
            said = Entry(one.text, rank=RANK)
            entries.append(self.extents.entry(place, one.text, RANK) if place else said)
        more = f"; {total - most:,} more not shown" if total > most else ""
        return Section(f"Findings, the worst first ({total:,}{more})", tuple(entries), noun="findings")

    def _counts(self) -> Iterator[str]:
        for noun, words in (("levels", [one.level for one in self.found]), ("rules", [one.rule for one in self.found])):
            ranked = Counter(word for word in words if word).most_common()
            if ranked:
                more = f", +{len(ranked) - 8:,} more" if len(ranked) > 8 else ""
                yield f"{noun}: {', '.join(f'{word[:60]} ×{count:,}' for word, count in ranked[:8])}{more}"


def _weight(one: Found) -> int:
    level = one.level.lower()
    return WORST.index(level) if level in WORST else len(WORST)


def _walk(value: Any, file: str, steps: Steps, levels: int) -> Iterator[Found]:
    """Yield the findings below a value; those without a file of their own are in that of the object around them."""
    if not levels:
        return
    if isinstance(value, dict):
        own = _of(value, FILES)
        inside = own if isinstance(own, str) else file
        defaults = _defaults(value)
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _rated(_walk(inner, inside, (*steps, key), levels - 1), defaults)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        if _is_findings(value, file):
            yield from (
                _found(one, file, (*steps, at))
                for at, one in enumerate(value)
                if isinstance(one, dict) and not (_of(one, RULES) is None and _of(one, MESSAGES) is None)
            )
            return
        any_found = False
        for at, one in enumerate(value):
            if at >= TRIED and not any_found:
                return
            for found in _walk(one, file, (*steps, at), levels - 1) if isinstance(one, dict) else ():
                any_found = True
                yield found


def _is_findings(rows: Sequence[Any], file: str) -> bool:
    """Tell whether most objects of a list name a rule, a message, and a line of a file."""
    sample = [one for one in rows[:SAMPLE] if isinstance(one, dict)]
    full = sum(
        isinstance(_of(one, MESSAGES), str)
        and _of(one, RULES) is not None
        and (_of(one, LINES) is not None or LOCATION.partition(".")[0] in one)
        and bool(file or isinstance(_of(one, FILES), str) or "locations" in one)
        for one in sample
    )
    return full * 2 > len(sample)


def _found(one: dict[str, Any], file: str, steps: Steps) -> Found:
    level = _of(one, LEVELS)
    if level in (1, 2) and "ruleId" in one:  # ESLint numbers its levels
        level = "error" if level == 2 else "warning"
    path, line = _of(one, FILES), _of(one, LINES)
    place = f"{path if isinstance(path, str) else file}" + (f":{line}" if line is not None else "")
    rule = str(_of(one, RULES) or "")
    message = " ".join(str(_of(one, MESSAGES) or "").split())
    text = " ".join(part for part in (rule, place, message) if part)
    said = "" if level is None else str(level)
    return Found(said, rule, shown(f"{said} {text}".strip(), WIDTH), steps)


def _rated(found: Iterator[Found], defaults: dict[str, str] | None) -> Iterator[Found]:
    """Give findings of a SARIF run that have no level that of their rule."""
    for one in found:
        if defaults is None or one.level:
            yield one
        else:
            level = defaults.get(one.rule, "warning")
            yield Found(level, one.rule, shown(f"{level} {one.text}", WIDTH + 20), one.steps)


def _defaults(value: dict[str, Any]) -> dict[str, str] | None:
    """Return the level of each rule of a SARIF run that sets one (SARIF 2.1.0, 3.27.10); None where it is no run."""
    rules = _of(value, ("tool.driver.rules",))
    if _of(value, ("tool.driver",)) is None or not isinstance(value.get("results"), list):
        return None
    found = {}
    for rule in rules if isinstance(rules, list) else ():
        level = _of(rule, ("defaultConfiguration.level",)) if isinstance(rule, dict) else None
        if isinstance(level, str):
            found[str(rule.get("id", ""))] = level
    return found


def _of(value: Any, names: Sequence[str]) -> Any:
    """Return the first of the named scalars or lists that there is, None when there is none."""
    for name in names:
        found = value
        for step in name.split("."):
            if isinstance(found, dict):
                found = found.get(step)
            elif isinstance(found, list) and step.isdigit():
                found = found[int(step)] if int(step) < len(found) else None
            else:
                found = None
        if found is not None and (not isinstance(found, dict) or len(names) == 1) and found != "":
            return found
    return None
