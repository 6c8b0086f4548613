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
        if match := HEADING.match(row):
            if match["path"].endswith("/"):
                directory, path = match["path"].removeprefix("./"), ""
            else:
                directory, path = "", match["path"]
                claims.files.add(path)
        elif match := ROW.match(row):
            path = directory + match["path"]
            claims.files.add(path)
        elif match := SIGNED.match(row):
            for word in re.findall(r"\w+", match["signature"]):
                claims.add(path, word, int(match["line"]))
            continue
        elif row.startswith("- "):
            claims.files.update(directory + name for name in row[2:].split(", "))
            continue
        if match and match.groupdict().get("names"):
            for item in NAME.finditer(match["names"]):
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
