"""What a briefing promises, on real inputs: its size, its ranges, its quotations, the same answer twice."""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile
from typing import NamedTuple

from bench.claims import Claims, claims, draw, lines_of, list_seen, wrong
from bench.doors import CAP, Gate, available, count, text_of
from bench.figure import Figure
from bench.place import PROJECT, Place, place
from bench.process import CommandError, run
from ctxkit.core.gate.decision import GateResult

SUITE = "briefings"
RUNS = 1_000
DRILLED = 60
"""Briefings whose ranges are read back with the command itself."""
WINDOWS = (4_096, 8_192, 32_768)
USED = (0, 0.25, 0.5, 0.75, 0.9, 0.97)
SEED = 20260314
AROUND = 150
"""Tokens by which the map of any text may show less of the end than the end alone would."""
DENSE = ("pytest", "source")
"""Kinds whose maps put several names on a line, each after the number of its own."""
PROMISES = {
    "target": "at most as large as its target",
    "decision": "made only of what does not fit",
    "refusal": "refused only where one line is too much",
    "ranges": "names ranges that are there, quotes what stands there",
    "tail": "of plain text, shows the end as tail would",
    "doubt": "made without a failure inside",
}


class Case(NamedTuple):
    """Name one run: which file, in which window, with how much of it used; the file's name told or not."""

    path: str
    window: int
    used: int
    named: bool

    def __str__(self) -> str:
        return f"{self.path} --window {self.window} --used {self.used} {'FILE' if self.named else '(stdin)'}"


@dataclass(frozen=True, slots=True)
class Source:
    """Hold a file as text, its lines and its tokens."""

    data: bytes
    lines: Sequence[str]
    tokens: int


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for each promise, in how many runs it was kept."""
    if place.corpora is None:
        yield Figure(SUITE, "corpora", "skipped", notes=("there are no corpora; CTXKIT_CORPORA names their directory",))
        return
    sources = cache(lambda path: _source(place, path))
    cases = _cases(place, sources)
    with TemporaryFile() as again:
        other = _again(place, cases, again.fileno())
        gate, digests = Gate(), list[str]()
        failed: dict[str, list[str]] = {promise: [] for promise in PROMISES}
        drills: list[tuple[Case, str, Claims]] = []
        table: Counter[str] = Counter()
        for case in cases:
            source = sources(case.path)
            admission = _admit(gate, case, source.data)
            text = _text(admission)
            digests.append(digest(text))
            table[admission.briefing.kind if admission.briefing else admission.result] += 1
            for promise, why in _corrupt_text(case, source, admission, text):
                failed[promise].append(f"{case}: {why}")
            if admission.result == "briefing" and not source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
                drills.append((case, admission.ref, claims(text)))
        passage = ", ".join(f"{kind} {many}" for kind, many in table.most_common())
        yield Figure(SUITE, "made, by kind", str(len(cases)), notes=(passage,))
        for promise, what in PROMISES.items():
            yield _list_kept(what, len(cases), failed[promise])
        yield _drill(place, drills[:: max(len(drills) // place.times(DRILLED), 1)])
        if other.wait():
            raise CommandError("the second process failed")
        again.seek(0)
        theirs = again.read().decode().split()
    differing = [str(case) for case, digest, two in zip(cases, digests, theirs, strict=True) if digest != two]
    yield _list_kept("the same bytes in another process", len(cases), differing)


def _source(place: Place, path: str) -> Source:
    data = place.data(path)
    text = text_of(data)
    return Source(data, lines_of(text_of(draw(data))), count(text))


def _cases(place: Place, sources: Callable[[str], Source]) -> list[Case]:
    """Return the runs: a fixed choice among all that do not fit, every file in it as often as any other."""
    chance = random.Random(SEED)
    all_cases: list[tuple[int, float, Case]] = []
    for index, path in enumerate(place.inputs()):
        mine = [(window, round(window * 0.8 * share)) for window in WINDOWS for share in USED]
        mine = [(window, used) for window, used in mine if sources(path).tokens > available(window, used)]
        chance.shuffle(mine)
        named = index % 3 != 0
        all_cases += [(turn, chance.random(), Case(path, *item, named)) for turn, item in enumerate(mine)]
    all_cases.sort(key=lambda entry: entry[:2])
    return [case for _, _, case in all_cases[: 60 if place.quick else RUNS]]


def _again(place: Place, cases: list[Case], out: int) -> "subprocess.Popen[bytes]":
    """Start a second process, with other hashes, that makes the same briefings meanwhile."""
    environment = {**os.environ, "PYTHONHASHSEED": "1", "CTXKIT_CORPORA": place.corpora or "", "PYTHONPATH": PROJECT}
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.briefings"], stdin=subprocess.PIPE, stdout=out, env=environment
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(cases).encode())
    process.stdin.close()
    return process


def _admit(gate: Gate, case: Case, data: bytes) -> GateResult:
    return gate.admit(data, case.window, used=case.used, name=case.path if case.named else "stdin")


def _text(admission: GateResult) -> str:
    """Return what would be printed: content, or the one line of a refusal."""
    if admission.result == "refused":
        return admission.warning + "\n"
    return b"".join(admission.content).decode("utf-8", "replace")


def digest(text: str) -> str:
    """Return a fingerprint of a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _corrupt_text(case: Case, source: Source, admission: GateResult, text: str) -> Iterator[tuple[str, str]]:
    """Yield each promise that is broken, and how."""
    room = available(case.window, case.used)
    target, size = min(room // 2, CAP), count(text)
    if admission.result in ("raw", "tight"):
        yield "decision", f"passed with {source.tokens} tokens where {room} are free"
        return
    if admission.result == "refused":
        if size <= target:
            yield "refusal", f"one line of {size} tokens fits {target}: {text!r}"
        return
    if size > target:
        yield "target", f"{size} tokens where {target} are the target"
    if admission.warning:
        yield "doubt", admission.warning
    kind = admission.briefing.kind if admission.briefing else "no map"
    for why in wrong(claims(text), source.lines, dense=kind in DENSE):
        yield "ranges", f"({kind}) {why}"
    if kind == "text":
        value, shown = _ends(source, text, target)
        if shown < value:
            yield "tail", f"the last {value} lines fit {target} - {AROUND} tokens, of them the last {shown} are there"


def _ends(source: Source, text: str, target: int) -> tuple[int, int]:
    """Return how many last lines fit the target less what stands around them, and how many are in the text."""
    low, high = 0, min(len(source.lines), max(target, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(source.lines[-middle:])) <= target - AROUND:
            low = middle
        else:
            high = middle - 1
    passage = "\n".join(row.rstrip() for row in text.split("\n"))
    end = [list_seen(line) for line in source.lines[len(source.lines) - low :]]
    shown = next((many for many in range(low, 0, -1) if "\n" + "\n".join(end[-many:]) + "\n" in passage), 0)
    return low, shown


def _drill(place: Place, drills: Sequence[tuple[Case, str, Claims]]) -> Figure:
    """Read ranges back with the command, and compare with ``sed``."""
    failed, done = [], 0
    for case, ref, item in drills:
        for start, end in sorted({(start, end) for start, end, _ in item.ranges if start <= end})[-2:]:
            done += 1
            try:
                got = run([*place.ctxkit, "cache", "get", ref, "--lines", f"{start}:{end}"], keep=True).out
            except CommandError as error:
                got = str(error).encode()
            if got != run(["sed", "-n", f"{start},{end}p", f"{place.corpora}/{case.path}"], keep=True).out:
                failed.append(f"{case}: ctxkit cache get {ref} --lines {start}:{end}")
    return _list_kept("ranges read back as sed reads them", done, failed)


def _list_kept(what: str, runs: int, failed: Sequence[str]) -> Figure:
    broken = len({line.partition(": ")[0] for line in failed})
    figure = f"{(runs - broken) / max(runs, 1):.1%} ({runs - broken} of {runs})"
    return Figure(SUITE, what, figure, None, "100 %", not failed, failed)


def _second() -> None:
    """Print the fingerprint of each briefing that stdin asks for."""
    cases = [Case(*case) for case in json.load(sys.stdin)]
    with place(quick=False) as file:
        gate = Gate()
        for case in cases:
            print(digest(_text(_admit(gate, case, file.data(case.path)))))


if __name__ == "__main__":
    _second()
