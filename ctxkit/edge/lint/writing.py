"""Write fixed files atomically, never over concurrent changes, or a diff; and the file of a baseline."""

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import unified_diff
from posixpath import dirname, join

from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingInputError
from ctxkit.core.lint.baseline import check_own_keys, make_baseline, parse_baseline
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.rules.secrets import mask_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import say
from ctxkit.edge.atomic_file import (
    OutsideRoot,
    RootedPath,
    collect_beside,
    open_rooted_path,
    read_content,
    replace_file,
)

_REPLACED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL)
"""Error numbers of opening a path if a component was removed or replaced by a link meanwhile."""


def find_unwritable(root: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the paths that are not regular files inside a root, with the reason for each."""
    reasons: dict[str, str] = {}
    for path in paths:
        try:
            with open_rooted_path(root, path):
                pass
        except OutsideRoot as reason:
            reasons[path] = str(reason)
        except OSError as error:
            reasons[path] = f"cannot be opened: {error.strerror}"
    return reasons


def write_documents(root: str, before: Workspace, after: Workspace) -> int:
    """Write the changed documents; return how many were skipped, each with a warning.

    Skip documents that changed meanwhile or are outside the root. Remove the leftovers of killed runs in their
    directories. Raise InputOutputError if a file cannot be read or written.
    """
    _remove_leftovers(root, before)
    unwritten = 0
    for old, new in _changed_documents(before, after):
        try:
            reason = _write_document(root, old, new.encode())
        except OSError as error:
            raise InputOutputError(f"{old.path}: {error.strerror}") from None
        if reason:
            unwritten += 1
            say.warn(f"{old.path} {reason}, and stays unchanged")
    return unwritten


def _write_document(root: str, old: MarkdownDocument, data: bytes) -> str:
    """Replace a document; return why it was not, "" if it was."""
    expected = old.encode()
    try:
        with open_rooted_path(root, old.path) as place:
            if read_content(place, len(expected) + 1) != expected:
                return "changed meanwhile"
            replace_file(place, data)
    except OutsideRoot as reason:
        return str(reason)
    except OSError as error:
        if error.errno not in _REPLACED:
            raise
        return "changed meanwhile"
    return ""


def _remove_leftovers(root: str, workspace: Workspace) -> None:
    """Remove leftover temporary files from the directories of documents."""
    for directory in sorted({dirname(document.path) for document in workspace.documents}):
        with suppress(OutsideRoot, OSError), open_rooted_path(root, join(directory, ".ctxkit")) as place:
            collect_beside(place)


def _changed_documents(before: Workspace, after: Workspace) -> Iterator[tuple[MarkdownDocument, MarkdownDocument]]:
    for old, new in zip(before.documents, after.documents, strict=True):
        if old.text != new.text:
            yield old, new


def diff_documents(before: Workspace, after: Workspace, prefix: str) -> Iterator[bytes]:
    """Yield the lines of a diff, in the format of ``git apply``.

    Secrets are masked: a diff near a secret cannot be applied, and a warning says so. UTF-16 files only get the
    warning.
    """
    for old, new in _changed_documents(before, after):
        path = f"{prefix}{old.path}"
        if old.encoding != "utf-8":
            say.warn(f"{path} is UTF-16, and no diff can show it; --fix fixes it")
            continue
        plain_lines = list(_diff_lines(_read_document(old), _read_document(new), path))
        masked_lines = list(_diff_lines(mask_text(_read_document(old)), mask_text(_read_document(new)), path))
        if masked_lines != plain_lines:
            say.warn(f"the diff of {path} masks a secret, and cannot be applied; --fix fixes the file")
        yield from (line.encode("utf-8", "surrogateescape") for line in masked_lines)


def _read_document(document: MarkdownDocument) -> str:
    """Return the content of a file as text, with its byte order mark."""
    return document.encode().decode("utf-8", "surrogateescape")


def _diff_lines(old: str, new: str, path: str) -> Iterator[str]:
    for line in unified_diff(
        _split_lines(old), _split_lines(new), _quote_path(f"a/{path}"), _quote_path(f"b/{path}"), n=3
    ):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _quote_path(path: str) -> str:
    """Return a path as git writes it in a diff: quoted with octal escapes if it has special characters."""
    if path.isprintable() and not {'"', "\\"} & set(path):
        return path
    data = path.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}" for byte in data) + '"'


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text with their endings; only a line feed ends a line, as in git."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


_LARGEST = 64 << 20
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
        value = _parse_json(read_content(place, _LARGEST))
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
