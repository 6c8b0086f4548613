"""The suite ``log``: logs asked for every rare event, the first error, the counts and the time span.

Truth are the event ids that LogHub publishes beside its logs (``CTXKIT_LOGHUB`` names a checkout; research use) and,
of logs made here, what they were made of.
"""

import csv
import json
import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from glob import glob

from bench.brief import halves
from bench.brief.cases import cache
from bench.brief.scoring import Asked, Question, make_map, pointers
from bench.figure import Figure
from bench.place import Place

SUITE = "brief log"
TUNED = ("Android", "Apache", "BGL", "HDFS", "Hadoop", "Linux", "OpenSSH", "Spark", "Zookeeper")
"""Systems whose logs were looked at while rules were written."""
WORST = ("ERROR", "FATAL", "SEVERE", "CRITICAL", "E", "F", "error", "FAILURE", "err")
"""Levels in LogHub's tables that are errors or worse."""
RARE = 2
LINES = (600, 4_000)
DOING = ("start", "flush", "compact", "elect", "sync", "scan", "prune", "rotate", "index", "merge", "probe", "drain")
THINGS = ("segment", "replica", "session", "tenant", "volume", "bucket", "lease", "shard", "queue", "cursor")
COUNT = re.compile(r"([\d,]+)x, such as$")


def list_questions() -> list[Asked]:
    """Return every input with its questions."""
    return [*_publish(), *_make()]


def _publish() -> Iterator[Asked]:
    root = os.environ.get("CTXKIT_LOGHUB") or os.path.join(cache(), "loghub")
    for path in sorted(glob(os.path.join(root, "*", "*_2k.log"))):
        system = os.path.basename(path).removesuffix("_2k.log")
        with open(path, "rb") as file:
            data = file.read()
        with open(f"{path}_structured.csv", encoding="utf-8", errors="replace", newline="") as beside:
            rows = list(csv.DictReader(beside))
        lines = data.decode("utf-8", "replace").replace("\r", "").split("\n")
        yield Asked(system, "published", data, list(_events(lines, rows)), system not in TUNED)


def _events(lines: Sequence[str], rows: Sequence[dict[str, str]]) -> Iterator[Question]:
    """Yield each event that occurs once or twice, and the first line that is an error."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, 1):
        places[row["EventId"]].append(number)
    for numbers in places.values():
        if len(numbers) <= RARE:
            yield Question("rare", lines[numbers[0] - 1].strip(), "", frozenset(numbers), located=True)
    bad = [number for number, row in enumerate(rows, 1) if row.get("Level") in WORST]
    if bad:
        yield Question("first error", lines[bad[0] - 1].strip())


def _make() -> Iterator[Asked]:
    for seed in range(6):
        for size in LINES:
            for kind in (_syslog, _json, _access, _kubernetes, _bars, _stacks):
                yield kind(random.Random(f"{kind.__name__} {seed} {size}"), size, seed)


def _list_questions(name: str, lines: list[str], odd: Sequence[str], bad: str, seed: int) -> Asked:
    """Return a log with its questions; ``odd`` are texts that occur once, ``bad`` the first of the errors."""
    questions = [Question("rare", text, "", _where(lines, text), located=True) for text in odd]
    if bad:
        questions.append(Question("first error", bad))
    return Asked(f"{name}-{len(lines)}-{seed}", "made", "\n".join([*lines, ""]).encode(), questions, seed % 2 == 1)


def _where(lines: Sequence[str], text: str) -> frozenset[int]:
    return frozenset(number for number, line in enumerate(lines, 1) if text in line)


def _sayings(chance: random.Random) -> list[str]:
    return [f"{chance.choice(DOING)} of {chance.choice(THINGS)} %d took %d ms" for _ in range(12)]


def _oddities(chance: random.Random) -> list[str]:
    """Return events that occur once, no word of which has a digit."""
    items = ("was revoked by its owner", "moved to the standby site", "has no quorum left", "fell behind its leader")
    return [f"{chance.choice(THINGS)} {chance.choice(DOING)} {text}" for text in items]


def _rows(chance: random.Random, size: int) -> tuple[list[tuple[str, str]], list[str], str]:
    """Return level and text of so many lines, the texts that occur once, and the first error."""
    sayings, odd = _sayings(chance), _oddities(chance)
    rows = [("INFO", chance.choice(sayings) % (chance.randrange(999), chance.randrange(5000))) for _ in range(size)]
    for text, at in zip(odd, chance.sample(range(10, size - 10), len(odd)), strict=True):
        rows[at] = ("INFO", text)
    errors = sorted(chance.sample([at for at in range(size) if rows[at][1] not in odd], 7))
    for at in errors:
        rows[at] = ("ERROR", f"cannot reach {chance.choice(THINGS)} {chance.randrange(99)}: timed out after {at} ms")
    for at in chance.sample([at for at in range(size) if at not in errors and rows[at][1] not in odd], size // 20):
        rows[at] = ("WARN", f"slow {chance.choice(THINGS)}, {chance.randrange(9000)} ms")
    return rows, odd, rows[errors[0]][1]


def _clock(at: int) -> str:
    return f"{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}"


def _syslog(chance: random.Random, size: int, seed: int) -> Asked:
    rows, odd, bad = _rows(chance, size)
    words = {"INFO": "info", "WARN": "warning", "ERROR": "error"}
    lines = [
        f"Mar  {1 + at // 20_000} {_clock(at)} node{at % 3} gate[{900 + at % 7}]: {words[level]}: {text}"
        for at, (level, text) in enumerate(rows)
    ]
    return _list_questions("syslog", lines, odd, bad, seed)


def _json(chance: random.Random, size: int, seed: int) -> Asked:
    rows, odd, bad = _rows(chance, size)
    keys = chance.choice(
        (("time", "level", "msg"), ("@timestamp", "log.level", "message"), ("ts", "severity", "event"))
    )
    lines = [
        json.dumps({keys[0]: f"2026-03-01T{_clock(at)}Z", keys[1]: level.lower(), keys[2]: text, "pid": 7})
        for at, (level, text) in enumerate(rows)
    ]
    return _list_questions("json", lines, odd, bad, seed)


def _access(chance: random.Random, size: int, seed: int) -> Asked:
    lines, paths = [], [f"/api/{thing}s" for thing in THINGS]
    bad = chance.randrange(size // 2, size)
    for at in range(size):
        status, path = (500, "/api/checkout") if at == bad else (200, chance.choice(paths))
        lines.append(
            f'10.0.{at % 9}.{at % 200} - - [01/Mar/2026:{_clock(at)} +0000] "GET '
            f'{path}/{chance.randrange(999)} HTTP/1.1" '
            f'{status} {chance.randrange(9000)} "-" "curl/8.5.0"'
        )
    return _list_questions("access", lines, ['"GET /api/checkout'], lines[bad], seed)


def _kubernetes(chance: random.Random, size: int, seed: int) -> Asked:
    rows, odd, bad = _rows(chance, size)
    letters = {"INFO": "I", "WARN": "W", "ERROR": "E"}
    lines = [
        f'{letters[level]}0301 {_clock(at)}.{at % 1000:06} {at % 5 + 1} controller.go:{chance.randrange(900)}] "{text}"'
        for at, (level, text) in enumerate(rows)
    ]
    return _list_questions("kubernetes", lines, odd, bad, seed)


def _bars(chance: random.Random, size: int, seed: int) -> Asked:
    """Return a log whose levels are coloured and which draws a bar now and then."""
    rows, odd, bad = _rows(chance, size)
    colours = {"INFO": 32, "WARN": 33, "ERROR": 31}
    lines = []
    for at, (level, text) in enumerate(rows):
        bar = "".join(f"\rdownloading {done:3}% [{'#' * (done // 10):10}]" for done in range(0, 101, 20)) + "\r"
        lines.append(f"{bar * (at % 50 == 9)}2026-03-01 {_clock(at)} \x1b[{colours[level]}m{level}\x1b[0m {text}")
    return _list_questions("bars", lines, odd, bad, seed)


def _stacks(chance: random.Random, size: int, seed: int) -> Asked:
    """Return a log with a traceback below each error."""
    rows, odd, _ = _rows(chance, size)
    lines: list[str] = []
    names = iter(("ValueError", "KeyError", "TimeoutError", "OSError", "RuntimeError", "TypeError", "IndexError"))
    raised: list[str] = []
    first = ""
    for at, (level, text) in enumerate(rows):
        lines.append(f"2026-03-01 {_clock(at)},{at % 1000:03} {level:<5} [worker-{at % 4}] gate.core - {text}")
        if level == "ERROR":
            first = first or lines[-1]
            raised.append(f"{next(names)}: no {chance.choice(THINGS)} of that name")
            lines += ["Traceback (most recent call last):", f'  File "/srv/gate/core.py", line {at + 7}, in serve']
            lines += ["    return self.answer(request)", raised[-1]]
    questions = [Question("exception", text, "", _where(lines, text), located=True) for text in raised]
    result = _list_questions("stacks", lines, odd, first, seed)
    return Asked(result.name, result.group, result.data, [*result.questions, *questions], result.held_out)


def kinds(item: Asked) -> Sequence[str]:
    """Return the kinds that are right for an input."""
    return ("jsonl",) if item.name.startswith("json") else ("log",)


def count_tokens(text: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield the counts in a map that are more than the lines there are in their range, or fewer than two."""
    for pointer in pointers(text):
        match = COUNT.search(pointer.label)
        if match:
            many = int(match[1].replace(",", ""))
            if not 2 <= many <= pointer.end - pointer.start + 1 or pointer.end > len(lines):
                yield f"{pointer.start}-{pointer.end}: {pointer.label[:80]}"


def figures(place: Place) -> Iterator[Figure]:
    """Yield how well maps answer, at each budget, on systems tuned on and held out; then the speed."""
    result = list_questions()
    if not any(case.group == "published" for case in result):
        yield Figure(SUITE, "LogHub", "skipped", notes=("CTXKIT_LOGHUB names a checkout of logpai/loghub",))
    yield from halves.figures(SUITE, result, kinds, 2_000)
    wrong = [f"{case.name}: {why}" for case in result for why in _list_miscounts(case)]
    yield Figure(SUITE, "counts that cannot be", str(len(wrong)), None, "0", not wrong, wrong[:8])
    yield from _measure_speed(place)


def _list_miscounts(item: Asked) -> Iterator[str]:
    text, _ = make_map(item.data, "stdin", 8_000)
    rows = item.data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    yield from count_tokens(text, rows)
    stated = re.search(r"lines by the level they state: (.*?)(?:;|$)", text, re.MULTILINE)
    blank = re.search(r"; ([\d,]+) lines? indented or blank", text)
    if stated:
        total = sum(int(many.replace(",", "")) for many in re.findall(r"([\d,]*\d)(?:,|$)", stated[1] + ","))
        total += int(blank[1].replace(",", "")) if blank else 0
        if total != len(rows):
            yield f"levels of {total} lines, {len(rows)} there are: {stated[0][:100]}"


def _measure_speed(place: Place) -> Iterator[Figure]:
    """Yield MB of CPU time a second, of plain lines and of lines nearly every word of which has a digit."""
    chance = random.Random(7)
    plain = _syslog(chance, place.size(400_000), 0).data
    digits = "".join(
        f"2026-03-01 {_clock(at)} INFO x{at} {chance.getrandbits(64):x} {at * 7} id={at * 31:x} "
        f"10.0.{at % 9}.7:{at % 9000}\n"
        for at in range(place.size(300_000))
    ).encode()
    for what, data, least in (("plain", plain, 20), ("full of digits", digits, 8)):
        began = time.process_time()
        make_map(data, "stdin", 2_000)
        speed = len(data) / max(time.process_time() - began, 1e-9) / 1e6
        text = f"{len(data) / 1e6:.0f} MB of lines {what}"
        yield Figure(SUITE, text, f"{speed:.1f} MB/s", None, f">= {least}", None if place.quick else speed >= least)
