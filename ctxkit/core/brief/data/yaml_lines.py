"""Lines of YAML, and the scalars and collections in brackets that may go on over several of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxkit.core.brief.data.branches import Branch, grow
from ctxkit.core.brief.data.flows import Flow, balance, unquoted
from ctxkit.core.brief.data.scalars import scalar

KEY = re.compile(
    r"""(?:"((?:[^"\\]|\\.)*+)"|'((?:[^']|'')*+)'(?!')|((?:[^\s\-?:,\[\]{}#&*!|>'"%@`]|[-?:&*!](?=\S)|<<)(?:[^:#]|:(?=\S)|(?<=\S)\#)*?))"""
    r"[ \t]*:(?=\s|$)[ \t]*",
)
REMARK = re.compile(r"(?:^|[ \t])#.*$")
DIVIDER = re.compile(r"(?:---|\.\.\.)(?=\s|$)")
TEMPLATE = re.compile(r"\s*(?:\{\{|\{%)")
"""Lines of a template engine, such as Helm's, between those of YAML."""
LEAVES = 20_000
"""Values in brackets that are told apart; of later collections only the whole has a place."""
TRIES = 20
"""Lines that are no YAML whose numbers are kept."""
_CLOSED = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
    "'": re.compile(r"'(?:[^']|'')*+'(?!')", re.DOTALL),
}


@dataclass(slots=True)
class Yaml:
    """Hold the documents of a YAML text, and what was met that is worth saying."""

    documents: list[Branch] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)
    wrong: int = 0
    twice: list[tuple[int, str, int]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    aliases: int = 0
    templates: int = 0
    loose: int = 0
    pairs: int = 0
    items: int = 0
    blocks: list[tuple[int, int, str]] = field(default_factory=list)


class Cursor:
    """Go through lines one after another, reading the values that are neither mappings nor lists of lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.at = 0
        self.found = Yaml()
        self.scalars: dict[str, Any] = {}
        self.leaves = 0

    def _skip(self) -> int | None:
        """Go on to the next line that says something; return its indentation, None where the document ends."""
        lines, total = self.lines, len(self.lines)
        while self.at < total:
            line = lines[self.at]
            bare = line.lstrip(" ")
            first = bare[:1]
            if first in "#\r\t" or not first:
                if first == "\t" and bare.strip() and not bare.lstrip().startswith("#"):
                    self._refuse("a tab in the indentation")
                    continue
                self.at += 1
                continue
            if first == "{" and TEMPLATE.match(bare):
                self.found.templates += 1
                self.at += 1
                continue
            indent = len(line) - len(bare)
            if not indent and first in "-." and DIVIDER.match(line):
                return None
            return indent
        return None

    def _refuse(self, why: str) -> None:
        """Note a line that is no YAML, and go on behind it."""
        if self.at < len(self.lines):
            self.found.wrong += 1
            if len(self.found.bad) < TRIES:
                self.found.bad.append((self.at + 1, why))
            self.at += 1

    def _literal(self, branch: Branch, indent: int, mark: str) -> None:
        """Take the lines of a block scalar: all that are indented deeper, and blank ones."""
        self.at += 1
        begin = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            bare = line.lstrip(" ")
            if bare.strip() and len(line) - len(bare) <= indent:
                break
            self.at += 1
        while self.at > begin and not self.lines[self.at - 1].strip():
            self.at -= 1
        text = [line.strip() for line in self.lines[begin : self.at]]
        branch.value = ("\n" if mark.startswith("|") else " ").join(text)
        if self.at - begin >= 5:
            self.found.blocks.append((begin + 1, self.at, next(filter(None, text), "")))

    def _flow(self, branch: Branch, text: str) -> None:
        """Take the lines of a collection in brackets."""
        level = balance(text, 0)
        parts = [REMARK.sub("", text) if "#" in text else text]
        self.at += 1
        while level > 0 and self.at < len(self.lines) and len(parts) < 100_000:
            line = self.lines[self.at]
            level = balance(line, level)
            parts.append(REMARK.sub("", line) if "#" in line else line)
            self.at += 1
        try:
            branch.value = Flow("\n".join(parts)).value()
        except RecursionError:
            branch.value = None
        branch.end = max(self.at + 1, branch.at + 1)
        self.leaves += grow(branch, LEAVES - self.leaves)

    def _quoted(self, branch: Branch, text: str, sign: str) -> None:
        """Take a quoted scalar, which may go on over lines."""
        pattern = _CLOSED[sign]
        start, parts = self.at, [text]
        whole = text
        found = pattern.match(whole)
        while not found and self.at + 1 < len(self.lines) and len(parts) < 2_000:
            self.at += 1
            parts.append(self.lines[self.at].strip())
            if sign in parts[-1]:
                whole = "\n".join(parts)
                found = pattern.match(whole)
        if not found:
            self.at = start
            self._refuse("a quote opens here that nothing closes")
            branch.value = text
            return
        branch.value = unquoted(found[0])
        self.at += 1

    def _plain(self, branch: Branch, text: str, indent: int, *, alone: bool) -> None:
        """Take a plain scalar with the lines that go on with it."""
        said = (REMARK.sub("", text) if "#" in text else text).strip()
        self.at += 1
        count = 0
        while self.at < len(self.lines) and self._goes_on(indent):
            said += " " + self.lines[self.at].strip()
            self.at += 1
            count += 1
        self.found.loose += count + (alone and " " in said)
        if said.startswith("*") and len(said) > 1:
            self.found.aliases += 1
            branch.value = self.scalars.get(said[1:], said)
        else:
            branch.value = scalar(said)

    def _goes_on(self, indent: int) -> bool:
        """Tell whether a line continues a plain scalar: indented deeper, and neither a key nor a remark."""
        line = self.lines[self.at]
        bare = line.lstrip(" \t")
        if not bare.strip() or bare.startswith("#") or len(line) - len(bare) <= indent:
            return False
        return not KEY.match(bare) and not (bare.startswith("- ") and indent < 0) and not TEMPLATE.match(bare)
