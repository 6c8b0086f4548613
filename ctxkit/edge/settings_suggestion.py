"""Suggest a change of the user's settings file as a diff; nothing is written."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any

from ctxkit.core.errors import SettingsError
from ctxkit.edge import user_dirs

KEY, RULES = "exclude", "kinds"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(rf"^{KEY}[ \t]*=[ \t]*\[[^\]\n]*\][ \t]*$", re.MULTILINE)


def suggest_settings(
    programs: Sequence[str], targets: Mapping[str, int] | None = None, kinds: Mapping[str, str] | None = None
) -> str:
    """Return the diff of the user's settings file that adds what is not there yet, "" if all of it is.

    ``programs`` go to ``exclude``. ``targets``, the tokens of a map, and ``kinds`` go to a rule for their program,
    unless there is a rule of its name. Raise SettingsError if the file cannot be read, or is written in a way that no
    line can be changed.
    """
    path = user_dirs.settings_file()
    text, before = _read_settings(path)
    listed = before.get(KEY, [])
    if not isinstance(listed, list):
        raise SettingsError(f"{path}: {KEY} is no list", hint=f"add {', '.join(programs)} by hand")
    patterns = [*listed, *(program for program in programs if program not in listed)]
    after, expected = text, dict(before)
    if patterns != listed:
        line = f"{KEY} = {json.dumps(patterns, ensure_ascii=False)}"
        after, expected = _put_line(text, line, is_there=KEY in before), {**before, KEY: patterns}
    if rules := _make_rules(before.get(RULES, {}), targets or {}, kinds or {}):
        after += "".join(f"\n{_format_rule(name, rule)}" for name, rule in rules.items())
        expected[RULES] = {**before.get(RULES, {}), **rules}
    if expected == before:
        return ""
    if _parse(after) != expected:
        raise SettingsError(
            f"{path} is written in a way that ctxkit cannot edit",
            hint=f"by hand: {KEY} = {json.dumps(patterns, ensure_ascii=False)}",
        )
    rows = unified_diff(text.splitlines(keepends=True), after.splitlines(keepends=True), path, path)
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows)


def _put_line(text: str, line: str, *, is_there: bool) -> str:
    """Return the settings with the line in place of the one with its key, or at the top."""
    return _LINE.sub(lambda _: line, text, count=1) if is_there else f"{line}\n{text}"


def _read_settings(path: str) -> tuple[str, dict[str, Any]]:
    """Return the text of the user's settings file, and its values."""
    file = user_dirs.read_user_file()
    try:
        text = file.data.decode("utf-8-sig") if file else ""
        return text, tomllib.loads(text)
    except ValueError as error:  # neither UTF-8 nor TOML
        raise SettingsError(f"{path}: {error}") from None


def _make_rules(listed: object, targets: Mapping[str, int], kinds: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Return a rule for each program, by its name, unless one has that name."""
    known = listed if isinstance(listed, dict) else {}
    rules: dict[str, dict[str, object]] = {}
    for program in sorted({*targets, *kinds} - {*known}):
        members = {"match": [program, f"{program} *"], "type": kinds.get(program), "target": targets.get(program)}
        rules[program] = {key: value for key, value in members.items() if value}
    return rules


def _format_rule(name: str, rule: Mapping[str, object]) -> str:
    """Return a rule as a table of TOML, in which strings and lists of them are as in JSON."""
    key = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    rows = (f"{member} = {json.dumps(value, ensure_ascii=False)}\n" for member, value in rule.items())
    return f"[{RULES}.{key}]\n{''.join(rows)}"


def _parse(text: str) -> object:
    """Return the value of a text of TOML, None if it is none."""
    try:
        return tomllib.loads(text)
    except ValueError:
        return None
