"""Logs of runs with many failing tests, in the form of several runners, and what failed in them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

VERBS = ["reads", "writes", "keeps", "drops", "merges", "splits", "sorts", "parses", "renders", "counts"]
NOUNS = ["header", "footer", "cursor", "window", "buffer", "ledger", "ticket", "voucher", "basket", "route"]
MESSAGES = ("connection refused: port 5432", "expected 3 rows, got {}", "{} is not in the list", "unexpected end of {}")


@dataclass(frozen=True, slots=True)
class Failing:
    """Hold a failing test: its file, its class, its function, the id of its parameters, and its message."""

    file: str
    owner: str
    function: str
    parameter: str
    message: str


def make_failures(count: int, seed: int = 0) -> list[Failing]:
    """Return failing tests of several files: one in three of a class, one in three with several parameters."""
    chosen = random.Random(seed)
    names = [f"{verb}_the_{noun}_{what}" for verb in VERBS for noun in NOUNS for what in ("twice", "late", "whole")]
    chosen.shuffle(names)
    failures: list[Failing] = []
    while len(failures) < count:
        at = len(failures) * max(3, count // 12) // count
        file = f"{NOUNS[at % 10]}_{VERBS[at // 10 % 10]}"
        owner = f"Test{NOUNS[at % 10].title()}" if at % 3 else ""
        function = names.pop()
        many = chosen.choice((1, 1, 1, 2, 6)) if len(failures) % 3 else 1
        for step in range(min(many, count - len(failures))):
            parameter = f"{chosen.choice(NOUNS)}-{step}" if many > 1 else ""
            message = chosen.choice(MESSAGES).format(chosen.randrange(100))
            failures.append(Failing(file, owner, function, parameter, message))
    return failures


def print_pytest(failures: Sequence[Failing], errors: Sequence[Failing] = ()) -> str:
    """Return what pytest prints for failures, and for tests whose setup failed, in its default style."""
    head = "=" * 29 + " test session starts " + "=" * 30 + "\nplatform linux -- Python 3.11.2, pytest-8.3.4\n\n"
    parts, summary = [head], []
    for word, rows in (("ERROR", errors), ("FAILED", failures)):
        if rows:
            parts.append(f"{' ERRORS ' if word == 'ERROR' else ' FAILURES ':=^80}\n")
        for at, one in enumerate(rows):
            leaf = f"test_{one.function}" + (f"[{one.parameter}]" if one.parameter else "")
            before = "ERROR at setup of " if word == "ERROR" else ""
            title = f" {before}{one.owner}.{leaf} " if one.owner else f" {before}{leaf} "
            path = f"tests/test_{one.file}.py"
            parts.append(
                f"{title:_^80}\n\n    def test_{one.function}():\n>       run({at})\n\n{path}:{10 + at}: \n"
                + "_ _ _ _ _ _ _ _ _ _\n\n    def run(value):\n>       raise ValueError(text)\n"
                + f"E       ValueError: {one.message}\n\napp/core.py:7: ValueError\n"
            )
            node = "::".join(part for part in (path, one.owner, leaf) if part)
            summary.append(f"{word} {node} - ValueError: {one.message}\n")
    counts = f" {len(failures)} failed, 31 passed, {len(errors)} errors in 2.31s ".replace(", 0 errors", "")
    return "".join([*parts, f"{' short test summary info ':=^80}\n", *summary, f"{counts:=^80}\n"])


def _print_unittest(failures: Sequence[Failing]) -> str:
    parts = []
    for one in failures:
        owner = f"test_{one.file}.{one.owner or 'Plain'}.test_{one.function}"
        sub = f" (case='{one.parameter}')" if one.parameter else ""
        parts.append(
            f"{'=' * 70}\nFAIL: test_{one.function} ({owner}){sub}\n{'-' * 70}\nTraceback (most recent call last):\n"
            f'  File "/srv/app/test_{one.file}.py", line 12, in test_{one.function}\n    self.assertEqual(run(), 1)\n'
            f"    ~~~~~~~~~~~~~~~~^^^^^^^^^^\nAssertionError: {one.message}\n\n"
        )
    return "".join(parts) + f"{'-' * 70}\nRan {len(failures) + 31} tests in 0.2s\n\nFAILED (failures={len(failures)})\n"


def _name_script_test(one: Failing) -> str:
    return one.function.replace("_", " ") + (f" with {one.parameter}" if one.parameter else "")


def _print_jest(failures: Sequence[Failing]) -> str:
    parts = []
    for file, rows in groupby(failures, lambda one: one.file):
        parts.append(f"FAIL src/{file}.test.js\n")
        for one in rows:
            owner = f"{one.owner} \u203a " if one.owner else ""
            parts.append(
                f"  \u25cf {owner}{_name_script_test(one)}\n\n    {one.message}\n\n      1 | test('a', () => {{\n"
                f"    > 2 |   run();\n        |   ^\n\n      at Object.run (src/{file}.test.js:2:18)\n\n"
            )
    return "".join(parts) + f"Test Suites: 9 failed, 9 total\nTests:       {len(failures)} failed, 31 passed, 99 total\n"


def _print_vitest(failures: Sequence[Failing]) -> str:
    parts = [f"{chr(0x23af) * 7} Failed Tests {len(failures)} {chr(0x23af) * 7}\n\n"]
    for at, one in enumerate(failures, 1):
        names = [f"src/{one.file}.test.ts", *([one.owner] if one.owner else []), _name_script_test(one)]
        parts.append(
            f" FAIL  {' > '.join(names)}\nError: {one.message}\n \u276f src/{one.file}.test.ts:5:13\n"
            f"      3|\n      4| test('a', () => {{\n      5|   run()\n       |   ^\n\n"
            f"{chr(0x23af) * 40}[{at}/{len(failures)}]{chr(0x23af)}\n\n"
        )
    return "".join(parts) + f" Test Files  9 failed (9)\n      Tests  {len(failures)} failed | 31 passed (99)\n"


def _print_go(failures: Sequence[Failing]) -> str:
    parts = []
    for file, rows in groupby(failures, lambda one: one.file):
        for function, cases in groupby(rows, lambda one: one.function):
            name = "Test" + function.title().replace("_", "")
            parts.append(f"--- FAIL: {name} (0.00s)\n")
            for one in cases:
                if one.parameter:
                    parts.append(f"    --- FAIL: {name}/{one.parameter} (0.00s)\n")
                parts.append(f"        {file}_test.go:12: {one.message}\n")
        parts.append(f"FAIL\nFAIL\texample.com/app/{file}\t0.003s\n")
    return "".join(parts) + "FAIL\n"


def _print_cargo(failures: Sequence[Failing]) -> str:
    parts = []
    for file, rows in groupby(failures, lambda one: one.file):
        cases = [(one.function + (f"::case_{at}_{one.parameter.partition('-')[0]}" if one.parameter else ""), one) for at, one in enumerate(rows, 1)]
        parts.append(f"     Running tests/{file}.rs (target/debug/deps/{file}-0a1b2c3d4e5f6071)\n\nrunning {len(cases)} tests\n")
        parts += [f"test {name} ... FAILED\n" for name, _ in cases]
        parts.append("\nfailures:\n\n")
        parts += [
            f"---- {name} stdout ----\n\nthread '{name}' panicked at tests/{file}.rs:3:5:\n{one.message}\n\n" for name, one in cases
        ]
        parts.append("\nfailures:\n" + "".join(f"    {name}\n" for name, _ in cases))
        parts.append(f"\ntest result: FAILED. 3 passed; {len(cases)} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s\n\n")
    return "".join(parts)


PRINTERS: dict[str, Callable[[Sequence[Failing]], str]] = {
    "pytest": print_pytest,
    "unittest": _print_unittest,
    "jest": _print_jest,
    "vitest": _print_vitest,
    "go test": _print_go,
    "cargo test": _print_cargo,
}
"""The forms of runners by the names of their kinds."""


def list_names(runner: str, failures: Sequence[Failing]) -> tuple[list[str], list[str]]:
    """Return the names of the functions and the files of failures, as a runner prints them."""
    forms = {
        "go test": lambda one: "Test" + one.function.title().replace("_", ""),
        "jest": lambda one: one.function.replace("_", " "),
        "vitest": lambda one: one.function.replace("_", " "),
    }
    functions = [forms.get(runner, lambda one: one.function)(one) for one in failures]
    files = [one.file for one in failures]
    return list(dict.fromkeys(functions)), list(dict.fromkeys(files))


def find_missing(text: str, names: Sequence[str]) -> list[str]:
    """Return the names that a map does not have, also not with a beginning that it writes once: ``a b {c, d e}``."""
    plain = "\n".join(_expand_line(line) for line in text.split("\n"))
    return [name for name in names if name not in plain]


def _expand_line(line: str) -> str:
    """Return a line with what precedes each brace also before each of the names in it."""
    parts = line.split("{")
    expanded = line
    for before, inside in pairwise(parts):
        prefix = before.rpartition("}")[2].rpartition(": ")[2].lstrip(", ")
        for mark in (", ", "; ", " | "):
            prefix = prefix.rpartition(mark)[2]
        expanded += "".join(f" {prefix}{name}" for name in inside.partition("}")[0].split(", "))
    return expanded
