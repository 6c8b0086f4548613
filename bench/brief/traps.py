"""Inputs that look like another kind than they are, made by hand; and variants of real ones that change no kind."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace

from bench.brief.inputs import Input

STAMPS = [f"2026-03-{1 + at // 24:02}T{at % 24:02}:15:{at % 60:02}.{at:03}Z" for at in range(240)]
LEVELS = ("INFO", "INFO", "DEBUG", "WARN", "INFO", "ERROR")
SAID = (
    "accepted connection from 10.0.0.{0}", "request GET /api/items/{0} took {1} ms", "cache miss for key user:{0}",
    "retrying upload of part {1}", "worker {0} finished job {1}", "could not reach shard {0}: timed out after {1} ms",
)
CODE = '''\
import logging
from dataclasses import dataclass

logger = logging.getLogger(__name__)


@dataclass
class Order:
    """An order of so many parts."""

    number: int
    parts: list[str]

    def total(self) -> int:
        return len(self.parts)


def ship(order: Order, retries: int = 3) -> bool:
    for attempt in range(retries):
        try:
            logger.info("shipping %s, attempt %s", order.number, attempt)
            return True
        except OSError as error:
            logger.error("cannot ship: %s", error)
    return False
'''
TRACE = """\
Traceback (most recent call last):
  File "/srv/app/views.py", line 52, in show
    return render(order)
  File "/srv/app/render.py", line 12, in render
    raise ValueError(f"no template for {order}")
ValueError: no template for Order(number=7)
"""
PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.2, pytest-8.4.2, pluggy-1.6.0
rootdir: /home/user/project
collected 12 items

tests/test_order.py ..F.........                                         [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert Order(1, ["a"]).total() == 2
E       AssertionError: assert 1 == 2

tests/test_order.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_order.py::test_total - AssertionError: assert 1 == 2
========================= 1 failed, 11 passed in 0.12s =========================
"""
SENTENCES = (
    "The ship left the harbour before anyone had read the letter.",
    "Nobody in the village remembered when the mill had last turned.",
    "She counted the windows twice and wrote the number on her palm.",
    "It rained for a week, and then the river took the lower bridge.",
    "A clerk from the capital came with a box of seals and questions.",
)


def log(lines: int = 200) -> list[str]:
    """Return the lines of a plain log."""
    chance = random.Random(lines)
    return [
        f"{STAMPS[at % 240]} {chance.choice(LEVELS)} [pool-{at % 4}] "
        + chance.choice(SAID).format(chance.randrange(99), chance.randrange(900))
        for at in range(lines)
    ]


def traps() -> Iterator[Input]:
    """Yield every trap."""
    for name, kinds, text in _texts():
        data = text if isinstance(text, bytes) else text.encode()
        yield Input(f"trap {name}", tuple(kinds.split("|")), data, trap=True)


def _texts() -> Iterator[tuple[str, str, str | bytes]]:
    rows = log()
    yield (
        "log that prints code",
        "log",
        "\n".join([*rows[:60], *(f"    {row}" for row in CODE.split("\n")), *rows[60:]]),
    )
    yield (
        "log of a code reviewer",
        "log",
        "\n".join(f"{a} {b}" for a, b in zip(STAMPS, (CODE * 9).split("\n"), strict=False)),
    )
    yield (
        "log with tracebacks",
        "log",
        "\n".join([*rows[:40], TRACE + "\n".join(rows[40:90]), TRACE + "\n".join(rows[90:])]),
    )
    yield "log that ends in a traceback", "log", "\n".join([*rows, TRACE])
    yield (
        "log with a pytest run inside",
        "log",
        "\n".join([*rows[:120], *(f"| {row}" for row in PYTEST.split("\n")), *rows[120:]]),
    )
    yield (
        "log with a table inside",
        "log",
        "\n".join([*rows[:90], *(f"  {at:<5} {at * 7:<9} idle" for at in range(30)), *rows[90:]]),
    )
    yield "log with JSON values", "log", "\n".join(f'{row} {{"id": {at}, "ok": true}}' for at, row in enumerate(rows))
    yield (
        "log that lists paths",
        "log",
        "\n".join(f"{a} INFO src/app/file{at}.py:{at}: formatted" for at, a in enumerate(STAMPS)),
    )
    yield (
        "log in logfmt",
        "log",
        "\n".join(f'time="{a}" level=info msg="item {at} done" dur={at}ms' for at, a in enumerate(STAMPS)),
    )
    yield "source with a log in a string", "source", CODE + 'SAMPLE = """\\\n' + "\n".join(rows[:60]) + '\n"""\n' + CODE
    yield "source with a traceback in its docstring", "source", f'"""How it fails::\n\n{TRACE}"""\n\n{CODE * 2}'
    yield (
        "source with test output in comments",
        "source",
        "\n".join(f"# {row}" for row in PYTEST.split("\n")) + f"\n{CODE}",
    )
    yield (
        "source with a diff in a string",
        "source",
        CODE + 'PATCH = """\\\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"""\n' + CODE,
    )
    yield (
        "Markdown that quotes a test run",
        "markdown",
        (
            f"# Debugging notes\n\nWe ran the suite.\n\n```\n{PYTEST}```\n\n## What it means\n\n- the total "
            f"is wrong\n- see *Order*\n\n"
            f"## What to do\n\nFix `total` and run it again.\n\n```python\n{CODE}```\n"
        ),
    )
    yield (
        "Markdown that quotes a log",
        "markdown",
        (
            "# Incident 17\n\nAt night the shard went away.\n\n```\n" + "\n".join(rows[:80]) + "\n```\n\n## Cause\n\n"
            "The **disk** was full.\n\n## Action\n\n1. add a disk\n2. add an alarm\n"
        ),
    )
    yield (
        "Markdown that quotes a diff",
        "markdown",
        (
            "# Review\n\nPlease change this:\n\n```diff\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ "
            "b/x.py\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
            "```\n\n## Also\n\n- rename `b`\n- add a test\n\n## Thanks\n\nIt reads [well](https://example.org).\n"
        ),
    )
    yield (
        "README that begins with HTML",
        "markdown",
        (
            '<p align="center">\n  <img src="logo.png" width="200">\n</p>\n<h1 align="center">Gate</h1>\n\n'
            "A tool that **lets** content in.\n\n## Installation\n\n```sh\npip install gate\n```\n\n## "
            "Usage\n\n- `gate in`\n- `gate out`\n"
            "\n## License\n\nMIT, see [LICENSE](LICENSE).\n"
        ),
    )
    yield (
        "Markdown with front matter",
        "markdown",
        (
            "---\ntitle: Gate\ndate: 2026-03-01\ntags: [a, b]\n---\n\n# Gate\n\nA tool.\n\n## Use\n\n- "
            "one\n- two\n\n## More\n\nSee **this**.\n"
        ),
    )
    body = {"step": "test", "status": "failed", "log": "\n".join(rows[:120]), "trace": TRACE}
    yield "JSON with a log inside", "json", json.dumps(body, indent=2)
    yield "JSON with a log inside, on one line", "json", json.dumps(body)
    yield "JSON array of log lines", "json", json.dumps(rows, indent=1)
    yield (
        "JSON lines of test output",
        "jsonl",
        "\n".join(json.dumps({"n": at, "line": row}) for at, row in enumerate(PYTEST.split("\n"))),
    )
    yield (
        "JSON log",
        "jsonl",
        "\n".join(json.dumps({"time": a, "level": "info", "msg": f"item {at} done"}) for at, a in enumerate(STAMPS)),
    )
    yield (
        "grep over logs",
        "search",
        "\n".join(f"var/log/app-{at // 50}.log:{at % 50 * 7 + 3}:{row}" for at, row in enumerate(rows)),
    )
    yield (
        "grep over source without a path",
        "search",
        "\n".join(f"{at * 6 + 1}:    def method_{at}(self, value: int) -> None:" for at in range(60)),
    )
    yield (
        "grep for errors",
        "search",
        "\n".join(f"src/mod_{at // 9}.py:{at % 9 * 11 + 2}:    raise ValueError('error {at}')" for at in range(90)),
    )
    yield (
        "diff of a CSV",
        "diff",
        (
            "diff --git a/data.csv b/data.csv\nindex 1234567..89abcde 100644\n--- a/data.csv\n+++ "
            "b/data.csv\n@@ -1,60 +1,60 @@\n"
            + "\n".join(f"{'-+'[at % 2]}{at // 2},name {at},{at * 3}.5,yes" for at in range(120))
            + "\n"
        ),
    )
    yield (
        "diff of a log",
        "diff",
        "--- a/app.log\n+++ b/app.log\n@@ -1,200 +1,200 @@\n" + "\n".join(f" {row}" for row in rows) + "\n",
    )
    yield (
        "diff of Markdown",
        "diff",
        (
            "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1,8 +1,8 @@\n # "
            "Title\n \n-Some text\n+Other text\n \n"
            " ## Use\n \n-- one\n+- two\n"
        ),
    )
    text = "\n\n".join(" ".join(random.Random(at).sample(SENTENCES, 4)) for at in range(40))
    yield (
        "prose that quotes an error",
        "prose|text",
        text + "\n\nThe program had said: ValueError: no template, and stopped.\n\n" + text,
    )
    yield "prose with dates", "prose|text", text.replace("It rained", "On 2026-03-01 at 10:15:00 it rained")
    yield (
        "YAML that looks like a log",
        "yaml",
        "events:\n"
        + "\n".join(
            f'  - time: "{a}"\n    level: INFO\n    message: item {at} done' for at, a in enumerate(STAMPS[:60])
        ),
    )
    yield (
        "YAML with times as keys",
        "yaml|text",
        "\n".join(f"{a[:10]}-{at}: done" for at, a in enumerate(STAMPS[:60])) + "\n",
    )
    yield (
        "CSV that begins with times",
        "csv",
        "time,level,value,host\n" + "\n".join(f"{a},INFO,{at * 3},web-{at % 4}" for at, a in enumerate(STAMPS)),
    )
    yield (
        "CSV of sentences",
        "csv",
        "id,question,answer\n"
        + "\n".join(f'{at},"{SENTENCES[at % 5]} Why, and when?","{SENTENCES[at % 3]}"' for at in range(80)),
    )
    yield (
        "CSV with code in cells",
        "csv",
        "id,code\n" + "\n".join(f'{at},"def f{at}(x):\n    return x, {at}"' for at in range(60)),
    )
    yield (
        "table with times in it",
        "table",
        "NAME       STARTED              STATUS\n"
        + "\n".join(f"job-{at:<6} {a[:19]}  {'done' if at % 3 else 'failed'}" for at, a in enumerate(STAMPS[:80])),
    )
    yield (
        "listing with dates first",
        "listing",
        "\n".join(
            f"-rw-r--r-- 1 root root {at * 37 + 5:>8} Mar {at % 28 + 1:>2} 10:15 error_{at}.log" for at in range(90)
        ),
    )
    yield (
        "paths of logs",
        "listing",
        "\n".join(f"./var/log/2026-03-{at % 28 + 1:02}/error_{at}.log" for at in range(90)),
    )
    yield "one line", "text", "done"
    yield "one line of JSON", "json", json.dumps({"items": list(range(400))})
    yield "one long line of letters", "text", "abcdefghij" * 900
    yield "empty", "text", ""
    yield "whitespace", "text", "\n  \n\t\n \n" * 30
    yield "numbers", "text", "\n".join(str(at * 7919 % 1000) for at in range(300))
    yield (
        "words",
        "text|listing",
        "\n".join(f"{word}" for word in (" ".join(SENTENCES) * 8).replace(".", "").lower().split()),
    )
    prompts = "\n".join(f"user@host:~/src$ cmd {at}\nresult of {at}\n" for at in range(60))
    yield "prompts of a shell", "text|parts", prompts
    yield (
        "HTML page about logs",
        "html",
        (
            "<!DOCTYPE html>\n<html><head><title>Logs</title></head><body><h1>Logs</h1><pre>"
            + "\n".join(rows[:60])
            + "</pre></body></html>\n"
        ),
    )
    yield (
        "XML with a log inside",
        "xml",
        "<?xml version='1.0'?>\n<run><log><![CDATA[\n" + "\n".join(rows[:90]) + "\n]]></log></run>\n",
    )
    yield "traceback alone", "text", "starting up\n" + TRACE
    yield (
        "pytest over loud code",
        "pytest",
        PYTEST.replace(
            "tests/test_order.py:9: AssertionError",
            "tests/test_order.py:9: AssertionError\n-- Captured log call --\n" + "\n".join(rows[:90]),
        ),
    )


def variants(inputs: Iterator[Input] | list[Input]) -> Iterator[Input]:
    """Yield some inputs again: with other line ends, marks, colours, without their beginning; the kind stays."""
    turned = {
        "log", "search", "diff", "csv", "listing", "pytest", "source", "markdown", "table", "unittest", "diagnostics",
    }
    many: dict[str, int] = {}
    for item in inputs:
        if item.kinds[0] not in turned or b"\0" in item.data or b"\r" in item.data or len(item.data) > 120_000:
            continue
        turn = many[item.kinds[0]] = many.get(item.kinds[0], -1) + 1
        if turn >= 10:
            continue
        how, data = _turn(turn % 5, item)
        if data:
            yield replace(item, source=f"{item.source}, {how}", data=data, name="", trap=True)


def _turn(turn: int, item: Input) -> tuple[str, bytes]:
    rows = item.data.split(b"\n")
    if turn == 0:
        return "CRLF", item.data.replace(b"\n", b"\r\n")
    if turn == 1:
        return "with a BOM", b"\xef\xbb\xbf" + item.data
    if turn == 2:
        return "with blank lines before it", b"\n\n" + item.data
    if turn == 3:
        coloured = item.kinds[0] in ("log", "pytest", "diagnostics") and b"\x1b" not in item.data
        return "coloured", b"\n".join(b"\x1b[32m" + row + b"\x1b[0m" for row in rows) if coloured else b""
    cut = item.kinds[0] in ("log", "search", "listing", "diagnostics") and len(rows) > 30
    return "without its beginning", b"\n".join(rows[len(rows) * 2 // 5 :])[7:] if cut else b""
