"""Run the ctxkit command line, and turn results and errors into exit statuses."""

from __future__ import annotations

import gc
import os
import sys

GC_THRESHOLD = 50_000
"""Objects between two garbage collections: more than a common call makes, of which little is garbage.

With Python's own number, collections take 5 % of the instructions of a call (bench/instructions.py).
"""
gc.set_threshold(GC_THRESHOLD)

try:
    from collections.abc import Sequence
    from contextlib import suppress

    from ctxkit.edge.lazy_module import import_lazily

    with import_lazily("inspect"):  # a fifth of the import of click, which uses inspect to print help
        import click

    from ctxkit.core.errors import Exit
    from ctxkit.edge.command_group import CommandGroup, run_command, run_for_status
    from ctxkit.registry import SECTIONS, VERBS
except KeyboardInterrupt:  # nothing is loaded yet that could handle it
    os._exit(130)


@click.group(
    cls=CommandGroup,
    package="ctxkit.commands",
    verbs=VERBS,
    sections=SECTIONS,
    name="ctxkit",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def cli() -> Exit:
    """Decide which content enters a language model's context window.

    \b
    Content that fits passes unchanged. Other content is stored, and a short map
    replaces it, with the command that reads a part back:
      $ seq 3 | ctxkit gate --model qwen3-30b
    """
    return Exit.DONE


def main(args: Sequence[str] | None = None) -> None:
    """Run ctxkit and end the process with its exit status."""
    words = list(sys.argv[1:] if args is None else args)
    if words[:1] == ["_complete"]:  # the completion scripts ask, and need no options
        from ctxkit.app.completion import print_values

        _exit_now(run_for_status(lambda: print_values(words[1:])))
    _exit_now(run_for_status(lambda: run_command(cli, words)))


def _exit_now(status: int) -> None:
    """End the process at once: freeing a loaded vocabulary costs more than most commands."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
    os._exit(status)
