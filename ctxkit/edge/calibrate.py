"""Learn factors from a file of receipts, and save them in the user's settings file."""

import os
from collections.abc import Mapping
from typing import Any

from ctxkit.core.errors import InputOutputError, SettingsError, UsageError
from ctxkit.core.tokens.estimate import Factor
from ctxkit.core.usage.receipts import find_family, read_receipts
from ctxkit.core.usage.receipts import learn_factors as learnt_from
from ctxkit.edge import atomic_file, source, user_dirs
from ctxkit.edge.settings import Settings

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
    import tomllib

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

