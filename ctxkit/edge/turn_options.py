"""The options of a turn, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.budget.notes import NoteKind

if TYPE_CHECKING:
    from ctxkit.edge.prompt_files import PromptFiles

Provider = Literal["openai", "anthropic", "gemini", "responses"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "gemini", "responses")
TurnNote = NoteKind | Literal["none"]
NOTES: tuple[TurnNote, ...] = ("short", "full", "none")


class TurnOptions(NamedTuple):
    """The files of the prompt and of the tools, the API, and how the request is kept within the window."""

    system: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    scratchpad: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    provider: Provider | None = None
    prune: float | None = None
    note: TurnNote = "short"
    pins: tuple[str, ...] = ()
    summarizer: str | None = None

    @property
    def prompt_files(self) -> PromptFiles | None:
        """Return the files of the prompt's sections, None without any."""
        from ctxkit.edge.prompt_files import PromptFiles

        files = PromptFiles(
            self.system, self.rules, self.memories, self.context, self.skills, self.scratchpad, self.status
        )
        return files if any(files[:-1]) else None

    @property
    def file_names(self) -> list[str]:
        """Return the names of all files."""
        sections = self.prompt_files
        return [name for files in (sections[:-1] if sections else ()) for name in files] + list(self.tools)
