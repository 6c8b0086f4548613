"""Let content pass that the user takes out of the gate's hands: CTXKIT_DISABLE, exclude, include, never_store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.edge import out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctxkit.core.text.shell_commands import ScriptParser
    from ctxkit.edge.settings import Settings


def is_disabled() -> bool:
    """Return whether the variable CTXKIT_DISABLE turns the gate off."""
    value = os.environ.get("CTXKIT_DISABLE")
    if not value:
        return False
    from ctxkit.core.text.quantity import is_on

    return is_on(value)


def find_bypass(settings: Settings, words: Sequence[str], parse: ScriptParser) -> str:
    """Return why the output of a command passes whole, "" if the gate decides; ``exclude`` beats ``include``.

    ``parse`` lists the commands of a script; only ``never_store`` needs it.
    """
    if not (settings["exclude"] or settings["include"] or settings["never_store"]):
        return ""
    from ctxkit.core.text.shell_script import matches_command

    if settings["never_store"]:
        from ctxkit.core.text.shell_commands import may_run

        if may_run(words, settings["never_store"], parse):
            return "never_store names the command: its output passes and is not stored"
    if matches_command(words, settings["exclude"]):
        return "exclude names the command: its output passes"
    if settings["include"] and not matches_command(words, settings["include"]):
        return "include does not name the command: its output passes"
    return ""


def make_unstored_check(settings: Settings, parse: ScriptParser) -> Callable[[str], bool] | None:
    """Return a function that returns whether ``never_store`` names a command of a script, None if it is empty."""
    patterns = settings["never_store"]
    if not patterns:
        return None
    from ctxkit.core.text.shell_commands import may_script_run

    return lambda script: bool(script) and may_script_run(script, patterns, parse)


def pass_content(
    content: Iterable[bytes], *, as_json: bool, extra_facts: Callable[[], dict[str, object]] = dict
) -> None:
    """Write content that nobody gates as it is, or as the object of ``--json``, with nothing counted."""
    if not as_json:
        out.write(content)
        return
    data = b"".join(content)
    out.write_json({"result": "raw", "tokens": None, "method": None, **extra_facts(), **out.make_content_member(data)})
