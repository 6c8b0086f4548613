"""The options of a turn, as typed."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ctxkit.core.budget.context_budget import NoteKind
from ctxkit.edge.prompt_options import PromptFiles

Provider = Literal["openai", "anthropic", "gemini", "responses"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "gemini", "responses")
TurnNote = NoteKind | Literal["none"]
NOTES: tuple[TurnNote, ...] = ("short", "full", "none")


class TurnOptions(NamedTuple):
    """The files of the prompt and of the tools, the API, and how the request is kept within the window."""

    prompt_files: PromptFiles = PromptFiles()
    tools: tuple[str, ...] = ()
    provider: Provider | None = None
    prune: float | None = None
    note: TurnNote = "short"
    pins: tuple[str, ...] = ()
    summarizer: str | None = None
    exit_statuses: tuple[tuple[str, int], ...] = ()

    @property
    def file_names(self) -> list[str]:
        """Return the names of all files."""
        return [*(file for _, file in self.prompt_files.named_files), *self.tools]
