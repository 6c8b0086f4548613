"""The sections of a system prompt, ordered from static to dynamic (seed 001, enhancement 4; seed 003)."""

from collections.abc import Iterable
from typing import NamedTuple

CACHED_NAMES = ("base", "rules", "memories")
"""Sections after which a cache breakpoint follows: base instructions, project rules, memories across sessions."""
SOMETIMES_CACHED = ("context", "skills")
"""Sections that change now and then: CONTEXT.md with each compaction, skills when one is activated."""
_RANKS = {"base": 0, "rules": 1, "memories": 2, "context": 4, "skills": 5, "scratchpad": 6, "status": 8}
_OTHER_CACHED, _OTHER_VOLATILE = 3, 7
"""Ranks of sections with other names: after the memories if cacheable, otherwise between scratchpad and status."""
_ALIASES = {
    "base system instructions": "base",
    "system": "base",
    "agent.md": "rules",
    "agents.md": "rules",
    "project rules": "rules",
    "memory": "memories",
    "context.md": "context",
    "skill": "skills",
    "scratchpad notes": "scratchpad",
    "context usage status": "status",
}


class PromptSection(NamedTuple):
    """A named part of a system prompt.

    ``cacheable`` is None if only the name says whether the section stays the same from turn to turn.
    """

    name: str
    content: str
    cacheable: bool | None = None

    @property
    def kind(self) -> str:
        """Return the name of the seed's section, or the name in lower case."""
        name = self.name.strip().lower()
        return _ALIASES.get(name, name)

    @property
    def is_static(self) -> bool:
        """Return whether the section belongs before those that change every turn."""
        if self.kind in (*CACHED_NAMES, *SOMETIMES_CACHED):
            return self.cacheable is not False
        return bool(self.cacheable)

    @property
    def is_breakpoint(self) -> bool:
        """Return whether a cache breakpoint follows the section, as far as the section itself says."""
        return bool(self.cacheable) if self.kind in SOMETIMES_CACHED else self.is_static

    @property
    def rank(self) -> int:
        """Return the place of the section's class; a section that changes every turn is in the last classes."""
        if not self.is_static:
            return max(_RANKS.get(self.kind, _OTHER_VOLATILE), _RANKS["scratchpad"])
        return min(_RANKS.get(self.kind, _OTHER_CACHED), _RANKS["skills"])


def order_sections(sections: Iterable[PromptSection]) -> list[PromptSection]:
    """Return the sections that are not empty from static to dynamic; the order inside a class stays."""
    return sorted((section for section in sections if section.content.strip()), key=lambda section: section.rank)
