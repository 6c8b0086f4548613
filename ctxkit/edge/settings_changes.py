"""Suggest a change of the user's settings file as a diff, or save the factors that receipts teach."""

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any

from ctxkit.core.errors import InputOutputError, SettingsError, UsageError
from ctxkit.core.tokens.estimate import Factor
from ctxkit.core.usage.receipts import find_family, read_receipts
from ctxkit.core.usage.receipts import learn_factors as learnt_from
from ctxkit.edge import atomic_file, source, user_dirs
from ctxkit.edge.settings import Settings

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


TABLE = "calibration"


def learn_from_receipts(path: str, settings: Settings, model: str | None = None) -> dict[str, Any]:
    """Learn factors from the receipts in a file, ``-`` for stdin; return the saved factors and the settings path.

    ``model`` names the model or tokenizer of receipts that name none. Raise MissingInputError, MalformedInputError with
    the line number, UsageError for too few receipts, or SettingsError if the settings file cannot be edited.
    """
    import orjson

    try:
        family = find_family(model) if model else "estimate"
    except ValueError as error:
        raise UsageError(str(error)) from None
    lines = b"".join(source.chunks(path)).split(b"\n")
    factors = learnt_from(read_receipts(lines, orjson.loads, family))
    file = user_dirs.settings_file()
    save_factors(file, factors)
    before = settings[TABLE]
    kept = {name: factor._asdict() | {"before": before.get(name)} for name, factor in factors.items()}
    return {"file": file, TABLE: kept}


def save_factors(path: str, factors: Mapping[str, Factor]) -> None:
    """Write factors into a settings file atomically; keep everything else in it."""
    real = os.path.realpath(path)  # keep a link into a dotfiles repository
    try:
        before = _read_text(real)
        after = insert_factors(before, factors)
        _check_written(path, after, factors)
        if after != before:
            os.makedirs(os.path.dirname(real), exist_ok=True)
            atomic_file.write(real, after.encode())
        else:
            atomic_file.remove_leftovers_beside(real)
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


def insert_factors(text: str, factors: Mapping[str, Factor]) -> str:
    """Return the text of a settings file with factors in its table, each on its own line."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(end)
    for family, factor in factors.items():
        start = next((at for at, line in enumerate(lines) if _read_table_name(line) == TABLE), -1)
        if start < 0:
            lines = [*_strip_blank_end(lines), *([""] if text.strip() else []), f"[{TABLE}]", ""]
            start = len(lines) - 2
        stop = next((at for at in range(start + 1, len(lines)) if _read_table_name(lines[at])), len(lines))
        existing = next((at for at in range(start + 1, stop) if _read_key(lines[at]) == family), 0)
        row = f"{family} = {factor.to_toml()}"
        if existing:
            lines[existing] = row + _read_comment(lines[existing])
        else:
            lines.insert(start + 1, row)
    return end.join(lines)


def _strip_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _read_table_name(line: str) -> str:
    """Return the name of the table that a line begins, "" if it begins none."""
    text = line.strip()
    return text.strip("[").partition("]")[0].strip() if text.startswith("[") else ""


def _read_key(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition("=")[0].strip().strip("\"'")


def _read_comment(line: str) -> str:
    """Return the comment after a factor, with the blanks before it."""
    value, mark, comment = line.partition("#")
    return value[len(value.rstrip()) :] + mark + comment if mark else ""


def _check_written(path: str, text: str, factors: Mapping[str, Factor]) -> None:
    """Raise SettingsError unless the text is TOML with the learned factors."""
    try:
        table = tomllib.loads(text.removeprefix("\ufeff")).get(TABLE, {})
    except tomllib.TOMLDecodeError as error:
        raise _uneditable_error(path, str(error), factors) from None
    if not isinstance(table, dict) or any(table.get(name) != factor._asdict() for name, factor in factors.items()):
        raise _uneditable_error(path, f"{TABLE} is written in a way that ctxkit cannot edit", factors)


def _uneditable_error(path: str, why: str, factors: Mapping[str, Factor]) -> SettingsError:
    rows = "; ".join(f"{name} = {factor.to_toml()}" for name, factor in factors.items())
    return SettingsError(f"{path}: cannot be edited: {why}", hint=f"write it by hand, below [{TABLE}]: {rows}")


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8") from None
