"""ctxkit trust."""

import os
import sys

import click

from ctxkit.core.escapes import escape_line
from ctxkit.core.exit import Exit
from ctxkit.core.trouble import MissingInput, Misuse
from ctxkit.edge import options, out, places, say, settings, toml, user_file
from ctxkit.edge.keys import shown
from ctxkit.edge.restriction import Ignored
from ctxkit.edge.settings import Settings
from ctxkit.edge.trusted import CHILDREN, is_trusted, matches

LONGEST = toml.LARGEST
"""Characters of a value that is shown before it is trusted: all of them."""


@click.command("trust")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--remove", is_flag=True, help="Remove DIR from the list of trusted directories.")
@click.option("--list", "lists", is_flag=True, help="List the trusted directories.")
@options.as_json
@options.voiced
def command(directory: str | None, yes: bool, remove: bool, lists: bool, as_json: bool) -> Exit:
    """Let the settings of a project hold that may run programs or write files.

    A project's settings file may set only what is harmless. This command shows
    what else the file in DIR sets, asks, and adds DIR to the setting trusted in
    your own settings file. DIR is the directory of the settings file that holds
    here unless it is given. Trust covers what the file says later, too.

    \b
    $ ctxkit trust --list
    $ ctxkit trust . --yes
    """
    if lists and (directory or remove or yes):
        raise Misuse("--list goes alone")
    if remove and yes:
        raise Misuse("--remove and --yes do not go together", hint="--remove does not ask")
    chosen = settings.load(directory=os.path.realpath(directory) if directory else "", blame=_raise_of_user_file)
    if lists:
        return _list(chosen, as_json)
    path = _directory(directory, chosen, missing=remove)
    return _remove(path, chosen, as_json) if remove else _add(path, chosen, yes, as_json)


def _raise_of_user_file(error: Exception) -> None:
    """Stop where the user's own file is wrong; what is wrong in the project's is told."""
    if str(error).startswith(places.settings_file()):
        raise error
    say.warn(str(error))


def _directory(given: str | None, chosen: Settings, *, missing: bool) -> str:
    """Return the directory that is meant, without links; raises Misuse or MissingInput for one that cannot be."""
    path = os.path.realpath(given or chosen.project.directory or os.getcwd())
    if not missing and not os.path.isdir(path):
        raise MissingInput(f"{given}: is not a directory")
    if CHILDREN in path:
        raise Misuse(f"{path}: has a *, which stands for other directories in the list")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Misuse(f"{escape_line(path)}: is not UTF-8, so no settings file can name it") from None
    return path


def _list(chosen: Settings, as_json: bool) -> Exit:
    listed, source = chosen.of("trusted")
    if as_json:
        out.write_json({"file": places.settings_file(), "trusted": list(listed)})
    else:
        out.write_text("".join(f"{escape_line(pattern)}  ({source})\n" for pattern in listed))
    return Exit.DONE


def _unlocked(path: str, chosen: Settings) -> list[Ignored]:
    """Return what trusting a directory lets hold."""
    if not chosen.project.file or os.path.realpath(chosen.project.directory) != path:
        return []
    return [each for each in chosen.project.ignored if not each.is_for_user_file()]


def _add(path: str, chosen: Settings, yes: bool, as_json: bool) -> Exit:
    """Show what trusting a directory lets hold, and trust it if that is wanted."""
    already = is_trusted(path, chosen["trusted"])
    unlocked = _unlocked(path, chosen)
    if not as_json:
        out.write_text("".join(f"{line}\n" for line in _lines(path, unlocked, already=already)))
    for other in chosen.project.foreign:
        say.warn(f"{escape_line(other)}: is not read: it belongs to another user")
    agreed = already or yes or _agrees(path)
    if agreed and not already:
        user_file.add(path)
    if as_json:
        out.write_json(_object(path, trusted=agreed, changed=agreed and not already, unlocks=unlocked))
    elif agreed and not already:
        say.tell(f"{escape_line(path)} is trusted, by {escape_line(places.settings_file())}")
    return Exit.DONE if agreed else Exit.NO


def _lines(path: str, unlocked: list[Ignored], *, already: bool) -> list[str]:
    if already:
        return [f"{escape_line(path)} is trusted already"]
    rows = [f"{escape_line(each.source)}: {escape_line(each.key)} = {shown(each.value, LONGEST)}" for each in unlocked]
    return rows or [f"nothing in {escape_line(path)} waits for trust"]


def _agrees(path: str) -> bool:
    """Ask on a terminal; without one the answer is no."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None:
        say.error(f"{path} is not trusted: there is no terminal to ask on", "--yes trusts it without asking")
        return False
    print(f"Trust {escape_line(path)}, whatever its settings file says now and later? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _remove(path: str, chosen: Settings, as_json: bool) -> Exit:
    """Remove a directory from the list; answer 1 where a pattern still names it."""
    listed = [pattern for pattern in chosen["trusted"] if matches(pattern, path)]
    own = [pattern for pattern in listed if os.path.basename(pattern) != CHILDREN]
    if own:
        user_file.remove(own)
    left = [pattern for pattern in listed if pattern not in own]
    if as_json:
        out.write_json(_object(path, trusted=bool(left), changed=bool(own), unlocks=[]))
    elif not left:
        say.tell(f"{escape_line(path)} is {'no longer' if own else 'not'} trusted")
    if left:
        patterns = escape_line(", ".join(left))
        say.error(f"{escape_line(path)} is still trusted, by {patterns}", "ctxkit trust --list names the file")
    return Exit.NO if left else Exit.DONE


def _object(path: str, *, trusted: bool, changed: bool, unlocks: list[Ignored]) -> dict[str, object]:
    """Return what was found and done as an object."""
    rows = []
    for each in unlocks:
        file, _, line = each.source.rpartition(":")
        rows.append({"key": each.key, "value": shown(each.value, LONGEST), "path": file, "line": int(line)})
    return {"directory": path, "trusted": trusted, "changed": changed, "unlocks": rows}
