"""The suite ``tab``: tables and separated values, asked for their columns, their rows and the row that stands out.

Truth is jc's parsed JSON beside the output of commands (kellyjonbrazil/jc, MIT; ``CTXKIT_JC`` names a checkout)
and, of tables made here, what they were made of.
"""

import csv
import io
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from glob import glob
from typing import Any

from bench.brief import halves
from bench.brief.cases import cache
from bench.brief.scoring import Asked, Question
from bench.figure import Figure
from bench.place import Place

SUITE = "brief tab"
COMMANDS = re.compile(
    r"(?:ps-|df|lsof|systemctl|dpkg-l|pip-list|lsmod|ss-|vmstat|lsblk|netstat-(?:rn|an)|route)[\w.-]*$"
)
"""Fixtures of commands that print one table with a header."""
TUNED = ("centos-7.7", "ubuntu-18.04", "freebsd12")
"""Systems whose output was looked at while rules were written."""
ROWS = (150, 900, 4_000)


def list_questions() -> list[Asked]:
    """Return every input with its questions."""
    return [*_fixtures(), *_make()]


def _fixtures() -> Iterator[Asked]:
    root = os.environ.get("CTXKIT_JC") or os.path.join(cache(), "jc")
    for path in sorted(glob(os.path.join(root, "tests", "fixtures", "*", "*.out"))):
        system, name = path.split(os.sep)[-2:]
        beside = path.removesuffix(".out") + ".json"
        if not COMMANDS.match(name.removesuffix(".out")) or not os.path.exists(beside):
            continue
        with open(path, "rb") as file:
            data = file.read()
        with open(beside, encoding="utf-8") as parsed:
            rows = json.load(parsed)
        if isinstance(rows, list) and len(rows) > 5 and all(isinstance(row, dict) for row in rows):
            questions = list(_parse(data.decode("utf-8", "replace"), rows))
            yield Asked(f"{system}/{name}", "command", data, questions, system not in TUNED)


def _parse(text: str, rows: Sequence[dict[str, Any]]) -> Iterator[Question]:
    """Yield the number of rows, and some of them: those that hold the largest numbers, and any."""
    lines = text.split("\n")
    yield Question("rows", f"{len(rows):,} rows")
    items = random.Random(len(rows)).sample(range(len(rows)), min(6, len(rows)))
    for key in rows[0]:
        numbers = [(row[key], at) for at, row in enumerate(rows) if type(row.get(key)) in (int, float)]
        if len(numbers) == len(rows):
            items.append(max(numbers)[1])
    for at in dict.fromkeys(items):
        words = [value for value in rows[at].values() if isinstance(value, str) and value]
        all_lines = [number for number, line in enumerate(lines, 1) if all(word in line for word in words)]
        if len(all_lines) == 1 and words:
            yield Question("row", lines[all_lines[0] - 1].strip(), "", frozenset(all_lines), located=True)


def _make() -> Iterator[Asked]:
    for seed in range(12):
        for size in ROWS:
            chance = random.Random(f"{seed} {size}")
            for kind in (_pods, _disks, _processes, _values):
                yield kind(chance, size, seed)


def _list_questions(
    name: str, lines: Sequence[str], odd: Sequence[int], names: Sequence[str], seed: int, rows: int
) -> Asked:
    """Return a table with its questions; ``odd`` are the lines of rows that stand out."""
    chance = random.Random(name)
    questions = [Question("columns", column) for column in names]
    questions.append(Question("rows", f"{rows:,} rows"))
    for number in odd:
        questions.append(Question("outlier", lines[number - 1].strip(), "", frozenset([number]), located=True))
    for number in chance.sample(range(2, len(lines) + 1), 6):
        questions.append(Question("interior", lines[number - 1].strip(), "", frozenset([number]), located=True))
    return Asked(name, "made", "\n".join([*lines, ""]).encode(), questions, seed % 2 == 1)


def _pods(chance: random.Random, size: int, seed: int) -> Asked:
    wrong = chance.choice(["CrashLoopBackOff", "ImagePullBackOff", "OOMKilled", "Error", "Evicted", "Init:0/1"])
    odd = sorted(chance.sample(range(size), 2))
    names = ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    widths = (14, 34, 8, 20, 14)
    lines = ["".join(name.ljust(width) for name, width in zip(names, (*widths, 0), strict=True))]
    for at in range(size):
        status = wrong if at in odd else "Running" if chance.random() < 0.95 else "Completed"
        name = f"app-{chance.randrange(40)}-{at:05x}"
        cells = (f"team-{at * 9 // size}", name, "1/1", status, str(chance.randrange(4)))
        row = "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{row}{chance.randrange(1, 90)}d")
    return _list_questions(f"pods {seed} {size}", lines, [at + 2 for at in odd], names, seed, size)


def _disks(chance: random.Random, size: int, seed: int) -> Asked:
    odd = chance.randrange(size)
    lines = ["Filesystem                 Size  Used Avail Use% Mounted on"]
    for at in range(size):
        share = 100 if at == odd else chance.randrange(3, 80)
        size_of = f"{chance.randrange(10, 999):>4}G {share:>4}G {100 - share:>4}G {share:>3}%"
        lines.append(f"/dev/mapper/vol{at:<9}  {size_of} /data/{at}")
    return _list_questions(
        f"disks {seed} {size}", lines, [odd + 2], ["Filesystem", "Size", "Use%", "Mounted"], seed, size
    )


def _processes(chance: random.Random, size: int, seed: int) -> Asked:
    odd = chance.randrange(size)
    names = ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"]
    lines = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"]
    for at in range(size):
        resident = 91_234_567 if at == odd else chance.randrange(800, 90_000)
        busy = chance.randrange(20) / 10
        user = chance.choice(["root", "www-data", "postgres"])
        command = chance.choice(["/usr/sbin/sshd -D", "[kworker/0:1]", "python3 -m http.server 80"])
        shares = f"{user:<8} {at * 3 + 1:>7} {busy:>4} {busy:>4}"
        lines.append(f"{shares} {resident * 3:>6} {resident:>5} ?        Ss   Jan01   0:00 {command}")
    return _list_questions(f"processes {seed} {size}", lines, [odd + 2], names, seed, size)


def _values(chance: random.Random, size: int, seed: int) -> Asked:
    mark = ",;\t|"[seed % 4]
    rare, huge, flip = chance.sample(range(size), 3)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator="\n")
    names = ["id", "customer", "state", "amount", "day", "comment"]
    writer.writerow(names)
    for at in range(size):
        amount: object = 987_654.0 if at == huge else "unknown" if at == flip else round(chance.uniform(5, 90), 2)
        state = "disputed" if at == rare else chance.choice(["paid", "open"])
        day, comment = f"2024-03-{at % 28 + 1:02}", f'said "{at}"{mark} twice'
        writer.writerow([at + 1000, f"c{chance.randrange(300)}", state, amount, day, comment])
    lines = out.getvalue().removesuffix("\n").split("\n")
    return _list_questions(f"values {seed} {size}", lines, [rare + 2, huge + 2, flip + 2], names, seed, size)


def _kinds(item: Asked) -> Sequence[str]:
    return ("csv",) if item.name.startswith("values") else ("table",)


def figures(place: Place) -> Iterator[Figure]:
    """Yield how well maps of tables answer, on inputs tuned on and held out."""
    del place
    return halves.figures(SUITE, list_questions(), _kinds, 2_000)
