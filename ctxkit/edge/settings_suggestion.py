"""Suggest a change of the user's settings file as a diff; nothing is written."""

import json
import re
import tomllib
from collections.abc import Sequence
from difflib import unified_diff

from ctxkit.core.errors import SettingsError
from ctxkit.edge import settings_files, user_dirs

KEY = "exclude"
_LINE = re.compile(rf"^{KEY}[ \t]*=[ \t]*\[[^\]\n]*\][ \t]*$", re.MULTILINE)


def suggest_exclude(programs: Sequence[str]) -> str:
    """Return the diff that adds programs to ``exclude`` in the user's settings file, "" if they are all there.

    Raise SettingsError if the file cannot be read, or is written in a way that no line can be changed.
    """
    path, file = user_dirs.settings_file(), settings_files.read_user_file()
    try:
        text = file.data.decode("utf-8-sig") if file else ""
        before = tomllib.loads(text)
    except ValueError as error:  # neither UTF-8 nor TOML
        raise SettingsError(f"{path}: {error}") from None
    listed = before.get(KEY, [])
    if not isinstance(listed, list):
        raise SettingsError(f"{path}: {KEY} is no list", hint=f"add {', '.join(programs)} by hand")
    patterns = [*listed, *(program for program in programs if program not in listed)]
    if patterns == listed:
        return ""
    line = f"{KEY} = {json.dumps(patterns, ensure_ascii=False)}"
    after = _LINE.sub(lambda _: line, text, count=1) if KEY in before else f"{line}\n{text}"
    if tomllib.loads(after) != {**before, KEY: patterns}:
        raise SettingsError(f"{path}: {KEY} is written in a way that ctxkit cannot edit", hint=f"by hand: {line}")
    rows = unified_diff(text.splitlines(keepends=True), after.splitlines(keepends=True), path, path)
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows)
