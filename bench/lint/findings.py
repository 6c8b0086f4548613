"""What ``ctxkit dedupe`` says of a workspace, by its JSON."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.lint.desk import Span

PATIENCE = 300
"""Seconds that a linter may take for one workspace."""


class LinterError(Exception):
    """Say that a linter failed, or that what it wrote cannot be read."""


@dataclass(frozen=True)
class Finding:
    """Hold one finding: its rule, its own place and the related ones, and the tokens it says are wasted."""

    code: str
    spans: tuple[Span, ...]
    message: str = ""
    severity: str = ""
    tokens: int | None = None


Linter = Callable[[str], list[Finding]]
"""Return the findings of the workspace at a path."""


def ctxkit(command: Sequence[str], *options: str) -> Linter:
    """Return the linter that is measured: ``ctxkit dedupe``, run in the workspace."""

    def run(root: str) -> list[Finding]:
        return parse(_run(command, root, *options), root)

    return run


def list_findings(command: Sequence[str], root: str) -> list[dict[str, Any]]:
    """Return the findings of the default rules in a workspace as ctxkit writes them; raises LinterError."""
    rows: list[dict[str, Any]] = json.loads(_run(command, root))
    return rows


def _run(command: Sequence[str], root: str, *options: str) -> bytes:
    argv = [*command, "dedupe", "--output-format", "json", *options, "."]
    done = subprocess.run(argv, cwd=root, capture_output=True, timeout=PATIENCE)
    if done.returncode not in (0, 1):
        text = done.stderr[-300:].decode(errors="replace").strip()
        raise LinterError(f"status {done.returncode} of dedupe in {root}: {text}")
    return done.stdout


def parse(data: bytes, root: str) -> list[Finding]:
    """Return the findings of JSON; raises LinterError where it has another form."""
    try:
        return [_finding(row, root) for row in json.loads(data or b"[]")]
    except (ValueError, KeyError, TypeError) as error:
        raise LinterError(f"no list of findings: {data[:200]!r}") from error


def _finding(row: dict[str, Any], root: str) -> Finding:
    spans = tuple(_span(item, root) for item in (row, *(row.get("related") or ())))
    return Finding(row["code"], spans, row.get("message") or "", row.get("severity") or "", row.get("tokens"))


def _span(row: dict[str, Any], root: str) -> Span:
    path = row["path"]
    path = os.path.relpath(path, root) if os.path.isabs(path) else os.path.normpath(path)
    line = row.get("line") or 1
    return path, line, row.get("end_line") or line
