"""Other linters on the same workspaces: installed once, in pinned versions, into the cache of the benches."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.brief.cases import cache
from bench.lint.findings import Finding, Linter, LinterError

PATIENCE = 120
SAME = re.compile(r"(?i)duplic|redundan|repeat|drift")
WHERE = re.compile(r"(?i)ref(?:erence)?|path|import|link|script|target|file-not|not-found|CDX-AG-005|REF-")


@dataclass(frozen=True)
class Peer:
    """Name a linter: its package and version, the registry, its command, and how its report is read."""

    name: str
    package: str
    registry: str
    arguments: tuple[str, ...]
    read: Callable[[Any], Iterator[Finding]]


def _code(rule: str) -> str:
    """Return the family of a peer's rule: of copies, of references, or any other."""
    return "DUP002" if SAME.search(rule) else "REF001" if WHERE.search(rule) else "ANY"


def _jscpd(report: Any) -> Iterator[Finding]:
    for clone in report["duplicates"]:
        ends = (clone["firstFile"], clone["secondFile"])
        yield Finding("DUP002", tuple((_plain(end["name"]), end["start"], end["end"]) for end in ends))


def _plain(name: str) -> str:
    return os.path.normpath(re.sub(r":[a-z]+$", "", name))


def _agentlinter(report: Any) -> Iterator[Finding]:
    for row in report["diagnostics"]:
        line = row.get("line") or 1
        other = re.search(r"also in ([\w./-]+\w): \"(.*?)(?:\.\.\.)?\"", row["message"])
        spans = [(row["file"], line, line)]
        if other:  # it names the other file, not the line: any line of it counts
            spans.append((other[1], 1, 10**6))
        yield Finding(_code(row["rule"]), tuple(spans), row["message"])


def _ctxlint(report: Any) -> Iterator[Finding]:
    for file in report["files"]:
        for row in file["issues"]:
            yield Finding(_code(row["ruleId"]), ((file["path"], row["line"], row["line"]),), row["message"])


def _agnix(report: Any) -> Iterator[Finding]:
    for row in report["diagnostics"]:
        code = "REF001" if row["rule"].startswith(("REF-", "CDX-AG-005", "CC-MEM-001")) else _code(row["message"])
        yield Finding(code, ((row["file"], row["line"], row["line"]),), row["message"])


def _skillsaw(report: Any) -> Iterator[Finding]:
    for row in report["violations"]:
        line = row.get("line") or 1
        yield Finding(_code(row["rule_id"]), ((os.path.normpath(row["file_path"]), line, line),), row["message"])


PEERS = (
    Peer("jscpd", "jscpd@5.3.3", "npm", ("--silent", "--reporters", "json", "--output", "{out}", "."), _jscpd),
    Peer(
        "jscpd, 10 tokens", "jscpd@5.3.3", "npm",
        ("--silent", "--min-tokens", "10", "--min-lines", "1", "--reporters", "json", "--output", "{out}", "."), _jscpd,
    ),
    Peer("agentlinter", "agentlinter@0.3.3", "npm", ("--local", "--json", "."), _agentlinter),
    Peer("ctxlint", "@yawlabs/ctxlint@0.14.1", "npm", ("--format", "json", "."), _ctxlint),
    Peer("agnix", "agnix==0.59.3", "pypi", ("--format", "json", "."), _agnix),
    Peer("skillsaw", "skillsaw==0.22.0", "pypi", ("lint", "--format", "json", "."), _skillsaw),
)  # fmt: skip


def install(peer: Peer) -> str:
    """Return the path of a peer's command, installed if need be; raises LinterError where that cannot be."""
    root = os.path.join(cache(), "lint", re.sub(r"\W+", "-", peer.package))
    name = peer.package.removeprefix("@yawlabs/").split("@")[0].split("==")[0]
    command = os.path.join(root, "node_modules/.bin" if peer.registry == "npm" else "bin", name)
    if os.path.exists(command):
        return command
    os.makedirs(root, exist_ok=True)
    if peer.registry == "npm" and shutil.which("npm") is None:
        raise LinterError("npm is not installed")
    npm = [["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", root, peer.package]]
    pip = [[sys.executable, "-m", "venv", root], [f"{root}/bin/python", "-m", "pip", "install", "-q", peer.package]]
    for argv in npm if peer.registry == "npm" else pip:
        try:
            done = subprocess.run(argv, capture_output=True, timeout=600, cwd=root)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LinterError(f"{peer.package} cannot be installed: {error}"[:200]) from error
        if done.returncode:
            shutil.rmtree(root, ignore_errors=True)
            why = done.stderr[-120:].decode(errors="replace").strip()
            raise LinterError(f"{peer.package} cannot be installed: {why}")
    return command


def linter(peer: Peer, scratch: str) -> Linter:
    """Return a peer as a linter; raises LinterError where it cannot be installed."""
    command = install(peer)

    def run(root: str) -> list[Finding]:
        shutil.rmtree(scratch, ignore_errors=True)
        argv = [command, *(argument.replace("{out}", scratch) for argument in peer.arguments)]
        done = subprocess.run(argv, cwd=root, capture_output=True, timeout=PATIENCE)
        try:
            if "{out}" in peer.arguments:
                with open(os.path.join(scratch, "jscpd-report.json"), encoding="utf-8") as file:
                    return list(peer.read(json.load(file)))
            return list(peer.read(json.loads(done.stdout or b"{}")))
        except (OSError, ValueError, KeyError) as error:
            raise LinterError(f"{peer.name} said nothing that can be read: {error!r}"[:200]) from error

    return run
