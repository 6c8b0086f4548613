"""Outputs of tools, with facts from elsewhere: what maps, heads and tails of the same size tell of them.

Of the first halves, people wrote the facts down before any map was seen. They were divided at random; only those named
`dev` may be looked at. The facts of `runs` and `findings` are what the same run of a test runner, compiler or linter
wrote for programs, in JUnit or JSON.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bench.brief.facts import LOST, STATED, Fact, FreshCase, find_places, read_cases, score_lines, score_map, unfold
from bench.claims import lines_of
from bench.doors import count, cut, make_map, text_of
from bench.figure import Figure
from bench.place import Place

SUITE = "fresh"
FOLDER = Path(__file__).with_name("outputs")
HALVES = (*(f"{half}{number}" for number in ("", *range(2, 8)) for half in ("dev", "test")), "dev8", "formats")
RECORDED = ("runs", "findings")
TARGETS = (2_000, 600)
WAYS = ("map", "generic", "head", "tail", "head+tail")
FEW = 5
"""Number of outputs from which a kind has to earn its place."""
FULL = 0.9
"""Share of its target that a map has to use before it may lose a fact."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Hold some lines of an input and their ranges."""

    text: str
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class CaseScore:
    """Hold the scores of a case by way, the kind of its map, and the share of its target that the map uses."""

    case: FreshCase
    kind: str
    scores: dict[str, list[int]]
    use: float

    @property
    def name(self) -> str:
        """Return the name of the case."""
        return self.case.name

    def count_known(self, way: str) -> int:
        """Return how many facts a way tells or leads to."""
        return sum(score > LOST for score in self.scores[way])


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for each half and target, what is known and stated, and the cases where another way knows more."""
    totals: dict[int, list[CaseScore]] = defaultdict(list)
    step = 8 if place.quick else 1
    for half in HALVES:
        cases = list(read_cases(FOLDER / f"{half}.tar.xz"))[::step]
        for target in TARGETS:
            scores = [score_case(case, target) for case in cases]
            totals[target] += scores
            yield from _compare(half, target, scores)
    for target, scores in totals.items():
        yield from _compare_kinds(target, scores)
    for name in RECORDED:
        yield from compare_questions(SUITE, name, list(read_cases(FOLDER / f"{name}.tar.xz"))[::step], TARGETS)


def compare_questions(suite: str, name: str, cases: Sequence[FreshCase], targets: Sequence[int]) -> Iterator[Figure]:
    """Yield, for each target, what is known of the facts of each question, and how fast the maps are made."""
    for target in targets:
        large = [case for case in cases if count(text_of(case.data)) > target]
        scores = [score_case(case, target) for case in large]
        for question in sorted({fact.question for case in large for fact in case.facts}):
            yield _compare_question(suite, f"{name}: {question}, at {target:,}", question, scores)
        began = time.process_time()
        for case in large:
            make_map(case.data, target)
        speed = sum(len(case.data) for case in large) / 1e6 / max(time.process_time() - began, 1e-9)
        yield Figure(suite, f"{name}: {len(large)} maps of {target:,}", f"{speed:.1f} MB/s of CPU")


def _compare_question(suite: str, what: str, question: str, scores: Sequence[CaseScore]) -> Figure:
    """Return the means over the outputs of what each way tells or leads to of the facts of one question."""
    known, worse, stated, facts = list[list[float]](), list[str](), list[float](), 0
    for score in scores:
        indexes = [at for at, fact in enumerate(score.case.facts) if fact.question == question]
        if not indexes:
            continue
        facts += len(indexes)
        known.append([sum(score.scores[way][at] > LOST for at in indexes) / len(indexes) for way in WAYS])
        stated.append(sum(score.scores["map"][at] == STATED for at in indexes) / len(indexes))
        worse += [score.name] * (known[-1][0] < known[-1][-1])
    ours, *others = (mean(shares) for shares in zip(*known, strict=True))
    rest = ", ".join(f"{way} {share:.3f}" for way, share in zip(WAYS[1:], others, strict=True))
    figure = f"knows {ours:.3f}, states {mean(stated):.3f}; {rest}; {facts:,} facts of {len(known)} outputs"
    return Figure(suite, what, figure, notes=[f"less than {WAYS[-1]}: {name}" for name in worse])


def _compare(half: str, target: int, scores: Sequence[CaseScore]) -> Iterator[Figure]:
    total = sum(len(score.scores["map"]) for score in scores)
    for way in WAYS:
        known = sum(score.count_known(way) for score in scores) / total
        stated = sum(each == STATED for score in scores for each in score.scores[way]) / total
        yield Figure(SUITE, f"{half}: {way} of {target:,}", f"knows {known:.3f}, states {stated:.3f} of {total}")
    best = {score.name: max(map(score.count_known, WAYS[1:])) for score in scores}
    worse = [score.name for score in scores if score.count_known("map") < best[score.name]]
    what = f"{half}: cases of {len(scores)} where another way knows more, at {target:,}"
    yield Figure(SUITE, what, str(len(worse)), notes=worse)
    unused = [f"{score.name} {score.use:.2f}" for score in scores if LOST in score.scores["map"] and score.use < FULL]
    what = f"{half}: maps with a lost fact that use less than {FULL} of {target:,}"
    yield Figure(SUITE, what, str(len(unused)), target="0", ok=not unused, notes=unused)


def _compare_kinds(target: int, scores: Sequence[CaseScore]) -> Iterator[Figure]:
    """Yield, for each kind, how many facts its maps and the generic map of the same outputs tell or lead to."""
    for kind in sorted({score.kind for score in scores} - {"", "text"}):
        those = [score for score in scores if score.kind == kind]
        known, generic = (sum(score.count_known(way) for score in those) for way in ("map", "generic"))
        losses = [score.name for score in those if score.count_known("map") + 1 < score.count_known("generic")]
        what = f"{kind}: {len(those)} outputs, maps of {target:,} / generic maps"
        earned = known > generic and not losses if len(those) >= FEW else None
        figure, aim = f"knows {known} / {generic} facts", "more, and no case 2 fewer"
        yield Figure(SUITE, what, figure, target=aim, ok=earned, notes=losses)


def score_case(case: FreshCase, target: int) -> CaseScore:
    """Return what a map, a head, a tail, and half of each tell of a case."""
    text, kind = make_map(case.data, target)
    generic = text if kind == "text" else make_map(case.data, target, "text")[0]
    scores = {way: _score_text(each, case.facts) for way, each in (("map", text), ("generic", generic))}
    lines = lines_of(text_of(case.data))
    head, tail = cut_end(lines, target, first=True), cut_end(lines, target, first=False)
    first, last = cut_end(lines, target // 2, first=True), cut_end(lines, target // 2, first=False)
    both = Excerpt(f"{first.text}\n...\n{last.text}", first.spans + last.spans)
    for way, excerpt in zip(WAYS[2:], (head, tail, both), strict=True):
        scores[way] = [score_lines(excerpt.text, excerpt.spans, fact) for fact in case.facts]
    return CaseScore(case, kind, scores, count(text) / target)


def _score_text(text: str, facts: Sequence[Fact]) -> list[int]:
    whole = unfold(text)
    places = find_places(whole)
    return [score_map(whole, fact, places) for fact in facts]


def cut_end(lines: Sequence[str], target: int, *, first: bool) -> Excerpt:
    """Return the longest head or tail of whole lines within a target; of a longer line, its characters."""
    rows = cut(lines, target, end=not first)
    if not rows and lines:
        line = lines[0] if first else lines[-1]
        return Excerpt(line[: target * 3] if first else line[-target * 3 :], [])
    span = (1, len(rows)) if first else (len(lines) - len(rows) + 1, len(lines))
    return Excerpt("\n".join(rows), [span])
