"""Read and write the file of a baseline; no other file is replaced by one."""

import json
import os
from collections.abc import Mapping, Sequence

from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingInputError
from ctxkit.core.lint.baseline import check_own_keys, make_baseline, parse_baseline
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge.atomic_file import (
    OutsideRoot,
    RootedPath,
    collect_beside,
    open_rooted_path,
    read_content,
    replace_file,
)

LARGEST = 64 << 20
"""Maximum bytes of a baseline that is replaced: some 200,000 findings."""


def read_baseline(path: str) -> Mapping[str, int]:
    """Return the counts in a baseline file; raise MissingInputError or MalformedInputError."""
    try:
        with open(path, "rb") as file:
            return parse_baseline(_parse_json(file.read()))
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}", hint="--update-baseline writes it") from None
    except ValueError as error:
        raise MalformedInputError(f"{path}: {error}") from None


def write_baseline(path: str, findings: Sequence[LintFinding]) -> None:
    """Write a baseline to a file in the current directory, or to a path outside it.

    Raise InputOutputError if it cannot be written, or MalformedInputError if the file exists and is not a baseline.
    """
    import orjson

    elsewhere = os.path.isabs(path) or os.path.normpath(path).startswith("..")
    root, name = (os.path.dirname(path), os.path.basename(path)) if elsewhere else (".", path.replace(os.sep, "/"))
    data = orjson.dumps(make_baseline(findings), option=orjson.OPT_INDENT_2) + b"\n"
    try:
        with open_rooted_path(root, name) as place:
            _check_replaceable(place, path)
            collect_beside(place)
            replace_file(place, data, lambda: _check_replaceable(place, path))
    except OutsideRoot as reason:
        raise InputOutputError(f"{path}: {reason}") from None
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from None


def _check_replaceable(place: RootedPath, path: str) -> None:
    """Raise MalformedInputError if a file exists and is not a baseline: its author does not expect another content."""
    try:
        value = _parse_json(read_content(place, LARGEST))
        parse_baseline(value)
        check_own_keys(value)
    except FileNotFoundError:
        return
    except ValueError as error:
        hint = "it stays unchanged; --baseline FILE names another file"
        raise MalformedInputError(f"{path}: {error}", hint=hint) from None


def _parse_json(data: bytes) -> JsonValue:
    """Return the JSON value of the bytes of a baseline; raise ValueError if they have none."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is not a baseline: nested too deep") from None
    except ValueError as error:
        raise ValueError(f"is not a baseline: {error}") from None
