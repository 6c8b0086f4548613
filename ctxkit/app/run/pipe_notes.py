"""Let a shell say which member of a pipeline failed before tail, head or grep at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.app.services.engines import list_pipelines, parse_script
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.edge.settings import Settings


def add_pipe_notes(argv: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    """Return a command line whose script also says which members failed; as it is unless it is one of bash or zsh.

    The setting ``pipe_notes`` turns it off.
    """
    if not settings["pipe_notes"] or not any("|" in word for word in argv[1:]):
        return argv
    from ctxkit.core.hosts.wrap_script import replace_command
    from ctxkit.core.text.shell_commands import SHELL_OPTION, note_pipelines
    from ctxkit.core.text.shell_script import find_script_place

    place = find_script_place(argv)
    if not place or any(map(SHELL_OPTION.fullmatch, argv[1:place])):
        return argv
    shell = argv[0].rpartition("/")[2]
    try:
        script = replace_command(argv[place], lambda typed: note_pipelines(typed, shell, list_pipelines, parse_script))
    except Exception as error:  # whatever it is, the command runs
        say.note(f"no notes on pipelines: {error or type(error).__name__}")
        return argv
    return (*argv[:place], script, *argv[place + 1 :])
