"""TOML, INI, .env and .properties read line by line: sections and keys with their lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxkit.core.brief.data.branches import Branch, grow, mapping, sequence
from ctxkit.core.brief.data.flows import QUOTES, Flow, balance, unquoted
from ctxkit.core.brief.data.scalars import numeric

HEADER = re.compile(r"[ \t]*(\[\[?)[ \t]*(\S(?:.*?\S)??)[ \t]*(\]\]?)[ \t]*(?:[#;].*)?$")
TOML_KEY = re.compile(
    r"""[ \t]*((?:[\w-]+|"(?:[^"\\]|\\.)*+"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]*"|'[^']*'))*)[ \t]*=[ \t]*"""
)
INI_KEY = re.compile(r"[ \t]*(?:export[ \t]+)?([^\s=:#;\[](?:[^=:\n]*[^=:\s])?)[ \t]*[=:][ \t]*")
ENV_KEY = re.compile(r"[ \t]*(?:export[ \t]+)?([^\s=#;\[](?:[^=\n]*[^=\s])?)[ \t]*=[ \t]*")
STEP = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*+)"|'([^']*)'|([^.\s"']+(?:[ \t]+[^.\s"']+)*))[ \t]*(?:\.|$)""")
TRIES = 20
"""Lines that are neither a section nor a key whose numbers are kept."""
LEAVES = 20_000
"""Values in brackets that are told apart; of later collections only the whole has a place."""
TRIPLE = ('"""', "'''")


@dataclass(slots=True)
class Settings:
    """Hold what a file of settings says, and the lines that are no settings."""

    root: Branch
    bad: list[tuple[int, str]] = field(default_factory=list)
    wrong: int = 0
    pairs: int = 0
    sections: int = 0
    twice: list[tuple[int, str, int]] = field(default_factory=list)


class _Reader:
    """Read lines one after another; what they hold hangs below the section reached."""

    key = INI_KEY

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.at = 0
        self.made = Settings(Branch(None, 1, 1, len(lines) + 1, {}))
        self.section = self.made.root
        self.known: dict[int, dict[str, Branch]] = {}
        self.last = 0
        self.leaves = 0

    def read(self) -> Settings:
        """Return everything."""
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip("\r")
            bare = line.strip()
            if not bare or bare[0] in "#;" or bare.startswith("//"):
                self.at += 1
                continue
            if bare[0] == "[" and (found := HEADER.match(line)) and len(found[1]) == len(found[3]):
                self._section(found[2], many=len(found[1]) == 2)
            elif found := self.key.match(line):
                self._pair(found, line)
            else:
                self._other(line)
            self.last = self.at
        self._end(self.section)
        self._settle(self.made.root)
        return self.made

    def _end(self, section: Branch) -> None:
        if section is not self.made.root:
            section.end = max(self.last + 1, section.at + 1)

    def _settle(self, root: Branch) -> None:
        """Make values of branches, the innermost first; a table reaches as far as those inside it that follow it."""
        order, waiting = [], [root]
        while waiting:
            one = waiting.pop()
            if isinstance(one.value, dict | list):
                order.append(one)
                waiting.extend(one.below)
        for one in reversed(order):
            (sequence if isinstance(one.value, list) else mapping)(one)
            if one.below and one is not root:
                one.at = min(one.at, one.below[0].at)
                one.end = max(one.end, *(inner.end for inner in one.below))

    def _child(self, parent: Branch, key: str, made: Any) -> tuple[Branch, bool]:
        """Return the member of a table, made when there is none, and whether it was there."""
        known = self.known.setdefault(id(parent), {})
        if key in known:
            return known[key], True
        known[key] = one = Branch(key, self.at + 1, self.at + 1, self.at + 2, made)
        parent.below.append(one)
        return one, False

    def _section(self, name: str, *, many: bool) -> None:
        self._end(self.section)
        self.made.sections += 1
        self.section = self._named(name, many=many)
        self.at += 1

    def _named(self, name: str, *, many: bool) -> Branch:
        """Return the section of a name; one that comes again goes on."""
        del many
        one, known = self._child(self.made.root, name, {})
        if known:
            self._again(one, f"[{name}]", self.at + 1)
        return one

    def _again(self, one: Branch, name: str, line: int) -> None:
        if len(self.made.twice) < TRIES:
            self.made.twice.append((line, name, one.at))

    def _pair(self, found: "re.Match[str]", line: str) -> None:
        """Take a key with its value, and the indented lines that go on with it."""
        self.made.pairs += 1
        start = self.at
        said = line[found.end() :].strip()
        self.at += 1
        while self.at < len(self.lines) and (self._goes_on(self.lines[self.at]) or said.endswith("\\")):
            said = said.removesuffix("\\") + "\n" + self.lines[self.at].strip()
            self.at += 1
        value = unquoted(said) if said[:1] in ("'", '"') and QUOTES.fullmatch(said) else numeric(said.strip())
        self._put(self.section, found[1].strip(), value, start)

    def _goes_on(self, line: str) -> bool:
        """Tell whether a line continues the value above: indented, and not blank or a remark."""
        bare = line.strip()
        deeper = line[:1] in (" ", "\t") and bool(bare) and bare[0] not in "#;"
        return deeper and not self._indented() and not HEADER.match(line)

    def _indented(self) -> bool:
        """Tell whether the keys of the section are indented themselves."""
        return self.lines[self.at - 1][:1] in (" ", "\t") and self.key.match(self.lines[self.at]) is not None

    def _put(self, parent: Branch, key: str, value: Any, start: int) -> None:
        known = self.known.setdefault(id(parent), {})
        one = Branch(key, start + 1, start + 1, self.at + 1, value)
        if key in known:
            self._again(known[key], key, start + 1)
        known[key] = one
        parent.below.append(one)
        self.leaves += grow(one, LEAVES - self.leaves)

    def _other(self, line: str) -> None:
        """Take a line that is neither: in a section of words without values it is a key alone."""
        bare = line.strip()
        self.at += 1
        if self.made.sections and " " not in bare and "<" not in bare:
            self._put(self.section, bare, None, self.at - 1)
            self.made.pairs += 1
        else:
            self.made.wrong += 1
            if len(self.made.bad) < TRIES:
                self.made.bad.append((self.at, "neither a section nor a key"))


class _Ini(_Reader):
    """Read sections of keys with ``=`` or ``:`` after them."""


class _Env(_Reader):
    """Read keys with ``=`` after them: what a shell or systemd reads."""

    key = ENV_KEY


class _Toml(_Reader):
    """Read TOML: dotted names, arrays of tables, values over several lines."""

    key = TOML_KEY

    def _named(self, name: str, *, many: bool) -> Branch:
        """Return the table of a dotted name, the next element of an array of tables with ``many``."""
        steps = _steps(name)
        one = self.made.root
        for number, step in enumerate(steps, 1):
            last = number == len(steps)
            one, known = self._child(one, step, [] if last and many else {})
            if isinstance(one.value, list):
                if last:
                    one.end = max(one.end, self.at + 2)
                    one.below.append(Branch(None, self.at + 1, self.at + 1, self.at + 2, {}))
                if not one.below:
                    return one
                one = one.below[-1]
            elif last and known and one.below and any(not isinstance(inner.value, dict) for inner in one.below):
                self._again(one, f"[{name}]", self.at + 1)
        return one

    def _pair(self, found: "re.Match[str]", line: str) -> None:
        self.made.pairs += 1
        start = self.at
        value = self._value(line[found.end() :])
        parent, steps = self.section, _steps(found[1])
        for step in steps[:-1]:
            parent, _ = self._child(parent, step, {})
            if not isinstance(parent.value, dict):
                return
            parent.end = max(parent.end, self.at + 1)
        if steps:
            self._put(parent, steps[-1], value, start)

    def _value(self, text: str) -> Any:
        """Return the value that begins with a text, and go on behind it."""
        text = text.strip()
        self.at += 1
        if text.startswith(TRIPLE):
            return self._long(text)
        if text[:1] in ("[", "{"):
            level, parts = balance(text, 0), [text.partition(" #")[0]]
            while level > 0 and self.at < len(self.lines):
                level = balance(self.lines[self.at], level)
                parts.append(re.sub(r"(?:^|\s)#[^\"']*$", "", self.lines[self.at]))
                self.at += 1
            return Flow("\n".join(parts), word, "=").value()
        quote = QUOTES.match(text)
        return unquoted(quote[0]) if quote else word(text.partition("#")[0].strip())

    def _long(self, text: str) -> str:
        mark, parts = text[:3], [text[3:]]
        while mark not in parts[-1] and self.at < len(self.lines):
            parts.append(self.lines[self.at])
            self.at += 1
        return "\n".join(parts).partition(mark)[0].strip()

    def _other(self, line: str) -> None:
        self.made.wrong += 1
        if len(self.made.bad) < TRIES:
            self.made.bad.append((self.at + 1, "neither a table nor a key" if line.strip() else ""))
        self.at += 1


def _steps(name: str) -> list[str]:
    """Return the steps of a dotted name."""
    return [basic or literal or bare for basic, literal, bare in STEP.findall(name)]


def word(text: str) -> Any:
    """Return what a bare value of TOML means."""
    if text in ("true", "false"):
        return text == "true"
    return numeric(text.replace("_", "") if text[:1].isdigit() else text)


def toml(lines: Sequence[str]) -> Settings:
    """Return what the lines of a TOML text hold."""
    return _Toml(lines).read()


def ini(lines: Sequence[str]) -> Settings:
    """Return what the lines of an INI or .properties text hold."""
    return _Ini(lines).read()


def env(lines: Sequence[str]) -> Settings:
    """Return what lines of ``KEY=value`` hold, below sections where there are some."""
    return _Env(lines).read()
