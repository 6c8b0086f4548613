"""Members of reports in JSON that list problems: ``errors``, ``warnings`` and ``failures``."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ctxkit.core.brief.data.part_ranges import PartRanges
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.text.json_value import JsonValue

KEYS = ("fatal", "errors", "failures", "failed", "problems", "warnings")
"""Keys of lists of problems, the worst first."""
MESSAGES = ("message", "msg", "text", "detail", "description", "reason", "title", "error", "summary")
MAX_LEVELS = 3
"""Maximum number of objects around a list of problems."""
MAX_MEMBERS = 200
"""Maximum number of members of an object that are searched for lists of problems."""
WIDTH = 200
"""Maximum number of characters of a problem."""
MAX_DETAIL = 60
"""Maximum number of characters of a value beside a message."""
MAX_DETAILS = 4
"""Maximum number of short values listed beside a message."""
RANK = 4
Steps = tuple["str | int", ...]


@dataclass(frozen=True, slots=True)
class ReportedProblem:
    """Hold the text of a problem, the key of its list, and its path."""

    key: str
    text: str
    steps: Steps


class ReportProblems:
    """Hold the problems that one JSON value lists, the worst first."""

    def __init__(self, part_ranges: PartRanges, value: JsonValue) -> None:
        self.part_ranges = part_ranges
        self.problems = sorted(_collect_problems(value, (), MAX_LEVELS), key=lambda problem: KEYS.index(problem.key))

    def build_section(self, most: int) -> Section:
        """Return a section with at most ``most`` problems and their number by key."""
        counts = Counter(problem.key for problem in self.problems)
        listed = self.problems[: max(most, 2)]
        more = f"; {len(self.problems) - len(listed):,} more not shown" if len(listed) < len(self.problems) else ""
        title = ", ".join(f"{key} {count:,}" for key, count in counts.items())
        return Section(f"Problems ({title}{more})", tuple(map(self._make_entry, listed)), noun="problems")

    def _make_entry(self, problem: ReportedProblem) -> Entry:
        place = self.part_ranges.places.find(self.part_ranges.roots[0], problem.steps)
        label = f"{problem.key}: {problem.text}"
        return self.part_ranges.make_entry(place, label, RANK) if place else Entry(label, rank=RANK)


def _collect_problems(value: JsonValue, steps: Steps, levels: int) -> Iterator[ReportedProblem]:
    if not isinstance(value, dict) or not levels or len(value) > MAX_MEMBERS:
        return
    for key, inner in value.items():
        if key.lower() in KEYS and isinstance(inner, list):
            for at, item in enumerate(inner):
                text = _format_problem(item)
                if text:
                    yield ReportedProblem(key.lower(), text, (*steps, key, at))
        else:
            yield from _collect_problems(inner, (*steps, key), levels - 1)


def _format_problem(item: JsonValue) -> str:
    """Return the message of a problem and its short values, or an empty string."""
    if isinstance(item, str):
        return clean_line(" ".join(item.split()), WIDTH)
    if not isinstance(item, dict):
        return ""
    name = next((key for key in MESSAGES if isinstance(item.get(key), str) and item[key].strip()), "")
    if not name:
        return ""
    details = [str(value) for key, value in item.items() if key != name and _is_short(value)]
    return clean_line(" ".join([*details[:MAX_DETAILS], *item[name].split()]), WIDTH)


def _is_short(value: JsonValue) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= MAX_DETAIL)
