"""What a listing claims: the files that it names, and the definitions with their lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADING = re.compile(r"## (?P<path>\S+?)(?: \((?:[\d,]+ of )?[\d,]+ files?\)|: (?P<names>.*)|)$")
ROW = re.compile(r"- (?P<path>[^\s:]+):(?: (?P<names>.*))?$")
SIGNED = re.compile(r"  - (?P<line>\d+) (?P<signature>.*)$")
NAME = re.compile(r"(?<![^,( ])(?P<line>\d+) (?:[\w.]+\.)?(?P<name>[^\s(),.]+)")


@dataclass
class Claims:
    """Hold the files, the names in each file, and these with their lines."""

    files: set[str] = field(default_factory=set)
    names: set[tuple[str, str]] = field(default_factory=set)
    places: set[tuple[str, str, int]] = field(default_factory=set)

    def add(self, path: str, name: str, line: int = 0) -> None:
        """Add a definition; a line of 0 is not known."""
        self.files.add(path)
        self.names.add((path, name))
        if line:
            self.places.add((path, name, line))


def read_map(text: str) -> Claims:
    """Return what a map of ctxkit claims, read as a person reads it."""
    claims, directory, path = Claims(), "", ""
    for row in text.split("\n"):
        if row.startswith("## Other files:"):
            continue
        if found := HEADING.match(row):
            is_directory = found["path"].endswith("/")
            directory, path = ("" if found["path"] == "./" else found["path"], "") if is_directory else ("", found["path"])
            if path:
                claims.files.add(path)
        elif found := ROW.match(row):
            path = directory + found["path"]
            claims.files.add(path)
        elif found := SIGNED.match(row):
            for word in re.findall(r"\w+", found["signature"]):
                claims.add(path, word, int(found["line"]))
            continue
        elif row.startswith("- "):
            claims.files.update(directory + name for name in row[2:].split(", "))
            continue
        if found and found.groupdict().get("names"):
            for item in NAME.finditer(found["names"]):
                claims.add(path, item["name"], int(item["line"]))
    return claims


def read_aider_map(text: str) -> Claims:
    """Return what a map of aider claims: lines of code below their file, without numbers."""
    claims, path = Claims(), ""
    for row in text.split("\n"):
        if row and not row.startswith(("│", "⋮", " ")):
            path = row.removesuffix(":")
            claims.files.add(path)
        elif row.startswith("│"):
            for word in re.findall(r"\b(?:def|class)\s+(\w+)", row):
                claims.add(path, word)
    return claims


def read_rows(rows: Iterator[tuple[str, str, int]]) -> Claims:
    """Return the claims of rows of a path, a name and a line; the name is empty in a list of files."""
    claims = Claims()
    for path, name, line in rows:
        claims.files.add(path)
        if name:
            claims.add(path, name, line)
    return claims
