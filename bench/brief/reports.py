"""What compilers and linters say to programs: JSON, or rows of fields."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """Name one finding: file, 1-based line, severity, code (empty for none) and its message's first line."""

    path: str
    line: int
    severity: str
    code: str
    message: str


def _relative(path: str, root: str) -> str:
    path = path.removeprefix("file://")
    return os.path.relpath(path, root) if os.path.isabs(path) else os.path.normpath(path)


def _first(message: str) -> str:
    return message.strip().split("\n")[0]


def ruff(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``ruff --output-format json``."""
    for load in json.loads(text[text.index("[") :]):
        yield Found(
            _relative(load["filename"], root),
            load["location"]["row"],
            "error",
            load["code"] or "",
            _first(load["message"]),
        )


def mypy(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``mypy --output json``."""
    for row in text.split("\n"):
        if row.startswith("{"):
            values = json.loads(row)
            if values["severity"] == "error":
                yield Found(
                    _relative(values["file"], root),
                    values["line"],
                    "error",
                    values["code"] or "",
                    _first(values["message"]),
                )


def pylint(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``pylint -f json``."""
    for load in json.loads(text[text.index("[") :]):
        severity = "error" if load["type"] in ("error", "fatal") else "warning"
        yield Found(_relative(load["path"], root), load["line"], severity, load["message-id"], _first(load["message"]))


def flake8(text: str, root: str) -> Iterator[Found]:
    """Yield the findings that ``flake8 --format`` wrote in fields."""
    for row in filter(None, text.split("\n")):
        path, line, code = row.split("\t")
        yield Found(_relative(path, root), int(line), "error", code, "")


def pyright(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``pyright --outputjson``."""
    for load in json.loads(text[text.index("{") :])["generalDiagnostics"]:
        line = load["range"]["start"]["line"] + 1
        yield Found(
            _relative(load["file"], root), line, load["severity"], load.get("rule", ""), _first(load["message"])
        )


def eslint(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``eslint -f json``."""
    for file in json.loads(text[text.index("[{") :].partition("\n\n")[0]):
        for item in file["messages"]:
            severity = "error" if item["severity"] == 2 else "warning"
            yield Found(
                _relative(file["filePath"], root), item["line"], severity, item["ruleId"] or "", _first(item["message"])
            )


def tsc(text: str, root: str) -> Iterator[Found]:
    """Yield the findings that bench/brief/peers/tsc.cjs took from the compiler."""
    for load in json.loads(text):
        yield Found(_relative(load["path"], root), load["line"], "error", f"TS{load['code']}", _first(load["message"]))


def gcc(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``gcc -fdiagnostics-format=json``, one array a file."""
    for row in text.split("\n"):
        if not row.startswith("[{"):
            continue
        for load in json.loads(row):
            if load["kind"] in ("error", "warning", "fatal error") and load["locations"]:
                place = load["locations"][0]["caret"]
                severity = load["kind"].removeprefix("fatal ")
                yield Found(
                    _relative(place["file"], root),
                    place["line"],
                    severity,
                    load.get("option", ""),
                    _first(load["message"]),
                )


def clang(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of clang in the format of another compiler."""
    for row in text.split("\n"):
        match = re.fullmatch(
            r"(\S+)\((\d+)(?:,\d+)?\): (?:fatal )?(error|warning): (.*?)(?: \[(-W[\w-]+)(?:,[^\]]*)?\])?", row
        )
        if match:
            yield Found(_relative(match[1], root), int(match[2]), match[3], match[5] or "", match[4])


def javac(text: str, root: str) -> Iterator[Found]:
    """Yield the findings that bench/brief/peers/Diagnose.java took from the compiler."""
    for row in text.split("\n"):
        if row.startswith("{"):
            values = json.loads(row)
            yield Found(
                _relative(values["path"], root), values["line"], values["severity"], "", _first(values["message"])
            )


def cargo(text: str, root: str) -> Iterator[Found]:
    """Yield the findings of ``cargo --message-format=json``."""
    for row in text.split("\n"):
        table: dict[str, Any] = json.loads(row) if row.startswith("{") else {}
        message = table.get("message", {})
        if table.get("reason") == "compiler-message" and message["spans"] and message["level"] in ("error", "warning"):
            place = next(span for span in message["spans"] if span["is_primary"])
            code = (message["code"] or {}).get("code", "")
            yield Found(
                _relative(place["file_name"], root),
                place["line_start"],
                message["level"],
                code,
                _first(message["message"]),
            )


Reader = Callable[[str, str], Iterator[Found]]
"""Yield what a tool found, from what it wrote for programs about a directory."""
READERS: dict[str, Reader] = {
    "ruff": ruff,
    "mypy": mypy,
    "pylint": pylint,
    "flake8": flake8,
    "pyright": pyright,
    "eslint": eslint,
    "tsc": tsc,
    "gcc": gcc,
    "clang": clang,
    "javac": javac,
    "cargo": cargo,
}
