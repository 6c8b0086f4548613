"""The options of a turn, and those that name the files of a prompt's sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.budget.context_budget import NoteKind
from ctxkit.edge.option_types import option, renamed_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.edge.options import Command

_SECTIONS = {
    "base": "Base instructions, which never change.",
    "rules": "Rules of the project, such as AGENT.md.",
    "memories": "Memories across sessions.",
    "context": "CONTEXT.md of a compaction.",
    "skills": "Prompts of active skills.",
    "scratchpad": "Notes of the current turn.",
    "status": "Status of the context, such as a note of ctxkit budget.",
}
_TURN_SECTIONS = _SECTIONS | {
    "base": "Base instructions of the system prompt.",
    "scratchpad": "Notes of the current turn; they go to the end of the request.",
    "status": "Other text that changes every turn; it goes to the end of the request.",
}


class PromptFiles(NamedTuple):
    """The files of a prompt's sections, as named by options; ``manifest`` names other sections."""

    base: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    scratchpad: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    manifest: str | None = None

    @property
    def named_files(self) -> list[tuple[str, str]]:
        """Return the name of the section and the file for each file of an option."""
        return [(name, file) for name, files in zip(self._fields[:-1], self[:-1], strict=True) for file in files]


def add_section_options(command: Command) -> Command:
    """Add the options that name the files of sections, and the manifest."""
    manifest = renamed_option(
        "--sections",
        "manifest",
        metavar="FILE",
        renamed_from=("--manifest",),
        help="Read sections from FILE, which is TOML or JSON.",
    )
    command = manifest(command)
    for name, text in reversed(_SECTIONS.items()):
        command = _add_section_option(f"--{name}", name, text)(command)
    return command


def add_turn_section_options(command: Command) -> Command:
    """Add the options that name the files of sections of a turn; --system names its base instructions."""
    for name, text in reversed(_TURN_SECTIONS.items()):
        command = _add_section_option("--system" if name == "base" else f"--{name}", name, text)(command)
    return command


def _add_section_option(flag: str, name: str, text: str) -> Callable[[Command], Command]:
    """Return the option for a section; --status is the exit status of a command, as in ctxkit gate."""
    if name != "status":
        return add_file_option(flag, name, text)
    return renamed_option("--status-file", name, multiple=True, metavar="F", renamed_from=(flag,), help=text)


def add_file_option(flag: str, name: str, text: str) -> Callable[[Command], Command]:
    """Return an option that names files, and may be repeated."""
    return option(flag, name, multiple=True, metavar="F", help=text)


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
