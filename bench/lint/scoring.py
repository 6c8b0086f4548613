"""Whether what was planted was found, where, and what was reported that is nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.lint.desk import Desk, Plant, Span
from bench.lint.findings import Finding

GROUPS = {"DUP": "duplicates", "REF": "references", "HYG": "hygiene", "CTX": "form", "MEM": "form"}
"""What rules are about, by their first letters."""
FORM = ("MEM001", "MEM002", "CTX001", "CTX002", "CTX003", "CTX004")
FAMILIES = {
    "duplicates": ("exact", "format", "near", "meaning", "triple", "section", "hard", "polarity", "apart", "drifted"),
    "references": ("stale", "unstale", "script", "unscript", "import", "unimport", "link", "unlink"),
    "hygiene": ("hygiene", "look-alike"),
    "form": ("form", "unform", "dates", "hygiene"),
}
"""The families of plants on which a rule of a group is no mistake."""


@dataclass
class Score:
    """Count plants and those found, by family and kind; lines shared with what was planted; and findings by truth."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    hits: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    overlaps: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    right_findings: Counter[str] = field(default_factory=Counter)
    wrong_findings: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def add(self, desk: Desk, findings: Sequence[Finding]) -> None:
        """Count a workspace."""
        for plant in desk.plants:
            key = (plant.family, plant.kind)
            self.planted[key] += 1
            if plant.codes and (share := hit(plant, findings)) is not None:
                self.hits[key] += 1
                self.overlaps[plant.family].append(share)
            elif plant.codes:
                self.missed.append(f"{desk.name}: {plant.family}, {plant.kind}: {_spans(plant.where)}")
            if any(mistaken(plant, finding) for finding in findings):
                self.wrong[key] += 1
        if desk.is_synthetic:
            for finding in findings:
                self._judge(desk, finding)

    def _judge(self, desk: Desk, finding: Finding) -> None:
        """Count a finding in a made workspace, of which everything is known, as right, as wrong or not at all."""
        group = GROUPS.get(finding.code[:3])
        if group is None or (group == "form" and finding.code not in FORM) or finding.code == "REF002":
            return
        if any(finding.code in plant.codes and is_touched(plant, finding) for plant in desk.plants):
            self.right_findings[group] += 1
            self.right_findings[finding.code] += 1
            return
        bad = any(mistaken(plant, finding) for plant in desk.plants if plant.family != "polarity")
        about = [
            plant for plant in desk.plants if plant.family in FAMILIES[group] and is_touched(plant, finding, least=1)
        ]
        if bad or not about:
            self.wrong_findings[group] += 1
            self.wrong_findings[finding.code] += 1
            self.shown.append(f"{desk.name}: {finding.code} {_spans(finding.spans)} {finding.message}"[:220])

    def recall(self, *families: str, kind: str = "") -> tuple[int, int]:
        """Return how many plants of families, of kinds that begin so, were found, and of how many."""
        keys = [key for key in self.planted if key[0] in families and key[1].startswith(kind)]
        return sum(self.hits[key] for key in keys), sum(self.planted[key] for key in keys)

    def mistakes(self, *families: str) -> tuple[int, int]:
        """Return how many plants of families were reported that must not be, and of how many."""
        keys = [key for key in self.planted if key[0] in families]
        return sum(self.wrong[key] for key in keys), sum(self.planted[key] for key in keys)

    def precision(self, *groups: str) -> tuple[int, int]:
        """Return how many findings of groups, or of codes, are right in made workspaces, and of how many."""
        right = sum(self.right_findings[group] for group in groups)
        return right, right + sum(self.wrong_findings[group] for group in groups)

    def overlap(self, family: str) -> float:
        """Return the mean share of lines that planted and reported places have in common, 0 where there are none."""
        return sum(self.overlaps[family]) / max(1, len(self.overlaps[family]))


def meets(span: Span, other: Span) -> bool:
    """Return whether two places share a line."""
    return span[0] == other[0] and span[1] <= other[2] and other[1] <= span[2]


def hit(plant: Plant, findings: Iterable[Finding]) -> float | None:
    """Return the best share of lines that a right finding has in common with all places of a plant, None without
    one."""
    shares = []
    for finding in findings:
        if finding.code in plant.codes:
            if plant.whole_file:
                shares += [1.0] if finding.spans[0][0] == plant.where[0][0] else []
            elif all(any(meets(place, span) for span in finding.spans) for place in plant.where):
                best = [max(_share(place, span) for span in finding.spans) for place in plant.where]
                shares.append(sum(best) / len(best))
    return max(shares, default=None)


def _share(span: Span, other: Span) -> float:
    if not meets(span, other):
        return 0.0
    shared = min(span[2], other[2]) - max(span[1], other[1]) + 1
    return shared / (max(span[2], other[2]) - min(span[1], other[1]) + 1)


def is_touched(plant: Plant, finding: Finding, least: int = 2) -> bool:
    """Return whether a finding is about a plant: shares lines with so many of its places, or with all."""
    if plant.whole_file or (finding.code == "MEM001" and plant.where[0][0] == "MEMORY.md"):
        return finding.spans[0][0] == plant.where[0][0]
    places = sum(any(meets(place, span) for span in finding.spans) for place in plant.where)
    return places >= min(least, len(plant.where))


def mistaken(plant: Plant, finding: Finding) -> bool:
    """Return whether a finding reports a plant that it must not: of two places both, and no large part around them."""
    if not any(finding.code.startswith(letters) for letters in plant.quiet):
        return False
    if plant.family == "apart" and finding.tokens == 0:
        return False
    if plant.whole_file:
        return finding.spans[0][0] == plant.where[0][0]
    near = [span for span in finding.spans if span[2] - span[1] <= 6]
    pairs = {(place, span) for place in plant.where for span in near if meets(place, span)}
    smallest = min(2, len(plant.where))
    return len({place for place, _ in pairs}) >= smallest and len({span for _, span in pairs}) >= smallest


def _spans(spans: Iterable[Span]) -> str:
    return ", ".join(f"{path}:{first}" + (f"-{last}" if last > first else "") for path, first, last in spans)
