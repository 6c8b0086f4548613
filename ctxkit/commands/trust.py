"""ctxkit trust."""

import os
import sys

import click

from ctxkit.core.errors import Exit, MissingInputError, UsageError
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import options, out, say, settings, trusted_dirs, user_dirs
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.setting_definitions import format_value
from ctxkit.edge.settings import Settings
from ctxkit.edge.settings_file import IgnoredSetting
from ctxkit.edge.trusted_dirs import CHILDREN, is_trusted, matches

LONGEST = user_dirs.LARGEST
"""Characters of a value that is shown before it is trusted: all of them."""


@click.command("trust", cls=Verb)
@click.argument("directory", metavar="[DIR]", required=False)
@option("--yes", is_flag=True, help="Trust the directory without asking.")
@option("--remove", is_flag=True, help="Remove DIR from the list of trusted directories.")
@option("--list", "lists", is_flag=True, help="List the trusted directories.")
@options.json_option
def command(directory: str | None, yes: bool, remove: bool, lists: bool, as_json: bool) -> Exit:
    """Trust a project, so that its settings may run programs or write files.

    Without trust, the settings file of a project may set only harmless keys. This command
    shows the other keys that the file in DIR sets, asks, and adds DIR to the setting
    trusted in your own settings file. DIR defaults to the directory of the
    project's settings file. Trust also covers later changes to the file.

    \b
    $ ctxkit trust --list
    $ ctxkit trust . --yes
    """
    if lists and (directory or remove or yes):
        raise UsageError("--list cannot be combined with DIR, --remove or --yes")
    if remove and yes:
        raise UsageError("--remove and --yes cannot be combined", hint="--remove does not ask")
    config = settings.load(directory=os.path.realpath(directory) if directory else "", blame=_raise_of_user_file)
    if lists:
        return _list_directories(config, as_json)
    path = _resolve_directory(directory, config, missing=remove)
    return _distrust_directory(path, config, as_json) if remove else _trust_directory(path, config, yes, as_json)


def _raise_of_user_file(error: Exception) -> None:
    """Raise an error in the user's own settings file; warn of one in the project's."""
    if str(error).startswith(user_dirs.settings_file()):
        raise error
    say.warn(str(error))


def _resolve_directory(directory: str | None, config: Settings, *, missing: bool) -> str:
    """Return the path of a directory without links; raise UsageError or MissingInputError if it cannot be trusted."""
    path = os.path.realpath(directory or config.project.directory or os.getcwd())
    if not missing and not os.path.isdir(path):
        raise MissingInputError(f"{directory} is not a directory")
    if CHILDREN in path:
        raise UsageError(f"{path}: contains a *, which matches other directories in the list")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{escape_line(path)} is not UTF-8, so no settings file can name it") from None
    return path


def _list_directories(config: Settings, as_json: bool) -> Exit:
    patterns, source = config.lookup("trusted")
    if as_json:
        out.write_json({"file": user_dirs.settings_file(), "trusted": list(patterns)})
    else:
        out.write_text("".join(f"{escape_line(pattern)}  ({source})\n" for pattern in patterns))
    return Exit.DONE


def _find_unlocked(path: str, config: Settings) -> list[IgnoredSetting]:
    """Return what trusting a directory lets hold."""
    if not config.project.file or os.path.realpath(config.project.directory) != path:
        return []
    return [setting for setting in config.project.ignored if not setting.is_for_user_file()]


def _trust_directory(path: str, config: Settings, yes: bool, as_json: bool) -> Exit:
    """Show what trusting a directory lets hold, and trust it if that is wanted."""
    already = is_trusted(path, config["trusted"])
    unlocked_settings = _find_unlocked(path, config)
    if not as_json:
        out.write_text("".join(f"{line}\n" for line in _format_unlocked(path, unlocked_settings, already=already)))
    for other in config.project.foreign:
        say.warn(f"{escape_line(other)}: is ignored, because it belongs to another user")
    agreed = already or yes or _ask_consent(path)
    is_new = agreed and not already
    if is_new:
        trusted_dirs.add_directory(path)
    if as_json:
        out.write_json(_make_object(path, trusted=agreed, changed=is_new, unlocks=unlocked_settings))
    elif is_new:
        say.inform(f"{escape_line(path)} is trusted, by {escape_line(user_dirs.settings_file())}")
    return Exit.DONE if agreed else Exit.NO


def _format_unlocked(path: str, unlocked_settings: list[IgnoredSetting], *, already: bool) -> list[str]:
    if already:
        return [f"{escape_line(path)} is already trusted"]
    rows = [
        f"{escape_line(setting.source)}: {escape_line(setting.key)} = {format_value(setting.value, LONGEST)}"
        for setting in unlocked_settings
    ]
    return rows or [f"no setting in {escape_line(path)} needs trust"]


def _ask_consent(path: str) -> bool:
    """Ask on a terminal; without one the answer is no."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None:
        say.error(f"{path} is not trusted, because stdin is not a terminal", "--yes trusts it without asking")
        return False
    print(f"Trust {escape_line(path)}, whatever its settings file says now and later? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _distrust_directory(path: str, config: Settings, as_json: bool) -> Exit:
    """Remove a directory from the list; answer 1 where a pattern still names it."""
    matching = [pattern for pattern in config["trusted"] if matches(pattern, path)]
    own_patterns = [pattern for pattern in matching if os.path.basename(pattern) != CHILDREN]
    if own_patterns:
        trusted_dirs.remove_entries(own_patterns)
    remaining = [pattern for pattern in matching if pattern not in own_patterns]
    if as_json:
        out.write_json(_make_object(path, trusted=bool(remaining), changed=bool(own_patterns), unlocks=[]))
    elif not remaining:
        say.inform(f"{escape_line(path)} is {'no longer' if own_patterns else 'not'} trusted")
    if remaining:
        patterns = escape_line(", ".join(remaining))
        say.error(f"{escape_line(path)} is still trusted, by {patterns}", "ctxkit trust --list names the file")
    return Exit.NO if remaining else Exit.DONE


def _make_object(path: str, *, trusted: bool, changed: bool, unlocks: list[IgnoredSetting]) -> dict[str, object]:
    """Return the state of a project and the change as an object."""
    rows = []
    for setting in unlocks:
        file, _, line = setting.source.rpartition(":")
        rows.append(
            {"key": setting.key, "value": format_value(setting.value, LONGEST), "path": file, "line": int(line)}
        )
    return {"directory": path, "trusted": trusted, "changed": changed, "unlocks": rows}
