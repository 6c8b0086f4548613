"""Statements to plant and to fill workspaces with: several hundred, in English, Chinese and Arabic, with blanks.

A line of ``statements/*.txt`` is one statement. ``{n}`` and the other blanks take a value; what stands behind ``|``
may also stand in front. In ``meaning.txt`` the two sides say the same in other words.
"""

import os
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "statements")
BLANK = re.compile(r"\{(\w+)\}")
FOLDERS = ("src", "lib", "server", "services", "core", "app", "internal", "packages/web", "crates/engine", "pkg")
MIDDLES = ("billing", "search", "auth", "router", "export", "mailer", "ledger", "session", "catalog", "media")
STEMS = ("invoice", "index", "handler", "config", "schema", "worker", "client", "limits", "tokens", "layout", "events")
ENDINGS = (".py", ".ts", ".rs", ".go", ".yaml", ".md", ".json", ".kt")
VALUES: dict[str, Sequence[str]] = {
    "cmd": (
        "cargo fmt --all", "ruff check .", "go vet ./...", "mypy --strict app", "pytest -x -q",
        "cargo clippy -- -D warnings",
        "bazel test //...", "gradle check", "mix test --stale", "dotnet test", "tox -e lint", "swift build",
        "ctest -j4",
    ),
    "name": ("Marta", "Jonas", "Priya", "Tomasz", "Aiko", "Leila", "Bruno", "Greta", "Kwame", "Sofia", "Niels", "Zoe"),
    "svc": ("payments", "inventory", "notification", "search", "identity", "reporting", "shipping", "ledger", "chat"),
    "tool": ("Prettier", "Biome", "Semgrep", "Trivy", "gofumpt", "Black", "rustfmt", "hyperfine", "CodeQL", "Zapier"),
    "branch": ("`main`", "`develop`", "`release`", "`trunk`", "`stable`", "`next`"),
    "board": ("Harbour", "Lighthouse", "Compass", "Anchor", "Beacon", "Meridian"),
    "port": tuple(str(port) for port in range(3001, 9900, 317)),
    "n": tuple(str(number) for number in range(2, 96)),
}  # fmt: skip
NUMBERS, NAMES, PATHS = ("n", "port"), ("name", "svc", "tool", "branch", "board"), ("path", "cmd")
"""Blanks by what changes when they do."""


@dataclass(frozen=True)
class Saying:
    """Hold a statement: its language, its template, what stands in front by choice, and the values of its blanks."""

    language: str
    template: str
    tail: str = ""
    values: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the statement without a last stop."""
        return self._fill(f"{self.template} {self.tail}".strip())

    @property
    def tail_first(self) -> str | None:
        """Return the statement with its tail in front, None where it has none."""
        if not self.tail:
            return None
        first = self.template if self.template.startswith("{") else self.template[0].lower() + self.template[1:]
        return self._fill(f"{self.tail[0].upper()}{self.tail[1:]}, {first}")

    @property
    def paths(self) -> list[str]:
        """Return the paths that the statement names."""
        return [value.strip("`") for blank, value in self.values.items() if blank == "path"]

    def change_blank(self, blank: str, chance: random.Random) -> "Saying":
        """Return the statement with another value of one blank."""
        value = self.values[blank]
        while value == self.values[blank] or (blank == "n" and abs(int(value) - int(self.values[blank])) < 2):
            value = draw(blank, chance)
        return Saying(self.language, self.template, self.tail, self.values | {blank: value})

    def _fill(self, text: str) -> str:
        return BLANK.sub(lambda match: self.values[match[1]], text)


def draw(blank: str, chance: random.Random) -> str:
    """Return a value for a blank."""
    if blank == "path":
        name = chance.choice(STEMS) + chance.choice(ENDINGS)
        return f"`{chance.choice(FOLDERS)}/{chance.choice(MIDDLES)}/{name}`"
    value = chance.choice(VALUES[blank])
    return f"`{value}`" if blank == "cmd" else value


@cache
def templates(language: str) -> tuple[tuple[str, str], ...]:
    """Return the statements of a file as pairs of what stands before and behind the bar."""
    with open(os.path.join(HERE, f"{language}.txt"), encoding="utf-8") as file:
        halves = [line.strip().partition(" | ") for line in file if line.strip()]
    return tuple((before, behind) for before, _, behind in halves)


class Pool:
    """Give statements out, each template once, so that no two say the same."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left: dict[str, list[tuple[str, str]]] = {}
        for language in ("en", "zh", "ar", "meaning"):
            self.left[language] = list(templates(language))
            chance.shuffle(self.left[language])

    def take(self, language: str = "en", blanks: Sequence[str] = (), tail: bool = False) -> Saying:
        """Return a fresh statement, one that has one of the ``blanks``, or a tail, if asked; raises IndexError."""
        left = self.left[language]
        for place, (template, behind) in enumerate(left):
            named = BLANK.findall(f"{template} {behind}")
            if (not blanks or set(blanks) & set(named)) and (behind or not tail):
                del left[place]
                return Saying(language, template, behind, {blank: draw(blank, self.chance) for blank in named})
        raise IndexError(f"no statement is left in {language} with {blanks or 'any blanks'}")

    def any(self) -> Saying:
        """Return a fresh statement: mostly English, now and then Chinese or Arabic."""
        return self.take(self.chance.choices(("en", "zh", "ar"), (8, 1, 1))[0])

    def draw_paraphrases(self) -> tuple[str, str]:
        """Return two statements that say the same in other words; raises IndexError."""
        value, other = self.left["meaning"].pop()
        values = {blank: draw(blank, self.chance) for blank in BLANK.findall(value + other)}
        return (
            BLANK.sub(lambda match: values[match[1]], value),
            BLANK.sub(lambda match: values[match[1]], other),
        )
