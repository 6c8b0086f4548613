"""Learning from a file of receipts, and keeping what was learnt in the user's settings file."""

import os
from collections.abc import Mapping
from typing import Any

from ctxkit.core.calibration import Factor
from ctxkit.core.receipts import family_of, receipts
from ctxkit.core.receipts import learn as learnt_from
from ctxkit.core.trouble import BadSettings, IOFailed, Misuse
from ctxkit.edge import places, source, whole
from ctxkit.edge.settings import Settings

TABLE = "calibration"


def learn(path: str, settings: Settings, model: str | None = None) -> dict[str, Any]:
    """Learn from the receipts in a file, ``-`` for stdin, and return what is now kept, and where.

    ``model`` names whose receipts those are that name none: a model or a tokenizer. Raises MissingInput,
    Malformed with the line, Misuse where there is nothing or too little to learn from, BadSettings where the
    settings file cannot be edited.
    """
    import orjson

    try:
        family = family_of(model) if model else "estimate"
    except ValueError as error:
        raise Misuse(str(error)) from None
    lines = b"".join(source.chunks(path)).split(b"\n")
    learnt = learnt_from(receipts(lines, orjson.loads, family))
    file = places.settings_file()
    keep(file, learnt)
    before = settings[TABLE]
    kept = {name: factor._asdict() | {"before": before.get(name)} for name, factor in learnt.items()}
    return {"file": file, TABLE: kept}


def keep(path: str, learnt: Mapping[str, Factor]) -> None:
    """Write factors into a settings file, in one step; whatever else stands there stays as it is."""
    real = os.path.realpath(path)  # a link into somebody's dotfiles stays one
    try:
        before = _read(real)
        after = edited(before, learnt)
        _checked(path, after, learnt)
        if after != before:
            os.makedirs(os.path.dirname(real), exist_ok=True)
            whole.write(real, after.encode())
        else:
            whole.remove_abandoned(real)
    except OSError as error:
        raise IOFailed(f"{path}: {error.strerror}") from error


def edited(text: str, learnt: Mapping[str, Factor]) -> str:
    """Return the text of a settings file with factors in its table, each on a line of its own."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(end)
    for family, factor in learnt.items():
        start = next((at for at, line in enumerate(lines) if _header(line) == TABLE), -1)
        if start < 0:
            lines = [*_without_end(lines), *([""] if text.strip() else []), f"[{TABLE}]", ""]
            start = len(lines) - 2
        stop = next((at for at in range(start + 1, len(lines)) if _header(lines[at])), len(lines))
        own = next((at for at in range(start + 1, stop) if _key(lines[at]) == family), 0)
        row = f"{family} = {factor.toml()}"
        if own:
            lines[own] = row + _comment(lines[own])
        else:
            lines.insert(start + 1, row)
    return end.join(lines)


def _without_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _header(line: str) -> str:
    """Return the name of the table that a line begins, empty where it begins none."""
    text = line.strip()
    return text.strip("[").partition("]")[0].strip() if text.startswith("[") else ""


def _key(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition("=")[0].strip().strip("\"'")


def _comment(line: str) -> str:
    """Return the comment behind a factor, with the blanks before it."""
    value, mark, comment = line.partition("#")
    return value[len(value.rstrip()) :] + mark + comment if mark else ""


def _checked(path: str, text: str, learnt: Mapping[str, Factor]) -> None:
    """Raise BadSettings unless the text is TOML that says what was learnt."""
    import tomllib

    try:
        said = tomllib.loads(text.removeprefix("\ufeff")).get(TABLE, {})
    except tomllib.TOMLDecodeError as error:
        raise _uneditable(path, str(error), learnt) from None
    if not isinstance(said, dict) or any(said.get(name) != factor._asdict() for name, factor in learnt.items()):
        raise _uneditable(path, f"{TABLE} is written in a way that is not understood", learnt)


def _uneditable(path: str, why: str, learnt: Mapping[str, Factor]) -> BadSettings:
    rows = "; ".join(f"{name} = {factor.toml()}" for name, factor in learnt.items())
    return BadSettings(f"{path}: cannot be edited: {why}", hint=f"write it yourself, below [{TABLE}]: {rows}")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise BadSettings(f"{path}: is not UTF-8") from None

